// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions on integers, and comparisons.

#include "Compare.h"

namespace test {

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

// clang-format on

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

} // namespace test
