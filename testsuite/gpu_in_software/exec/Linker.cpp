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

/// A function or variable of a text.
struct Entity {
  size_t Text, Index;
  bool Function;
  bool operator<(const Entity &O) const {
    return std::tie(Text, Index, Function) <
           std::tie(O.Text, O.Index, O.Function);
  }
};

/// What a function mentions.
struct Uses {
  std::set<Entity> Shared;
  std::set<size_t> Called; // indices of Codes
  bool Indirect = false;
};

class Linker {
public:
  Linker(Image &To, const std::vector<std::string> &Sources) : To(To) {
    To.Texts = Sources;
  }
  void run();

private:
  [[noreturn]] void wrong(unsigned Line, const std::string &Text) {
    throw SyntaxError{Line, Text};
  }
  template <class T>
  void collect(size_t Text, const std::vector<T> &All, bool Functions);
  const Entity *find(size_t Text, const std::string &Name) const;
  void placeVariables();
  void addFunctions();
  void placeShared();
  void initialise();
  Symbol lookup(size_t Text, const std::string &Name, Uses &By);
  size_t reach(size_t Code, std::set<size_t> &Seen, bool &Recursion);
  void kernels();

  const Variable &variable(const Entity &E) const {
    return Parsed[E.Text].Variables[E.Index];
  }
  const Function &function(const Entity &E) const {
    return Parsed[E.Text].Functions[E.Index];
  }

  Image &To;
  std::vector<Text> Parsed;
  std::vector<std::map<std::string, Entity>> Own; // names of each text
  std::map<std::string, Entity> Common;           // .visible and .weak
  std::map<Entity, uint64_t> Addresses;           // of variables
  std::map<Entity, size_t> CodeOf;
  std::vector<Entity> EntityOf; // of Codes
  std::vector<std::vector<uint32_t>> Offsets;
  std::vector<Uses> Used;
  std::vector<bool> AddressTaken;
};

template <class T>
void Linker::collect(size_t In, const std::vector<T> &All, bool Functions) {
  for (size_t I = 0; I < All.size(); ++I) {
    const T &D = All[I];
    bool Defined = D.Link != Linkage::Extern;
    if constexpr (std::is_same_v<T, Function>)
      Defined = Defined && D.HasBody;
    Entity Is = {In, I, Functions};
    if constexpr (std::is_same_v<T, Variable>)
      if (!Defined && D.In == Space::Shared)
        Defined = true; // the dynamic part of shared memory
    if (!Defined) {
      Own[In].emplace(D.Name, Entity{SIZE_MAX, 0, Functions});
      continue;
    }
    auto New = Own[In].emplace(D.Name, Is);
    if (!New.second) {
      if (New.first->second.Text != SIZE_MAX)
        wrong(D.Line, "'" + D.Name + "' is defined twice");
      New.first->second = Is;
    }
    if (D.Link == Linkage::Internal || D.Link == Linkage::Extern)
      continue;
    auto Public = Common.emplace(D.Name, Is);
    if (Public.second)
      continue;
    const Entity &Old = Public.first->second;
    Linkage Before = Old.Function ? function(Old).Link : variable(Old).Link;
    if (Before == Linkage::Visible && D.Link == Linkage::Visible)
      wrong(D.Line, "'" + D.Name + "' is defined in two of the texts");
    if (Before == Linkage::Weak && D.Link == Linkage::Visible)
      Public.first->second = Is;
  }
}

/// A weak definition gives way to another one, its own text's uses included.
const Entity *Linker::find(size_t In, const std::string &Name) const {
  auto It = Own[In].find(Name);
  if (It == Own[In].end())
    return nullptr;
  const Entity &E = It->second;
  bool Weak = false;
  if (E.Text != SIZE_MAX)
    Weak = (E.Function ? function(E).Link : variable(E).Link) == Linkage::Weak;
  if (E.Text != SIZE_MAX && !Weak)
    return &E;
  auto Public = Common.find(Name);
  return Public == Common.end() ? nullptr : &Public->second;
}

