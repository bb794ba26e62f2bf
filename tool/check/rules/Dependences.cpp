// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose iterations certainly depend on each other, although the pragma
// says they do not: the subscript tests of vectorising compilers for
//
//   a[3] = ...;                every iteration writes a[3]           (ZIV)
//   a[i + 1] = f(a[i]);        one reads what another writes (strong SIV)
//   a[i / 2] = ...;            two iterations write one element
//
//   a[i][j] = f(a[i - 1][j]);  SIV, inside a loop over j or for one j
//
// Only accesses that every iteration makes count. An inner loop is taken to
// have an iteration. Only subscripts that are sums of products count. Where a
// dependence is not certain there is no warning.

#include "Rules.h"
#include "Symbolic.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

using namespace clang;

namespace agglom {

namespace {
/// A sum of products of the loop's variable, counters of inner loops, and
/// variables that the loop does not change; the sum is divided by Divisor at
/// the end.
struct Subscript {
  Poly At;
  int64_t Divisor = 1;
};

struct Access {
  const VarDecl *Base = nullptr;
  const FieldDecl *Field = nullptr; ///< of the element, or null: all of it
  std::vector<Subscript> At;        ///< a[i][j]: the last one first
  bool Writes = false;
  const Expr *E = nullptr;
};

class AccessWalk {
  const ParsedUnit &U;
  const Loop &L;
  const VarDecl *Var;
  Symbols Names;
  std::map<const VarDecl *, SymbolId> Known;

  /// Coefficients beyond this could overflow in later sums.
  static constexpr int64_t Most = int64_t(1) << 31;

  /// A variable that the body does not change, or the counter of a loop around.
  std::optional<Subscript> variable(const VarDecl *V) {
    if (!V || !V->getType()->isIntegerType() ||
        V->getType().isVolatileQualified())
      return std::nullopt;
    auto It = Known.find(V);
    if (It == Known.end()) {
      if (Changed.count(V) || Declared.count(V) || V->hasGlobalStorage())
        return std::nullopt;
      It = Known.emplace(V, Names.bound()).first;
    }
    return Subscript{Poly::symbol(It->second), 1};
  }

  std::optional<Subscript> subscript(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    Expr::EvalResult Value;
    if (!E->isValueDependent() && E->EvaluateAsInt(Value, U.Context)) {
      std::optional<int64_t> Small = constantOf(E, U.Context, 31);
      if (!Small)
        return std::nullopt;
      return Subscript{*Small, 1};
    }
    if (isa<DeclRefExpr>(E))
      return variable(variableOf(E));
    if (auto *Cast = dyn_cast<CStyleCastExpr>(E)) {
      QualType To = Cast->getType();
      if (!To->isIntegerType() || U.Context.getIntWidth(To) < 32)
        return std::nullopt;
      return subscript(Cast->getSubExpr());
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
      X = subscript(B->getLHS());
      Y = subscript(B->getRHS());
      break;
    default:
      break;
    }
    if (!X || !Y || X->Divisor != 1 || Y->Divisor != 1)
      return std::nullopt;
    Subscript S;
    switch (B->getOpcode()) {
    case BO_Add:
      S.At = X->At + Y->At;
      break;
    case BO_Sub:
      S.At = X->At - Y->At;
      break;
    case BO_Mul:
      S.At = X->At * Y->At;
      break;
    default: { // a division by a constant
      bool Shift = B->getOpcode() == BO_Shr;
      std::optional<int64_t> By = Y->At.constant();
      if (!By || *By < 1 || (Shift && *By > 20))
        return std::nullopt;
      S = {X->At, Shift ? int64_t(1) << *By : *By};
    }
    }
    if (!S.At.valid() || llvm::any_of(S.At.terms(), [](const Poly::Term &Each) {
          return std::abs(Each.second) > Most;
        }))
      return std::nullopt;
    return S;
  }

  /// Whether the memory behind \p V is the same in all iterations.
  bool shared(const VarDecl *V) const {
    if (V && V->hasGlobalStorage() && V->getType()->isArithmeticType())
      return !L.owns(V) && !Declared.count(V); // the object is the memory
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
    while (auto *Sub = dyn_cast<ArraySubscriptExpr>(Object)) {
      std::optional<Subscript> At = subscript(Sub->getIdx());
      if (!At)
        return;
      A.At.push_back(*At);
      Object = Sub->getBase()->IgnoreParenImpCasts();
      // A pointer in memory may be another one in each iteration.
      if (isa<ArraySubscriptExpr>(Object) && !Object->getType()->isArrayType())
        return;
    }
    if (auto *Un = dyn_cast<UnaryOperator>(Object);
        A.At.empty() && Un && Un->getOpcode() == UO_Deref) {
      A.Base = variableOf(Un->getSubExpr());
      A.At = {Subscript{0, 1}};
    } else if (!A.At.empty()) {
      A.Base = variableOf(Object);
    } else if (const VarDecl *V = variableOf(Object);
               V && V->hasGlobalStorage() && V->getType()->isArithmeticType()) {
      A.Base = V;
      A.At = {Subscript{0, 1}};
    }
    if (A.Base)
      All.push_back(std::move(A));
  }

  bool isAtomic(const Stmt *S) const {
    for (const Atomic &A : U.M.Atomics)
      if (A.Attributed == S)
        return true;
    return false;
  }

  /// Collects the variables that any statement of the body declares or changes.
  /// False when a jump may skip a statement.
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

