// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver.h"
#include "Device.h"
#include "Failure.h"
#include "Fix.h"
#include "LinkInputs.h"
#include "Message.h"
#include "OpenMP.h"
#include "RuntimeLibrary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
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

int Driver::blame(size_t Index, const Fault &F) const {
  const Work &W = Works[Index];
  const std::string &Name = CL.Inputs[Index].Name;
  reportFault(CL, Name, F, W.P.Text.empty() ? readFile(Name) : W.P.Text);
  return 1;
}

bool Driver::accepts(size_t Index) const {
  Fault Failure;
  bool Ok = check(Works[Index].U, Failure);
  if (!Failure.Said.empty())
    blame(Index, Failure);
  return Ok;
}

int Driver::crashed() {
  if (At < Works.size())
    blame(At, {"", 0, "agglomcc crashed (above)"});
  // What is left of the crashed run is not to be touched; its files are gone.
  errs().flush();
  _exit(EX_SOFTWARE);
}

int Driver::runAll() {
  if (!acceptsOptions())
    return 1;
  bool AnyC = any_of(CL.Inputs, [](const Input &I) { return I.IsC; });
  if (CL.What == Goal::Foreign || !CL.Own.Enabled || !AnyC) {
    std::vector<std::string> Tail;
    bool Missing = false;
    if (CL.What == Goal::Foreign && any_of(CL.Inputs, [&](const Input &I) {
          return I.IsC && sys::fs::is_regular_file(I.Name) &&
                 !preprocess(makeUnit(I, UnitStep, false)).Ok;
        }))
      Tail = headerArgs();
    append_range(Tail, runtimeTail(false, Missing));
    if (CL.Own.Emit != Stage::None) {
      error("--emit-c, --emit-cuda and --emit-ptx need an annotated C file");
      return 1;
    }
    return runHost(Tail.empty()
                       ? CL.verbatim()
                       : CL.edited([](size_t) { return std::nullopt; }, Tail));
  }

  // What the host compiler will refuse anyway is refused by it alone, in its
  // own words: a missing file, one output for several results.
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
    std::vector<std::string> Tail;
    if (NeedHeaders)
      Tail = headerArgs();
    append_range(Tail, runtimeTail(false, Missing));
    return runHost(Tail.empty()
                       ? CL.verbatim()
                       : CL.edited([](size_t) { return std::nullopt; }, Tail));
  }

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
    return Result;
  return link();
}

