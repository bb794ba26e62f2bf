// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostCommand.h"
#include "../support/Affix.h"
#include "../support/HeaderNames.h"
#include "Scan.h"
#include <cstring>
#include <string_view>

namespace agglom {

using std::string_view;
using Arguments = std::vector<std::string>;

/// Splits a response file as Clang and gcc do.
static void splitResponses(string_view Text, Arguments &Out) {
  std::string Word;
  bool InWord = false;
  char Quote = 0;
  for (size_t I = 0; I != Text.size(); ++I) {
    char C = Text[I];
    if (C == '\\' && I + 1 != Text.size()) {
      Word += Text[++I];
      InWord = true;
    } else if (Quote) {
      if (C == Quote)
        Quote = 0;
      else
        Word += C;
    } else if (C == '"' || C == '\'') {
      Quote = C;
      InWord = true;
    } else if (strchr(" \t\n\v\f\r", C)) {
      if (InWord)
        Out.push_back(Word);
      Word.clear();
      InWord = false;
    } else {
      Word += C;
      InWord = true;
    }
  }
  if (InWord)
    Out.push_back(Word);
}

bool expandResponseFiles(const Arguments &Args, Arguments &Expanded) {
  for (const std::string &Arg : Args) {
    if (Arg.empty() || Arg[0] != '@') {
      Expanded.push_back(Arg);
      continue;
    }
    std::string Text;
    Arguments Inner;
    if (!readWhole(Arg.substr(1), Text))
      return false;
    splitResponses(Text, Inner);
    for (const std::string &A : Inner)
      if (!A.empty() && A[0] == '@')
        return false;
    Expanded.insert(Expanded.end(), Inner.begin(), Inner.end());
  }
  return true;
}

bool preventsRuntime(const std::string &Arg) {
  for (const char *Whole :
       {"-c", "-S", "-E", "-M", "-MM", "-r", "-nostdlib", "-nodefaultlibs",
        "-nolibc", "-emit-ast", "-fsyntax-only", "-emit-llvm"})
    if (Arg == Whole)
      return true;
  for (const char *Start :
       {"-cc1", "-print-", "--print-", "-dump", "-ccc-print", "--analyze",
        "--precompile", "--emit-static-lib", "--driver-mode"})
    if (startsWith(Arg, Start))
      return true;
  return false;
}

/// Takes an option of agglomcc's own. \returns false for one that only the
/// compiler proper knows.
static bool takeOwn(const std::string &Arg, OwnOptions &Own, bool &IsOwn) {
  IsOwn = true;
  const char HostOption[] = "-fagglom-host-compiler=";
  if (Arg == "-fagglom" || Arg == "-fno-agglom") {
    Own.NoPragmas = Arg != "-fagglom";
    return true;
  }
  if (startsWith(Arg, HostOption)) {
    Own.Compiler = Arg.substr(strlen(HostOption));
    return !Own.Compiler.empty();
  }
  if (Arg == "-fagglom-runtime=static" || Arg == "-fagglom-runtime=shared") {
    Own.SharedRuntime = Arg.back() == 'd';
    Own.ChoosesRuntime = true;
    return true;
  }
  IsOwn = false;
  for (const char *Start :
       {"-fagglom", "--fagglom", "-fno-agglom", "-Wagglom", "-Wno-agglom",
        "-Werror=agglom", "-Wno-error=agglom", "--emit-", "--fix", "--suggest",
        "-showme", "--showme", "--agglom", "--help", "-help", "--version"})
    if (startsWith(Arg, Start) && Arg != "--emit-static-lib")
      return false;
  return true;
}

/// Whether the next argument belongs to this option, whatever it is.
static bool takesNext(const std::string &Arg) {
  for (const char *Takes :
       {"-Xlinker", "-Xclang", "-Xassembler", "-Xpreprocessor", "-mllvm"})
    if (Arg == Takes)
      return true;
  return false;
}

bool takeOwnOptions(const Arguments &Args, const Arguments &Expanded,
                    OwnOptions &Own, Arguments &Rest) {
  for (size_t I = 0; I != Expanded.size(); ++I) {
    bool IsOwn;
    if (!takeOwn(Expanded[I], Own, IsOwn))
      return false;
    if (IsOwn)
      continue;
    Rest.push_back(Expanded[I]);
    if (takesNext(Expanded[I]) && I + 1 != Expanded.size())
      Rest.push_back(Expanded[++I]);
  }
  return Rest.size() == Expanded.size() || Args == Expanded;
}

bool isHostCommand(const Arguments &Rest, HostCommand &Host) {
  bool IsHeader = false; // by -x
  for (size_t I = 0; I != Rest.size(); ++I) {
    const std::string &Arg = Rest[I];
    if (Arg.empty() || Arg == "-" || endsWith(Arg, ".c") ||
        endsWith(Arg, ".i") || Arg == "/dev/stdin" || Arg == "--")
      return false;
    if (isCHeader(Arg) || (IsHeader && Arg[0] != '-'))
      Host.Headers.push_back(Arg);
    if (startsWith(Arg, "-I"))
      Host.Folders.push_back(Arg.size() > 2         ? Arg.substr(2)
                             : I + 1 != Rest.size() ? Rest[I + 1]
                                                    : "");
    Host.MayLink &= !preventsRuntime(Arg);
    Host.IsShared |= Arg == "-shared" || Arg == "--shared";
    string_view Language;
    if (Arg == "-x" || Arg == "--language")
      Language = I + 1 != Rest.size() ? string_view(Rest[I + 1]) : "";
    else if (startsWith(Arg, "-x"))
      Language = string_view(Arg).substr(2);
    else if (startsWith(Arg, "--language="))
      Language = string_view(Arg).substr(strlen("--language="));
    if (Language == "c" || Language == "cpp-output")
      return false;
    if (!Language.empty()) {
      Host.HasLanguage = Language != "none";
      IsHeader = Language == "c-header";
    }
    if (takesNext(Arg))
      ++I;
  }
  return true;
}

} // namespace agglom
