// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts about symbols that follow when a condition is true, and when it is
// false.

#include "Walker.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace agglom {

static std::vector<Condition::Way> both(const std::vector<Condition::Way> &A,
                                        const std::vector<Condition::Way> &B) {
  std::vector<Condition::Way> Out;
  for (const Condition::Way &X : A)
    for (const Condition::Way &Y : B) {
      Out.push_back(X);
      Out.back().insert(Out.back().end(), Y.begin(), Y.end());
    }
  if (Out.size() > MostValues)
    return {{}};
  return Out;
}

static std::vector<Condition::Way>
either(std::vector<Condition::Way> A, const std::vector<Condition::Way> &B) {
  A.insert(A.end(), B.begin(), B.end());
  if (A.size() > MostValues)
    return {{}};
  return A;
}

/// \p Unit: the size in bytes of what compared pointers point to.
Condition Walker::compare(BinaryOperatorKind Op, const Values &L,
                          const Values &R, int64_t Unit) {
  Condition C;
  for (const Value &A : L)
    for (const Value &B : R) {
      bool Same = A.Kind == B.Kind && A.Kind != Value::Unknown &&
                  (A.Kind == Value::Integer || A.In == B.In);
      Poly D = B.P - A.P;
      if (!Same || !D.valid()) {
        // Two pointers of different bases, or null: no facts about numbers.
        bool Pointers = A.Kind == Value::Pointer || B.Kind == Value::Pointer;
        C = Condition();
        C.True = C.False = {{}};
        C.Opaque = !Pointers;
        return C;
      }
      if (A.Kind == Value::Pointer && D.divisible(Unit))
        D = D.divided(Unit);
      C.Opaque |= Out.Names.hasDerived(D);
      Condition::Way When = A.When;
      When.insert(When.end(), B.When.begin(), B.When.end());
      auto Add = [&](std::vector<Condition::Way> &Ways,
                     std::initializer_list<Poly> Facts) {
        Ways.push_back(When);
        Ways.back().insert(Ways.back().end(), Facts.begin(), Facts.end());
      };
      switch (Op) {
      case BO_LT:
        Add(C.True, {D - Poly(1)});
        Add(C.False, {-D});
        break;
      case BO_GE:
        Add(C.False, {D - Poly(1)});
        Add(C.True, {-D});
        break;
      case BO_GT:
        Add(C.True, {-D - Poly(1)});
        Add(C.False, {D});
        break;
      case BO_LE:
        Add(C.False, {-D - Poly(1)});
        Add(C.True, {D});
        break;
      case BO_EQ:
      case BO_NE: {
        auto &Equal = Op == BO_EQ ? C.True : C.False;
        auto &Not = Op == BO_EQ ? C.False : C.True;
        Add(Equal, {D, -D});
        Add(Not, {D - Poly(1)});
        Add(Not, {-D - Poly(1)});
        if (Op == BO_NE && L.size() == 1 && R.size() == 1)
          C.NotZero = D;
        break;
      }
      default:
        break;
      }
    }
  if (C.True.size() > MostValues || C.False.size() > MostValues) {
    C = Condition();
    C.True = C.False = {{}};
    C.Opaque = true;
  }
  return C;
}

