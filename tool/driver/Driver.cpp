// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver.h"
#include "Failure.h"
#include "Fix.h"
#include "HeaderNames.h"
#include "LinkInputs.h"
#include "Message.h"
#include "OpenMP.h"
#include "RuntimeLibrary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <sysexits.h>
#include <unistd.h>

using namespace llvm;

namespace agglom {

//===----------------------------------------------------------------------===//
// The whole command
//===----------------------------------------------------------------------===//

int Driver::run() {
  CrashRecoveryContext::Enable();
  CrashRecoveryContext Recovery;
  Recovery.DumpStackAndCleanupOnFailure = true;
  int Status = 1;
  return Recovery.RunSafely([&] { Status = runAll(); }) ? Status : crashed();
}

int Driver::crashed() {
  if (At < Works.size())
    blame(At, {"", 0, "agglomcc crashed (above)"});
  // The objects of the crashed run must not be used; its files are removed
  // already.
  errs().flush();
  _exit(EX_SOFTWARE);
}

/// Whether the input is a C header, by its -x or its name.
static bool isHeader(const Input &I) {
  return !I.IsLinkerOption &&
         (I.Language.empty() ? isCHeader(I.Name) : I.Language == "c-header");
}

/// Whether the headers of agglom and __agglom__ make a difference for what the
/// host compiler says of an input.
bool Driver::seesAgglom(const Input &I) const {
  if (!I.IsC)
    return false;
  if (CL.ListsMacros)
    return CL.Own.Enabled;
  if (I.Name != "-" && !sys::fs::is_regular_file(I.Name))
    return false;
  Preprocessed P = preprocess(makeUnit(I, UnitStep, false));
  return !P.Ok || (P.NamesMacro && CL.Own.Enabled);
}

int Driver::runAll() {
  if (!acceptsOptions())
    return 1;
  bool AnyC = any_of(CL.Inputs, [](const Input &I) { return I.IsC; });
  if (CL.What == Goal::Foreign || !CL.Own.Enabled || !AnyC) {
    std::vector<std::string> Options;
    bool Missing = false;
    if (CL.What == Goal::Foreign && !CL.IsQuery) {
      if (!readStandardInput())
        return 1;
      if (any_of(CL.Inputs, [&](const Input &I) { return seesAgglom(I); }))
        Options = headerArgs();
    }
    std::vector<std::string> Libraries = runtimeLibraries(false, Missing);
    // The pragmas of a header that is checked or precompiled are for the units
    // that will include it.
    if (CL.Own.Enabled && any_of(CL.Inputs, [&](const Input &I) {
          if (!isHeader(I))
            return false;
          Unit U = makeUnit(I, UnitStep);
          return read(U).Annotated;
        }))
      Options.push_back("-Wno-unknown-pragmas");
    if (CL.Own.Emit != Stage::None) {
      error("--emit-c, --emit-cuda and --emit-ptx need an annotated C file");
      return 1;
    }
    return runHost(CL.extended(Options, Libraries));
  }

  // Commands that the host compiler refuses anyway are left to it, so that the
  // errors are its own: a missing file, one output for several results.
  size_t Files = 0;
  bool Refused = false;
  for (const Input &I : CL.Inputs) {
    if (I.IsLinkerOption)
      continue;
    ++Files;
    sys::fs::file_status Status;
    if (I.IsC && !sys::fs::status(I.Name, Status) &&
        Status.type() == sys::fs::file_type::fifo_file) {
      error("'" + I.Name +
            "' is a pipe, and a C unit with tasks is read more than once; give "
            "it as standard input: '-x c -'");
      return 1;
    }
    Refused |=
        I.Name != "-" && !CL.HasWorkingDirectory && !sys::fs::exists(I.Name);
  }
  Refused |= Files > 1 && !CL.Output.empty() && CL.What != Goal::Link &&
             CL.What != Goal::Check;
  if (Refused) {
    int Status = runHost(CL.verbatim());
    return Status ? Status : 1;
  }

  if (!readStandardInput())
    return 1;
  Works.resize(CL.Inputs.size());
  bool AnyAnnotated = false, NeedHeaders = false;
  for (size_t I = 0; I != Works.size(); ++I) {
    if (CL.Inputs[I].IsC)
      examine(I);
    AnyAnnotated |= isAnnotated(I);
    NeedHeaders |= Works[I].NeedsHeaders;
  }

  if (CL.Own.Edit != EditMode::None)
    return editSources();
  for (const Work &W : Works)
    if (W.P.Misspelt && !W.P.Annotated && CL.What != Goal::Text && !CL.DryRun &&
        !warnMisspelt(W.U))
      return 1;
  if (CL.Own.Emit != Stage::None) {
    for (size_t I = 0; I != Works.size(); ++I)
      if (CL.Inputs[I].IsC && !isAnnotated(I)) {
        error(CL.Inputs[I].Name + " holds no '#pragma agglom': there is "
                                  "nothing to emit");
        return 1;
      }
  } else if (!AnyAnnotated) {
    bool Missing = false;
    std::vector<std::string> Options;
    if (NeedHeaders)
      Options = headerArgs();
    return warnOfUnreadHeaders(
        runHost(CL.extended(Options, runtimeLibraries(false, Missing))));
  }

  if (hasEntries())
    sys::fs::remove(CL.CompilationDatabase);
  int Result = 0;
  for (size_t I = 0; I != Works.size(); ++I) {
    int Status = 0;
    if (isAnnotated(I))
      Status = compile(I);
    else if (CL.What != Goal::Link && !CL.Inputs[I].IsLinkerOption)
      Status = runHost(CL.edited(
          [I](size_t J) -> std::optional<std::string> {
            if (J == I)
              return std::nullopt;
            return std::string();
          },
          Works[I].NeedsHeaders ? headerArgs() : std::vector<std::string>()));
    if (Status && !Result)
      Result = Status;
  }
  if (Result || CL.What != Goal::Link || CL.Own.Emit != Stage::None)
    return warnOfUnreadHeaders(Result);
  return warnOfUnreadHeaders(link());
}

int Driver::probe() {
  bool NamesRuntime = false;
  Works.resize(CL.Inputs.size());
  for (size_t I = 0; I != Works.size(); ++I) {
    if (CL.Inputs[I].IsC)
      examine(I);
    if (isAnnotated(I) || Works[I].P.Misspelt || Works[I].P.NamesMacro)
      return 1;
    NamesRuntime |= Works[I].P.NamesRuntime;
  }
  return NamesRuntime ? ProbedCallsRuntime : 0;
}

/// --fix and --suggest.
int Driver::editSources() {
  std::vector<Unit> Units;
  for (size_t I = 0; I != Works.size(); ++I) {
    if (!CL.Inputs[I].IsC)
      continue;
    if (CL.Inputs[I].Name == "-") {
      error("standard input cannot be changed; name a file");
      return 1;
    }
    if (CL.Own.Suggest || isAnnotated(I) || Works[I].P.Misspelt)
      Units.push_back(Works[I].U);
    else
      errs() << "agglomcc: " << CL.Inputs[I].Name
             << ": there is no '#pragma agglom' in it, and nothing to mend\n";
  }
  return changeSources(CL, std::move(Units));
}

bool Driver::acceptsOptions() const {
  if (!Tools.HostIsClang || CL.Inputs.empty())
    return true;
  bool Ok = true;
  for (const std::string &Option : CL.unknownOptions()) {
    std::string Near = CommandLine::nearestClangOption(Option);
    error("unknown argument: '" + Option + "'" +
          (Near.empty() ? "" : "; did you mean '" + Near + "'?"));
    Ok = false;
  }
  return Ok;
}

bool Driver::readStandardInput() {
  if (none_of(CL.Inputs, [](const Input &I) { return I.IsC && I.Name == "-"; }))
    return true;
  auto Buffer = MemoryBuffer::getSTDIN();
  if (!Buffer) {
    error("cannot read standard input: " + Buffer.getError().message());
    return false;
  }
  StdinText = (*Buffer)->getBuffer().str();
  // The host compiler reads standard input from this file.
  StdinFile = StdinCopy.create("stdin", "c");
  return !StdinFile.empty() && writeFile(StdinFile, StdinText);
}

/// The unit for the front end: a Clang command line that only parses.
Unit Driver::makeUnit(const Input &I, unsigned Steps, bool WithHeaders) const {
  Unit U;
  U.Args = {Tools.Clang, "-Qunused-arguments"};
  if (!Tools.HostIsClang)
    append_range(U.Args, CL.gccFolders());
  append_range(U.Args, CL.optionsFor(Steps));
  if (!Tools.HostIsClang) // gcc has warnings of its own
    U.Args.push_back("-Wno-unknown-warning-option");
  append_range(U.Args, CL.dependencyNames(I, Tools.HostIsClang));
  if (WithHeaders)
    append_range(U.Args, headerArgs());
  // Headers that replace Clang's own headers, whose text only Clang
  // understands.
  append_values(U.Args, std::string("-isystem"),
                Tools.IncludeDir + "/agglom/first");
  if (!Tools.HostIsClang)
    append_values(U.Args, std::string("-isystem"),
                  Tools.IncludeDir + "/agglom/gcc");
  if (!I.Language.empty())
    append_values(U.Args, std::string("-x"), I.Language);
  else if (I.Name == "-")
    append_values(U.Args, std::string("-x"), std::string("c"));
  // Clang's second stage would take the name for an option.
  bool IsLikeOption = StringRef(I.Name).starts_with("-") && I.Name != "-";
  U.Args.push_back(IsLikeOption ? "./" + I.Name : I.Name);
  if (I.Name == "-")
    U.StdinText = StdinText;
  U.Warnings = CL.Own.Warnings;
  U.ForeignHost = Tools.HostCompiler != Tools.Clang;
  U.GccHost = !Tools.HostIsClang;
  return U;
}

/// Preprocesses the unit; once more, with the place of gcc's <omp.h>, when
/// <agglom/gcc/omp.h> needs it.
Preprocessed Driver::read(Unit &U) const {
  Preprocessed Result = preprocess(U);
  if (Result.Ok || Result.Missing != UnknownOpenMPHeader)
    return Result;
  std::vector<std::string> Place = openMPHeaderArgs(Tools);
  if (Place.empty())
    return Result;
  append_range(U.Args, Place);
  return preprocess(U);
}

/// Finds out whether an input is annotated.
void Driver::examine(size_t Index) {
  const Input &I = CL.Inputs[Index];
  Work &W = Works[Index];
  At = Index;
  W.U = makeUnit(I, UnitStep | CheckStep);
  W.P = read(W.U);
  if (W.P.Annotated)
    return;
  if (W.P.Ok) {
    // Without pragmas the host compiler gets the user's arguments unchanged,
    // unless the unit includes a header of agglom's, or asks for __agglom__.
    Unit Plain = makeUnit(I, UnitStep, false);
    Preprocessed Alone = read(Plain);
    W.NeedsHeaders = !Alone.Ok || Alone.NamesMacro;
    W.P.NamesMacro = Alone.NamesMacro;
    return;
  }
  // The unit cannot be preprocessed. Pragmas behind the error must not be
  // ignored, so the unit counts as annotated: 'check' will report the error.
  std::string Text = I.Name == "-" ? StdinText : readFile(I.Name);
  W.P.Annotated =
      StringRef(Text).contains("agglom") && StringRef(Text).contains("ragma");
}

int Driver::warnOfUnreadHeaders(int Status) const {
  if (Status || CL.DryRun || CL.What == Goal::Text)
    return Status;
  for (size_t I = 0; I != Works.size(); ++I)
    // OpenMP's header is known to contain no agglom pragma.
    if (!Works[I].P.Annotated && !Works[I].P.Missing.empty() &&
        Works[I].P.Missing != "omp.h")
      warning("the host compiler has found '" + Works[I].P.Missing +
              "', which '" + CL.Inputs[I].Name +
              "' includes, and agglomcc has not, so a '#pragma agglom' in it "
              "has been ignored; give its folder with -isystem, or say with "
              "-fno-agglom that there is no such pragma");
  return 0;
}

//===----------------------------------------------------------------------===//
// The host compiler
//===----------------------------------------------------------------------===//

int Driver::runHost(std::vector<std::string> Args) {
  Command C;
  C.Program = Tools.HostCompiler;
  C.Args = std::move(Args);
  C.StdinFile = StdinFile;
  return keepingEntries([&] { return agglom::run(C); });
}

bool Driver::hasEntries() const {
  return !CL.DryRun && sys::fs::is_regular_file(CL.CompilationDatabase);
}

int Driver::keepingEntries(function_ref<int()> Run) {
  const std::string &Database = CL.CompilationDatabase;
  bool IsShared = any_of(Works, [](const Work &W) { return W.P.Annotated; });
  if (!IsShared || !hasEntries())
    return Run();
  std::string Entries = readFile(Database);
  sys::fs::remove(Database);
  int Status = Run();
  if (sys::fs::exists(Database))
    Entries += readFile(Database);
  return writeFile(Database, Entries) ? Status : 1;
}

std::vector<std::string> Driver::headerArgs() const {
  return {"-D__agglom__=" AGGLOM_VERSION_NUMBER, "-idirafter",
          Tools.IncludeDir};
}

std::vector<std::string> Driver::runtimeLibraries(bool Annotated,
                                                  bool &Missing) {
  Missing = false;
  if (!CL.TakesRuntime)
    return {};
  // Only a link that needs the runtime gets it; any other link is the host
  // compiler's own.
  bool Needed = Annotated;
  for (const Work &W : Works)
    Needed |= W.P.NamesRuntime || W.NeedsHeaders;
  if (!Needed) {
    LinkNeeds Needs = linkNeeds(CL.verbatim());
    warnOtherMachine(Needs);
    Needed = Needs.Runtime;
  }
  if (!Needed)
    return {};
  std::string File;
  std::vector<std::string> Libraries =
      Tools.runtimeArgs(CL.Own.SharedRuntime.value_or(CL.isShared()),
                        runtimeVariant(CL.verbatim()), File);
  if (CL.DryRun || sys::fs::exists(File))
    return Libraries;
  if (Annotated) {
    error("the runtime library '" + File +
          "' does not exist; it belongs into the folder lib beside "
          "agglomcc's bin");
    Missing = true;
  }
  return {};
}

int Driver::link() {
  bool Missing;
  std::vector<std::string> Libraries = runtimeLibraries(true, Missing);
  if (Missing)
    return 1;
  std::vector<std::string> Options;
  if (any_of(Works, [](const Work &W) { return W.NeedsHeaders; }))
    Options = headerArgs();
  // The options for compiling were used by other commands.
  if (Tools.HostIsClang)
    Options.push_back("-Qunused-arguments");
  Command C;
  C.Program = Tools.HostCompiler;
  C.IsOwnClang = Tools.hostIsOwn();
  C.StdinFile = StdinFile;
  C.Args = CL.edited(
      [&](size_t I) -> std::optional<std::string> {
        if (isAnnotated(I))
          return Works[I].Object;
        return std::nullopt;
      },
      Options, Libraries);
  if (CL.DryRun)
    llvm::erase(C.Args, "-###"); // what would be run is shown
  if (CL.Verbose || CL.DryRun)
    print(C);
  if (CL.DryRun)
    return 0;
  std::string Output = CL.Output.empty() ? "a.out" : CL.Output;
  int Status = keepingEntries([&] { return runFor(Output, C); });
  if (Status && asksForOpenMP(CL.verbatim()))
    explainOpenMP(Tools, "");
  if (Status)
    removeOutput(Output);
  return Status;
}

} // namespace agglom
