// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code that uses what units still read or write.

#ifndef AGGLOM_CHECK_HOSTFUNCTIONS_H
#define AGGLOM_CHECK_HOSTFUNCTIONS_H

#include "Rules.h"

namespace agglom {

void warnUnwaited(ParsedUnit &U, const CheckedUnit &Checked);

} // namespace agglom

#endif // AGGLOM_CHECK_HOSTFUNCTIONS_H
