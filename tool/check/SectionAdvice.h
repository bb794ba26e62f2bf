// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings about sections that are too wide for the work, or too short.

#ifndef AGGLOM_CHECK_SECTIONADVICE_H
#define AGGLOM_CHECK_SECTIONADVICE_H

#include "Inference.h"
#include "ParseAction.h"

namespace agglom {

/// The bytes that a section names from where its object or pointer begins, over
/// the parameters and \p Variable: from the first to the last one; a matrix
/// section may leave out some of those between. nullopt where that is not
/// known, or the section is a whole object.
struct SectionHull {
  Poly Begin, End;
};
std::optional<SectionHull> hullOf(const clang::ASTContext &C, Symbols &Names,
                                  const Section &S,
                                  const clang::VarDecl *Variable = nullptr);
/// A bound of a section, over the same.
std::optional<Poly> boundOf(const clang::ASTContext &C, Symbols &Names,
                            const clang::Expr *E,
                            const clang::VarDecl *Variable = nullptr);

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
