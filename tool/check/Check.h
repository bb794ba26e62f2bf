// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks a Model before anything is emitted: which checks there are, and in
// which order.

#ifndef AGGLOM_CHECK_CHECK_H
#define AGGLOM_CHECK_CHECK_H

#include "Rules.h"

namespace agglom {

CheckedUnit checkUnit(ParsedUnit &U);

} // namespace agglom

#endif // AGGLOM_CHECK_CHECK_H
