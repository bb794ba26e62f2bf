// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel loops: the canonical form, in which iterations can be counted and
// dealt out, and what iterations must not share.

#include "AstVisitor.h"
#include "FixIts.h"
#include "Rules.h"
#include "SharedVariables.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace agglom {

namespace {
/// One `for`: the loop under the pragma, or one collapsed into it.
class LoopCheck {
  ParsedUnit &U;
  Task &T;
  Loop &L;
  const ForStmt *For;
  CanonicalFor &C;

  void fail(SourceLocation Loc, diag::Id D) {
    auto B = U.Report.report(Loc, D);
    if (C.Var)
      B << C.Var;
    L.Broken = T.Broken = true;
  }

  bool init() {
    LoopStart Start = startOf(For);
    C.Var = Start.Var;
    C.First = Start.First;
    C.DeclaredHere = Start.Declared;
    if (!C.Var || !C.First) {
      C.Var = nullptr;
      fail(For->getForLoc(), diag::loop_init);
      return false;
    }
    if (C.Var->hasGlobalStorage()) {
      U.Report.report(For->getForLoc(), diag::loop_variable_global)
          << C.Var
          << C.Var->getType().getAsString() + " " + C.Var->getNameAsString();
      L.Broken = T.Broken = true;
      return false;
    }
    if (!C.Var->getType()->isIntegerType() ||
        C.Var->getType()->isBooleanType() ||
        U.Context.getTypeSize(C.Var->getType()) > 64) {
      U.Report.report(For->getForLoc(), diag::loop_variable_type)
          << C.Var << C.Var->getType();
      L.Broken = T.Broken = true;
      return false;
    }
    return true;
  }

  bool condition() {
    auto *B = dyn_cast_or_null<BinaryOperator>(For->getCond());
    SourceLocation Loc =
        For->getCond() ? For->getCond()->getExprLoc() : For->getForLoc();
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
    const Expr *Inc = For->getInc();
    SourceLocation Loc = Inc ? Inc->getExprLoc() : For->getForLoc();
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
      if (!C.Step->EvaluateAsInt(Value, U.Context)) {
        fail(Loc, diag::loop_increment);
        return false;
      }
      if (Value.Val.getInt().isZero() ||
          !Value.Val.getInt().isRepresentableByInt64() ||
          Value.Val.getInt().getSignificantBits() > 62) {
        U.Report.report(Loc, diag::loop_step)
            << llvm::toString(Value.Val.getInt(), 10);
        L.Broken = T.Broken = true;
        return false;
      }
      Step = Value.Val.getInt().getExtValue();
    }
    C.StepValue = C.Down ? -Step : Step;
    C.Down = C.StepValue < 0;
    bool Less = C.Compare == BO_LT || C.Compare == BO_LE;
    bool Greater = C.Compare == BO_GT || C.Compare == BO_GE;
    if ((Less && C.Down) || (Greater && !C.Down)) {
      fail(Loc, diag::loop_direction);
      return false;
    }
    return C.Compare != BO_NE || C.StepValue == 1 || C.StepValue == -1 ||
           passesOver();
  }

  /// Reports a loop that ends only where its step meets the bound of '!='.
  bool passesOver() {
    auto *Test = cast<BinaryOperator>(For->getCond());
    bool OnLeft = variableOf(Test->getLHS()) == C.Var;
    const char *Operator = OnLeft == C.Down ? ">" : "<";
    auto Report =
        U.Report.report(Test->getOperatorLoc(), diag::loop_passes_over);
    Report << C.Var << std::to_string(C.StepValue) << Operator;
    if (!Test->getOperatorLoc().isMacroID())
      Report << FixItHint::CreateReplacement(Test->getOperatorLoc(), Operator);
    L.Broken = T.Broken = true;
    return false;
  }

