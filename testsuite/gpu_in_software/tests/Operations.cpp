// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each instruction that computes a value, against C: on special and on random
// operands.

#include "../exec/Table.h"
#include "Test.h"
#include <cfenv>
#include <cmath>
#include <limits>
#include <set>

using namespace test;
using machine::Named;

namespace {

std::set<std::string> Tested; // opcodes

uint64_t drawn() {
  static machine::Random R(29);
  return R.next() << 32 ^ R.next();
}

/// Special values of a type, and some that are drawn.
template <class T> std::vector<T> values() {
  std::vector<T> V;
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    using L = std::numeric_limits<T>;
    for (T X : {L::min(), L::max(), T(0), T(1), T(2), T(-1), T(-2)})
      V.push_back(X);
    // Places and lengths of bits around each width, and what looks like one
    // only in its low byte.
    for (unsigned X : {3u, 7u, 8u, 15u, 16u, 17u, 31u, 32u, 33u, 63u, 64u, 65u,
                       127u, 255u, 256u, 0x10004u, 0x80000000u})
      V.push_back(static_cast<T>(X));
    while (V.size() < 48)
      V.push_back(static_cast<T>(drawn() >> drawn() % 64));
  } else {
    using L = std::numeric_limits<T>;
    for (double X : {0.0,
                     1.0,
                     0.5,
                     1.5,
                     2.5,
                     0.49999999999999994,
                     3.0,
                     1e10,
                     255.0,
                     255.5,
                     256.0,
                     32767.5,
                     65535.0,
                     65535.5,
                     65536.0,
                     2147483647.0,
                     2147483648.0,
                     4294967295.0,
                     4294967296.0,
                     9223372036854775808.0,
                     18446744073709551616.0,
                     1e-30,
                     1e30,
                     0.1})
      V.push_back(static_cast<T>(X)), V.push_back(static_cast<T>(-X));
    for (T X : {L::infinity(), L::max(), L::min(), L::denorm_min(),
                L::min() / 2, std::nextafter(T(1), T(2)), L::epsilon()})
      V.push_back(X), V.push_back(-X);
    V.push_back(L::quiet_NaN());
    while (V.size() < 96) {
      // Any bits, or a number of ordinary size.
      if (V.size() % 2)
        V.push_back(machine::get<T>(drawn()));
      else
        V.push_back(static_cast<T>(
            std::ldexp(static_cast<double>(static_cast<int64_t>(drawn())),
                       static_cast<int>(drawn() % 80) - 100)));
    }
  }
  return V;
}

template <class T> std::string registerType() {
  unsigned Bits = Named<T>::type().Bits;
  return "b" + std::to_string(std::max(16u, Bits));
}
template <class T> std::string load(const std::string &To, unsigned Param) {
  std::string At = "  ld.param.u64 %a, [p" + std::to_string(Param) +
                   "];\n  mad.lo.s64 %a, %i, " + std::to_string(sizeof(T)) +
                   ", %a;\n";
  if (std::is_same_v<T, bool>)
    return At + "  ld.global.u8 %h, [%a];\n  setp.ne.u16 " + To + ", %h, 0;\n";
  return At + "  ld.global.b" + std::to_string(8 * sizeof(T)) + " " + To +
         ", [%a];\n";
}
template <class T> std::string declare(const std::string &Name) {
  return "  .reg ." +
         (std::is_same_v<T, bool> ? std::string("pred") : registerType<T>()) +
         " " + Name + ";\n";
}

enum class Match { Bits, Close };
double Tolerance = 0;

template <class D> bool same(D Got, D Want, bool Close) {
  if constexpr (std::is_floating_point_v<D>) {
    if (Want != Want)
      return Got != Got && (sizeof(D) == 8 || machine::put(Got) == 0x7FFFFFFF);
    if (Close) {
      if (std::isinf(Want) || Want == 0)
        return Got == Want;
      return std::fabs(Got - Want) <=
             Tolerance * std::fabs(Want) + std::numeric_limits<D>::min();
    }
  }
  // Also a NaN's bits, and the sign of 0.
  return !memcmp(static_cast<const void *>(&Got),
                 static_cast<const void *>(&Want), sizeof Got);
}

