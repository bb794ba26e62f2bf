// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From instructions as they are written to those that are executed. Most are
// rows of the table; here is what others are made of.

#include "Decoder.h"
#include "Table.h"
#include <algorithm>
#include <set>

namespace gpu_in_software::machine {

const Table &table() {
  static const Table T = [] {
    Table New;
    addIntegers(New);
    addFloats(New);
    addConversions(New);
    addAccesses(New);
    addTeam(New);
    addControl(New);
    return New;
  }();
  return T;
}

std::vector<uint32_t> layOut(const Function &F, Code &To) {
  std::vector<uint32_t> Offsets(F.Variables.size());
  // Kernels have their parameters elsewhere, all others in their frame.
  uint64_t Params = 0, Local = 0;
  for (size_t I = 0; I < F.Variables.size(); ++I) {
    const Variable &V = F.Variables[I];
    bool OfKernel = F.Entry && std::count(F.Params.begin(), F.Params.end(), I);
    if (V.In == Space::Shared)
      continue;
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

class Decoder {
public:
  Decoder(const Function &F, const std::vector<uint32_t> &Offsets,
          const Scope &Lookup, Code &To)
      : F(F), Offsets(Offsets), Lookup(Lookup), To(To) {}
  void run();

private:
  [[noreturn]] void wrong(const std::string &Text) const {
    throw SyntaxError{Now->Line, Text};
  }
  [[noreturn]] void unknown() const {
    wrong("unknown instruction '" + Now->Opcode + "'");
  }
  const Row &row(const std::string &Key) const {
    auto It = table().find(Key);
    if (It == table().end())
      unknown();
    return It->second;
  }
  Inst &emit(Handler Do) {
    To.Insts.emplace_back();
    To.Insts.back().Do = Do;
    To.Insts.back().Line = Now->Line;
    return To.Insts.back();
  }
  Inst &emit(const std::string &Key) { return emit(row(Key).Do); }

  uint32_t constant(uint64_t Value);
  uint32_t temporary() {
    To.Frame.push_back(uint64_t(Poison) * 0x0101010101010101ull);
    return static_cast<uint32_t>(To.Frame.size() - 1);
  }
  void check(const Operand &O, Type T, bool Loose) const;
  uint32_t source(const Operand &O, Type T, bool Loose = false);
  uint32_t destination(const Operand &O, Type T, bool Loose = false);
  uint32_t variable(const Operand &O);
  uint32_t slots(const Operand &O, Type T, bool Read, bool Loose);
  void address(const Operand &O, uint32_t &Slot, int32_t &Off);
  void operands(unsigned AtLeast, unsigned AtMost) const;
  bool isKernelParam(const Operand &O) const;

  void one(const Instruction &I);
  void fromRow(const Row &R, uint32_t Flags,
               const std::vector<Operand> &Operands);
  void plain(const std::vector<std::string> &Parts);
  void access(const std::vector<std::string> &Parts);
  void atomic(const std::vector<std::string> &Parts);
  void move(const std::vector<std::string> &Parts);
  void compare(const std::vector<std::string> &Parts);
  void branch(const Operand &Target, const char *How, uint32_t Predicate);
  void branchTable();
  void call();
  std::vector<Passed> passed(const Operand &O, const Function *Head, bool In);
  void barrier(std::vector<std::string> Parts);
  void lanes(const std::string &Opcode);

  const Function &F;
  const std::vector<uint32_t> &Offsets;
  const Scope &Lookup;
  Code &To;
  const Instruction *Now = nullptr;
  std::map<uint64_t, uint32_t> Constants;
  struct Jump {
    size_t From, To; // decoded; index of an instruction of F.Body
  };
  std::vector<Jump> Jumps;
};

uint32_t Decoder::constant(uint64_t Value) {
  auto New = Constants.emplace(Value, To.Frame.size());
  if (New.second)
    To.Frame.push_back(Value);
  return New.first->second;
}

/// PTX wants registers of the instruction's width; ld, st and cvt allow wider
/// ones.
void Decoder::check(const Operand &O, Type T, bool Loose) const {
  Type R = F.Registers[O.Slot];
  bool Kinds = (R.Kind == 'p') == (T.Kind == 'p');
  if (!Kinds || (Loose ? R.Bits < T.Bits : R.Bits != T.Bits))
    wrong("register '" + O.Name + "' does not fit '" + Now->Opcode + "'");
}

/// The slot with the address of a variable of the function.
uint32_t Decoder::variable(const Operand &O) {
  const Variable &V = F.Variables[O.Slot];
  uint64_t Off = Offsets[O.Slot] + static_cast<uint64_t>(O.Offset);
  if (V.In == Space::Shared)
    return constant(Off);
  if (isKernelParam(O))
    return constant(ParamTag | Off);
  Inst &I = emit(V.In == Space::Param ? "paramaddress" : "frameaddress");
  I.Off = static_cast<int32_t>(Off);
  return I.D = temporary();
}

uint32_t Decoder::source(const Operand &O, Type T, bool Loose) {
  if (O.Address)
    wrong("an address where a value is wanted");
  uint32_t Slot = 0;
  switch (O.Is) {
  case Operand::Register:
    check(O, T, Loose);
    Slot = O.Slot;
    break;
  case Operand::Special: {
    auto It = table().find(O.Name);
    if (It == table().end())
      wrong("unknown register '" + O.Name + "'");
    // A narrower part of one is its low bits.
    if (It->second.Roles[0].Of.Bits < T.Bits)
      wrong("register '" + O.Name + "' does not fit '" + Now->Opcode + "'");
    Inst &I = emit(It->second.Do);
    Slot = I.D = temporary();
    break;
  }
  case Operand::Integer: {
    if (T.isFloat())
      wrong("an integer where a floating-point number is wanted");
    Slot = constant(T.Kind == 'p' ? O.Bits != 0 : O.Bits);
    break;
  }
  case Operand::Float: {
    uint64_t Bits = O.Bits;
    if (O.Width == 64 && T.Bits == 32 && T.isFloat())
      Bits = put(static_cast<float>(get<double>(Bits)));
    else if (O.Width != T.Bits)
      wrong("a floating-point number that does not fit '" + Now->Opcode + "'");
    Slot = constant(Bits);
    break;
  }
  case Operand::Var:
    if (T.Bits < 32 || T.isFloat())
      wrong("'" + O.Name + "' does not fit '" + Now->Opcode + "'");
    Slot = variable(O);
    break;
  case Operand::Symbol: {
    Symbol S = Lookup(O.Name);
    if (!S.Is)
      wrong("unknown name '" + O.Name + "'");
    if (T.isFloat() || T.Bits < (S.In == Space::Shared ? 32u : 64u))
      wrong("'" + O.Name + "' does not fit '" + Now->Opcode + "'");
    Slot = constant(S.Value + static_cast<uint64_t>(O.Offset));
    break;
  }
  default:
    wrong("an operand of '" + Now->Opcode + "' is of the wrong kind");
  }
  if (!O.Negated)
    return Slot;
  if (T.Kind != 'p')
    wrong("only predicates can be negated");
  Inst &I = emit("not.pred");
  I.A = Slot;
  return I.D = temporary();
}

uint32_t Decoder::destination(const Operand &O, Type T, bool Loose) {
  if (O.Is == Operand::Sink && !O.Address)
    return temporary();
  if (O.Is != Operand::Register || O.Address || O.Negated)
    wrong("'" + Now->Opcode + "' needs a register for its result");
  check(O, T, Loose);
  return O.Slot;
}

/// The index of the list of a vector's slots.
uint32_t Decoder::slots(const Operand &O, Type T, bool Read, bool Loose) {
  if (O.Is != Operand::Vector || O.Parts.empty() || O.Parts.size() > 8)
    wrong("'" + Now->Opcode + "' needs a vector");
  std::vector<uint32_t> List;
  for (const Operand &P : O.Parts)
    List.push_back(Read ? source(P, T, Loose) : destination(P, T, Loose));
  To.Lists.push_back(List);
  return static_cast<uint32_t>(To.Lists.size() - 1);
}

void Decoder::address(const Operand &O, uint32_t &Slot, int32_t &Off) {
  if (!O.Address)
    wrong("'" + Now->Opcode + "' needs an address");
  if (O.Offset != static_cast<int32_t>(O.Offset))
    wrong("the offset of an address is too large");
  Off = static_cast<int32_t>(O.Offset);
  Operand Base = O;
  Base.Address = false;
  Base.Offset = 0;
  bool Narrow = O.Is == Operand::Register && F.Registers[O.Slot].Bits == 32;
  Slot = source(Base, {'b', Narrow ? 32u : 64u});
}

void Decoder::operands(unsigned AtLeast, unsigned AtMost) const {
  if (Now->Operands.size() < AtLeast || Now->Operands.size() > AtMost)
    wrong("'" + Now->Opcode + "' has not that many operands");
}

bool Decoder::isKernelParam(const Operand &O) const {
  return F.Entry && O.Is == Operand::Var &&
         std::count(F.Params.begin(), F.Params.end(), O.Slot);
}

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
    switch (As.Is) {
    case 'd':
      New.D = destination(O, As.Of, As.Loose);
      break;
    case 's':
      *Sources[Next++] = source(O, As.Of, As.Loose);
      break;
    case 'm':
      address(O, *Sources[Next++], New.Off);
      break;
    default:
      if (O.Is != Operand::Integer)
        wrong("'" + Now->Opcode + "' needs a number");
      New.More = static_cast<uint32_t>(O.Bits);
    }
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
  uint32_t Round = Flags & (FlagRn | FlagRz | FlagRm | FlagRp);
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
      Where += ".nc", To.ReadsOnly = true;
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
  bool Named =
      At.Is == Operand::Var && F.Variables[At.Slot].In != Space::Shared;
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
    Inst &Whole = emit("vector");
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
  New.Do = row((&V == &D ? "unpack." : "pack.") + std::to_string(Each)).Do;
  To.Insts.push_back(New);
}

/// setp.lt.and.f32 p|q, a, b, c and set.lt.u32.f32 d, a, b.
void Decoder::compare(const std::vector<std::string> &Parts) {
  std::string Key = "setp", Combine, Result;
  uint32_t Flags = 0;
  bool Set = Parts[0] == "set";
  for (size_t I = 1; I < Parts.size(); ++I) {
    const std::string &P = Parts[I];
    if (I == 2 && (P == "and" || P == "or" || P == "xor"))
      Combine = P;
    else if (P == "ftz")
      Flags = FlagFtz;
    else if (Set && I + 2 == Parts.size())
      Result = P;
    else
      Key += "." + P;
  }
  const Row &R = row(Key);
  unsigned Sources = Combine.empty() ? 2 : 3;
  operands(Sources + 1, Sources + 1);
  const Operand &D = Now->Operands[0];
  bool Two = D.Is == Operand::Pair && !Set;
  Type Predicate = {'p', 1};
  Operand Sink;
  std::vector<Operand> Compared = {Sink, Now->Operands[1], Now->Operands[2]};
  if (!Set && !Two && Combine.empty())
    Compared[0] = D;
  fromRow(R, Flags, Compared);
  uint32_t P = To.Insts.back().D;
  if (!Set && !Two && Combine.empty())
    return;
  uint32_t Other = 0;
  if (!Combine.empty())
    Other = source(Now->Operands[3], Predicate);
  // The second result is the same of what is not so.
  uint32_t Results[2] = {P, 0};
  if (Two) {
    Inst &I = emit("not.pred");
    I.A = P;
    I.D = Results[1] = temporary();
  }
  for (unsigned K = 0; K < (Two ? 2 : 1) && !Combine.empty(); ++K) {
    Inst &I = emit(Combine + ".pred");
    I.A = Results[K];
    I.B = Other;
    Results[K] = I.D = temporary();
  }
  if (Set) {
    if (Result != "u32" && Result != "s32" && Result != "f32")
      unknown();
    uint32_t To_ = destination(D, {'b', 32});
    uint32_t One = constant(Result == "f32" ? put(1.0f) : 0xFFFFFFFF);
    uint32_t Zero = constant(0);
    Inst &I = emit("selp.b32");
    I.D = To_, I.A = One, I.B = Zero, I.C = Results[0];
    return;
  }
  for (unsigned K = 0; K < (Two ? 2 : 1); ++K) {
    uint32_t Into = destination(Two ? D.Parts[K] : D, Predicate);
    Inst &I = emit("mov.pred");
    I.D = Into, I.A = Results[K];
  }
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
      List.push_back({false, Offsets[P.Slot], 0, Own});
      continue;
    }
    if (!Formal || Bytes > 8)
      wrong("'" + P.Name + "' cannot be passed in this call");
    Type T = {'b', 8 * Bytes};
    List.push_back(
        {true, In ? source(P, T, true) : destination(P, T, true), 0, Bytes});
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

/// bar.sync a{, b}; bar.red.popc.u32 d, a{, b}, p. What is called barrier
/// allows threads of a warp to come to it at different places.
void Decoder::barrier(std::vector<std::string> Parts) {
  uint32_t Aligned = Parts[0] == "bar" ? FlagAligned : 0;
  Parts.erase(std::remove_if(Parts.begin() + 1, Parts.end(),
                             [&](const std::string &P) {
                               if (P == "aligned")
                                 Aligned = FlagAligned;
                               return P == "aligned" || P == "cta";
                             }),
              Parts.end());
  bool Red = Parts.size() > 2 && Parts[1] == "red";
  std::string Key = "bar";
  for (size_t I = 1; I < (Red ? 3 : Parts.size()); ++I)
    Key += "." + Parts[I];
  const Row &R = row(Key);
  const auto &All = Now->Operands;
  Inst New;
  operands(Red ? 3 : 1, Red ? 4 : 2);
  Type U32 = {'u', 32}, Predicate = {'p', 1};
  New.A = source(All[Red ? 1 : 0], U32);
  bool Counted = All.size() == (Red ? 4 : 2);
  New.B = Counted ? source(All[Red ? 2 : 1], U32) : constant(0);
  if (Red) {
    New.C = source(All.back(), Predicate);
    New.D = destination(All[0], Parts[2] == "popc" ? U32 : Predicate);
  }
  New.More = R.Kind;
  New.Flags = Aligned;
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
  if (First == "setp" || First == "set")
    return compare(Parts);
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
    return barrier(Parts);
  if (First == "shfl" || First == "vote" || First == "match" ||
      First == "redux" || First == "elect")
    return lanes(I.Opcode);
  if (First == "prefetch" || First == "prefetchu" || First == "pmevent") {
    emit("nothing");
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
  // Names of the decoder's own and registers are no instructions.
  static const std::set<std::string> Own = {"frameaddress", "paramaddress",
                                            "pack", "unpack", "nothing"};
  if (Own.count(First) || First[0] == '%')
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
      branch(I.Operands[0], I.GuardNegated ? "bra.unless" : "bra.if", I.Guard);
      continue;
    }
    // Other instructions are jumped over.
    size_t Over = To.Insts.size();
    emit(I.GuardNegated ? "bra.if" : "bra.unless").A = I.Guard;
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

} // namespace

void decode(const Function &F, const std::vector<uint32_t> &Offsets,
            const Scope &Lookup, Code &To) {
  Decoder(F, Offsets, Lookup, To).run();
}

} // namespace gpu_in_software::machine
