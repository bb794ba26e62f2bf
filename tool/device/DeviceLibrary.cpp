// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceLibrary.h"
#include "DeviceText.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace agglom {

namespace {
enum class Kind { Builtin, Maths, Memory, Integer, Text, Team };
struct Entry {
  Kind K;
  StringRef Base;      ///< name without the f of the float version
  StringRef Arguments; ///< or the type, for Integer
  bool Float;
};
} // namespace

static const StringMap<Entry> &table() {
  static const StringMap<Entry> Table = [] {
    StringMap<Entry> T;
    auto floating = [&](Kind K, StringRef Name, StringRef Arguments) {
      T[Name] = {K, Name, Arguments, false};
      T[(Name + "f").str()] = {K, Name, Arguments, true};
    };
#define BUILTIN(Name, Arguments) floating(Kind::Builtin, #Name, Arguments);
#define MATHS(Name, Arguments) floating(Kind::Maths, #Name, Arguments);
#define MEMORY(Name) T[#Name] = {Kind::Memory, #Name, "", false};
#define TEXT(Name) T[#Name] = {Kind::Text, #Name, "", false};
#define TEAM(Name) T[#Name] = {Kind::Team, #Name, "", false};
#define INTEGER(Name, Type) T[#Name] = {Kind::Integer, #Name, Type, false};
#include "device_library.def"
    return T;
  }();
  return Table;
}

bool isDeviceLibraryFunction(StringRef Name) {
  auto It = table().find(Name);
  return It != table().end() && It->second.K != Kind::Team;
}
bool isTeamFunctionName(StringRef Name) {
  auto It = table().find(Name);
  return It != table().end() && It->second.K == Kind::Team;
}
bool isTeamReduction(StringRef Name) {
  return isTeamFunctionName(Name) && Name.count('_') == 2;
}
bool isDeviceText(StringRef Name) { return deviceText(Name); }

/// "double a, int b" or "a, b".
static std::string arguments(const Entry &E, bool Declare) {
  std::string Text;
  for (size_t I = 0; I < E.Arguments.size(); ++I) {
    if (I)
      Text += ", ";
    if (Declare)
      Text += E.Arguments[I] == 'i' ? "int " : E.Float ? "float " : "double ";
    Text += static_cast<char>('a' + I);
  }
  return Text;
}

static void defineMaths(raw_ostream &OS, const Entry &E, StringRef Name) {
  StringRef Type = E.Float ? "float" : "double";
  std::string Mangled = "_Z" + std::to_string(E.Base.size()) + E.Base.str();
  for (char A : E.Arguments)
    Mangled += A == 'i' ? 'i' : E.Float ? 'f' : 'd';
  std::string Params = arguments(E, true), Values = arguments(E, false);
  std::string LibDevice = ("__nv_" + Name).str();
  OS << "#ifdef AG_MATHS_LIBCLC\n"
     << Type << ' ' << Mangled << '(' << Params << ");\n"
     << "AG_FUNC " << Type << ' ' << Name << '(' << Params << ") { return "
     << Mangled << '(' << Values << "); }\n"
     << "#else\n"
     << Type << ' ' << LibDevice << '(' << Params << ");\n"
     << "AG_FUNC " << Type << ' ' << Name << '(' << Params << ") { return "
     << LibDevice << '(' << Values << "); }\n"
     << "#endif\n";
}

