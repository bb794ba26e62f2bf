// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// agglomcc1, the compiler proper, which launcher/ starts under agglomcc's name:
// reads the command line, answers questions about itself, and leaves the rest
// to the driver.

#include "driver/CommandLine.h"
#include "driver/Driver.h"
#include "driver/Message.h"
#include "driver/Process.h"
#include "driver/Toolchain.h"
#include "support/Interrupts.h"
#include "support/LargeStack.h"
#include "support/RuntimeLibrary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include <csignal>
#include <sysexits.h>
#include <unistd.h>

#ifndef AGGLOM_VERSION
#error "define AGGLOM_VERSION as the version, such as 0.1.0"
#endif

using namespace agglom;

/// Answers questions about agglomcc itself. \returns true if there was one.
static bool answer(const CommandLine &CL, const Toolchain &Tools, int &Status) {
  llvm::raw_ostream &OS = llvm::outs();
  Status = 0;
  if (CL.Own.Help) {
    printHelp();
  } else if (CL.Own.HelpPragmas) {
    OS << pragmaHelp();
  } else if (CL.Own.Version) {
    // Tools read the compiler's version from the first lines.
    Status = run({Tools.HostCompiler, {"--version"}, "", "", false});
    OS << "agglomcc " AGGLOM_VERSION "\n";
  } else if (CL.Own.OwnVersion) {
    OS << "agglomcc " AGGLOM_VERSION " (LLVM " LLVM_VERSION_STRING ")\n";
  } else if (CL.Own.ShowCompile || CL.Own.ShowLink) {
    std::vector<std::string> Flags;
    std::string File;
    if (CL.Own.ShowCompile)
      Flags = {"-idirafter", Tools.IncludeDir};
    if (CL.Own.ShowLink)
      llvm::append_range(
          Flags, Tools.runtimeArgs(CL.Own.SharedRuntime.value_or(false),
                                   runtimeVariant(CL.verbatim()), File));
    llvm::interleave(Flags, OS, " ");
    OS << '\n';
  } else {
    return false;
  }
  return true;
}

/// Stops running programs, removes the temporary files, then dies of the
/// signal. LLVM's own handler uninstalls itself first, so a second signal would
/// end the process before the files are removed, and 'timeout' sends two. It
/// also takes SIGQUIT for a crash.
static void interrupted(int Signal) {
  stopRunning(interruptForStep(Signal));
  llvm::sys::RunInterruptHandlers();
  std::signal(Signal, SIG_DFL);
  std::raise(Signal); // delivered when this handler returns
}

/// The reader of the output has closed the pipe. LLVM's own handler ends the
/// process at once.
static void pipeBroken(int) {
  stopRunning(SIGTERM);
  llvm::sys::RunInterruptHandlers();
  _exit(EX_IOERR); // as Clang does
}

/// The interrupts that this process was started to ignore, as by 'nohup'.
/// LLVM's handlers do not respect that.
static llvm::SmallVector<int> ignoredInterrupts() {
  llvm::SmallVector<int> Ignored;
  struct sigaction Given;
  auto Ask = [&](int Signal) {
    if (!sigaction(Signal, nullptr, &Given) && Given.sa_handler == SIG_IGN)
      Ignored.push_back(Signal);
  };
  for (int Signal : Interrupts)
    Ask(Signal);
  Ask(SIGPIPE);
  return Ignored;
}

static void catchInterrupts(llvm::ArrayRef<int> Ignored) {
  struct sigaction Action = {};
  sigfillset(&Action.sa_mask);
  auto Catch = [&](int Signal, void (*Handler)(int)) {
    Action.sa_handler = llvm::is_contained(Ignored, Signal) ? SIG_IGN : Handler;
    sigaction(Signal, &Action, nullptr);
  };
  for (int Signal : Interrupts)
    Catch(Signal, interrupted);
  Catch(SIGPIPE, pipeBroken);
}

int main(int Argc, const char **Argv) {
  llvm::setBugReportMsg(
      "agglomcc itself crashed. Please report this to its authors with the "
      "command, the source file and the lines below.\n");
  llvm::SmallVector<int> Ignored = ignoredInterrupts();
  llvm::InitLLVM Init(Argc, Argv);
  catchInterrupts(Ignored);

  // The launcher asks whether a unit needs the compiler proper.
  bool Probe = Argc > 1 && llvm::StringRef(Argv[1]) == "--agglom-probe";
  llvm::SmallVector<const char *, 64> Args(Argv, Argv + Argc);
  if (Probe)
    Args.erase(Args.begin() + 1);

  std::unique_ptr<CommandLine> CL =
      CommandLine::parse(Args.size(), Args.data());
  if (!CL)
    return 1;
  Toolchain Tools;
  if (!Tools.find(Argv[0], CL->Own.HostCompiler))
    return 1;
  int Status;
  if (Probe || !answer(*CL, Tools, Status))
    onLargeStack([&] {
      llvm::PrettyStackTraceProgram Crash(Argc, Argv); // this thread's
      Driver D(*CL, Tools);
      Status = Probe ? D.probe() : D.run();
    });
  return flushOutput() || Probe ? Status : 1;
}
