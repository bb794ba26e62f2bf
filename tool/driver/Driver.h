// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan of a command and its execution.
//
//   no input is annotated   the host compiler, with the user's own arguments
//   otherwise               each annotated unit becomes an object file of its
//                           own; the rest of the command, with these objects
//                           in their places, is the host compiler's
//
//   x.c --preprocess, check, translate--> x.agglom.c, x.agglom.cu
//       x.agglom.cu --compileDevice--> images --packImages--> x.agglom.c
//       x.agglom.c --host compiler--> x.o

#ifndef AGGLOM_DRIVER_DRIVER_H
#define AGGLOM_DRIVER_DRIVER_H

#include "CommandLine.h"
#include "Process.h"
#include "Steps.h"
#include "Toolchain.h"

namespace agglom {

class Driver {
public:
  Driver(const CommandLine &CL, const Toolchain &Tools)
      : CL(CL), Tools(Tools), Temps(CL.DryRun), StdinCopy(false) {}

  /// \returns the exit status of the whole command.
  int run();

  /// Only finds out whether an input is annotated or needs the runtime.
  /// \returns 1, ProbedCallsRuntime, or 0.
  int probe();

private:
  struct Work {
    Unit U;
    Preprocessed P;
    bool NeedsHeaders = false; ///< needs agglom's include folder, and macro
    std::string Object;        ///< of an annotated unit that is to be linked
  };

  int runAll();
  /// After a crash: reports the input, and keeps the files that a bug report
  /// needs.
  int crashed();
  /// Reports a fault of agglomcc's own in an input. \returns 1.
  int blame(size_t Index, const Fault &F) const;
  /// Whether 'check' accepts the input for translation; errors were reported.
  bool accepts(size_t Index) const;
  bool acceptsOptions() const;
  bool readStandardInput();
  Preprocessed read(Unit &U) const;
  Unit makeUnit(const Input &I, unsigned Steps, bool WithHeaders = true) const;
  void examine(size_t Index);
  /// Warns of headers that only the host compiler has found, after it has ended
  /// with \p Status. \returns \p Status.
  int warnOfUnreadHeaders(int Status) const;
  bool isAnnotated(size_t Index) const { return Works[Index].P.Annotated; }

  bool seesAgglom(const Input &I) const;
  int runHost(std::vector<std::string> Args);
  /// Whether the file that -MJ names is there.
  bool hasEntries() const;
  /// Keeps the entries of annotated units in the -MJ file, which Clang
  /// truncates.
  int keepingEntries(llvm::function_ref<int()> Run);
  std::vector<std::string> headerArgs() const;
  std::vector<std::string> runtimeLibraries(bool Annotated, bool &Missing);

  int editSources();
  int compile(size_t Index);
  int preprocessOnly(size_t Index);
  int generate(size_t Index, const std::string &Output);
  bool compilesElsewhere(Command C);
  int link();
  std::string generatedName(const Input &I, llvm::StringRef Extension) const;
  std::string fileFor(const Input &I, llvm::StringRef Extension);
  std::string outputOf(const Input &I) const;
  bool writeCompilationDatabase(const Input &I, llvm::StringRef Output) const;

  const CommandLine &CL;
  const Toolchain &Tools;
  TempFiles Temps;
  std::vector<Work> Works; ///< one for each input
  size_t At = 0;           ///< the current one
  TempFiles StdinCopy;     ///< exists in a dry run too
  std::string StdinText;   ///< standard input, when it is a C unit
  std::string StdinFile;   ///< its copy for the host compiler
};

/// --help.
void printHelp();

} // namespace agglom

#endif // AGGLOM_DRIVER_DRIVER_H
