// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a kernel: which blocks are resident and whose turn it is.

#include "Thread.h"
#include <algorithm>
#include <cstring>

namespace gpu_in_software::machine {

Thread *Block::next(unsigned From, unsigned Limit) {
  for (unsigned Word = From / 64; Word < Ready.size(); ++Word) {
    uint64_t Bits = Ready[Word];
    if (Word == From / 64)
      Bits &= ~uint64_t(0) << From % 64;
    if (!Bits)
      continue;
    unsigned Number = Word * 64 + static_cast<unsigned>(__builtin_ctzll(Bits));
    return Number < Limit ? &Threads[Number] : nullptr;
  }
  return nullptr;
}

Thread *Block::previous(unsigned Below) {
  for (unsigned Word = (Below + 63) / 64; Word-- > 0;) {
    uint64_t Bits = Ready[Word];
    if (Word == Below / 64)
      Bits &= (uint64_t(1) << Below % 64) - 1;
    if (Bits)
      return &Threads[Word * 64 + 63 -
                      static_cast<unsigned>(__builtin_clzll(Bits))];
  }
  return nullptr;
}

Launch::Launch(Memory &M, Image &In, const Kernel &K, const Options &O,
               Dim3 Grid, Dim3 Size, size_t DynamicShared, size_t Stack,
               const void *Params, Output &Printed)
    : M(M), In(In), K(K), O(O), Grid(Grid), Size(Size),
      DynamicShared(DynamicShared),
      StackBytes((std::max(Stack, K.Info.LocalBytes) + 255) / 256 * 256),
      Params(static_cast<const unsigned char *>(Params),
             static_cast<const unsigned char *>(Params) + K.Info.ParamBytes),
      Printed(Printed), Chance(O.Seed),
      Blocks(uint64_t(Grid.X) * Grid.Y * Grid.Z) {
  // Random order: a walk through all numbers below a power of two, in which
  // those of no block are left out.
  while (WalkMask + 1 < Blocks)
    WalkMask = WalkMask * 2 + 1;
  Walk = Chance.next() & WalkMask;
  WalkBy = Chance.next() * 4 + 1;
  WalkAdd = Chance.next() * 2 + 1;
}

uint64_t Launch::nextIndex() {
  uint64_t N = Started++;
  if (O.Blocks == Order::Reverse)
    return Blocks - 1 - N;
  if (O.Blocks != Order::Random)
    return N;
  do
    Walk = (Walk * WalkBy + WalkAdd) & WalkMask;
  while (Walk >= Blocks);
  return Walk;
}

void Launch::begin(Block &B, uint64_t Index) {
  B.Run = this;
  B.Index = Index;
  B.Id[0] = static_cast<unsigned>(Index % Grid.X);
  B.Id[1] = static_cast<unsigned>(Index / Grid.X % Grid.Y);
  B.Id[2] = static_cast<unsigned>(Index / Grid.X / Grid.Y);
  unsigned N = Size.X * Size.Y * Size.Z;
  bool Track = O.Uninitialised;
  B.Shared.assign(SharedBegin + K.Info.SharedBytes + DynamicShared, Poison);
  if (Track)
    B.SharedWritten.assign(B.Shared.size(), 0);
  if (!B.Local) {
    // Frames are poisoned when they are entered.
    B.LocalStride = StackBytes;
    B.Local.reset(new unsigned char[N * StackBytes]);
    if (Track)
      B.LocalWritten.reset(new unsigned char[N * StackBytes]);
  }
  B.Weak = WeakView(&Before);
  for (Barrier &Bar : B.Barriers)
    Bar = Barrier();
  B.Threads.resize(N);
  B.Ready.assign((N + 63) / 64, 0);
  B.Alive = N;
  B.ReadyCount = B.Dozing = 0;
  for (unsigned I = 0; I < N; ++I) {
    Thread &X = B.Threads[I];
    X.M = &M;
    X.Local = B.Local.get() + I * StackBytes;
    X.Sp = X.Top = static_cast<uint32_t>(StackBytes);
    X.Watch = (O.Weak ? WatchWeak : 0u) | (K.ReadsOnly ? WatchReadOnly : 0u) |
              (Track ? WatchWritten : 0u) |
              (O.Uninitialised > 1 ? WatchLocal : 0u);
    X.Carry = false;
    X.Changes = &Changes;
    X.In = &B;
    X.Run = this;
    X.Number = I;
    X.Id[0] = I % Size.X;
    X.Id[1] = I / Size.X % Size.Y;
    X.Id[2] = I / Size.X / Size.Y;
    X.Function = nullptr;
    X.Frames.clear();
    X.Polls = 0;
    X.PC = K.Entry->Insts.data();
    Now = &X; // should the stack be too small
    enter(X, X.PC, *K.Entry);
    B.ready(X);
  }
}

bool Launch::startBlock() {
  if (Started == Blocks || Resident.size() >= std::max(1u, O.BlocksAtOnce))
    return false;
  if (Spare.empty())
    Spare.push_back(std::make_unique<Block>());
  Resident.push_back(std::move(Spare.back()));
  Spare.pop_back();
  ++Changes;
  begin(*Resident.back(), nextIndex());
  return true;
}

/// A block is over: its stores may still be on their way.
void Launch::retire(size_t Index) {
  Block &B = *Resident[Index];
  if (!B.Weak.empty()) {
    B.Weak.forget();
    Late.push_back(std::move(B.Weak));
  }
  Spare.push_back(std::move(Resident[Index]));
  Resident.erase(Resident.begin() + static_cast<ptrdiff_t>(Index));
  if (Current == Index)
    Cursor = Warp = 0;
  else if (Current > Index)
    --Current;
  ++Finished;
  ++Changes;
}

Thread *Launch::pickRandom() {
  size_t N = Resident.size();
  size_t First = Chance.below(N);
  for (size_t K = 0; K < N; ++K) {
    Block &B = *Resident[(First + K) % N];
    if (!B.ReadyCount)
      continue;
    unsigned Threads = static_cast<unsigned>(B.Threads.size());
    Thread *X = B.next(static_cast<unsigned>(Chance.below(Threads)), Threads);
    return X ? X : B.next(0, Threads);
  }
  return nullptr;
}

/// The next thread of the block whose threads are being swept over.
Thread *Launch::sweep(Block &B, uint64_t &Quantum) {
  unsigned Threads = static_cast<unsigned>(B.Threads.size());
  Thread *X = nullptr;
  if (O.Threads == Order::Reverse) {
    X = B.previous(Threads - std::min(Cursor, Threads));
    if (X)
      Cursor = Threads - X->Number;
    return X;
  }
  if (O.Threads == Order::WarpByWarp) {
    // The lanes of a warp go on by a few instructions each, many times.
    Quantum = 16;
    unsigned End = std::min(Warp + 32, Threads);
    X = B.next(Cursor, End);
    if (!X && ++Sweeps < 64)
      X = B.next(Warp, End);
    if (!X) {
      Sweeps = 0;
      X = B.next(End, Threads);
      Warp = X ? X->Number / 32 * 32 : 0;
    }
  } else
    X = B.next(Cursor, Threads);
  if (X)
    Cursor = X->Number + 1;
  return X;
}

/// Block after block, thread after thread, from where the last one was. Every
/// ready thread's turn comes again and again.
Thread *Launch::pickSwept(uint64_t &Quantum) {
  size_t N = Resident.size();
  for (size_t K = 0; K <= N; ++K) {
    Current %= N;
    if (Thread *X = sweep(*Resident[Current], Quantum))
      return X;
    Current += O.Threads == Order::Reverse ? N - 1 : 1;
    Cursor = Warp = 0;
  }
  return nullptr;
}

Thread *Launch::pick(uint64_t &Quantum) {
  if (O.Threads != Order::Random) {
    Quantum = 512;
    return pickSwept(Quantum);
  }
  // Short turns find more, long ones take less time.
  uint64_t Draw = Chance.next();
  Quantum = 1 + (Draw & 3 ? (Draw >> 2) % 512 : (Draw >> 2) % 8);
  return pickRandom();
}

uint64_t Launch::readyThreads() const {
  uint64_t N = 0;
  for (const auto &B : Resident)
    N += B->ReadyCount + B->Dozing;
  return N;
}

void Launch::doze(Thread &X) {
  X.In->wait(X, State::Dozes);
  ++X.In->Dozing;
  Dozers[X.Flag / 8].push_back(&X);
}

void Launch::wakeAt(Address At) {
  auto It = Dozers.find(At / 8);
  if (It == Dozers.end())
    return;
  for (Thread *X : It->second) {
    X->In->ready(*X);
    --X->In->Dozing;
  }
  Dozers.erase(It);
}

void Launch::wakeAll() {
  while (!Dozers.empty())
    wakeAt(Dozers.begin()->first * 8);
}

void Launch::polled(Thread &X, const Inst *I, Address At, uint64_t Held) {
  const uint64_t Patience = 4096, InAll = 1 << 22;
  bool Same = X.PolledAt == Changes && X.Flag == At && X.FlagHeld == Held;
  X.PolledAt = Changes;
  X.Flag = At;
  X.FlagHeld = Held;
  X.Polls = Same ? X.Polls + 1 : 0;
  // Programs may look at one place again and again for reasons of their own.
  if (X.Polls < Patience || X.Polls % Patience ||
      X.Polls < InAll / std::max<uint64_t>(1, readyThreads()))
    return;
  if (SpinnersAt != Changes)
    SpinnersAt = Changes, Spinners = 0;
  if (++Spinners < readyThreads())
    return;
  std::string Text = "all " + std::to_string(Spinners) +
                     " threads that can go on wait for a change of memory "
                     "that nobody makes";
  if (Started < Blocks)
    Text += "; " + std::to_string(Blocks - Started) +
            " blocks have not started, for " + std::to_string(Resident.size()) +
            " others are resident";
  machine::fault(I, Timeout, Text);
}

/// One thread's turn.
void Launch::turn() {
  uint64_t Quantum = 0;
  if (++Turns % 65536 == 0) // stores may come late
    wakeAll();
  Thread *X = pick(Quantum);
  if (!X) {
    wakeAll();
    X = pick(Quantum);
  }
  Now = X;
  const Inst *I = X->PC;
  uint64_t Left = Quantum;
  do
    I = I->Do(*X, I);
  while (--Left && I);
  if (I)
    X->PC = I;
  Executed += Quantum - Left;
  if (O.MostInstructions && Executed > O.MostInstructions)
    machine::fault(X->PC, Timeout,
                   "the kernel has executed " + std::to_string(Executed) +
                       " instructions");
  if (O.Weak && Chance.below(2)) {
    size_t Which = Chance.below(Resident.size() + Late.size());
    if (Which < Resident.size())
      Resident[Which]->Weak.drift(M, Chance);
    else {
      WeakView &Of = Late[Which - Resident.size()];
      Of.drift(M, Chance);
      if (Of.empty()) {
        std::swap(Of, Late.back());
        Late.pop_back();
      }
    }
  }
  Block &B = *X->In;
  if (!B.Alive) {
    for (size_t K = 0; K < Resident.size(); ++K)
      if (Resident[K].get() == &B)
        return retire(K);
  } else if (!B.ReadyCount && !B.Dozing)
    stuck(B);
}

bool Launch::step(uint64_t Instructions) {
  if (Over)
    return true;
  try {
    for (uint64_t End = Executed + Instructions; Executed < End;) {
      while (startBlock())
        ;
      if (Resident.empty()) {
        Over = true;
        break;
      }
      turn();
    }
  } catch (const Trap &T) {
    explain(T);
    Over = true;
  } catch (const std::bad_alloc &) {
    Failed = {OutOfResources, "kernel '" + K.Entry->Name +
                                  "' takes more memory than the host has"};
    Over = true;
  }
  if (Over) {
    for (auto &B : Resident)
      B->Weak.drain(M);
    for (WeakView &W : Late)
      W.drain(M);
    Resident.clear();
    Spare.clear();
  }
  return Over;
}

static std::string tuple(const unsigned *Id) {
  return "(" + std::to_string(Id[0]) + ", " + std::to_string(Id[1]) + ", " +
         std::to_string(Id[2]) + ")";
}

std::string Launch::where(const Thread &X, const Inst *I) const {
  return "line " + std::to_string(I->Line) + " (" +
         In.line(*X.Function, I->Line) + "), block " + tuple(X.In->Id) +
         ", thread " + tuple(X.Id);
}

void Launch::explain(const Trap &T) {
  Failed.Result = T.Result;
  Failed.Text = "kernel '" + K.Entry->Name + "', ";
  if (Now && Now->Function != K.Entry && Now->Function)
    Failed.Text += "function '" + Now->Function->Name + "', ";
  if (Now && Now->Function)
    Failed.Text += where(*Now, T.At) + ": ";
  Failed.Text += T.Text;
}

/// No thread of the block can go on, and no other block can help.
void Launch::stuck(const Block &B) {
  std::string Text = "the block's threads wait for one another for ever:";
  unsigned Shown = 0;
  const Inst *Last = nullptr;
  for (const Thread &X : B.Threads) {
    if (X.Is == State::Gone || X.Waits == Last)
      continue;
    Last = X.Waits;
    if (++Shown > 4) {
      Text += " ...";
      break;
    }
    Text += (Shown > 1 ? "; thread " : " thread ") + tuple(X.Id) + " at line " +
            std::to_string(X.Waits->Line) + " (" +
            In.line(*X.Function, X.Waits->Line) + ")";
  }
  unsigned Gone = static_cast<unsigned>(B.Threads.size()) - B.Alive;
  if (Gone)
    Text += "; " + std::to_string(Gone) + " threads are over";
  for (const Thread &X : B.Threads)
    if (X.Is != State::Gone) {
      Now = const_cast<Thread *>(&X);
      machine::fault(X.Waits, Timeout, Text);
    }
}

} // namespace gpu_in_software::machine