  /// Reports a loop whose variable would have to leave its type to reach a
  /// constant bound: the variable wraps, so the loop has no number of
  /// iterations.
  bool ends() {
    Expr::EvalResult Bound, First;
    if (C.Compare == BO_NE || !C.Bound->EvaluateAsInt(Bound, U.Context))
      return true;
    const unsigned Wide = 160; // room for a sum of any two values
    auto wide = [&](const llvm::APSInt &V) {
      return llvm::APSInt(V.extend(Wide), /*isUnsigned=*/false);
    };
    QualType Type = C.Var->getType();
    unsigned Bits = U.Context.getIntWidth(Type);
    bool Unsigned = Type->isUnsignedIntegerOrEnumerationType();
    llvm::APSInt End = wide(C.Down ? llvm::APSInt::getMinValue(Bits, Unsigned)
                                   : llvm::APSInt::getMaxValue(Bits, Unsigned));
    llvm::APSInt To = wide(Bound.Val.getInt());
    bool Strict = C.Compare == BO_LT || C.Compare == BO_GT;
    // The first value of the variable at which the condition is false.
    llvm::APSInt Past = To;
    if (!Strict)
      Past = wide(llvm::APSInt::get(C.Down ? -1 : 1)) + To;
    if (C.First->EvaluateAsInt(First, U.Context)) {
      llvm::APSInt From = wide(First.Val.getInt());
      llvm::APSInt Step = wide(llvm::APSInt::get(C.StepValue));
      llvm::APSInt Way = Past - From;
      if (C.Down ? Way >= 0 : Way <= 0)
        return true; // no iteration
      llvm::APSInt Rest = Way % Step;
      if (!Rest.isZero())
        Past = Past - Rest + Step;
    }
    if (C.Down ? Past >= End : Past <= End)
      return true;
    U.Report.report(For->getCond()->getExprLoc(), diag::loop_endless)
        << C.Var << Type << llvm::toString(Bound.Val.getInt(), 10)
        << For->getCond()->getSourceRange();
    L.Broken = T.Broken = true;
    return false;
  }

public:
  LoopCheck(ParsedUnit &U, Task &T, Loop &L, const ForStmt *For,
            CanonicalFor &C)
      : U(U), T(T), L(L), For(For), C(C) {
    C.For = For;
  }

  bool canonical() { return init() && condition() && increment() && ends(); }
};

/// The loops that collapse(n) joins.
class NestCheck {
  ParsedUnit &U;
  Task &T;
  Loop &L;

  bool fail() { return !(L.Broken = T.Broken = true); }

  /// Checks that the bounds of \p C do not use \p V: they are computed once,
  /// before all iterations.
  bool stays(const CanonicalFor &C, const VarDecl *V, bool Own) {
    const Expr *Where = mentions(C.First, V)   ? C.First
                        : mentions(C.Bound, V) ? C.Bound
                                               : nullptr;
    if (!Where)
      return true;
    U.Report.report(Where->getExprLoc(), diag::collapse_depends)
        << V << Own << Where->getSourceRange();
    return fail();
  }

public:
  NestCheck(ParsedUnit &U, Task &T, Loop &L) : U(U), T(T), L(L) {}

  bool run() {
    const Stmt *Body = L.For->getBody();
    for (unsigned I = 1; I < L.Collapse; ++I) {
      const Stmt *Obstacle = nullptr;
      const ForStmt *For = loopDirectlyIn(Body, &Obstacle);
      if (!For) {
        U.Report.report(Obstacle->getBeginLoc(), diag::collapse_between)
            << L.Collapse;
        U.Report.report(L.Loc, diag::note_loop_here);
        return fail();
      }
      CanonicalFor C;
      if (!LoopCheck(U, T, L, For, C).canonical())
        return false;
      if (C.First->HasSideEffects(U.Context)) {
        U.Report.report(For->getForLoc(), diag::loop_init);
        return fail();
      }
      for (size_t J = 0; J <= L.Nest.size(); ++J)
        if (!stays(C, L.level(J).Var, false))
          return false;
      for (const Reduction &R : L.Reductions)
        if (!stays(C, R.Var, true))
          return false;
      for (const VarDecl *V : L.Private)
        if (!stays(C, V, true))
          return false;
      L.Nest.push_back(C);
      Body = For->getBody();
    }
    return true;
  }
};