/// Executes `Opcode d, a, b, c;` for many operands, of which the first N are
/// written, and compares with C.
template <class A, class B, class C, class D>
void compare(const std::string &Opcode, unsigned N,
             const std::function<D(A, B, C)> &Reference, bool Close,
             const std::string &Behind) {
  Tested.insert(Opcode);
  std::string Text =
      ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2, "
      ".param .u64 p3)\n{\n  .reg .b64 %i, %a;\n  .reg .b32 %t, %n, %x;\n"
      "  .reg .b16 %h;\n" +
      declare<D>("%d") + declare<A>("%p") + declare<B>("%q") +
      declare<C>("%r") +
      "  mov.u32 %t, %tid.x;\n  mov.u32 %n, %ntid.x;\n  mov.u32 %x, "
      "%ctaid.x;\n  mad.lo.s32 %t, %n, %x, %t;\n  cvt.u64.u32 %i, %t;\n" +
      load<A>("%p", 1) + (N > 1 ? load<B>("%q", 2) : "") +
      (N > 2 ? load<C>("%r", 3) : "") + "  " + Opcode + " %d, %p" +
      (N > 1 ? ", %q" : "") + (N > 2 ? ", %r" : "") + Behind +
      ";\n  ld.param.u64 %a, [p0];\n  mad.lo.s64 %a, %i, " +
      std::to_string(sizeof(D)) + ", %a;\n" +
      (std::is_same_v<D, bool> ? "  selp.b16 %h, 1, 0, %d;\n" : "") +
      "  st.global.b" + std::to_string(8 * sizeof(D)) + " [%a], " +
      (std::is_same_v<D, bool> ? "%h" : "%d") + ";\n}\n";
  static const std::vector<A> Va = values<A>();
  static const std::vector<B> Vb = values<B>();
  static const std::vector<C> Vc = values<C>();
  const size_t Threads = 256, Blocks = 8, All = Threads * Blocks;
  // std::vector<bool> has no bytes.
  std::vector<unsigned char> Pa(All * sizeof(A)), Pb(All * sizeof(B)),
      Pc(All * sizeof(C));
  auto fill = [&](auto &To, const auto &From, size_t I, size_t Step) {
    auto V = From[Step % From.size()];
    memcpy(&To[I * sizeof V], &V, sizeof V);
  };
  for (size_t I = 0; I < All; ++I) {
    bool Draw = I >= All / 2;
    fill(Pa, Va, I, Draw ? drawn() : I);
    fill(Pb, Vb, I, Draw ? drawn() : I / Va.size() * 5 + I);
    fill(Pc, Vc, I, drawn());
  }
  Options O;
  O.Threads = Order::InOrder;
  O.MemoryBytes = 1 << 20;
  Rig R(Text, O);
  if (!R.Mod)
    printf("# %s\n", Opcode.c_str());
  Address To = R.M->allocate(All * sizeof(D));
  Fault F =
      R.launch("k", {Blocks}, {Threads}, {To, R.put(Pa), R.put(Pb), R.put(Pc)});
  CHECK(!F);
  if (F)
    return;
  auto Got = R.get<unsigned char>(To, All * sizeof(D));
  unsigned Wrong = 0;
  for (size_t I = 0; I < All; ++I) {
    A Xa;
    B Xb;
    C Xc;
    D Xd;
    memcpy(&Xa, &Pa[I * sizeof Xa], sizeof Xa);
    memcpy(&Xb, &Pb[I * sizeof Xb], sizeof Xb);
    memcpy(&Xc, &Pc[I * sizeof Xc], sizeof Xc);
    memcpy(&Xd, &Got[I * sizeof Xd], sizeof Xd);
    D Want = Reference(Xa, Xb, Xc);
    if (same(Xd, Want, Close) || ++Wrong > 3)
      continue;
    printf("# %s(%llx %g, %llx %g, %llx %g) = %llx %.17g, not %llx %.17g\n",
           Opcode.c_str(), static_cast<unsigned long long>(machine::put(Xa)),
           static_cast<double>(Xa),
           static_cast<unsigned long long>(machine::put(Xb)),
           static_cast<double>(Xb),
           static_cast<unsigned long long>(machine::put(Xc)),
           static_cast<double>(Xc),
           static_cast<unsigned long long>(machine::put(Xd)),
           static_cast<double>(Xd),
           static_cast<unsigned long long>(machine::put(Want)),
           static_cast<double>(Want));
    Good = false;
  }
}

