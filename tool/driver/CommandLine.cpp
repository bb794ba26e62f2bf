// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandLine.h"
#include "Compat.h"
#include "Message.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Option/Arg.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include AGGLOM_CLANG_OPTIONS_H

using namespace llvm;
using namespace llvm::opt;
using namespace AGGLOM_CLANG_OPTIONS_NAMESPACE;

namespace agglom {

static const Visibility Mask(options::ClangOption);

std::vector<std::string> warningGroups() {
  std::vector<std::string> Groups;
#define DIAG(Id, Severity, Group, Text)                                        \
  if (*Group && !is_contained(Groups, std::string("agglom-") + Group))         \
    Groups.push_back(std::string("agglom-") + Group);
#include "diagnostics.def"
  return Groups;
}

//===----------------------------------------------------------------------===//
// Our own options
//===----------------------------------------------------------------------===//

static std::string nearest(StringRef Word, ArrayRef<StringRef> Words) {
  unsigned Best = Word.size() / 3 + 1;
  std::string Found;
  for (StringRef W : Words) {
    unsigned Distance = Word.edit_distance(W, true, Best);
    if (Distance <= Best && (Found.empty() || Distance < Best)) {
      Best = Distance;
      Found = W.str();
    }
  }
  return Found;
}

static bool unknownOption(StringRef Arg) {
  static const StringRef Names[] = {
      "arch=", "device-compiler=", "host-compiler=", "report", "runtime=",
  };
  // Compared without the part that is right.
  StringRef Name = Arg.take_front(Arg.find('=') + 1);
  if (Name.empty())
    Name = Arg;
  for (StringRef Prefix : {"--fagglom-", "-fagglom-", "-fno-agglom-"})
    if (Name.consume_front(Prefix))
      break;
  std::string Near = nearest(Name, Names);
  if (Near.empty())
    Near = nearest((Name + "=").str(), Names);
  if (!Near.empty())
    Near = "-fagglom-" + Near;
  error("unknown option '" + Arg + "'" +
        (Near.empty() ? "; agglomcc --help lists those that exist"
                      : "; did you mean '" + Near + "'?"));
  return false;
}

static bool parseArchs(StringRef Arg, StringRef Value,
                       std::vector<unsigned> &Archs) {
  Archs.clear();
  SmallVector<StringRef, 4> Parts;
  Value.split(Parts, ',');
  for (StringRef Part : Parts) {
    unsigned Number;
    StringRef Digits = Part;
    if (!Digits.consume_front("sm_") || Digits.getAsInteger(10, Number) ||
        Number < 50 || Number > 999) {
      error("'" + Part + "' in '" + Arg +
            "' is not a GPU architecture; write for example "
            "-fagglom-arch=sm_80,sm_90");
      return false;
    }
    if (!is_contained(Archs, Number))
      Archs.push_back(Number);
  }
  llvm::sort(Archs);
  return true;
}

/// \returns the part behind "-W...agglom", or nullopt for another option.
static std::optional<StringRef> warningName(StringRef Arg) {
  if (!Arg.consume_front("-W"))
    return std::nullopt;
  Arg.consume_front("no-");
  Arg.consume_front("error=");
  if (Arg == "agglom" || Arg.starts_with("agglom-"))
    return Arg;
  return std::nullopt;
}

bool CommandLine::takeOwn(StringRef Arg, bool &IsOwn) {
  IsOwn = true;
  if (std::optional<StringRef> Name = warningName(Arg)) {
    Own.Warnings.Flags.push_back(Arg.str());
    std::vector<std::string> Groups = warningGroups();
    if (*Name == "agglom" || is_contained(Groups, Name->str()))
      return true;
    std::vector<StringRef> Names(Groups.begin(), Groups.end());
    std::string Near = nearest(*Name, Names);
    warning("unknown warning option '" + Arg + "'" +
            (Near.empty() ? "" : "; did you mean '" + Near + "'?"));
    return true;
  }

  StringRef Value = Arg;
  auto OneOf = [&](StringRef First, StringRef Second, bool &IsSecond) {
    IsSecond = Value == Second;
    if (Value == First || IsSecond)
      return true;
    error("'" + Arg + "': the value must be '" + First + "' or '" + Second +
          "'");
    return false;
  };
  auto Emit = [&](Stage S) {
    if (Own.Emit != Stage::None && Own.Emit != S) {
      error("give only one of --emit-c, --emit-cuda and --emit-ptx");
      return false;
    }
    Own.Emit = S;
    return true;
  };

  auto Edit = [&](bool Suggest, EditMode Mode) {
    if (Own.Edit != EditMode::None && Own.Suggest != Suggest) {
      error("give --fix or --suggest, not both: one after the other");
      return false;
    }
    Own.Edit = Mode;
    Own.Suggest = Suggest;
    return true;
  };

  if (Arg == "-fagglom" || Arg == "-fno-agglom")
    Own.Enabled = Arg == "-fagglom";
  else if (Arg == "-fagglom-report")
    Own.Report = true;
  else if (Value.consume_front("-fagglom-arch="))
    return parseArchs(Arg, Value, Own.Archs);
  else if (Value.consume_front("-fagglom-device-compiler="))
    return OneOf("clang", "nvcc", Own.UseNvcc);
  else if (Value.consume_front("-fagglom-runtime=")) {
    bool Shared;
    if (!OneOf("static", "shared", Shared))
      return false;
    Own.SharedRuntime = Shared;
  } else if (Value.consume_front("-fagglom-host-compiler=")) {
    Own.HostCompiler = Value.str();
    if (Value.empty()) {
      error("'" + Arg + "' needs the name or path of a C compiler");
      return false;
    }
  } else if (Arg == "--emit-c")
    return Emit(Stage::C);
  else if (Arg == "--emit-cuda")
    return Emit(Stage::Cuda);
  else if (Arg == "--emit-ptx")
    return Emit(Stage::PTX);
  else if (Arg == "--fix" || Arg == "--fix=print")
    return Edit(false, Arg == "--fix" ? EditMode::Apply : EditMode::Print);
  else if (Arg == "--suggest" || Arg == "--suggest=apply")
    return Edit(true, Arg == "--suggest" ? EditMode::Print : EditMode::Apply);
  else if (Arg == "--help-pragmas")
    Own.HelpPragmas = true;
  else if (Arg == "-showme:compile" || Arg == "--showme:compile")
    Own.ShowCompile = true;
  else if (Arg == "-showme:link" || Arg == "--showme:link")
    Own.ShowLink = true;
  else if (Arg.starts_with("-fagglom") || Arg.starts_with("-fno-agglom") ||
           Arg.starts_with("--fagglom"))
    return unknownOption(Arg);
  else
    IsOwn = false;
  return true;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

std::unique_ptr<CommandLine> CommandLine::parse(int Argc, const char **Argv) {
  std::unique_ptr<CommandLine> CL(new CommandLine);
  SmallVector<const char *, 256> Expanded(Argv, Argv + Argc);
  cl::ExpansionContext Context(CL->Allocator, cl::TokenizeGNUCommandLine);
  if (Error E = Context.expandResponseFiles(Expanded)) {
    error(toString(std::move(E)));
    return nullptr;
  }
  ArrayRef<const char *> All = ArrayRef<const char *>(Expanded).drop_front();

  // The other modes of the clang executable have option tables of their own.
  if (!All.empty() && StringRef(All[0]).starts_with("-cc1")) {
    CL->Tokens.assign(All.begin(), All.end());
    CL->What = Goal::Foreign;
    CL->Own.Enabled = false;
    return CL;
  }

  // First parse: which tokens are ours? (One behind -Xlinker is not.)
  const OptTable &Table = getDriverOptTable();
  unsigned MissingIndex, MissingCount;
  InputArgList First = Table.ParseArgs(All, MissingIndex, MissingCount, Mask);
  if (MissingCount) {
    error(Twine("argument to '") + All[MissingIndex] +
          "' is missing (expected " + Twine(MissingCount) + " value" +
          (MissingCount == 1 ? "" : "s") + ")");
    return nullptr;
  }
  BitVector IsOurs(All.size());
  for (const Arg *A : First) {
    unsigned ID = A->getOption().getID();
    if (ID != options::OPT_UNKNOWN &&
        !A->getOption().matches(options::OPT_W_Group))
      continue;
    bool IsOwn = false;
    if (!CL->takeOwn(All[A->getIndex()], IsOwn))
      return nullptr;
    if (IsOwn)
      IsOurs.set(A->getIndex());
  }
  for (size_t I = 0; I != All.size(); ++I)
    if (!IsOurs.test(I))
      CL->Tokens.push_back(All[I]);

  CL->Args = Table.ParseArgs(CL->Tokens, MissingIndex, MissingCount, Mask);
  for (const Arg *A : CL->Args)
    if (A->getIndex())
      CL->Ends.push_back(A->getIndex());
  if (CL->Args.size())
    CL->Ends.push_back(CL->Tokens.size());
  CL->readInputs();
  if (!CL->readGoal())
    return nullptr;
  return CL;
}

static bool isCLanguage(StringRef Language) {
  return Language == "c" || Language == "cpp-output";
}

void CommandLine::readInputs() {
  std::string Language;
  bool IsE = Args.hasArg(options::OPT_E);
  auto Add = [&](StringRef Name) {
    Input I;
    if (Name == "/dev/stdin")
      Name = "-"; // it cannot be read twice
    I.Name = Name.str();
    I.Language = Language;
    StringRef Extension = sys::path::extension(Name);
    if (!Language.empty())
      I.IsC = isCLanguage(Language);
    else if (Name == "-")
      I.IsC = IsE; // else Clang refuses it
    else
      I.IsC = Extension == ".c" || Extension == ".i";
    Inputs.push_back(std::move(I));
  };
  for (const Arg *A : Args) {
    const Option &O = A->getOption();
    if (O.matches(options::OPT_x)) {
      Language = A->getValue();
      if (Language == "none")
        Language.clear();
    } else if (O.matches(options::OPT_INPUT)) {
      Add(A->getValue());
    } else if (O.matches(options::OPT__DASH_DASH)) {
      for (const char *Value : A->getValues())
        Add(Value);
    } else if (O.hasFlag(options::LinkerInput)) {
      Input I;
      I.Name = A->getAsString(Args);
      I.IsLinkerOption = true;
      Inputs.push_back(std::move(I));
    }
  }
}

bool CommandLine::readGoal() {
  bool Foreign = Inputs.empty();
  bool C = false, S = false, E = false, Syntax = false;
  TakesRuntime = true;
  for (const Arg *A : Args) {
    const Option &O = A->getOption();
    StringRef Name = O.getPrefixedName();
    switch (O.getID()) {
    case options::OPT_c:
      C = true;
      continue;
    case options::OPT_S:
      S = true;
      continue;
    case options::OPT_E:
      E = true;
      continue;
    case options::OPT_fsyntax_only:
      Syntax = true;
      continue;
    case options::OPT_emit_llvm:
      EmitLLVM = true;
      continue;
    case options::OPT_o:
      Output = A->getValue();
      continue;
    case options::OPT_v:
      Verbose = true;
      continue;
    case options::OPT__HASH_HASH_HASH:
      DryRun = true;
      continue;
    case options::OPT_P:
      NoLineMarkers = true;
      continue;
    case options::OPT_MD:
    case options::OPT_MMD:
      WritesDependencies = true;
      continue;
    case options::OPT_working_directory:
      HasWorkingDirectory = true;
      continue;
    case options::OPT_MJ:
      CompilationDatabase = A->getValue();
      continue;
    case options::OPT_M:
    case options::OPT_MM:
    case options::OPT_dM:
    case options::OPT_dD:
    case options::OPT_dI:
      Foreign = true;
      continue;
    case options::OPT_save_temps_EQ:
      SaveTemps = true;
      SaveTempsByOutput = StringRef(A->getValue()) == "obj";
      continue;
    case options::OPT_Xclang:
      Verify |= StringRef(A->getValue()) == "-verify" ||
                StringRef(A->getValue()).starts_with("-verify=");
      continue;
    case options::OPT_driver_mode:
      Foreign |= StringRef(A->getValue()) != "gcc";
      continue;
    default:
      break;
    }
    // No runtime where the user took the libraries in his own hands, nor in a
    // partial link (its result will be linked again).
    if (is_contained({"-nostdlib", "-nodefaultlibs", "-nolibc", "-r",
                      "--emit-static-lib"},
                     Name))
      TakesRuntime = false;
    if (Name == "--version")
      Own.Version = true;
    else if (Name == "-help" || Name == "--help")
      Own.Help = true;
    else if (O.matches(options::OPT_Action_Group) || Name == "--analyze" ||
             Name == "-###" || Name.starts_with("-print-") ||
             Name.starts_with("--print-") || Name.starts_with("-dumpm") ||
             Name.starts_with("-dumpv") || Name.starts_with("-ccc-print") ||
             Name == "--autocomplete=" || Name == "--cuda-host-only" ||
             Name == "--cuda-device-only" || Name == "-arch")
      Foreign = true;
  }
  // The last phase wins by Clang's ranking, not by the order of the options.
  What = E                  ? Goal::Text
         : Syntax || Verify ? Goal::Check
         : S                ? Goal::Assembly
         : C                ? Goal::Object
                            : Goal::Link;
  if (EmitLLVM && What == Goal::Link)
    Foreign = true; // Clang refuses it
  if (What != Goal::Link || Inputs.empty())
    TakesRuntime = false;
  if (Foreign && What == Goal::Link)
    TakesRuntime = false;
  if (Foreign)
    What = Goal::Foreign;
  return true;
}

std::vector<std::string> CommandLine::unknownOptions() const {
  std::vector<std::string> Result;
  for (const Arg *A : Args.filtered(options::OPT_UNKNOWN))
    Result.push_back(A->getAsString(Args));
  return Result;
}

std::string CommandLine::nearestClangOption(StringRef Arg) {
  std::string Near;
  if (getDriverOptTable().findNearest(Arg, Near, Mask) > 1)
    Near.clear();
  return Near;
}

//===----------------------------------------------------------------------===//
// Command lines made from it
//===----------------------------------------------------------------------===//

/// For which steps the option is meant. Goals, inputs and outputs are for
/// none: each step gets its own.
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
  case options::OPT_MJ: // one entry a command is written, by us
    return 0;
  case options::OPT_UNKNOWN: // gcc's, when gcc is the host compiler
  case options::OPT_emit_llvm:
  case options::OPT_Xassembler:
  case options::OPT_Wa_COMMA:
    return HostStep;
  case options::OPT_undef: // in the linker's group by its spelling only
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
  if (O.hasFlag(options::LinkerInput) || O.hasFlag(options::LinkOption) ||
      O.matches(options::OPT_Link_Group) ||
      O.matches(options::OPT_Action_Group) ||
      O.matches(options::OPT_StaticAnalyzer_Group))
    return 0;
  if (O.matches(options::OPT_Preprocessor_Group))
    return UnitStep;
  // The unit's warnings are issued when it is checked. What must still be said
  // afterwards is which errors by default are none.
  if (O.matches(options::OPT_W_Group))
    return A.getNumValues() && StringRef(A.getValue()).starts_with("no-")
               ? UnitStep | HostStep
               : CheckStep;
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
                    const std::vector<std::string> &Tail) const {
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
      // Behind '--' neither options nor our own additions could follow.
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
  if (!Language.empty() && !Tail.empty())
    append_values(Out, std::string("-x"), std::string("none"));
  append_range(Out, Tail);
  return Out;
}

std::vector<std::string> CommandLine::optionsFor(unsigned Steps) const {
  std::vector<std::string> Out;
  for (const Arg *A : Args)
    if (stepsOf(*A) & Steps)
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

bool CommandLine::packsStructures() const {
  const Arg *A =
      Args.getLastArg(options::OPT_fpack_struct, options::OPT_fpack_struct_EQ,
                      options::OPT_fno_pack_struct);
  return A && !A->getOption().matches(options::OPT_fno_pack_struct);
}

bool CommandLine::isShared() const { return Args.hasArg(options::OPT_shared); }

std::vector<std::string> CommandLine::auxiliaryNames(const Input &I,
                                                     bool HostIsClang) const {
  std::vector<std::string> Out;
  std::string Prefix = (Output.empty() ? "a" : Output) + "-";
  if (!HostIsClang) {
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
  if (Args.hasArg(options::OPT_coverage, options::OPT_fprofile_arcs,
                  options::OPT_ftest_coverage)) {
    SmallString<128> Path(Base);
    sys::fs::make_absolute(Path);
    Pass("-coverage-notes-file=" + Path + ".gcno");
    Pass("-coverage-data-file=" + Path + ".gcda");
  }
  return Out;
}

std::vector<std::string> CommandLine::dependencyNames(const Input &I) const {
  std::vector<std::string> Out;
  // Linux' way: -Wp,-MMD,file names the file at once.
  bool HasFile = Args.hasArg(options::OPT_MF), Wanted = WritesDependencies;
  for (const Arg *A : Args.filtered(options::OPT_Wp_COMMA))
    if (StringRef(A->getValue()) == "-MD" ||
        StringRef(A->getValue()) == "-MMD") {
      Wanted = true;
      HasFile |= A->getNumValues() == 2;
    }
  if (!Wanted)
    return Out;
  if (!HasFile) {
    SmallString<128> File(Output.empty() ? sys::path::filename(I.Name)
                                         : StringRef(Output));
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

} // namespace agglom
