// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings about sections that are too wide for the work, or too short.

#ifndef AGGLOM_CHECK_SECTIONADVICE_H
#define AGGLOM_CHECK_SECTIONADVICE_H

#include "Inference.h"
#include "ParseAction.h"
#include "SectionHull.h"

namespace agglom {

/// Whether an access takes place in the first and in the last step of each loop
/// around it, so that its extremes are reached. \p Given: the facts about those
/// loops.
bool reachesItsLimits(const Symbols &Names, const Access &A,
                      llvm::ArrayRef<Poly> Given);
/// Whether an access to bytes in [\p Begin, \p End) surely leaves all hulls in
/// \p Named. \p Reached: both ends are accessed; else any byte between may be.
bool isOutside(const Facts &F, const Poly &Begin, const Poly &End,
               llvm::ArrayRef<SectionHull> Named, bool Reached);
/// Warns when the sections of \p T in base \p In leave out memory that the body
/// surely accesses. \p Touched: the inferred section there, or null. \returns
/// whether it warned.
bool warnShortSections(ParsedUnit &U, const Task &T, Inference &I,
                       const Base &In, const InferredSection *Touched);
/// Warns when \p S names much more than \p Touched, the inferred section behind
/// its parameter. \returns whether it warned.
bool warnWideSection(ParsedUnit &U, const Task &T, Inference &I,
                     const Section &S, const InferredSection &Touched);
/// Compares the sections of a `for` with the accesses of one iteration in \p I.
void adviseLoop(ParsedUnit &U, const Task &T, Inference &I);
/// Warns about small tasks; called when no section is too wide.
void warnSmallTask(ParsedUnit &U, const Task &T);

} // namespace agglom

#endif // AGGLOM_CHECK_SECTIONADVICE_H