int Driver::probe() {
  bool NamesRuntime = false;
  Works.resize(CL.Inputs.size());
  for (size_t I = 0; I != Works.size(); ++I) {
    if (CL.Inputs[I].IsC)
      examine(I);
    if (isAnnotated(I) || Works[I].P.Misspelt)
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
  // The host compiler gets it from a file, whatever becomes of the unit.
  StdinFile = StdinCopy.create("stdin", "c");
  return !StdinFile.empty() && writeFile(StdinFile, StdinText);
}

/// The unit for the front end: a Clang command line that only parses.
Unit Driver::makeUnit(const Input &I, unsigned Steps, bool WithHeaders) const {
  Unit U;
  U.Args = {Tools.Clang, "-Qunused-arguments"};
  append_range(U.Args, CL.optionsFor(Steps));
  append_range(U.Args, CL.dependencyNames(I));
  if (WithHeaders)
    append_range(U.Args, headerArgs());
  if (WithHeaders && asksForOpenMP(CL.verbatim()))
    append_range(U.Args, openMPHeaderArgs(Tools));
  // Headers that are read in place of Clang's own, whose text only Clang
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
  // Clang itself would not know it for a file's name in its second stage.
  bool IsLikeOption = StringRef(I.Name).starts_with("-") && I.Name != "-";
  U.Args.push_back(IsLikeOption ? "./" + I.Name : I.Name);
  if (I.Name == "-")
    U.StdinText = StdinText;
  U.Warnings = CL.Own.Warnings;
  U.ForNvcc = CL.Own.UseNvcc;
  U.ForeignHost = Tools.HostCompiler != Tools.Clang;
  return U;
}

/// Finds out whether an input is annotated.
void Driver::examine(size_t Index) {
  const Input &I = CL.Inputs[Index];
  Work &W = Works[Index];
  At = Index;
  W.U = makeUnit(I, UnitStep | CheckStep);
  W.P = preprocess(W.U);
  if (W.P.Annotated)
    return;
  if (W.P.Ok) {
    // Without a pragma the host compiler gets the user's arguments as they
    // are, unless the unit includes a header of ours.
    W.NeedsHeaders = !preprocess(makeUnit(I, UnitStep, false)).Ok;
    return;
  }
  // It cannot be preprocessed. If pragmas stand behind the place where that
  // failed, they must not be ignored: 'check' will tell what is wrong.
  std::string Text = I.Name == "-" ? StdinText : readFile(I.Name);
  W.P.Annotated =
      StringRef(Text).contains("agglom") && StringRef(Text).contains("ragma");
}

//===----------------------------------------------------------------------===//
// The host compiler
//===----------------------------------------------------------------------===//

int Driver::runHost(std::vector<std::string> Args) {
  Command C;
  C.Program = Tools.HostCompiler;
  C.Args = std::move(Args);
  C.StdinFile = StdinFile;
  return agglom::run(C);
}

std::vector<std::string> Driver::headerArgs() const {
  return {"-idirafter", Tools.IncludeDir};
}

std::vector<std::string> Driver::runtimeTail(bool Annotated, bool &Missing) {
  Missing = false;
  if (!CL.TakesRuntime)
    return {};
  // Only what needs the runtime gets it: any other link is the host compiler's
  // own.
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
  std::vector<std::string> Tail =
      Tools.runtimeArgs(CL.Own.SharedRuntime.value_or(CL.isShared()),
                        runtimeVariant(CL.verbatim()), File);
  if (CL.DryRun || sys::fs::exists(File))
    return Tail;
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
  std::vector<std::string> Tail = runtimeTail(true, Missing);
  if (Missing)
    return 1;
  if (any_of(Works, [](const Work &W) { return W.NeedsHeaders; }))
    Tail.insert(Tail.begin(), {"-idirafter", Tools.IncludeDir});
  // The options for compiling have been used, if not by this command.
  if (Tools.HostIsClang)
    Tail.push_back("-Qunused-arguments");
  Command C;
  C.Program = Tools.HostCompiler;
  C.StdinFile = StdinFile;
  C.Args = CL.edited(
      [&](size_t I) -> std::optional<std::string> {
        if (isAnnotated(I))
          return Works[I].Object;
        return std::nullopt;
      },
      Tail);
  if (CL.DryRun)
    llvm::erase(C.Args, "-###"); // what would be run is shown
  if (CL.Verbose || CL.DryRun)
    print(C);
  if (CL.DryRun)
    return 0;
  std::string Output = CL.Output.empty() ? "a.out" : CL.Output;
  int Status = runFor(Output, C);
  if (Status && asksForOpenMP(CL.verbatim()))
    explainOpenMP(Tools, "");
  if (Status)
    removeOutput(Output);
  return Status;
}

//===----------------------------------------------------------------------===//
// An annotated unit
//===----------------------------------------------------------------------===//

/// What a file between two steps is called under -save-temps.
std::string Driver::generatedName(const Input &I, StringRef Extension) const {
  StringRef Stem = I.Name == "-" ? "stdin" : sys::path::stem(I.Name);
  SmallString<128> Path;
  if (CL.SaveTempsByOutput)
    Path = sys::path::parent_path(CL.Output);
  sys::path::append(Path, Stem + ".agglom." + Extension);
  return Path.str().str();
}

/// Where it lives: kept under -save-temps, else not.
std::string Driver::fileFor(const Input &I, StringRef Extension) {
  if (CL.SaveTemps)
    return generatedName(I, Extension);
  return Temps.create(sys::path::stem(I.Name), ("agglom." + Extension).str());
}

std::string Driver::outputOf(const Input &I) const {
  if (!CL.Output.empty())
    return CL.Output;
  SmallString<128> Path(sys::path::filename(I.Name));
  bool IsText = CL.What == Goal::Assembly;
  sys::path::replace_extension(Path, CL.EmitLLVM ? (IsText ? "ll" : "bc")
                                                 : (IsText ? "s" : "o"));
  return Path.str().str();
}

int Driver::compile(size_t Index) {
  const Input &I = CL.Inputs[Index];
  if (CL.Own.Emit != Stage::None || CL.What == Goal::Text) {
    bool Shown = CL.Output.empty() || CL.Output == "-";
    int Status = CL.Own.Emit == Stage::None
                     ? preprocessOnly(Index)
                     : generate(Index, Shown ? "-" : CL.Output);
    if (Status && !Shown && !CL.DryRun)
      removeOutput(CL.Output);
    return Status;
  }
  switch (CL.What) {
  case Goal::Check:
    At = Index;
    return CL.DryRun || accepts(Index) ? 0 : 1;
  case Goal::Link: {
    std::string Output = Temps.create(sys::path::stem(I.Name), "o");
    if (Output.empty())
      return 1;
    Works[Index].Object = Output;
    return generate(Index, Output); // an older program stays, as with Clang
  }
  default:
    break;
  }
  std::string Output = outputOf(I);
  int Status = generate(Index, Output);
  if (Status && !CL.DryRun)
    removeOutput(Output);
  return Status;
}

static std::string withoutLineMarkers(StringRef Text) {
  std::string Out;
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    if (!Line.starts_with("# ") && !Line.starts_with("#line ")) {
      Out += Line;
      Out += '\n';
    }
    Text = Rest;
  }
  return Out;
}

