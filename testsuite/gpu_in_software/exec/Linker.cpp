// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From texts to an image in device memory: what a name means, where variables
// lie, and which functions and shared variables each kernel needs.

#include "Decoder.h"
#include <algorithm>
#include <cstring>
#include <set>

namespace gpu_in_software::machine {

Handler builtin(const std::string &Name);

Image::~Image() {
  for (Address A : Owned)
    M.release(A);
}

int Image::kernel(const std::string &Name) const {
  for (size_t I = 0; I < Kernels.size(); ++I)
    if (Kernels[I].Entry->Name == Name)
      return static_cast<int>(I);
  return -1;
}

bool Image::global(const std::string &Name, Address &At, size_t &Bytes) const {
  auto It = Globals.find(Name);
  if (It == Globals.end())
    return false;
  At = It->second.first;
  Bytes = It->second.second;
  return true;
}

const Code *Image::function(Address At) const {
  uint64_t Index = (At & ~TagMask) / 16;
  bool Is = (At & TagMask) == CodeTag && At % 16 == 0 && Index < Codes.size();
  return Is ? &Codes[Index] : nullptr;
}

std::string Image::line(const Code &C, unsigned Line) const {
  const std::string &All = Texts[C.Text];
  size_t Begin = 0;
  for (unsigned L = 1; L < Line && Begin != std::string::npos; ++L) {
    Begin = All.find('\n', Begin);
    Begin += Begin != std::string::npos;
  }
  if (Begin == std::string::npos)
    return "";
  size_t End = std::min(All.find('\n', Begin), All.size());
  std::string Text = All.substr(Begin, End - Begin);
  std::replace(Text.begin(), Text.end(), '\t', ' ');
  Text.erase(0, std::min(Text.find_first_not_of(' '), Text.size()));
  Text.erase(std::min(Text.find(';'), Text.size()));
  return Text;
}

namespace {

/// A name of a text stands for one of Linker::Variables or Image::Codes;
/// Nowhere: it is extern.
struct Reference {
  bool Routine;
  size_t Index;
};
const size_t Nowhere = SIZE_MAX;

struct Placed {
  const Variable *V;
  size_t Text;
  uint64_t At; // in its space
};

/// A function, and what it mentions.
struct Routine {
  const Function *F;
  size_t Text;
  std::vector<uint32_t> Offsets;
  std::set<size_t> Shared, Called;
  bool Indirect = false, ReadsOnly = false, AddressTaken = false;
};

class Linker {
public:
  explicit Linker(Image &To) : To(To) {}
  void run();

private:
  void define(size_t Text, const std::string &Name, unsigned Line, Linkage Link,
              Reference R);
  Linkage linkageOf(const Reference &R) const {
    return R.Routine ? Routines[R.Index].F->Link : Variables[R.Index].V->Link;
  }
  void collect(size_t Text);
  const Reference *find(size_t Text, const std::string &Name) const;
  Symbol lookup(size_t Text, const std::string &Name) const;
  void placeVariables();
  void noteUses();
  size_t reach(size_t Code, std::set<size_t> &Seen) const;
  void kernels();
  void initialise(const Placed &P);

