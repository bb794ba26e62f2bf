// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ApartWrites.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

namespace {
/// Whether an expression is linear in the loop's variable, or in what it is
/// divided by, modulo 2^64 at least.
class Linear {
  const VarDecl *V;
  const ASTContext &Context;

  bool isVariable(const Expr *E) const {
    auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    return Ref && Ref->getDecl() == V;
  }

  /// V, V / m or V % m; or Other.
  Motion atom(const Expr *E) {
    if (isVariable(E))
      return Motion::Linear;
    auto *B = dyn_cast<BinaryOperator>(E);
    if (!B || (B->getOpcode() != BO_Div && B->getOpcode() != BO_Rem) ||
        !isVariable(B->getLHS()) || mentions(B->getRHS(), V) ||
        B->getRHS()->HasSideEffects(Context) || !B->getType()->isIntegerType())
      return Motion::Other;
    llvm::FoldingSetNodeID New, Old;
    B->getRHS()->IgnoreParenImpCasts()->Profile(New, Context, true);
    if (Divisor)
      Divisor->IgnoreParenImpCasts()->Profile(Old, Context, true);
    if (Divisor && New != Old)
      return Motion::Other;
    Divisor = B->getRHS();
    return B->getOpcode() == BO_Div ? Motion::Quotient : Motion::Remainder;
  }

  /// Types whose arithmetic does not wrap, or at 64 bits only.
  bool isWide(QualType T) const {
    return T->isIntegerType() &&
           (T->isSignedIntegerType() || Context.getTypeSize(T) == 64);
  }
  bool keepsValues(QualType To, QualType From) const {
    if (!isWide(To) || !From->isIntegerType())
      return false;
    uint64_t Bits = Context.getTypeSize(To), Had = Context.getTypeSize(From);
    return Bits > Had || (Bits == Had && (Bits == 64 || isWide(From)));
  }

  static Motion both(Motion A, Motion B) {
    return A == Motion::None             ? B
           : B == Motion::None || A == B ? A
                                         : Motion::Other;
  }

public:
  const Expr *Divisor = nullptr;

  Linear(const VarDecl *V, const ASTContext &Context)
      : V(V), Context(Context) {}

  Motion in(const Expr *E) {
    if (!mentions(E, V))
      return Motion::None;
    E = E->IgnoreParens();
    if (Motion M = atom(E); M != Motion::Other)
      return M;
    if (auto *Cast = dyn_cast<ImplicitCastExpr>(E)) {
      const Expr *Sub = Cast->getSubExpr();
      bool Same = Cast->getCastKind() == CK_LValueToRValue ||
                  Cast->getCastKind() == CK_NoOp ||
                  (Cast->getCastKind() == CK_IntegralCast &&
                   keepsValues(Cast->getType(), Sub->getType()));
      return Same ? in(Sub) : Motion::Other;
    }
    auto *B = dyn_cast<BinaryOperator>(E);
    if (!B || !isWide(B->getType()))
      return Motion::Other;
    if (B->isAdditiveOp())
      return both(in(B->getLHS()), in(B->getRHS()));
    bool Times = B->getOpcode() == BO_Mul &&
                 (!mentions(B->getLHS(), V) || !mentions(B->getRHS(), V));
    return Times ? both(in(B->getLHS()), in(B->getRHS())) : Motion::Other;
  }
};

class Text {
  const CanonicalFor &C;
  const ASTContext &Context;
  const PrintingPolicy &Policy;
  llvm::StringRef VarType;

  struct Moving {
    const SectionDim *D;
    Motion M;
    const Expr *Divisor;
  };

  /// "__agglom_a = the bracket's first element in iteration \p K".
  std::string first(const char *Of, const SectionDim &D,
                    const std::string &K) const {
    std::string V = C.Var->getNameAsString();
    return "    { " + VarType.str() + " " + V + " = (" + VarType.str() +
           ")((unsigned long long)__agglom_e->__agglom_first + " + K + " * " +
           std::to_string(uint64_t(C.StepValue)) + "ULL); (void)" + V + "; " +
           Of + " = (long long)(" + D.Lo + "); }\n";
  }

  /// Sets __agglom_ok where the bracket is past itself from iteration 0 to
  /// iteration \p K, and moves on so \p Times times.
  std::string clears(const SectionDim &D, const std::string &K,
                     const std::string &Times) const {
    return first("__agglom_a", D, "0ULL") + first("__agglom_b", D, K) +
           "    __agglom_ok = agglom_for_clears(__agglom_a, __agglom_b, "
           "agglom_for_span(" +
           D.Len + ", " + D.Step + "), " + Times + ");\n";
  }

  std::string linear(const SectionDim &D) const {
    return "  if (!__agglom_ok) {\n" + clears(D, "1ULL", "__agglom_n") +
           "  }\n";
  }

