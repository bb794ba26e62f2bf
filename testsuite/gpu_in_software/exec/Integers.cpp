// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic, bits, comparisons and selections.

#include "Table.h"
#include <algorithm>
#include <limits>

namespace gpu_in_software::machine {

namespace {

__extension__ using Unsigned128 = unsigned __int128;
__extension__ using Signed128 = __int128;
template <class T> constexpr unsigned BitsOf = 8 * sizeof(T);
/// The integer of so many bits that has a sign if T has.
template <class T, unsigned Bits>
using OfBits = std::conditional_t<
    Bits == 128,
    std::conditional_t<std::is_signed_v<T>, Signed128, Unsigned128>,
    std::conditional_t<
        Bits == 64, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>,
        std::conditional_t<std::is_signed_v<T>, int32_t, uint32_t>>>;
template <class T> using Wide = OfBits<T, 2 * BitsOf<T>>;

// 64 bits without a sign are enough for the low bits of any of these.
template <class T> T sum(T A, T B) {
  return static_cast<T>(uint64_t(A) + uint64_t(B));
}
template <class T> T difference(T A, T B) {
  return static_cast<T>(uint64_t(A) - uint64_t(B));
}
template <class T> T product(T A, T B) {
  return static_cast<T>(uint64_t(A) * uint64_t(B));
}
template <class T> T high(T A, T B) {
  return static_cast<T>((Wide<T>(A) * Wide<T>(B)) >> BitsOf<T>);
}
/// By zero all bits are set, as the code that ptxas makes does.
template <class T> T quotient(T A, T B) {
  if (std::is_signed_v<T> && B == T(-1))
    return difference(T(0), A);
  return B ? static_cast<T>(A / B) : T(-1);
}
template <class T> T remainder(T A, T B) {
  if (std::is_signed_v<T> && B == T(-1))
    return 0;
  return B ? static_cast<T>(A % B) : T(-1);
}
template <class T> T clamped(Signed128 V) {
  using L = std::numeric_limits<T>;
  return V < L::min() ? L::min() : V > L::max() ? L::max() : static_cast<T>(V);
}
/// Shifts past the width leave nothing, or the sign.
template <class T> T shifted(T A, uint32_t N, bool Left) {
  if (N >= BitsOf<T>)
    return !Left && A < 0 ? T(-1) : T(0);
  return static_cast<T>(Left ? uint64_t(A) << N : uint64_t(A >> N));
}
/// Of the words B:A.
uint32_t funnel(uint32_t A, uint32_t B, uint32_t N, bool Left) {
  uint64_t Both = uint64_t(B) << 32 | A;
  return static_cast<uint32_t>(Left ? (Both << N) >> 32 : Both >> N);
}
template <class T> uint32_t leadingZeros(T V) {
  uint32_t N = 0;
  while (N < BitsOf<T> && !(V >> (BitsOf<T> - 1 - N) & 1))
    ++N;
  return N;
}
template <class T> T reversed(T A) {
  T R = 0;
  for (unsigned I = 0; I < BitsOf<T>; ++I)
    R = static_cast<T>(R << 1 | (A >> I & 1));
  return R;
}
/// A field of bits; one with a sign that reaches past the top goes on with it.
template <class T> T extracted(T A, uint32_t Pos, uint32_t Count) {
  const unsigned Top = BitsOf<T> - 1;
  Pos &= 255, Count &= 255;
  if (!Count)
    return 0;
  bool Sign = std::is_signed_v<T> && (A >> std::min(Pos + Count - 1, Top) & 1);
  unsigned Known = Pos > Top ? 0 : std::min(Count, Top + 1 - Pos);
  uint64_t Mask = Known > 63 ? ~uint64_t(0) : (uint64_t(1) << Known) - 1;
  uint64_t Field = Known ? uint64_t(A) >> Pos & Mask : 0;
  return static_cast<T>(Field | (Sign ? ~Mask : 0));
}
/// Four selectors of bytes of B:A; the highest bit of each asks for the byte's
/// sign, eight times.
uint32_t permuted(uint32_t A, uint32_t B, uint32_t C) {
  uint64_t Both = uint64_t(B) << 32 | A;
  uint32_t R = 0;
  for (unsigned K = 0; K < 4; ++K) {
    unsigned Pick = C >> 4 * K & 15;
    uint32_t V = Both >> 8 * (Pick & 7) & 255;
    R |= (Pick & 8 ? V >> 7 ? 255 : 0 : V) << 8 * K;
  }
  return R;
}

OPERATION(Add, sum(a, b))
OPERATION(Sub, difference(a, b))
OPERATION(AddSat, clamped<A>(Signed128(a) + b))
OPERATION(SubSat, clamped<A>(Signed128(a) - b))
OPERATION(MulLo, product(a, b))
OPERATION(MulHi, high(a, b))
OPERATION(MulWide, static_cast<Wide<A>>(Wide<A>(a) * b))
OPERATION(MadLo, sum(product(a, b), c))
OPERATION(MadHi, sum(high(a, b), c))
OPERATION(MadWide, sum(static_cast<C>(C(a) * b), c))
OPERATION(Div, quotient(a, b))
OPERATION(Rem, remainder(a, b))
OPERATION(Abs, a < 0 ? difference(A(0), a) : a)
OPERATION(Neg, difference(A(0), a))
OPERATION(Not, static_cast<A>(~a))
OPERATION(NotPred, !a)
OPERATION(Shl, shifted(a, b, true))
OPERATION(Shr, shifted(a, b, false))
OPERATION(ShlWrap, funnel(a, b, c & 31, true))
OPERATION(ShlClamp, funnel(a, b, std::min(c, 32u), true))
OPERATION(ShrWrap, funnel(a, b, c & 31, false))
OPERATION(ShrClamp, funnel(a, b, std::min(c, 32u), false))
OPERATION(Popc, uint32_t(__builtin_popcountll(a)))
OPERATION(Clz, leadingZeros(a))
OPERATION(Brev, reversed(a))
OPERATION(Bfe, extracted(a, b, c))
OPERATION(Prmt, permuted(a, b, c))
OPERATION(IsNe, a != b)

/// With four sources: the last one is in slot Inst::More.
template <class T> const Inst *bfi(Thread &X, const Inst *I) {
  T A = get<T>(X.R[I->A]), B = get<T>(X.R[I->B]);
  unsigned Pos = X.R[I->C] & 255, Len = X.R[I->More] & 255;
  for (unsigned K = 0; K < Len && Pos + K < BitsOf<T>; ++K)
    B = (B & ~(T(1) << (Pos + K))) | (A >> K & 1) << (Pos + K);
  X.R[I->D] = put(B);
  return I + 1;
}

/// Sums and differences of any width, a word at a time: X.Carry is what one
/// leaves for the next. The first term may be half of a product.
enum Term { Sum, Difference, Low, High };
template <class T, Term K, bool In, bool Out>
const Inst *carrying(Thread &X, const Inst *I) {
  using U = std::make_unsigned_t<T>;
  T A = get<T>(X.R[I->A]), B = get<T>(X.R[I->B]);
  U Left = static_cast<U>(K == Low    ? product(A, B)
                          : K == High ? high(A, B)
                                      : A);
  U Right = K == Low || K == High ? get<U>(X.R[I->C]) : static_cast<U>(B);
  unsigned Carry = In && X.Carry;
  Unsigned128 R = K == Difference ? Unsigned128(Left) - Right - Carry
                                  : Unsigned128(Left) + Right + Carry;
  if (Out)
    X.Carry = R >> BitsOf<T> & 1;
  X.R[I->D] = put(static_cast<T>(R));
  return I + 1;
}
template <class T, Term K>
void addCarrying(Table &Into, const std::string &Name,
                 const std::string &Following) {
  Role D = {'d', Named<T>::type()}, S = {'s', Named<T>::type()};
  std::vector<Role> Roles = {D, S, S};
  if (K == Low || K == High)
    Roles.push_back(S);
  std::string Ty = "." + nameOf<T>();
  Into[Name + ".cc" + Ty] = {carrying<T, K, false, true>, nullptr, 0, Roles};
  Into[Following + Ty] = {carrying<T, K, true, false>, nullptr, 0, Roles};
  Into[Following + ".cc" + Ty] = {carrying<T, K, true, true>, nullptr, 0,
                                  Roles};
}

/// What is the same with a sign and without, and has names with .b32 and the
/// like.
template <class V> void addBits(Table &T, const std::string &Ty) {
  add<And, V>(T, "and" + Ty, 2);
  add<Or, V>(T, "or" + Ty, 2);
  add<Xor, V>(T, "xor" + Ty, 2);
  add<Move, V>(T, "mov" + Ty, 1);
  if constexpr (std::is_same_v<V, bool>)
    return add<NotPred, V>(T, "not" + Ty, 1);
  else {
    add<Not, V>(T, "not" + Ty, 1);
    add<Shl, V, uint32_t>(T, "shl" + Ty, 2);
    add<Shr, V, uint32_t>(T, "shr" + Ty, 2);
    add<Selp, V, V, bool>(T, "selp" + Ty, 3);
    add<IsEq, V>(T, "setp.eq" + Ty, 2);
    add<IsNe, V>(T, "setp.ne" + Ty, 2);
  }
  if constexpr (sizeof(V) >= 4) {
    add<Popc, V>(T, "popc" + Ty, 1);
    add<Clz, V>(T, "clz" + Ty, 1);
    add<Brev, V>(T, "brev" + Ty, 1);
    Role S = {'s', Named<V>::type()}, N = {'s', {'u', 32}};
    addRow(T, "bfi" + Ty, bfi<V>, {{'d', Named<V>::type()}, S, S, N, N});
  }
}

template <class V> void addArithmetic(Table &T, const std::string &Ty) {
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
  if (std::is_signed_v<V>) {
    add<Abs, V>(T, "abs" + Ty, 1);
    add<Neg, V>(T, "neg" + Ty, 1);
  }
  add<Shr, V, uint32_t>(T, "shr" + Ty, 2);
  add<Selp, V, V, bool>(T, "selp" + Ty, 3);
  add<Move, V>(T, "mov" + Ty, 1);
  add<IsEq, V>(T, "setp.eq" + Ty, 2);
  add<IsNe, V>(T, "setp.ne" + Ty, 2);
  add<IsLt, V>(T, "setp.lt" + Ty, 2);
  add<IsLe, V>(T, "setp.le" + Ty, 2);
  add<IsGt, V>(T, "setp.gt" + Ty, 2);
  add<IsGe, V>(T, "setp.ge" + Ty, 2);
  if constexpr (sizeof(V) < 8) {
    add<MulWide, V>(T, "mul.wide" + Ty, 2);
    add<MadWide, V, V, Wide<V>>(T, "mad.wide" + Ty, 3);
  }
  if constexpr (sizeof(V) >= 4) {
    add<Bfe, V, uint32_t, uint32_t>(T, "bfe" + Ty, 3);
    addCarrying<V, Sum>(T, "add", "addc");
    addCarrying<V, Difference>(T, "sub", "subc");
    addCarrying<V, Low>(T, "mad.lo", "madc.lo");
    addCarrying<V, High>(T, "mad.hi", "madc.hi");
  }
}

} // namespace

void addIntegers(Table &T) {
  forTypes<uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t>(
      [&](auto Value) {
        using V = decltype(Value);
        addArithmetic<V>(T, "." + nameOf<V>());
        if (std::is_unsigned_v<V>)
          addBits<std::make_unsigned_t<V>>(T, "." + bitsOf<V>());
      });
  addBits<bool>(T, ".pred");
  add<AddSat, int32_t>(T, "add.sat.s32", 2);
  add<SubSat, int32_t>(T, "sub.sat.s32", 2);
  add<ShlWrap, uint32_t>(T, "shf.l.wrap.b32", 3);
  add<ShlClamp, uint32_t>(T, "shf.l.clamp.b32", 3);
  add<ShrWrap, uint32_t>(T, "shf.r.wrap.b32", 3);
  add<ShrClamp, uint32_t>(T, "shf.r.clamp.b32", 3);
  add<Prmt, uint32_t>(T, "prmt.b32", 3);
}

} // namespace gpu_in_software::machine
