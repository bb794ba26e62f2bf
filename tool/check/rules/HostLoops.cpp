// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// '#pragma agglom for': chunks run independently, each with its own copy of the
// captured variables; here is checked what they must not do with the copies.
// Checks that tasks' loops share are elsewhere.

#include "Rules.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

namespace {
class HostLoopCheck {
  ParsedUnit &U;
  Task &T;
  const HostLoop &H;
  const Loop &L;
  std::set<const VarDecl *> Reported;

  void fail(SourceLocation Loc, diag::Id D, const VarDecl *V) {
    T.Broken = true;
    if (!Reported.insert(V).second)
      return;
    U.Report.report(Loc, D) << V << V->getType()->isRecordType();
    U.Report.report(H.Loc, diag::note_loop_here);
  }

  /// The captured variable that \p E denotes, or denotes a part of; else null.
  const ParmVarDecl *captured(const Expr *E) const {
    auto *P = dyn_cast_or_null<ParmVarDecl>(ownObject(E));
    return P && !L.owns(P) ? P : nullptr;
  }

  void written(const Expr *Target) {
    if (const ParmVarDecl *P = captured(Target))
      fail(Target->getExprLoc(), diag::for_written, P);
  }

  /// Whether argument \p I is a pointer to const: passing the address is then
  /// harmless.
  static bool readsOnly(const CallExpr *Call, unsigned I) {
    const FunctionDecl *F = Call->getDirectCallee();
    return F && I < F->getNumParams() &&
           F->getParamDecl(I)->getType()->isPointerType() &&
           F->getParamDecl(I)->getType()->getPointeeType().isConstQualified();
  }

  void walk(const Stmt *S) {
    if (auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
      written(B->getLHS());
    if (auto *Un = dyn_cast<UnaryOperator>(S)) {
      if (Un->isIncrementDecrementOp())
        written(Un->getSubExpr());
      if (Un->getOpcode() == UO_AddrOf)
        address(Un->getSubExpr());
    }
    if (auto *Cast = dyn_cast<ImplicitCastExpr>(S);
        Cast && Cast->getCastKind() == CK_ArrayToPointerDecay &&
        !isa<StringLiteral>(Cast->getSubExpr()))
      address(Cast->getSubExpr());
    if (auto *Sub = dyn_cast<ArraySubscriptExpr>(S)) {
      // Indexing an array does not count as taking its address.
      const Expr *Base = Sub->getBase()->IgnoreParenImpCasts();
      walk(Base->getType()->isArrayType() ? Base : Sub->getBase());
      return walk(Sub->getIdx());
    }
    if (isa<UnaryExprOrTypeTraitExpr>(S)) // not evaluated
      return;
    if (auto *Call = dyn_cast<CallExpr>(S)) {
      walk(Call->getCallee());
      for (unsigned I = 0; I < Call->getNumArgs(); ++I) {
        const Expr *Arg = Call->getArg(I)->IgnoreParenCasts();
        auto *Un = dyn_cast<UnaryOperator>(Arg);
        if (readsOnly(Call, I) && Un && Un->getOpcode() == UO_AddrOf)
          walk(Un->getSubExpr());
        else if (readsOnly(Call, I) && Arg->getType()->isArrayType())
          walk(Arg);
        else
          walk(Call->getArg(I));
      }
      return;
    }
    for (const Stmt *Child : S->children())
      if (Child)
        walk(Child);
  }

  void address(const Expr *Of) {
    if (const ParmVarDecl *P = captured(Of))
      fail(Of->getExprLoc(), diag::for_address, P);
  }

  void section(const Section &S) {
    for (size_t I = 0; I <= L.Nest.size(); ++I) {
      const VarDecl *V = L.level(I).Var;
      if (mentions(S.BaseExpr, V)) {
        U.Report.report(S.Loc, diag::for_section_base) << S.Text << V;
        T.Broken = true;
      }
      for (const SectionDim &D : S.Dims)
        if (I && (mentions(D.LoExpr, V) || mentions(D.LenExpr, V) ||
                  mentions(D.StepExpr, V))) {
          U.Report.report(S.Loc, diag::for_section_inner) << S.Text << V;
          T.Broken = true;
        }
    }
  }

  static bool names(const Section &S, const VarDecl *V) {
    return mentions(S.BaseExpr, V) ||
           llvm::any_of(S.Dims, [&](const SectionDim &D) {
             return mentions(D.LoExpr, V) || mentions(D.LenExpr, V) ||
                    mentions(D.StepExpr, V);
           });
  }

  /// Clauses are evaluated before the loop, so they must not use a variable
  /// that each iteration or each chunk has a copy of.
  void copied(const Section &S) {
    for (const Reduction &R : L.Reductions)
      if (names(S, R.Var)) {
        U.Report.report(S.Loc, diag::for_section_reduction) << S.Text << R.Var;
        T.Broken = true;
      }
    for (const VarDecl *V : L.Private)
      if (names(S, V)) {
        U.Report.report(S.Loc, diag::for_section_private) << S.Text << V;
        T.Broken = true;
      }
  }
  void copied(const Expr *E, StringRef Clause) {
    for (const VarDecl *V : L.Private)
      if (E && mentions(E, V)) {
        U.Report.report(E->getExprLoc(), diag::for_clause_private)
            << Clause << V;
        T.Broken = true;
      }
  }

public:
  HostLoopCheck(ParsedUnit &U, Task &T)
      : U(U), T(T), H(*T.From), L(*T.From->Inner) {}

  void run() {
    if (L.Broken)
      return;
    const CanonicalFor &C = L.Canonical;
    if (C.First->HasSideEffects(U.Context) ||
        C.Bound->HasSideEffects(U.Context)) {
      U.Report.report(C.For->getForLoc(), diag::for_first);
      T.Broken = true;
    }
    for (const Section &S : T.Sections) {
      section(S);
      copied(S);
    }
    copied(H.Cost, "cost");
    copied(H.ScheduleNumber, "schedule");
    for (const CanonicalFor &Inner : L.Nest)
      if (!Inner.DeclaredHere) {
        U.Report.report(Inner.For->getForLoc(), diag::for_inner_counter)
            << Inner.Var;
        T.Broken = true;
      }
    for (const Reduction &R : L.Reductions)
      if (auto *P = dyn_cast<ParmVarDecl>(R.Var);
          P && H.Captured[P->getFunctionScopeIndex()]->getStorageClass() ==
                   SC_Register) {
        U.Report.report(H.Loc, diag::for_register) << R.Var;
        T.Broken = true;
      }
    if (!T.Broken)
      walk(L.body());
  }
};
} // namespace

void checkHostLoop(ParsedUnit &U, Task &T) { HostLoopCheck(U, T).run(); }

void checkNoHostLoop(ParsedUnit &U, Task &T, const DeviceClosure &C) {
  for (const auto &H : U.M.HostLoops)
    if (C.Functions.count(H->In)) {
      U.Report.report(H->Loc, diag::for_in_device_code) << H->In;
      U.Report.report(T.Loc, notePlace(T));
      T.Broken = true;
    }
}

} // namespace agglom
