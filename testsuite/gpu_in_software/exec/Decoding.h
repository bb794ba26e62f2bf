// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function on its way from instructions as they are written to those that
// are executed. Operands.cpp has what operands become, Decoder.cpp what
// instructions become.
#ifndef GPU_IN_SOFTWARE_EXEC_DECODING_H
#define GPU_IN_SOFTWARE_EXEC_DECODING_H

#include "Decoder.h"
#include "Table.h"
#include <map>

namespace gpu_in_software::machine {

class Decoder {
public:
  Decoder(const Function &F, const std::vector<uint32_t> &Offsets,
          const Scope &Lookup, Code &To)
      : F(F), Offsets(Offsets), Lookup(Lookup), To(To) {}
  void run();

private:
  [[noreturn]] void wrong(const std::string &Text) const {
    throw SyntaxError{Now->Line, Text};
  }
  [[noreturn]] void unknown() const {
    wrong("unknown instruction '" + Now->Opcode + "'");
  }
  const Row &row(const std::string &Key) const {
    auto It = table().find(Key);
    if (It == table().end())
      unknown();
    return It->second;
  }
  Inst &emit(Handler Do) {
    To.Insts.emplace_back();
    To.Insts.back().Do = Do;
    To.Insts.back().Line = Now->Line;
    return To.Insts.back();
  }
  Inst &emit(const std::string &Key) { return emit(row(Key).Do); }

  uint32_t constant(uint64_t Value);
  uint32_t temporary() {
    To.Frame.push_back(uint64_t(Poison) * 0x0101010101010101ull);
    return static_cast<uint32_t>(To.Frame.size() - 1);
  }
  void check(const Operand &O, Type T, bool Loose) const;
  uint32_t source(const Operand &O, Type T, bool Loose = false);
  uint32_t destination(const Operand &O, Type T, bool Loose = false);
  uint32_t variable(const Operand &O);
  uint32_t slots(const Operand &O, Type T, bool Read, bool Loose);
  void address(const Operand &O, uint32_t &Slot, int32_t &Off);
  void operands(unsigned AtLeast, unsigned AtMost) const;
  bool isKernelParam(const Operand &O) const;

  void one(const Instruction &I);
  void fromRow(const Row &R, uint32_t Flags,
               const std::vector<Operand> &Operands);
  void plain(const std::vector<std::string> &Parts);
  void access(const std::vector<std::string> &Parts);
  void atomic(const std::vector<std::string> &Parts);
  void move(const std::vector<std::string> &Parts);
  void branch(const Operand &Target, const char *How, uint32_t Predicate);
  void branchTable();
  void call();
  std::vector<Passed> passed(const Operand &O, const Function *Head, bool In);
  void barrier(const std::string &Opcode);
  void lanes(const std::string &Opcode);

  const Function &F;
  const std::vector<uint32_t> &Offsets;
  const Scope &Lookup;
  Code &To;
  const Instruction *Now = nullptr;
  std::map<uint64_t, uint32_t> Constants;
  struct Jump {
    size_t From, To; // decoded; index of an instruction of F.Body
  };
  std::vector<Jump> Jumps;
};

} // namespace gpu_in_software::machine

#endif // GPU_IN_SOFTWARE_EXEC_DECODING_H
