// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads, blocks and launches while they run.
#ifndef GPU_IN_SOFTWARE_EXEC_THREAD_H
#define GPU_IN_SOFTWARE_EXEC_THREAD_H

#include "../memory/ReadOnly.h"
#include "../memory/Weak.h"
#include "Code.h"
#include "Random.h"

namespace gpu_in_software::machine {

struct Block;
class Launch;

struct Frame {
  const Code *In;
  const Inst *Return; // in the caller
  uint32_t Registers; // where the caller's begin
  uint32_t Base, Sp;  // the caller's
};

enum class State : uint8_t {
  Ready,
  AtBarrier,    // of the block
  AtCollective, // of the warp: shuffles, votes, bar.warp.sync
  Dozes,        // until the flag that it looks at changes, or nobody is ready
  Gone
};

struct Thread {
  uint64_t *R = nullptr; // registers and constants of the function
  const Inst *PC = nullptr;
  Memory *M = nullptr;
  unsigned char *Local = nullptr; // address 0 of local memory
  uint32_t Base = 0;              // of the function's frame in it
  uint32_t Sp = 0, Top = 0;       // what is in use
  uint32_t Watch = 0;             // what accesses are watched for
  bool Carry = false;             // add.cc to addc
  State Is = State::Ready;
  uint64_t *Changes = nullptr; // counts what others can notice
  Block *In = nullptr;
  Launch *Run = nullptr;
  unsigned Number = 0, Id[3] = {};
  const Code *Function = nullptr;
  std::vector<uint64_t> Registers;
  std::vector<Frame> Frames;
  // While it waits.
  const Inst *Waits = nullptr;
  uint32_t Mask = 0; // of lanes, or the barrier's number
  // Reads of flags since the last change, to notice when all wait for ever.
  uint64_t Polls = 0, PolledAt = 0;
  // The flag that it looked at last, and what that held.
  uint64_t Flag = 0, FlagHeld = 0;
  unsigned lane() const { return Number % 32; }
  /// Where the caller has what goes to a function, or comes back.
  unsigned char *passed(const Passed &P) {
    return P.InRegister ? reinterpret_cast<unsigned char *>(&R[P.Caller])
                        : Local + Base + P.Caller;
  }
};

/// Thread::Watch.
enum : uint32_t {
  WatchWeak = 1,
  WatchReadOnly = 2,
  WatchWritten = 4,
  WatchLocal = 8 // WatchWritten is for local memory, too
};

/// One of the 16 of a block.
struct Barrier {
  unsigned Expected = 0, Arrived = 0; // Expected == 0: nobody has come yet
  bool All = false;                   // expects all that are not gone
};

struct Block {
  Launch *Run = nullptr;
  uint64_t Index = 0;
  unsigned Id[3] = {};
  std::vector<Thread> Threads;
  std::vector<uint64_t> Ready;                    // a bit a thread
  unsigned Alive = 0, ReadyCount = 0, Dozing = 0; // threads
  Barrier Barriers[16];
  std::vector<unsigned char> Shared, SharedWritten;
  std::unique_ptr<unsigned char[]> Local, LocalWritten;
  size_t LocalStride = 0;
  WeakView Weak;

