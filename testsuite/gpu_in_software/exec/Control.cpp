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
    memset(X.In->LocalWritten.get() + X.Number * X.In->LocalStride + X.Base, 0,
           Bytes);
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
    char Text[24];
    snprintf(Text, sizeof Text, "0x%llx", static_cast<unsigned long long>(At));
    if (!To)
      fault(I, InvalidPc, std::string(Text) + " is no address of a function");
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
      memset(X.In->LocalWritten.get() + X.Number * X.In->LocalStride + X.Base +
                 To->Params[K].Off,
             1, P.Bytes);
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
    if (P.InRegister)
      memcpy(&X.R[P.Caller], At, P.Bytes);
    else
      memcpy(X.Local + X.Base + P.Caller, At, P.Bytes);
    if (!P.InRegister && (X.Watch & WatchWritten))
      memset(X.In->LocalWritten.get() + X.Number * X.In->LocalStride + X.Base +
                 P.Caller,
             1, P.Bytes);
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

/// The address of a variable in the frame; of a parameter it is generic, for
/// ld.param cannot tell otherwise whose it is.
const Inst *frameAddress(Thread &X, const Inst *I) {
  X.R[I->D] = X.Base + static_cast<uint32_t>(I->Off);
  return I + 1;
}
const Inst *paramAddress(Thread &X, const Inst *I) {
  X.R[I->D] = LocalTag | (X.Base + static_cast<uint32_t>(I->Off));
  return I + 1;
}

/// mov.b64 {a, b}, c and mov.b64 c, {a, b}.
template <class T> const Inst *unpack(Thread &X, const Inst *I) {
  uint64_t V = X.R[I->A];
  for (uint32_t Slot : X.Function->Lists[I->More]) {
    X.R[Slot] = static_cast<T>(V);
    V = sizeof(T) < 8 ? V >> 8 * (sizeof(T) % 8) : 0;
  }
  return I + 1;
}
template <class T> const Inst *pack(Thread &X, const Inst *I) {
  uint64_t V = 0;
  unsigned At = 0;
  for (uint32_t Slot : X.Function->Lists[I->More]) {
    V |= uint64_t(static_cast<T>(X.R[Slot])) << At;
    At += 8 * sizeof(T);
  }
  X.R[I->D] = V;
  return I + 1;
}

const Inst *allocate(Thread &X, const Inst *I) {
  uint64_t Bytes = X.R[I->A], Align = std::max<uint64_t>(I->More, 16);
  if (Bytes > X.Sp || X.Sp - Bytes < StackLimit + Align)
    fault(I, StackError,
          "the stack of " + std::to_string(X.Top) +
              " bytes is too small for alloca");
  X.Sp = static_cast<uint32_t>((X.Sp - Bytes) / Align * Align);
  memset(X.Local + X.Sp, Poison, Bytes);
  X.R[I->D] = X.Sp;
  return I + 1;
}
const Inst *saveStack(Thread &X, const Inst *I) {
  X.R[I->D] = X.Sp;
  return I + 1;
}
const Inst *restoreStack(Thread &X, const Inst *I) {
  uint64_t To = X.R[I->A];
  if (To < X.Sp || To > X.Base)
    fault(I, StackError, "stackrestore of what stacksave did not give");
  X.Sp = static_cast<uint32_t>(To);
  return I + 1;
}

} // namespace

void addControl(Table &T) {
  T["bra"].Do = jump;
  T["bra.if"].Do = jumpIf;
  T["bra.unless"].Do = jumpUnless;
  T["brx.idx"].Do = jumpTable;
  T["call"].Do = call;
  T["ret"].Do = ret;
  T["exit"].Do = leave;
  T["trap"].Do = trap;
  T["brkpt"].Do = trap;
  T["nothing"].Do = nothing;
  T["nanosleep.u32"] = {pause, nullptr, 0, {{'s', {'u', 32}}}};
  T["frameaddress"].Do = frameAddress;
  T["paramaddress"].Do = paramAddress;
  T["pack.16"].Do = pack<uint16_t>;
  T["pack.32"].Do = pack<uint32_t>;
  T["unpack.16"].Do = unpack<uint16_t>;
  T["unpack.32"].Do = unpack<uint32_t>;
  Role D64 = {'d', {'u', 64}}, S64 = {'s', {'u', 64}};
  T["alloca.u64"] = {allocate, nullptr, 0, {D64, S64, {'i', {'u', 32}}}};
  T["stacksave.u64"] = {saveStack, nullptr, 0, {D64}};
  T["stackrestore.u64"] = {restoreStack, nullptr, 0, {S64}};

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
  SPECIAL("%gridid", 64, 1)
  SPECIAL("%lanemask_eq", 32, uint32_t(1) << X.lane())
  SPECIAL("%lanemask_lt", 32, (uint32_t(1) << X.lane()) - 1)
  SPECIAL("%lanemask_le", 32, (uint64_t(2) << X.lane()) - 1)
  SPECIAL("%lanemask_gt", 32, uint32_t(~((uint64_t(2) << X.lane()) - 1)))
  SPECIAL("%lanemask_ge", 32, uint32_t(~((uint64_t(1) << X.lane()) - 1)))
  SPECIAL("%clock", 32, uint32_t(X.Run->Executed))
  SPECIAL("%clock_hi", 32, X.Run->Executed >> 32)
  SPECIAL("%clock64", 64, X.Run->Executed)
  SPECIAL("%globaltimer", 64, X.Run->Executed)
  SPECIAL("%globaltimer_lo", 32, uint32_t(X.Run->Executed))
  SPECIAL("%globaltimer_hi", 32, X.Run->Executed >> 32)
  SPECIAL("%total_smem_size", 32, X.In->Shared.size() - SharedBegin)
  SPECIAL("%dynamic_smem_size", 32, X.Run->DynamicShared)
#undef SPECIAL
}

} // namespace gpu_in_software::machine
