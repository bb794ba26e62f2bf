// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic updates. In every text the user's statement
//
//   x[i] += e;        becomes      __agglom_update_0((int *)&(x[i]), (e));
//
// and only the called function differs: on the host (CPU workers and the
// emulated device) it uses the compiler's __atomic builtins, on a GPU the
// macros of agglom/kernel.h. The function computes the new value by the user's
// own formula in C, so conversions are C's. It uses a single atomic instruction
// where the result is the same.

#include "Emit.h"

using namespace clang;

namespace agglom {

unsigned Emission::updateFunction(const Update &Up) {
  for (unsigned I = 0; I < UpdateFunctions.size(); ++I) {
    const Update &Other = UpdateFunctions[I];
    if (Other.Type == Up.Type && Other.ValueType == Up.ValueType &&
        Other.Next == Up.Next)
      return I;
  }
  UpdateFunctions.push_back(Up);
  return UpdateFunctions.size() - 1;
}

static const char Atomic[] = "__agglom_update_", Plain[] = "__agglom_plain_";

static std::string nameOf(unsigned Function) {
  return Atomic + std::to_string(Function);
}

/// The formula by which all updates of \p Sec take the minimum or
/// maximum, as they differ in what comes of a NaN; empty when they have
/// several.
static std::string formulaOf(Emission &E, const Task &T, const Section &Sec,
                             QualType Type) {
  std::string Next;
  auto It = E.Checked.Closures.find(&T);
  if (It == E.Checked.Closures.end())
    return "";
  for (const Update &Up : E.Checked.Updates) {
    if (!Up.Accumulates || Up.Op != Sec.Op || Up.Type != Type ||
        !It->second.Functions.contains(Up.In))
      continue;
    if (!Next.empty() && Up.Next != Next)
      return "";
    Next = Up.Next;
  }
  return Next;
}

/// The update that adds one partial result to another.
static Update combination(Emission &E, const Task &T, const Section &Sec) {
  Update Up;
  Up.Op = Sec.Op;
  Up.Type = Up.ValueType = accumulatedType(Sec, E.U.Context);
  if (Up.Type->isFloatingType() && (Sec.Op == "min" || Sec.Op == "max"))
    Up.Next = formulaOf(E, T, Sec, Up.Type);
  if (Up.Next.empty())
    Up.Next = combined(Sec.Op, "ag_old", "ag_value");
  return Up;
}

/// Cuts a part of the statement; the line breaks in it stay.
static void cut(Emission &E, Edits &Ed, Extent At, std::string Text) {
  Text.append(E.Text.text(At).count('\n'), '\n');
  Ed.cut(At, Text);
  E.Common.cut(At, Text);
}

void editUpdates(Emission &E, Edits &Ed) {
  for (const auto &T : E.U.M.Tasks)
    for (const Section &Sec : T->Sections)
      if (Sec.Clause == ClauseId::Accumulate)
        E.updateFunction(combination(E, *T, Sec));
  for (const Update &Up : E.Checked.Updates) {
    if (ownObject(Up.Target))
      continue; // the object is local: no other unit sees it
    std::string Call =
        nameOf(E.updateFunction(Up)) + "((" + E.plainType(Up.Type) + " *)&(";
    Extent Whole = E.Text.extent(Up.Whole->getSourceRange());
    Extent Target = E.Text.extent(Up.Target->getSourceRange());
    cut(E, Ed, {Whole.Begin, Target.Begin}, Call);
    if (!Up.Value) {
      cut(E, Ed, {Target.End, Whole.End}, "), 1)");
      continue;
    }
    Extent Value = E.Text.extent(Up.Value->getSourceRange());
    cut(E, Ed, {Target.End, Value.Begin}, "), (");
    auto *If = dyn_cast<IfStmt>(Up.Whole);
    bool Braces = If && isa<CompoundStmt>(If->getThen());
    cut(E, Ed, {Value.End, Whole.End}, Braces ? "));" : "))");
  }
}

namespace {
class UpdateFunction {
  Emission &E;
  const Update &Up;
  std::string Name, T, V;

  bool integers() const {
    return Up.Type->isIntegerType() && Up.ValueType->isIntegerType();
  }
  /// "add" when a wrapping add of the target's type gives what the user's
  /// operator and conversions give.
  StringRef wrapping() const {
    if (!integers() || Up.Next.find("ag_old") != 0)
      return "";
    return llvm::StringSwitch<StringRef>(Up.Op)
        .Case("+", "add")
        .Case("-", "sub")
        .Case("&", "and")
        .Case("|", "or")
        .Case("^", "xor")
        .Default("");
  }

