// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What modifiers of floating-point instructions ask for.
#ifndef GPU_IN_SOFTWARE_EXEC_ROUNDING_H
#define GPU_IN_SOFTWARE_EXEC_ROUNDING_H

#include "Table.h"
#include <cfenv>
#include <cmath>
#include <limits>

namespace gpu_in_software::machine {

/// The host rounds as the flags say, for as long as this lives. What is
/// computed meanwhile must come from volatile variables and go to one, or the
/// compiler moves it.
class Rounding {
public:
  explicit Rounding(uint32_t Flags)
      : Other((Flags & (FlagRz | FlagRm | FlagRp)) != 0) {
    if (Other)
      fesetround(Flags & FlagRz   ? FE_TOWARDZERO
                 : Flags & FlagRm ? FE_DOWNWARD
                                  : FE_UPWARD);
  }
  ~Rounding() {
    if (Other)
      fesetround(FE_TONEAREST);
  }

private:
  bool Other;
};

/// A float that is not a number has one pattern of bits.
template <class T> T canonical(T V) {
  if constexpr (std::is_same_v<T, float>)
    if (V != V)
      return get<float>(0x7FFFFFFF);
  return V;
}
/// .ftz: denormals become 0 of the same sign.
template <class T> T flushed(T V) {
  if constexpr (std::is_same_v<T, float>)
    if (std::fpclassify(V) == FP_SUBNORMAL)
      return std::copysign(0.0f, V);
  return V;
}
/// .sat: between 0 and 1.
template <class T> T saturated(T V) {
  if constexpr (std::is_floating_point_v<T>)
    return V > 0 ? (V < 1 ? V : T(1)) : T(0);
  return V;
}

/// alu() with flags.
template <class Op, class A, class B, class C>
const Inst *rounded(Thread &X, const Inst *I) {
  uint64_t *R = X.R;
  volatile A a = get<A>(R[I->A]);
  volatile B b = get<B>(R[I->B]);
  volatile C c = get<C>(R[I->C]);
  if (I->Flags & FlagFtz)
    a = flushed<A>(a), b = flushed<B>(b), c = flushed<C>(c);
  using D = decltype(Op::of(A(), B(), C()));
  volatile D Result;
  {
    Rounding As(I->Flags);
    Result = Op::of(A(a), B(b), C(c));
  }
  D Final = Result;
  if (I->Flags & FlagFtz)
    Final = flushed<D>(Final);
  if (I->Flags & FlagSat)
    Final = saturated<D>(Final);
  R[I->D] = put(Final);
  return I + 1;
}

template <class Op, class A, class B = A, class C = A>
void addRounded(Table &T, const std::string &Name, unsigned Sources,
                uint32_t Allowed) {
  add<Op, A, B, C>(T, Name, Sources);
  T[Name].WithFlags = rounded<Op, A, B, C>;
  T[Name].Allowed = Allowed;
}

} // namespace gpu_in_software::machine

#endif // GPU_IN_SOFTWARE_EXEC_ROUNDING_H
