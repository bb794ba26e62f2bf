// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose iterations certainly depend on each other, although the pragma
// says they do not: the subscript tests of vectorising compilers for
//
//   a[3] = ...;                every iteration writes it             (ZIV)
//   a[i + 1] = f(a[i]);        one iteration reads another's         (strong
//   SIV) a[i / 2] = ...;            two iterations write the same
//
// Only what every iteration does counts, and only subscripts that are k * i + c
// with constants; nothing is said where that is not certain.

#include "Check.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

using namespace clang;

namespace agglom {

namespace {
/// Factor * i + Offset, then divided by Divisor.
struct Subscript {
  int64_t Factor = 0, Offset = 0, Divisor = 1;
};

struct Access {
  const VarDecl *Base = nullptr;
  const FieldDecl *Field = nullptr; ///< of the element, or null: all of it
  Subscript At;
  bool Writes = false;
  const Expr *E = nullptr;
};

class AccessWalk {
  const ParsedUnit &U;
  const Loop &L;
  const VarDecl *Var;

  /// Beyond these, sums below could overflow.
  static constexpr int64_t Most = int64_t(1) << 31;

  std::optional<Subscript> affine(const Expr *E) const {
    E = E->IgnoreParenImpCasts();
    Expr::EvalResult Value;
    if (!E->isValueDependent() && E->EvaluateAsInt(Value, U.Context)) {
      std::optional<int64_t> Small = constantOf(E, U.Context, 31);
      if (!Small)
        return std::nullopt;
      return Subscript{0, *Small, 1};
    }
    if (variableOf(E) == Var)
      return Subscript{1, 0, 1};
    if (auto *Cast = dyn_cast<CStyleCastExpr>(E)) {
      QualType To = Cast->getType();
      if (!To->isIntegerType() || U.Context.getIntWidth(To) < 32)
        return std::nullopt;
      return affine(Cast->getSubExpr());
    }
    auto *B = dyn_cast<BinaryOperator>(E);
    if (!B)
      return std::nullopt;
    std::optional<Subscript> X, Y;
    switch (B->getOpcode()) {
    case BO_Add:
    case BO_Sub:
    case BO_Mul:
    case BO_Div:
    case BO_Shr:
      X = affine(B->getLHS());
      Y = affine(B->getRHS());
      break;
    default:
      break;
    }
    if (!X || !Y || X->Divisor != 1 || Y->Divisor != 1)
      return std::nullopt;
    Subscript S;
    switch (B->getOpcode()) {
    case BO_Add:
      S = {X->Factor + Y->Factor, X->Offset + Y->Offset, 1};
      break;
    case BO_Sub:
      S = {X->Factor - Y->Factor, X->Offset - Y->Offset, 1};
      break;
    case BO_Mul:
      if (X->Factor && Y->Factor)
        return std::nullopt;
      if (Y->Factor)
        std::swap(X, Y);
      S = {X->Factor * Y->Offset, X->Offset * Y->Offset, 1};
      break;
    default: { // a division by a constant
      bool Shift = B->getOpcode() == BO_Shr;
      if (Y->Factor || Y->Offset < 1 || (Shift && Y->Offset > 20))
        return std::nullopt;
      S = {X->Factor, X->Offset, Shift ? int64_t(1) << Y->Offset : Y->Offset};
    }
    }
    if (std::abs(S.Factor) > Most || std::abs(S.Offset) > Most)
      return std::nullopt;
    return S;
  }

  /// Whether the memory behind \p V is the same in all iterations.
  bool shared(const VarDecl *V) const {
    return V && !Changed.count(V) && !L.owns(V) && !Declared.count(V) &&
           (V->getType()->isPointerType() || V->getType()->isArrayType());
  }

  void access(const Expr *E, bool Writes) {
    const Expr *Object = E->IgnoreParens();
    Access A;
    A.E = E;
    A.Writes = Writes;
    if (auto *M = dyn_cast<MemberExpr>(Object); M && !M->isArrow()) {
      A.Field = dyn_cast<FieldDecl>(M->getMemberDecl());
      if (!A.Field || A.Field->isBitField() || A.Field->getParent()->isUnion())
        return;
      Object = M->getBase()->IgnoreParens();
    }
    if (auto *Sub = dyn_cast<ArraySubscriptExpr>(Object)) {
      A.Base = variableOf(Sub->getBase());
      std::optional<Subscript> At = affine(Sub->getIdx());
      if (!At)
        return;
      A.At = *At;
    } else if (auto *Un = dyn_cast<UnaryOperator>(Object);
               Un && Un->getOpcode() == UO_Deref) {
      A.Base = variableOf(Un->getSubExpr());
    }
    if (A.Base)
      All.push_back(A);
  }

  bool isAtomic(const Stmt *S) const {
    for (const Atomic &A : U.M.Atomics)
      if (A.Attributed == S)
        return true;
    return false;
  }

