// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Simple.h"
#include <string_view>

namespace agglom {

using std::string_view;

static bool startsWith(string_view Text, string_view Start) {
  return Text.substr(0, Start.size()) == Start;
}

static bool endsWith(string_view Text, string_view End) {
  return Text.size() >= End.size() &&
         Text.substr(Text.size() - End.size()) == End;
}

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
                                    "-W"};

/// Their argument is the next one.
static const string_view WithArgument[] = {"-o",  "-MF",      "-MT",
                                           "-MQ", "-include", "-imacros"};

/// A folder to find headers in, joined or as the next argument.
static const string_view FolderOptions[] = {"-I", "-isystem", "-iquote",
                                            "-idirafter"};

static const string_view Prefixes[] = {"-O", "-g",    "-W", "-f", "-m", "-D",
                                       "-U", "-std=", "-l", "-L", "-o"};

/// Among those: ours, other languages than plain C, other compilers, other
/// steps, and what takes the next argument.
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
                                          "-fsyntax-only",
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

bool isSimple(const std::vector<std::string> &Args, SimpleCommand &Simple) {
  bool Compiles = false, RecordsArguments = false, Includes = false;
  for (size_t I = 0; I != Args.size(); ++I) {
    string_view Arg = Args[I];
    if (Arg.empty() || Arg[0] == '@' || Arg == "-")
      return false;
    if (Arg[0] != '-') {
      if (endsWith(Arg, ".c")) {
        if (!Simple.Source.empty())
          return false;
        Simple.Source = Arg;
      } else if (!endsWith(Arg, ".o") && !endsWith(Arg, ".a") &&
                 !endsWith(Arg, ".so")) {
        return false;
      }
      continue;
    }
    if (oneOf(Arg, Flags)) {
      Compiles |= Arg == "-c" || Arg == "-S";
      Simple.WritesUserHeaders |= Arg == "-MMD";
      continue;
    }
    RecordsArguments |=
        Arg.find("record-") != string_view::npos || Arg.find("-gcodeview") == 0;
    Includes |= Arg == "-include" || Arg == "-imacros";
    if (oneOf(Arg, WithArgument)) {
      if (++I == Args.size())
        return false;
      continue;
    }
    bool IsFolder = false;
    for (string_view Option : FolderOptions) {
      if (!startsWith(Arg, Option))
        continue;
      if (Arg != Option)
        Simple.Folders.emplace_back(Arg.substr(Option.size()));
      else if (++I == Args.size())
        return false;
      else
        Simple.Folders.push_back(Args[I]);
      IsFolder = true;
      break;
    }
    if (IsFolder)
      continue;
    if (startsWithOneOf(Arg, NotPrefixes) || !startsWithOneOf(Arg, Prefixes))
      return false;
    if (startsWith(Arg, "-D") || startsWith(Arg, "-U")) {
      std::string_view Macro = Arg.substr(2);
      if (Macro.empty()) {
        if (++I == Args.size())
          return false;
        Macro = Args[I];
      }
      Simple.InMacros.add(scan(Macro));
      if (Simple.InMacros.Word)
        return false;
    } else if (Arg == "-l" || Arg == "-L" || Arg == "-m" || Arg == "-f") {
      return false;
    }
  }
  // Clang is given an argument more then, which must not be recorded; and its
  // graph leaves out what the command line includes.
  if (Simple.WritesUserHeaders && (RecordsArguments || Includes))
    return false;
  Simple.Links = !Compiles;
  return !Simple.Source.empty();
}

} // namespace agglom
