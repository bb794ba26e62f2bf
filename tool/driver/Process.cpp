// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Process.h"
#include "Message.h"
#include "OwnClang.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace agglom {

void print(const Command &C) {
  errs() << ' ';
  sys::printArg(errs(), C.Program, /*Quote=*/true);
  for (const std::string &A : C.Args) {
    errs() << ' ';
    sys::printArg(errs(), A, /*Quote=*/true);
  }
  errs() << '\n';
}

/// One argument as a GNU response file spells it.
static void quoteForFile(raw_ostream &OS, StringRef Arg) {
  OS << '"';
  for (char C : Arg) {
    if (C == '"' || C == '\\')
      OS << '\\';
    OS << C;
  }
  OS << "\"\n";
}

//===----------------------------------------------------------------------===//
// Programs that run
//===----------------------------------------------------------------------===//

/// The running programs, for stopRunning(). A signal handler may not read any
/// other variable.
static volatile sig_atomic_t RunningPIDs[16];

static void setRunning(int Old, int New) {
  for (volatile sig_atomic_t &PID : RunningPIDs)
    if (PID == Old) {
      PID = New;
      return;
    }
}

void stopRunning(int Signal) {
  constexpr unsigned Tries = 50; // of 10 ms
  for (unsigned Try = 0; Try <= Tries; ++Try) {
    bool Any = false;
    for (volatile sig_atomic_t &PID : RunningPIDs) {
      if (!PID)
        continue;
      if (Try == Tries / 2)
        kill(PID, Signal);
      if (Try == Tries)
        kill(PID, SIGKILL);
      // waitpid() fails for a program that await() has waited for already.
      if (waitpid(PID, nullptr, Try == Tries ? 0 : WNOHANG))
        PID = 0;
      else
        Any = true;
    }
    if (!Any)
      return;
    usleep(10000);
  }
}

/// The signals of a crash.
constexpr int Crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTRAP};

/// Blocks signals while a program is started and entered in the list, or a file
/// is made and entered in the list of files to remove.
namespace {
class SignalsBlocked {
public:
  sigset_t Before;
  SignalsBlocked() {
    sigset_t All;
    sigfillset(&All);
    for (int Signal : Crashes)
      sigdelset(&All, Signal);
    sigprocmask(SIG_BLOCK, &All, &Before);
  }
  ~SignalsBlocked() { sigprocmask(SIG_SETMASK, &Before, nullptr); }
};
} // namespace

/// All temporary files there are.
static std::vector<std::string> &allTempFiles() {
  static std::vector<std::string> All;
  return All;
}

/// Handler in a copy of the process: where Clang crashes, the clang program is
/// run instead, which writes all that a bug report needs.
static void crashed(int) {
  sys::RunInterruptHandlers();
  _exit(OwnClangGaveUp);
}

/// Makes the copy forget the programs and temporary files of the original
/// process.
static void beCopy() {
  for (volatile sig_atomic_t &PID : RunningPIDs)
    PID = 0;
  for (const std::string &File : allTempFiles())
    sys::DontRemoveFileOnSignal(File);
  struct sigaction Action = {};
  Action.sa_handler = crashed;
  Action.sa_flags = SA_ONSTACK;
  for (int Signal : Crashes)
    sigaction(Signal, &Action, nullptr);
}

static bool redirect(const std::string &File, int To, int Flags) {
  if (File.empty())
    return true;
  int FD = open(File.c_str(), Flags, 0666);
  return FD >= 0 && dup2(FD, To) >= 0;
}

Running::Running(Command Given) : C(std::move(Given)) {
  std::vector<StringRef> Args = {C.Program};
  Args.insert(Args.end(), C.Args.begin(), C.Args.end());
  // @files were expanded; a line that is now too long goes back into one.
  if (!sys::commandLineFitsWithinSystemLimits(C.Program, Args)) {
    std::string Text, File = Temps.create("agglomcc", "rsp");
    raw_string_ostream OS(Text);
    for (const std::string &A : C.Args)
      quoteForFile(OS, A);
    if (File.empty() || !writeFile(File, OS.str())) {
      Failed = ENOSPC;
      return;
    }
    C.Args = {"@" + File};
  }
  errs().flush();
  outs().flush();
  start(C.IsOwnClang);
}

