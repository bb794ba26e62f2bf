// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads do together: "bar" and "barrier" of a block; "bar.warp.sync",
// "shfl", "vote" and "activemask" of a warp.

#include "Table.h"
#include <algorithm>

namespace gpu_in_software::machine {

namespace {

std::string line(const Inst *I) { return "line " + std::to_string(I->Line); }

/// Lets all go on who wait at a barrier.
void open(Block &B, unsigned Id) {
  Barrier &Bar = B.Barriers[Id];
  const Inst *OfWarp = nullptr;
  unsigned Warp = ~0u;
  for (Thread &T : B.Threads) {
    if (T.Is != State::AtBarrier || T.Mask != Id)
      continue;
    const Inst *I = T.Waits;
    if (T.Number / 32 != Warp)
      Warp = T.Number / 32, OfWarp = I;
    if (OfWarp != I && (I->Flags & FlagAligned))
      fault(I, LaunchFailed,
            "threads of one warp meet at different instructions, here and at " +
                line(OfWarp) + ", which bar.sync does not allow");
    B.ready(T);
  }
  Bar = Barrier();
  B.Weak.meet();
  ++B.Run->Changes;
}

const Inst *barrier(Thread &X, const Inst *I) {
  Block &B = *X.In;
  uint64_t Id = get<uint32_t>(X.R[I->A]);
  unsigned Count = get<uint32_t>(X.R[I->B]);
  if (Id > 15)
    fault(I, LaunchFailed, "there is no barrier " + std::to_string(Id));
  if (Count % 32)
    fault(I, LaunchFailed,
          "a barrier for " + std::to_string(Count) +
              " threads, which are no whole warps");
  Barrier &Bar = B.Barriers[Id];
  if (Bar.Arrived && (Bar.All != !Count || (Count && Bar.Expected != Count)))
    fault(I, LaunchFailed,
          "barrier " + std::to_string(Id) +
              " is waited at for another number of threads");
  Bar.All = !Count;
  Bar.Expected = Count;
  ++Bar.Arrived;
  X.PC = I + 1;
  X.Waits = I;
  X.Mask = static_cast<uint32_t>(Id);
  B.wait(X, State::AtBarrier);
  if (Bar.Arrived == (Bar.All ? B.Alive : Bar.Expected))
    open(B, static_cast<unsigned>(Id));
  return nullptr;
}

// Inst::More of what lanes do together. Inst::Off is the slot of the mask and
// Inst::Flags one more than that of a predicate that is a second result.
enum { WarpSync, Up, Down, Bfly, Idx, All, Any, Uni, Ballot };

/// Which lane a shuffle reads from; Valid: whether it is in the segment.
unsigned sourceLane(unsigned Kind, unsigned Lane, uint32_t B, uint32_t C,
                    bool &Valid) {
  unsigned By = B & 31, Clamp = C & 31, Segment = C >> 8 & 31;
  unsigned Most = (Lane & Segment) | (Clamp & ~Segment & 31);
  unsigned Least = Lane & Segment;
  int From = Kind == Up     ? static_cast<int>(Lane) - static_cast<int>(By)
             : Kind == Down ? static_cast<int>(Lane + By)
             : Kind == Bfly ? static_cast<int>(Lane ^ By)
                            : static_cast<int>(Least | (By & ~Segment & 31));
  Valid = Kind == Up ? From >= static_cast<int>(Most)
                     : From <= static_cast<int>(Most);
  return Valid ? static_cast<unsigned>(From) : Lane;
}

/// All lanes of the mask have come: gives each its result.
void together(const std::vector<Thread *> &Lanes) {
  struct Result {
    uint64_t Value = 0;
    bool Flag = false;
  };
  unsigned Kind = Lanes[0]->Waits->More;
  std::vector<Result> Results(Lanes.size());
  uint32_t Votes = 0, Present = 0;
  for (Thread *T : Lanes) {
    Present |= 1u << T->lane();
    if (T->R[T->Waits->A] & 1)
      Votes |= 1u << T->lane();
  }
  for (size_t K = 0; K < Lanes.size(); ++K) {
    const Thread &T = *Lanes[K];
    const Inst *I = T.Waits;
    Result &To = Results[K];
    switch (Kind) {
    case Up:
    case Down:
    case Bfly:
    case Idx: {
      unsigned From = sourceLane(Kind, T.lane(), get<uint32_t>(T.R[I->B]),
                                 get<uint32_t>(T.R[I->C]), To.Flag);
      // Of a lane that takes no part the value is undefined.
      To.Value = 0x01010101u * Poison;
      for (const Thread *S : Lanes)
        if (S->lane() == From)
          To.Value = get<uint32_t>(S->R[S->Waits->A]);
      break;
    }
    case All:
      To.Value = Votes == Present;
      break;
    case Any:
      To.Value = Votes != 0;
      break;
    case Uni:
      To.Value = !Votes || Votes == Present;
      break;
    case Ballot:
      To.Value = Votes;
      break;
    default: // bar.warp.sync has no result
      break;
    }
  }
  for (size_t K = 0; K < Lanes.size(); ++K) {
    Thread &T = *Lanes[K];
    if (Kind != WarpSync)
      T.R[T.Waits->D] = Results[K].Value;
    if (Kind != WarpSync && T.Waits->Flags)
      T.R[T.Waits->Flags - 1] = Results[K].Flag;
    T.In->ready(T);
  }
  Lanes[0]->In->Weak.meet();
  ++Lanes[0]->Run->Changes;
}

const Inst *collective(Thread &X, const Inst *I) {
  Block &B = *X.In;
  uint32_t Mask = get<uint32_t>(X.R[I->Off]);
  char Text[16];
  snprintf(Text, sizeof Text, "0x%08x", Mask);
  if (!(Mask >> X.lane() & 1))
    fault(I, LaunchFailed,
          std::string("the mask ") + Text + " does not name the thread itself");
  X.PC = I + 1;
  X.Waits = I;
  X.Mask = Mask;
  B.wait(X, State::AtCollective);
  std::vector<Thread *> Lanes;
  bool Complete = true;
  unsigned First = X.Number - X.lane();
  for (unsigned L = 0; L < 32; ++L) {
    // The last warp of a block may have less than 32 threads.
    if (!(Mask >> L & 1) || First + L >= B.Threads.size())
      continue;
    Thread &T = B.Threads[First + L];
    if (T.Is == State::Gone)
      fault(I, LaunchFailed,
            std::string("the mask ") + Text + " names lane " +
                std::to_string(L) + ", whose thread is over");
    bool Here = T.Is == State::AtCollective && T.Mask == Mask &&
                T.Waits->More == I->More;
    if (!Here && T.Is == State::AtCollective && (T.Mask >> X.lane() & 1))
      fault(I, LaunchFailed,
            std::string("the mask ") + Text + " names lane " +
                std::to_string(L) +
                ", which waits for this one with another mask or for another "
                "operation at " +
                line(T.Waits));
    Complete &= Here;
    Lanes.push_back(&T);
  }
  if (Complete)
    together(Lanes);
  return nullptr;
}

const Inst *activeMask(Thread &X, const Inst *I) {
  // Which threads execute together is never promised: only itself.
  X.R[I->D] = uint32_t(1) << X.lane();
  return I + 1;
}

} // namespace

void finish(Thread &X) {
  Block &B = *X.In;
  B.wait(X, State::Gone);
  --B.Alive;
  ++X.Run->Changes;
  unsigned First = X.Number - X.lane();
  for (unsigned L = First; L < First + 32 && L < B.Threads.size(); ++L)
    if (B.Threads[L].Is == State::AtCollective &&
        (B.Threads[L].Mask >> X.lane() & 1))
      fault(X.PC, LaunchFailed,
            "the thread is over, but lane " + std::to_string(L - First) +
                " waits for it at " + line(B.Threads[L].Waits));
  for (unsigned Id = 0; Id < 16 && B.Alive; ++Id)
    if (B.Barriers[Id].All && B.Barriers[Id].Arrived == B.Alive)
      open(B, Id);
}

void addTeam(Table &T) {
  // The decoder knows how their operands lie.
  T["bar.sync"] = {barrier, nullptr, 0, {}, FlagAligned};
  T["barrier.sync.aligned"] = T["bar.sync"];
  T["barrier.sync"] = {barrier, nullptr, 0, {}, 0};
  auto warp = [&](const std::string &Name, uint32_t Kind,
                  std::vector<Role> Roles) {
    T[Name] = {collective, nullptr, 0, std::move(Roles), Kind};
  };
  Role D = {'d', {'b', 32}}, S = {'s', {'b', 32}}, P = {'s', {'p', 1}},
       DP = {'d', {'p', 1}};
  warp("bar.warp.sync", WarpSync, {});
  warp("shfl.sync.up.b32", Up, {D, S, S, S});
  warp("shfl.sync.down.b32", Down, {D, S, S, S});
  warp("shfl.sync.bfly.b32", Bfly, {D, S, S, S});
  warp("shfl.sync.idx.b32", Idx, {D, S, S, S});
  warp("vote.sync.all.pred", All, {DP, P});
  warp("vote.sync.any.pred", Any, {DP, P});
  warp("vote.sync.uni.pred", Uni, {DP, P});
  warp("vote.sync.ballot.b32", Ballot, {D, P});
  T["activemask.b32"] = {activeMask, nullptr, 0, {D}};
}

} // namespace gpu_in_software::machine
