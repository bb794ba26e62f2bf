// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the walker follows memory: which place an lvalue denotes, loads, stores,
// and the record of each access.

#include "CompatClang.h"
#include "Walker.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace agglom {

/// Whether memory at \p A was surely written on the way here.
bool Walker::ownWrite(const Access &A) {
  bool Inside = false;
  for (const Cell &C : S.Written) {
    if (!(C.In == A.In))
      continue;
    Inside = true;
    for (const Poly &Left :
         {A.From - C.From, C.From + C.Size - A.From - A.Size}) {
      std::optional<int64_t> N = Left.constant();
      Inside = N ? *N >= 0 : anyNonNegative(A.Given, Left);
      if (!Inside)
        break;
    }
    if (Inside)
      break;
  }
  spend(S.Written.size());
  return Inside;
}

void Walker::written(Cell New) {
  if (!llvm::is_contained(S.Written, New))
    S.Written.push_back(std::move(New));
}

/// Whether \p In is a local variable of a called function: each call has its
/// own, so accesses to it are of no interest.
bool Walker::isOfCallee(const Base &In) const {
  return !In.Behind && In.Path.empty() && In.Var->hasLocalStorage() &&
         Frames.size() > 1 &&
         In.Var->getDeclContext() != Frames.front().Function;
}

void Walker::access(const Values &At, const Poly &Size, bool Write,
                    const Expr *E) {
  if (!Recording)
    return;
  const size_t Begin = Out.All.size();
  for (const Value &V : At) {
    if (V.Kind != Value::Pointer) {
      if (!Out.Stray)
        Out.Stray = E;
      continue;
    }
    if (!V.In.Var || isOfCallee(V.In))
      continue; // null, a string literal, or a callee's local
    Access A;
    A.In = V.In;
    A.Write = Write;
    A.Known = V.P.valid() && Size.valid();
    A.From = V.P;
    A.Size = Size;
    A.Given = S.Facts;
    A.WhenFrom = A.Given.size();
    A.Guarded = S.Guards > 0;
    A.Choices = 0;
    A.Given.insert(A.Given.end(), V.When.begin(), V.When.end());
    A.Meant = V.Meant;
    A.At = E;
    A.Why = V.Why;
    A.Conditional = S.Guards || (At.size() > 1 && !selectsIterations(V));
    A.InCallee = Frames.size() > 1;
    A.MayStop = MayStop > 0;
    if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E->IgnoreParens()))
      A.Wide = Context.getTypeSize(Sub->getIdx()->getType()) > 32 &&
               Sub->getIdx()->getType()->isIntegerType();
    else
      A.Wide = true;
    if (A.Known) {
      for (const OpaqueGuard &G : S.Opaque)
        for (SymbolId Id : G.About)
          if (Out.Names[Id].Bound && A.From.mentions(Id))
            A.Doubt = G.Condition;
      A.OfOwnWrite = !Write && A.In.Behind && ownWrite(A);
      if (Write && At.size() == 1)
        written({A.In, A.From, A.Size});
    }
    Out.All.push_back(std::move(A));
    if (Out.All.size() > 4000)
      obstacle("it is too long to be followed", E->getExprLoc());
  }
  if (Out.All.size() - Begin == At.size() && !At.empty())
    Out.All[Begin].Choices = At.size();
}

/// The address of the element \p Sub. An element of an array of arrays is
/// within its row, also where the index is unknown.
Values Walker::element(const ArraySubscriptExpr *Sub) {
  Values Start = eval(Sub->getBase()), Index = eval(Sub->getIdx());
  const Expr *Row = Sub->getBase()->IgnoreParenImpCasts();
  Poly Last = Poly::invalid();
  if (Index.size() == 1 && isa<ArraySubscriptExpr>(Row) &&
      Row->getType()->isArrayType()) {
    Poly Size = sizeOf(Row->getType());
    std::optional<int64_t> Each = sizeOf(Sub->getType()).constant();
    if (Size.valid() && Each && *Each > 0 && Size.divisible(*Each))
      Last = Size.divided(*Each) - Poly(1);
  }
  if (Last.valid() && Index[0].Kind == Value::Unknown) {
    SymbolId New = Out.Names.bound(/*NonNegative=*/true);
    define(New, Last - Poly::symbol(New));
    Index = {Value::integer(Poly::symbol(New))};
  }
  Values At = arithmetic(BO_Add, Start, Index, Sub, Sub->getBase()->getType(),
                         Sub->getIdx()->getType());
  if (Last.valid() && Index[0].Kind == Value::Integer && !Index[0].P.constant())
    for (Value &V : At) {
      V.Meant.push_back(Index[0].P);
      V.Meant.push_back(Last - Index[0].P);
    }
  return At;
}