/// A function of its own for each kind of operands, not for each reference:
/// that would take minutes to compile.
template <class A, class B, class C, class Fn>
void check(const std::string &Opcode, unsigned N, Fn Reference,
           bool Close = false, const std::string &Behind = "") {
  using D = decltype(Reference(A(), B(), C()));
  compare<A, B, C, D>(Opcode, N, std::function<D(A, B, C)>(Reference), Close,
                      Behind);
}

template <class T> std::string suffix() { return "." + machine::nameOf<T>(); }
template <class T> std::string bits() { return "." + machine::bitsOf<T>(); }
template <class... Ts, class Fn> void forTypes(Fn F) { (F(Ts()), ...); }
#define REFERENCE(TA, TB, TC, ...)                                             \
  []([[maybe_unused]] TA a, [[maybe_unused]] TB b, [[maybe_unused]] TC c) {    \
    __VA_ARGS__                                                                \
  }

/// Exact, so that the reference needs no care.
__extension__ using Big = __int128;
__extension__ using UnsignedBig = unsigned __int128;

template <class T> T wrapped(Big V) { return static_cast<T>(V); }
template <class T> T clamped(Big V) {
  using L = std::numeric_limits<T>;
  return V < L::min() ? L::min() : V > L::max() ? L::max() : static_cast<T>(V);
}
template <class T> Big productOf(T A, T B) {
  if (std::is_signed_v<T>)
    return Big(A) * Big(B);
  return static_cast<Big>(UnsignedBig(A) * UnsignedBig(B));
}
template <class T> T upper(T A, T B) {
  if (std::is_signed_v<T>)
    return static_cast<T>(productOf(A, B) >> 8 * sizeof(T));
  return static_cast<T>(static_cast<UnsignedBig>(productOf(A, B)) >>
                        8 * sizeof(T));
}

// The tables below are easier to read with a line an instruction.
// clang-format off

void arithmetic() {
  forTypes<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>([](auto X) {
    using T = decltype(X);
    std::string S = suffix<T>();
    check<T, T, T>("add" + S, 2, REFERENCE(T, T, T, return wrapped<T>(Big(a) + b);));
    check<T, T, T>("sub" + S, 2, REFERENCE(T, T, T, return wrapped<T>(Big(a) - b);));
    check<T, T, T>("mul.lo" + S, 2, REFERENCE(T, T, T, return wrapped<T>(productOf(a, b));));
    check<T, T, T>("mul.hi" + S, 2, REFERENCE(T, T, T, return upper(a, b);));
    check<T, T, T>("mad.lo" + S, 3, REFERENCE(T, T, T, return wrapped<T>(Big(wrapped<T>(productOf(a, b))) + c);));
    check<T, T, T>("mad.hi" + S, 3, REFERENCE(T, T, T, return wrapped<T>(Big(upper(a, b)) + c);));
    check<T, T, T>("div" + S, 2, REFERENCE(T, T, T, return b ? wrapped<T>(Big(a) / Big(b)) : T(-1);));
    check<T, T, T>("rem" + S, 2, REFERENCE(T, T, T, return b ? wrapped<T>(Big(a) % Big(b)) : T(-1);));
    check<T, T, T>("min" + S, 2, REFERENCE(T, T, T, return a < b ? a : b;));
    check<T, T, T>("max" + S, 2, REFERENCE(T, T, T, return a > b ? a : b;));
    check<T, T, bool>("selp" + S, 3, REFERENCE(T, T, bool, return c ? a : b;));
    check<T, T, T>("mov" + S, 1, REFERENCE(T, T, T, return a;));
    if constexpr (std::is_signed_v<T>) {
      check<T, T, T>("abs" + S, 1, REFERENCE(T, T, T, return wrapped<T>(a < 0 ? -Big(a) : Big(a));));
      check<T, T, T>("neg" + S, 1, REFERENCE(T, T, T, return wrapped<T>(-Big(a));));
    }
    if constexpr (sizeof(T) == 2) {
      using W = std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>;
      check<T, T, T>("mul.wide" + S, 2, REFERENCE(T, T, T, return static_cast<W>(productOf(a, b));));
      check<T, T, W>("mad.wide" + S, 3, REFERENCE(T, T, W, return static_cast<W>(productOf(a, b) + c);));
    }
    if constexpr (sizeof(T) == 4) {
      using W = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
      check<T, T, T>("mul.wide" + S, 2, REFERENCE(T, T, T, return static_cast<W>(productOf(a, b));));
      check<T, T, W>("mad.wide" + S, 3, REFERENCE(T, T, W, return static_cast<W>(productOf(a, b) + c);));
    }
  });
  check<int32_t, int32_t, int32_t>("add.sat.s32", 2, REFERENCE(int32_t, int32_t, int32_t, return clamped<int32_t>(Big(a) + b);));
  check<int32_t, int32_t, int32_t>("sub.sat.s32", 2, REFERENCE(int32_t, int32_t, int32_t, return clamped<int32_t>(Big(a) - b);));
}