void Running::start(bool AsCopy) {
  std::vector<char *> Argv = {const_cast<char *>(C.Program.c_str())};
  for (const std::string &A : C.Args)
    Argv.push_back(const_cast<char *>(A.c_str()));
  Argv.push_back(nullptr);

  SignalsBlocked Blocked;
  if (AsCopy && (PID = fork()) == 0) {
    beCopy();
    sigprocmask(SIG_SETMASK, &Blocked.Before, nullptr);
    int Status = 126;
    // Without O_CREAT: the file exists, unless a signal has removed it.
    if (redirect(C.StdinFile, STDIN_FILENO, O_RDONLY) &&
        redirect(C.StderrFile, STDERR_FILENO, O_WRONLY | O_TRUNC) &&
        (Status = runAsClang(C.Program, C.Args)) < 0) {
      execv(C.Program.c_str(), Argv.data());
      Status = 126;
    }
    _exit(Status);
  }
  if (!AsCopy || PID < 0) {
    posix_spawn_file_actions_t Actions;
    posix_spawn_file_actions_init(&Actions);
    if (!C.StdinFile.empty())
      posix_spawn_file_actions_addopen(&Actions, STDIN_FILENO,
                                       C.StdinFile.c_str(), O_RDONLY, 0);
    if (!C.StderrFile.empty())
      posix_spawn_file_actions_addopen(
          &Actions, STDERR_FILENO, C.StderrFile.c_str(), O_WRONLY | O_TRUNC, 0);
    posix_spawnattr_t Attributes;
    posix_spawnattr_init(&Attributes);
    posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&Attributes, &Blocked.Before);
    pid_t New;
    Failed = posix_spawn(&New, C.Program.c_str(), &Actions, &Attributes,
                         Argv.data(), environ);
    PID = Failed ? 0 : New;
    posix_spawnattr_destroy(&Attributes);
    posix_spawn_file_actions_destroy(&Actions);
  }
  if (PID)
    setRunning(0, PID);
}

/// \returns the wait status.
int Running::await() {
  int Status = 0;
  while (waitpid(PID, &Status, 0) < 0 && errno == EINTR)
    ;
  setRunning(PID, 0);
  PID = 0;
  return Status;
}

Running::~Running() {
  if (PID)
    await();
}

int Running::wait(bool *Finished) {
  if (Finished)
    *Finished = false;
  int Status = 0;
  if (PID) {
    Status = await();
    if (C.IsOwnClang && WIFEXITED(Status) &&
        WEXITSTATUS(Status) == OwnClangGaveUp) {
      start(/*AsCopy=*/false);
      if (PID)
        Status = await();
    }
  }
  if (Failed) {
    error("cannot run '" + C.Program + "': " + strerror(Failed));
    return 1;
  }
  if (WIFSIGNALED(Status)) {
    // The reader of a pipe has closed it, as in 'agglomcc -S x.c -o - | head':
    // that is no crash, and Clang does not report it either.
    if (WTERMSIG(Status) != SIGPIPE)
      error("'" + C.Program + "' was ended by a signal (" +
            strsignal(WTERMSIG(Status)) +
            "); its messages stand above, and 'agglomcc -v' shows the command");
    return 1;
  }
  if (Finished)
    *Finished = true;
  return WEXITSTATUS(Status);
}

int run(const Command &C, bool *Finished) { return Running(C).wait(Finished); }

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

std::string readFile(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path);
  return Buffer ? (*Buffer)->getBuffer().str() : std::string();
}

/// Calls \p Make to make a file, which a signal removes from then on.
static std::error_code makeFile(const SmallString<128> &Path,
                                function_ref<std::error_code()> Make) {
  SignalsBlocked Blocked;
  std::error_code EC = Make();
  if (!EC)
    sys::RemoveFileOnSignal(Path);
  return EC;
}

static bool writeTo(StringRef Path, StringRef Text, std::error_code &EC) {
  raw_fd_ostream OS(Path, EC, sys::fs::OF_None);
  if (EC)
    return false;
  OS << Text;
  OS.close();
  EC = OS.error();
  OS.clear_error();
  return !EC;
}

bool flushOutput() {
  outs().flush();
  errs().flush();
  errs().clear_error(); // an error of stderr cannot be reported
  if (!outs().has_error())
    return true;
  std::error_code EC = outs().error();
  outs().clear_error(); // else LLVM's destructor ends the process
  error("cannot write standard output: " + EC.message());
  return false;
}

