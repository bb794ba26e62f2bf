// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simple.h"
#include "../support/Affix.h"
#include "HostCommand.h"
#include <string_view>

namespace agglom {

using std::string_view;

template <size_t N>
static bool oneOf(string_view Text, const string_view (&List)[N]) {
  for (string_view Item : List)
    if (Text == Item)
      return true;
  return false;
}

template <size_t N>
static bool startsWithOneOf(string_view Text, const string_view (&List)[N]) {
  for (string_view Item : List)
    if (startsWith(Text, Item))
      return true;
  return false;
}

static const string_view Flags[] = {"-c",
                                    "-S",
                                    "-w",
                                    "-pipe",
                                    "-ansi",
                                    "-pthread",
                                    "-pedantic",
                                    "-trigraphs",
                                    "-MD",
                                    "-MMD",
                                    "-MP",
                                    "-MV",
                                    "-s",
                                    "-rdynamic",
                                    "-pie",
                                    "-no-pie",
                                    "-static",
                                    "-fPIC",
                                    "-pedantic-errors",
                                    "-nostdinc",
                                    "-undef",
                                    "-O",
                                    "-g",
                                    "-W",
                                    "-E",
                                    "-P",
                                    "-C",
                                    "-CC",
                                    "-M",
                                    "-MM",
                                    "-MG",
                                    "-dI",
                                    "-emit-ast",
                                    "-emit-llvm",
                                    "-fsyntax-only",
                                    "-shared",
                                    "-r",
                                    "-nostdlib",
                                    "-nodefaultlibs",
                                    "-nostartfiles",
                                    "-nolibc",
                                    "-static-pie",
                                    "-static-libgcc",
                                    "-nostdlibinc",
                                    "-nobuiltininc",
                                    "-Qunused-arguments",
                                    "-p",
                                    "-pg",
                                    "-coverage",
                                    "--coverage"};

/// Options that end a command before code is generated. Not those that list
/// macros: __agglom__ is among them.
static const string_view HostGoals[] = {"-M", "-MM", "-dI", "-emit-ast"};

/// Options whose argument is the next one.
static const string_view WithArgument[] = {
    "-o",        "-MF", "-MT", "-MQ", "-include", "-imacros", "-target",
    "-isysroot", "-z",  "-u",  "-T",  "-Xlinker", "--param"};

/// Options with a folder of headers, joined or as the next argument.
static const string_view FolderOptions[] = {"-I", "-isystem", "-iquote",
                                            "-idirafter"};

static const string_view Prefixes[] = {
    "-O",    "-g", "-W", "-f", "-m",        "-D",         "-U",
    "-std=", "-l", "-L", "-o", "--target=", "--sysroot=", "--std="};

/// Exceptions from Prefixes: agglomcc's own options, other languages than plain
/// C, other compilers, other steps, and options that take the next argument.
static const string_view NotPrefixes[] = {"-fagglom",
                                          "-fno-agglom",
                                          "-Wagglom",
                                          "-Wno-agglom",
                                          "-Werror=agglom",
                                          "-Wno-error=agglom",
                                          "-Wp,",
                                          "-fplugin",
                                          "-fpass-plugin",
                                          "-fmodule",
                                          "-fno-module",
                                          "-fimplicit-module",
                                          "-fprebuilt",
                                          "-fbuild-session",
                                          "-fms-",
                                          "-femit",
                                          "-fembed",
                                          "-frewrite",
                                          "-finclude",
                                          "-fpch",
                                          "-foffload",
                                          "-fopenmp-targets",
                                          "-fdirectives-only",
                                          "-fcs-",
                                          "-fminimize",
                                          "-mllvm",
                                          "-mmlir",
                                          "-object",
                                          "-gen-",
                                          "-lazy",
                                          "-mios",
                                          "-mmacos",
                                          "-moslib",
                                          "-fdriver-only",
                                          "-Wsystem-headers-in-module"};

/// The Linux kernel's way to ask for a dependency file.
static bool asksForDependencies(string_view Arg) {
  return startsWith(Arg, "-Wp,-MD,") || startsWith(Arg, "-Wp,-MMD,");
}

namespace {
/// The state of reading a command.
struct Reader {
  SimpleCommand &Simple;
  bool Compiles = false, RecordsArguments = false;
  bool IsC = false; ///< by -x
  bool IsCppOutput = false;
  bool IsText = false;