  /// Of a thread's local memory: whether its bytes were written.
  unsigned char *localWritten(const Thread &X, uint64_t Off) const {
    return LocalWritten.get() + X.Number * LocalStride + Off;
  }
  /// The first ready thread from a number on, below the limit; null: none.
  Thread *next(unsigned From, unsigned Limit);
  /// The last ready thread below a number.
  Thread *previous(unsigned Below);
  void ready(Thread &X) {
    X.Is = State::Ready;
    Ready[X.Number / 64] |= uint64_t(1) << X.Number % 64;
    ++ReadyCount;
  }
  void wait(Thread &X, State Is) {
    X.Is = Is;
    Ready[X.Number / 64] &= ~(uint64_t(1) << X.Number % 64);
    --ReadyCount;
  }
};

/// A fault on its way to Launch::step.
struct Trap {
  int Result;
  std::string Text;
  const Inst *At;
};
[[noreturn]] void fault(const Inst *At, int Result, std::string Text);

/// What a thread reads at a generic address; at most 8 bytes.
uint64_t readGeneric(Thread &X, const Inst *I, uint64_t At, unsigned Bytes);
/// Begins a function: its frames of registers and of local memory.
void enter(Thread &X, const Inst *I, const Code &To);
/// Ends a thread.
void finish(Thread &X);

/// Numbers of CUresult.
enum {
  InvalidValue = 1,
  IllegalAddress = 700,
  OutOfResources = 701,
  Timeout = 702,
  AssertFailed = 710,
  StackError = 714,
  IllegalInstruction = 715,
  Misaligned = 716,
  WrongSpace = 717,
  InvalidPc = 718,
  LaunchFailed = 719,
};

/// What kernels have printed.
struct Output {
  std::string Text;
  size_t Limit = 0;
};

class Launch : public Run {
public:
  Launch(Memory &M, Image &In, const Kernel &K, const Options &O, Dim3 Grid,
         Dim3 Size, size_t DynamicShared, size_t Stack, const void *Params,
         Output &Printed);
  bool step(uint64_t Instructions) override;
  const Fault &fault() const override { return Failed; }
  uint64_t executed() const override { return Executed; }

  /// Those of all resident blocks that are ready or doze.
  uint64_t readyThreads() const;
  /// The thread has found a flag in global memory unchanged.
  void doze(Thread &X);
  /// Somebody has written there.
  void wake(Address At) {
    if (!Dozers.empty())
      wakeAt(At);
  }
  /// A thread has looked at a flag: nobody makes progress when all do, each at
  /// the same one, which holds the same.
  void polled(Thread &X, const Inst *I, Address At, uint64_t Held);
  /// Whether a thread's turn is to end where it may.
  bool interrupts() { return O.Threads == Order::Random && !Chance.below(4); }
  /// "thread (1, 0, 0) at line 12 (bar.sync 0)"
  std::string where(const Thread &X, const Inst *I) const;

  Memory &M;
  Image &In;
  const Kernel &K;
  const Options O;
  const Dim3 Grid, Size;
  const size_t DynamicShared, StackBytes;
  std::vector<unsigned char> Params;
  Output &Printed;
  uint64_t Executed = 0, Changes = 1;
  Random Chance;
  ReadOnlyWatch ReadOnly;

private:
  bool startBlock();
  uint64_t nextIndex();
  void begin(Block &B, uint64_t Index);
  void turn();
  Thread *pick(uint64_t &Quantum);
  Thread *pickRandom();
  Thread *pickSwept(uint64_t &Quantum);
  Thread *sweep(Block &B, uint64_t &Quantum);
  void retire(size_t Index);
  void stuck(const Block &B);
  void wakeAt(Address At);
  void wakeAll();
  void explain(const Trap &T);

  uint64_t Blocks, Started = 0, Finished = 0;
  uint64_t Walk = 0, WalkBy = 1, WalkAdd = 1, WalkMask = 0;
  std::vector<std::unique_ptr<Block>> Resident, Spare;
  // Of a sweep: the block, how many of its threads are behind, the first
  // thread of the warp, and how often the warp was swept over.
  size_t Current = 0;
  unsigned Cursor = 0, Warp = 0, Sweeps = 0;
  uint64_t SpinnersAt = 0, Spinners = 0;
  std::unordered_map<Address, std::vector<Thread *>> Dozers; // by 8 bytes
  unsigned Turns = 0;
  Past Before;
  std::vector<WeakView> Late; // stores of blocks that are over
  Thread *Now = nullptr;      // whose turn it is
  Fault Failed;
  bool Over = false;
};

} // namespace gpu_in_software::machine

#endif // GPU_IN_SOFTWARE_EXEC_THREAD_H
