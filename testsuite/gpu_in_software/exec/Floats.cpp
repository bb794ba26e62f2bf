// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point arithmetic and comparisons.

#include "Rounding.h"

namespace gpu_in_software::machine {

namespace {

/// -0 is less than 0; a number is preferred to what is none.
template <class T> T least(T A, T B) {
  if (A != A)
    return B;
  if (B != B)
    return A;
  if (A == B)
    return std::signbit(A) ? A : B;
  return A < B ? A : B;
}
template <class T> T most(T A, T B) {
  if (A != A)
    return B;
  if (B != B)
    return A;
  if (A == B)
    return std::signbit(A) ? B : A;
  return A < B ? B : A;
}

#define FLOATING(NAME, EXPR) OPERATION(NAME, canonical<T>(EXPR))
FLOATING(Add, a + b)
FLOATING(Sub, a - b)
FLOATING(Mul, a *b)
FLOATING(Fma, std::fma(a, b, c))
FLOATING(Div, a / b)
FLOATING(Rcp, T(1) / a)
FLOATING(Sqrt, std::sqrt(a))
FLOATING(Min, least(a, b))
FLOATING(Max, most(a, b))
FLOATING(MinNaN, a != a || b != b ? a + b : least(a, b))
FLOATING(MaxNaN, a != a || b != b ? a + b : most(a, b))
OPERATION(Abs, std::fabs(a))
OPERATION(Neg, -a)
OPERATION(Copysign, std::copysign(b, a))
OPERATION(Move, a)
// Approximations are better than the hardware's: computed in double.
FLOATING(Rsqrt, 1 / std::sqrt(static_cast<double>(a)))
FLOATING(Sin, std::sin(static_cast<double>(a)))
FLOATING(Cos, std::cos(static_cast<double>(a)))
FLOATING(Ex2, std::exp2(static_cast<double>(a)))
FLOATING(Lg2, std::log2(static_cast<double>(a)))
FLOATING(Tanh, std::tanh(static_cast<double>(a)))

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 look at the upper half of
/// their operand and set that of the result.
template <bool Root> struct Coarse {
  static double of(double A, double, double) {
    double V = get<double>(put(A) & ~uint64_t(0xFFFFFFFF));
    if (std::fpclassify(V) == FP_SUBNORMAL)
      V = std::copysign(0.0, V);
    double R = Root ? 1 / std::sqrt(V) : 1 / V;
    if (std::fpclassify(R) == FP_SUBNORMAL)
      R = std::copysign(0.0, R);
    if (R != R)
      return get<double>(uint64_t(0x7FFFFFFF) << 32);
    return get<double>(put(R) & ~uint64_t(0xFFFFFFFF));
  }
};

#define TEST(NAME, EXPR)                                                       \
  struct NAME {                                                                \
    template <class T> static bool of(T a, [[maybe_unused]] T b, T) {          \
      return EXPR;                                                             \
    }                                                                          \
  };
TEST(IsEq, a == b)
TEST(IsNe, a<b || a> b)
TEST(IsLt, a < b)
TEST(IsLe, a <= b)
TEST(IsGt, a > b)
TEST(IsGe, a >= b)
TEST(IsEqu, !(a < b || a > b))
TEST(IsNeu, a != b)
TEST(IsLtu, !(a >= b))
TEST(IsLeu, !(a > b))
TEST(IsGtu, !(a <= b))
TEST(IsGeu, !(a < b))
TEST(IsNum, a == a && b == b)
TEST(IsNan, a != a || b != b)
TEST(Finite, std::isfinite(a))
TEST(Infinite, std::isinf(a))
TEST(Number, a == a)
TEST(NotANumber, a != a)
TEST(Normal, std::isnormal(a))
TEST(Subnormal, std::fpclassify(a) == FP_SUBNORMAL)

struct Selp {
  template <class T> static T of(T A, T B, bool P) { return P ? A : B; }
};
struct Slct {
  template <class T> static T of(T A, T B, int32_t C) { return C >= 0 ? A : B; }
};
struct SlctFloat {
  template <class T> static T of(T A, T B, float C) { return C >= 0 ? A : B; }
};

template <class V> void addTests(Table &T) {
  std::string Ty = "." + nameOf<V>();
  uint32_t Ftz = sizeof(V) == 4 ? FlagFtz : 0;
  addRounded<IsEq, V>(T, "setp.eq" + Ty, 2, Ftz);
  addRounded<IsNe, V>(T, "setp.ne" + Ty, 2, Ftz);
  addRounded<IsLt, V>(T, "setp.lt" + Ty, 2, Ftz);
  addRounded<IsLe, V>(T, "setp.le" + Ty, 2, Ftz);
  addRounded<IsGt, V>(T, "setp.gt" + Ty, 2, Ftz);
  addRounded<IsGe, V>(T, "setp.ge" + Ty, 2, Ftz);
  addRounded<IsEqu, V>(T, "setp.equ" + Ty, 2, Ftz);
  addRounded<IsNeu, V>(T, "setp.neu" + Ty, 2, Ftz);
  addRounded<IsLtu, V>(T, "setp.ltu" + Ty, 2, Ftz);
  addRounded<IsLeu, V>(T, "setp.leu" + Ty, 2, Ftz);
  addRounded<IsGtu, V>(T, "setp.gtu" + Ty, 2, Ftz);
  addRounded<IsGeu, V>(T, "setp.geu" + Ty, 2, Ftz);
  addRounded<IsNum, V>(T, "setp.num" + Ty, 2, Ftz);
  addRounded<IsNan, V>(T, "setp.nan" + Ty, 2, Ftz);
  add<Finite, V>(T, "testp.finite" + Ty, 1);
  add<Infinite, V>(T, "testp.infinite" + Ty, 1);
  add<Number, V>(T, "testp.number" + Ty, 1);
  add<NotANumber, V>(T, "testp.notanumber" + Ty, 1);
  add<Normal, V>(T, "testp.normal" + Ty, 1);
  add<Subnormal, V>(T, "testp.subnormal" + Ty, 1);
}

} // namespace

void addFloats(Table &T) {
  forTypes<float, double>([&](auto Value) {
    using V = decltype(Value);
    std::string Ty = "." + nameOf<V>();
    bool Single = sizeof(V) == 4;
    uint32_t Ftz = Single ? FlagFtz : 0, Sat = Single ? FlagSat : 0;
    uint32_t Round = FlagRn | FlagRz | FlagRm | FlagRp;
    addRounded<Add, V>(T, "add" + Ty, 2, Round | Ftz | Sat);
    addRounded<Sub, V>(T, "sub" + Ty, 2, Round | Ftz | Sat);
    addRounded<Mul, V>(T, "mul" + Ty, 2, Round | Ftz | Sat);
    addRounded<Fma, V>(T, "fma" + Ty, 3, Round | Ftz | Sat);
    addRounded<Fma, V>(T, "mad" + Ty, 3, Round | Ftz | Sat);
    addRounded<Div, V>(T, "div" + Ty, 2, Round | Ftz);
    addRounded<Rcp, V>(T, "rcp" + Ty, 1, Round | Ftz);
    addRounded<Sqrt, V>(T, "sqrt" + Ty, 1, Round | Ftz);
    addRounded<Min, V>(T, "min" + Ty, 2, Ftz);
    addRounded<Max, V>(T, "max" + Ty, 2, Ftz);
    addRounded<Abs, V>(T, "abs" + Ty, 1, Ftz);
    addRounded<Neg, V>(T, "neg" + Ty, 1, Ftz);
    add<Copysign, V>(T, "copysign" + Ty, 2);
    add<Move, V>(T, "mov" + Ty, 1);
    add<Selp, V, V, bool>(T, "selp" + Ty, 3);
    addRounded<Slct, V, V, int32_t>(T, "slct" + Ty + ".s32", 3, 0);
    addRounded<SlctFloat, V, V, float>(T, "slct" + Ty + ".f32", 3, FlagFtz);
    addRounded<Rsqrt, V>(T, "rsqrt.approx" + Ty, 1, Ftz);
    addTests<V>(T);
  });
  addRounded<MinNaN, float>(T, "min.NaN.f32", 2, FlagFtz);
  addRounded<MaxNaN, float>(T, "max.NaN.f32", 2, FlagFtz);
  addRounded<Div, float>(T, "div.approx.f32", 2, FlagFtz);
  addRounded<Div, float>(T, "div.full.f32", 2, FlagFtz);
  addRounded<Rcp, float>(T, "rcp.approx.f32", 1, FlagFtz);
  addRounded<Sqrt, float>(T, "sqrt.approx.f32", 1, FlagFtz);
  addRounded<Sin, float>(T, "sin.approx.f32", 1, FlagFtz);
  addRounded<Cos, float>(T, "cos.approx.f32", 1, FlagFtz);
  addRounded<Ex2, float>(T, "ex2.approx.f32", 1, FlagFtz);
  addRounded<Lg2, float>(T, "lg2.approx.f32", 1, FlagFtz);
  add<Tanh, float>(T, "tanh.approx.f32", 1);
  // Their .ftz is a flag, as others' are.
  addRounded<Coarse<false>, double>(T, "rcp.approx.f64", 1, FlagFtz);
  addRounded<Coarse<true>, double>(T, "rsqrt.approx.f64", 1, FlagFtz);
}

} // namespace gpu_in_software::machine
