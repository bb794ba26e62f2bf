// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Decoding.h"
#include <algorithm>

namespace gpu_in_software::machine {

uint32_t Decoder::constant(uint64_t Value) {
  auto New = Constants.emplace(Value, To.Frame.size());
  if (New.second)
    To.Frame.push_back(Value);
  return New.first->second;
}

/// PTX wants registers of the instruction's width; ld, st and cvt allow wider
/// ones.
void Decoder::check(const Operand &O, Type T, bool Loose) const {
  Type R = F.Registers[O.Slot];
  bool Kinds = (R.Kind == 'p') == (T.Kind == 'p');
  if (!Kinds || (Loose ? R.Bits < T.Bits : R.Bits != T.Bits))
    wrong("register '" + O.Name + "' does not fit '" + Now->Opcode + "'");
}

/// The slot with the address of a variable of the function.
uint32_t Decoder::variable(const Operand &O) {
  uint64_t Off = Offsets[O.Slot] + static_cast<uint64_t>(O.Offset);
  if (isKernelParam(O))
    return constant(ParamTag | Off);
  Inst &I = emit(".frameaddress");
  I.Off = static_cast<int32_t>(Off);
  return I.D = temporary();
}

uint32_t Decoder::source(const Operand &O, Type T, bool Loose) {
  if (O.Address)
    wrong("an address where a value is wanted");
  uint32_t Slot = 0;
  switch (O.Is) {
  case Operand::Register:
    check(O, T, Loose);
    Slot = O.Slot;
    break;
  case Operand::Special: {
    auto It = table().find(O.Name);
    if (It == table().end())
      wrong("unknown register '" + O.Name + "'");
    // A narrower part of one is its low bits.
    if (It->second.Roles[0].Of.Bits < T.Bits)
      wrong("register '" + O.Name + "' does not fit '" + Now->Opcode + "'");
    Inst &I = emit(It->second.Do);
    Slot = I.D = temporary();
    break;
  }
  case Operand::Integer: {
    if (T.isFloat())
      wrong("an integer where a floating-point number is wanted");
    Slot = constant(T.Kind == 'p' ? O.Bits != 0 : O.Bits);
    break;
  }
  case Operand::Float: {
    uint64_t Bits = O.Bits;
    if (O.Width == 64 && T.Bits == 32 && T.isFloat())
      Bits = put(static_cast<float>(get<double>(Bits)));
    else if (O.Width != T.Bits)
      wrong("a floating-point number that does not fit '" + Now->Opcode + "'");
    Slot = constant(Bits);
    break;
  }
  case Operand::Var:
    if (T.Bits < 32 || T.isFloat())
      wrong("'" + O.Name + "' does not fit '" + Now->Opcode + "'");
    Slot = variable(O);
    break;
  case Operand::Symbol: {
    Symbol S = Lookup(O.Name);
    if (!S.Is)
      wrong("unknown name '" + O.Name + "'");
    if (T.isFloat() || T.Bits < (S.In == Space::Shared ? 32u : 64u))
      wrong("'" + O.Name + "' does not fit '" + Now->Opcode + "'");
    Slot = constant(S.Value + static_cast<uint64_t>(O.Offset));
    break;
  }
  default:
    wrong("an operand of '" + Now->Opcode + "' is of the wrong kind");
  }
  if (!O.Negated)
    return Slot;
  if (T.Kind != 'p')
    wrong("only predicates can be negated");
  Inst &I = emit("not.pred");
  I.A = Slot;
  return I.D = temporary();
}

uint32_t Decoder::destination(const Operand &O, Type T, bool Loose) {
  if (O.Is == Operand::Sink && !O.Address)
    return temporary();
  if (O.Is != Operand::Register || O.Address || O.Negated)
    wrong("'" + Now->Opcode + "' needs a register for its result");
  check(O, T, Loose);
  return O.Slot;
}

/// The index of the list of a vector's slots.
uint32_t Decoder::slots(const Operand &O, Type T, bool Read, bool Loose) {
  if (O.Is != Operand::Vector || O.Parts.empty() || O.Parts.size() > 8)
    wrong("'" + Now->Opcode + "' needs a vector");
  std::vector<uint32_t> List;
  for (const Operand &P : O.Parts)
    List.push_back(Read ? source(P, T, Loose) : destination(P, T, Loose));
  To.Lists.push_back(List);
  return static_cast<uint32_t>(To.Lists.size() - 1);
}

void Decoder::address(const Operand &O, uint32_t &Slot, int32_t &Off) {
  if (!O.Address)
    wrong("'" + Now->Opcode + "' needs an address");
  if (O.Offset != static_cast<int32_t>(O.Offset))
    wrong("the offset of an address is too large");
  Off = static_cast<int32_t>(O.Offset);
  Operand Base = O;
  Base.Address = false;
  Base.Offset = 0;
  bool Narrow = O.Is == Operand::Register && F.Registers[O.Slot].Bits == 32;
  Slot = source(Base, {'b', Narrow ? 32u : 64u});
}

void Decoder::operands(unsigned AtLeast, unsigned AtMost) const {
  if (Now->Operands.size() < AtLeast || Now->Operands.size() > AtMost)
    wrong("'" + Now->Opcode + "' has not that many operands");
}

bool Decoder::isKernelParam(const Operand &O) const {
  return F.Entry && O.Is == Operand::Var &&
         std::count(F.Params.begin(), F.Params.end(), O.Slot);
}

} // namespace gpu_in_software::machine
