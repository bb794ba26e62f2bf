// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that can be run: what the loader makes of PTX.
#ifndef GPU_IN_SOFTWARE_EXEC_CODE_H
#define GPU_IN_SOFTWARE_EXEC_CODE_H

#include "../memory/Memory.h"
#include "../ptx/Syntax.h"

namespace gpu_in_software::machine {

struct Thread;
struct Inst;

/// Executes one instruction of a thread and returns the next one; null: the
/// thread's turn is over, and Thread::PC says where it goes on.
using Handler = const Inst *(*)(Thread &, const Inst *);

/// D, A, B and C are slots of the frame, which holds registers and constants.
/// Slots have 64 bits; an instruction looks at the low ones it is about.
struct Inst {
  Handler Do = nullptr;
  uint32_t D = 0, A = 0, B = 0, C = 0;
  int32_t Off = 0;   // of an address, or of the instruction to jump to
  uint32_t More = 0; // an immediate, or an index into a table of the Code
  uint32_t Flags = 0;
  uint32_t Line = 0;
};

/// Inst::Flags. The four ways to round are those of .rni and the like, too.
constexpr uint32_t FlagFtz = 1, FlagSat = 2, FlagRn = 4, FlagRz = 8,
                   FlagRm = 16, FlagRp = 32, FlagAcquire = 64,
                   FlagRelease = 128, FlagAligned = 256,
                   FlagRound = FlagRn | FlagRz | FlagRm | FlagRp;

/// A value that goes from the caller's frame in local memory to the callee's,
/// or back.
struct Passed {
  bool InRegister; // on the caller's side
  uint32_t Caller, Bytes;
};

struct Code;
struct CallSite {
  const Code *Callee = nullptr; // null: by the address in slot Target
  uint32_t Target = 0;
  std::vector<Passed> In, Out;
};

struct Slice {
  uint32_t Off, Bytes;
};

/// A function.
struct Code {
  std::string Name;
  unsigned Text = 0; // of the module, which has it
  Address At = 0;    // that function pointers hold
  std::vector<Inst> Insts;
  std::vector<uint64_t> Frame; // registers poisoned, and constants
  // The frame in local memory: parameters, results, variables, and the
  // parameters of functions that are called.
  size_t FrameBytes = 0;
  uint32_t FrameAlign = 16;
  std::vector<Slice> Params, Returns;
  std::vector<CallSite> Calls;
  std::vector<std::vector<uint32_t>> Lists; // slots, or places to jump to
  Handler Builtin = nullptr;                // vprintf and __assertfail
};

struct Kernel {
  const Code *Entry;
  KernelInfo Info;
  unsigned Required[3];
  bool ReadsOnly; // it or what it calls has ld.global.nc
};

class Image : public Module {
public:
  explicit Image(Memory &M) : M(M) {}
  ~Image() override;
  int kernel(const std::string &Name) const override;
  const KernelInfo &info(int Kernel) const override {
    return Kernels[static_cast<size_t>(Kernel)].Info;
  }
  bool global(const std::string &Name, Address &At,
              size_t &Bytes) const override;
  /// What a function pointer points to.
  const Code *function(Address At) const;
  /// The text of a line, without blanks around it.
  std::string line(const Code &C, unsigned Line) const;

  Memory &M;
  std::deque<Code> Codes;
  std::vector<Kernel> Kernels;
  std::map<std::string, std::pair<Address, size_t>> Globals;
  std::vector<Address> Owned;           // allocations
  Address ConstBegin = 0, ConstEnd = 0; // of .const variables
  std::vector<std::string> Texts;
};

/// Throws a SyntaxError.
std::unique_ptr<Image> link(Memory &M, const std::vector<std::string> &Texts);

// Shared memory begins here, so that a null pointer is none into it.
enum : uint32_t { SharedBegin = 1024, MostShared = 227 * 1024 };

} // namespace gpu_in_software::machine

#endif // GPU_IN_SOFTWARE_EXEC_CODE_H
