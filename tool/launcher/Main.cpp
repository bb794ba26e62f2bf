// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// agglomcc as it is called. Loading Clang's libraries and reading a unit with
// them takes as long as compiling a small file, so that is left to the compiler
// proper, agglomcc1, and done only where it is needed:
//
//   1. Does the command compile C at all (HostCommand.h)? If not, the host
//      compiler replaces the launcher; a link gets the runtime library when
//      something in it needs it (LinkInputs.h).
//   2. Is the command plain (Simple.h), and is no pragma in sight in the files
//      and the headers beside them (Scan.h)? If not: agglomcc1.
//   3. Clang compiles with the user's own arguments and lists the headers that
//      it reads.
//   4. If one of them may hold a pragma, 'agglomcc1 --agglom-probe' finds out
//      by preprocessing. Should a unit be annotated after all: agglomcc1.
//
// The headers that Clang has read decide, not a guess; the guess in 2 only
// spares annotated units a wasted compilation. gcc as host compiler cannot list
// its headers. It takes the launcher's place when no file that it may read can
// hold a pragma (Gcc.h), and so does any host compiler under -fno-agglom.

#include "../support/LinkInputs.h"
#include "../support/RuntimeLibrary.h"
#include "Child.h"
#include "Gcc.h"
#include "HostCommand.h"
#include "Scan.h"
#include "Simple.h"
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#ifndef AGGLOM_CLANG_PATH
#error "define AGGLOM_CLANG_PATH as the path of clang"
#endif

using namespace agglom;
using Arguments = std::vector<std::string>;

/// The folder this executable is in, also where no /proc is mounted.
static std::string ownFolder() {
  char Path[4096];
  ssize_t Length = readlink("/proc/self/exe", Path, sizeof Path);
  std::string Self(Path, Length > 0 ? Length : 0);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): so the C library gives it
  auto Name = reinterpret_cast<const char *>(getauxval(AT_EXECFN));
  if (Self.empty() && Name) {
    char *Real = realpath(Name, nullptr);
    Self = Real ? Real : "";
    free(Real);
  }
  return Self.substr(0, Self.rfind('/'));
}

/// Becomes the compiler proper, which finds all other files relative to its
/// own.
static int runProper(const std::string &Proper, const Arguments &Args) {
  execv(Proper.c_str(), pointers(Proper.c_str(), Args).data());
  fprintf(stderr,
          "agglomcc: error: cannot run '%s': %s; the installation of agglom "
          "is not complete\n",
          Proper.c_str(), strerror(errno));
  return 1;
}

/// The clang that is the host compiler unless another one is asked for.
static std::string hostClang() {
  const char *Asked = getenv("AGGLOMCC_CLANG");
  return Asked && *Asked ? Asked : AGGLOM_CLANG_PATH;
}

/// Does the environment change Clang's command line, or the way that Clang
/// lists headers?
static bool isUnusualEnvironment() {
  for (const char *Name :
       {"AGGLOMCC_CLANG", "CC_PRINT_HEADERS", "CC_PRINT_HEADERS_FILE",
        "CC_PRINT_HEADERS_FORMAT", "CC_PRINT_HEADERS_FILTERING",
        "CCC_OVERRIDE_OPTIONS", "CCC_ADD_ARGS"})
    if (getenv(Name))
      return true;
  return false;
}

/// Turns Clang's graph of includes into a list with one file a line. \returns
/// false if \p Text is no graph.
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
    // The graph leaves out the leading slash.
    bool IsRelative = access(Name.c_str(), R_OK) == 0;
    if (IsRelative)
      Out += Name + '\n';
    if (!IsRelative || access(("/" + Name).c_str(), R_OK) == 0)
      Out += '/' + Name + '\n';
  }
  Text = std::move(Out);
  return true;
}

/// Scans the files of the list, one a line.
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