/// As the manual's own loop says.
template <class T> T extracted(T A, uint32_t Pos, uint32_t Len) {
  Pos &= 255, Len &= 255;
  unsigned Top = 8 * sizeof(T) - 1;
  auto bit = [&](unsigned I) { return static_cast<uint64_t>(A) >> I & 1; };
  uint64_t Sign = !std::is_signed_v<T> || !Len ? 0 : bit(std::min(Pos + Len - 1, Top));
  uint64_t D = 0;
  for (unsigned I = 0; I <= Top; ++I)
    D |= (I < Len && Pos + I <= Top ? bit(Pos + I) : Sign) << I;
  return static_cast<T>(D);
}
uint32_t permuted(uint32_t A, uint32_t B, uint32_t C) {
  unsigned char Bytes[8], Out[4];
  memcpy(Bytes, &A, 4);
  memcpy(Bytes + 4, &B, 4);
  for (unsigned I = 0; I < 4; ++I, C >>= 4) {
    Out[I] = Bytes[C & 7];
    if (C & 8)
      Out[I] = Out[I] >= 128 ? 255 : 0;
  }
  uint32_t D;
  memcpy(&D, Out, 4);
  return D;
}
void bitwise() {
  forTypes<bool, uint16_t, uint32_t, uint64_t>([](auto X) {
    using T = decltype(X);
    std::string S = std::is_same_v<T, bool> ? ".pred" : bits<T>();
    check<T, T, T>("and" + S, 2, REFERENCE(T, T, T, return static_cast<T>(a & b);));
    check<T, T, T>("or" + S, 2, REFERENCE(T, T, T, return static_cast<T>(a | b);));
    check<T, T, T>("xor" + S, 2, REFERENCE(T, T, T, return static_cast<T>(a ^ b);));
    check<T, T, T>("mov" + S, 1, REFERENCE(T, T, T, return a;));
    if constexpr (std::is_same_v<T, bool>) {
      check<T, T, T>("not.pred", 1, REFERENCE(T, T, T, return !a;));
    } else {
      using U = uint32_t;
      const unsigned W = 8 * sizeof(T);
      check<T, T, T>("not" + S, 1, REFERENCE(T, T, T, return static_cast<T>(~a);));
      check<T, T, bool>("selp" + S, 3, REFERENCE(T, T, bool, return c ? a : b;));
      check<T, U, U>("shl" + S, 2, REFERENCE(T, U, U, return static_cast<T>(b < W ? a << b : 0);));
      check<T, U, U>("shr" + S, 2, REFERENCE(T, U, U, return static_cast<T>(b < W ? a >> b : 0);));
      check<T, U, U>("shr" + suffix<T>(), 2, REFERENCE(T, U, U, return static_cast<T>(b < W ? a >> b : 0);));
      using I = std::make_signed_t<T>;
      check<I, U, U>("shr" + suffix<I>(), 2, REFERENCE(I, U, U, return static_cast<I>(a >> std::min(b, W - 1));));
    }
  });
  forTypes<uint32_t, uint64_t>([](auto X) {
    using T = decltype(X);
    using I = std::make_signed_t<T>;
    using U = uint32_t;
    const unsigned W = 8 * sizeof(T);
    auto count = [](T V) { U N = 0; for (unsigned K = 0; K < W; ++K) N += V >> K & 1; return N; };
    auto highest = [](T V) { U N = ~0u; for (unsigned K = 0; K < W; ++K) if (V >> K & 1) N = K; return N; };
    check<T, T, T>("popc" + bits<T>(), 1, [&](T a, T, T) { return count(a); });
    check<T, T, T>("clz" + bits<T>(), 1, [&](T a, T, T) { return W - 1 - highest(a); });
    check<T, T, T>("brev" + bits<T>(), 1, REFERENCE(T, T, T, T D = 0; for (unsigned K = 0; K < W; ++K) D |= (a >> K & 1) << (W - 1 - K); return D;));
    check<T, U, U>("bfe" + suffix<T>(), 3, REFERENCE(T, U, U, return extracted(a, b, c);));
    check<I, U, U>("bfe" + suffix<I>(), 3, REFERENCE(I, U, U, return extracted(a, b, c);));
    // bfi has a fourth operand.
    for (unsigned Len : {0u, 1u, 5u, 31u, 32u, 33u, 64u, 200u})
      check<T, T, U>("bfi" + bits<T>(), 3, [=](T a, T b, U c) {
        for (unsigned K = 0; K < Len && (c & 255) + K < W; ++K) {
          T One = T(1) << ((c & 255) + K);
          b = a >> K & 1 ? b | One : b & ~One;
        }
        return b;
      }, false, ", " + std::to_string(Len));
  });
  using U = uint32_t;
  auto join = [](U A, U B) { return uint64_t(B) << 32 | A; };
  check<U, U, U>("shf.l.wrap.b32", 3, [=](U a, U b, U c) { return U((join(a, b) << c % 32) >> 32); });
  check<U, U, U>("shf.l.clamp.b32", 3, [=](U a, U b, U c) { return U((join(a, b) << std::min(c, 32u)) >> 32); });
  check<U, U, U>("shf.r.wrap.b32", 3, [=](U a, U b, U c) { return U(join(a, b) >> c % 32); });
  check<U, U, U>("shf.r.clamp.b32", 3, [=](U a, U b, U c) { return U(join(a, b) >> std::min(c, 32u)); });
  check<U, U, U>("prmt.b32", 3, REFERENCE(U, U, U, return permuted(a, b, c);));
}