Walker::Place Walker::place(const Expr *E) {
  E = E->IgnoreParens();
  Place P;
  if (auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    const VarDecl *V = dyn_cast<VarDecl>(Ref->getDecl());
    if (V && S.Vars.count(V)) {
      P.Var = V;
      return P;
    }
    if (V && V->hasGlobalStorage())
      V = V->getCanonicalDecl(); // the declaration that clauses refer to
    P.At = {V ? Value::pointer({V, false}, 0) : Value::unknown(E)};
    return P;
  }
  if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
    P.At = element(Sub);
    return P;
  }
  if (auto *M = dyn_cast<MemberExpr>(E)) {
    if (M->isArrow()) {
      P.At = eval(M->getBase());
    } else {
      Place Of = place(M->getBase());
      P.At = Of.Var ? Values{Value::unknown(E)} : Of.At;
    }
    auto *Field = dyn_cast<FieldDecl>(M->getMemberDecl());
    if (!Field)
      return P;
    int64_t Bits = Context.getFieldOffset(Field);
    for (Value &V : P.At)
      if (V.Kind == Value::Pointer)
        V.P = V.P + Poly(Bits / 8);
    return P;
  }
  if (auto *Un = dyn_cast<UnaryOperator>(E)) {
    if (Un->getOpcode() == UO_Deref) {
      P.At = eval(Un->getSubExpr());
      return P;
    }
    if (Un->getOpcode() == UO_Extension || Un->getOpcode() == UO_Real ||
        Un->getOpcode() == UO_Imag)
      return place(Un->getSubExpr());
  }
  if (auto *Cast = dyn_cast<CastExpr>(E); Cast && Cast->isGLValue())
    return place(Cast->getSubExpr());
  if (isa<StringLiteral, PredefinedExpr>(E)) {
    P.At = {Value::pointer({}, 0)};
    return P;
  }
  if (auto *Literal = dyn_cast<CompoundLiteralExpr>(E)) {
    eval(Literal->getInitializer());
    P.At = {Value::pointer({}, 0)}; // an object without a name
    return P;
  }
  if (E->isGLValue()) { // an lvalue that cannot be followed
    for (const Stmt *Child : E->children())
      if (auto *Sub = dyn_cast_or_null<Expr>(Child))
        eval(Sub);
    P.At = {Value::unknown(E)};
    return P;
  }
  P.At = eval(E); // a structure that a function returned, or the like
  for (Value &V : P.At)
    V = Value::pointer({}, 0);
  return P;
}

/// The size of object \p E; for a bit-field the bytes that hold a part of it.
Poly Walker::bytesOf(const Expr *E) {
  auto *M = dyn_cast<MemberExpr>(E->IgnoreParens());
  auto *Field = M ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
  if (!Field || !Field->isBitField())
    return sizeOf(E->getType());
  uint64_t First = Context.getFieldOffset(Field) % 8;
  return Poly((First + compat::bitWidth(Field, Context) + 7) / 8);
}

Values Walker::load(const Place &P, const Expr *E) {
  if (P.Var)
    return S.Vars[P.Var];
  QualType T = E->getType();
  access(P.At, bytesOf(E), false, E);
  Values Known = byName(P, E->IgnoreParens());
  return Known.empty() ? ofType(T, E) : Known;
}

void Walker::store(const Place &P, const Expr *E, const Values &V) {
  if (P.Var)
    S.Vars[P.Var] = limited(V, E);
  else
    access(P.At, bytesOf(E), true, E);
}

} // namespace agglom
