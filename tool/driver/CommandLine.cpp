// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading the command line, with Clang's own table of options. Other command
// lines are made from it in StepOptions.cpp and DeviceOptions.cpp.

#include "CommandLine.h"
#include "Compat.h"
#include "Message.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Path.h"
#include AGGLOM_CLANG_OPTIONS_H

using namespace llvm;
using namespace llvm::opt;
using namespace AGGLOM_CLANG_OPTIONS_NAMESPACE;

namespace agglom {

static const Visibility Mask(options::ClangOption);

bool isClang(StringRef Program) {
  return sys::path::filename(Program).contains_insensitive("clang");
}

/// The tokens as Clang's table is to see them: an option of gcc's that the
/// table does not contain is none of Clang's, and its argument is none of the
/// inputs.
static std::vector<const char *>
maskGccArguments(std::vector<const char *> Tokens) {
  for (size_t I = 0; I + 1 < Tokens.size(); ++I)
    if (is_contained<StringRef>({"-aux-info", "-dumpbase", "--dumpbase",
                                 "-dumpbase-ext", "--dumpbase-ext",
                                 "--dumpdir"},
                                Tokens[I]))
      Tokens[I] = Tokens[I + 1] = "-argument-of-gcc";
  return Tokens;
}

std::unique_ptr<CommandLine> CommandLine::parse(int Argc, const char **Argv) {
  std::unique_ptr<CommandLine> CL(new CommandLine);
  SmallVector<const char *, 256> Expanded(Argv, Argv + Argc);
  cl::ExpansionContext Context(CL->Allocator, cl::TokenizeGNUCommandLine);
  if (Error E = Context.expandResponseFiles(Expanded)) {
    error(toString(std::move(E)));
    return nullptr;
  }
  ArrayRef<const char *> All = ArrayRef<const char *>(Expanded).drop_front();
  CL->Given.assign(All.begin(), All.end());

  // The other modes of the clang executable have option tables of their own.
  if (!All.empty() && StringRef(All[0]).starts_with("-cc1")) {
    CL->Tokens.assign(All.begin(), All.end());
    CL->What = Goal::Foreign;
    CL->Own.Enabled = false;
    return CL;
  }

  // First parse: finds agglomcc's own options. (One behind -Xlinker is none.)
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

  CL->ForGcc = !CL->Own.HostCompiler.empty() && !isClang(CL->Own.HostCompiler);
  CL->Args =
      Table.ParseArgs(CL->ForGcc ? maskGccArguments(CL->Tokens) : CL->Tokens,
                      MissingIndex, MissingCount, Mask);
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
  bool IsObjC = Args.hasArg(options::OPT_ObjC, options::OPT_ObjCXX);
  auto Add = [&](StringRef Name) {
    Input I;
    if (Name == "/dev/stdin")
      Name = "-"; // /dev/stdin cannot be read twice
    I.Name = Name.str();
    I.Language = Language;
    StringRef Extension = sys::path::extension(Name);
    if (!Language.empty())
      I.IsC = isCLanguage(Language);
    else if (IsObjC)
      I.IsC = false;
    else if (Name == "-")
      I.IsC = IsE; // without -E Clang refuses it
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

/// Whether the option is a query that Clang's driver answers, with or without
/// files.
static bool isQuery(StringRef Name) {
  return Name.starts_with("-print-") || Name.starts_with("--print-") ||
         Name.starts_with("-dumpm") || Name.starts_with("-dumpv") ||
         Name.starts_with("-ccc-print") || Name == "--autocomplete=" ||
         Name == "--help-hidden";
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
    case options::OPT_gen_cdb_fragment_path:
      CompilationEntries = A->getValue();
      continue;
    case options::OPT_dM:
    case options::OPT_dD:
      ListsMacros = Foreign = true;
      continue;
    case options::OPT_M:
    case options::OPT_MM:
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
    // No runtime where the user chooses the libraries himself, nor in a partial
    // link (whose result will be linked again).
    if (is_contained({"-nostdlib", "-nodefaultlibs", "-nolibc", "-r",
                      "--emit-static-lib"},
                     Name))
      TakesRuntime = false;
    if (Name == "--version")
      Own.Version = true;
    else if (Name == "-help" || Name == "--help")
      Own.Help = true;
    else if (O.matches(options::OPT_Action_Group) || Name == "-emit-ast" ||
             Name == "--analyze" || Name == "-###" ||
             Name == "--cuda-host-only" || Name == "--cuda-device-only" ||
             Name == "-arch" || Name.starts_with("-fmodule-header"))
      Foreign = true;
    IsQuery |= isQuery(Name);
  }
  Foreign |= IsQuery;
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

} // namespace agglom
