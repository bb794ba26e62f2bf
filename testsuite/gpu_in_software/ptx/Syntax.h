// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX as it is written: what the parser makes of a text. Names of registers,
// parameters and local variables are resolved; labels and names of the module
// are still names.
#ifndef GPU_IN_SOFTWARE_PTX_SYNTAX_H
#define GPU_IN_SOFTWARE_PTX_SYNTAX_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gpu_in_software::machine {

/// A mistake in a text. Thrown by whatever loads PTX, caught in Machine::load.
struct SyntaxError {
  unsigned Line;
  std::string Text;
};

/// .u32 is {'u', 32}; a predicate is {'p', 1}; Bits == 0: not a type.
struct Type {
  char Kind = 0;
  unsigned Bits = 0;
  bool isFloat() const { return Kind == 'f'; }
  unsigned bytes() const { return Bits / 8; }
};
/// Of "u32", "pred" and so on.
Type typeOf(const std::string &Name);

enum class Space { Generic, Global, Const, Shared, Local, Param };
enum class Linkage { Internal, Visible, Weak, Extern };

/// An element of an initialiser: a number, or (a byte of) an address.
struct Initialiser {
  uint64_t Value = 0; // also what is added to the address
  std::string Symbol;
  uint64_t Mask = ~uint64_t(0); // 0xFF00(symbol) is the second byte
};

struct Variable {
  std::string Name;
  unsigned Line = 0;
  Space In = Space::Global;
  Linkage Link = Linkage::Internal;
  Type Element;
  size_t Align = 1, Bytes = 0;
  bool Unsized = false; // [] of an extern array
  std::vector<Initialiser> Initial;
};

struct Operand {
  enum Kind {
    Register, // Slot
    Special,  // Name: %tid.x
    Var,      // Slot of Function::Variables, plus Offset
    Symbol,   // Name: a label, a function or a variable of the module
    Integer,  // Bits
    Float,    // Bits, of Width
    Vector,   // Parts in braces
    List,     // Parts in parentheses
    Pair,     // Parts: p|q
    Sink,     // _
  } Is = Sink;
  bool Address = false; // in brackets
  bool Negated = false; // !p
  unsigned Slot = 0, Width = 0;
  unsigned Scope = 0; // where a label is looked for
  int64_t Offset = 0;
  uint64_t Bits = 0;
  std::string Name;
  std::vector<Operand> Parts;
};

struct Instruction {
  unsigned Line = 0;
  std::string Opcode; // with all its modifiers
  bool Guarded = false, GuardNegated = false;
  unsigned Guard = 0; // register
  std::vector<Operand> Operands;
};

struct Function {
  std::string Name;
  unsigned Line = 0;
  Linkage Link = Linkage::Internal;
  bool Entry = false, HasBody = false;
  std::vector<unsigned> Params, Returns; // of Variables
  std::vector<Variable> Variables;       // .param, .local and .shared
  std::vector<Type> Registers;
  std::vector<Instruction> Body;
  std::vector<unsigned> Scopes; // of each block in braces the one around it
  // Of each label, by scope and name, the index of the instruction after it.
  std::map<std::pair<unsigned, std::string>, size_t> Labels;
  std::map<std::string, std::vector<std::string>> Targets; // .branchtargets
  unsigned MaxThreads = 0;                                 // .maxntid
  unsigned Required[3] = {};                               // .reqntid
  /// The index of the instruction after the label; false: there is none.
  bool label(const std::string &Name, unsigned Scope, size_t &At) const;
};

struct Text {
  std::vector<Function> Functions;
  std::vector<Variable> Variables;
};

/// Throws a SyntaxError.
Text parse(const std::string &Source);

} // namespace gpu_in_software::machine

#endif // GPU_IN_SOFTWARE_PTX_SYNTAX_H
