// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings about sections that are too wide for the work, or too short.

#ifndef AGGLOM_CHECK_SECTIONADVICE_H
#define AGGLOM_CHECK_SECTIONADVICE_H

#include "Inference.h"
#include "ParseAction.h"
#include "SectionHull.h"

namespace agglom {

/// Whether an access that takes place does so for the last step of each loop
/// around it, and for the first: its limits are those of single steps, and are
/// reached. \p Given: what is known of those loops.
bool reachesItsLimits(const Symbols &Names, const Access &A,
                      llvm::ArrayRef<Poly> Given);
/// Whether an access to bytes in [\p Begin, \p End) surely leaves all that is
/// \p Named. \p Reached: both ends are touched; else nobody knows which.
bool isOutside(const Facts &F, const Poly &Begin, const Poly &End,
               llvm::ArrayRef<SectionHull> Named, bool Reached);
/// Whether what the sections of \p T in or behind \p In leave out is warned
/// about. \p Touched: what the body touches there, or null.
bool warnShortSections(ParsedUnit &U, const Task &T, Inference &I,
                       const Base &In, const InferredSection *Touched);
/// \p Touched is what the body touches behind the section's parameter.
bool warnWideSection(ParsedUnit &U, const Task &T, Inference &I,
                     const Section &S, const InferredSection &Touched);
/// The sections of a `for`, against what \p I says of an iteration.
/// (LoopSections.cpp)
void adviseLoop(ParsedUnit &U, const Task &T, Inference &I);
/// For tasks of whose sections none is too wide.
void warnSmallTask(ParsedUnit &U, const Task &T);

} // namespace agglom

#endif // AGGLOM_CHECK_SECTIONADVICE_H