void Linker::placeVariables() {
  // Constant memory is one allocation, so that ld.const can tell.
  size_t Constants = 0;
  std::vector<std::pair<Entity, size_t>> OfConst;
  for (size_t T = 0; T < Parsed.size(); ++T)
    for (size_t I = 0; I < Parsed[T].Variables.size(); ++I) {
      const Variable &V = Parsed[T].Variables[I];
      if (V.Link == Linkage::Extern || V.In == Space::Shared)
        continue;
      if (V.In == Space::Const) {
        Constants = (Constants + V.Align - 1) / V.Align * V.Align;
        OfConst.push_back({{T, I, false}, Constants});
        Constants += V.Bytes;
        continue;
      }
      Address At = To.M.allocate(std::max<size_t>(V.Bytes, 1));
      if (!At)
        wrong(V.Line, "no memory is left for '" + V.Name + "'");
      To.Owned.push_back(At);
      Addresses[{T, I, false}] = At;
    }
  if (Constants > 65536)
    wrong(1, "more than 65536 bytes of .const variables");
  if (Constants) {
    To.ConstBegin = To.M.allocate(Constants);
    if (!To.ConstBegin)
      wrong(1, "no memory is left for constants");
    To.Owned.push_back(To.ConstBegin);
    To.ConstEnd = To.ConstBegin + Constants;
  }
  for (const auto &C : OfConst)
    Addresses[C.first] = To.ConstBegin + C.second;
  for (const auto &A : Addresses) {
    const Variable &V = variable(A.first);
    if (V.Link != Linkage::Internal || Parsed.size() == 1)
      To.Globals[V.Name] = {A.second, V.Bytes};
  }
}

void Linker::addFunctions() {
  auto add = [&](const Entity &Is, const std::string &Name) -> Code & {
    CodeOf[Is] = To.Codes.size();
    EntityOf.push_back(Is);
    To.Codes.emplace_back();
    Code &C = To.Codes.back();
    C.Name = Name;
    C.Text = static_cast<unsigned>(Is.Text);
    C.At = CodeTag | (To.Codes.size() - 1) * 16;
    return C;
  };
  for (size_t T = 0; T < Parsed.size(); ++T)
    for (size_t I = 0; I < Parsed[T].Functions.size(); ++I) {
      const Function &F = Parsed[T].Functions[I];
      Handler Builtin = F.HasBody ? nullptr : builtin(F.Name);
      if (!F.HasBody && !Builtin)
        continue;
      if (!F.HasBody && CodeOf.count({T, I, true}))
        continue;
      Code &C = add({T, I, true}, F.Name);
      C.Builtin = Builtin;
      Offsets.push_back(layOut(F, C));
      if (Builtin)
        Own[T][F.Name] = {T, I, true};
    }
  Used.resize(To.Codes.size());
  AddressTaken.assign(To.Codes.size(), false);
}

Symbol Linker::lookup(size_t In, const std::string &Name, Uses &By) {
  const Entity *E = find(In, Name);
  Symbol S;
  if (!E)
    return S;
  if (E->Function) {
    size_t Index = CodeOf.at(*E);
    S.Is = Symbol::Routine;
    S.Called = &To.Codes[Index];
    S.Head = &function(*E);
    S.Value = S.Called->At;
    By.Called.insert(Index);
    return S;
  }
  S.Is = Symbol::Data;
  S.In = variable(*E).In;
  if (S.In == Space::Shared)
    By.Shared.insert(*E);
  S.Value = Addresses[*E];
  return S;
}

