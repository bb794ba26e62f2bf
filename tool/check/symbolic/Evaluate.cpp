// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Walker.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace agglom {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Values Walker::limited(Values V, const Expr *E) {
  if (V.empty() || V.size() > MostValues)
    return {Value::unknown(E)};
  for (Value &Each : V)
    if (Each.Kind == Value::Integer && !Each.P.valid())
      Each = Value::unknown(E);
  return V;
}

void Walker::define(SymbolId New, const Poly &Fact) {
  Out.Names.define(New, Fact);
  S.Facts.push_back(Fact);
}

/// An unknown value of type \p T; for an integer of at most 16 bits its range
/// is known.
Values Walker::ofType(QualType T, const Expr *E) {
  if (!T->isIntegerType())
    return {Value::unknown(E)};
  uint64_t Bits = T->isBooleanType() ? 1 : Context.getIntWidth(T);
  if (Bits > 16)
    return {Value::unknown(E)};
  bool Unsigned = T->isBooleanType() || T->isUnsignedIntegerOrEnumerationType();
  SymbolId New = Out.Names.bound(Unsigned);
  Poly P = Poly::symbol(New);
  int64_t Most = (int64_t(1) << (Unsigned ? Bits : Bits - 1)) - 1;
  define(New, Poly(Most) - P);
  define(New, P + Poly(Unsigned ? 0 : Most + 1));
  return {Value::integer(P)};
}

/// \p V reduced to a type \p T of 32 bits, where i + 4294967295u is i - 1. An
/// added constant is taken as negative if its magnitude is small.
Values Walker::wrapped(Values V, QualType T, const Expr *E) {
  if (!T->isIntegerType() || T->isBooleanType() || Context.getIntWidth(T) != 32)
    return V;
  const int64_t Turn = int64_t(1) << 32, Half = Turn / 2,
                Little = int64_t(1) << 20;
  for (Value &Each : V) {
    if (Each.Kind != Value::Integer || !Each.P.valid())
      continue;
    bool Alone = Each.P.constant().has_value();
    int64_t Least =
        Alone && T->isUnsignedIntegerOrEnumerationType() ? 0 : -Half;
    Poly Sum;
    bool Known = true;
    for (const auto &[M, C] : Each.P.terms()) {
      int64_t Reduced = C;
      if (C < Least || C >= Least + Turn) {
        Reduced = (C % Turn + Turn) % Turn;
        Reduced -= Reduced >= Least + Turn ? Turn : 0;
        Known &= Alone || !M.empty() || Reduced >= -Little;
      }
      Poly Term = Reduced;
      for (SymbolId S : M)
        Term = Term * Poly::symbol(S);
      Sum = Sum + Term;
    }
    if (!Known)
      Each = Value::unknown(E);
    else
      Each.P = Sum;
  }
  return V;
}

Values Walker::convert(const Values &V, QualType From, QualType To,
                       const Expr *E) {
  if (!To->isIntegerType() || !From->isIntegerType())
    return {Value::unknown(E)};
  if (To->isBooleanType())
    return From->isBooleanType() ? V : ofType(To, E);
  uint64_t Bits = Context.getIntWidth(To);
  if (Bits >= 32 ||
      (From->isBooleanType() ? 1 : Context.getIntWidth(From)) <= Bits)
    return wrapped(V, To, E);
  for (const Value &Each : V) {
    std::optional<int64_t> C =
        Each.Kind == Value::Integer ? Each.P.constant() : std::nullopt;
    if (!C || *C < 0 || *C >= (int64_t(1) << (Bits - 1)))
      return ofType(To, E);
  }
  return V;
}