Condition Walker::condition(const Expr *Whole) {
  const Expr *E = Whole->IgnoreParenImpCasts();
  Condition C;
  if (auto *Un = dyn_cast<UnaryOperator>(E); Un && Un->getOpcode() == UO_LNot) {
    C = condition(Un->getSubExpr());
    std::swap(C.True, C.False);
    C.NotZero.reset();
    return C;
  }
  if (auto *Call = dyn_cast<CallExpr>(E)) {
    // __builtin_expect(x, 1) is x.
    const FunctionDecl *F = Call->getDirectCallee();
    if (F && F->getIdentifier() && F->getName() == "__builtin_expect")
      return condition(Call->getArg(0));
  }
  auto *B = dyn_cast<BinaryOperator>(E);
  if (B && B->isLogicalOp()) {
    bool And = B->getOpcode() == BO_LAnd;
    Condition L = condition(B->getLHS());
    std::vector<Condition::Way> &Goes = And ? L.True : L.False;
    WalkState Before = S;
    if (Goes.size() == 1)
      S.Facts.insert(S.Facts.end(), Goes[0].begin(), Goes[0].end());
    S.Guards += Goes.size() != 1 || !selectsIterations(Goes[0], L);
    size_t Size = S.Facts.size();
    Condition R = condition(B->getRHS());
    // Facts about symbols that the right side created hold where it was
    // evaluated.
    std::vector<Poly> New(S.Facts.begin() + Size, S.Facts.end());
    std::vector<WalkState> Ways = {Before, S};
    join(Ways, Before);
    C.True = And ? both(both(L.True, R.True), {New}) : either(L.True, R.True);
    C.False =
        And ? either(L.False, R.False) : both(both(L.False, R.False), {New});
    C.Opaque = L.Opaque || R.Opaque;
    return C;
  }
  if (B && B->isComparisonOp()) {
    Values L = eval(B->getLHS());
    Values R = eval(B->getRHS());
    if (B->getLHS()->getType()->isRealFloatingType()) {
      C.True = C.False = {{}};
      C.Opaque = true;
      return C;
    }
    QualType T = B->getLHS()->getType();
    std::optional<int64_t> Unit = T->isPointerType()
                                      ? sizeOf(T->getPointeeType()).constant()
                                      : std::nullopt;
    return compare(B->getOpcode(), L, R, Unit && *Unit > 0 ? *Unit : 1);
  }
  if (B && B->getOpcode() == BO_Comma) {
    eval(B->getLHS());
    return condition(B->getRHS());
  }
  Values V = eval(Whole); // includes the load of an lvalue
  if (E->getType()->isIntegerType())
    return compare(BO_NE, {Value::integer(0)}, V);
  C.True = C.False = {{}};
  C.Opaque = !E->getType()->isPointerType();
  return C;
}

/// The symbols of the integer variables in \p St, without variables in
/// subscripts: a condition on x[i] is about x.
void Walker::mentioned(const Stmt *St, std::set<SymbolId> &Out) {
  if (!St)
    return;
  if (auto *Sub = dyn_cast<ArraySubscriptExpr>(St))
    return mentioned(Sub->getBase(), Out);
  if (auto *Ref = dyn_cast<DeclRefExpr>(St)) {
    auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    auto It = V ? S.Vars.find(V) : S.Vars.end();
    if (It == S.Vars.end())
      return;
    for (const Value &Each : It->second)
      if (Each.Kind == Value::Integer)
        for (const auto &[M, C] : Each.P.terms())
          Out.insert(M.begin(), M.end());
  }
  for (const Stmt *Child : St->children())
    mentioned(Child, Out);
}

/// Whether the loop's variable alone decides if an iteration takes \p Way.
bool Walker::selectsIterations(const Condition::Way &Way,
                               const Condition &C) const {
  return Iteration && !C.Opaque && !Way.empty() &&
         llvm::all_of(Way,
                      [&](const Poly &P) { return P.mentions(*Iteration); });
}

bool Walker::selectsIterations(const Value &V) const {
  return Iteration && !V.Perhaps && !V.When.empty() &&
         llvm::all_of(V.When, [&](const Poly &P) {
           return P.mentions(*Iteration) || Out.Names.isDefinition(P);
         });
}

bool Walker::anyNonNegative(const std::vector<Poly> &Given, ArrayRef<Poly> Of) {
  Facts *F = Known && KnownOf == Given ? &*Known : nullptr;
  if (!F) {
    F = &Known.emplace(Out.Names, Given);
    KnownOf = Given;
    spend(F->work() / 2);
  }
  F->again();
  size_t Before = F->work();
  bool Found =
      llvm::any_of(Of, [&](const Poly &P) { return F->nonNegative(P); });
  spend((F->work() - Before) / 2);
  return Found;
}

/// Whether the known facts allow \p Way.
bool Walker::possible(const Condition::Way &Way) {
  if (Way.empty())
    return true;
  spend(S.Vars.size() + S.Facts.size());
  SmallVector<Poly, 4> Opposites;
  for (const Poly &P : Way)
    Opposites.push_back(-P - Poly(1));
  return !anyNonNegative(S.Facts, Opposites);
}

void Walker::assume(const Condition::Way &Way, const Condition &C,
                    const Expr *E) {
  S.Facts.insert(S.Facts.end(), Way.begin(), Way.end());
  S.Guards += !selectsIterations(Way, C);
  if (C.Opaque) {
    OpaqueGuard G{E, {}};
    mentioned(E, G.About);
    if (!G.About.empty())
      S.Opaque.push_back(std::move(G));
  }
}

} // namespace agglom