void comparisons() {
  forTypes<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t, float, double>([](auto X) {
    using T = decltype(X);
    std::string S = suffix<T>();
    check<T, T, T>("setp.eq" + S, 2, REFERENCE(T, T, T, return a == b;));
    check<T, T, T>("setp.ne" + S, 2, REFERENCE(T, T, T, return a != b && a == a && b == b;));
    check<T, T, T>("setp.lt" + S, 2, REFERENCE(T, T, T, return a < b;));
    check<T, T, T>("setp.le" + S, 2, REFERENCE(T, T, T, return a <= b;));
    check<T, T, T>("setp.gt" + S, 2, REFERENCE(T, T, T, return a > b;));
    check<T, T, T>("setp.ge" + S, 2, REFERENCE(T, T, T, return a >= b;));
    if constexpr (std::is_floating_point_v<T>) {
      check<T, T, T>("setp.equ" + S, 2, REFERENCE(T, T, T, return a == b || a != a || b != b;));
      check<T, T, T>("setp.neu" + S, 2, REFERENCE(T, T, T, return a != b;));
      check<T, T, T>("setp.ltu" + S, 2, REFERENCE(T, T, T, return a < b || a != a || b != b;));
      check<T, T, T>("setp.leu" + S, 2, REFERENCE(T, T, T, return a <= b || a != a || b != b;));
      check<T, T, T>("setp.gtu" + S, 2, REFERENCE(T, T, T, return a > b || a != a || b != b;));
      check<T, T, T>("setp.geu" + S, 2, REFERENCE(T, T, T, return a >= b || a != a || b != b;));
      check<T, T, T>("setp.num" + S, 2, REFERENCE(T, T, T, return a == a && b == b;));
      check<T, T, T>("setp.nan" + S, 2, REFERENCE(T, T, T, return a != a || b != b;));
      check<T, T, T>("testp.finite" + S, 1, REFERENCE(T, T, T, return std::fabs(a) <= std::numeric_limits<T>::max();));
      check<T, T, T>("testp.infinite" + S, 1, REFERENCE(T, T, T, return std::fabs(a) > std::numeric_limits<T>::max();));
    } else if constexpr (std::is_unsigned_v<T>) {
      check<T, T, T>("setp.eq" + bits<T>(), 2, REFERENCE(T, T, T, return a == b;));
      check<T, T, T>("setp.ne" + bits<T>(), 2, REFERENCE(T, T, T, return a != b;));
    }
  });
}

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

