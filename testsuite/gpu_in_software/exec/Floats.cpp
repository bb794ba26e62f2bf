// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point arithmetic and comparisons.

#include "Rounding.h"

namespace gpu_in_software::machine {

namespace {

/// -0 is less than 0; a number is preferred to what is none.
template <class T> T least(T A, T B) {
  if (A != A || B != B)
    return A != A ? B : A;
  if (A == B)
    return std::signbit(A) ? A : B;
  return A < B ? A : B;
}
template <class T> T most(T A, T B) {
  if (A != A || B != B)
    return A != A ? B : A;
  return least(A, B) == A && !(A == B && std::signbit(B)) ? B : A;
}

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 look at the upper half of
/// their operand and set that of the result.
template <class Fn> double coarse(double A, Fn Of) {
  const uint64_t Upper = ~uint64_t(0xFFFFFFFF);
  auto flush = [](double V) {
    return std::fpclassify(V) == FP_SUBNORMAL ? std::copysign(0.0, V) : V;
  };
  double R = flush(Of(flush(get<double>(put(A) & Upper))));
  return get<double>(R == R ? put(R) & Upper : uint64_t(0x7FFFFFFF) << 32);
}

#define FLOATING(NAME, EXPR) OPERATION(NAME, canonical(static_cast<A>(EXPR)))
FLOATING(Add, a + b)
FLOATING(Sub, a - b)
FLOATING(Mul, a *b)
FLOATING(Fma, std::fma(a, b, c))
FLOATING(Div, a / b)
FLOATING(Rcp, 1 / a)
FLOATING(Sqrt, std::sqrt(a))
FLOATING(Least, least(a, b))
FLOATING(Most, most(a, b))
FLOATING(MinNaN, a != a || b != b ? NAN : least(a, b))
FLOATING(MaxNaN, a != a || b != b ? NAN : most(a, b))
OPERATION(Abs, std::fabs(a))
OPERATION(Neg, -a)
OPERATION(Copysign, std::copysign(b, a))
// Approximations are better than the hardware's: computed in double.
FLOATING(Rsqrt, 1 / std::sqrt(double(a)))
FLOATING(Sin, std::sin(double(a)))
FLOATING(Cos, std::cos(double(a)))
FLOATING(Ex2, std::exp2(double(a)))
FLOATING(Lg2, std::log2(double(a)))
FLOATING(Tanh, std::tanh(double(a)))
OPERATION(CoarseRcp, coarse(a, [](double V) { return 1 / V; }))
OPERATION(CoarseRsqrt, coarse(a, [](double V) { return 1 / std::sqrt(V); }))
OPERATION(IsNe, a<b || a> b)
OPERATION(IsEqu, !(a < b || a > b))
OPERATION(IsNeu, a != b)
OPERATION(IsLtu, !(a >= b))
OPERATION(IsLeu, !(a > b))
OPERATION(IsGtu, !(a <= b))
OPERATION(IsGeu, !(a < b))
OPERATION(IsNum, a == a && b == b)
OPERATION(IsNan, a != a || b != b)
OPERATION(Infinite, std::isinf(a))
OPERATION(Finite, std::isfinite(a))

template <class V> void addBoth(Table &T) {
  std::string Ty = "." + nameOf<V>();
  const bool Single = sizeof(V) == 4;
  const uint32_t Ftz = Single ? FlagFtz : 0, Sat = Single ? FlagSat : 0;
  const uint32_t Round = FlagRound;
  addRounded<Add, V>(T, "add" + Ty, 2, Round | Ftz | Sat);
  addRounded<Sub, V>(T, "sub" + Ty, 2, Round | Ftz | Sat);
  addRounded<Mul, V>(T, "mul" + Ty, 2, Round | Ftz | Sat);
  addRounded<Fma, V>(T, "fma" + Ty, 3, Round | Ftz | Sat);
  addRounded<Div, V>(T, "div" + Ty, 2, Round | Ftz);
  addRounded<Rcp, V>(T, "rcp" + Ty, 1, Round | Ftz);
  addRounded<Sqrt, V>(T, "sqrt" + Ty, 1, Round | Ftz);
  addRounded<Least, V>(T, "min" + Ty, 2, Ftz);
  addRounded<Most, V>(T, "max" + Ty, 2, Ftz);
  addRounded<Abs, V>(T, "abs" + Ty, 1, Ftz);
  addRounded<Neg, V>(T, "neg" + Ty, 1, Ftz);
  addRounded<Rsqrt, V>(T, "rsqrt.approx" + Ty, 1, Ftz);
  add<Copysign, V>(T, "copysign" + Ty, 2);
  add<Move, V>(T, "mov" + Ty, 1);
  add<Selp, V, V, bool>(T, "selp" + Ty, 3);
  add<Infinite, V>(T, "testp.infinite" + Ty, 1);
  add<Finite, V>(T, "testp.finite" + Ty, 1);
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
}

} // namespace

void addFloats(Table &T) {
  addBoth<float>(T);
  addBoth<double>(T);
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
  addRounded<CoarseRcp, double>(T, "rcp.approx.f64", 1, FlagFtz);
  addRounded<CoarseRsqrt, double>(T, "rsqrt.approx.f64", 1, FlagFtz);
}

} // namespace gpu_in_software::machine
