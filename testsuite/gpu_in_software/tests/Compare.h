// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction that computes a value, against C: on special and on random
// operands.
#ifndef GPU_IN_SOFTWARE_TESTS_COMPARE_H
#define GPU_IN_SOFTWARE_TESTS_COMPARE_H

#include "../exec/Table.h"
#include "Test.h"
#include <cfenv>
#include <cmath>
#include <limits>
#include <set>

namespace test {

using machine::Named;

inline std::set<std::string> Tested; // opcodes

inline uint64_t drawn() {
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
inline double Tolerance = 0;

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

// The cases.
void arithmetic();
void bitwise();
void comparisons();
void carries();
void floats();
void approximations();
void conversions();
void directions();

} // namespace test

#endif // GPU_IN_SOFTWARE_TESTS_COMPARE_H