  /// Walks an inner loop with the same steps in all iterations: the accesses of
  /// one step happen in each iteration. The loop is taken to have a step.
  void inner(const ForStmt *For) {
    auto [Counter, First, Declared] = startOf(For);
    auto *Test = dyn_cast_or_null<BinaryOperator>(For->getCond());
    auto *Step = dyn_cast_or_null<UnaryOperator>(For->getInc());
    if (!Counter || !First || !Test || !Test->isComparisonOp() || !Step ||
        !Step->isIncrementDecrementOp() ||
        variableOf(Step->getSubExpr()) != Counter ||
        variableOf(Test->getLHS()) != Counter || !subscript(First) ||
        !subscript(Test->getRHS()) || mentions(First, Var) ||
        mentions(Test->getRHS(), Var) || leaves(For->getBody()) ||
        changes(For->getBody(), Counter))
      return;
    // A loop inside with the same counter may take other steps.
    if (!Known.emplace(Counter, Names.bound()).second)
      return;
    walk(For->getBody());
    Known.erase(Counter);
  }

  /// Whether a step of a loop may be cut short or end the loop.
  static bool leaves(const Stmt *S) {
    return S && (isa<BreakStmt, ContinueStmt, ReturnStmt>(S) ||
                 llvm::any_of(S->children(), leaves));
  }

  static bool changes(const Stmt *S, const VarDecl *V) {
    std::set<const VarDecl *> Found;
    changedBy(S, Found);
    takenBy(S, Found);
    return Found.count(V);
  }

  /// Collects the accesses that every iteration makes.
  void walk(const Stmt *S) {
    if (!S || isAtomic(S) || isa<UnaryExprOrTypeTraitExpr>(S))
      return;
    if (auto *If = dyn_cast<IfStmt>(S))
      return walk(If->getCond());
    if (auto *For = dyn_cast<ForStmt>(S)) {
      walk(For->getInit());
      walk(For->getCond());
      return inner(For);
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

  const SymbolId Variable; ///< the loop's

  AccessWalk(const ParsedUnit &U, const Loop &L)
      : U(U), L(L), Var(L.Canonical.Var), Variable(Names.bound()) {
    Known.emplace(Var, Variable);
  }

  void run() {
    if (!survey(L.body()))
      return;
    walk(L.body());
    llvm::erase_if(All, [&](const Access &A) { return !shared(A.Base); });
  }
};

/// The number of iterations if it is constant, else a small number that any
/// useful loop reaches.
int64_t iterations(const ParsedUnit &U, const CanonicalFor &C) {
  std::optional<int64_t> First = constantOf(C.First, U.Context, 40);
  std::optional<int64_t> Bound = constantOf(C.Bound, U.Context, 40);
  if (!First || !Bound)
    return 4; // a loop is hardly written for fewer
  return std::abs(*Bound - *First) / std::abs(C.StepValue);
}

/// Splits \p S into \p Stride, which it gains in each iteration, and \p Rest.
/// False where the gain is not the same in all iterations.
bool splitAt(const Subscript &S, SymbolId Variable, int64_t Step, Poly &Stride,
             Poly &Rest) {
  if (!S.At.split(Variable, Stride, Rest) || Stride.mentions(Variable))
    return false;
  Stride = Stride * Poly(Step);
  return Stride.valid() && Rest.valid();
}

/// The distance, in iterations, at which \p X has the value that \p W has in an
/// earlier or later one: 0 for any distance; nullopt where that never happens
/// in different iterations, or is not known.
std::optional<int64_t> distance(const Subscript &W, const Subscript &X,
                                SymbolId Variable, int64_t Step) {
  Poly A, B, RestA, RestB;
  if (!splitAt(W, Variable, Step, A, RestA) ||
      !splitAt(X, Variable, Step, B, RestB) || A != B)
    return std::nullopt;
  Poly Between = RestA - RestB;
  if (A.isZero())
    return Between.isZero() ? std::optional<int64_t>(0) : std::nullopt;
  if (std::optional<int64_t> Stride = A.constant()) {
    std::optional<int64_t> D = Between.constant();
    if (!D || !*D || *D % *Stride)
      return std::nullopt;
    return *D / *Stride;
  }
  for (int64_t Far = 1; Far <= 4; ++Far) // so many rows
    for (int64_t N : {Far, -Far})
      if (Between == A * Poly(N))
        return N;
  return std::nullopt;
}

/// Whether two different iterations certainly access one element.
bool meet(const Access &W, const Access &X, SymbolId Variable, int64_t Step,
          int64_t Trips) {
  if (W.Base != X.Base || (W.Field && X.Field && W.Field != X.Field) ||
      W.At.size() != X.At.size() || Trips < 2)
    return false;
  int64_t Apart = 0;
  for (size_t I = 0; I != W.At.size(); ++I) {
    const Subscript &A = W.At[I], &B = X.At[I];
    if (A.Divisor != 1 || B.Divisor != 1) {
      // Equal quotients: two of three neighbouring iterations share one.
      Poly Stride, Rest;
      if (W.E != X.E || W.At.size() != 1 || Trips < 3 ||
          !splitAt(A, Variable, Step, Stride, Rest))
        return false;
      std::optional<int64_t> Each = Stride.constant();
      return Each && 2 * std::abs(*Each) <= A.Divisor;
    }
    std::optional<int64_t> D = distance(A, B, Variable, Step);
    if (!D || (*D && Apart && *D != Apart))
      return false;
    Apart = *D ? *D : Apart;
  }
  return std::abs(Apart) < Trips;
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
            if (meet(W, X, Walk.Variable, L->Canonical.StepValue, Trips))
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