/// Sums and products of 128 bits by carries.
void carries() {
  for (unsigned Bits : {32u, 64u}) {
    std::string T = ".u" + std::to_string(Bits), B = std::to_string(Bits);
    std::string Text =
        ".visible .entry k(.param .u64 d, .param .u64 a)\n{\n  .reg .b64 %i, "
        "%d, %a;\n  .reg .b32 %t;\n  .reg .b" +
        B +
        " %x<16>;\n"
        "  mov.u32 %t, %tid.x;\n  ld.param.u64 %d, [d];\n  ld.param.u64 %a, "
        "[a];\n  mul.wide.u32 %i, %t, 32;\n  add.s64 %a, %a, %i;\n  "
        "mul.wide.u32"
        " %i, %t, 64;\n  add.s64 %d, %d, %i;\n";
    unsigned Step = Bits / 8;
    for (unsigned I = 0; I < 4; ++I)
      Text += "  ld.global" + T + " %x" + std::to_string(I) + ", [%a+" +
              std::to_string(I * Step) + "];\n";
    // x1:x0 and x3:x2.
    Text += "  add.cc" + T + " %x4, %x0, %x2;\n  addc.cc" + T +
            " %x5, %x1, %x3;\n  addc" + T + " %x6, 0, 0;\n  sub.cc" + T +
            " %x7, %x0, %x2;\n  subc.cc" + T + " %x8, %x1, %x3;\n  subc" + T +
            " %x9, 0, 0;\n  mad.lo.cc" + T +
            " %x10, %x0, %x2, %x1;\n"
            "  madc.hi" +
            T + " %x11, %x0, %x2, %x3;\n  mad.hi.cc" + T +
            " %x12, %x0, %x2, %x1;\n  madc.lo.cc" + T +
            " %x13, %x1, %x3, 1;\n  madc.hi.cc" + T +
            " %x14, %x1, %x3, %x0;\n  madc.lo" + T + " %x15, 0, 0, 0;\n";
    for (unsigned I = 4; I < 12; ++I)
      Text += "  st.global" + T + " [%d+" + std::to_string((I - 4) * Step) +
              "], %x" + std::to_string(I) + ";\n";
    Text += "  ld.param.u64 %a, [a];\n  add.s64 %d, %d, 65536;\n";
    for (unsigned I = 12; I < 16; ++I)
      Text += "  st.global" + T + " [%d+" + std::to_string((I - 12) * Step) +
              "], %x" + std::to_string(I) + ";\n";
    Text += "}\n";
    Rig R(Text);
    const size_t N = 512;
    std::vector<uint64_t> In(N * 4);
    for (uint64_t &V : In)
      V = drawn() % 3 ? drawn() : drawn() % 2 ? ~uint64_t(0) : 0;
    Address Da = R.put(In), Dd = R.M->allocate(65536 + N * 64);
    CHECK(!R.launch("k", {1}, {N}, {Dd, Da}));
    auto Out = R.get<unsigned char>(Dd, 65536 + N * 64);
    unsigned Wrong = 0;
    for (size_t I = 0; I < N; ++I) {
      auto word = [&](const void *From, size_t K) {
        uint64_t V = 0;
        memcpy(&V, static_cast<const unsigned char *>(From) + K * Step, Step);
        return UnsignedBig(V);
      };
      UnsignedBig X[4], Y[8], Z[4];
      for (size_t K = 0; K < 4; ++K)
        X[K] = word(&In[I * 4], K), Z[K] = word(&Out[65536 + I * 64], K);
      for (size_t K = 0; K < 8; ++K)
        Y[K] = word(&Out[I * 64], K);
      const UnsignedBig Mask = (UnsignedBig(1) << Bits) - 1;
      auto low = [&](UnsignedBig V) { return V & Mask; };
      UnsignedBig S0 = X[0] + X[2], C0 = S0 >> Bits, S1 = X[1] + X[3] + C0;
      Wrong += Y[0] != low(S0) || Y[1] != low(S1) || Y[2] != S1 >> Bits;
      bool Borrow = X[0] < X[2], Borrow2 = X[1] < X[3] + Borrow;
      Wrong += Y[3] != low(X[0] - X[2]) || Y[4] != low(X[1] - X[3] - Borrow) ||
               Y[5] != low(0 - UnsignedBig(Borrow2));
      UnsignedBig P = X[0] * X[2], Q = X[1] * X[3];
      UnsignedBig L = low(P) + X[1];
      Wrong += Y[6] != low(L) || Y[7] != low((P >> Bits) + X[3] + (L >> Bits));
      UnsignedBig H = (P >> Bits) + X[1], M = low(Q) + 1 + (H >> Bits),
                  U = (Q >> Bits) + X[0] + (M >> Bits);
      Wrong += Z[0] != low(H) || Z[1] != low(M) || Z[2] != low(U) ||
               Z[3] != U >> Bits;
    }
    CHECK(Wrong == 0);
  }
  for (const char *T : {"u32", "s32", "u64", "s64"})
    for (const char *Op :
         {"add.cc", "addc", "addc.cc", "sub.cc", "subc", "subc.cc", "mad.lo.cc",
          "mad.hi.cc", "madc.lo", "madc.hi", "madc.lo.cc", "madc.hi.cc"})
      Tested.insert(std::string(Op) + "." + T);
}

