// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Child.h"
#include "../support/Interrupts.h"
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace agglom {

using Arguments = std::vector<std::string>;

std::vector<char *> pointers(const char *First, const Arguments &Args) {
  std::vector<char *> Out = {const_cast<char *>(First)};
  for (const std::string &A : Args)
    Out.push_back(const_cast<char *>(A.c_str()));
  Out.push_back(nullptr);
  return Out;
}

std::vector<char *> environment(const Arguments &Additions) {
  std::vector<char *> Out;
  for (char **Variable = environ; *Variable; ++Variable)
    Out.push_back(*Variable);
  for (const std::string &Variable : Additions)
    Out.push_back(const_cast<char *>(Variable.c_str()));
  Out.push_back(nullptr);
  return Out;
}

static volatile sig_atomic_t Caught;

static void note(int Signal) { Caught = Signal; }

/// Waits for the child. A signal is passed on to it after a delay: a signal
/// from a terminal or 'timeout' has reached it already, and a second one would
/// end Clang before it has removed its files.
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

static bool writeAll(int FD, const char *Text, size_t Size) {
  while (Size) {
    ssize_t N = write(FD, Text, Size);
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0)
      return false;
    Text += N;
    Size -= N;
  }
  return true;
}

/// Starts a process that writes \p Text into a named pipe once it has a reader.
static pid_t feed(const std::string &Pipe, const std::string &Text) {
  pid_t PID = fork();
  if (PID)
    return PID;
  int FD = open(Pipe.c_str(), O_WRONLY);
  if (FD >= 0)
    writeAll(FD, Text.data(), Text.size());
  _exit(0);
}

int Child::run() const {
  sigset_t Mine, Old;
  sigemptyset(&Mine);
  for (int Signal : Interrupts)
    sigaddset(&Mine, Signal);
  sigprocmask(SIG_BLOCK, &Mine, &Old);

  // The child starts with the signal mask of this process' start.
  posix_spawnattr_t Attributes;
  posix_spawnattr_init(&Attributes);
  posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setsigmask(&Attributes, &Old);
  posix_spawn_file_actions_t Actions;
  posix_spawn_file_actions_init(&Actions);
  if (Stdin >= 0) {
    lseek(Stdin, 0, SEEK_SET);
    posix_spawn_file_actions_adddup2(&Actions, Stdin, STDIN_FILENO);
  }
  if (Stdout >= 0)
    posix_spawn_file_actions_adddup2(&Actions, Stdout, STDOUT_FILENO);
  pid_t PID;
  int Failed = posix_spawn(&PID, Program.c_str(), &Actions, &Attributes,
                           pointers(Program.c_str(), Args).data(),
                           environment(EnvironmentAdditions).data());
  posix_spawn_file_actions_destroy(&Actions);
  posix_spawnattr_destroy(&Attributes);
  if (Failed) {
    sigprocmask(SIG_SETMASK, &Old, nullptr);
    return -1;
  }
  pid_t Feeder = Pipe.empty() ? 0 : feed(Pipe, PipeText);
  struct sigaction Action = {};
  Action.sa_handler = note; // without SA_RESTART: the wait ends
  for (int Signal : Interrupts) {
    struct sigaction Before;
    if (!sigaction(Signal, nullptr, &Before) && Before.sa_handler != SIG_IGN)
      sigaction(Signal, &Action, nullptr);
  }
  sigprocmask(SIG_SETMASK, &Old, nullptr);

  int Status;
  bool Waited = await(PID, Status);
  if (Feeder > 0) { // the feeder still waits when the pipe had no reader
    kill(Feeder, SIGKILL);
    waitpid(Feeder, nullptr, 0);
  }
  if (!Waited)
    return -1;
  if (Caught) { // the child has removed its files
    signal(Caught, SIG_DFL);
    raise(Caught);
  }
  return Status;
}

bool readAll(int FD, std::string &Text) {
  char Part[65536];
  for (;;) {
    ssize_t N = read(FD, Part, sizeof Part);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return N == 0;
    Text.append(Part, N);
  }
}

int memoryFile(const char *Name, const std::string &Text) {
  int FD = memfd_create(Name, MFD_CLOEXEC);
  if (FD >= 0 && writeAll(FD, Text.data(), Text.size()) &&
      lseek(FD, 0, SEEK_SET) == 0)
    return FD;
  close(FD);
  return -1;
}

int copyToStdout(int FD) {
  std::string Text;
  if (lseek(FD, 0, SEEK_SET) || !readAll(FD, Text))
    return errno;
  signal(SIGPIPE, SIG_IGN);
  if (!writeAll(STDOUT_FILENO, Text.data(), Text.size()))
    return errno;
  return 0;
}

} // namespace agglom