/// What the body of a parallel loop must not do.
class BodyCheck : public AstVisitor<BodyCheck> {
  ParsedUnit &U;
  Task &T;
  Loop &L;
  std::set<const VarDecl *> Declared, Reported;
  std::set<const LabelDecl *> Labels; ///< inside the body
  std::vector<GotoStmt *> Gotos;
  unsigned Breakable = 0;

  void leaves(SourceLocation Loc, unsigned How) {
    U.Report.report(Loc, diag::loop_leaves) << How;
    U.Report.report(L.Loc, diag::note_loop_here);
    L.Broken = T.Broken = true;
  }
  void written(const Expr *Target) {
    const VarDecl *V = variableOf(Target);
    bool Counts = V && L.counts(V);
    // A file-scope object that a clause names counts as memory, not as a
    // variable.
    if (!V || (V->hasGlobalStorage() && (T.names(V) || isHostAtomic(V))) ||
        Declared.count(V) || (L.owns(V) && !Counts) ||
        !Reported.insert(V).second)
      return;
    std::string Clause = Counts ? "" : clauseForShared(T, L, V);
    if (Counts)
      U.Report.report(Target->getExprLoc(), diag::loop_variable_written) << V;
    else if (!Clause.empty())
      U.Report.report(Target->getExprLoc(), diag::loop_variable_known)
          << V << Clause << addClause(U, L.Loc, Clause);
    else
      U.Report.report(Target->getExprLoc(), diag::loop_variable_shared) << V;
    U.Report.report(L.Loc, diag::note_loop_here);
    L.Broken = T.Broken = true;
  }
  /// Whether host threads may all write \p V.
  bool isHostAtomic(const VarDecl *V) const {
    return !T.onDevice() && V->getType()->isAtomicType() &&
           !mentions(L.Canonical.Bound, V);
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

  bool TraverseForStmt(ForStmt *S) {
    return nested([&] { AstVisitor<BodyCheck>::TraverseForStmt(S); });
  }
  bool TraverseWhileStmt(WhileStmt *S) {
    return nested([&] { AstVisitor<BodyCheck>::TraverseWhileStmt(S); });
  }
  bool TraverseDoStmt(DoStmt *S) {
    return nested([&] { AstVisitor<BodyCheck>::TraverseDoStmt(S); });
  }
  bool TraverseSwitchStmt(SwitchStmt *S) {
    return nested([&] { AstVisitor<BodyCheck>::TraverseSwitchStmt(S); });
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

/// Checks the variables of which each iteration has a copy.
static void checkCopies(ParsedUnit &U, Task &T, Loop &L) {
  // Of what the loop counts each iteration has a copy anyway.
  L.Private.erase(std::remove_if(L.Private.begin(), L.Private.end(),
                                 [&](const VarDecl *V) { return L.counts(V); }),
                  L.Private.end());
  auto check = [&](const VarDecl *V) {
    if (L.counts(V)) {
      U.Report.report(L.Loc, diag::copied_loop_variable) << V;
      L.Broken = T.Broken = true;
    } else if (mentions(L.Canonical.Bound, V)) {
      U.Report.report(L.Canonical.Bound->getExprLoc(), diag::loop_condition)
          << L.Canonical.Var;
      L.Broken = T.Broken = true;
    }
  };
  for (const Reduction &R : L.Reductions)
    check(R.Var);
  for (const VarDecl *V : L.Private)
    check(V);
}

void checkLoops(ParsedUnit &U, Task &T) {
  for (Loop *L : T.Loops) {
    if (L->Broken) {
      T.Broken = true;
      continue;
    }
    L->Nest.clear();
    if (!LoopCheck(U, T, *L, L->For, L->Canonical).canonical() ||
        !NestCheck(U, T, *L).run())
      continue;
    checkCopies(U, T, *L);
    BodyCheck(U, T, *L).run(L->body());
  }
}

} // namespace agglom
