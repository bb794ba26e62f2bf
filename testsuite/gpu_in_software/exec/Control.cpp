// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jumps, calls and their frames, "exit", "trap", special registers, and what
// "mov" is beyond a move.

#include "Table.h"
#include <algorithm>

namespace gpu_in_software::machine {

void fault(const Inst *At, int Result, std::string Text) {
  throw Trap{Result, std::move(Text), At};
}

/// Each frame takes some bytes more, for the return address and saved
/// registers: recursion without variables ends, too.
static const uint32_t FrameExtra = 16, StackLimit = 64;

void enter(Thread &X, const Inst *I, const Code &To) {
  uint32_t Bytes = static_cast<uint32_t>(To.FrameBytes) + FrameExtra;
  uint32_t Align = To.FrameAlign;
  if (X.Sp < StackLimit + Bytes + Align)
    fault(I, StackError,
          "the stack of " + std::to_string(X.Top) +
              " bytes is too small for function '" + To.Name +
              "', which needs " + std::to_string(Bytes) + " more than the " +
              std::to_string(X.Top - X.Sp) + " in use");
  X.Sp = X.Base = (X.Sp - Bytes) & ~(Align - 1);
  memset(X.Local + X.Base, Poison, Bytes);
  if (X.Watch & WatchWritten)
    memset(X.In->localWritten(X, X.Base), 0, Bytes);
  size_t Begin = X.Function ? static_cast<size_t>(X.R - X.Registers.data()) +
                                  X.Function->Frame.size()
                            : 0;
  if (X.Registers.size() < Begin + To.Frame.size())
    X.Registers.resize(Begin + To.Frame.size());
  X.R = X.Registers.data() + Begin;
  std::copy(To.Frame.begin(), To.Frame.end(), X.R);
  X.Function = &To;
}

namespace {

const Inst *jump(Thread &, const Inst *I) { return I + I->Off; }
const Inst *jumpIf(Thread &X, const Inst *I) {
  return X.R[I->A] & 1 ? I + I->Off : I + 1;
}
const Inst *jumpUnless(Thread &X, const Inst *I) {
  return X.R[I->A] & 1 ? I + 1 : I + I->Off;
}
const Inst *jumpTable(Thread &X, const Inst *I) {
  auto &Targets = X.Function->Lists[I->More];
  uint32_t Index = get<uint32_t>(X.R[I->A]);
  if (Index >= Targets.size())
    fault(I, InvalidPc,
          "index " + std::to_string(Index) + " is beyond the " +
              std::to_string(Targets.size()) + " branch targets");
  return X.Function->Insts.data() + Targets[Index];
}

const Inst *call(Thread &X, const Inst *I) {
  const CallSite &Site = X.Function->Calls[I->More];
  const Code *To = Site.Callee;
  if (!To) {
    Address At = X.R[Site.Target];
    To = X.Run->In.function(At);
    if (!To)
      fault(I, InvalidPc, hex(At) + " is no address of a function");
    bool Fits = Site.In.size() == To->Params.size() &&
                Site.Out.size() == To->Returns.size();
    for (size_t K = 0; Fits && K < Site.In.size(); ++K)
      Fits = Site.In[K].Bytes == To->Params[K].Bytes;
    for (size_t K = 0; Fits && K < Site.Out.size(); ++K)
      Fits = Site.Out[K].Bytes == To->Returns[K].Bytes;
    if (!Fits)
      fault(I, InvalidPc,
            "the call's parameters or results are not those of "
            "function '" +
                To->Name + "'");
  }
  if (To->Builtin)
    return To->Builtin(X, I);
  uint32_t OldRegisters = static_cast<uint32_t>(X.R - X.Registers.data());
  uint32_t OldBase = X.Base, OldSp = X.Sp;
  X.Frames.push_back({X.Function, I + 1, OldRegisters, OldBase, OldSp});
  enter(X, I, *To);
  const uint64_t *Old = X.Registers.data() + OldRegisters;
  for (size_t K = 0; K < Site.In.size(); ++K) {
    const Passed &P = Site.In[K];
    unsigned char *At = X.Local + X.Base + To->Params[K].Off;
    if (P.InRegister)
      memcpy(At, Old + P.Caller, P.Bytes);
    else
      memcpy(At, X.Local + OldBase + P.Caller, P.Bytes);
    if (X.Watch & WatchWritten)
      memset(X.In->localWritten(X, X.Base + To->Params[K].Off), 1, P.Bytes);
  }
  return To->Insts.data();
}

const Inst *leave(Thread &X, const Inst *I) {
  X.PC = I;
  finish(X);
  return nullptr;
}

const Inst *ret(Thread &X, const Inst *I) {
  if (X.Frames.empty())
    return leave(X, I);
  const Code &From = *X.Function;
  uint32_t Base = X.Base;
  Frame To = X.Frames.back();
  X.Frames.pop_back();
  X.Function = To.In;
  X.R = X.Registers.data() + To.Registers;
  X.Base = To.Base;
  X.Sp = To.Sp;
  const CallSite &Site = To.In->Calls[(To.Return - 1)->More];
  for (size_t K = 0; K < Site.Out.size(); ++K) {
    const Passed &P = Site.Out[K];
    const unsigned char *At = X.Local + Base + From.Returns[K].Off;
    memcpy(X.passed(P), At, P.Bytes);
    if (!P.InRegister && (X.Watch & WatchWritten))
      memset(X.In->localWritten(X, X.Base + P.Caller), 1, P.Bytes);
  }
  return To.Return;
}

const Inst *trap(Thread &, const Inst *I) { fault(I, LaunchFailed, "trap"); }

/// Others get a turn.
const Inst *pause(Thread &X, const Inst *I) {
  X.PC = I + 1;
  return nullptr;
}
const Inst *nothing(Thread &, const Inst *I) { return I + 1; }

/// The address of a variable or parameter in the frame, in local memory.
const Inst *frameAddress(Thread &X, const Inst *I) {
  X.R[I->D] = X.Base + static_cast<uint32_t>(I->Off);
  return I + 1;
}

/// mov.b64 {a, b}, c and mov.b64 c, {a, b}; Inst::Off is the width of a part.
const Inst *unpack(Thread &X, const Inst *I) {
  uint64_t V = X.R[I->A], Mask = (uint64_t(1) << I->Off) - 1;
  for (uint32_t Slot : X.Function->Lists[I->More]) {
    X.R[Slot] = V & Mask;
    V >>= I->Off;
  }
  return I + 1;
}
const Inst *pack(Thread &X, const Inst *I) {
  uint64_t V = 0, Mask = (uint64_t(1) << I->Off) - 1;
  int32_t At = 0;
  for (uint32_t Slot : X.Function->Lists[I->More]) {
    V |= (X.R[Slot] & Mask) << At;
    At += I->Off;
  }
  X.R[I->D] = V;
  return I + 1;
}

} // namespace

void addControl(Table &T) {
  T["bra"].Do = jump;
  T[".bra.if"].Do = jumpIf;
  T[".bra.unless"].Do = jumpUnless;
  T["brx.idx"].Do = jumpTable;
  T["call"].Do = call;
  T["ret"].Do = ret;
  T["exit"].Do = leave;
  T["trap"].Do = trap;
  T["brkpt"].Do = trap;
  // What the decoder makes other instructions of: no text can name them.
  T[".nothing"].Do = nothing;
  T[".pack"].Do = pack;
  T[".unpack"].Do = unpack;
  T["nanosleep.u32"] = {pause, nullptr, 0, {{'s', {'u', 32}}}};
  T[".frameaddress"].Do = frameAddress;
  // With the width that they have.
#define SPECIAL(NAME, BITS, EXPR)                                              \
  T[NAME] = {[](Thread &X, const Inst *I) -> const Inst * {                    \
               X.R[I->D] = EXPR;                                               \
               return I + 1;                                                   \
             },                                                                \
             nullptr,                                                          \
             0,                                                                \
             {{'d', {'u', BITS}}}};
  SPECIAL("%tid.x", 32, X.Id[0])
  SPECIAL("%tid.y", 32, X.Id[1])
  SPECIAL("%tid.z", 32, X.Id[2])
  SPECIAL("%ntid.x", 32, X.Run->Size.X)
  SPECIAL("%ntid.y", 32, X.Run->Size.Y)
  SPECIAL("%ntid.z", 32, X.Run->Size.Z)
  SPECIAL("%ctaid.x", 32, X.In->Id[0])
  SPECIAL("%ctaid.y", 32, X.In->Id[1])
  SPECIAL("%ctaid.z", 32, X.In->Id[2])
  SPECIAL("%nctaid.x", 32, X.Run->Grid.X)
  SPECIAL("%nctaid.y", 32, X.Run->Grid.Y)
  SPECIAL("%nctaid.z", 32, X.Run->Grid.Z)
  SPECIAL("%laneid", 32, X.lane())
  SPECIAL("%warpid", 32, X.Number / 32)
  SPECIAL("%nwarpid", 32, (X.In->Threads.size() + 31) / 32)
  SPECIAL("%smid", 32, X.In->Index % X.Run->O.Multiprocessors)
  SPECIAL("%nsmid", 32, X.Run->O.Multiprocessors)
  SPECIAL("%lanemask_eq", 32, uint32_t(1) << X.lane())
  SPECIAL("%lanemask_lt", 32, (uint32_t(1) << X.lane()) - 1)
  SPECIAL("%lanemask_le", 32, (uint64_t(2) << X.lane()) - 1)
  SPECIAL("%lanemask_gt", 32, uint32_t(~((uint64_t(2) << X.lane()) - 1)))
  SPECIAL("%lanemask_ge", 32, uint32_t(~((uint64_t(1) << X.lane()) - 1)))
  SPECIAL("%clock", 32, uint32_t(X.Run->Executed))
  SPECIAL("%clock64", 64, X.Run->Executed)
  SPECIAL("%globaltimer", 64, X.Run->Executed)
#undef SPECIAL
}

} // namespace gpu_in_software::machine
