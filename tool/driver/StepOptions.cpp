// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command lines made from the user's: the options for each step, and the whole
// command with other inputs.

#include "CommandLine.h"
#include "Compat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Option/Arg.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include AGGLOM_CLANG_OPTIONS_H

using namespace llvm;
using namespace llvm::opt;
using namespace AGGLOM_CLANG_OPTIONS_NAMESPACE;

namespace agglom {

/// Whether the option is about Clang's modules.
static bool concernsModules(StringRef Name) {
  for (StringRef Begin : {"-fno-", "-fimplicit-", "-fbuiltin-", "-fprebuilt-"})
    if (Name.consume_front(Begin))
      return Name.starts_with("module") || Name.starts_with("implicit-module");
  return Name.starts_with("-fmodule") || Name.starts_with("-fbuild-session");
}

/// Whether gcc takes the option, or its value, and Clang does not.
static bool isForGccAlone(const Arg &A) {
  const Option &O = A.getOption();
  return O.matches(options::OPT_fdiagnostics_format_EQ) ||
         O.matches(options::OPT_mrtd) ||
         (O.matches(options::OPT_fcf_protection_EQ) &&
          StringRef(A.getValue()) == "check");
}

/// The steps that an option applies to. Options for goals, inputs and outputs
/// apply to none: each step gets its own.
unsigned CommandLine::stepsOf(const Arg &A) const {
  const Option &O = A.getOption();
  StringRef Name = O.getPrefixedName();
  switch (O.getID()) {
  case options::OPT_INPUT:
  case options::OPT__DASH_DASH:
  case options::OPT_x:
  case options::OPT_o:
  case options::OPT_v:
  case options::OPT__HASH_HASH_HASH:
  case options::OPT_save_temps_EQ:
  case options::OPT_MJ: // agglomcc writes the entry of the command itself
  case options::OPT_gen_cdb_fragment_path: // that too
  case options::OPT_hip_link:
    return 0;
  case options::OPT_fdirectives_only: // only -E heeds it
  case options::OPT_fno_directives_only:
    return What == Goal::Text ? unsigned(UnitStep) : 0;
  case options::OPT_UNKNOWN: // gcc's, when gcc is the host compiler
  case options::OPT_emit_llvm:
  case options::OPT_Xassembler:
  case options::OPT_Wa_COMMA:
    return HostStep;
  case options::OPT_undef: // only its spelling is in the linker's group
    return UnitStep;
  case options::OPT_pedantic:
  case options::OPT_pedantic_errors:
    return CheckStep;
  case options::OPT_coverage:
  case options::OPT_w:
    return UnitStep | HostStep;
  case options::OPT_Xclang:
    return StringRef(A.getValue()).starts_with("-verify") ? CheckStep
                                                          : UnitStep | HostStep;
  default:
    break;
  }
  if (Name == "--serialize-diagnostics")
    return CheckStep;
  if (ForGcc && isForGccAlone(A))
    return HostStep;
  if (O.hasFlag(options::LinkerInput) || O.hasFlag(options::LinkOption) ||
      O.matches(options::OPT_Link_Group) ||
      O.matches(options::OPT_Action_Group) ||
      O.matches(options::OPT_StaticAnalyzer_Group))
    return 0;
  // What is compiled afterwards includes nothing.
  if (O.matches(options::OPT_Preprocessor_Group) || concernsModules(Name))
    return UnitStep;
  // The unit's warnings are issued by CheckStep. Later steps only need to know
  // which default errors are switched off.
  if (O.matches(options::OPT_W_Group))
    return A.getNumValues() && StringRef(A.getValue()).starts_with("no-")
               ? UnitStep | HostStep
               // gcc tells which names it does not know.
               : CheckStep | (ForGcc ? unsigned(HostStep) : 0);
  return UnitStep | HostStep;
}

void CommandLine::tokensOf(const Arg &A, std::vector<std::string> &Out) const {
  unsigned End = *upper_bound(Ends, A.getIndex());
  for (unsigned I = A.getIndex(); I != End; ++I)
    Out.push_back(Tokens[I]);
}

std::vector<std::string> CommandLine::verbatim() const {
  return std::vector<std::string>(Tokens.begin(), Tokens.end());
}

std::vector<std::string>
CommandLine::edited(function_ref<std::optional<std::string>(size_t)> Replace,
                    const std::vector<std::string> &Options,
                    const std::vector<std::string> &Libraries) const {
  std::vector<std::string> Out;
  std::string Language; // in force at this point of Out
  size_t Next = 0;
  auto PutFile = [&](const std::string &File) {
    if (!Language.empty())
      append_values(Out, std::string("-x"), std::string("none"));
    Out.push_back(File);
    if (!Language.empty())
      append_values(Out, std::string("-x"), Language);
  };
  for (const Arg *A : Args) {
    const Option &O = A->getOption();
    if (O.matches(options::OPT_x)) {
      Language = StringRef(A->getValue()) == "none" ? "" : A->getValue();
      tokensOf(*A, Out);
    } else if (O.matches(options::OPT_INPUT) ||
               O.hasFlag(options::LinkerInput)) {
      std::optional<std::string> File = Replace(Next++);
      if (!File)
        tokensOf(*A, Out);
      else if (!File->empty())
        PutFile(*File);
    } else if (O.matches(options::OPT__DASH_DASH)) {
      // '--' is dropped, for options are appended behind the inputs.
      for (StringRef Name : A->getValues()) {
        std::optional<std::string> File = Replace(Next++);
        if (!File)
          Out.push_back(Name.starts_with("-") && Name != "-"
                            ? ("./" + Name).str()
                            : Name.str());
        else if (!File->empty())
          PutFile(*File);
      }
    } else {
      tokensOf(*A, Out);
    }
  }
  append_range(Out, Options);
  // Clang warns of an -x that nothing follows.
  if (!Language.empty() && !Libraries.empty())
    append_values(Out, std::string("-x"), std::string("none"));
  append_range(Out, Libraries);
  return Out;
}

/// The options for Clang's own front end (each word behind an -Xclang) that
/// concern preprocessing, as CMake passes them for precompiled headers.
std::set<const Arg *> CommandLine::preprocessingByFrontEnd() const {
  std::vector<const Arg *> Words;
  std::vector<const char *> Values;
  for (const Arg *A : Args.filtered(options::OPT_Xclang)) {
    Words.push_back(A);
    Values.push_back(A->getValue());
  }
  unsigned MissingIndex, MissingCount;
  InputArgList Parsed = getDriverOptTable().ParseArgs(
      Values, MissingIndex, MissingCount, Visibility(options::CC1Option));
  std::set<const Arg *> Out;
  bool Is = false;
  unsigned Next = 0;
  auto upTo = [&](unsigned End) {
    for (; Next < End; ++Next)
      if (Is)
        Out.insert(Words[Next]);
  };
  for (const Arg *A : Parsed) {
    upTo(A->getIndex());
    Is = A->getOption().matches(options::OPT_Preprocessor_Group);
  }
  upTo(Words.size());
  return Out;
}

std::vector<std::string>
CommandLine::extended(const std::vector<std::string> &Options,
                      const std::vector<std::string> &Libraries) const {
  if (Options.empty() && Libraries.empty())
    return verbatim();
  return edited([](size_t) { return std::nullopt; }, Options, Libraries);
}

std::vector<std::string> CommandLine::optionsFor(unsigned Steps) const {
  std::vector<std::string> Out;
  std::set<const Arg *> Done = preprocessingByFrontEnd();
  for (const Arg *A : Args)
    if ((Done.count(A) ? unsigned(UnitStep) : stepsOf(*A)) & Steps)
      tokensOf(*A, Out);
  return Out;
}

std::vector<std::string> CommandLine::standardForGcc() const {
  const Arg *A = Args.getLastArg(options::OPT_std_EQ, options::OPT_ansi);
  if (!A)
    return {};
  StringRef Std =
      A->getOption().matches(options::OPT_ansi) ? "c89" : A->getValue();
  if (is_contained<StringRef>({"gnu89", "gnu90"}, Std))
    return {"-std=gnu99", "-fgnu89-inline", "-Drestrict=agglom_restrict"};
  if (is_contained<StringRef>({"c89", "c90", "iso9899:1990", "iso9899:199409"},
                              Std))
    // Strict modes have no 'inline' either.
    return {"-std=c99", "-fgnu89-inline", "-Drestrict=agglom_restrict",
            "-Dinline=agglom_inline"};
  return {};
}

std::string CommandLine::layoutOption() const {
  const Arg *Pack =
      Args.getLastArg(options::OPT_fpack_struct, options::OPT_fpack_struct_EQ,
                      options::OPT_fno_pack_struct);
  if (Pack && !Pack->getOption().matches(options::OPT_fno_pack_struct))
    return "-fpack-struct";
  std::string Order;
  for (std::string &Option : unknownOptions())
    if (StringRef(Option).starts_with("-fsso-struct="))
      Order = std::move(Option);
  return Order == "-fsso-struct=big-endian" ? Order : "";
}

bool CommandLine::isShared() const { return Args.hasArg(options::OPT_shared); }

/// Whether files beside the program have no extra part in their names. gcc
/// prefixes the program's name, but not when it is the input's name, too:
/// a-b.dwo of b.c for a.out, and a.dwo of a.c.
bool CommandLine::isProgramItself(const Input &I) const {
  size_t Files =
      count_if(Inputs, [](const Input &Each) { return !Each.IsLinkerOption; });
  StringRef Program = Output.empty() ? "a" : sys::path::filename(Output);
  return Files == 1 && sys::path::stem(I.Name) == Program;
}

std::vector<std::string> CommandLine::auxiliaryNames(const Input &I,
                                                     bool HostIsClang) const {
  std::vector<std::string> Out;
  std::string Prefix = (Output.empty() ? "a" : Output) + "-";
  if (!HostIsClang) {
    if (isProgramItself(I))
      Prefix.resize(Prefix.size() - sys::path::stem(I.Name).size() - 1);
    append_values(Out, std::string("-dumpdir"), Prefix,
                  std::string("-dumpbase"), sys::path::filename(I.Name).str(),
                  std::string("-dumpbase-ext"),
                  sys::path::extension(I.Name).str());
    return Out;
  }
  auto Pass = [&Out](const Twine &CC1) {
    append_values(Out, std::string("-Xclang"), CC1.str());
  };
  std::string Base = Prefix + sys::path::stem(I.Name).str();
  if (Args.hasArg(options::OPT_gsplit_dwarf, options::OPT_gsplit_dwarf_EQ)) {
    for (const char *Option : {"-split-dwarf-file", "-split-dwarf-output"}) {
      Pass(Option);
      Pass(Base + ".dwo");
    }
  }
  if (Args.hasArg(options::OPT_ftime_trace))
    Out.push_back("-ftime-trace=" + Base + ".json");
  if (Args.hasArg(options::OPT_fstack_usage)) {
    SmallString<128> Path(Output.empty() ? sys::path::filename(I.Name)
                                         : StringRef(Output));
    sys::path::replace_extension(Path, "su");
    Pass("-stack-usage-file");
    Pass(Path);
  }
  const Arg *Record =
      Args.getLastArg(options::OPT_fsave_optimization_record,
                      options::OPT_fsave_optimization_record_EQ,
                      options::OPT_fno_save_optimization_record);
  if (Record &&
      !Record->getOption().matches(options::OPT_fno_save_optimization_record) &&
      !Args.hasArg(options::OPT_foptimization_record_file_EQ))
    Out.push_back(("-foptimization-record-file=" + sys::path::stem(I.Name) +
                   ".opt." +
                   (Record->getNumValues() ? Record->getValue() : "yaml"))
                      .str());
  if (Args.hasArg(options::OPT_coverage, options::OPT_fprofile_arcs,
                  options::OPT_ftest_coverage)) {
    SmallString<128> Path(Base);
    sys::fs::make_absolute(Path);
    Pass("-coverage-notes-file=" + Path + ".gcno");
    Pass("-coverage-data-file=" + Path + ".gcda");
  }
  return Out;
}

std::vector<std::string> CommandLine::dependencyNames(const Input &I,
                                                      bool HostIsClang) const {
  std::vector<std::string> Out;
  // The Linux kernel's way: -Wp,-MMD,file names the file, too.
  bool HasFile = Args.hasArg(options::OPT_MF), Wanted = WritesDependencies;
  for (const Arg *A : Args.filtered(options::OPT_Wp_COMMA)) {
    if (!A->getNumValues()) // nothing follows the comma
      continue;
    if (StringRef(A->getValue()) == "-MD" ||
        StringRef(A->getValue()) == "-MMD") {
      Wanted = true;
      HasFile |= A->getNumValues() == 2;
    }
  }
  if (!Wanted)
    return Out;
  if (!HasFile) {
    SmallString<128> File(Output.empty() ? sys::path::filename(I.Name)
                                         : StringRef(Output));
    if (!HostIsClang && Output.empty() && What == Goal::Link &&
        !isProgramItself(I))
      File = ("a-" + sys::path::filename(I.Name)).str();
    sys::path::replace_extension(File, "d");
    append_values(Out, std::string("-MF"), File.str().str());
  }
  if (!Args.hasArg(options::OPT_MT, options::OPT_MQ)) {
    SmallString<128> Target(Output);
    if (Output.empty()) {
      Target = sys::path::filename(I.Name);
      sys::path::replace_extension(Target, "o");
    }
    append_values(Out, std::string("-MQ"), Target.str().str());
  }
  return Out;
}

std::vector<std::string> CommandLine::gccFolders() const {
  std::vector<std::string> Out;
  for (const Arg *A : Args.filtered(options::OPT_B)) {
    std::string Folder = std::string(A->getValue()) + "/include";
    if (sys::fs::is_directory(Folder))
      Out.insert(Out.end(), {"-isystem", Folder});
  }
  return Out;
}

} // namespace agglom