Poly Walker::sizeOf(QualType T) {
  T = T.getCanonicalType();
  if (auto *VLA = Context.getAsVariableArrayType(T)) {
    Poly Element = sizeOf(VLA->getElementType());
    if (!VLA->getSizeExpr())
      return Poly::invalid();
    // Most bounds of parameters still have their values at entry.
    bool Saved = Recording;
    Recording = false;
    Values N = eval(VLA->getSizeExpr());
    Recording = Saved;
    if (N.size() != 1 || N[0].Kind != Value::Integer)
      return Poly::invalid();
    return Element * N[0].P;
  }
  if (T->isVoidType() || T->isFunctionType())
    return 1; // as GNU C does
  if (T->isIncompleteType())
    return Poly::invalid();
  return Context.getTypeSizeInChars(T).getQuantity();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

Value Walker::divide(const Value &L, const Value &R, bool Remainder,
                     const Expr *E) {
  if (!anyNonNegative(S.Facts, L.P))
    return Value::unknown(E);
  SymbolId New = Out.Names.bound(/*NonNegative=*/true, /*Derived=*/true);
  Poly P = Poly::symbol(New);
  std::optional<int64_t> C = R.P.constant();
  if (Remainder) {
    if (C ? *C <= 0 : false)
      return Value::unknown(E);
    // A divisor of unknown sign is taken as positive.
    define(New, R.P - Poly(1) - P);
    define(New, L.P - P);
    return Value::integer(P);
  }
  if (!C || *C <= 0)
    return Value::unknown(E);
  if (!Out.Names.hasBound(L.P)) {
    if (L.P.divisible(*C))
      return Value::integer(L.P.divided(*C));
    std::string Text = Out.Names.text(L.P, false);
    if (L.P.terms().size() > 1)
      Text = "(" + Text + ")";
    return Value::integer(Poly::symbol(Out.Names.named(
        Text + " / " + std::to_string(*C), true, true, /*Compound=*/true)));
  }
  define(New, L.P - P * Poly(*C));
  define(New, P * Poly(*C) - L.P + Poly(*C - 1));
  return Value::integer(P);
}

Values Walker::arithmetic(BinaryOperatorKind Op, const Values &L,
                          const Values &Right, const Expr *E, QualType LType,
                          QualType RType) {
  Values Result;
  const Values R = LType->isPointerType() ? wrapped(Right, RType, E) : Right;
  auto Step = [&](QualType Pointer) {
    return Pointer->isPointerType() ? sizeOf(Pointer->getPointeeType())
                                    : Poly::invalid();
  };
  for (const Value &A : L)
    for (const Value &B : R) {
      Value V;
      if (A.Kind == Value::Unknown || B.Kind == Value::Unknown) {
        const Expr *Why = A.Kind == Value::Unknown ? A.Why : B.Why;
        V = Value::unknown(Why ? Why : E);
        // A pointer to an unknown place in the known base.
        const Value &Known = A.Kind == Value::Unknown ? B : A;
        if (Known.Kind == Value::Pointer && E->IgnoreParens() &&
            (Op == BO_Add || Op == BO_Sub)) {
          V = Value::pointer(Known.In, Poly::invalid());
          V.Why = Why ? Why : E;
          V.When = Known.When;
          Result.push_back(std::move(V));
          continue;
        }
      } else if (A.Kind == Value::Pointer && B.Kind == Value::Pointer) {
        Poly Size = Step(LType);
        std::optional<int64_t> C = Size.constant();
        Poly Bytes = A.P - B.P;
        if (Op == BO_Sub && A.In == B.In && C && *C > 0 && Bytes.divisible(*C))
          V = Value::integer(Bytes.divided(*C));
        else
          V = Value::unknown(E);
      } else if (A.Kind == Value::Pointer || B.Kind == Value::Pointer) {
        bool Left = A.Kind == Value::Pointer;
        const Value &Ptr = Left ? A : B;
        Poly Offset = (Left ? B : A).P * Step(Left ? LType : RType);
        V = Value::pointer(Ptr.In, Op == BO_Add   ? Ptr.P + Offset
                                   : Op == BO_Sub ? Ptr.P - Offset
                                                  : Poly::invalid());
        V.Why = Ptr.Why ? Ptr.Why : E;
      } else {
        std::optional<int64_t> C = B.P.constant();
        switch (Op) {
        case BO_Add:
          V = Value::integer(A.P + B.P);
          break;
        case BO_Sub:
          V = Value::integer(A.P - B.P);
          break;
        case BO_Mul:
          V = Value::integer(A.P * B.P);
          break;
        case BO_Div:
        case BO_Rem:
          V = divide(A, B, Op == BO_Rem, E);
          break;
        case BO_Shl:
          V = C && *C >= 0 && *C < 31
                  ? Value::integer(A.P * Poly(int64_t(1) << *C))
                  : Value::unknown(E);
          break;
        case BO_Shr:
          V = C && *C >= 0 && *C < 31
                  ? divide(A, Value::integer(Poly(int64_t(1) << *C)), false, E)
                  : Value::unknown(E);
          break;
        case BO_And: {
          std::optional<int64_t> Mask = C ? C : A.P.constant();
          if (Mask && *Mask >= 0) {
            // The masked counter of a loop is at most the counter itself.
            const Poly &Masked = C ? A.P : B.P;
            bool OfLoops = Out.Names.isOfLoops(Masked) &&
                           Facts(Out.Names, S.Facts).nonNegative(Masked);
            SymbolId New = Out.Names.bound(true, OfLoops);
            define(New, Poly(*Mask) - Poly::symbol(New));
            if (OfLoops)
              define(New, Masked - Poly::symbol(New));
            V = Value::integer(Poly::symbol(New));
          } else {
            V = Value::unknown(E);
          }
          break;
        }
        default:
          V = Value::unknown(E);
        }
      }
      V.Perhaps = A.Perhaps || B.Perhaps;
      V.When = A.When;
      V.When.insert(V.When.end(), B.When.begin(), B.When.end());
      V.Meant = A.Meant;
      V.Meant.insert(V.Meant.end(), B.Meant.begin(), B.Meant.end());
      if (V.Kind == Value::Unknown && !V.Why)
        V.Why = E;
      Result.push_back(std::move(V));
    }
  return limited(wrapped(std::move(Result), E->getType(), E), E);
}

Values Walker::unary(const UnaryOperator *E) {
  switch (E->getOpcode()) {
  case UO_AddrOf: {
    const Expr *Of = E->getSubExpr()->IgnoreParens();
    if (auto *Ref = dyn_cast<DeclRefExpr>(Of);
        Ref && isa<FunctionDecl>(Ref->getDecl()))
      return {Value::unknown(E)};
    Place P = place(Of);
    return P.Var ? Values{Value::unknown(E)} : P.At;
  }
  case UO_Plus:
  case UO_Extension:
    return eval(E->getSubExpr());
  case UO_Minus:
    return arithmetic(BO_Sub, {Value::integer(0)}, eval(E->getSubExpr()), E,
                      E->getType(), E->getType());
  case UO_PreInc:
  case UO_PreDec:
  case UO_PostInc:
  case UO_PostDec: {
    Place P = place(E->getSubExpr());
    Values Old = load(P, E->getSubExpr());
    QualType T = E->getSubExpr()->getType();
    Values New = arithmetic(E->isIncrementOp() ? BO_Add : BO_Sub, Old,
                            {Value::integer(1)}, E, T, Context.IntTy);
    New = T->isIntegerType() ? convert(New, Context.LongLongTy, T, E) : New;
    store(P, E->getSubExpr(), New);
    return E->isPrefix() ? New : Old;
  }
  case UO_LNot:
    condition(E->getSubExpr());
    return ofType(Context.BoolTy, E);
  default:
    eval(E->getSubExpr());
    return ofType(E->getType(), E);
  }
}

Values Walker::binary(const BinaryOperator *E) {
  BinaryOperatorKind Op = E->getOpcode();
  if (Op == BO_Comma) {
    eval(E->getLHS());
    return eval(E->getRHS());
  }
  if (Op == BO_Assign) {
    Values V = eval(E->getRHS());
    Place P = place(E->getLHS());
    store(P, E->getLHS(), V);
    return V;
  }
  if (auto *Compound = dyn_cast<CompoundAssignOperator>(E)) {
    Values R = eval(E->getRHS());
    Place P = place(E->getLHS());
    Values Old = load(P, E->getLHS());
    QualType T = E->getLHS()->getType();
    Values New = {Value::unknown(E)};
    if (T->isPointerType() || T->isIntegerType())
      New = arithmetic(BinaryOperator::getOpForCompoundAssignment(Op), Old, R,
                       E, T, E->getRHS()->getType());
    if (T->isIntegerType())
      New = convert(New, Compound->getComputationResultType(), T, E);
    store(P, E->getLHS(), New);
    return New;
  }
  if (E->isLogicalOp() || E->isComparisonOp()) {
    condition(E);
    return ofType(Context.BoolTy, E);
  }
  Values L = eval(E->getLHS());
  Values R = eval(E->getRHS());
  if (!E->getType()->isIntegerType() && !E->getType()->isPointerType())
    return {Value::unknown(E)};
  return arithmetic(Op, L, R, E, E->getLHS()->getType(),
                    E->getRHS()->getType());
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

Values Walker::eval(const Expr *E) {
  spend(1);
  if (stopped())
    return {Value::unknown(E)};
  E = E->IgnoreParens();
  if (E->getType()->isIntegerType()) {
    Expr::EvalResult R;
    if (isa<IntegerLiteral, CharacterLiteral, UnaryExprOrTypeTraitExpr,
            BinaryOperator, UnaryOperator, CastExpr, DeclRefExpr>(E) &&
        !E->isValueDependent() && E->EvaluateAsInt(R, Context) &&
        R.Val.getInt().isRepresentableByInt64())
      return {Value::integer(R.Val.getInt().getExtValue())};
  }
  if (auto *Cast = dyn_cast<CastExpr>(E)) {
    const Expr *Sub = Cast->getSubExpr();
    switch (Cast->getCastKind()) {
    case CK_LValueToRValue:
      return load(place(Sub), Sub);
    case CK_ArrayToPointerDecay: {
      Place P = place(Sub);
      return P.Var ? Values{Value::unknown(E)} : P.At;
    }
    case CK_NoOp:
    case CK_BitCast:
      return Sub->isGLValue() ? place(Sub).At : eval(Sub);
    case CK_IntegralCast:
      return convert(eval(Sub), Sub->getType(), E->getType(), E);
    case CK_NullToPointer:
      return {Value::pointer({}, 0)};
    case CK_IntegralToBoolean:
    case CK_PointerToBoolean:
    case CK_FloatingToBoolean:
      eval(Sub);
      return ofType(Context.BoolTy, E);
    case CK_PointerToIntegral: {
      eval(Sub);
      return {Value::unknown(E)};
    }
    case CK_FunctionToPointerDecay:
    case CK_BuiltinFnToFnPtr:
      return {Value::unknown(E)};
    default:
      eval(Sub);
      return ofType(E->getType(), E);
    }
  }
  if (auto *B = dyn_cast<BinaryOperator>(E))
    return binary(B);
  if (auto *Un = dyn_cast<UnaryOperator>(E); Un && !E->isGLValue())
    return unary(Un);
  if (auto *Call = dyn_cast<CallExpr>(E))
    return call(Call);
  if (auto *Choice = dyn_cast<ConditionalOperator>(E)) {
    Condition C = condition(Choice->getCond());
    WalkState Before = S;
    std::vector<WalkState> Ways;
    Values All;
    for (bool IsTrue : {true, false})
      for (const Condition::Way &Way : IsTrue ? C.True : C.False) {
        S = Before;
        if (!possible(Way))
          continue;
        assume(Way, C, Choice->getCond());
        Values V =
            eval(IsTrue ? Choice->getTrueExpr() : Choice->getFalseExpr());
        for (Value &Each : V) {
          Each.When.insert(Each.When.end(),
                           S.Facts.begin() + Before.Facts.size(),
                           S.Facts.end());
          Each.Perhaps |= S.Guards != Before.Guards;
          All.push_back(Each);
        }
        Ways.push_back(S);
      }
    join(Ways, Before);
    return limited(std::move(All), E);
  }
  if (E->isGLValue()) { // not loaded: the expression is not used as a value
    Place P = place(E);
    return P.Var ? S.Vars[P.Var] : Values{Value::unknown(E)};
  }
  if (auto *Block = dyn_cast<StmtExpr>(E)) {
    exec(Block->getSubStmt());
    return {Value::unknown(E)};
  }
  if (isa<UnaryExprOrTypeTraitExpr>(E))
    return ofType(E->getType(), E); // not evaluated
  for (const Stmt *Child : E->children())
    if (auto *Sub = dyn_cast_or_null<Expr>(Child))
      eval(Sub);
  return ofType(E->getType(), E);
}

} // namespace agglom
