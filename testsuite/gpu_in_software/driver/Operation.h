// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a stream holds.
#ifndef GPU_IN_SOFTWARE_OPERATION_H
#define GPU_IN_SOFTWARE_OPERATION_H

#include "../exec/Random.h"
#include "../machine.h"
#include <memory>
#include <string>
#include <vector>

namespace gpu_in_software::api {

using machine::Random;

/// As often of one order of magnitude as of another.
inline uint64_t magnitude(Random &R, unsigned LeastBits, unsigned MostBits) {
  uint64_t Top = uint64_t(1) << (LeastBits + R.below(MostBits - LeastBits));
  return Top + R.below(Top);
}

struct LoadedModule;
struct Operation;
using OperationRef = std::shared_ptr<Operation>;

/// By itself: a record of an event, or only what must be waited for.
struct Operation {
  std::vector<OperationRef> After; // of other streams
  uint64_t Late = 0;               // in ticks
  uint64_t Due = 0;                // 0: not yet its turn
  bool Begun = false, Done = false;
  uint64_t Ns = 0; // when it was done

  virtual ~Operation() = default;
  /// Whether the machine is needed for it.
  virtual bool works() const { return false; }
  /// Does a part of it. True: it is over, one way or the other.
  virtual bool step(Machine &, Random &, bool Alone, Fault &) {
    (void)Alone;
    return true;
  }
  /// Whether it reads or writes this memory of the host when it runs.
  virtual bool reaches(uintptr_t, size_t) const { return false; }
  /// Whether it is a kernel of this module.
  virtual bool runs(const LoadedModule &) const { return false; }
  /// Gives back what it has of the machine.
  virtual void drop() {}
};

struct Side {
  bool OnDevice;
  uint64_t At;
  size_t Pitch;
};

/// A copy, in pieces: others come between.
struct Copy : Operation {
  Side To, From;
  size_t Width, Rows;
  size_t Row = 0, Column = 0;
  std::vector<char> Staged;

  Copy(Side To, Side From, size_t Width, size_t Rows)
      : To(To), From(From), Width(Width), Rows(Rows) {}
  size_t span(const Side &S) const { return (Rows - 1) * S.Pitch + Width; }
  /// Reads the host's memory now.
  void stage();
  bool works() const override { return true; }
  bool step(Machine &M, Random &R, bool Alone, Fault &F) override;
  bool reaches(uintptr_t At, size_t Bytes) const override;
};

struct Fill : Operation {
  Address To;
  unsigned char Byte;
  size_t Bytes;

  Fill(Address To, unsigned char Byte, size_t Bytes)
      : To(To), Byte(Byte), Bytes(Bytes) {}
  bool works() const override { return true; }
  bool step(Machine &M, Random &R, bool Alone, Fault &F) override;
};

struct Kernel : Operation {
  std::shared_ptr<LoadedModule> In;
  int Index = 0;
  Dim3 Grid, Block;
  size_t Shared = 0;
  std::vector<char> Params;
  std::unique_ptr<Run> Running;

  bool works() const override { return true; }
  bool step(Machine &M, Random &R, bool Alone, Fault &F) override;
  bool runs(const LoadedModule &M) const override { return &M == In.get(); }
  void drop() override {
    Running.reset();
    In.reset();
  }
};

} // namespace gpu_in_software::api

#endif // GPU_IN_SOFTWARE_OPERATION_H