/// Adds the arguments that link the runtime library for the command \p
/// Expanded.
/// \returns false after a message where there is none.
static bool addRuntime(const std::string &Folder, const Arguments &Expanded,
                       bool IsShared, bool HasLanguage, Arguments &Args) {
  std::string Lib = Folder + "/" AGGLOM_LIBDIR_FROM_BINDIR;
  if (char *Real = realpath(Lib.c_str(), nullptr)) {
    Lib = Real;
    free(Real);
  }
  std::string File =
      Lib + "/" + runtimeFile(runtimeVariant(Expanded), IsShared);
  if (access(File.c_str(), R_OK) != 0) {
    fprintf(stderr,
            "agglomcc: error: the runtime library '%s' does not exist; it "
            "belongs into the folder lib beside agglomcc's bin\n",
            File.c_str());
    return false;
  }
  if (HasLanguage)
    Args.insert(Args.end(), {"-x", "none"});
  for (const std::string &A :
       IsShared ? sharedRuntimeArgs(File) : staticRuntimeArgs(File))
    Args.push_back(A);
  return true;
}

/// Whether the inputs of a link need the runtime; warns of inputs for other
/// machines.
static bool needsRuntime(const Arguments &Expanded) {
  LinkNeeds Needs = linkNeeds(Expanded);
  warnOtherMachine(Needs);
  return Needs.Runtime;
}

/// Lets the host compiler take this process' place. Returns only on failure.
static void becomeHost(const std::string &Compiler, const Arguments &Args) {
  std::vector<char *> Argv = pointers(Compiler.c_str(), Args);
  execvp(Compiler.c_str(), Argv.data());
}

/// --version: the host compiler's version, which tools look for, then
/// agglomcc's.
static int printVersion() {
  Child Clang;
  Clang.Program = AGGLOM_CLANG_PATH;
  Clang.Args = {"--version"};
  Clang.Stdout = memoryFile("agglomcc-version", "");
  if (Clang.run())
    return 1;
  dprintf(Clang.Stdout, "agglomcc %s\n", AGGLOM_VERSION);
  if (int Failed = copyToStdout(Clang.Stdout)) {
    fprintf(stderr, "agglomcc: error: cannot write standard output: %s\n",
            strerror(Failed));
    return 1;
  }
  return 0;
}

/// The folders in which other projects' headers are likely to be.
static Arguments likelyFolders(Arguments Folders) {
  for (const char *Variable : {"CPATH", "C_INCLUDE_PATH"}) {
    const char *Value = getenv(Variable);
    std::string Rest = Value ? Value : "";
    while (!Rest.empty()) {
      size_t End = std::min(Rest.find(':'), Rest.size());
      Folders.push_back(End ? Rest.substr(0, End) : ".");
      Rest.erase(0, End + 1);
    }
  }
  Folders.push_back("/usr/local/include");
  return Folders;
}

/// Does a file of the command contain the word "agglom"? A guess.
static bool wordSeen(const SimpleCommand &Simple, Scanner &Files) {
  for (const std::string &Source : Simple.Sources)
    if (Files.wordIncluded(Source))
      return true;
  for (const std::string &Name : Simple.Included)
    if (Files.wordIn(Name))
      return true;
  return false;
}

/// The same for headers that are compiled by themselves.
static bool wordSeen(const HostCommand &Host) {
  if (Host.Headers.empty())
    return false;
  Scanner Files(likelyFolders(Host.Folders));
  for (const std::string &Header : Host.Headers)
    if (Files.wordIncluded(Header))
      return true;
  return false;
}

/// A command of which Clang compiles all the C.
class Compilation {
public:
  /// \p Given is \p Args without agglomcc's own options, \p Expanded is \p
  /// Given with response files expanded.
  Compilation(const Arguments &Args, const Arguments &Given,
              const Arguments &Expanded, const std::string &Folder,
              const std::string &Proper, const SimpleCommand &Simple)
      : Args(Args), Given(Given), Expanded(Expanded), Folder(Folder),
        Proper(Proper), Simple(Simple), Files(likelyFolders(Simple.Folders)) {}

  /// \returns false when Clang cannot do it, or when a unit is annotated.
  bool run(int &Result);

private:
  bool takePipes();
  bool prepare();
  bool isAnnotated(int Result);

  const Arguments &Args, &Given, &Expanded;
  const std::string &Folder, &Proper;
  const SimpleCommand &Simple;
  Scanner Files;
  Child Clang;
  int List = -1; ///< file in memory with the list of headers
  bool GetsRuntime = false;
};

/// Reads standard input, which can be read only once, into a file in memory,
/// which later readers use. \returns that file, or -1.
static int takeStdin(const std::string &Source, Scanner &Files) {
  std::string Text;
  if (!readAll(STDIN_FILENO, Text))
    return -1;
  int FD = memoryFile("agglomcc-stdin", Text);
  if (FD >= 0 && dup2(FD, STDIN_FILENO) < 0)
    return -1;
  Files.setText(Source, Text);
  return FD;
}

