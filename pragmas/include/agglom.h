/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The one header that annotated programs may include. They need not: `#pragma agglom` works without
 * it. It declares the runtime's public functions (agglom/rt.h), and a program that includes it can still
 * be compiled by any C compiler as long as it does not call them. */
#ifndef AGGLOM_H
#define AGGLOM_H

#include <agglom/rt.h>

#endif /* AGGLOM_H */