/// Byte loops: correct for every size and alignment.
static void defineMemory(raw_ostream &OS, StringRef Name) {
  if (Name == "memcpy" || Name == "memmove")
    OS << "AG_FUNC void *" << Name
       << "(void *to, const void *from, unsigned long n) {\n"
          "  unsigned char *t = (unsigned char *)to;\n"
          "  const unsigned char *f = (const unsigned char *)from;\n"
          "  if (t <= f)\n"
          "    for (unsigned long i = 0; i < n; ++i) t[i] = f[i];\n"
          "  else\n"
          "    for (unsigned long i = n; i > 0; --i) t[i - 1] = f[i - 1];\n"
          "  return to;\n"
          "}\n";
  else if (Name == "memset")
    OS << "AG_FUNC void *memset(void *to, int byte, unsigned long n) {\n"
          "  unsigned char *t = (unsigned char *)to;\n"
          "  for (unsigned long i = 0; i < n; ++i) t[i] = (unsigned "
          "char)byte;\n"
          "  return to;\n"
          "}\n";
  else
    OS << "AG_FUNC int memcmp(const void *a, const void *b, unsigned long n) "
          "{\n"
          "  const unsigned char *x = (const unsigned char *)a;\n"
          "  const unsigned char *y = (const unsigned char *)b;\n"
          "  for (unsigned long i = 0; i < n; ++i)\n"
          "    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;\n"
          "  return 0;\n"
          "}\n";
}

/// Adds the text of \p Name, behind the texts that it needs.
static void addText(StringRef Name, std::vector<const DeviceText *> &Out,
                    std::set<std::string> &Used) {
  const DeviceText *T = deviceText(Name);
  if (!T || is_contained(Out, T))
    return;
  SmallVector<StringRef, 4> Needs;
  StringRef(T->Needs).split(Needs, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef Other : Needs) {
    Used.insert(Other.str());
    addText(Other, Out, Used);
  }
  Out.push_back(T);
}

/// Writes the texts, then macros with the names that the user's program uses.
/// The texts themselves use functions of these names, so the macros come last.
static void writeTexts(raw_ostream &OS,
                       const std::vector<const DeviceText *> &Texts) {
  for (const DeviceText *T : Texts)
    OS << StringRef(T->Text).ltrim('\n');
  for (const DeviceText *T : Texts) {
    if (StringRef(T->Name) == "printf")
      continue; // its text defines the macro
    OS << "#undef " << T->Name << "\n#define " << T->Name << " ag_" << T->Name
       << "\n";
    // __builtin_nan("") is a constant, and may initialise one.
    if (!StringRef(T->Name).starts_with("nan") && !isTeamFunctionName(T->Name))
      OS << "#define __builtin_" << T->Name << " ag_" << T->Name << "\n";
  }
}

/// Writes the definitions of \p Used. \returns whether one of them needs the
/// maths library of the device.
static bool writeFunctions(raw_ostream &OS, const std::set<std::string> &Used) {
  bool NeedsMaths = false;
  for (const std::string &Name : Used) {
    auto It = table().find(Name);
    if (It == table().end())
      continue;
    const Entry &E = It->second;
    std::string Head = (E.Float ? "float " : "double ") + Name + "(" +
                       arguments(E, true) + ")";
    switch (E.K) {
    case Kind::Builtin:
    case Kind::Maths:
      if (E.K == Kind::Maths)
        defineMaths(OS, E, Name);
      else
        OS << "AG_FUNC " << Head << " { return __builtin_" << Name << '('
           << arguments(E, false) << "); }\n";
      NeedsMaths |= E.K == Kind::Maths;
      break;
    case Kind::Memory:
      defineMemory(OS, Name);
      break;
    case Kind::Integer:
      OS << "AG_FUNC " << E.Arguments << ' ' << Name << '(' << E.Arguments
         << " a) { return a < 0 ? -a : a; }\n";
      break;
    case Kind::Text:
    case Kind::Team:
      break;
    }
  }
  // The macros stand behind all definitions, which use the builtins.
  for (const std::string &Name : Used)
    if (auto It = table().find(Name);
        It != table().end() &&
        (It->second.K == Kind::Maths || Name == "memcmp"))
      OS << "#define __builtin_" << Name << ' ' << Name << '\n';
  return NeedsMaths;
}

std::string deviceLibraryText(std::set<std::string> Used, bool &NeedsMaths) {
  NeedsMaths = false;
  if (Used.empty())
    return "";
  std::vector<const DeviceText *> Texts;
  for (const std::string &Name : std::set<std::string>(Used))
    addText(Name, Texts, Used);
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "/* library functions */\n";
  NeedsMaths = writeFunctions(OS, Used);
  writeTexts(OS, Texts);
  return OS.str();
}

} // namespace agglom