/// Each variable in shared memory has one offset, whichever kernel uses it.
/// Those that no kernel uses together may lie at the same place.
void Linker::placeShared() {
  // Which functions mention a variable is known from the texts alone.
  for (size_t C = 0; C < To.Codes.size(); ++C) {
    const Function &F = function(EntityOf[C]);
    std::function<void(const Operand &)> note = [&](const Operand &O) {
      for (const Operand &P : O.Parts)
        note(P);
      if (O.Is == Operand::Symbol)
        lookup(EntityOf[C].Text, O.Name, Used[C]);
    };
    for (const Instruction &I : F.Body) {
      for (const Operand &O : I.Operands)
        note(O);
      if (I.Opcode.compare(0, 4, "call") == 0)
        for (const Operand &O : I.Operands)
          Used[C].Indirect |= O.Is == Operand::Register;
    }
  }
  struct Placed {
    Entity Is; // Index of Function::Variables and Text of Codes, if Function
    const Variable *V;
    std::set<size_t> Kernels;
    uint64_t Begin = 0;
  };
  std::map<Entity, Placed> All;
  std::vector<size_t> Entries;
  for (size_t K = 0; K < To.Codes.size(); ++K) {
    if (!function(EntityOf[K]).Entry)
      continue;
    Entries.push_back(K);
    std::set<size_t> Seen;
    bool Recursion = false;
    reach(K, Seen, Recursion);
    for (size_t C : Seen) {
      for (const Entity &E : Used[C].Shared)
        All.emplace(E, Placed{E, &variable(E), {}})
            .first->second.Kernels.insert(K);
      const auto &Vars = function(EntityOf[C]).Variables;
      for (size_t I = 0; I < Vars.size(); ++I)
        if (Vars[I].In == Space::Shared) {
          Entity E = {C, I, true};
          All.emplace(E, Placed{E, &Vars[I], {}})
              .first->second.Kernels.insert(K);
        }
    }
  }
  std::map<size_t, uint64_t> End; // of each kernel's
  auto place = [&](Placed &P) {
    uint64_t At = SharedBegin;
    for (size_t K : P.Kernels)
      At = std::max(At, End.count(K) ? End[K] : At);
    P.Begin = (At + P.V->Align - 1) / P.V->Align * P.V->Align;
    for (size_t K : P.Kernels)
      End[K] = P.Begin + P.V->Bytes;
    if (P.Is.Function)
      Offsets[P.Is.Text][P.Is.Index] = static_cast<uint32_t>(P.Begin);
    else
      Addresses[P.Is] = P.Begin;
  };
  for (auto &P : All)
    if (!P.second.V->Unsized)
      place(P.second);
  // Behind all others; those of one kernel lie at one place.
  std::map<size_t, uint64_t> Static = End;
  for (auto &P : All)
    if (P.second.V->Unsized) {
      place(P.second);
      for (size_t K : P.second.Kernels)
        Static[K] = std::max(Static[K], P.second.Begin);
    }
  for (size_t K : Entries) {
    Kernel New = {};
    New.Entry = &To.Codes[K];
    uint64_t Last = Static.count(K) ? Static[K] : 0;
    New.Info.SharedBytes = Last > SharedBegin ? Last - SharedBegin : 0;
    if (New.Info.SharedBytes > 48 * 1024)
      wrong(function(EntityOf[K]).Line,
            "entry '" + New.Entry->Name + "' uses too much shared data (" +
                std::to_string(New.Info.SharedBytes) + " bytes, 49152 max)");
    To.Kernels.push_back(New);
  }
}

/// The bytes of stack that a function and what it calls need, as far as that
/// is known; recursion counts once.
size_t Linker::reach(size_t C, std::set<size_t> &Seen, bool &Recursion) {
  Seen.insert(C);
  size_t Most = 0;
  auto visit = [&](size_t Callee) {
    if (Seen.count(Callee))
      Recursion = true;
    else
      Most = std::max(Most, reach(Callee, Seen, Recursion));
  };
  for (size_t Callee : Used[C].Called)
    visit(Callee);
  if (Used[C].Indirect)
    for (size_t Callee = 0; Callee < AddressTaken.size(); ++Callee)
      if (AddressTaken[Callee])
        visit(Callee);
  return Most + To.Codes[C].FrameBytes + 64;
}