  Image &To;
  std::deque<Text> Parsed;
  std::vector<Placed> Variables;
  std::vector<Routine> Routines;                     // of Image::Codes
  std::vector<std::map<std::string, Reference>> Own; // names of each text
  std::map<std::string, Reference> Common;           // .visible and .weak
};

void Linker::define(size_t In, const std::string &Name, unsigned Line,
                    Linkage Link, Reference R) {
  auto New = Own[In].emplace(Name, R);
  if (!New.second && R.Index != Nowhere) {
    if (New.first->second.Index != Nowhere)
      throw SyntaxError{Line, "'" + Name + "' is defined twice"};
    New.first->second = R;
  }
  if (R.Index == Nowhere || Link == Linkage::Internal ||
      Link == Linkage::Extern)
    return;
  auto Public = Common.emplace(Name, R);
  if (Public.second || Link == Linkage::Weak)
    return;
  if (linkageOf(Public.first->second) == Linkage::Visible)
    throw SyntaxError{Line, "'" + Name + "' is defined in two of the texts"};
  Public.first->second = R;
}

void Linker::collect(size_t In) {
  for (const Function &F : Parsed[In].Functions) {
    Handler Builtin = F.HasBody ? nullptr : builtin(F.Name);
    if (!F.HasBody && !Builtin) {
      define(In, F.Name, F.Line, F.Link, {true, Nowhere});
      continue;
    }
    Routines.push_back({&F, In, {}, {}, {}});
    To.Codes.emplace_back();
    Code &C = To.Codes.back();
    C.Name = F.Name;
    C.Text = static_cast<unsigned>(In);
    C.At = CodeTag | (To.Codes.size() - 1) * 16;
    C.Builtin = Builtin;
    Routines.back().Offsets = layOut(F, C);
    define(In, F.Name, F.Line, F.Link, {true, To.Codes.size() - 1});
  }
  for (const Variable &V : Parsed[In].Variables) {
    // What is extern and shared is the dynamic part of a block's memory.
    bool Is = V.Link != Linkage::Extern || V.In == Space::Shared;
    if (Is)
      Variables.push_back({&V, In, 0});
    define(In, V.Name, V.Line, V.Link,
           {false, Is ? Variables.size() - 1 : Nowhere});
  }
}

/// A weak definition gives way to another one, its own text's uses included.
const Reference *Linker::find(size_t In, const std::string &Name) const {
  auto It = Own[In].find(Name);
  if (It == Own[In].end())
    return nullptr;
  if (It->second.Index != Nowhere && linkageOf(It->second) != Linkage::Weak)
    return &It->second;
  auto Public = Common.find(Name);
  return Public == Common.end() ? nullptr : &Public->second;
}

Symbol Linker::lookup(size_t In, const std::string &Name) const {
  const Reference *R = find(In, Name);
  Symbol S;
  if (!R)
    return S;
  S.Is = R->Routine ? Symbol::Routine : Symbol::Data;
  if (R->Routine) {
    S.Called = &To.Codes[R->Index];
    S.Head = Routines[R->Index].F;
    S.Value = S.Called->At;
  } else {
    S.In = Variables[R->Index].V->In;
    S.Value = Variables[R->Index].At;
  }
  return S;
}

void Linker::placeVariables() {
  auto allocate = [&](size_t Bytes) {
    Address At = To.M.allocate(std::max<size_t>(Bytes, 1));
    if (!At)
      throw SyntaxError{1, "no memory is left for variables"};
    To.Owned.push_back(At);
    return At;
  };
  // Constant memory is one allocation, so that ld.const can tell.
  size_t Constants = 0;
  for (Placed &P : Variables)
    if (P.V->In == Space::Const) {
      P.At = (Constants + P.V->Align - 1) / P.V->Align * P.V->Align;
      Constants = P.At + P.V->Bytes;
    } else if (P.V->In == Space::Global)
      P.At = allocate(P.V->Bytes);
  if (Constants > 65536)
    throw SyntaxError{1, "more than 65536 bytes of .const variables"};
  if (Constants)
    To.ConstBegin = allocate(Constants);
  To.ConstEnd = To.ConstBegin + Constants;
  for (Placed &P : Variables) {
    if (P.V->In == Space::Const)
      P.At += To.ConstBegin;
    if (P.V->In != Space::Shared &&
        (P.V->Link != Linkage::Internal || Parsed.size() == 1))
      To.Globals[P.V->Name] = {P.At, P.V->Bytes};
  }
}

/// Whose address stands anywhere but in a call may be called from wherever a
/// call is indirect.
void Linker::noteUses() {
  for (Routine &R : Routines)
    for (const Instruction &I : R.F->Body) {
      bool Call = I.Opcode.compare(0, 4, "call") == 0;
      R.ReadsOnly |= I.Opcode.find(".nc") != std::string::npos;
      for (const Operand &O : I.Operands) {
        R.Indirect |= Call && O.Is == Operand::Register;
        const Reference *Is =
            O.Is == Operand::Symbol ? find(R.Text, O.Name) : nullptr;
        if (!Is)
          continue;
        if (Is->Routine && Call)
          R.Called.insert(Is->Index);
        else if (Is->Routine)
          Routines[Is->Index].AddressTaken = true;
        else if (Variables[Is->Index].V->In == Space::Shared)
          R.Shared.insert(Is->Index);
      }
    }
  for (const Placed &P : Variables)
    for (const Initialiser &I : P.V->Initial)
      if (const Reference *Is = find(P.Text, I.Symbol); Is && Is->Routine)
        Routines[Is->Index].AddressTaken = true;
}

/// The bytes of stack that a function and what it calls need, as far as that
/// is known; recursion counts once.
size_t Linker::reach(size_t C, std::set<size_t> &Seen) const {
  Seen.insert(C);
  size_t Most = 0;
  for (size_t To = 0; To < Routines.size(); ++To) {
    bool Calls = Routines[C].Called.count(To) ||
                 (Routines[C].Indirect && Routines[To].AddressTaken);
    if (Calls && !Seen.count(To))
      Most = std::max(Most, reach(To, Seen));
  }
  return Most + this->To.Codes[C].FrameBytes + 64;
}

/// What each kernel needs. A variable in shared memory has one offset,
/// whichever kernel uses it; those that no kernel uses together may lie at the
/// same place. The dynamic part comes last.
void Linker::kernels() {
  std::map<size_t, uint64_t> End; // of each kernel's shared memory
  std::map<size_t, std::set<size_t>> UsedBy;
  for (size_t C = 0; C < Routines.size(); ++C) {
    const Function &F = *Routines[C].F;
    if (!F.Entry)
      continue;
    std::set<size_t> Seen;
    Kernel K = {};
    K.Entry = &To.Codes[C];
    K.Info.LocalBytes = reach(C, Seen) + 256;
    K.Info.MaxThreads = F.MaxThreads ? F.MaxThreads : 1024;
    std::copy(F.Required, F.Required + 3, K.Required);
    End[C] = SharedBegin;
    for (size_t S : Seen) {
      K.ReadsOnly |= Routines[S].ReadsOnly;
      for (size_t V : Routines[S].Shared)
        UsedBy[V].insert(C);
    }
    for (const Slice &P : K.Entry->Params) {
      K.Info.ParamOffsets.push_back(P.Off);
      K.Info.ParamSizes.push_back(P.Bytes);
      K.Info.ParamBytes = P.Off + P.Bytes;
    }
    To.Kernels.push_back(K);
  }
  for (bool Dynamic : {false, true})
    for (const auto &U : UsedBy) {
      Placed &P = Variables[U.first];
      if (P.V->Unsized != Dynamic)
        continue;
      for (size_t C : U.second)
        P.At = std::max(P.At, End[C]);
      P.At = (P.At + P.V->Align - 1) / P.V->Align * P.V->Align;
      for (size_t C : U.second)
        End[C] = P.At + P.V->Bytes;
    }
  for (Kernel &K : To.Kernels) {
    size_t C = static_cast<size_t>(K.Entry->At - CodeTag) / 16;
    K.Info.SharedBytes = End[C] - SharedBegin;
    if (K.Info.SharedBytes > 48 * 1024)
      throw SyntaxError{
          Routines[C].F->Line,
          "entry '" + K.Entry->Name + "' uses too much shared data (" +
              std::to_string(K.Info.SharedBytes) + " bytes, 49152 max)"};
  }
}

/// Without an initialiser variables are 0.
void Linker::initialise(const Placed &P) {
  std::vector<unsigned char> Bytes(P.V->Bytes);
  unsigned Each = P.V->Element.bytes();
  for (size_t I = 0; I < P.V->Initial.size(); ++I) {
    const Initialiser &From = P.V->Initial[I];
    uint64_t Value = From.Value;
    if (!From.Symbol.empty()) {
      Symbol S = lookup(P.Text, From.Symbol);
      if (!S.Is)
        throw SyntaxError{P.V->Line, "unknown name '" + From.Symbol + "'"};
      Value += S.In == Space::Shared ? S.Value | SharedTag : S.Value;
      Value = From.Mask ? (Value & From.Mask) >> __builtin_ctzll(From.Mask) : 0;
    }
    memcpy(&Bytes[I * Each], &Value, Each);
  }
  unsigned char *At = To.M.bytes(P.At, Bytes.size());
  if (!At)
    return;
  memcpy(At, Bytes.data(), Bytes.size());
  if (unsigned char *W = To.M.written(At))
    memset(W, 1, Bytes.size());
}

void Linker::run() {
  Own.resize(To.Texts.size());
  for (size_t T = 0; T < To.Texts.size(); ++T)
    try {
      Parsed.push_back(parse(To.Texts[T]));
      collect(T);
    } catch (SyntaxError &E) {
      if (To.Texts.size() > 1)
        E.Text += " (text " + std::to_string(T + 1) + ")";
      throw;
    }
  placeVariables();
  noteUses();
  kernels();
  for (size_t C = 0; C < Routines.size(); ++C)
    decode(
        *Routines[C].F, Routines[C].Offsets,
        [&](const std::string &Name) { return lookup(Routines[C].Text, Name); },
        To.Codes[C]);
  for (const Placed &P : Variables)
    if (P.V->In != Space::Shared)
      initialise(P);
}

} // namespace

std::unique_ptr<Image> link(Memory &M, const std::vector<std::string> &Texts) {
  auto New = std::make_unique<Image>(M);
  New->Texts = Texts;
  Linker(*New).run();
  return New;
}

} // namespace gpu_in_software::machine