int Driver::preprocessOnly(size_t Index) {
  const Work &W = Works[Index];
  if (CL.WritesDependencies && !CL.DryRun) {
    // Nothing is parsed here, so the dependencies are for the host compiler.
    std::vector<std::string> Args(W.U.Args.begin() + 1, W.U.Args.end());
    Args.insert(Args.begin(), {"-E", "-w", "-o", "/dev/null"});
    Command C;
    C.Program = Tools.Clang;
    C.Args = std::move(Args);
    C.StdinFile = StdinFile;
    if (int Status = agglom::run(C))
      return Status;
  }
  if (!W.P.Ok) {
    accepts(Index);
    return 1;
  }
  if (CL.DryRun)
    return 0;
  std::string Output = CL.Output.empty() ? "-" : CL.Output;
  return writeFile(Output,
                   CL.NoLineMarkers ? withoutLineMarkers(W.P.Text) : W.P.Text)
             ? 0
             : 1;
}

/// -fagglom-report: a line a task, and under it a line for each architecture
/// its kernel was compiled for.
static void report(const Translation &T, const std::vector<Resources> &Used) {
  for (const TaskSummary &S : T.Tasks) {
    errs() << S.File << ':' << S.Line << ": " << S.Title << ": "
           << (S.Device ? "kernel, " : "no kernel, ") << "mapping " << S.Mapping
           << (S.Explanation.empty() ? "" : ": ") << S.Explanation << '\n';
    for (const Resources &R : Used)
      if (S.Device && (R.Kernel == S.Kernel || R.Kernel.empty()))
        errs() << "  " << R.text() << '\n';
      else if (S.Device && R.Kernel == S.Kernel + "_warp")
        errs() << "  by warps, " << R.text() << '\n';
  }
}