static bool isStdin(const std::string &Source) {
  return Source == "-" || Source == "/dev/stdin";
}

/// Reads standard input and named pipes. \returns false for more than one of a
/// kind.
bool Compilation::takePipes() {
  for (const std::string &Source : Simple.Sources) {
    struct stat Status;
    if (isStdin(Source)) {
      if (Clang.Stdin >= 0)
        return false;
      Clang.Stdin = takeStdin(Source, Files);
      if (Clang.Stdin < 0)
        return false;
    } else if (!stat(Source.c_str(), &Status) && S_ISFIFO(Status.st_mode)) {
      int FD = Clang.Pipe.empty() ? open(Source.c_str(), O_RDONLY) : -1;
      bool Ok = FD >= 0 && readAll(FD, Clang.PipeText);
      close(FD);
      if (!Ok)
        return false;
      Clang.Pipe = Source;
      Files.setText(Source, Clang.PipeText);
    }
  }
  return true;
}

/// \returns false when the compiler proper must do the work.
bool Compilation::prepare() {
  if (Simple.HidesHeaders || !takePipes() || wordSeen(Simple, Files))
    return false;
  Clang.Program = AGGLOM_CLANG_PATH;
  Clang.Args = Given;
  if (Simple.OnlyHost)
    return true;
  if (Simple.TakesRuntime && needsRuntime(Expanded)) {
    GetsRuntime = true;
    if (!addRuntime(Folder, Expanded, Simple.IsShared, Simple.HasLanguage,
                    Clang.Args))
      exit(1);
  }
  List = memfd_create("agglomcc-headers", 0);
  if (List < 0)
    return false;
  std::string File = "/proc/self/fd/" + std::to_string(List);
  if (access(File.c_str(), W_OK) != 0)
    return false;
  if (Simple.WritesUserHeaders) {
    // The variables below would make -MMD list system headers, too.
    for (const char *A : {"-Xclang", "-dependency-dot", "-Xclang"})
      Clang.Args.push_back(A);
    Clang.Args.push_back(File);
  } else {
    Clang.EnvironmentAdditions = {
        "CC_PRINT_HEADERS=1", "CC_PRINT_HEADERS_FORMAT=textual",
        "CC_PRINT_HEADERS_FILTERING=none", "CC_PRINT_HEADERS_FILE=" + File};
  }
  // Output is held back, for the unit may be annotated.
  Clang.Stdout = memoryFile("agglomcc-stdout", "");
  return Clang.Stdout >= 0;
}

/// Decides by the files that Clang has read.
bool Compilation::isAnnotated(int Result) {
  Finding All;
  All.add(Simple.InMacros);
  for (const std::string &Source : Simple.Sources)
    All.add(Files.scanFile(Source));
  if (scanListed(List, Simple.WritesUserHeaders, Files, All) &&
      !All.mayHoldPragma())
    return false;
  if (!Clang.Pipe.empty())
    return true; // a pipe cannot be read again, so this is refused there
  Child Probe;
  Probe.Program = Proper;
  Probe.Stdin = Clang.Stdin;
  Probe.Args = Args;
  Probe.Args.insert(Probe.Args.begin(), "--agglom-probe");
  int Status = Probe.run();
  // Calls of the runtime need no pragma; without the runtime the link fails.
  if (Status >= 0 && WIFEXITED(Status) &&
      WEXITSTATUS(Status) == ProbedCallsRuntime)
    return Result && Simple.TakesRuntime && !GetsRuntime;
  return Status != 0;
}

bool Compilation::run(int &Result) {
  if (!prepare())
    return false;
  if (Simple.OnlyHost && Clang.Stdin < 0 && Clang.Pipe.empty())
    becomeHost(AGGLOM_CLANG_PATH, Given);
  int Status = Clang.run();
  if (Status < 0)
    return false;
  Result = WIFEXITED(Status) ? WEXITSTATUS(Status) : 1;
  if (WIFSIGNALED(Status) && WTERMSIG(Status) != SIGPIPE)
    fprintf(stderr, "agglomcc: error: '%s' was ended by a signal (%s)\n",
            AGGLOM_CLANG_PATH, strsignal(WTERMSIG(Status)));
  if (!Simple.OnlyHost && isAnnotated(Result))
    return false;
  if (Clang.Stdout < 0)
    return true;
  int Failed = copyToStdout(Clang.Stdout);
  if (Failed == EPIPE)
    Result = EX_IOERR; // as Clang, when the reader has closed the pipe
  else if (Failed) {
    Clang.Stdout = -1; // Clang reports the error
    Status = Clang.run();
    Result = WIFEXITED(Status) ? WEXITSTATUS(Status) : 1;
  }
  return true;
}

