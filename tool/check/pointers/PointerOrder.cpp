// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which values of a local pointer arrive where:
//
//   q = list->next;   q->v    of the first assignment
//   q = q->next;      q->v    of the second
//
// A pointer whose address is taken may change unseen, and is not followed.

#include "PointerFacts.h"
#include "Syntax.h"
#include "clang/Analysis/CFG.h"

using namespace clang;

namespace agglom {

namespace {
using State = std::map<const VarDecl *, PointerFacts::Values>;

struct Definition {
  const VarDecl *Var = nullptr;
  const Expr *Value = nullptr; ///< null with Var: no initial value
};

/// The variable that \p S assigns or declares, and the value.
Definition definitionIn(const Stmt *S) {
  if (auto *Decls = dyn_cast<DeclStmt>(S); Decls && Decls->isSingleDecl()) {
    auto *V = dyn_cast<VarDecl>(Decls->getSingleDecl());
    return {V, V ? V->getInit() : nullptr};
  }
  if (auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
    return {variableOf(B->getLHS()), B};
  if (auto *Un = dyn_cast<UnaryOperator>(S); Un && Un->isIncrementDecrementOp())
    return {variableOf(Un->getSubExpr()), Un};
  return {};
}
} // namespace

const PointerFacts::Values *
PointerFacts::valuesAt(const DeclRefExpr *Use) const {
  if (auto It = Arriving.find(Use); It != Arriving.end())
    return &It->second;
  auto *V = dyn_cast<VarDecl>(Use->getDecl());
  auto It = Followed.find(V);
  return It == Followed.end() ? nullptr : &It->second;
}

void PointerFacts::order(const FunctionDecl *F) {
  for (const Assignment &A : Assignments) {
    const VarDecl *V = variableOf(A.To);
    if (!V || !V->getType()->isPointerType() || V->hasGlobalStorage() ||
        Taken.count(V))
      continue;
    Values &All = Followed[V];
    if (All.empty() && isa<ParmVarDecl>(V))
      All.insert(nullptr);
    else if (All.empty() && V->getInit())
      All.insert(V->getInit());
    All.insert(A.Whole);
  }
  if (Followed.empty())
    return;
  CFG::BuildOptions Options;
  Options.setAllAlwaysAdd();
  std::unique_ptr<CFG> Graph = CFG::buildCFG(
      F, F->getBody(), const_cast<ASTContext *>(&Context), Options);
  if (!Graph)
    return; // valuesAt() then gives all values
  std::vector<State> At(Graph->getNumBlockIDs());
  State &First = At[Graph->getEntry().getBlockID()];
  for (const auto &[V, All] : Followed)
    if (isa<ParmVarDecl>(V))
      First[V].insert(nullptr);
  auto through = [&](const CFGBlock &B, State Now, bool Record) {
    for (const CFGElement &E : B) {
      auto S = E.getAs<CFGStmt>();
      if (!S)
        continue;
      if (auto *Ref = dyn_cast<DeclRefExpr>(S->getStmt()); Ref && Record) {
        auto *V = dyn_cast<VarDecl>(Ref->getDecl());
        if (V && Followed.count(V))
          Arriving[Ref] = Now[V];
      }
      Definition D = definitionIn(S->getStmt());
      if (!D.Var || !Followed.count(D.Var))
        continue;
      Now[D.Var].clear();
      if (D.Value)
        Now[D.Var].insert(D.Value);
    }
    return Now;
  };
  llvm::SetVector<const CFGBlock *> Waiting, Reached;
  Waiting.insert(&Graph->getEntry());
  while (!Waiting.empty()) {
    const CFGBlock *B = Waiting.pop_back_val();
    Reached.insert(B);
    State After = through(*B, At[B->getBlockID()], /*Record=*/false);
    for (const CFGBlock *Next : B->succs()) {
      if (!Next)
        continue;
      State &Into = At[Next->getBlockID()];
      bool More = !Reached.contains(Next);
      for (const auto &[V, What] : After) {
        size_t Before = Into[V].size();
        Into[V].insert(What.begin(), What.end());
        More |= Into[V].size() != Before;
      }
      if (More)
        Waiting.insert(Next);
    }
  }
  for (const CFGBlock *B : Reached)
    through(*B, At[B->getBlockID()], /*Record=*/true);
}

} // namespace agglom
