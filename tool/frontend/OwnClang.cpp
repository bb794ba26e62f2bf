// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OwnClang.h"
#include "CompatClang.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Job.h"
#include "clang/Driver/Tool.h"
#include "clang/Driver/ToolChain.h"
#include "clang/FrontendTool/Utils.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include <unistd.h>

using namespace clang;

namespace agglom {

/// Whether only the clang program can do it: the program reads these variables
/// and options before its driver does, prints times, traces and reproducers
/// itself, and knows precompiled headers in object files.
static bool isForProgramAlone(const std::vector<std::string> &Args) {
  for (char **Variable = environ; *Variable; ++Variable) {
    StringRef V(*Variable);
    if (V.starts_with("CC_") || V.starts_with("CCC_") ||
        V.starts_with("CLANG_"))
      return true;
  }
  for (StringRef A : Args)
    if (A == "-v" || A.starts_with("@") || A.starts_with("-ftime-") ||
        A.starts_with("-###") || A.starts_with("-save-temps") ||
        A.starts_with("-gen-reproducer") || A == "-gmodules")
      return true;
  return false;
}

/// Runs the program that links.
static int runLinker(const std::string &Clang, driver::Driver &D,
                     driver::Compilation &C) {
  // Both are left to the end of the process: what goes when this function has
  // returned may still have something to say.
  auto &Options = *new DiagnosticOptions;
  Options.ShowColors = llvm::sys::Process::StandardErrHasColors();
  auto *Printer = compat::createPrinter(llvm::errs(), Options).release();
  SmallString<128> Path;
  if (llvm::sys::fs::real_path(Clang, Path))
    Path = Clang;
  Printer->setPrefix(llvm::sys::path::stem(Path).str());
  D.getDiags().setClient(Printer, /*ShouldOwnClient=*/false);
  SmallVector<std::pair<int, const driver::Command *>, 1> Failing;
  int Status = D.ExecuteCompilation(C, Failing);
  if (!Status && !Failing.empty())
    Status = Failing.front().first;
  llvm::outs().flush(); // -fproc-stat-report
  // Clang's main() has 1 for what ends as by a signal: so the shell tells it,
  // or an "internal error" does.
  constexpr int InternalError = 70, BySignals = 128;
  return Status < 0 || Status == InternalError || Status > BySignals ? 1
                                                                     : Status;
}

/// Handles "error in backend": the clang program, run afterwards, reports it
/// with all that a bug report needs.
static void giveUp(void *, const char *, bool) {
  llvm::sys::RunInterruptHandlers(); // removes what is half written
  _exit(OwnClangGaveUp);
}

int runAsClang(const std::string &Program,
               const std::vector<std::string> &Args) {
  if (isForProgramAlone(Args))
    return -1;
  std::vector<const char *> Argv = {Program.c_str()};
  for (const std::string &A : Args)
    Argv.push_back(A.c_str());

  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::InitializeAllAsmParsers();

  auto FS = llvm::vfs::getRealFileSystem();
  DiagnosticConsumer Ignore; // counts
  DiagnosticOptions Options;
  auto Diags = compat::createArgumentDiagnostics(FS, Options, &Ignore);
  driver::Driver D(Program, llvm::sys::getDefaultTargetTriple(), *Diags,
                   "clang LLVM compiler", FS);
  D.setTargetAndMode(
      driver::ToolChain::getTargetAndModeFromProgramName(Program));
  std::unique_ptr<driver::Compilation> C(D.BuildCompilation(Argv));
  if (!C || C->getJobs().size() != 1)
    return -1;
  const driver::Command &Job = *C->getJobs().begin();
  if (Job.getCreator().isLinkJob() && !Ignore.getNumErrors() &&
      !Ignore.getNumWarnings())
    return runLinker(Program, D, *C);
  if (StringRef(Job.getCreator().getName()) != "clang")
    return -1;
  auto Invocation = std::make_shared<CompilerInvocation>();
  if (!CompilerInvocation::CreateFromArgs(
          *Invocation, ArrayRef(Job.getArguments()).drop_front(), *Diags,
          Program.c_str()) ||
      Ignore.getNumErrors() || Ignore.getNumWarnings())
    return -1; // the clang program reports them

  llvm::install_fatal_error_handler(giveUp);
  Invocation->getFrontendOpts().DisableFree = true;
  CompilerInstance *CI =
      compat::createInstance(std::move(Invocation)).release();
  compat::createDiagnostics(*CI, FS, nullptr);
  if (!CI->hasDiagnostics())
    return -1;
  bool Ok = ExecuteCompilerInvocation(CI);
  llvm::outs().flush();
  return Ok ? 0 : 1;
}

} // namespace agglom