  /// Both brackets have the same divisor m, so iterations that differ do so in
  /// V / m or V % m. Of m iterations or fewer the remainders differ.
  std::string tile(const SectionDim &Q, const SectionDim &R,
                   const Expr *Divisor) const {
    std::string M;
    llvm::raw_string_ostream OS(M);
    Divisor->printPretty(OS, nullptr, Policy);
    return "  __agglom_m = (long long)(" + M +
           ");\n  if (!__agglom_ok && __agglom_m > 0 && "
           "(long long)__agglom_e->__agglom_first >= 0 && (__agglom_m == 1 || "
           "((unsigned long long)__agglom_e->__agglom_first + 1) % "
           "(unsigned long long)__agglom_m)) {\n    __agglom_ok = 1;\n"
           "    if (__agglom_n > (unsigned long long)__agglom_m) {\n" +
           clears(Q, "(unsigned long long)__agglom_m",
                  "__agglom_n / (unsigned long long)__agglom_m + 1") +
           "    }\n    if (__agglom_ok && __agglom_m > 1) {\n" +
           clears(R, "1ULL", "(unsigned long long)__agglom_m") + "    }\n  }\n";
  }

public:
  Text(const CanonicalFor &C, const ASTContext &Context,
       const PrintingPolicy &Policy, llvm::StringRef VarType)
      : C(C), Context(Context), Policy(Policy), VarType(VarType) {}

  /// "" where nothing can be told.
  std::string section(const Section &S) const {
    std::vector<Moving> All;
    if (S.gathers() || mentions(S.BaseExpr, C.Var))
      return "";
    for (const SectionDim &D : S.Dims) {
      const Expr *Divisor = nullptr;
      Motion M = motionOf(D, C, Context, &Divisor);
      All.push_back({&D, M, Divisor});
    }
    std::string Out;
    for (const Moving &A : All)
      if (A.M == Motion::Linear)
        Out += linear(*A.D);
    for (const Moving &Q : All)
      for (const Moving &R : All)
        if (Q.M == Motion::Quotient && R.M == Motion::Remainder &&
            isSame(Q.Divisor, R.Divisor))
          Out += tile(*Q.D, *R.D, Q.Divisor);
    if (Out.empty())
      return "";
    return "  __agglom_ok = 0;\n" + Out +
           "  if (!__agglom_ok)\n    return 0;\n";
  }

private:
  bool isSame(const Expr *A, const Expr *B) const {
    llvm::FoldingSetNodeID X, Y;
    A->IgnoreParenImpCasts()->Profile(X, Context, true);
    B->IgnoreParenImpCasts()->Profile(Y, Context, true);
    return X == Y;
  }
};
} // namespace

bool isEven(const Expr *E, const VarDecl *V) {
  if (!E || !mentions(E, V))
    return true;
  E = E->IgnoreParens();
  if (auto *Cast = dyn_cast<ImplicitCastExpr>(E)) {
    const Expr *Sub = Cast->getSubExpr();
    // Narrower or unsigned types wrap.
    return (Cast->getCastKind() == CK_LValueToRValue ||
            Cast->getCastKind() == CK_NoOp ||
            (Cast->getCastKind() == CK_IntegralCast &&
             Cast->getType()->isSignedIntegerType() &&
             Sub->getType()->isSignedIntegerType())) &&
           isEven(Sub, V);
  }
  if (isa<DeclRefExpr>(E))
    return true;
  auto *B = dyn_cast<BinaryOperator>(E);
  if (!B || !B->getType()->isSignedIntegerType())
    return false;
  if (B->isAdditiveOp())
    return isEven(B->getLHS(), V) && isEven(B->getRHS(), V);
  return B->getOpcode() == BO_Mul &&
         (!mentions(B->getLHS(), V) || !mentions(B->getRHS(), V)) &&
         isEven(B->getLHS(), V) && isEven(B->getRHS(), V);
}

Motion motionOf(const SectionDim &D, const CanonicalFor &C,
                const ASTContext &Context, const Expr **Divisor) {
  if (mayGoRound(C, Context) || mentions(D.LenExpr, C.Var) ||
      mentions(D.StepExpr, C.Var))
    return Motion::Other;
  Linear Of(C.Var, Context);
  Motion M = Of.in(D.LoExpr);
  bool Divides = M == Motion::Quotient || M == Motion::Remainder;
  if (Divides && C.StepValue != 1)
    return Motion::Other;
  if (Divisor)
    *Divisor = Of.Divisor;
  return M;
}

std::string writesApart(const Task &T, const CanonicalFor &C,
                        const ASTContext &Context, const PrintingPolicy &Policy,
                        llvm::StringRef VarType) {
  std::string Out;
  for (const Section &S : T.Sections) {
    if (!S.writes() || S.Clause == ClauseId::Accumulate || S.Implicit)
      continue;
    std::string Of = Text(C, Context, Policy, VarType).section(S);
    if (Of.empty())
      return "";
    Out += Of;
  }
  return Out;
}

const char ApartDeclarations[] =
    "static __inline__ __attribute__((unused)) int agglom_for_clears(long long "
    "a, long long b, long long span, unsigned long long times) {\n"
    "  long long step, all;\n"
    "  return span >= 0 && times < 1ULL << 62 && !__builtin_sub_overflow(b, a, "
    "&step) && (step >= span || step <= -span) && "
    "!__builtin_mul_overflow(step, (long long)times, &all);\n}\n";

} // namespace agglom
