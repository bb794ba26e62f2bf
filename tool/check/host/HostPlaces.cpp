// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostPlaces.h"
#include "Rules.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace agglom {

Linear Linear::plus(const Linear &O, int64_t Factor) const {
  Linear Out = *this;
  Out.Constant += O.Constant * Factor;
  for (const auto &[V, N] : O.Of)
    if (!(Out.Of[V] += N * Factor))
      Out.Of.erase(V);
  for (const auto &[Both, N] : O.Products)
    if (!(Out.Products[Both] += N * Factor))
      Out.Products.erase(Both);
  return Out;
}

MaybeLinear Linear::times(const Linear &O) const {
  if (constant())
    return Linear().plus(O, Constant);
  if (O.constant())
    return Linear().plus(*this, O.Constant);
  if (!Products.empty() || !O.Products.empty())
    return std::nullopt;
  Linear Out;
  Out.Constant = Constant * O.Constant;
  for (const auto &[V, N] : Of)
    Out.Of[V] += N * O.Constant;
  for (const auto &[V, N] : O.Of)
    Out.Of[V] += N * Constant;
  for (const auto &[V, N] : Of)
    for (const auto &[W, M] : O.Of)
      Out.Products[std::minmax(V, W)] += N * M;
  for (auto It = Out.Of.begin(); It != Out.Of.end();)
    It = It->second ? std::next(It) : Out.Of.erase(It);
  for (auto It = Out.Products.begin(); It != Out.Products.end();)
    It = It->second ? std::next(It) : Out.Products.erase(It);
  return Out;
}

bool Linear::has(Variable V) const {
  return !all([V](Variable Each) { return Each != V; });
}

Linear Linear::factorOf(Variable V) const {
  Linear Out;
  if (auto It = Of.find(V); It != Of.end())
    Out.Constant = It->second;
  for (const auto &[Both, N] : Products)
    if (Both.first == V || Both.second == V)
      Out.Of[Both.first == V ? Both.second : Both.first] = N;
  return Out;
}

MaybeLinear Linear::with(Variable V, const Linear &Value) const {
  Linear Factor = factorOf(V), Rest = *this, Own;
  if (Factor.has(V))
    return std::nullopt;
  Own.Of[V] = 1;
  if (MaybeLinear Term = Own.times(Factor))
    Rest = Rest.plus(*Term, -1);
  MaybeLinear New = Value.times(Factor);
  return New ? MaybeLinear(Rest.plus(*New)) : New;
}

MaybeLinear times(const MaybeLinear &L, int64_t Factor) {
  if (!L)
    return L;
  return Linear().plus(*L, Factor);
}

MaybeLinear times(const MaybeLinear &L, const MaybeLinear &R) {
  return L && R ? L->times(*R) : std::nullopt;
}

static const Expr *plain(const Expr *E) { return E->IgnoreParenImpCasts(); }

