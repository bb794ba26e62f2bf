// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads do together: "bar" and "barrier" of a block; "bar.warp.sync",
// "shfl", "vote", "match", "redux", "elect" and "activemask" of a warp.

#include "Table.h"
#include <algorithm>

namespace gpu_in_software::machine {

namespace {

std::string line(const Inst *I) { return "line " + std::to_string(I->Line); }

// Inst::More of a barrier.
enum { Sync, Arrive, RedPopc, RedAnd, RedOr };

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
    if (I->More >= RedPopc)
      T.R[I->D] = I->More == RedPopc  ? Bar.Count
                  : I->More == RedAnd ? Bar.Count == Bar.Arrived
                                      : Bar.Count != 0;
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
  if (I->More >= RedPopc)
    Bar.Count += X.R[I->C] & 1;
  X.PC = I + 1;
  if (I->More != Arrive) {
    X.Waits = I;
    X.Mask = static_cast<uint32_t>(Id);
    B.wait(X, State::AtBarrier);
  }
  if (Bar.Arrived == (Bar.All ? B.Alive : Bar.Expected))
    open(B, static_cast<unsigned>(Id));
  return nullptr;
}

// Inst::More of what lanes do together. Inst::Off is the slot of the mask and
// Inst::Flags one more than that of a predicate that is a second result.
enum {
  WarpSync,
  Up,
  Down,
  Bfly,
  Idx,
  All,
  Any,
  Uni,
  Ballot,
  MatchAny,
  MatchAll,
  MatchAny64,
  MatchAll64,
  Elect,
  RedAdd,
  RedMin,
  RedMax,
  RedMinS,
  RedMaxS,
  RedAndBits,
  RedOrBits,
  RedXor
};

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

uint32_t combine(unsigned Kind, uint32_t A, uint32_t B) {
  auto S = [](uint32_t V) { return static_cast<int32_t>(V); };
  switch (Kind) {
  case RedAdd:
    return A + B;
  case RedMin:
    return std::min(A, B);
  case RedMax:
    return std::max(A, B);
  case RedMinS:
    return S(A) < S(B) ? A : B;
  case RedMaxS:
    return S(A) < S(B) ? B : A;
  case RedAndBits:
    return A & B;
  case RedOrBits:
    return A | B;
  default:
    return A ^ B;
  }
}

/// All lanes of the mask have come: gives each its result.
void together(const std::vector<Thread *> &Lanes, uint32_t Mask) {
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
  bool Long = Kind == MatchAny64 || Kind == MatchAll64;
  auto value = [&](const Thread *T) {
    uint64_t V = T->R[T->Waits->A];
    return Long ? V : get<uint32_t>(V);
  };
  for (size_t K = 0; K < Lanes.size(); ++K) {
    const Thread &T = *Lanes[K];
    const Inst *I = T.Waits;
    Result &To = Results[K];
    switch (Kind) {
    case WarpSync:
      break;
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
    case MatchAny:
    case MatchAny64:
      for (const Thread *S : Lanes)
        if (value(S) == value(&T))
          To.Value |= 1u << S->lane();
      break;
    case MatchAll:
    case MatchAll64:
      To.Flag = std::all_of(Lanes.begin(), Lanes.end(), [&](const Thread *S) {
        return value(S) == value(&T);
      });
      To.Value = To.Flag ? Mask : 0;
      break;
    case Elect:
      To.Value = Lanes[0]->lane();
      To.Flag = K == 0;
      break;
    default:
      To.Value = value(Lanes[0]);
      for (size_t S = 1; S < Lanes.size(); ++S)
        To.Value = combine(Kind, static_cast<uint32_t>(To.Value),
                           static_cast<uint32_t>(value(Lanes[S])));
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
    together(Lanes, Mask);
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
  auto both = [&](const std::string &Name, uint32_t Kind) {
    T[Name] = {barrier, nullptr, 0, {}, Kind};
  };
  both("bar.sync", Sync);
  both("bar.arrive", Arrive);
  both("bar.red.popc", RedPopc);
  both("bar.red.and", RedAnd);
  both("bar.red.or", RedOr);
  auto warp = [&](const std::string &Name, uint32_t Kind,
                  std::vector<Role> Roles) {
    T[Name] = {collective, nullptr, 0, std::move(Roles), Kind};
  };
  Role D = {'d', {'b', 32}}, S = {'s', {'b', 32}}, P = {'s', {'p', 1}},
       DP = {'d', {'p', 1}}, L = {'s', {'b', 64}};
  warp("bar.warp.sync", WarpSync, {});
  warp("shfl.sync.up.b32", Up, {D, S, S, S});
  warp("shfl.sync.down.b32", Down, {D, S, S, S});
  warp("shfl.sync.bfly.b32", Bfly, {D, S, S, S});
  warp("shfl.sync.idx.b32", Idx, {D, S, S, S});
  warp("vote.sync.all.pred", All, {DP, P});
  warp("vote.sync.any.pred", Any, {DP, P});
  warp("vote.sync.uni.pred", Uni, {DP, P});
  warp("vote.sync.ballot.b32", Ballot, {D, P});
  warp("match.any.sync.b32", MatchAny, {D, S});
  warp("match.all.sync.b32", MatchAll, {D, S});
  warp("match.any.sync.b64", MatchAny64, {D, L});
  warp("match.all.sync.b64", MatchAll64, {D, L});
  warp("elect.sync", Elect, {D});
  warp("redux.sync.add.u32", RedAdd, {D, S});
  warp("redux.sync.add.s32", RedAdd, {D, S});
  warp("redux.sync.min.u32", RedMin, {D, S});
  warp("redux.sync.max.u32", RedMax, {D, S});
  warp("redux.sync.min.s32", RedMinS, {D, S});
  warp("redux.sync.max.s32", RedMaxS, {D, S});
  warp("redux.sync.and.b32", RedAndBits, {D, S});
  warp("redux.sync.or.b32", RedOrBits, {D, S});
  warp("redux.sync.xor.b32", RedXor, {D, S});
  T["activemask.b32"] = {activeMask, nullptr, 0, {D}};
}

} // namespace gpu_in_software::machine
