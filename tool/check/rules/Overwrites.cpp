// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds `out` sections that are completely written, so that their old content
// need not be sent to a device. Proved for the plain case alone:
//
//   #pragma agglom task out(y[0:n]) ...
//   { ...
//     #pragma agglom loop
//     for (int i = 0; i < n; i++) { ... y[i] = ...; ... }
//   ... }
//
// where nothing can skip the loop, an iteration or the assignment, nothing else
// changes n, y and i, and y is not read.

#include "AstVisitor.h"
#include "Rules.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

namespace {
/// Jumps that may skip a statement of the body, and changes of variables that
/// the statement depends on.
class Disturbances : public AstVisitor<Disturbances> {
public:
  bool Jumps = false;
  std::map<const Decl *, unsigned> Mentions;
  std::set<const VarDecl *> Changed;

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    ++Mentions[E->getDecl()];
    return true;
  }
  bool VisitReturnStmt(ReturnStmt *) { return !(Jumps = true); }
  bool VisitGotoStmt(GotoStmt *) { return !(Jumps = true); }
  bool VisitContinueStmt(ContinueStmt *) { return !(Jumps = true); }
  bool VisitUnaryOperator(UnaryOperator *E) {
    if (E->isIncrementDecrementOp() || E->getOpcode() == UO_AddrOf)
      if (const VarDecl *V = variableOf(E->getSubExpr()))
        Changed.insert(V);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->isAssignmentOp())
      if (const VarDecl *V = variableOf(E->getLHS()))
        Changed.insert(V);
    return true;
  }
};

bool assigns(const Stmt *S, const VarDecl *Pointer, const VarDecl *Index) {
  auto *B = dyn_cast<BinaryOperator>(S);
  if (!B || B->getOpcode() != BO_Assign)
    return false;
  auto *Sub = dyn_cast<ArraySubscriptExpr>(B->getLHS()->IgnoreParens());
  return Sub && variableOf(Sub->getBase()) == Pointer &&
         variableOf(Sub->getIdx()) == Index;
}

/// Whether every iteration of the loop \p L of a `for` assigns the one element
/// that its section \p S names.
bool fills(const Loop &L, const Section &S, ASTContext &Context) {
  const CanonicalFor &C = L.Canonical;
  Expr::EvalResult Length;
  // Where the variable wraps, a chunk may name all elements and write few.
  if ((C.StepValue != 1 && C.StepValue != -1) || mayGoRound(C, Context) ||
      !L.Nest.empty() || variableOf(S.Dims[0].LoExpr) != C.Var ||
      (S.Dims[0].LenExpr &&
       (!S.Dims[0].LenExpr->EvaluateAsInt(Length, Context) ||
        Length.Val.getInt() != 1)))
    return false;
  const Stmt *Body = L.For->getBody();
  if (assigns(Body, S.Param, C.Var))
    return true;
  auto *Block = dyn_cast<CompoundStmt>(Body);
  return Block && llvm::any_of(Block->body(), [&](const Stmt *Each) {
           return assigns(Each, S.Param, C.Var);
         });
}

bool covers(const Loop &L, const Section &S, ASTContext &Context) {
  const CanonicalFor &C = L.Canonical;
  Expr::EvalResult First;
  if (C.StepValue != 1 || C.Compare != BO_LT || !C.First || !C.Bound ||
      !C.First->EvaluateAsInt(First, Context) || !First.Val.getInt().isZero())
    return false;
  const VarDecl *Bound = variableOf(C.Bound);
  if (!Bound || !isa<ParmVarDecl>(Bound) ||
      variableOf(S.Dims[0].LenExpr) != Bound)
    return false;
  const Stmt *Body = L.For->getBody();
  if (assigns(Body, S.Param, C.Var))
    return true;
  if (auto *Block = dyn_cast<CompoundStmt>(Body))
    for (const Stmt *Each : Block->body())
      if (assigns(Each, S.Param, C.Var))
        return true;
  return false;
}
} // namespace

void findOverwrites(ParsedUnit &U, Task &T) {
  auto *Body = dyn_cast_or_null<CompoundStmt>(T.Definition->getBody());
  if (!Body || T.Declared != T.Definition || T.Variant)
    return;
  Disturbances D;
  D.TraverseStmt(const_cast<CompoundStmt *>(Body));
  if (D.Jumps)
    return;
  for (Section &S : T.Sections) {
    // The parameter's only mention is the assignment, so it is not read.
    if (S.Clause != ClauseId::Out || !S.Param || !S.plain() ||
        D.Mentions[S.Param] != 1 || D.Changed.count(S.Param))
      continue;
    if (T.From) {
      S.Overwrites = fills(*T.From->Inner, S, U.Context);
      continue;
    }
    if (S.Dims[0].Lo != "0" || !S.Dims[0].LenExpr)
      continue;
    for (const Loop *L : T.Loops)
      if (llvm::is_contained(Body->body(), L->Attributed) &&
          covers(*L, S, U.Context) &&
          !D.Changed.count(variableOf(L->Canonical.Bound)))
        S.Overwrites = true;
  }
}

} // namespace agglom
