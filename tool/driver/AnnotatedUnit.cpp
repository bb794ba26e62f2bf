// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver does with an annotated unit.

#include "Device.h"
#include "Driver.h"
#include "Failure.h"
#include "Message.h"
#include "OpenMP.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include <sysexits.h>

using namespace llvm;

namespace agglom {

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

/// The name that a file between two steps has under -save-temps.
std::string Driver::generatedName(const Input &I, StringRef Extension) const {
  StringRef Stem = I.Name == "-" ? "stdin" : sys::path::stem(I.Name);
  SmallString<128> Path;
  if (CL.SaveTempsByOutput)
    Path = sys::path::parent_path(CL.Output);
  sys::path::append(Path, Stem + ".agglom." + Extension);
  return Path.str().str();
}

/// The path of a file between two steps: kept under -save-temps, else
/// temporary.
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
    return generate(Index, Output); // after an error an old program stays
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

/// -fagglom-report: a line for each task, and under it a line for each
/// architecture that its kernel was compiled for.
static void report(const Translation &T, const std::vector<Resources> &Used) {
  for (const TaskSummary &S : T.Tasks) {
    errs() << S.File << ':' << S.Line << ": " << S.Title << ": "
           << (S.Device ? "kernel, " : "no kernel, ") << "mapping " << S.Mapping
           << (S.Explanation.empty() ? "" : ": ") << S.Explanation << '\n';
    for (const Resources &R : Used)
      if (S.Device && (R.Kernel == S.Kernel || R.Kernel.empty()))
        errs() << "  " << R.text() << '\n';
  }
}

/// Options for compiling generated text: 'check' has issued its warnings, and
/// its macros are expanded.
static std::vector<std::string> textIsPreprocessed(bool HostIsClang) {
  if (HostIsClang)
    return {"-w", "-x", "cpp-output"};
  // Clang has preprocessed the text, so glibc's headers declare the types
  // _Float32 and so on in it. They are keywords of gcc, so gcc reads other
  // names.
  std::vector<std::string> Args = {"-w", "-x", "c", "-undef", "-nostdinc"};
  for (const char *Type : {"32", "64", "32x", "64x", "128"})
    Args.push_back(std::string("-D_Float") + Type + "=agglom_Float" + Type);
  return Args;
}

/// Checks and translates the unit, and compiles the generated texts to \p
/// Output.
int Driver::generate(size_t Index, const std::string &Output) {
  const Input &I = CL.Inputs[Index];
  const Work &W = Works[Index];
  At = Index;
  auto fault = [&](const Fault &F) { return blame(Index, F); };
  if (std::string Option = CL.layoutOption(); !Option.empty()) {
    error(I.Name + ": with " + Option +
          " the structures of this file would not be those of the runtime "
          "library; " +
          (Option == "-fpack-struct" ? "use '#pragma pack' around the ones "
                                       "that are to be packed, or -fno-agglom"
                                     : "leave it out, or give -fno-agglom"));
    return 1;
  }
  if (!CL.DryRun) {
    if (!accepts(Index)) {
      bool Header = W.P.Missing == "omp.h"; // which another one may include
      if (!W.P.Ok && (Header || asksForOpenMP(CL.verbatim())))
        explainOpenMP(Tools, Header          ? W.P.Missing
                             : I.Name == "-" ? StdinText
                                             : readFile(I.Name));
      return 1;
    }
    if (!W.P.Ok)
      return fault({"", 0, "it can be parsed, but not preprocessed"});
  }
  if (CL.SaveTemps && !CL.DryRun && !writeFile(fileFor(I, "i"), W.P.Text))
    return 1;

  // 'check' has issued the warnings.
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
  C.IsOwnClang = Tools.hostIsOwn();
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
  // gcc puts the name of the compiled file into the object.
  if (!Tools.HostIsClang)
    C.Args.push_back("-fdebug-prefix-map=" + Text + "=" +
                     sys::path::stem(I.Name).str() + ".agglom.c");
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
    if (compilesElsewhere(C))
      return Status; // the output was the reason, and is reported
    if (writeFile(Text, Works[Index].P.Text) && compilesElsewhere(C))
      fault({"", 0,
             "'" + C.Program +
                 "' cannot compile what was made of it, and says why above"});
    else if (Finished)
      error(I.Name + ": no object could be made of it (above)");
    return Status;
  }
  return writeCompilationDatabase(I, Output) ? 0 : 1;
}

/// Whether \p C, which has failed, can write an object to another file: from
/// the generated text, or from the user's own text, in which the host compiler
/// ignores agglom pragmas.
bool Driver::compilesElsewhere(Command C) {
  llvm::erase(C.Args, "-v");
  C.Args.back() = Temps.create("agglomcc", "o");
  C.StderrFile = Temps.create("agglomcc", "txt");
  return !C.Args.back().empty() && !C.StderrFile.empty() && agglom::run(C) == 0;
}

/// The name of a new file for the entry of \p Name in the folder \p Folder, as
/// Clang forms it: x.c.5e1f.json.
static std::string newEntry(StringRef Folder, StringRef Name) {
  SmallString<128> Model(Folder), File;
  sys::path::append(Model, sys::path::filename(Name) + ".%%%%.json");
  std::error_code EC = sys::fs::create_directory(Folder);
  if (!EC)
    EC = sys::fs::createUniqueFile(Model, File);
  if (EC)
    error("cannot write into '" + Folder + "': " + EC.message());
  return EC ? "" : File.str().str();
}

/// -MJ and -gen-cdb-fragment-path: the entry that Clang would write, for the
/// command as the user gave it.
bool Driver::writeCompilationDatabase(const Input &I, StringRef Output) const {
  std::string File = CL.CompilationDatabase;
  if (File.empty() && CL.CompilationEntries.empty())
    return true;
  if (File.empty()) // Clang prefers -MJ
    File = newEntry(CL.CompilationEntries, I.Name);
  if (File.empty())
    return false;
  SmallString<128> Directory;
  sys::fs::current_path(Directory);
  json::Array Arguments{"agglomcc"};
  for (const std::string &A : CL.verbatim())
    Arguments.push_back(json::fixUTF8(A));
  std::error_code EC;
  raw_fd_ostream OS(File, EC, sys::fs::OF_Text | sys::fs::OF_Append);
  if (EC) {
    error("cannot write '" + File + "': " + EC.message());
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
