// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic, bits, comparisons and selections.

#include "Table.h"
#include <limits>

namespace gpu_in_software::machine {

namespace {

template <class T> using Unsigned = std::make_unsigned_t<T>;
/// Of twice the width.
template <class T> struct WideOf;
template <> struct WideOf<uint16_t> {
  using Type = uint32_t;
};
template <> struct WideOf<int16_t> {
  using Type = int32_t;
};
template <> struct WideOf<uint32_t> {
  using Type = uint64_t;
};
template <> struct WideOf<int32_t> {
  using Type = int64_t;
};
__extension__ using Unsigned128 = unsigned __int128;
__extension__ using Signed128 = __int128;
template <> struct WideOf<uint64_t> {
  using Type = Unsigned128;
};
template <> struct WideOf<int64_t> {
  using Type = Signed128;
};
template <class T> using Wide = typename WideOf<T>::Type;
template <class T> constexpr int BitsOf = 8 * sizeof(T);

/// Wraps around; 64 bits are enough for the low bits of any product.
template <class T> T product(T A, T B) {
  return static_cast<T>(static_cast<uint64_t>(A) * static_cast<uint64_t>(B));
}
template <class T> T high(T A, T B) {
  return static_cast<T>((Wide<T>(A) * Wide<T>(B)) >> BitsOf<T>);
}
template <class T> T sum(T A, T B) {
  return static_cast<T>(static_cast<uint64_t>(A) + static_cast<uint64_t>(B));
}
template <class T> T difference(T A, T B) {
  return static_cast<T>(static_cast<uint64_t>(A) - static_cast<uint64_t>(B));
}
/// By zero all bits are set, as the code that ptxas makes does.
template <class T> T quotient(T A, T B) {
  if (!B)
    return static_cast<T>(-1);
  if (std::is_signed_v<T> && B == static_cast<T>(-1))
    return difference(T(0), A);
  return static_cast<T>(A / B);
}
template <class T> T remainder(T A, T B) {
  if (!B)
    return static_cast<T>(-1);
  if (std::is_signed_v<T> && B == static_cast<T>(-1))
    return 0;
  return static_cast<T>(A % B);
}
template <class T> T clamped(Signed128 V) {
  using L = std::numeric_limits<T>;
  return V < L::min() ? L::min() : V > L::max() ? L::max() : static_cast<T>(V);
}
inline int32_t low24(int32_t V) {
  return static_cast<int32_t>(static_cast<uint32_t>(V) << 8) >> 8;
}
inline uint32_t low24(uint32_t V) { return V & 0xFFFFFF; }
template <class T> Wide<T> product24(T A, T B) {
  return Wide<T>(low24(A)) * Wide<T>(low24(B));
}
template <class T> unsigned leadingZeros(T V) {
  return !V ? BitsOf<T>
         : BitsOf<T> == 64
             ? static_cast<unsigned>(__builtin_clzll(V))
             : static_cast<unsigned>(__builtin_clz(static_cast<uint32_t>(V)));
}

OPERATION(Add, sum(a, b))
OPERATION(Sub, difference(a, b))
OPERATION(AddSat, clamped<T>(Signed128(a) + b))
OPERATION(SubSat, clamped<T>(Signed128(a) - b))
OPERATION(MulLo, product(a, b))
OPERATION(MulHi, high(a, b))
OPERATION(MadLo, sum(product(a, b), c))
OPERATION(MadHi, sum(high(a, b), c))
OPERATION(MadHiSat, clamped<T>(Signed128(high(a, b)) + c))
OPERATION(Mul24Lo, product24(a, b))
OPERATION(Mul24Hi, product24(a, b) >> 16)
OPERATION(Mad24Lo, sum(static_cast<T>(product24(a, b)), c))
OPERATION(Mad24Hi, sum(static_cast<T>(product24(a, b) >> 16), c))
OPERATION(Div, quotient(a, b))
OPERATION(Rem, remainder(a, b))
OPERATION(Abs, a < 0 ? difference(T(0), a) : a)
OPERATION(Neg, difference(T(0), a))
OPERATION(Min, b < a ? b : a)
OPERATION(Max, a < b ? b : a)
OPERATION(Sad, sum(c, a < b ? difference(b, a) : difference(a, b)))
OPERATION(And, a &b)
OPERATION(Or, a | b)
OPERATION(Xor, a ^ b)
OPERATION(Not, ~a)
OPERATION(Cnot, a == 0)
OPERATION(Move, a)

struct MulWide {
  template <class T> static Wide<T> of(T A, T B, T) {
    return static_cast<Wide<T>>(A) * B;
  }
};
struct MadWide {
  template <class T> static Wide<T> of(T A, T B, Wide<T> C) {
    return sum(static_cast<Wide<T>>(static_cast<Wide<T>>(A) * B), C);
  }
};
/// Shifts past the width leave nothing, or the sign.
struct Shl {
  template <class T> static T of(T A, uint32_t N, uint32_t) {
    return N >= BitsOf<T> ? T(0)
                          : static_cast<T>(static_cast<uint64_t>(A) << N);
  }
};
struct Shr {
  template <class T> static T of(T A, uint32_t N, uint32_t) {
    if (N >= BitsOf<T>)
      return A < 0 ? static_cast<T>(-1) : T(0);
    return static_cast<T>(A >> N);
  }
};
/// Funnel shifts: the words b:a.
template <bool Left, bool Wrap> struct Funnel {
  static uint32_t of(uint32_t A, uint32_t B, uint32_t N) {
    N = Wrap ? N & 31 : std::min(N, 32u);
    uint64_t Both = uint64_t(B) << 32 | A;
    return static_cast<uint32_t>(Left ? (Both << N) >> 32 : Both >> N);
  }
};
struct Popc {
  template <class T> static uint32_t of(T A, T, T) {
    return static_cast<uint32_t>(__builtin_popcountll(A));
  }
};
struct Clz {
  template <class T> static uint32_t of(T A, T, T) { return leadingZeros(A); }
};
/// The highest bit that differs from the sign, counted from below, or (shift)
/// how far it has to go up.
template <bool Shift> struct Bfind {
  template <class T> static uint32_t of(T A, T, T) {
    Unsigned<T> V = static_cast<Unsigned<T>>(A < 0 ? ~A : A);
    if (!V)
      return ~0u;
    unsigned Zeros = leadingZeros(V);
    return Shift ? Zeros : BitsOf<T> - 1 - Zeros;
  }
};
struct Brev {
  template <class T> static T of(T A, T, T) {
    T R = 0;
    for (int I = 0; I < BitsOf<T>; ++I)
      R = static_cast<T>(R << 1 | (A >> I & 1));
    return R;
  }
};
/// Bits from C's low byte on, as many as D's says; a signed field that reaches
/// past the top has the sign for what is missing.
struct Bfe {
  template <class T> static T of(T A, uint32_t From, uint32_t Count) {
    unsigned Pos = From & 255, Len = Count & 255, Top = BitsOf<T> - 1;
    if (!Len)
      return 0;
    bool Sign =
        std::is_signed_v<T> &&
        (static_cast<Unsigned<T>>(A) >> std::min(Pos + Len - 1, Top) & 1);
    Unsigned<T> R = Pos > Top ? 0 : static_cast<Unsigned<T>>(A) >> Pos;
    unsigned Known = Pos > Top ? 0 : std::min(Len, Top + 1 - Pos);
    Unsigned<T> Mask =
        Known > Top ? ~Unsigned<T>(0)
                    : static_cast<Unsigned<T>>((Unsigned<T>(1) << Known) - 1);
    return static_cast<T>((R & Mask) | (Sign ? ~Mask : 0));
  }
};
struct Slct {
  template <class T> static T of(T A, T B, int32_t C) { return C >= 0 ? A : B; }
};
struct SlctFloat {
  template <class T> static T of(T A, T B, float C) { return C >= 0 ? A : B; }
};
struct Selp {
  template <class T> static T of(T A, T B, bool P) { return P ? A : B; }
};

/// With four sources: the last one is in slot Inst::More.
template <class T> const Inst *bfi(Thread &X, const Inst *I) {
  uint64_t *R = X.R;
  T A = get<T>(R[I->A]), B = get<T>(R[I->B]);
  unsigned Pos = R[I->C] & 255, Len = R[I->More] & 255;
  for (unsigned K = 0; K < Len && Pos + K < BitsOf<T>; ++K)
    B = static_cast<T>((B & ~(T(1) << (Pos + K))) | (A >> K & 1) << (Pos + K));
  R[I->D] = put(B);
  return I + 1;
}
/// Of each position the bits of a, b and c are a number, which bit of the
/// table is the result.
const Inst *lop3(Thread &X, const Inst *I) {
  uint64_t *R = X.R;
  uint32_t A = get<uint32_t>(R[I->A]), B = get<uint32_t>(R[I->B]),
           C = get<uint32_t>(R[I->C]), D = 0;
  for (unsigned K = 0; K < 8; ++K)
    if (I->More >> K & 1)
      D |= (K & 4 ? A : ~A) & (K & 2 ? B : ~B) & (K & 1 ? C : ~C);
  R[I->D] = D;
  return I + 1;
}

/// Bytes of b:a. The default takes four selectors of four bits, the highest
/// bit of each for "its sign eight times".
struct Prmt {
  static uint8_t byte(uint64_t Both, unsigned K) {
    return static_cast<uint8_t>(Both >> 8 * (K & 7));
  }
  static uint32_t of(uint32_t A, uint32_t B, uint32_t C) {
    uint64_t Both = uint64_t(B) << 32 | A;
    uint32_t R = 0;
    for (unsigned K = 0; K < 4; ++K) {
      unsigned Pick = C >> 4 * K & 15;
      uint8_t V = byte(Both, Pick);
      if (Pick & 8)
        V = V & 128 ? 255 : 0;
      R |= uint32_t(V) << 8 * K;
    }
    return R;
  }
};
enum PrmtMode { F4e, B4e, Rc8, Ecl, Ecr, Rc16 };
template <PrmtMode Mode> struct PrmtAs {
  static uint32_t of(uint32_t A, uint32_t B, uint32_t C) {
    uint64_t Both = uint64_t(B) << 32 | A;
    uint32_t R = 0, N = C & 3;
    for (unsigned K = 0; K < 4; ++K) {
      unsigned Pick = Mode == F4e   ? N + K
                      : Mode == B4e ? (N + 8 - K) & 7
                      : Mode == Rc8 ? N
                      : Mode == Ecl ? std::max(K, N)
                      : Mode == Ecr ? std::min(K, N)
                                    : (N & 1) * 2 + (K & 1);
      R |= uint32_t(Prmt::byte(Both, Pick)) << 8 * K;
    }
    return R;
  }
};

/// Sums of any width, a word at a time; X.Carry is what one leaves for the
/// next.
template <class T, bool Minus, bool In, bool Out>
const Inst *carrying(Thread &X, const Inst *I) {
  T A = get<T>(X.R[I->A]), B = get<T>(X.R[I->B]);
  T C = In && X.Carry ? 1 : 0, R;
  bool First, Second;
  if (Minus) {
    First = __builtin_sub_overflow(A, B, &R);
    Second = __builtin_sub_overflow(R, C, &R);
  } else {
    First = __builtin_add_overflow(A, B, &R);
    Second = __builtin_add_overflow(R, C, &R);
  }
  if (Out)
    X.Carry = First || Second;
  X.R[I->D] = put(R);
  return I + 1;
}
template <class T, bool High, bool In, bool Out>
const Inst *madCarrying(Thread &X, const Inst *I) {
  T A = get<T>(X.R[I->A]), B = get<T>(X.R[I->B]), C = get<T>(X.R[I->C]);
  T Term = High ? high(A, B) : product(A, B), R;
  using U = Unsigned<T>;
  U UnsignedR;
  bool First = __builtin_add_overflow(static_cast<U>(Term), static_cast<U>(C),
                                      &UnsignedR);
  bool Second =
      __builtin_add_overflow(UnsignedR, U(In && X.Carry ? 1 : 0), &UnsignedR);
  R = static_cast<T>(UnsignedR);
  if (Out)
    X.Carry = First || Second;
  X.R[I->D] = put(R);
  return I + 1;
}

template <class T> void addCarrying(Table &T_) {
  Role D = {'d', Named<T>::type()}, S = {'s', Named<T>::type()};
  std::string Ty = "." + nameOf<T>();
  auto row = [&](const char *Name, Handler Do, std::vector<Role> Roles) {
    T_[Name + Ty] = {Do, nullptr, 0, std::move(Roles)};
  };
  using U = Unsigned<T>;
  row("add.cc", carrying<U, false, false, true>, {D, S, S});
  row("addc", carrying<U, false, true, false>, {D, S, S});
  row("addc.cc", carrying<U, false, true, true>, {D, S, S});
  row("sub.cc", carrying<U, true, false, true>, {D, S, S});
  row("subc", carrying<U, true, true, false>, {D, S, S});
  row("subc.cc", carrying<U, true, true, true>, {D, S, S});
  row("mad.lo.cc", madCarrying<T, false, false, true>, {D, S, S, S});
  row("mad.hi.cc", madCarrying<T, true, false, true>, {D, S, S, S});
  row("madc.lo", madCarrying<T, false, true, false>, {D, S, S, S});
  row("madc.hi", madCarrying<T, true, true, false>, {D, S, S, S});
  row("madc.lo.cc", madCarrying<T, false, true, true>, {D, S, S, S});
  row("madc.hi.cc", madCarrying<T, true, true, true>, {D, S, S, S});
}

#define COMPARISON(NAME, EXPR)                                                 \
  struct NAME {                                                                \
    template <class T> static bool of(T a, T b, T) { return EXPR; }            \
  };
COMPARISON(IsEq, a == b)
COMPARISON(IsNe, a != b)
COMPARISON(IsLt, a < b)
COMPARISON(IsLe, a <= b)
COMPARISON(IsGt, a > b)
COMPARISON(IsGe, a >= b)
#undef COMPARISON

void addComparisons(Table &T) {
  forTypes<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(
      [&](auto Value) {
        using V = decltype(Value);
        std::string Ty = "." + nameOf<V>();
        add<IsEq, V>(T, "setp.eq" + Ty, 2);
        add<IsNe, V>(T, "setp.ne" + Ty, 2);
        add<IsLt, V>(T, "setp.lt" + Ty, 2);
        add<IsLe, V>(T, "setp.le" + Ty, 2);
        add<IsGt, V>(T, "setp.gt" + Ty, 2);
        add<IsGe, V>(T, "setp.ge" + Ty, 2);
        if (std::is_signed_v<V>)
          return;
        add<IsLt, V>(T, "setp.lo" + Ty, 2);
        add<IsLe, V>(T, "setp.ls" + Ty, 2);
        add<IsGt, V>(T, "setp.hi" + Ty, 2);
        add<IsGe, V>(T, "setp.hs" + Ty, 2);
        add<IsEq, V>(T, "setp.eq." + bitsOf<V>(), 2);
        add<IsNe, V>(T, "setp.ne." + bitsOf<V>(), 2);
      });
}

void addBits(Table &T) {
  forTypes<bool, uint16_t, uint32_t, uint64_t>([&](auto Value) {
    using V = decltype(Value);
    bool Predicate = std::is_same_v<V, bool>;
    std::string Ty = Predicate ? ".pred" : "." + bitsOf<V>();
    add<And, V>(T, "and" + Ty, 2);
    add<Or, V>(T, "or" + Ty, 2);
    add<Xor, V>(T, "xor" + Ty, 2);
    add<Move, V>(T, "mov" + Ty, 1);
    if (Predicate) {
      add<Cnot, V>(T, "not" + Ty, 1);
      return;
    }
    if constexpr (!std::is_same_v<V, bool>) {
      add<Not, V>(T, "not" + Ty, 1);
      add<Cnot, V>(T, "cnot" + Ty, 1);
      add<Shl, V, uint32_t>(T, "shl" + Ty, 2);
      add<Shr, V, uint32_t>(T, "shr" + Ty, 2);
    }
  });
  forTypes<uint32_t, uint64_t>([&](auto Value) {
    using V = decltype(Value);
    std::string Ty = "." + bitsOf<V>();
    add<Popc, V>(T, "popc" + Ty, 1);
    add<Clz, V>(T, "clz" + Ty, 1);
    add<Brev, V>(T, "brev" + Ty, 1);
    Role D = {'d', Named<V>::type()}, S = {'s', Named<V>::type()},
         N = {'s', {'u', 32}};
    T["bfi" + Ty] = {bfi<V>, nullptr, 0, {D, S, S, N, N}};
  });
  forTypes<uint32_t, int32_t, uint64_t, int64_t>([&](auto Value) {
    using V = decltype(Value);
    add<Bfe, V, uint32_t, uint32_t>(T, "bfe." + nameOf<V>(), 3);
    add<Bfind<false>, V>(T, "bfind." + nameOf<V>(), 1);
    add<Bfind<true>, V>(T, "bfind.shiftamt." + nameOf<V>(), 1);
  });
  add<Funnel<true, true>, uint32_t>(T, "shf.l.wrap.b32", 3);
  add<Funnel<true, false>, uint32_t>(T, "shf.l.clamp.b32", 3);
  add<Funnel<false, true>, uint32_t>(T, "shf.r.wrap.b32", 3);
  add<Funnel<false, false>, uint32_t>(T, "shf.r.clamp.b32", 3);
  add<Prmt, uint32_t>(T, "prmt.b32", 3);
  add<PrmtAs<F4e>, uint32_t>(T, "prmt.b32.f4e", 3);
  add<PrmtAs<B4e>, uint32_t>(T, "prmt.b32.b4e", 3);
  add<PrmtAs<Rc8>, uint32_t>(T, "prmt.b32.rc8", 3);
  add<PrmtAs<Ecl>, uint32_t>(T, "prmt.b32.ecl", 3);
  add<PrmtAs<Ecr>, uint32_t>(T, "prmt.b32.ecr", 3);
  add<PrmtAs<Rc16>, uint32_t>(T, "prmt.b32.rc16", 3);
  Role D = {'d', {'b', 32}}, S = {'s', {'b', 32}};
  T["lop3.b32"] = {lop3, nullptr, 0, {D, S, S, S, {'i', {'u', 8}}}};
}

} // namespace

void addIntegers(Table &T) {
  forTypes<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(
      [&](auto Value) {
        using V = decltype(Value);
        std::string Ty = "." + nameOf<V>();
        add<Add, V>(T, "add" + Ty, 2);
        add<Sub, V>(T, "sub" + Ty, 2);
        add<MulLo, V>(T, "mul.lo" + Ty, 2);
        add<MulHi, V>(T, "mul.hi" + Ty, 2);
        add<MadLo, V>(T, "mad.lo" + Ty, 3);
        add<MadHi, V>(T, "mad.hi" + Ty, 3);
        add<Div, V>(T, "div" + Ty, 2);
        add<Rem, V>(T, "rem" + Ty, 2);
        add<Min, V>(T, "min" + Ty, 2);
        add<Max, V>(T, "max" + Ty, 2);
        add<Sad, V>(T, "sad" + Ty, 3);
        add<Shr, V, uint32_t>(T, "shr" + Ty, 2);
        add<Selp, V, V, bool>(T, "selp" + Ty, 3);
        add<Slct, V, V, int32_t>(T, "slct" + Ty + ".s32", 3);
        add<SlctFloat, V, V, float>(T, "slct" + Ty + ".f32", 3);
        add<Move, V>(T, "mov" + Ty, 1);
        if constexpr (std::is_signed_v<V>) {
          add<Abs, V>(T, "abs" + Ty, 1);
          add<Neg, V>(T, "neg" + Ty, 1);
        } else {
          add<Selp, V, V, bool>(T, "selp." + bitsOf<V>(), 3);
          add<Slct, V, V, int32_t>(T, "slct." + bitsOf<V>() + ".s32", 3);
          add<SlctFloat, V, V, float>(T, "slct." + bitsOf<V>() + ".f32", 3);
        }
        if constexpr (sizeof(V) < 8) {
          add<MulWide, V>(T, "mul.wide" + Ty, 2);
          add<MadWide, V, V, Wide<V>>(T, "mad.wide" + Ty, 3);
        }
        if constexpr (sizeof(V) == 4) {
          add<Mul24Lo, V>(T, "mul24.lo" + Ty, 2);
          add<Mul24Hi, V>(T, "mul24.hi" + Ty, 2);
          add<Mad24Lo, V>(T, "mad24.lo" + Ty, 3);
          add<Mad24Hi, V>(T, "mad24.hi" + Ty, 3);
        }
        if constexpr (sizeof(V) >= 4)
          addCarrying<V>(T);
      });
  add<AddSat, int32_t>(T, "add.sat.s32", 2);
  add<SubSat, int32_t>(T, "sub.sat.s32", 2);
  add<MadHiSat, int32_t>(T, "mad.hi.sat.s32", 3);
  addComparisons(T);
  addBits(T);
}

} // namespace gpu_in_software::machine