  std::string gpuInstruction() const {
    uint64_t Bits = E.U.Context.getTypeSize(Up.Type);
    if (Bits < 32)
      return "";
    std::string Word = Bits == 64 ? "unsigned long long" : "unsigned";
    std::string S = Bits == 64 ? "long long" : "int";
    StringRef Wraps = wrapping();
    if (Wraps == "sub")
      return "AG_ATOMIC_ADD(" + Word + ", ag_to, 0 - (" + Word + ")ag_value)";
    if (!Wraps.empty())
      return "AG_ATOMIC_" + Wraps.upper() + "(" + Word + ", ag_to, ag_value)";
    if (commonType(Up.Type, Up.ValueType, E.U.Context) != Up.Type)
      return "";
    if (Up.Type->isFloatingType() && Up.Next == "ag_old + ag_value")
      return "AG_ATOMIC_ADD(" + T + ", ag_to, ag_value)";
    if (Up.Type->isFloatingType() && Up.Next == "ag_old - ag_value")
      return "AG_ATOMIC_ADD(" + T + ", ag_to, -(" + T + ")ag_value)";
    if (integers() && Up.Next.find("__builtin") != 0 &&
        (Up.Op == "min" || Up.Op == "max"))
      return (Up.Op == "min" ? "AG_ATOMIC_MIN(" : "AG_ATOMIC_MAX(") +
             (Up.Type->isSignedIntegerType() ? S : Word) + ", ag_to, ag_value)";
    return "";
  }

public:
  UpdateFunction(Emission &E, unsigned Index)
      : E(E), Up(E.UpdateFunctions[Index]), Name(nameOf(Index)),
        T(E.plainType(Up.Type)), V(E.plainType(Up.ValueType)) {}

  std::string gpu() const {
    std::string Atomic = gpuInstruction();
    std::string Head = Name + ", " + T + ", " + V + ", ";
    if (!Atomic.empty())
      return "AG_DEFINE_UPDATE(" + Head + Up.Next + ", " + Atomic + ")\n";
    switch (E.U.Context.getTypeSize(Up.Type)) {
    case 64:
      return "AG_DEFINE_UPDATE_CAS(" + Head + Up.Next +
             ", unsigned long long)\n";
    case 32:
      return "AG_DEFINE_UPDATE_CAS(" + Head + Up.Next + ", unsigned)\n";
    default:
      return "AG_DEFINE_UPDATE_NARROW(" + Head + Up.Next + ")\n";
    }
  }

