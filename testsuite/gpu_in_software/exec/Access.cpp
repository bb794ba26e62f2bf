// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// "ld", "st", "atom", "red", "membar", "fence", "cvta" and "isspacep".

#include "Table.h"

namespace gpu_in_software::machine {

namespace {

/// How an access names its memory; beyond the state spaces of PTX there are
/// parameters and variables whose place in the frame is known.
enum class From {
  Generic,
  Global,
  ReadOnly,
  Const,
  Shared,
  Local,
  Param,
  Frame,
  KernelParam
};

enum class Does { Read, Write, Update };

struct Place {
  unsigned char *At;
  bool Global;
};

const char *windowOf(uint64_t A) {
  switch (A & TagMask) {
  case SharedTag:
    return "shared memory";
  case LocalTag:
    return "local memory";
  case ParamTag:
    return "parameters";
  case CodeTag:
    return "code";
  default:
    return nullptr;
  }
}

[[noreturn]] void outside(const Inst *I, unsigned Size, Does What,
                          const std::string &Where, int Result) {
  const char *Verb = What == Does::Read    ? "reads "
                     : What == Does::Write ? "writes "
                                           : "updates ";
  fault(I, Result, Verb + std::to_string(Size) + " bytes: " + Where);
}

void aligned(const Inst *I, uint64_t A, unsigned Size, Does What) {
  if (A & (Size - 1))
    outside(I, Size, What, hex(A) + " is misaligned", Misaligned);
}

Place inGlobal(Thread &X, const Inst *I, uint64_t A, unsigned Size, Does What) {
  if ((A & (Size - 1)) == 0)
    if (unsigned char *P = X.M->quick(A, Size))
      return {P, true};
  if (const char *Window = windowOf(A))
    outside(I, Size, What, hex(A) + " is the generic address of " + Window,
            WrongSpace);
  unsigned char *P = X.M->bytes(A, Size);
  if (!P)
    outside(I, Size, What, X.M->describe(A), IllegalAddress);
  aligned(I, A, Size, What);
  return {P, true};
}

Place inShared(Thread &X, const Inst *I, uint64_t A, unsigned Size, Does What) {
  auto &Shared = X.In->Shared;
  if (A < SharedBegin || A >= Shared.size() || Size > Shared.size() - A) {
    if (windowOf(A) || X.M->owns(A))
      outside(I, Size, What, hex(A) + " is no address of shared memory",
              WrongSpace);
    outside(I, Size, What,
            hex(A) + " is not in the block's shared memory of " +
                std::to_string(Shared.size() - SharedBegin) + " bytes",
            IllegalAddress);
  }
  aligned(I, A, Size, What);
  return {&Shared[A], false};
}

Place inLocal(Thread &X, const Inst *I, uint64_t A, unsigned Size, Does What) {
  if (A < X.Sp || A >= X.Top || Size > X.Top - A) {
    if (windowOf(A) || X.M->owns(A))
      outside(I, Size, What, hex(A) + " is no address of local memory",
              WrongSpace);
    outside(I, Size, What,
            hex(A) + " is not in the thread's local memory that is in use, " +
                hex(X.Sp) + " to " + hex(X.Top),
            IllegalAddress);
  }
  aligned(I, A, Size, What);
  return {X.Local + A, false};
}

Place inParams(Thread &X, const Inst *I, uint64_t A, unsigned Size, Does What) {
  auto &Params = X.Run->Params;
  uint64_t Off = A & ~TagMask;
  if (What != Does::Read)
    outside(I, Size, What, "parameters of a kernel can only be read",
            IllegalAddress);
  if (Off >= Params.size() || Size > Params.size() - Off)
    outside(I, Size, What,
            hex(Off) + " is not in the kernel's parameters of " +
                std::to_string(Params.size()) + " bytes",
            IllegalAddress);
  aligned(I, Off, Size, What);
  return {&Params[Off], false};
}

/// By the window that a generic address is in.
Place inWindow(Thread &X, const Inst *I, uint64_t A, unsigned Size, Does What) {
  switch (A & TagMask) {
  case SharedTag:
    return inShared(X, I, A & ~TagMask, Size, What);
  case LocalTag:
    return inLocal(X, I, A & ~TagMask, Size, What);
  case ParamTag:
    return inParams(X, I, A, Size, What);
  case CodeTag:
    outside(I, Size, What, hex(A) + " is the address of a function",
            IllegalAddress);
  default:
    return inGlobal(X, I, A, Size, What);
  }
}

template <From S>
inline Place place(Thread &X, const Inst *I, uint64_t A, unsigned Size,
                   Does What) {
  switch (S) {
  case From::Generic:
    if ((A & (Size - 1)) == 0)
      if (unsigned char *P = X.M->quick(A, Size))
        return {P, true};
    return inWindow(X, I, A, Size, What);
  case From::Global:
  case From::ReadOnly:
    return inGlobal(X, I, A, Size, What);
  case From::Const: {
    const Image &In = X.Run->In;
    if (A < In.ConstBegin || A >= In.ConstEnd)
      outside(I, Size, What, hex(A) + " is not in constant memory", WrongSpace);
    return {inGlobal(X, I, A, Size, What).At, false};
  }
  case From::Shared:
    return inShared(X, I, A, Size, What);
  case From::Local:
    return inLocal(X, I, A, Size, What);
  case From::Param: // of the kernel, or in the function's frame
    if ((A & TagMask) == ParamTag)
      return inParams(X, I, A, Size, What);
    return inLocal(X, I, A, Size, What);
  case From::Frame: // the decoder has checked these
    return {X.Local + X.Base + I->Off, false};
  case From::KernelParam:
    return {&X.Run->Params[static_cast<size_t>(I->Off)], false};
  }
  return {};
}

unsigned char *shadow(Thread &X, Place P) {
  if (P.Global)
    return X.M->written(P.At);
  auto &Shared = X.In->Shared;
  if (P.At >= Shared.data() && P.At < Shared.data() + Shared.size())
    return &X.In->SharedWritten[static_cast<size_t>(P.At - Shared.data())];
  if (P.At >= X.Local && P.At < X.Local + X.Top)
    return X.In->localWritten(X, static_cast<uint64_t>(P.At - X.Local));
  return nullptr;
}

void noteWritten(Thread &X, Place P, unsigned Size) {
  if (X.Watch & WatchWritten)
    if (unsigned char *S = shadow(X, P))
      memset(S, 1, Size);
}

void checkWritten(Thread &X, const Inst *I, Place P, uint64_t A,
                  unsigned Size) {
  bool Local = P.At >= X.Local && P.At < X.Local + X.Top;
  if (!(X.Watch & WatchWritten) || (Local && !(X.Watch & WatchLocal)))
    return;
  // Copies of structures move the padding, too: one written byte will do.
  unsigned char *S = shadow(X, P);
  if (S && !memchr(S, 1, Size))
    outside(I, Size, Does::Read, hex(A) + " was never written", LaunchFailed);
}

void checkReadOnly(Thread &X, const Inst *I, uint64_t A, unsigned Size,
                   Does What, bool ReadOnly) {
  if (!(X.Watch & WatchReadOnly))
    return;
  if (ReadOnly && !X.Run->ReadOnly.read(A, Size))
    outside(I, Size, What,
            hex(A) + " is read by ld.global.nc, but this kernel has written it",
            LaunchFailed);
  if (What != Does::Read && !X.Run->ReadOnly.write(A, Size))
    outside(I, Size, What, hex(A) + " was read by ld.global.nc in this kernel",
            LaunchFailed);
}

template <From S, class T, bool Strong>
T read(Thread &X, const Inst *I, uint64_t A) {
  Place P = place<S>(X, I, A, sizeof(T), Does::Read);
  T V;
  if (__builtin_expect(X.Watch != 0, 0)) {
    checkWritten(X, I, P, A, sizeof(T));
    if (P.Global) {
      checkReadOnly(X, I, A, sizeof(T), Does::Read, S == From::ReadOnly);
      if (!(X.Watch & WatchWeak))
        ;
      else if (Strong)
        X.In->Weak.settle(*X.M, A);
      else
        return get<T>(X.In->Weak.load(*X.M, X.Run->Chance, A, sizeof(T)));
    }
  }
  memcpy(&V, P.At, sizeof V);
  return V;
}

template <From S, class T, bool Strong>
void write(Thread &X, const Inst *I, uint64_t A, T V) {
  Place P = place<S>(X, I, A, sizeof(T), Does::Write);
  if (S != From::Frame && S != From::Local && (A & TagMask) != LocalTag) {
    ++*X.Changes;
    X.Run->wake(A);
  }
  if (__builtin_expect(X.Watch != 0, 0)) {
    noteWritten(X, P, sizeof(T));
    if (P.Global) {
      checkReadOnly(X, I, A, sizeof(T), Does::Write, false);
      if (!(X.Watch & WatchWeak))
        ;
      else if (Strong)
        X.In->Weak.settle(*X.M, A);
      else
        return X.In->Weak.store(*X.M, X.Run->Chance, A, sizeof(T), put(V),
                                X.Number);
    }
  }
  memcpy(P.At, &V, sizeof V);
}

const Inst *endOfTurn(Thread &X, const Inst *I) {
  X.PC = I + 1;
  return nullptr;
}
/// Gives others a turn: when the thread looks again at what nobody has changed,
/// and at times. (Always would be unfair to loops of compare-and-swap: each
/// would find what another has changed.)
const Inst *perhapsEndOfTurn(Thread &X, const Inst *I) {
  bool Again = X.Polls > 1 && X.PolledAt == *X.Changes;
  return Again || X.Run->interrupts() ? endOfTurn(X, I) : I + 1;
}
void fence(Thread &X) {
  if (X.Watch & WatchWeak)
    X.In->Weak.fence(*X.M, X.Number);
}

template <From S> uint64_t address(Thread &X, const Inst *I) {
  if (S == From::Frame || S == From::KernelParam)
    return 0;
  return X.R[I->A] + static_cast<uint64_t>(static_cast<int64_t>(I->Off));
}

template <From S, class T> const Inst *load(Thread &X, const Inst *I) {
  X.R[I->D] = put(read<S, T, false>(X, I, address<S>(X, I)));
  return I + 1;
}
template <From S, class T> const Inst *store(Thread &X, const Inst *I) {
  write<S, T, false>(X, I, address<S>(X, I), get<T>(X.R[I->B]));
  return I + 1;
}

/// volatile, relaxed, acquire and release.
template <From S, class T> const Inst *loadStrong(Thread &X, const Inst *I) {
  uint64_t A = address<S>(X, I), Held = put(read<S, T, true>(X, I, A));
  X.R[I->D] = Held;
  if (I->Flags & FlagAcquire)
    fence(X);
  bool Same = A == X.Flag && Held == X.FlagHeld;
  X.Run->polled(X, I, A, Held);
  if (Same && X.M->owns(A)) {
    X.Run->doze(X);
    return endOfTurn(X, I);
  }
  return perhapsEndOfTurn(X, I);
}
template <From S, class T> const Inst *storeStrong(Thread &X, const Inst *I) {
  if (I->Flags & FlagRelease)
    fence(X);
  write<S, T, true>(X, I, address<S>(X, I), get<T>(X.R[I->B]));
  return perhapsEndOfTurn(X, I);
}

/// Of .v2 and .v4: the address of the whole is checked, and parts follow.
const Inst *wholeVector(Thread &X, const Inst *I) {
  X.R[I->D] = address<From::Generic>(X, I);
  aligned(I, X.R[I->D], I->More, I->Flags ? Does::Read : Does::Write);
  return I + 1;
}

// Atomic updates.
OPERATION(AtomicAdd, static_cast<A>(a + b))
OPERATION(AtomicExch, b)
OPERATION(AtomicCas, a == b ? c : a)
OPERATION(AtomicInc, a >= b ? 0u : a + 1)
OPERATION(AtomicDec, a == 0 || a > b ? b : a - 1)

template <From S, class T, class Op>
const Inst *atomic(Thread &X, const Inst *I) {
  if (I->Flags & FlagRelease)
    fence(X);
  uint64_t A = address<S>(X, I);
  Place P = place<S>(X, I, A, sizeof(T), Does::Update);
  if (P.At >= X.Local && P.At < X.Local + X.Top)
    outside(I, sizeof(T), Does::Update, "local memory has no atomics",
            WrongSpace);
  if (__builtin_expect(X.Watch != 0, 0)) {
    checkWritten(X, I, P, A, sizeof(T));
    noteWritten(X, P, sizeof(T));
    if (P.Global) {
      checkReadOnly(X, I, A, sizeof(T), Does::Update, false);
      if (X.Watch & WatchWeak)
        X.In->Weak.settle(*X.M, A);
    }
  }
  T Old;
  memcpy(&Old, P.At, sizeof Old);
  T New = Op::of(Old, get<T>(X.R[I->B]), get<T>(X.R[I->C]));
  if (put(Old) != put(New)) {
    ++*X.Changes;
    X.Run->wake(A);
  } else
    X.Run->polled(X, I, A, put(Old));
  memcpy(P.At, &New, sizeof New);
  X.R[I->D] = put(Old);
  if (I->Flags & FlagAcquire)
    fence(X);
  return perhapsEndOfTurn(X, I);
}

const Inst *memoryFence(Thread &X, const Inst *I) {
  fence(X);
  return endOfTurn(X, I);
}
const Inst *blockFence(Thread &X, const Inst *I) {
  if (X.Watch & WatchWeak)
    X.In->Weak.blockFence(X.Number);
  return endOfTurn(X, I);
}

template <uint64_t Tag> const Inst *toGeneric(Thread &X, const Inst *I) {
  X.R[I->D] = X.R[I->A] | Tag;
  return I + 1;
}
template <uint64_t Tag> const Inst *fromGeneric(Thread &X, const Inst *I) {
  // What is no address of the space stays as it is, and the access tells.
  uint64_t A = X.R[I->A];
  X.R[I->D] = (A & TagMask) == Tag ? A & ~Tag : A;
  return I + 1;
}
const Inst *same(Thread &X, const Inst *I) {
  X.R[I->D] = X.R[I->A];
  return I + 1;
}
template <uint64_t Tag> const Inst *isSpace(Thread &X, const Inst *I) {
  X.R[I->D] = (X.R[I->A] & TagMask) == Tag;
  return I + 1;
}
const Inst *isGlobal(Thread &X, const Inst *I) {
  X.R[I->D] = !windowOf(X.R[I->A]);
  return I + 1;
}
const Inst *isConst(Thread &X, const Inst *I) {
  const Image &In = X.Run->In;
  X.R[I->D] = X.R[I->A] >= In.ConstBegin && X.R[I->A] < In.ConstEnd;
  return I + 1;
}

const Role Memory64 = {'m', {'b', 64}};

/// Loads of signed values have names of their own, all others those of bits.
void addLoad(Table &T, const std::string &Name, Type Of, Handler Do,
             Handler Strong) {
  Role To = {'d', Of, true};
  std::string Type = "." + nameOf({Of.Kind == 's' ? 's' : 'b', Of.Bits});
  addRow(T, "ld" + Name + Type, Do, {To, Memory64});
  addRow(T, "ld.strong" + Name + Type, Strong, {To, Memory64});
}
void addStore(Table &T, const std::string &Name, Type Of, Handler Do,
              Handler Strong) {
  // The value is in B, behind the address.
  Role What = {'s', Of, true};
  std::string Type = "." + nameOf({'b', Of.Bits});
  addRow(T, "st" + Name + Type, Do, {Memory64, What});
  addRow(T, "st.strong" + Name + Type, Strong, {Memory64, What});
}

template <From S> void addLoads(Table &T, const std::string &Name) {
  forTypes<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t>(
      [&](auto Value) {
        using V = decltype(Value);
        addLoad(T, Name, Named<V>::type(), load<S, V>, loadStrong<S, V>);
      });
}
template <From S> void addStores(Table &T, const std::string &Name) {
  forTypes<uint8_t, uint16_t, uint32_t, uint64_t>([&](auto Value) {
    using V = decltype(Value);
    addStore(T, Name, Named<V>::type(), store<S, V>, storeStrong<S, V>);
  });
}

/// "atom" and "red", which have no result, of one operation.
void addAtomic(Table &T, const std::string &Name, Type Of, Handler Do,
               unsigned Sources) {
  for (bool Result : {true, false}) {
    Row R;
    R.Do = Do;
    R.Allowed = FlagAcquire | FlagRelease;
    if (Result)
      R.Roles.push_back({'d', Of});
    R.Roles.push_back(Memory64);
    for (unsigned I = 0; I < Sources; ++I)
      R.Roles.push_back({'s', Of});
    T[(Result ? "atom" : "red") + Name + "." + nameOf(Of)] = R;
  }
}

template <From S> void addAtomics(Table &T, const std::string &Name) {
  auto add = [&](const char *What, Type Of, Handler Do, unsigned Sources) {
    addAtomic(T, Name + "." + What, Of, Do, Sources);
  };
#define ATOMIC(WHAT, OP, T, SOURCES)                                           \
  add(WHAT, Named<T>::type(), atomic<S, T, OP>, SOURCES);
  forTypes<uint32_t, int32_t, uint64_t, int64_t>([&](auto Value) {
    using V = decltype(Value);
    if (!std::is_same_v<V, int64_t>)
      ATOMIC("add", AtomicAdd, V, 1)
    ATOMIC("min", Min, V, 1)
    ATOMIC("max", Max, V, 1)
  });
  ATOMIC("add", AtomicAdd, float, 1)
  ATOMIC("add", AtomicAdd, double, 1)
  ATOMIC("inc", AtomicInc, uint32_t, 1)
  ATOMIC("dec", AtomicDec, uint32_t, 1)
#undef ATOMIC
#define ATOMIC(WHAT, OP, T, SOURCES)                                           \
  add(WHAT, {'b', 8 * sizeof(T)}, atomic<S, T, OP>, SOURCES);
  forTypes<uint32_t, uint64_t>([&](auto Value) {
    using V = decltype(Value);
    ATOMIC("and", And, V, 1)
    ATOMIC("or", Or, V, 1)
    ATOMIC("xor", Xor, V, 1)
    ATOMIC("exch", AtomicExch, V, 1)
    ATOMIC("cas", AtomicCas, V, 2)
  });
  ATOMIC("cas", AtomicCas, uint16_t, 2)
#undef ATOMIC
}

} // namespace

uint64_t readGeneric(Thread &X, const Inst *I, uint64_t At, unsigned Bytes) {
  switch (Bytes) {
  case 1:
    return read<From::Generic, uint8_t, false>(X, I, At);
  case 4:
    return read<From::Generic, uint32_t, false>(X, I, At);
  default:
    return read<From::Generic, uint64_t, false>(X, I, At);
  }
}

void addAccesses(Table &T) {
  addLoads<From::Generic>(T, "");
  addLoads<From::Global>(T, ".global");
  addLoads<From::ReadOnly>(T, ".global.nc");
  addLoads<From::Const>(T, ".const");
  addLoads<From::Shared>(T, ".shared");
  addLoads<From::Local>(T, ".local");
  addLoads<From::Param>(T, ".param");
  addLoads<From::Frame>(T, ".frame");
  addLoads<From::KernelParam>(T, ".kernelparam");
  addStores<From::Generic>(T, "");
  addStores<From::Global>(T, ".global");
  addStores<From::Shared>(T, ".shared");
  addStores<From::Local>(T, ".local");
  addStores<From::Param>(T, ".param");
  addStores<From::Frame>(T, ".frame");
  addAtomics<From::Generic>(T, "");
  addAtomics<From::Global>(T, ".global");
  addAtomics<From::Shared>(T, ".shared");
  T[".vector"].Do = wholeVector;

  for (const char *Name :
       {"membar.gl", "membar.sys", "fence.sc.gpu", "fence.sc.sys",
        "fence.acq_rel.gpu", "fence.acq_rel.sys", "fence.gpu", "fence.sys"})
    T[Name].Do = memoryFence;
  for (const char *Name :
       {"membar.cta", "fence.sc.cta", "fence.acq_rel.cta", "fence.cta"})
    T[Name].Do = blockFence;

  std::vector<Role> Convert = {{'d', {'u', 64}}, {'s', {'u', 64}}};
  auto convert = [&](const std::string &Space, Handler To, Handler From) {
    addRow(T, "cvta." + Space + ".u64", To, Convert);
    addRow(T, "cvta.to." + Space + ".u64", From, Convert);
  };
  convert("global", same, same);
  convert("const", same, same);
  convert("shared", toGeneric<SharedTag>, fromGeneric<SharedTag>);
  convert("local", toGeneric<LocalTag>, fromGeneric<LocalTag>);
  convert("param", same, same); // they have their tag all the time

  std::vector<Role> Test = {{'d', {'p', 1}}, {'s', {'u', 64}}};
  addRow(T, "isspacep.global", isGlobal, Test);
  addRow(T, "isspacep.const", isConst, Test);
  addRow(T, "isspacep.shared", isSpace<SharedTag>, Test);
  addRow(T, "isspacep.local", isSpace<LocalTag>, Test);
  addRow(T, "isspacep.param", isSpace<ParamTag>, Test);
}

} // namespace gpu_in_software::machine
