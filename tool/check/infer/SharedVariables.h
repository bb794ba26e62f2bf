// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables outside of a loop that its iterations write: which are meant to be
// a reduction, by what is done to them, and which private.

#ifndef AGGLOM_CHECK_SHAREDVARIABLES_H
#define AGGLOM_CHECK_SHAREDVARIABLES_H

#include "Model.h"
#include "clang/AST/Stmt.h"
#include <string>

namespace agglom {

/// How often \p S mentions \p V.
unsigned countOf(const clang::Stmt *S, const clang::VarDecl *V);

/// The operator of a reduction whose update of \p V the statement is ("+",
/// "max", ...), or "". \p Used: how often it mentions V.
std::string updateOperator(const clang::Stmt *S, const clang::VarDecl *V,
                           unsigned &Used);

/// The operator of the reduction that \p Body makes of the local variable \p V,
/// or "": nothing else happens to V in it.
std::string reductionOf(const clang::Stmt *Body, const clang::VarDecl *V);

/// "private(v)" or "reduction(+: v)", where it is clear that the local variable
/// \p V, which iterations of \p L in \p T write, is that; else "".
std::string clauseForShared(const Task &T, const Loop &L,
                            const clang::VarDecl *V);

} // namespace agglom

#endif // AGGLOM_CHECK_SHAREDVARIABLES_H
