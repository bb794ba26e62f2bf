// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "cvt".

#include "Rounding.h"

namespace gpu_in_software::machine {

namespace {

__extension__ using Signed128 = __int128;

/// From an integer to an integer: cut, or with .sat the nearest there is.
template <class D, class S> struct Cut {
  static D of(S A, S, S) { return static_cast<D>(A); }
};
template <class D, class S> struct Clamp {
  static D of(S A, S, S) {
    Signed128 V = A; // NOLINT(bugprone-signed-char-misuse): it has a sign
    using L = std::numeric_limits<D>;
    return V < L::min() ? L::min() : V > L::max() ? L::max() : D(A);
  }
};

template <class S> S integral(S V, uint32_t Flags) {
  if (Flags & FlagRz)
    return std::trunc(V);
  if (Flags & FlagRm)
    return std::floor(V);
  if (Flags & FlagRp)
    return std::ceil(V);
  return std::nearbyint(V);
}

/// From a number with a fraction to an integer: always the nearest there is.
template <class D, class S> const Inst *toInteger(Thread &X, const Inst *I) {
  S A = get<S>(X.R[I->A]);
  if (I->Flags & FlagFtz)
    A = flushed(A);
  A = integral(A, I->Flags);
  using L = std::numeric_limits<D>;
  // 2^(bits of the value) is exact in both types of S.
  S Above = std::ldexp(S(1), L::digits);
  D R;
  if (A != A)
    R = sizeof(S) < 8 && sizeof(D) < 8
            ? D(0)
            : static_cast<D>(uint64_t(1) << (8 * sizeof(D) - 1));
  else if (A >= Above)
    R = L::max();
  else if (A < static_cast<S>(L::min()))
    R = L::min();
  else
    R = static_cast<D>(A);
  X.R[I->D] = put(R);
  return I + 1;
}

/// Between floating-point types, and from integers to them.
template <class D, class S> struct Change {
  static D of(S A, S, S) { return canonical(static_cast<D>(A)); }
};
/// To the same type: .rni and so on make an integral number of it.
template <class S> const Inst *toIntegral(Thread &X, const Inst *I) {
  S A = get<S>(X.R[I->A]);
  if (I->Flags & FlagFtz)
    A = flushed(A);
  if (I->Flags & FlagRound)
    A = integral(A, I->Flags);
  if (I->Flags & FlagSat)
    A = saturated(A);
  X.R[I->D] = put(canonical(A));
  return I + 1;
}

void addConversion(Table &T, Type D, Type S, Handler Do, Handler WithFlags,
                   uint32_t Allowed) {
  T["cvt." + nameOf(D) + "." + nameOf(S)] = {
      Do, WithFlags, Allowed, {{'d', D, true}, {'s', S, true}}};
}

template <class D, class S>
void row(Table &T, Handler Do, Handler WithFlags, uint32_t Allowed) {
  addConversion(T, Named<D>::type(), Named<S>::type(), Do, WithFlags, Allowed);
}

template <class S> void fromInteger(Table &T) {
  forTypes<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t,
           int64_t>([&](auto Value) {
    using D = decltype(Value);
    row<D, S>(T, alu<Cut<D, S>, S, S, S>, alu<Clamp<D, S>, S, S, S>, FlagSat);
  });
  forTypes<float, double>([&](auto Value) {
    using D = decltype(Value);
    row<D, S>(T, alu<Change<D, S>, S, S, S>, rounded<Change<D, S>, S, S, S>,
              FlagRound | FlagSat);
  });
}

template <class S> void fromFloat(Table &T) {
  uint32_t Ftz = sizeof(S) == 4 ? FlagFtz : 0;
  forTypes<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t,
           int64_t>([&](auto Value) {
    using D = decltype(Value);
    row<D, S>(T, toInteger<D, S>, toInteger<D, S>, FlagRound | Ftz | FlagSat);
  });
  row<S, S>(T, toIntegral<S>, toIntegral<S>, FlagRound | Ftz | FlagSat);
}

} // namespace

void addConversions(Table &T) {
  forTypes<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t,
           int64_t>([&](auto Value) { fromInteger<decltype(Value)>(T); });
  fromFloat<float>(T);
  fromFloat<double>(T);
  row<double, float>(T, alu<Change<double, float>, float, float, float>,
                     rounded<Change<double, float>, float, float, float>,
                     FlagFtz | FlagSat);
  row<float, double>(T, alu<Change<float, double>, double, double, double>,
                     rounded<Change<float, double>, double, double, double>,
                     FlagRound | FlagFtz | FlagSat);
}

} // namespace gpu_in_software::machine
