// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From instructions as they are written to those that are executed. Most are
// rows of the table; here is what others are made of.

#include "Decoding.h"
#include <algorithm>
#include <set>

namespace gpu_in_software::machine {

std::vector<uint32_t> layOut(const Function &F, Code &To) {
  std::vector<uint32_t> Offsets(F.Variables.size());
  // Kernels have their parameters elsewhere, all others in their frame.
  uint64_t Params = 0, Local = 0;
  for (size_t I = 0; I < F.Variables.size(); ++I) {
    const Variable &V = F.Variables[I];
    bool OfKernel = F.Entry && std::count(F.Params.begin(), F.Params.end(), I);
    uint64_t &Next = OfKernel ? Params : Local;
    Next = (Next + V.Align - 1) / V.Align * V.Align;
    Offsets[I] = static_cast<uint32_t>(Next);
    Next += V.Bytes;
    if (Next > (1 << 24))
      throw SyntaxError{V.Line, "'" + V.Name + "' makes a frame too large"};
    if (!OfKernel)
      To.FrameAlign = std::max(To.FrameAlign, static_cast<uint32_t>(V.Align));
  }
  To.FrameBytes = (Local + 15) / 16 * 16;
  for (unsigned P : F.Params)
    To.Params.push_back(
        {Offsets[P], static_cast<uint32_t>(F.Variables[P].Bytes)});
  for (unsigned P : F.Returns)
    To.Returns.push_back(
        {Offsets[P], static_cast<uint32_t>(F.Variables[P].Bytes)});
  return Offsets;
}

namespace {

std::vector<std::string> split(const std::string &Opcode) {
  std::vector<std::string> Parts(1);
  for (char C : Opcode)
    if (C == '.')
      Parts.emplace_back();
    else
      Parts.back() += C;
  return Parts;
}

uint32_t flagOf(const std::string &Modifier) {
  static const std::map<std::string, uint32_t> Flags = {
      {"ftz", FlagFtz}, {"sat", FlagSat}, {"rn", FlagRn},  {"rz", FlagRz},
      {"rm", FlagRm},   {"rp", FlagRp},   {"rni", FlagRn}, {"rzi", FlagRz},
      {"rmi", FlagRm},  {"rpi", FlagRp}};
  auto It = Flags.find(Modifier);
  return It == Flags.end() ? 0 : It->second;
}

} // namespace

void Decoder::fromRow(const Row &R, uint32_t Flags,
                      const std::vector<Operand> &Operands) {
  if (Flags & ~R.Allowed)
    unknown();
  if (Operands.size() != R.Roles.size())
    wrong("'" + Now->Opcode + "' has not that many operands");
  Inst New;
  New.Flags = Flags;
  New.More = R.Kind;
  uint32_t *Sources[] = {&New.A, &New.B, &New.C, &New.More};
  unsigned Next = 0;
  for (size_t I = 0; I < Operands.size(); ++I) {
    const Operand &O = Operands[I];
    const Role &As = R.Roles[I];
    if (As.Is == 'd')
      New.D = destination(O, As.Of, As.Loose);
    else if (As.Is == 's')
      *Sources[Next++] = source(O, As.Of, As.Loose);
    else
      address(O, *Sources[Next++], New.Off);
  }
  bool Plain = !(Flags & ~FlagRn) || !R.WithFlags;
  New.Do = Plain ? R.Do : R.WithFlags;
  New.Line = Now->Line;
  To.Insts.push_back(New);
}

/// What is a row of the table, once flags are taken out of its name.
void Decoder::plain(const std::vector<std::string> &Parts) {
  std::string Key = Parts[0];
  uint32_t Flags = 0;
  for (size_t I = 1; I < Parts.size(); ++I)
    if (uint32_t Flag = flagOf(Parts[I]))
      Flags |= Flag;
    else
      Key += "." + Parts[I];
  // Integers have rows of their own for .sat.
  auto It = table().find(Now->Opcode);
  if (It != table().end() && It->second.Roles.size())
    return fromRow(It->second, 0, Now->Operands);
  uint32_t Round = Flags & FlagRound;
  if (Round & (Round - 1))
    unknown();
  fromRow(row(Key), Flags, Now->Operands);
}

/// ld and st: the modifiers that say where and how become a row's name.
void Decoder::access(const std::vector<std::string> &Parts) {
  bool Load = Parts[0] == "ld" || Parts[0] == "ldu";
  operands(2, 2);
  std::string Where, How, Which;
  uint32_t Flags = 0;
  unsigned Vector = 0;
  for (size_t I = 1; I < Parts.size(); ++I) {
    const std::string &P = Parts[I];
    static const std::set<std::string> Ignored = {
        "weak", "sys", "gpu", "cta", "cluster", "ca",  "cg",
        "cs",   "lu",  "cv",  "wb",  "wt",      "mmio"};
    if (P == "volatile" || P == "relaxed")
      How = ".strong";
    else if (P == "acquire" || P == "release") {
      How = ".strong";
      Flags = P == "acquire" ? FlagAcquire : FlagRelease;
    } else if (P == "v2" || P == "v4" || P == "v8")
      Vector = static_cast<unsigned>(P[1] - '0');
    else if (P == "nc" && Load)
      Where += ".nc";
    else if (P == "global" || P == "shared" || P == "local" || P == "const" ||
             P == "param")
      Where = "." + P;
    else if (P == "shared::cta" || P == "param::entry" || P == "param::func")
      Where = P[0] == 's' ? ".shared" : ".param";
    else if (Type T = typeOf(P); T.bytes() && I + 1 == Parts.size())
      Which = (Load && T.Kind == 's' && T.Bits < 64 ? ".s" : ".b") +
              std::to_string(T.Bits);
    else if (!Ignored.count(P) && P.compare(0, 3, "L1:") &&
             P.compare(0, 3, "L2:"))
      unknown();
  }
  if (Which.empty())
    unknown();
  const unsigned Bytes = typeOf(Parts.back()).bytes();
  const Operand &At = Now->Operands[Load ? 1 : 0];
  if (!At.Address)
    wrong("'" + Now->Opcode + "' needs an address");
  // A parameter or variable by name has a known place.
  bool Named = At.Is == Operand::Var;
  if (Named) {
    const Variable &V = F.Variables[At.Slot];
    if (Where != (V.In == Space::Param ? ".param" : ".local"))
      wrong("'" + At.Name + "' is in another state space");
    uint64_t Off = static_cast<uint64_t>(At.Offset);
    uint64_t All = Bytes * std::max(1u, Vector);
    if (Off > V.Bytes || All > V.Bytes - Off)
      wrong("beyond the end of '" + At.Name + "'");
    if ((Offsets[At.Slot] + Off) % All)
      wrong("misaligned in '" + At.Name + "'");
    Where = isKernelParam(At) ? ".kernelparam" : ".frame";
    How.clear();
  }
  Operand Value = Now->Operands[Load ? 0 : 1];
  if (Vector ? Value.Is != Operand::Vector || Value.Parts.size() != Vector
             : Value.Is == Operand::Vector)
    wrong("'" + Now->Opcode + "' needs a vector of its length");
  if (!Vector)
    Value.Parts = {Value};
  const Row &R = row((Load ? "ld" : "st") + How + Where + Which);
  const Role &As = R.Roles[Load ? 0 : 1];
  Inst New;
  New.Do = R.Do;
  New.Flags = Flags;
  New.Line = Now->Line;
  if (Named)
    New.Off = static_cast<int32_t>(Offsets[At.Slot] + At.Offset);
  else
    address(At, New.A, New.Off);
  if (Vector && !Named) {
    Inst &Whole = emit(".vector");
    Whole.A = New.A;
    Whole.Off = New.Off;
    Whole.More = Bytes * Vector;
    Whole.Flags = Load;
    New.A = Whole.D = temporary();
    New.Off = 0;
  }
  for (const Operand &Part : Value.Parts) {
    if (Load)
      New.D = destination(Part, As.Of, true);
    else
      New.B = source(Part, As.Of, true);
    To.Insts.push_back(New);
    New.Off += static_cast<int32_t>(Bytes);
  }
}

/// atom and red, whose order and scope are flags.
void Decoder::atomic(const std::vector<std::string> &Parts) {
  std::string Key = Parts[0];
  uint32_t Flags = 0;
  for (size_t I = 1; I < Parts.size(); ++I) {
    const std::string &P = Parts[I];
    if (P == "acquire" || P == "acq_rel")
      Flags |= FlagAcquire;
    if (P == "release" || P == "acq_rel")
      Flags |= FlagRelease;
    if (P != "acquire" && P != "release" && P != "acq_rel" && P != "relaxed" &&
        P != "gpu" && P != "sys" && P != "cta" && P != "cluster")
      Key += "." + (P == "shared::cta" ? "shared" : P);
  }
  const Row &R = row(Key);
  fromRow(R, Flags, Now->Operands);
  if (R.Roles[0].Is != 'd')
    To.Insts.back().D = temporary();
}

void Decoder::move(const std::vector<std::string> &Parts) {
  operands(2, 2);
  const Operand &D = Now->Operands[0], &S = Now->Operands[1];
  Type T = typeOf(Parts.back());
  if (!T.Bits || Parts.size() != 2)
    unknown();
  if (D.Is != Operand::Vector && S.Is != Operand::Vector)
    return plain(Parts);
  const Operand &V = D.Is == Operand::Vector ? D : S;
  unsigned Each = T.Bits / static_cast<unsigned>(V.Parts.size());
  if ((Each != 16 && Each != 32) || Each * V.Parts.size() != T.Bits)
    unknown();
  Inst New;
  if (&V == &D) {
    New.A = source(S, T);
    New.More = slots(D, {'b', Each}, false, false);
  } else {
    New.More = slots(S, {'b', Each}, true, false);
    New.D = destination(D, T);
  }
  New.Line = Now->Line;
  New.Do = row(&V == &D ? ".unpack" : ".pack").Do;
  New.Off = static_cast<int32_t>(Each);
  To.Insts.push_back(New);
}

void Decoder::branch(const Operand &Target, const char *How,
                     uint32_t Predicate) {
  size_t At;
  if (Target.Is != Operand::Symbol || Target.Address ||
      !F.label(Target.Name, Target.Scope, At))
    wrong("unknown label '" + Target.Name + "'");
  Inst &I = emit(How);
  I.A = Predicate;
  Jumps.push_back({To.Insts.size() - 1, At});
}

void Decoder::branchTable() {
  operands(2, 2);
  auto It = F.Targets.find(Now->Operands[1].Name);
  if (It == F.Targets.end())
    wrong("unknown list of targets '" + Now->Operands[1].Name + "'");
  uint32_t Index = source(Now->Operands[0], {'u', 32});
  std::vector<uint32_t> List; // indices of F.Body, until run() is over
  for (const std::string &Name : It->second) {
    size_t At;
    if (!F.label(Name, Now->Operands[1].Scope, At))
      wrong("unknown label '" + Name + "'");
    List.push_back(static_cast<uint32_t>(At));
  }
  To.Lists.push_back(List);
  Inst &I = emit("brx.idx");
  I.A = Index;
  I.More = static_cast<uint32_t>(To.Lists.size() - 1);
}

/// Parameters or results of a call, on this side.
std::vector<Passed> Decoder::passed(const Operand &O, const Function *Head,
                                    bool In) {
  if (O.Is != Operand::List)
    wrong("a call's parameters stand in parentheses");
  std::vector<Passed> List;
  const auto *Formal = Head ? In ? &Head->Params : &Head->Returns : nullptr;
  if (Formal && Formal->size() != O.Parts.size())
    wrong("'" + Head->Name + "' has not that many " +
          (In ? "parameters" : "results"));
  for (size_t I = 0; I < O.Parts.size(); ++I) {
    const Operand &P = O.Parts[I];
    uint32_t Bytes =
        Formal ? static_cast<uint32_t>(Head->Variables[(*Formal)[I]].Bytes) : 0;
    if (P.Is == Operand::Var && F.Variables[P.Slot].In == Space::Param &&
        !isKernelParam(P)) {
      uint32_t Own = static_cast<uint32_t>(F.Variables[P.Slot].Bytes);
      if (Formal && Own != Bytes)
        wrong("'" + P.Name + "' has not the size of the " +
              (In ? "parameter" : "result") + " of '" + Head->Name + "'");
      List.push_back({false, Offsets[P.Slot], Own});
      continue;
    }
    if (!Formal || Bytes > 8)
      wrong("'" + P.Name + "' cannot be passed in this call");
    Type T = {'b', 8 * Bytes};
    List.push_back(
        {true, In ? source(P, T, true) : destination(P, T, true), Bytes});
  }
  return List;
}

/// call (result), name, (parameters), prototype; all but the name may be
/// missing.
void Decoder::call() {
  operands(1, 4);
  const auto &All = Now->Operands;
  size_t Next = 0;
  Operand None;
  None.Is = Operand::List;
  const Operand &Out = All[0].Is == Operand::List ? All[Next++] : None;
  if (Next == All.size())
    wrong("a call of nothing");
  const Operand &Name = All[Next++];
  const Operand &In =
      Next < All.size() && All[Next].Is == Operand::List ? All[Next] : None;
  CallSite Site;
  const Function *Head = nullptr;
  if (Name.Is == Operand::Register)
    Site.Target = source(Name, {'b', 64});
  else {
    Symbol S = Name.Is == Operand::Symbol ? Lookup(Name.Name) : Symbol();
    if (S.Is != Symbol::Routine)
      wrong("'" + Name.Name + "' is no function");
    Site.Callee = S.Called;
    Head = S.Head;
  }
  Site.In = passed(In, Head, true);
  Site.Out = passed(Out, Head, false);
  To.Calls.push_back(Site);
  emit("call").More = static_cast<uint32_t>(To.Calls.size() - 1);
}

/// bar.sync a{, b}. What is called barrier.sync allows threads of a warp to
/// come to it at different places.
void Decoder::barrier(const std::string &Opcode) {
  const Row &R = row(Opcode);
  operands(1, 2);
  const auto &All = Now->Operands;
  Inst New;
  New.A = source(All[0], {'u', 32});
  New.B = All.size() > 1 ? source(All[1], {'u', 32}) : constant(0);
  New.Flags = R.Kind;
  New.Do = R.Do;
  New.Line = Now->Line;
  To.Insts.push_back(New);
}

/// What lanes of a warp do together: the last operand is the mask, and the
/// result may have a predicate with it.
void Decoder::lanes(const std::string &Opcode) {
  const Row &R = row(Opcode);
  std::vector<Operand> All = Now->Operands;
  if (All.empty())
    wrong("'" + Now->Opcode + "' needs a mask");
  uint32_t Mask = source(All.back(), {'b', 32});
  All.pop_back();
  uint32_t Flag = 0;
  if (!All.empty() && All[0].Is == Operand::Pair) {
    Operand Pair = All[0];
    Flag = destination(Pair.Parts[1], {'p', 1}) + 1;
    All[0] = Pair.Parts[0];
  }
  fromRow(R, 0, All);
  To.Insts.back().Off = static_cast<int32_t>(Mask);
  To.Insts.back().Flags = Flag;
}

void Decoder::one(const Instruction &I) {
  std::vector<std::string> Parts = split(I.Opcode);
  // What is the same with and without.
  Parts.erase(std::remove(Parts.begin() + 1, Parts.end(), "uni"), Parts.end());
  const std::string &First = Parts[0];
  size_t N = Parts.size();
  if (First == "ld" || First == "st" || First == "ldu")
    return access(Parts);
  if (First == "atom" || First == "red")
    return atomic(Parts);
  if (First == "mov")
    return move(Parts);
  if (First == "bra" && N == 1) {
    operands(1, 1);
    return branch(I.Operands[0], "bra", 0);
  }
  if (First == "brx")
    return branchTable();
  if (First == "call" && N == 1)
    return call();
  if (First == "bar" && N == 3 && Parts[1] == "warp")
    return lanes("bar.warp.sync");
  if (First == "bar" || First == "barrier")
    return barrier(I.Opcode);
  if (First == "shfl" || First == "vote")
    return lanes(I.Opcode);
  if (First == "prefetch" || First == "prefetchu" || First == "pmevent") {
    emit(".nothing");
    return;
  }
  if (First == "ret" || First == "exit" || First == "trap" ||
      First == "brkpt" || First == "membar" || First == "fence") {
    operands(0, 0);
    std::string Key = First;
    for (size_t K = 1; K < N; ++K)
      Key += "." + Parts[K];
    emit(Key);
    return;
  }
  if (First[0] == '%') // a register's name
    unknown();
  plain(Parts);
}

void Decoder::run() {
  To.Frame.assign(F.Registers.size(), uint64_t(Poison) * 0x0101010101010101ull);
  std::vector<size_t> Begins; // of each instruction of F.Body
  for (const Instruction &I : F.Body) {
    Now = &I;
    Begins.push_back(To.Insts.size());
    if (!I.Guarded) {
      one(I);
      continue;
    }
    if (I.Opcode == "bra" || I.Opcode == "bra.uni") {
      operands(1, 1);
      branch(I.Operands[0], I.GuardNegated ? ".bra.unless" : ".bra.if",
             I.Guard);
      continue;
    }
    // Other instructions are jumped over.
    size_t Over = To.Insts.size();
    emit(I.GuardNegated ? ".bra.if" : ".bra.unless").A = I.Guard;
    one(I);
    To.Insts[Over].Off = static_cast<int32_t>(To.Insts.size() - Over);
  }
  Instruction End;
  End.Line = F.Body.empty() ? F.Line : F.Body.back().Line;
  Now = &End;
  Begins.push_back(To.Insts.size());
  emit("ret");
  for (const Jump &J : Jumps)
    To.Insts[J.From].Off =
        static_cast<int32_t>(Begins[J.To]) - static_cast<int32_t>(J.From);
  for (const Inst &I : To.Insts)
    if (I.Do == row("brx.idx").Do)
      for (uint32_t &At : To.Lists[I.More])
        At = static_cast<uint32_t>(Begins[At]);
}

void decode(const Function &F, const std::vector<uint32_t> &Offsets,
            const Scope &Lookup, Code &To) {
  Decoder(F, Offsets, Lookup, To).run();
}

} // namespace gpu_in_software::machine
