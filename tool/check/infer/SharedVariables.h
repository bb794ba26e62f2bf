// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables declared outside of a loop that its iterations write: which are
// reductions, judged by their updates, and which should be private.

#ifndef AGGLOM_CHECK_SHAREDVARIABLES_H
#define AGGLOM_CHECK_SHAREDVARIABLES_H

#include "Model.h"
#include "clang/AST/Stmt.h"
#include <string>

namespace agglom {

/// How often \p S mentions \p V.
unsigned countOf(const clang::Stmt *S, const clang::VarDecl *V);

/// The operator of a reduction ("+", "max", ...) when the statement is an
/// update of \p V by it; else "". \p Used: how often the statement mentions \p
/// V.
std::string updateOperator(const clang::Stmt *S, const clang::VarDecl *V,
                           unsigned &Used);

/// The operator of the reduction when \p Body uses the local variable \p V only
/// in updates by one operator; else "".
std::string reductionOf(const clang::Stmt *Body, const clang::VarDecl *V);

/// "private(v)" or "reduction(+: v)" for the local variable \p V, which
/// iterations of \p L in \p T write, where it is clear that this is meant; else
/// "".
std::string clauseForShared(const Task &T, const Loop &L,
                            const clang::VarDecl *V);

} // namespace agglom

#endif // AGGLOM_CHECK_SHAREDVARIABLES_H