  bool input(string_view Arg);
  bool option(const std::vector<std::string> &Args, size_t &I);
  bool language(string_view Name);
};
} // namespace

bool Reader::input(string_view Arg) {
  bool HasNoMacros = endsWith(Arg, ".i");
  if (Arg == "-" || IsC || endsWith(Arg, ".c") || HasNoMacros) {
    Simple.Sources.emplace_back(Arg);
    Simple.IsPreprocessed &= IsC ? IsCppOutput : HasNoMacros;
  } else if (!endsWith(Arg, ".o") && !endsWith(Arg, ".a") &&
             !endsWith(Arg, ".so"))
    return false;
  return true;
}

bool Reader::language(string_view Name) {
  IsCppOutput = Name == "cpp-output";
  IsC = Name == "c" || IsCppOutput;
  Simple.HasLanguage = IsC;
  return IsC || Name == "none";
}

bool Reader::option(const std::vector<std::string> &Args, size_t &I) {
  string_view Arg = Args[I];
  if (oneOf(Arg, Flags)) {
    Compiles |= Arg == "-c" || Arg == "-S" || Arg == "-E" ||
                Arg == "-fsyntax-only" || Arg == "-emit-llvm";
    IsText |= Arg == "-E";
    Simple.OnlyHost |= oneOf(Arg, HostGoals);
    Simple.IsShared |= Arg == "-shared";
    Simple.WritesUserHeaders |= Arg == "-MMD";
    return true;
  }
  if (asksForDependencies(Arg)) {
    Simple.WritesUserHeaders |= startsWith(Arg, "-Wp,-MMD,");
    return Arg.find(',', Arg.find(',', 4) + 1) == string_view::npos;
  }
  RecordsArguments |=
      Arg.find("record-") != string_view::npos || Arg.find("-gcodeview") == 0;
  bool IsLast = I + 1 == Args.size();
  if (Arg == "-x")
    return !IsLast && language(Args[++I]);
  if (startsWith(Arg, "-x"))
    return language(Arg.substr(2));
  if (oneOf(Arg, WithArgument)) {
    if (IsLast)
      return false;
    ++I;
    if (Arg == "-include" || Arg == "-imacros")
      Simple.Included.push_back(Args[I]);
    return true;
  }
  for (string_view Option : FolderOptions) {
    if (!startsWith(Arg, Option))
      continue;
    if (Arg != Option)
      Simple.Folders.emplace_back(Arg.substr(Option.size()));
    else if (IsLast)
      return false;
    else
      Simple.Folders.push_back(Args[++I]);
    return true;
  }
  if (startsWithOneOf(Arg, NotPrefixes) || !startsWithOneOf(Arg, Prefixes))
    return false;
  if (startsWith(Arg, "-D") || startsWith(Arg, "-U")) {
    string_view Macro = Arg.substr(2);
    if (Macro.empty()) {
      if (IsLast)
        return false;
      Macro = Args[++I];
    }
    Simple.InMacros.add(scan(Macro));
    return !Simple.InMacros.Word;
  }
  return Arg != "-l" && Arg != "-L" && Arg != "-m" && Arg != "-f";
}

bool isSimple(const std::vector<std::string> &Args, SimpleCommand &Simple) {
  Reader R{Simple};
  Simple.TakesRuntime = true;
  for (size_t I = 0; I != Args.size(); ++I) {
    string_view Arg = Args[I];
    if (Arg.empty() || Arg[0] == '@')
      return false;
    Simple.TakesRuntime &= !preventsRuntime(Args[I]);
    if (Arg == "-" || Arg[0] != '-' ? !R.input(Arg) : !R.option(Args, I))
      return false;
  }
  bool ReadsStdin = false;
  for (const std::string &Source : Simple.Sources)
    ReadsStdin |= Source == "-";
  // Clang gets another argument to write the graph, which must not be recorded;
  // and the graph covers one file, and leaves out files of the command line.
  Simple.HidesHeaders = Simple.WritesUserHeaders &&
                        (R.RecordsArguments || !Simple.Included.empty() ||
                         ReadsStdin || Simple.Sources.size() != 1);
  if (ReadsStdin && !R.IsText && !Simple.HasLanguage)
    return false; // the host compiler says why
  Simple.IsPreprocessed &= Simple.Included.empty();
  Simple.Links = !R.Compiles && !Simple.OnlyHost;
  Simple.TakesRuntime &= Simple.Links;
  return !Simple.Sources.empty();
}

} // namespace agglom