/// May a host compiler that cannot list its headers take the launcher's place?
/// Clang is such a compiler for preprocessed text: it lists the files in line
/// markers.
static bool isForHost(const OwnOptions &Own, const Arguments &Args,
                      const SimpleCommand &Simple) {
  Arguments Folders = likelyFolders(Simple.Folders), Included = Simple.Included;
  bool KnowsFolders = Own.NoPragmas || Simple.OnlyHost ||
                      Simple.IsPreprocessed ||
                      addGccFolders(Own.Compiler, Args, Simple, Folders);
  if (!KnowsFolders)
    return false;
  Scanner Files(Folders);
  bool TookStdin = false;
  for (const std::string &Source : Simple.Sources) {
    if (!isStdin(Source))
      continue;
    if (TookStdin || takeStdin(Source, Files) < 0)
      return false;
    TookStdin = true;
  }
  if (Simple.OnlyHost && !Own.NoPragmas)
    return !wordSeen(Simple, Files);
  Included.emplace_back("stdc-predef.h"); // gcc's own -include
  Closure All = Files.closure(Simple.Sources, Included);
  All.What.add(Simple.InMacros);
  if (!All.IsKnown)
    return false;
  if (Own.NoPragmas) // calls of the runtime need no pragma
    return !All.NamesOurs && !(Simple.Links && All.What.Word);
  return !All.What.mayHoldPragma();
}

int main(int Argc, char **Argv) {
  std::string Folder = ownFolder();
  std::string Proper = Folder + "/" AGGLOM_PROPER_FROM_BINDIR;
  Arguments Args(Argv + (Argc ? 1 : 0), Argv + Argc), Expanded;
  if (!expandResponseFiles(Args, Expanded))
    return runProper(Proper, Args);

  if (!Args.empty() && Args[0].compare(0, 4, "-cc1") == 0) {
    becomeHost(hostClang(), Args);
    return runProper(Proper, Args);
  }
  bool MayUseClang =
      !isUnusualEnvironment() && access(AGGLOM_CLANG_PATH, X_OK) == 0;
  if (MayUseClang && Args == Arguments{"--version"})
    return printVersion();
  OwnOptions Own;
  Arguments Rest;
  if (!takeOwnOptions(Args, Expanded, Own, Rest))
    return runProper(Proper, Args);
  Arguments Given = Rest.size() == Expanded.size() ? Args : Rest;
  HostCommand Host;
  SimpleCommand Simple;
  if (isHostCommand(Rest, Host)) {
    if (!Own.NoPragmas && wordSeen(Host))
      return runProper(Proper, Args);
    if (Own.ChoosesRuntime)
      Host.IsShared = Own.SharedRuntime;
    if (Host.MayLink && needsRuntime(Rest) &&
        !addRuntime(Folder, Rest, Host.IsShared, Host.HasLanguage, Given))
      return 1;
    becomeHost(Own.Compiler.empty() ? hostClang() : Own.Compiler, Given);
  } else if (MayUseClang && isSimple(Rest, Simple)) {
    if (Own.ChoosesRuntime)
      Simple.IsShared = Own.SharedRuntime;
    int Result;
    if (Own.Compiler.empty() && !Own.NoPragmas && !Simple.IsPreprocessed) {
      if (Compilation(Args, Given, Rest, Folder, Proper, Simple).run(Result))
        return Result;
    } else if (isForHost(Own, Rest, Simple)) {
      if (Simple.TakesRuntime && needsRuntime(Rest) &&
          !addRuntime(Folder, Rest, Simple.IsShared, Simple.HasLanguage, Given))
        return 1;
      becomeHost(Own.Compiler.empty() ? hostClang() : Own.Compiler, Given);
    }
  }
  return runProper(Proper, Args); // it reports what is missing
}
