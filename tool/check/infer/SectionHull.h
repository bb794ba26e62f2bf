// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes that a section names, as polynomials like those of accesses.

#ifndef AGGLOM_CHECK_SECTIONHULL_H
#define AGGLOM_CHECK_SECTIONHULL_H

#include "Accesses.h"
#include "Model.h"
#include "Symbolic.h"
#include "clang/AST/ASTContext.h"

namespace agglom {

/// The base of a section, like those of the accesses of \p F; nullopt where it
/// is not known.
std::optional<Base> baseOf(clang::ASTContext &C, const Section &S,
                           const clang::FunctionDecl *F);

/// The base that pointer \p E of \p F points into.
std::optional<Base> pointeeOf(clang::ASTContext &C, const clang::Expr *E,
                              const clang::FunctionDecl *F);

/// The bytes that a section names, relative to the begin of its base, in terms
/// of parameters, other named values, and \p Variable: from the first to the
/// last byte. A matrix section may leave out bytes between. nullopt where they
/// are not known.
struct SectionHull {
  Poly Begin, End;
  Poly Start; ///< of the section's element 0
};
std::optional<SectionHull> hullOf(clang::ASTContext &C, Symbols &Names,
                                  const Section &S,
                                  const clang::FunctionDecl *F,
                                  const clang::VarDecl *Variable = nullptr);
/// A bound of a section, in the same terms.
std::optional<Poly> boundOf(clang::ASTContext &C, Symbols &Names,
                            const clang::Expr *E,
                            const clang::VarDecl *Variable = nullptr);

} // namespace agglom

#endif // AGGLOM_CHECK_SECTIONHULL_H
