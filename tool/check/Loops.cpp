// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel loops: the canonical form that lets iterations be counted and dealt
// out, and what iterations must not share.

#include "Check.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace agglom {

const VarDecl *variableOf(const Expr *E) {
  if (!E)
    return nullptr;
  auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

namespace {
bool mentions(const Stmt *S, const VarDecl *V) {
  if (!S)
    return false;
  if (auto *Ref = dyn_cast<DeclRefExpr>(S); Ref && Ref->getDecl() == V)
    return true;
  for (const Stmt *Child : S->children())
    if (mentions(Child, V))
      return true;
  return false;
}

class LoopCheck {
  ParsedUnit &U;
  Task &T;
  Loop &L;
  CanonicalFor &C;

  void fail(SourceLocation Loc, diag::Id D) {
    auto B = U.Report.report(Loc, D);
    if (C.Var)
      B << C.Var;
    L.Broken = T.Broken = true;
  }

  bool init() {
    const Stmt *Init = L.For->getInit();
    if (auto *DS = dyn_cast_or_null<DeclStmt>(Init); DS && DS->isSingleDecl()) {
      C.Var = dyn_cast<VarDecl>(DS->getSingleDecl());
      C.First = C.Var ? C.Var->getInit() : nullptr;
      C.DeclaredHere = true;
    } else if (auto *B = dyn_cast_or_null<BinaryOperator>(Init);
               B && B->getOpcode() == BO_Assign) {
      C.Var = variableOf(B->getLHS());
      C.First = B->getRHS();
    }
    if (!C.Var || !C.First) {
      C.Var = nullptr;
      fail(L.For->getForLoc(), diag::loop_init);
      return false;
    }
    if (!C.Var->getType()->isIntegerType() ||
        C.Var->getType()->isBooleanType() || C.Var->hasGlobalStorage()) {
      U.Report.report(L.For->getForLoc(), diag::loop_variable_type)
          << C.Var << C.Var->getType();
      L.Broken = T.Broken = true;
      return false;
    }
    return true;
  }

  bool condition() {
    auto *B = dyn_cast_or_null<BinaryOperator>(L.For->getCond());
    SourceLocation Loc =
        L.For->getCond() ? L.For->getCond()->getExprLoc() : L.For->getForLoc();
    if (!B || !(B->isRelationalOp() || B->getOpcode() == BO_NE)) {
      fail(Loc, diag::loop_condition);
      return false;
    }
    bool Left = variableOf(B->getLHS()) == C.Var;
    bool Right = variableOf(B->getRHS()) == C.Var;
    if (Left == Right) {
      fail(Loc, diag::loop_condition);
      return false;
    }
    C.Bound = Left ? B->getRHS() : B->getLHS();
    C.CompareType = (Left ? B->getLHS() : B->getRHS())->getType();
    C.Compare = Left ? B->getOpcode()
                     : BinaryOperator::reverseComparisonOp(B->getOpcode());
    if (mentions(C.Bound, C.Var) || C.Bound->HasSideEffects(U.Context) ||
        !C.CompareType->isIntegerType()) {
      fail(Loc, diag::loop_condition);
      return false;
    }
    return true;
  }

  bool increment() {
    const Expr *Inc = L.For->getInc();
    SourceLocation Loc = Inc ? Inc->getExprLoc() : L.For->getForLoc();
    bool Ok = false;
    if (Inc)
      Inc = Inc->IgnoreParens();
    if (auto *Un = dyn_cast_or_null<UnaryOperator>(Inc)) {
      Ok =
          Un->isIncrementDecrementOp() && variableOf(Un->getSubExpr()) == C.Var;
      C.Down = Un->isDecrementOp();
    } else if (auto *B = dyn_cast_or_null<BinaryOperator>(Inc);
               B && variableOf(B->getLHS()) == C.Var) {
      if (B->getOpcode() == BO_AddAssign || B->getOpcode() == BO_SubAssign) {
        C.Step = B->getRHS();
        C.Down = B->getOpcode() == BO_SubAssign;
        Ok = true;
      } else if (B->getOpcode() == BO_Assign) {
        auto *Sum =
            dyn_cast<BinaryOperator>(B->getRHS()->IgnoreParenImpCasts());
        if (Sum && Sum->isAdditiveOp()) {
          bool OnLeft = variableOf(Sum->getLHS()) == C.Var;
          bool OnRight = variableOf(Sum->getRHS()) == C.Var;
          C.Down = Sum->getOpcode() == BO_Sub;
          C.Step = OnLeft ? Sum->getRHS() : Sum->getLHS();
          Ok = OnLeft != OnRight && !(C.Down && OnRight);
        }
      }
    }
    if (!Ok || (C.Step && (mentions(C.Step, C.Var) ||
                           !C.Step->getType()->isIntegerType()))) {
      fail(Loc, diag::loop_increment);
      return false;
    }
    // The step must be a constant: its sign decides the direction.
    int64_t Step = 1;
    if (C.Step) {
      Expr::EvalResult Value;
      if (!C.Step->EvaluateAsInt(Value, U.Context) ||
          Value.Val.getInt().isZero() ||
          Value.Val.getInt().getSignificantBits() > 62) {
        fail(Loc, diag::loop_increment);
        return false;
      }
      Step = Value.Val.getInt().getExtValue();
    }
    C.StepValue = C.Down ? -Step : Step;
    C.Down = C.StepValue < 0;
    bool Less = C.Compare == BO_LT || C.Compare == BO_LE;
    bool Greater = C.Compare == BO_GT || C.Compare == BO_GE;
    if ((Less && C.Down) || (Greater && !C.Down) ||
        (C.Compare == BO_NE && C.StepValue != 1 && C.StepValue != -1)) {
      fail(Loc, diag::loop_direction);
      return false;
    }
    return true;
  }

public:
  LoopCheck(ParsedUnit &U, Task &T, Loop &L)
      : U(U), T(T), L(L), C(L.Canonical) {}

  bool canonical() { return init() && condition() && increment(); }
};

/// What the body of a parallel loop must not do.
class BodyCheck : public RecursiveASTVisitor<BodyCheck> {
  ParsedUnit &U;
  Task &T;
  Loop &L;
  std::set<const VarDecl *> Declared, Reported;
  std::set<const LabelDecl *> Labels; ///< inside the body
  std::vector<GotoStmt *> Gotos;
  unsigned Breakable = 0;

  bool isReduction(const VarDecl *V) const {
    for (const Reduction &R : L.Reductions)
      if (R.Var == V)
        return true;
    return false;
  }
  void leaves(SourceLocation Loc, unsigned How) {
    U.Report.report(Loc, diag::loop_leaves) << How;
    U.Report.report(L.Loc, diag::note_loop_here);
    L.Broken = T.Broken = true;
  }
  void written(const Expr *Target) {
    const VarDecl *V = variableOf(Target);
    if (!V || Declared.count(V) || isReduction(V) || !Reported.insert(V).second)
      return;
    if (V == L.Canonical.Var)
      U.Report.report(Target->getExprLoc(), diag::loop_variable_written) << V;
    else
      U.Report.report(Target->getExprLoc(), diag::loop_variable_shared) << V;
    U.Report.report(L.Loc, diag::note_loop_here);
    L.Broken = T.Broken = true;
  }
  template <typename Fn> bool nested(Fn Inside) {
    ++Breakable;
    Inside();
    --Breakable;
    return true;
  }

public:
  BodyCheck(ParsedUnit &U, Task &T, Loop &L) : U(U), T(T), L(L) {}

  void run(const Stmt *Body) {
    TraverseStmt(const_cast<Stmt *>(Body));
    for (GotoStmt *S : Gotos)
      if (!Labels.count(S->getLabel()))
        leaves(S->getGotoLoc(), 2);
  }

  bool TraverseForStmt(ForStmt *S, DataRecursionQueue * = nullptr) {
    return nested([&] { RecursiveASTVisitor::TraverseForStmt(S); });
  }
  bool TraverseWhileStmt(WhileStmt *S, DataRecursionQueue * = nullptr) {
    return nested([&] { RecursiveASTVisitor::TraverseWhileStmt(S); });
  }
  bool TraverseDoStmt(DoStmt *S, DataRecursionQueue * = nullptr) {
    return nested([&] { RecursiveASTVisitor::TraverseDoStmt(S); });
  }
  bool TraverseSwitchStmt(SwitchStmt *S, DataRecursionQueue * = nullptr) {
    return nested([&] { RecursiveASTVisitor::TraverseSwitchStmt(S); });
  }
  bool VisitVarDecl(VarDecl *V) {
    Declared.insert(V);
    return true;
  }
  bool VisitBreakStmt(BreakStmt *S) {
    if (!Breakable)
      leaves(S->getBeginLoc(), 0);
    return true;
  }
  bool VisitReturnStmt(ReturnStmt *S) {
    leaves(S->getReturnLoc(), 1);
    return true;
  }
  bool VisitLabelStmt(LabelStmt *S) {
    Labels.insert(S->getDecl());
    return true;
  }
  bool VisitGotoStmt(GotoStmt *S) {
    Gotos.push_back(S);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    if (E->isIncrementDecrementOp())
      written(E->getSubExpr());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->isAssignmentOp())
      written(E->getLHS());
    return true;
  }
};
} // namespace

void checkLoops(ParsedUnit &U, Task &T) {
  for (Loop *L : T.Loops) {
    if (L->Broken) {
      T.Broken = true;
      continue;
    }
    if (!LoopCheck(U, T, *L).canonical())
      continue;
    for (const Reduction &R : L->Reductions)
      if (mentions(L->Canonical.Bound, R.Var)) {
        U.Report.report(L->Canonical.Bound->getExprLoc(), diag::loop_condition)
            << L->Canonical.Var;
        L->Broken = T.Broken = true;
      }
    BodyCheck(U, T, *L).run(L->For->getBody());
  }
}

} // namespace agglom
