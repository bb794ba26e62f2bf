// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Rules.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

/// Reports uses of a task's address: a call through a pointer would not submit
/// a unit. A plain loop over children is used for speed, since each function of
/// each header is walked.
static void findAddressTaken(ParsedUnit &U, const Stmt *S) {
  if (!S)
    return;
  if (auto *E = dyn_cast<DeclRefExpr>(S)) {
    auto *F = dyn_cast<FunctionDecl>(E->getDecl());
    if (const Task *T = F ? U.M.find(F) : nullptr) {
      U.Report.report(E->getLocation(), diag::task_address) << F;
      U.Report.report(T->Loc, diag::note_pragma_here);
    }
    return;
  }
  if (auto *B = dyn_cast<BlockExpr>(S))
    return findAddressTaken(U, B->getBody());
  auto *Call = dyn_cast<CallExpr>(S);
  const Stmt *Callee =
      Call && Call->getDirectCallee() ? Call->getCallee() : nullptr;
  for (const Stmt *Child : S->children())
    if (!Child || Child != Callee)
      findAddressTaken(U, Child);
}

void checkTaskAddresses(ParsedUnit &U) {
  if (U.M.Tasks.empty())
    return;
  for (const DeclGroup &Group : U.Groups)
    for (const Decl *D : Group)
      if (auto *V = dyn_cast<VarDecl>(D))
        findAddressTaken(U, V->getInit());
      else if (auto *F = dyn_cast<FunctionDecl>(D);
               F && F->doesThisDeclarationHaveABody())
        findAddressTaken(U, F->getBody());
}

} // namespace agglom