  std::string head(const std::string &Of) const {
    return "static __inline__ __attribute__((unused)) void " + Of + "(" + T +
           " *ag_to, " + V + " ag_value) {\n";
  }
  std::string plain(const std::string &Of) const {
    return head(Of) + "  const " + T + " ag_old = *ag_to;\n  *ag_to = (" + T +
           ")(" + Up.Next + ");\n}\n";
  }
  std::string host() const {
    std::string S = head(Name);
    if (StringRef Fetch = wrapping(); !Fetch.empty())
      return S + "  (void)__atomic_fetch_" + Fetch.str() + "(ag_to, (" + T +
             ")ag_value, 0);\n}\n";
    return S + "  " + T +
           " ag_old, ag_next;\n"
           "  __atomic_load(ag_to, &ag_old, 0);\n"
           "  do\n"
           "    ag_next = (" +
           T + ")(" + Up.Next +
           ");\n"
           "  while (!__atomic_compare_exchange(ag_to, &ag_old, &ag_next, 1, "
           "0, 0));\n}\n";
  }
};
} // namespace

std::string updateFunctions(Emission &E, Dialect D,
                            const std::set<unsigned> *Only) {
  std::string S;
  for (unsigned I = 0; I < E.UpdateFunctions.size(); ++I)
    if (!Only || Only->count(I))
      S += D == Dialect::Gpu ? UpdateFunction(E, I).gpu()
                             : UpdateFunction(E, I).host();
  return S;
}

//===----------------------------------------------------------------------===//
// accumulate
//===----------------------------------------------------------------------===//

bool updatesPrivately(const Emission &E, const Task &T) {
  // Of a piece of a loop the runtime knows how much it is worth.
  if (!T.IsLoop || !T.onDevice())
    return false;
  // The pointer to accumulated memory, or the object: nothing else is reached
  // by it.
  auto base = [](const Section &S) -> const VarDecl * {
    return S.Pointer.Kind == SectionPointer::Hidden ? S.Pointer.Global
                                                    : S.Param;
  };
  std::set<const VarDecl *> Bases;
  for (const Section &S : T.Sections)
    if (S.Clause == ClauseId::Accumulate &&
        (!S.plain() || !isa<DeclRefExpr>(S.BaseExpr->IgnoreParenCasts()) ||
         !Bases.insert(base(S)).second))
      return false;
  for (const Section &S : T.Sections)
    if (S.Clause != ClauseId::Accumulate && Bases.count(base(S)))
      return false;
  bool Any = false;
  for (const Update &Up : E.Checked.Updates) {
    if (Up.In != T.Definition || ownObject(Up.Target))
      continue;
    if (!Up.Accumulates)
      return false;
    Any = true;
  }
  return Any;
}

std::string withPlainUpdates(Emission &E, const std::string &Body,
                             std::set<unsigned> &Done, std::string &Functions) {
  std::string S;
  StringRef Rest = Body;
  for (size_t At; (At = Rest.find(Atomic)) != StringRef::npos;) {
    S += Rest.take_front(At).str() + Plain;
    Rest = Rest.drop_front(At + sizeof Atomic - 1);
    unsigned I = 0;
    if (!Rest.take_while(isDigit).getAsInteger(10, I) && Done.insert(I).second)
      Functions += UpdateFunction(E, I).plain(Plain + std::to_string(I));
  }
  return S + Rest.str();
}

/// The value of type \p T that min (or max) never prefers: the largest
/// (smallest).
static std::string extreme(StringRef Op, QualType T, const ASTContext &C) {
  if (T->isFloatingType())
    return Op == "min" ? "__builtin_inf()" : "-__builtin_inf()";
  bool Signed = T->isSignedIntegerType();
  std::string Most =
      "(~0ULL >> " + std::to_string(64 - C.getTypeSize(T) + Signed) + ")";
  return Op == "min" ? Most : Signed ? "~" + Most : "0";
}

std::string accumulateMode(Emission &E, const Section &Sec) {
  static const char *const Operators[] = {"+", "*", "min", "max",
                                          "&", "|", "^"};
  QualType T = accumulatedType(Sec, E.U.Context);
  unsigned Op = llvm::find(Operators, Sec.Op) - Operators + 1;
  unsigned Kind = T->isFloatingType() ? 2 : T->isSignedIntegerType() ? 1 : 0;
  unsigned Bytes = E.U.Context.getTypeSizeInChars(T).getQuantity();
  return "AGGLOM_ACCUMULATE | " + std::to_string(Op << 8 | Bytes << 4 | Kind) +
         " << AGGLOM_OPERATION_SHIFT";
}

std::string accumulateFunctions(Emission &E, const Task &T) {
  std::string S;
  for (size_t I = 0; I < T.Sections.size(); ++I) {
    const Section &Sec = T.Sections[I];
    if (Sec.Clause != ClauseId::Accumulate)
      continue;
    QualType Type = accumulatedType(Sec, E.U.Context);
    std::string Name = E.plainType(Type), Number = std::to_string(I);
    // The runtime passes bytes, not elements: partial results of sections with
    // one operation lie together, whatever each section's element type is.
    std::string None =
        "  const " + Name + " ag_none = (" + Name + ")(" +
        identity(Sec.Op, Type, extreme(Sec.Op, Type, E.U.Context)) + ");\n";
    std::string Loop =
        "  for (unsigned long long ag_i = 0; ag_i < ag_bytes / sizeof "
        "ag_none; ++ag_i)\n";
    S += "static void " + generated(T, "identity_" + Number) +
         "(void *ag_to, unsigned long long ag_bytes) {\n" + None + "  " + Name +
         " *ag_all = (" + Name + " *)ag_to;\n" + Loop +
         "    ag_all[ag_i] = ag_none;\n}\n";
    S += "static void " + generated(T, "combine_" + Number) +
         "(void *ag_into, const void *ag_from, unsigned long long ag_bytes) "
         "{\n" +
         None + "  " + Name + " *ag_all = (" + Name + " *)ag_into;\n  const " +
         Name + " *ag_partial = (const " + Name + " *)ag_from;\n" + Loop +
         "    if (__builtin_memcmp(&ag_partial[ag_i], &ag_none, sizeof "
         "ag_none))\n      " +
         nameOf(E.updateFunction(combination(E, T, Sec))) +
         "(&ag_all[ag_i], ag_partial[ag_i]);\n}\n";
  }
  return S;
}

std::string accumulateEntry(const Task &T, size_t I) {
  if (T.Sections[I].Clause != ClauseId::Accumulate)
    return "0, 0";
  std::string Number = std::to_string(I);
  return generated(T, "identity_" + Number) + ", " +
         generated(T, "combine_" + Number);
}

} // namespace agglom