/// Options for compiling generated text: its warnings were issued by 'check',
/// its macros are gone.
static std::vector<std::string> textIsPreprocessed(bool HostIsClang) {
  if (HostIsClang)
    return {"-w", "-x", "cpp-output"};
  // The text went through Clang, for which glibc's headers declare the types
  // _Float32 and so on. For gcc these are keywords: let it read other names.
  std::vector<std::string> Args = {"-w", "-x", "c", "-undef", "-nostdinc"};
  for (const char *Type : {"32", "64", "32x", "64x", "128"})
    Args.push_back(std::string("-D_Float") + Type + "=agglom_Float" + Type);
  return Args;
}

/// Whether '#pragma STDC FP_CONTRACT OFF' or its like stands somewhere.
static bool forbidsContraction(StringRef Text) {
  for (size_t At = Text.find("#pragma "); At != StringRef::npos;
       At = Text.find("#pragma ", At + 1)) {
    StringRef Line =
        Text.substr(At).take_until([](char C) { return C == '\n'; });
    if ((Line.contains("FP_CONTRACT") && Line.contains("OFF")) ||
        (Line.contains("contract") && Line.contains("off")))
      return true;
  }
  return false;
}

/// Checks and translates the unit and compiles what came of it to \p Output.
int Driver::generate(size_t Index, const std::string &Output) {
  const Input &I = CL.Inputs[Index];
  const Work &W = Works[Index];
  At = Index;
  auto fault = [&](const Fault &F) { return blame(Index, F); };
  if (CL.packsStructures()) {
    error(I.Name + ": with -fpack-struct the structures of this file would not "
                   "be those of the runtime library; use '#pragma pack' around "
                   "the ones that are to be packed, or -fno-agglom");
    return 1;
  }
  if (!CL.DryRun) {
    if (!accepts(Index)) {
      if (!W.P.Ok && asksForOpenMP(CL.verbatim()))
        explainOpenMP(Tools, I.Name == "-" ? StdinText : readFile(I.Name));
      return 1;
    }
    if (!W.P.Ok)
      return fault({"", 0, "it can be parsed, but not preprocessed"});
  }
  if (CL.SaveTemps && !CL.DryRun && !writeFile(fileFor(I, "i"), W.P.Text))
    return 1;

  // What there was to warn about has been said.
  Unit Quiet = W.U;
  Quiet.HostName = generatedName(I, "c");
  Quiet.DeviceName = generatedName(I, "cu");
  Translation T = translate(Quiet, W.P.Text);
  if (!T.Ok && !CL.DryRun) {
    if (T.Error.empty())
      return fault(T.Failure);
    error(I.Name + ": " + T.Error);
    return 1;
  }
  bool TextOnly = CL.Own.Emit == Stage::C || CL.Own.Emit == Stage::Cuda;
  if (CL.Own.Report && TextOnly && !CL.DryRun)
    report(T, {Resources::unknown("GPU code", "it was not compiled")});
  if (CL.Own.Emit == Stage::C && !CL.DryRun)
    return writeFile(Output, T.HostText) ? 0 : 1;
  if (CL.Own.Emit == Stage::Cuda && !CL.DryRun)
    return writeFile(Output, T.DeviceText) ? 0 : 1;

  std::vector<Image> Images;
  std::vector<Resources> Used;
  if (!T.DeviceText.empty()) {
    DeviceJob Job{CL, Tools, Temps, I.Name, fileFor(I, "cu"), {}};
    if (Job.Text.empty() || (!CL.DryRun && !writeFile(Job.Text, T.DeviceText)))
      return 1;
    Job.NeedsMaths = T.NeedsDeviceMaths;
    Job.Linked = T.Linked;
    Job.NoContraction = forbidsContraction(T.DeviceText);
    Job.PTXOnly = CL.Own.Emit == Stage::PTX;
    Job.FileFor = [&](StringRef Extension) { return fileFor(I, Extension); };
    Fault Failure;
    if (!compileDevice(Job, Images, Used, Failure))
      return Failure.Said.empty() ? 1 : fault(Failure);
  }
  if (CL.Own.Report && !CL.DryRun)
    report(T, Used);
  if (CL.Own.Emit == Stage::PTX) {
    if (Images.empty() && !CL.DryRun) {
      error(I.Name + ": no task has a kernel: there is no PTX to emit");
      return 1;
    }
    return CL.DryRun || writeFile(Output, Images.front().Bytes) ? 0 : 1;
  }

  Command C;
  C.Program = Tools.HostCompiler;
  C.IsOwnClang = Tools.ClangIsOwn && Tools.HostCompiler == Tools.Clang;
  // The text is compiled under a name that ends in .i: only then does debug
  // info name the user's file.
  std::string Text = Temps.create(sys::path::stem(I.Name), "agglom.c.i");
  if (Text.empty())
    return 1;
  if (!CL.DryRun) {
    std::string Content = T.HostText + packImages(T, Images);
    if ((CL.SaveTemps && !writeFile(fileFor(I, "c"), Content)) ||
        !writeFile(Text, Content))
      return 1;
  }
  if (CL.Verbose)
    C.Args.push_back("-v");
  append_range(C.Args, CL.optionsFor(HostStep));
  if (!Tools.HostIsClang)
    append_range(C.Args, CL.standardForGcc());
  if (CL.What == Goal::Link) {
    append_range(C.Args, CL.auxiliaryNames(I, Tools.HostIsClang));
    if (Tools.HostIsClang) // the object is a temporary file itself
      C.Args.push_back("-fno-temp-file");
  }
  append_range(C.Args, textIsPreprocessed(Tools.HostIsClang));
  C.Args.push_back(CL.What == Goal::Assembly ? "-S" : "-c");
  append_values(C.Args, Text, std::string("-o"), Output);
  if (CL.Verbose || CL.DryRun)
    print(C);
  if (CL.DryRun)
    return 0;
  bool Finished;
  int Status = runFor(Output, C, &Finished);
  if (Status) {
    if (Status == EX_IOERR) // the reader of a pipe has gone
      return Status;
    if (CL.What == Goal::Link && tempFolderIsFull())
      return Status;
    if (isOwnFault(C, Text, Index))
      fault({"", 0,
             "'" + C.Program +
                 "' cannot compile what was made of it, and says why above"});
    else if (Finished)
      error(I.Name + ": no object could be made of it (above)");
    return Status;
  }
  return writeCompilationDatabase(I, Output) ? 0 : 1;
}

