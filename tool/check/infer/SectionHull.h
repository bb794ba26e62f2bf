// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a section names, as the accesses of a body are known: in polynomials.

#ifndef AGGLOM_CHECK_SECTIONHULL_H
#define AGGLOM_CHECK_SECTIONHULL_H

#include "Accesses.h"
#include "Model.h"
#include "Symbolic.h"
#include "clang/AST/ASTContext.h"

namespace agglom {

/// What a section is in or behind, as the accesses of \p F are known; nullopt
/// where that is not known.
std::optional<Base> baseOf(clang::ASTContext &C, const Section &S,
                           const clang::FunctionDecl *F);

/// What the pointer \p E of \p F points into.
std::optional<Base> pointeeOf(clang::ASTContext &C, const clang::Expr *E,
                              const clang::FunctionDecl *F);

/// The bytes that a section names from where its base begins, over the
/// parameters, what else has a name, and \p Variable: from the first to the
/// last one; a matrix section may leave out some of those between. nullopt
/// where that is not known.
struct SectionHull {
  Poly Begin, End;
  Poly Start; ///< where its element 0 is
};
std::optional<SectionHull> hullOf(clang::ASTContext &C, Symbols &Names,
                                  const Section &S,
                                  const clang::FunctionDecl *F,
                                  const clang::VarDecl *Variable = nullptr);
/// A bound of a section, over the same.
std::optional<Poly> boundOf(clang::ASTContext &C, Symbols &Names,
                            const clang::Expr *E,
                            const clang::VarDecl *Variable = nullptr);

} // namespace agglom

#endif // AGGLOM_CHECK_SECTIONHULL_H
