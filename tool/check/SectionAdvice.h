// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings about sections that are too wide for the work, or too short.

#ifndef AGGLOM_CHECK_SECTIONADVICE_H
#define AGGLOM_CHECK_SECTIONADVICE_H

#include "Inference.h"
#include "ParseAction.h"
#include "SectionHull.h"

namespace agglom {

/// \p Touched is what the body touches behind the section's parameter.
bool warnShortSection(ParsedUnit &U, const Task &T, Inference &I,
                      const Section &S, const InferredSection &Touched);
bool warnWideSection(ParsedUnit &U, const Task &T, Inference &I,
                     const Section &S, const InferredSection &Touched);
/// The sections of a `for`, against what \p I says of an iteration.
/// (LoopSections.cpp)
void adviseLoop(ParsedUnit &U, const Task &T, Inference &I);
/// For tasks of whose sections none is too wide.
void warnSmallTask(ParsedUnit &U, const Task &T);

} // namespace agglom

#endif // AGGLOM_CHECK_SECTIONADVICE_H