void Linker::kernels() {
  for (Kernel &K : To.Kernels) {
    size_t C = static_cast<size_t>(K.Entry->At - CodeTag) / 16;
    const Function &F = function(EntityOf[C]);
    std::set<size_t> Seen;
    bool Recursion = false;
    K.Info.LocalBytes = reach(C, Seen, Recursion) + 256;
    for (size_t S : Seen)
      K.ReadsOnly |= To.Codes[S].ReadsOnly;
    if (F.MaxThreads)
      K.Info.MaxThreads = F.MaxThreads;
    std::copy(F.Required, F.Required + 3, K.Required);
    for (const Slice &P : K.Entry->Params) {
      K.Info.ParamOffsets.push_back(P.Off);
      K.Info.ParamSizes.push_back(P.Bytes);
      K.Info.ParamBytes = P.Off + P.Bytes;
    }
  }
}

void Linker::initialise() {
  for (const auto &A : Addresses) {
    const Variable &V = variable(A.first);
    if (V.In == Space::Shared)
      continue;
    // Without an initialiser they are 0.
    std::vector<unsigned char> Bytes(V.Bytes);
    unsigned Each = V.Element.bytes();
    for (size_t I = 0; I < V.Initial.size(); ++I) {
      const Initialiser &From = V.Initial[I];
      uint64_t Value = From.Value;
      if (!From.Symbol.empty()) {
        Uses None;
        Symbol S = lookup(A.first.Text, From.Symbol, None);
        if (!S.Is)
          wrong(V.Line, "unknown name '" + From.Symbol + "'");
        Value += S.In == Space::Shared ? S.Value | SharedTag : S.Value;
        Value =
            (Value & From.Mask) >> (From.Mask ? __builtin_ctzll(From.Mask) : 0);
      }
      memcpy(&Bytes[I * Each], &Value, Each);
    }
    if (unsigned char *At = To.M.bytes(A.second, V.Bytes)) {
      memcpy(At, Bytes.data(), V.Bytes);
      if (unsigned char *W = To.M.written(At))
        memset(W, 1, V.Bytes);
    }
  }
}

void Linker::run() {
  for (size_t T = 0; T < To.Texts.size(); ++T)
    try {
      Parsed.push_back(parse(To.Texts[T]));
    } catch (SyntaxError &E) {
      if (To.Texts.size() > 1)
        E.Text += " (text " + std::to_string(T + 1) + ")";
      throw;
    }
  Own.resize(Parsed.size());
  for (size_t T = 0; T < Parsed.size(); ++T) {
    collect(T, Parsed[T].Functions, true);
    collect(T, Parsed[T].Variables, false);
  }
  placeVariables();
  addFunctions();
  // A function whose address stands anywhere but in a call may be called from
  // wherever a call is indirect.
  Uses Anywhere;
  for (size_t T = 0; T < Parsed.size(); ++T) {
    for (const Variable &V : Parsed[T].Variables)
      for (const Initialiser &I : V.Initial)
        if (!I.Symbol.empty())
          lookup(T, I.Symbol, Anywhere);
    for (const Function &F : Parsed[T].Functions)
      for (const Instruction &I : F.Body)
        if (I.Opcode.compare(0, 4, "call"))
          for (const Operand &O : I.Operands)
            if (O.Is == Operand::Symbol)
              lookup(T, O.Name, Anywhere);
  }
  for (size_t C : Anywhere.Called)
    AddressTaken[C] = true;
  placeShared();
  for (size_t C = 0; C < To.Codes.size(); ++C) {
    const Entity &Is = EntityOf[C];
    Uses Known;
    decode(
        function(Is), Offsets[C],
        [&](const std::string &Name) { return lookup(Is.Text, Name, Known); },
        To.Codes[C]);
  }
  kernels();
  initialise();
}

} // namespace

std::unique_ptr<Image> link(Memory &M, const std::vector<std::string> &Texts) {
  auto New = std::make_unique<Image>(M);
  Linker(*New, Texts).run();
  return New;
}

} // namespace gpu_in_software::machine
