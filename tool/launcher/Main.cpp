// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// agglomcc as it is called. Loading Clang's libraries and reading a unit with
// them takes as long as compiling a small file, so that is left to the compiler
// proper, agglomcc1, and done only where it is needed:
//
//   1. Is the command plain (Simple.h), and is no pragma in sight in the file
//      and the headers beside it (Scan.h)? If not: agglomcc1.
//   2. Clang compiles with the user's own arguments and lists the headers that
//      it reads.
//   3. If one of them may hold a pragma, 'agglomcc1 --agglom-probe' finds out
//      by preprocessing. Should the unit be annotated after all: agglomcc1.
//
// What Clang read, not a guess, decides; the guess in 1 spares annotated units
// a compilation for nothing.

#include "../support/Interrupts.h"
#include "../support/RuntimeLibrary.h"
#include "Scan.h"
#include "Simple.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef AGGLOM_CLANG_PATH
#error "define AGGLOM_CLANG_PATH as the path of clang"
#endif

extern char **environ;

using namespace agglom;
using Arguments = std::vector<std::string>;

/// The folder this executable is in.
static std::string ownFolder() {
  char Path[4096];
  ssize_t Length = readlink("/proc/self/exe", Path, sizeof Path);
  std::string Self(Path, Length > 0 ? Length : 0);
  return Self.substr(0, Self.rfind('/'));
}

static std::vector<char *> pointers(const char *First, const Arguments &Args) {
  std::vector<char *> Out = {const_cast<char *>(First)};
  for (const std::string &A : Args)
    Out.push_back(const_cast<char *>(A.c_str()));
  Out.push_back(nullptr);
  return Out;
}

/// Becomes the compiler proper.
static int runProper(const std::string &Proper, const char *Name,
                     const Arguments &Args) {
  execv(Proper.c_str(), pointers(Name, Args).data());
  fprintf(stderr,
          "agglomcc: error: cannot run '%s': %s; the installation of agglom "
          "is not complete\n",
          Proper.c_str(), strerror(errno));
  return 1;
}

static volatile sig_atomic_t Caught;

static void note(int Signal) { Caught = Signal; }

/// Waits for the child. A signal is handed on to it, but late: what a terminal
/// or 'timeout' sends has reached it already, and a second one would end Clang
/// before it has removed its files.
static bool await(pid_t PID, int &Status) {
  while (waitpid(PID, &Status, 0) < 0) {
    if (errno != EINTR)
      return false;
    for (int Tries = 0; Caught && Tries != 20; ++Tries) {
      if (waitpid(PID, &Status, WNOHANG) == PID)
        return true;
      usleep(10000);
    }
    if (Caught)
      kill(PID, interruptForStep(Caught));
  }
  return true;
}

/// Runs a program and waits for it. \returns its wait status, or -1.
static int spawn(const std::string &Program, const Arguments &Args,
                 const std::vector<char *> &Environment) {
  sigset_t Mine, Old;
  sigemptyset(&Mine);
  for (int Signal : Interrupts)
    sigaddset(&Mine, Signal);
  sigprocmask(SIG_BLOCK, &Mine, &Old);

  // The child starts with the signals as we were given them.
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&Attributes, &Old);
  pid_t PID;
  int Failed =
      posix_spawn(&PID, Program.c_str(), nullptr, &Attributes,
                  pointers(Program.c_str(), Args).data(), Environment.data());
  posix_spawnattr_destroy(&Attributes);
  if (Failed) {
    sigprocmask(SIG_SETMASK, &Old, nullptr);
    return -1;
  }
  struct sigaction Action = {};
  Action.sa_handler = note; // without SA_RESTART: the wait ends
  for (int Signal : Interrupts) {
    struct sigaction Before;
    if (!sigaction(Signal, nullptr, &Before) && Before.sa_handler != SIG_IGN)
      sigaction(Signal, &Action, nullptr);
  }
  sigprocmask(SIG_SETMASK, &Old, nullptr);

  int Status;
  if (!await(PID, Status))
    return -1;
  if (Caught) { // the child has cleaned up behind itself
    signal(Caught, SIG_DFL);
    raise(Caught);
  }
  return Status;
}

static std::vector<char *> environment(const Arguments &Additions) {
  std::vector<char *> Out;
  for (char **Variable = environ; *Variable; ++Variable)
    Out.push_back(*Variable);
  for (const std::string &Variable : Additions)
    Out.push_back(const_cast<char *>(Variable.c_str()));
  Out.push_back(nullptr);
  return Out;
}

/// Is there what changes Clang's command line, or what it reads, behind its
/// back?
static bool isUnusualEnvironment() {
  for (const char *Name :
       {"AGGLOMCC_CLANG", "CC_PRINT_HEADERS", "CC_PRINT_HEADERS_FILE",
        "CC_PRINT_HEADERS_FORMAT", "CC_PRINT_HEADERS_FILTERING",
        "CCC_OVERRIDE_OPTIONS", "CCC_ADD_ARGS"})
    if (getenv(Name))
      return true;
  return false;
}

