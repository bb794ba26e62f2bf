// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions on floating-point numbers, and conversions.

#include "Compare.h"

namespace test {

// The tables below are easier to read with a line an instruction.
// clang-format off

template <class T> T flush(T V) {
  return sizeof(T) == 4 && std::fabs(V) < std::numeric_limits<T>::min() ? std::copysign(T(0), V) : V;
}
template <class T> T saturate(T V) { return V != V || V <= 0 ? 0 : V > 1 ? 1 : V; }

/// F under a way to round.
template <class T, class Fn> T rounding(int Mode, Fn F, T A, T B, T C) {
  volatile T Va = A, Vb = B, Vc = C;
  fesetround(Mode);
  volatile T R = F(Va, Vb, Vc);
  fesetround(FE_TONEAREST);
  return R;
}

template <class T, class Fn>
void roundings(const std::string &Name, unsigned N, Fn F, bool Sat) {
  std::string S = suffix<T>();
  struct { const char *Name; int Mode; } Modes[] = {{".rn", FE_TONEAREST}, {".rz", FE_TOWARDZERO}, {".rm", FE_DOWNWARD}, {".rp", FE_UPWARD}};
  for (auto &M : Modes) {
    auto exact = [&](T a, T b, T c) { return rounding<T>(M.Mode, F, a, b, c); };
    check<T, T, T>(Name + M.Name + S, N, exact);
    if (sizeof(T) != 4)
      continue;
    auto flushing = [&](T a, T b, T c) { return flush(exact(flush(a), flush(b), flush(c))); };
    check<T, T, T>(Name + M.Name + ".ftz" + S, N, flushing);
    if (!Sat)
      continue;
    check<T, T, T>(Name + M.Name + ".sat" + S, N, [&](T a, T b, T c) { return saturate(exact(a, b, c)); });
    check<T, T, T>(Name + M.Name + ".ftz.sat" + S, N, [&](T a, T b, T c) { return saturate(flushing(a, b, c)); });
  }
}

template <class T> T smaller(T A, T B) {
  if (A != A || B != B)
    return A != A ? B : A;
  return A < B || (A == B && std::signbit(A)) ? A : B;
}
template <class T> T larger(T A, T B) {
  if (A != A || B != B)
    return A != A ? B : A;
  return A > B || (A == B && !std::signbit(A)) ? A : B;
}

void floats() {
  forTypes<float, double>([](auto X) {
    using T = decltype(X);
    std::string S = suffix<T>();
    auto add = REFERENCE(T, T, T, return a + b;);
    auto sub = REFERENCE(T, T, T, return a - b;);
    auto mul = REFERENCE(T, T, T, return a *b;);
    auto fma = REFERENCE(T, T, T, return std::fma(a, b, c););
    roundings<T>("add", 2, add, true);
    roundings<T>("sub", 2, sub, true);
    roundings<T>("mul", 2, mul, true);
    roundings<T>("fma", 3, fma, true);
    roundings<T>("div", 2, REFERENCE(T, T, T, return a / b;), false);
    roundings<T>("rcp", 1, REFERENCE(T, T, T, return 1 / a;), false);
    roundings<T>("sqrt", 1, REFERENCE(T, T, T, return std::sqrt(a);), false);
    check<T, T, T>("add" + S, 2, add);
    check<T, T, T>("sub" + S, 2, sub);
    check<T, T, T>("mul" + S, 2, mul);
    auto least = REFERENCE(T, T, T, return smaller(a, b););
    auto most = REFERENCE(T, T, T, return larger(a, b););
    check<T, T, T>("min" + S, 2, least);
    check<T, T, T>("max" + S, 2, most);
  });
  forTypes<float, double>([](auto X) {
    using T = decltype(X);
    using U = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    std::string S = suffix<T>();
    static constexpr U Sign = U(1) << (8 * sizeof(U) - 1);
    check<U, U, U>("abs" + S, 1, REFERENCE(U, U, U, return a & ~Sign;));
    check<U, U, U>("neg" + S, 1, REFERENCE(U, U, U, return a ^ Sign;));
    check<U, U, U>("copysign" + S, 2, REFERENCE(U, U, U, return (a & Sign) | (b & ~Sign);));
    check<U, U, U>("mov" + S, 1, REFERENCE(U, U, U, return a;));
    check<U, U, bool>("selp" + S, 3, REFERENCE(U, U, bool, return c ? a : b;));
  });
  using F = float;
  check<F, F, F>("min.ftz.f32", 2, REFERENCE(F, F, F, return smaller(flush(a), flush(b));));
  check<F, F, F>("max.ftz.f32", 2, REFERENCE(F, F, F, return larger(flush(a), flush(b));));
  check<F, F, F>("min.NaN.f32", 2, REFERENCE(F, F, F, return a != a || b != b ? NAN : smaller(a, b);));
  check<F, F, F>("max.NaN.f32", 2, REFERENCE(F, F, F, return a != a || b != b ? NAN : larger(a, b);));
  check<F, F, F>("setp.gt.ftz.f32", 2, REFERENCE(F, F, F, return flush(a) > flush(b);));
  check<uint32_t, uint32_t, uint32_t>("abs.ftz.f32", 1, REFERENCE(uint32_t, uint32_t, uint32_t, a &= 0x7FFFFFFF; return a < 0x800000 ? 0 : a;));
}

/// Within the errors that the manual gives.
void approximations() {
  using F = float;
  using D = double;
  Tolerance = 2.4e-7; // 2 ulp
  for (const char *Ftz : {"", ".ftz"}) {
    bool Z = *Ftz;
    auto in = [=](F V) { return Z ? flush(V) : V; };
    auto out = [=](double V) { return in(static_cast<F>(V)); };
    std::string S = std::string(".approx") + Ftz + ".f32";
    check<F, F, F>("div" + S, 2, [=](F a, F b, F) { return out(D(in(a)) / in(b)); }, true);
    check<F, F, F>(std::string("div.full") + Ftz + ".f32", 2, [=](F a, F b, F) { return out(D(in(a)) / in(b)); }, true);
    check<F, F, F>("rcp" + S, 1, [=](F a, F, F) { return out(1 / D(in(a))); }, true);
    check<F, F, F>("sqrt" + S, 1, [=](F a, F, F) { return out(std::sqrt(D(in(a)))); }, true);
    check<F, F, F>("rsqrt" + S, 1, [=](F a, F, F) { return out(1 / std::sqrt(D(in(a)))); }, true);
    check<F, F, F>("ex2" + S, 1, [=](F a, F, F) { return out(std::exp2(D(in(a)))); }, true);
    check<F, F, F>("lg2" + S, 1, [=](F a, F, F) { return out(std::log2(D(in(a)))); }, true);
    check<F, F, F>("sin" + S, 1, [=](F a, F, F) { return out(std::sin(D(in(a)))); }, true);
    check<F, F, F>("cos" + S, 1, [=](F a, F, F) { return out(std::cos(D(in(a)))); }, true);
  }
  check<F, F, F>("tanh.approx.f32", 1, REFERENCE(F, F, F, return F(std::tanh(D(a)));), true);
  Tolerance = 1e-6;
  static constexpr double Least = std::numeric_limits<double>::min();
  check<D, D, D>("rcp.approx.ftz.f64", 1, REFERENCE(D, D, D, return std::fabs(a) < Least ? 1 / std::copysign(0.0, a) : std::fabs(1 / a) < Least ? std::copysign(0.0, a) : 1 / a;), true);
  check<D, D, D>("rsqrt.approx.ftz.f64", 1, REFERENCE(D, D, D, return std::fabs(a) < Least ? 1 / std::copysign(0.0, a) : 1 / std::sqrt(a);), true);
  check<D, D, D>("rsqrt.approx.f64", 1, REFERENCE(D, D, D, return std::fabs(a) < Least ? 1 / std::copysign(0.0, a) : 1 / std::sqrt(a);), true);
}

template <class D, class S> D toInteger(S V, double (*Integral)(double)) {
  if (V != V) {
    if (sizeof(S) == 4 && sizeof(D) < 8)
      return 0;
    return static_cast<D>(uint64_t(1) << (8 * sizeof(D) - 1));
  }
  long double X = Integral(V); // 64 bits of mantissa or more
  using L = std::numeric_limits<D>;
  return X <= static_cast<long double>(L::min())   ? L::min()
         : X >= static_cast<long double>(L::max()) ? L::max()
                                                   : static_cast<D>(X);
}

void conversions() {
  forTypes<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>([](auto X) {
    using S = decltype(X);
    forTypes<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>([](auto Y) {
      using D = decltype(Y);
      std::string T = suffix<D>() + suffix<S>();
      check<S, S, S>("cvt" + T, 1, REFERENCE(S, S, S, return static_cast<D>(a);));
      check<S, S, S>("cvt.sat" + T, 1, REFERENCE(S, S, S, return clamped<D>(Big(a));));
    });
    forTypes<float, double>([](auto Y) {
      using D = decltype(Y);
      std::string T = suffix<D>() + suffix<S>();
      struct { const char *Name; int Mode; } Modes[] = {{".rn", FE_TONEAREST}, {".rz", FE_TOWARDZERO}, {".rm", FE_DOWNWARD}, {".rp", FE_UPWARD}};
      for (auto &M : Modes)
        check<S, S, S>(std::string("cvt") + M.Name + T, 1, [&](S a, S, S) {
          volatile S V = a;
          fesetround(M.Mode);
          volatile D R = static_cast<D>(V);
          fesetround(FE_TONEAREST);
          return D(R);
        });
    });
  });
  struct { const char *Name; double (*F)(double); } Ways[] = {{".rni", nearbyint}, {".rzi", trunc}, {".rmi", floor}, {".rpi", ceil}};
  forTypes<float, double>([&](auto X) {
    using S = decltype(X);
    for (auto &W : Ways) {
      forTypes<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>([&](auto Y) {
        using D = decltype(Y);
        check<S, S, S>(std::string("cvt") + W.Name + suffix<D>() + suffix<S>(), 1, [&](S a, S, S) { return toInteger<D>(a, W.F); });
      });
      check<S, S, S>(std::string("cvt") + W.Name + suffix<S>() + suffix<S>(), 1, [&](S a, S, S) { return static_cast<S>(W.F(a)); });
    }
  });
  using F = float;
  using D = double;
  check<F, F, F>("cvt.f64.f32", 1, REFERENCE(F, F, F, return D(a);));
  check<F, F, F>("cvt.ftz.f64.f32", 1, REFERENCE(F, F, F, return D(flush(a));));
  check<F, F, F>("cvt.sat.f32.f32", 1, REFERENCE(F, F, F, return saturate(a);));
  check<F, F, F>("cvt.rni.ftz.f32.f32", 1, REFERENCE(F, F, F, return std::nearbyint(flush(a));));
  check<F, F, F>("cvt.rpi.ftz.s32.f32", 1, REFERENCE(F, F, F, return toInteger<int32_t>(flush(a), ceil);));
  struct { const char *Name; int Mode; } Modes[] = {{".rn", FE_TONEAREST}, {".rz", FE_TOWARDZERO}, {".rm", FE_DOWNWARD}, {".rp", FE_UPWARD}};
  for (auto &M : Modes) {
    auto narrow = [&](D a, D, D) {
      volatile D V = a;
      fesetround(M.Mode);
      volatile F R = static_cast<F>(V);
      fesetround(FE_TONEAREST);
      return F(R);
    };
    check<D, D, D>(std::string("cvt") + M.Name + ".f32.f64", 1, narrow);
    check<D, D, D>(std::string("cvt") + M.Name + ".ftz.f32.f64", 1, [&](D a, D, D) { return flush(narrow(a, a, a)); });
    check<D, D, D>(std::string("cvt") + M.Name + ".sat.f32.f64", 1, [&](D a, D, D) { return saturate(narrow(a, a, a)); });
  }
}

// clang-format on

/// The exact sum, product and quotient lie where the way to round says. Here
/// the reference is no host that rounds the same way.
void directions() {
  std::string Text;
  const char *Modes[] = {"rz", "rm", "rp"};
  const char *Ops[] = {"add", "mul", "div", "sqrt"};
  for (const char *Op : Ops)
    for (const char *Mode : Modes)
      Text += std::string(".visible .entry ") + Op + Mode +
              "(.param .u64 d, .param .u64 a, .param .u64 b)\n{\n  .reg .b64 "
              "%i, %d, %a, %b, %x, %y;\n  .reg .b32 %t;\n  mov.u32 %t, "
              "%tid.x;\n  mul.wide.u32 %i, %t, 8;\n  ld.param.u64 %d, [d];\n"
              "  ld.param.u64 %a, [a];\n  ld.param.u64 %b, [b];\n  add.s64 %d, "
              "%d, %i;\n  add.s64 %a, %a, %i;\n  add.s64 %b, %b, %i;\n"
              "  ld.global.f64 %x, [%a];\n  ld.global.f64 %y, [%b];\n  " +
              Op + "." + Mode + ".f64 %x, %x" +
              (strcmp(Op, "sqrt") ? ", %y" : "") +
              ";\n  st.global.f64 [%d], %x;\n}\n";
  Rig R(Text);
  const size_t N = 1024;
  std::vector<double> A(N), B(N);
  for (size_t I = 0; I < N; ++I) {
    A[I] = std::ldexp(static_cast<double>(drawn() >> 11), -40);
    B[I] = std::ldexp(static_cast<double>(drawn() >> 11), -45);
    if (I % 2)
      B[I] = -B[I];
  }
  Address Da = R.put(A), Db = R.put(B), Dd = R.M->allocate(N * 8);
  for (const char *Op : Ops)
    for (const char *Mode : Modes) {
      CHECK(
          !R.launch((std::string(Op) + Mode).c_str(), {1}, {N}, {Dd, Da, Db}));
      auto D = R.get<double>(Dd, N);
      unsigned Wrong = 0;
      for (size_t I = 0; I < N; ++I) {
        double Near,
            Rest; // the exact result is Near and something of Rest's sign
        double a = A[I], b = B[I];
        if (!strcmp(Op, "add")) {
          Near = a + b;
          double Part = Near - a;
          Rest = (a - (Near - Part)) + (b - Part);
        } else if (!strcmp(Op, "mul"))
          Near = a * b, Rest = std::fma(a, b, -Near);
        else if (!strcmp(Op, "div"))
          Near = a / b, Rest = std::fma(-Near, b, a) * (b < 0 ? -1 : 1);
        else
          Near = std::sqrt(a), Rest = std::fma(-Near, Near, a);
        double Want = Near;
        bool Down = !strcmp(Mode, "rm") || (!strcmp(Mode, "rz") && Near > 0);
        if (Down && Rest < 0)
          Want = std::nextafter(Near, -INFINITY);
        if (!Down && Rest > 0)
          Want = std::nextafter(Near, INFINITY);
        Wrong += D[I] != Want;
      }
      CHECK(Wrong == 0);
    }
}

} // namespace test