/// writeFile(); the file gets \p Permissions before it gets text and name.
static bool writeFile(StringRef Path, StringRef Text,
                      std::optional<sys::fs::perms> Permissions) {
  std::error_code EC;
  if (Path == "-") {
    outs() << Text;
    return flushOutput();
  }
  sys::fs::file_status Status;
  bool Exists = !sys::fs::status(Path, Status) && sys::fs::exists(Status);
  if (Exists && !sys::fs::is_regular_file(Status)) {
    if (!writeTo(Path, Text, EC)) // a device, a pipe
      error("cannot write '" + Path + "': " + EC.message());
    return !EC;
  }

  SmallString<128> Temp;
  int FD;
  EC = makeFile(Temp, [&] {
    return sys::fs::createUniqueFile(Path + ".%%%%%%", FD, Temp,
                                     sys::fs::OF_None,
                                     sys::fs::all_read | sys::fs::all_write);
  });
  if (!EC) {
    if (Permissions)
      EC = sys::fs::setPermissions(FD, *Permissions);
    raw_fd_ostream OS(FD, /*shouldClose=*/true);
    OS << Text;
    OS.close();
    if (!EC)
      EC = OS.error();
    OS.clear_error();
    if (!EC)
      EC = sys::fs::rename(Temp, Path);
    if (EC)
      sys::fs::remove(Temp);
    sys::DontRemoveFileOnSignal(Temp);
  }
  if (EC)
    error("cannot write '" + Path + "': " + EC.message() +
          (is_contained(allTempFiles(), Path)
               ? "; set TMPDIR to a folder that has room"
               : ""));
  return !EC;
}

bool writeFile(StringRef Path, StringRef Text) {
  return writeFile(Path, Text, std::nullopt);
}

bool replaceFile(StringRef Path, StringRef Text) {
  SmallString<128> Real;
  if (sys::fs::real_path(Path, Real))
    Real = Path;
  std::optional<sys::fs::perms> Permissions;
  if (ErrorOr<sys::fs::perms> Known = sys::fs::getPermissions(Real))
    Permissions = *Known;
  return writeFile(Real, Text, Permissions);
}

int runFor(StringRef Output, const Command &C, bool *Finished) {
  // LLVM's list keeps no count: removing the entry would drop a temporary file
  // from it, too.
  bool IsTemp = is_contained(allTempFiles(), Output);
  if (!IsTemp)
    sys::RemoveFileOnSignal(Output);
  int Status = run(C, Finished);
  if (!IsTemp)
    sys::DontRemoveFileOnSignal(Output);
  return Status;
}

void removeOutput(StringRef Path) {
  if (!Path.empty() && sys::fs::is_regular_file(Path))
    sys::fs::remove(Path);
}

/// The failed step may have removed its file, so more than a little room is
/// tested.
constexpr off_t LeastRoom = 1 << 20;

bool tempFolderIsFull() {
  SmallString<128> Path;
  int FD;
  if (sys::fs::createTemporaryFile("agglomcc", "room", FD, Path))
    return true;
  int Failed;
  {
    // Exceeding the file size limit would end the process by a signal.
    SignalsBlocked Blocked;
    Failed = posix_fallocate(FD, 0, LeastRoom);
    sys::fs::remove(Path);
  }
  close(FD);
  if (Failed != ENOSPC && Failed != EDQUOT)
    return false;
  error("the folder of temporary files, '" + sys::path::parent_path(Path) +
        "', is full; set TMPDIR to a folder that has room");
  return true;
}

TempFiles::~TempFiles() {
  for (const std::string &Path : Paths) {
    sys::fs::remove(Path);
    sys::DontRemoveFileOnSignal(Path);
    llvm::erase(allTempFiles(), Path);
  }
}

std::string TempFiles::create(StringRef Stem, StringRef Extension) {
  SmallString<128> Path;
  if (DryRun) {
    sys::fs::getPotentiallyUniqueTempFileName(Stem, Extension, Path);
    return Path.str().str();
  }
  if (std::error_code EC = makeFile(Path, [&] {
        return sys::fs::createTemporaryFile(Stem, Extension, Path);
      })) {
    error("cannot create a temporary file: " + EC.message() +
          "; set TMPDIR to a folder that can be written");
    return "";
  }
  Paths.push_back(Path.str().str());
  allTempFiles().push_back(Paths.back());
  return Paths.back();
}

} // namespace agglom