/// Clang's graph of the includes as a list, one file a line. \returns false if
/// \p Text is no graph.
static bool listOfGraph(std::string &Text) {
  if (Text.compare(0, strlen("digraph"), "digraph") != 0)
    return false;
  std::string Out;
  const char Label[] = "label=\"";
  for (size_t I = Text.find(Label); I != std::string::npos;
       I = Text.find(Label, I)) {
    I += strlen(Label);
    size_t End = Text.find('"', I);
    std::string Name = Text.substr(I, End - I);
    if (End == std::string::npos || Name.find('\\') != std::string::npos)
      return false;
    // The root folder's slash is left out.
    bool IsRelative = access(Name.c_str(), R_OK) == 0;
    if (IsRelative)
      Out += Name + '\n';
    if (!IsRelative || access(("/" + Name).c_str(), R_OK) == 0)
      Out += '/' + Name + '\n';
  }
  Text = std::move(Out);
  return true;
}

/// Looks at the files of the list, one a line.
static bool scanListed(int List, bool IsGraph, Scanner &Files, Finding &All) {
  struct stat Status;
  if (fstat(List, &Status))
    return false;
  std::string Text(Status.st_size, 0);
  if (pread(List, &Text[0], Text.size(), 0) != Status.st_size)
    return false;
  if (IsGraph && !listOfGraph(Text))
    return false;
  for (size_t At = 0; At < Text.size();) {
    size_t End = Text.find('\n', At);
    if (End == std::string::npos)
      return false;
    All.add(Files.scanFile(Text.substr(At, End - At)));
    At = End + 1;
  }
  return true;
}

/// Lets Clang compile a plain command. \returns false when that cannot be, or
/// when the unit is annotated; else the result is in \p Result.
static bool compiled(const Arguments &Args, const std::string &Folder,
                     const std::string &Proper, int &Result) {
  SimpleCommand Simple;
  if (!isSimple(Args, Simple) || isUnusualEnvironment() ||
      access(AGGLOM_CLANG_PATH, X_OK) != 0)
    return false;
  Arguments ForClang = Args;
  if (Simple.Links) {
    std::string File = Folder + "/" AGGLOM_LIBDIR_FROM_BINDIR "/libagglomrt.a";
    if (access(File.c_str(), R_OK) != 0)
      return false;
    char *Real = realpath(File.c_str(), nullptr);
    for (const std::string &A : staticRuntimeArgs(Real ? Real : File))
      ForClang.push_back(A);
    free(Real);
  }
  Scanner Files(Simple.Folders);
  if (Files.wordIncluded(Simple.Source))
    return false;

  // The list is in memory: it needs no folder and leaves nothing behind.
  int List = memfd_create("agglomcc-headers", 0);
  if (List < 0)
    return false;
  std::string File = "/proc/self/fd/" + std::to_string(List);
  if (access(File.c_str(), W_OK) != 0)
    return false;
  Arguments Listing;
  if (Simple.WritesUserHeaders) {
    // With the variables below -MMD would name the system's headers too.
    for (const char *A : {"-Xclang", "-dependency-dot", "-Xclang"})
      ForClang.push_back(A);
    ForClang.push_back(File);
  } else {
    Listing = {"CC_PRINT_HEADERS=1", "CC_PRINT_HEADERS_FORMAT=textual",
               "CC_PRINT_HEADERS_FILTERING=none",
               "CC_PRINT_HEADERS_FILE=" + File};
  }
  int Status = spawn(AGGLOM_CLANG_PATH, ForClang, environment(Listing));
  if (Status < 0)
    return false;
  Result = WIFEXITED(Status) ? WEXITSTATUS(Status) : 1;
  if (WIFSIGNALED(Status) && WTERMSIG(Status) != SIGPIPE)
    fprintf(stderr, "agglomcc: error: '%s' was ended by a signal (%s)\n",
            AGGLOM_CLANG_PATH, strsignal(WTERMSIG(Status)));
  Finding All = Files.scanFile(Simple.Source);
  All.add(Simple.InMacros);
  if (scanListed(List, Simple.WritesUserHeaders, Files, All) &&
      !All.mayHoldPragma())
    return true;
  Arguments Probe = Args;
  Probe.insert(Probe.begin(), "--agglom-probe");
  return spawn(Proper, Probe, environment({})) == 0;
}

int main(int Argc, char **Argv) {
  std::string Folder = ownFolder();
  std::string Proper = Folder + "/" AGGLOM_PROPER_FROM_BINDIR;
  Arguments Args(Argv + (Argc ? 1 : 0), Argv + Argc);
  int Result;
  if (compiled(Args, Folder, Proper, Result))
    return Result;
  return runProper(Proper, Argc ? Argv[0] : "agglomcc", Args);
}