/// No instruction that computes was forgotten above.
void complete() {
  machine::Table T;
  machine::addIntegers(T);
  machine::addFloats(T);
  machine::addConversions(T);
  std::set<std::string> Without; // flags
  for (const std::string &Name : Tested) {
    std::string Key;
    size_t At = 0;
    while (At < Name.size()) {
      size_t Dot = std::min(Name.find('.', At), Name.size());
      std::string Part = Name.substr(At, Dot - At);
      static const std::set<std::string> Flags = {
          "ftz", "sat", "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"};
      if (!Flags.count(Part))
        Key += (Key.empty() ? "" : ".") + Part;
      At = Dot + 1;
    }
    Without.insert(Key);
  }
  for (const auto &Row : T)
    if (!Tested.count(Row.first) && !Without.count(Row.first)) {
      printf("# not tested: %s\n", Row.first.c_str());
      Good = false;
    }
}

const Case Cases[] = {
    {"integer arithmetic", arithmetic},
    {"bits", bitwise},
    {"comparisons", comparisons},
    {"floating-point arithmetic", floats},
    {"approximations", approximations},
    {"conversions", conversions},
    {"ways to round", directions},
    {"carries", carries},
    {"no instruction is left out", complete},
};

} // namespace

int main() { return runAll(Cases); }