void HostPlaces::changes(const Stmt *S, bool InHead) {
  if (!S)
    return;
  const Expr *Target = nullptr;
  if (auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
    Target = B->getLHS();
  if (auto *Un = dyn_cast<UnaryOperator>(S)) {
    if (Un->isIncrementDecrementOp())
      Target = Un->getSubExpr();
    if (Un->getOpcode() == UO_AddrOf)
      if (const VarDecl *V = variableOf(Un->getSubExpr())) {
        Taken.insert(V);
        Changed.insert(V);
      }
  }
  if (auto *Asm = dyn_cast<AsmStmt>(S))
    for (const Expr *Each : Asm->outputs())
      if (const VarDecl *V = variableOf(Each))
        Changed.insert(V);
  if (Target)
    if (const VarDecl *V = variableOf(Target))
      (InHead ? Counted : Changed).insert(V);
  if (auto *For = dyn_cast<ForStmt>(S)) {
    changes(For->getInit(), true);
    changes(For->getInc(), true);
    changes(For->getCond(), false);
    changes(For->getBody(), false);
    return;
  }
  for (const Stmt *Child : S->children())
    changes(Child, InHead);
}

const OpenLoop *HostPlaces::loopOf(const VarDecl *V) const {
  for (const OpenLoop &L : Loops)
    if (L.Var == V)
      return &L;
  return nullptr;
}

MaybeLinear HostPlaces::reduced(Linear L, const Linear &N) {
  if (std::optional<int64_t> C = N.constant()) {
    if (*C <= 0)
      return std::nullopt;
    L.Constant %= *C;
    L.Constant -= 2 * L.Constant > *C ? *C : 0;
    return L;
  }
  for (const auto &[V, Factor] : N.Of) // (k + n - 1) % n
    if (auto It = L.Of.find(V); It != L.Of.end() && It->second == Factor)
      return L.plus(N, -1);
  return L;
}

MaybeLinear HostPlaces::linear(const Expr *E) {
  if (!E)
    return std::nullopt;
  E = plain(E);
  if (auto *Cast = dyn_cast<CStyleCastExpr>(E))
    return Cast->getType()->isIntegerType() ? linear(Cast->getSubExpr())
                                            : std::nullopt;
  if (!E->getType()->isIntegerType())
    return std::nullopt;
  if (auto *Ref = dyn_cast<DeclRefExpr>(E))
    if (auto *V = dyn_cast<VarDecl>(Ref->getDecl())) {
      auto *P = dyn_cast<ParmVarDecl>(V);
      if (P && Arguments) {
        unsigned Index = P->getFunctionScopeIndex();
        const CallExpr *Call = std::exchange(Arguments, nullptr);
        MaybeLinear Out = Index < Call->getNumArgs()
                              ? linear(Call->getArg(Index))
                              : std::nullopt;
        Arguments = Call;
        return Out;
      }
      if (auto It = Known.find(V); It != Known.end())
        return It->second;
      bool Steady = !Changed.count(V) && (!Counted.count(V) || loopOf(V)) &&
                    (V->hasLocalStorage() || V->getType().isConstQualified()) &&
                    !V->getType().isVolatileQualified();
      if (!Steady)
        return std::nullopt;
      Linear Out;
      Out.Of[V] = 1;
      return Out;
    }
  Expr::EvalResult Value;
  if (E->EvaluateAsInt(Value, Context)) {
    if (Value.Val.getInt().getSignificantBits() > 48)
      return std::nullopt;
    Linear Out;
    Out.Constant = Value.Val.getInt().getExtValue();
    return Out;
  }
  if (auto *Un = dyn_cast<UnaryOperator>(E))
    return Un->getOpcode() == UO_Minus ? times(linear(Un->getSubExpr()), -1)
                                       : std::nullopt;
  auto *B = dyn_cast<BinaryOperator>(E);
  bool IsRest = B && B->getOpcode() == BO_Rem && Cyclic;
  if (!B || (!B->isAdditiveOp() && B->getOpcode() != BO_Mul && !IsRest))
    return std::nullopt;
  MaybeLinear L = linear(B->getLHS()), R = linear(B->getRHS());
  if (!L || !R)
    return std::nullopt;
  if (IsRest)
    return reduced(*L, *R);
  if (B->isAdditiveOp())
    return L->plus(*R, B->getOpcode() == BO_Sub ? -1 : 1);
  for (const Linear &Each : {*L, *R})
    if (Each.constant() && std::abs(Each.Constant) > 1 << 24)
      return std::nullopt;
  return L->times(*R);
}

int64_t HostPlaces::sizeOf(QualType T) const {
  if (T.isNull() || T->isIncompleteType() || T->isFunctionType() ||
      T->isVariablyModifiedType() || T->isVoidType())
    return 0;
  return Context.getTypeSizeInChars(T).getQuantity();
}

Spot Spot::moved(const MaybeLinear &By) const {
  Spot S = *this;
  S.Offset = Offset && By ? MaybeLinear(Offset->plus(*By)) : std::nullopt;
  return S;
}

Spot HostPlaces::behind(Spot S) const {
  if (S.Offset && !S.Offset->constant()) {
    S.Offset = atFirst(S.Offset, 0);
    S.OfFirst = true;
  }
  return S.pointee();
}

Spot Spot::pointee() const {
  Spot S = *this;
  if (!Offset || !Offset->constant())
    return Spot();
  S.Path.push_back(Offset->Constant);
  S.Offset = Linear();
  return S;
}

MaybeLinear HostPlaces::bytes(const Expr *Index, QualType Element) {
  MaybeLinear L = linear(Index);
  if (L && L->constant() == 0)
    return L;
  Linear Size;
  Size.Constant = 1;
  MaybeLinear Rows = Size; // of a size that is no constant
  while (const VariableArrayType *Row =
             Context.getAsVariableArrayType(Element)) {
    Rows = times(Rows, Row->getSizeExpr() ? linear(Row->getSizeExpr())
                                          : std::nullopt);
    Element = Row->getElementType();
  }
  Size.Constant = sizeOf(Element);
  return Size.Constant ? times(times(L, Rows), Size) : std::nullopt;
}

/// The declaration that stands for all declarations of the variable.
static const VarDecl *oneOf(const VarDecl *V) {
  return V->hasGlobalStorage() ? V->getCanonicalDecl() : V;
}

Spot HostPlaces::pointed(const Expr *E) {
  E = E->IgnoreParens();
  if (auto *Cast = dyn_cast<CastExpr>(E)) {
    if (Cast->getCastKind() == CK_ArrayToPointerDecay)
      return placeOf(Cast->getSubExpr());
    if (Cast->getCastKind() == CK_BitCast || Cast->getCastKind() == CK_NoOp)
      return pointed(Cast->getSubExpr());
    if (Cast->getCastKind() != CK_LValueToRValue)
      return {};
    const VarDecl *V = variableOf(Cast->getSubExpr());
    const Expr *From = Cast->getSubExpr()->IgnoreParens();
    if (!V && isa<MemberExpr, ArraySubscriptExpr, UnaryOperator>(From) &&
        E->getType()->isPointerType() && !From->getType().isVolatileQualified())
      return behind(placeOf(From));
    if (!V || Taken.count(V) || !V->getType()->isPointerType() ||
        V->getType().isVolatileQualified())
      return {};
    return {oneOf(V), true, Linear(), 0};
  }
  if (auto *Un = dyn_cast<UnaryOperator>(E))
    return Un->getOpcode() == UO_AddrOf ? placeOf(Un->getSubExpr()) : Spot();
  auto *B = dyn_cast<BinaryOperator>(E);
  if (!B || !B->isAdditiveOp())
    return {};
  const Expr *P = B->getLHS(), *I = B->getRHS();
  if (!P->getType()->isPointerType())
    std::swap(P, I);
  if (!P->getType()->isPointerType() || !I->getType()->isIntegerType())
    return {};
  MaybeLinear By = bytes(I, P->getType()->getPointeeType());
  return pointed(P).moved(B->getOpcode() == BO_Sub ? times(By, -1) : By);
}

Spot HostPlaces::memberOf(const Spot &S, const MemberExpr *M) const {
  auto *Field = dyn_cast<FieldDecl>(M->getMemberDecl());
  Linear By;
  if (!Field || Field->isBitField())
    return S.moved(std::nullopt);
  By.Constant = Context.getFieldOffset(Field) / 8;
  return S.moved(By);
}

Spot HostPlaces::placeOf(const Expr *E) {
  E = E->IgnoreParens();
  Spot S;
  if (auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    if (auto *V = dyn_cast<VarDecl>(Ref->getDecl());
        V && !V->getType().isVolatileQualified())
      S = {oneOf(V), false, Linear(), 0};
  } else if (auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
    S = pointed(A->getBase()).moved(bytes(A->getIdx(), A->getType()));
  } else if (auto *Un = dyn_cast<UnaryOperator>(E)) {
    if (Un->getOpcode() == UO_Deref)
      S = pointed(Un->getSubExpr());
  } else if (auto *M = dyn_cast<MemberExpr>(E)) {
    S = memberOf(M->isArrow() ? pointed(M->getBase()) : placeOf(M->getBase()),
                 M);
  }
  S.Size = sizeOf(E->getType());
  return S;
}

MaybeLinear HostPlaces::atFirst(MaybeLinear L, size_t From) const {
  for (size_t I = Loops.size(); L && I-- > From;) {
    const OpenLoop &Loop = Loops[I];
    if (!Loop.Var || !L->has(Loop.Var))
      continue;
    if (!Loop.First || Loop.Jumped || Conditions > Loop.Conditions)
      return std::nullopt;
    L = L->with(Loop.Var, *Loop.First);
  }
  return L;
}

int64_t HostPlaces::stepOf(const Expr *Inc, const VarDecl *Var) {
  if (auto *Un = dyn_cast_or_null<UnaryOperator>(Inc);
      Un && Un->isIncrementDecrementOp() && variableOf(Un->getSubExpr()) == Var)
    return Un->isIncrementOp() ? 1 : -1;
  auto *B = dyn_cast_or_null<BinaryOperator>(Inc);
  if (!B || variableOf(B->getLHS()) != Var ||
      (B->getOpcode() != BO_AddAssign && B->getOpcode() != BO_SubAssign))
    return 0;
  MaybeLinear By = linear(B->getRHS());
  if (!By || !By->constant())
    return 0;
  return B->getOpcode() == BO_AddAssign ? By->Constant : -By->Constant;
}

OpenLoop HostPlaces::headOf(const ForStmt *For) {
  OpenLoop L;
  auto [Var, First, Declared] = startOf(For);
  L.Var = Var;
  if (!L.Var || !First || Changed.count(L.Var) ||
      !L.Var->getType()->isIntegerType())
    return OpenLoop();
  L.First = linear(First);
  L.Step = stepOf(For->getInc(), L.Var);
  auto *Test = dyn_cast_or_null<BinaryOperator>(For->getCond());
  if (L.Step == 1 && Test &&
      (Test->getOpcode() == BO_LT || Test->getOpcode() == BO_NE) &&
      variableOf(Test->getLHS()) == L.Var)
    L.Bound = linear(Test->getRHS());
  return L;
}

} // namespace agglom