  /// Variables that some statement of the body declares or changes, whether
  /// each iteration comes to it or not; false when one may be skipped.
  bool survey(const Stmt *S) {
    if (!S)
      return true;
    if (isa<ContinueStmt, GotoStmt, IndirectGotoStmt, LabelStmt>(S))
      return false;
    if (auto *D = dyn_cast<DeclStmt>(S))
      for (const Decl *Each : D->decls())
        if (auto *V = dyn_cast<VarDecl>(Each))
          Declared.insert(V);
    if (auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
      Changed.insert(variableOf(B->getLHS()));
    if (auto *Un = dyn_cast<UnaryOperator>(S);
        Un && (Un->isIncrementDecrementOp() || Un->getOpcode() == UO_AddrOf))
      Changed.insert(variableOf(Un->getSubExpr()));
    for (const Stmt *Child : S->children())
      if (!survey(Child))
        return false;
    return true;
  }

  /// What every iteration executes.
  void walk(const Stmt *S) {
    if (!S || isAtomic(S) || isa<UnaryExprOrTypeTraitExpr>(S))
      return;
    if (auto *If = dyn_cast<IfStmt>(S))
      return walk(If->getCond());
    if (auto *For = dyn_cast<ForStmt>(S)) {
      walk(For->getInit());
      return walk(For->getCond());
    }
    if (auto *While = dyn_cast<WhileStmt>(S))
      return walk(While->getCond());
    if (auto *Switch = dyn_cast<SwitchStmt>(S))
      return walk(Switch->getCond());
    if (auto *C = dyn_cast<AbstractConditionalOperator>(S))
      return walk(C->getCond());
    if (isa<StmtExpr, DoStmt>(S))
      return;
    if (auto *B = dyn_cast<BinaryOperator>(S)) {
      if (B->isLogicalOp())
        return walk(B->getLHS());
      if (B->isAssignmentOp())
        access(B->getLHS(), true);
    } else if (auto *Un = dyn_cast<UnaryOperator>(S)) {
      if (Un->isIncrementDecrementOp())
        access(Un->getSubExpr(), true);
    } else if (auto *Cast = dyn_cast<ImplicitCastExpr>(S)) {
      if (Cast->getCastKind() == CK_LValueToRValue)
        access(Cast->getSubExpr(), false);
    }
    for (const Stmt *Child : S->children())
      walk(Child);
  }

public:
  std::vector<Access> All;
  std::set<const VarDecl *> Declared, Changed;

  AccessWalk(const ParsedUnit &U, const Loop &L)
      : U(U), L(L), Var(L.Canonical.Var) {}

  void run() {
    if (!survey(L.body()))
      return;
    walk(L.body());
    llvm::erase_if(All, [&](const Access &A) { return !shared(A.Base); });
  }
};

/// How many iterations there are at least, for all that is known.
int64_t iterations(const ParsedUnit &U, const CanonicalFor &C) {
  std::optional<int64_t> First = constantOf(C.First, U.Context, 40);
  std::optional<int64_t> Bound = constantOf(C.Bound, U.Context, 40);
  if (!First || !Bound)
    return 4; // who writes a loop for fewer?
  return std::abs(*Bound - *First) / std::abs(C.StepValue);
}

/// Whether two different iterations certainly meet in one element.
bool meet(const Access &W, const Access &X, int64_t Step, int64_t Trips) {
  if (W.Base != X.Base || (W.Field && X.Field && W.Field != X.Field) ||
      Trips < 2)
    return false;
  const Subscript &A = W.At, &B = X.At;
  if (A.Divisor != 1 || B.Divisor != 1) {
    // The same quotient: of so many neighbours two have one.
    int64_t Span = std::abs(A.Factor * Step);
    return W.E == X.E && 2 * Span <= A.Divisor && Trips >= 3;
  }
  if (A.Factor != B.Factor)
    return false;
  int64_t Stride = A.Factor * Step, Distance = A.Offset - B.Offset;
  if (!Stride)
    return Distance == 0;
  if (!Distance || Distance % Stride)
    return false;
  return std::abs(Distance / Stride) < Trips;
}
} // namespace

/// Whether \p V leads to memory under `accumulate`, whose updates may come in
/// any order.
static bool isAccumulated(const Task &T, const VarDecl *V) {
  for (const Section &S : T.Sections)
    if (S.Clause == ClauseId::Accumulate) {
      const auto *P = dyn_cast<ParmVarDecl>(V);
      if (P ? S.Param &&
                  S.Param->getFunctionScopeIndex() == P->getFunctionScopeIndex()
            : S.Pointer.Global == V->getCanonicalDecl())
        return true;
    }
  return false;
}

void warnDependences(ParsedUnit &U, const Task &T) {
  for (const Loop *L : T.Loops) {
    if (L->Broken || !L->Nest.empty())
      continue;
    AccessWalk Walk(U, *L);
    Walk.run();
    int64_t Trips = iterations(U, L->Canonical);
    auto pair = [&]() -> std::pair<const Access *, const Access *> {
      for (const Access &W : Walk.All)
        if (W.Writes && !isAccumulated(T, W.Base))
          for (const Access &X : Walk.All)
            if (meet(W, X, L->Canonical.StepValue, Trips))
              return {&W, &X};
      return {};
    }();
    if (!pair.first)
      continue;
    U.Report.report(L->Loc, diag::loop_dependence) << pair.first->Base;
    U.Report.report(pair.first->E->getExprLoc(), diag::note_access)
        << true << pair.first->E->getSourceRange();
    if (pair.first != pair.second)
      U.Report.report(pair.second->E->getExprLoc(), diag::note_access)
          << pair.second->Writes << pair.second->E->getSourceRange();
  }
}

} // namespace agglom
