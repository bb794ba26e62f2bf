// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions whose operands say all: "add.s32" and how it is executed.
// Where an instruction is: look for its first word in quotation marks in
// Integers.cpp, Floats.cpp, Conversions.cpp or Access.cpp; Team.cpp has
// barriers, shuffles and votes, Control.cpp jumps and calls, and Decoder.cpp
// what is made of others, such as mov.
#ifndef GPU_IN_SOFTWARE_EXEC_TABLE_H
#define GPU_IN_SOFTWARE_EXEC_TABLE_H

#include "Thread.h"
#include <array>
#include <cstring>

namespace gpu_in_software::machine {

/// What an instruction does with an operand.
struct Role {
  char Is; // 'd'estination, 's'ource, 'm'emory
  Type Of;
  bool Loose = false; // the register may be wider
};

struct Row {
  Handler Do = nullptr;
  Handler WithFlags = nullptr; // for roundings, .ftz and .sat
  uint32_t Allowed = 0;        // flags
  std::vector<Role> Roles;
  uint32_t Kind = 0; // Inst::More
};

using Table = std::map<std::string, Row>;
const Table &table();
/// One row more. Not inline: in the hundreds of places that call it, it took
/// the compiler most of a minute.
void addRow(Table &T, const std::string &Name, Handler Do,
            const std::vector<Role> &Roles);
void addIntegers(Table &);
void addFloats(Table &);
void addConversions(Table &);
void addAccesses(Table &);
void addTeam(Table &);
void addControl(Table &);

// Types as rows name them.
template <class T> struct Named;
#define NAMED(T, K, B)                                                         \
  template <> struct Named<T> {                                                \
    static Type type() { return {K, B}; }                                      \
  };
NAMED(bool, 'p', 1)
NAMED(uint8_t, 'u', 8)
NAMED(int8_t, 's', 8)
NAMED(uint16_t, 'u', 16)
NAMED(int16_t, 's', 16)
NAMED(uint32_t, 'u', 32)
NAMED(int32_t, 's', 32)
NAMED(uint64_t, 'u', 64)
NAMED(int64_t, 's', 64)
NAMED(float, 'f', 32)
NAMED(double, 'f', 64)
#undef NAMED
std::string nameOf(Type Of);
template <class T> std::string nameOf() { return nameOf(Named<T>::type()); }
/// The same as .b32.
template <class T> std::string bitsOf() {
  return nameOf(Type{'b', 8 * sizeof(T)});
}

template <class T> T get(uint64_t Slot) {
  if constexpr (std::is_same_v<T, bool>)
    return Slot & 1;
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(Slot);
  else {
    T V;
    memcpy(&V, &Slot, sizeof V);
    return V;
  }
}
/// Narrow signed values fill the slot with their sign, for the destination may
/// be a wider register.
template <class T> uint64_t put(T V) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<uint64_t>(V);
  else {
    uint64_t Slot = 0;
    memcpy(&Slot, &V, sizeof V);
    return Slot;
  }
}

/// d = Op::of(a, b, c)
template <class Op, class A, class B, class C>
const Inst *alu(Thread &X, const Inst *I) {
  uint64_t *R = X.R;
  R[I->D] = put(Op::of(get<A>(R[I->A]), get<B>(R[I->B]), get<C>(R[I->C])));
  return I + 1;
}

/// A row with a destination and the first so many of the sources.
void addOperation(Table &T, const std::string &Name, Handler Do, Type To,
                  const std::array<Type, 3> &From, unsigned Sources);

template <class Op, class A, class B = A, class C = A>
void add(Table &T, const std::string &Name, unsigned Sources) {
  addOperation(T, Name, alu<Op, A, B, C>,
               Named<decltype(Op::of(A(), B(), C()))>::type(),
               {Named<A>::type(), Named<B>::type(), Named<C>::type()}, Sources);
}

/// Calls F with a value of each type.
template <class... Ts, class Fn> void forTypes(Fn F) { (F(Ts()), ...); }

/// An operation of up to three operands of types A, B and C.
#define OPERATION(NAME, ...)                                                   \
  struct NAME {                                                                \
    template <class A, class B, class C>                                       \
    static auto of([[maybe_unused]] A a, [[maybe_unused]] B b,                 \
                   [[maybe_unused]] C c) {                                     \
      return __VA_ARGS__;                                                      \
    }                                                                          \
  };

// Those of several files.
OPERATION(Move, a)
OPERATION(Selp, c ? a : b)
OPERATION(Min, b < a ? b : a)
OPERATION(Max, a < b ? b : a)
OPERATION(And, static_cast<A>(a &b))
OPERATION(Or, static_cast<A>(a | b))
OPERATION(Xor, static_cast<A>(a ^ b))
OPERATION(IsEq, a == b)
OPERATION(IsLt, a < b)
OPERATION(IsLe, a <= b)
OPERATION(IsGt, a > b)
OPERATION(IsGe, a >= b)

} // namespace gpu_in_software::machine

#endif // GPU_IN_SOFTWARE_EXEC_TABLE_H