/// Whether the host compiler, which failed with \p C over the generated \p
/// Text, compiles the user's own text, in which it ignores our pragmas.
bool Driver::isOwnFault(const Command &C, const std::string &Text,
                        size_t Index) {
  Command Plain = C;
  llvm::erase(Plain.Args, "-v");
  Plain.Args.back() = Temps.create("agglomcc", "o");
  Plain.StderrFile = Temps.create("agglomcc", "txt");
  return !Plain.Args.back().empty() && !Plain.StderrFile.empty() &&
         writeFile(Text, Works[Index].P.Text) && agglom::run(Plain) == 0;
}

/// -MJ: the entry Clang would write, of the command as the user gave it.
bool Driver::writeCompilationDatabase(const Input &I, StringRef Output) const {
  if (CL.CompilationDatabase.empty())
    return true;
  SmallString<128> Directory;
  sys::fs::current_path(Directory);
  json::Array Arguments{"agglomcc"};
  for (const std::string &A : CL.verbatim())
    Arguments.push_back(json::fixUTF8(A));
  std::error_code EC;
  raw_fd_ostream OS(CL.CompilationDatabase, EC,
                    sys::fs::OF_Text | sys::fs::OF_Append);
  if (EC) {
    error("cannot write '" + CL.CompilationDatabase + "': " + EC.message());
    return false;
  }
  OS << json::Value(json::Object{{"directory", json::fixUTF8(Directory)},
                                 {"file", json::fixUTF8(I.Name)},
                                 {"output", json::fixUTF8(Output)},
                                 {"arguments", std::move(Arguments)}})
     << ",\n";
  return true;
}

} // namespace agglom
