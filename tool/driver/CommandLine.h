// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// driver/: command lines, files and processes. Parsing C is left to the front
// end (steps/Steps.h).
//
// This file: the command line as the user typed it. Clang's own option table
// does the parsing, so each spelling that Clang accepts has Clang's meaning; an
// option of Clang's is only mentioned here where it needs special care.
// Arguments are kept as tokens and passed on as typed, in their order.

#ifndef AGGLOM_DRIVER_COMMANDLINE_H
#define AGGLOM_DRIVER_COMMANDLINE_H

#include "Steps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace agglom {

/// How far the command goes.
enum class Goal {
  Link,
  Object,   ///< -c
  Assembly, ///< -S
  Text,     ///< -E
  Check,    ///< -fsyntax-only, or Clang's verifier
  Foreign   ///< anything else (-M, --analyze, -cc1, a header, a query, ...):
            ///< the host compiler's business alone
};

enum class Stage { None, C, Cuda, PTX };

/// --fix and --suggest: files changed in place, or shown as a diff.
enum class EditMode { None, Print, Apply };

/// agglomcc's own options.
struct OwnOptions {
  bool Enabled = true; ///< cleared by -fno-agglom
  bool Report = false;
  std::optional<bool> SharedRuntime; ///< unset: static, for -shared shared
  std::vector<unsigned> Archs = {80, 90};
  std::string HostCompiler; ///< empty: Clang
  Stage Emit = Stage::None;
  EditMode Edit = EditMode::None;
  bool Suggest = false; ///< the changes are new pragmas, not fix-its
  bool Help = false, HelpPragmas = false, Version = false;
  bool OwnVersion = false; ///< --agglom-version
  bool ShowCompile = false, ShowLink = false;
  WarningOptions Warnings;
};

/// One input file of the command line.
struct Input {
  std::string Name;            ///< as typed; "-" is standard input
  std::string Language;        ///< argument of the -x in force, or ""
  bool IsC = false;            ///< C or preprocessed C: may be annotated
  bool IsLinkerOption = false; ///< -lfoo, -Wl,...: an input to Clang's eyes
};

/// The steps that an option applies to.
enum StepMask : unsigned {
  UnitStep = 1,  ///< reading the unit: preprocessing, parsing
  CheckStep = 2, ///< warnings while reading the unit
  HostStep = 4   ///< code generation from preprocessed text
};

class CommandLine {
public:
  /// Parses argv with @files expanded. Returns null after an error, which it
  /// has printed.
  static std::unique_ptr<CommandLine> parse(int Argc, const char **Argv);

  std::vector<std::string> Given; ///< all arguments, with @files expanded
  OwnOptions Own;
  Goal What = Goal::Link;
  std::vector<Input> Inputs;
  std::string Output; ///< -o, or ""
  bool Verbose = false, DryRun = false, SaveTemps = false;
  bool SaveTempsByOutput = false;   ///< -save-temps=obj
  bool Verify = false;              ///< -Xclang -verify
  bool IsQuery = false;             ///< -print-..., -dumpmachine, ...
  bool ListsMacros = false;         ///< -dM, -dD: predefined ones as well
  bool EmitLLVM = false;            ///< -emit-llvm: .ll and .bc
  bool NoLineMarkers = false;       ///< -P
  bool WritesDependencies = false;  ///< -MD, -MMD
  bool HasWorkingDirectory = false; ///< -working-directory
  bool TakesRuntime = false; ///< linking something that can use the runtime
  std::string CompilationDatabase; ///< -MJ
  std::string CompilationEntries;  ///< -gen-cdb-fragment-path: a folder

  /// The arguments as typed, without agglomcc's own and argv[0].
  std::vector<std::string> verbatim() const;

  /// As verbatim(), but each input is replaced by the result of \p Replace:
  /// nullopt keeps it, "" drops it, any other string is an object file. \p
  /// Options and \p Libraries are appended so that neither '--' nor -x applies
  /// to them.
  std::vector<std::string>
  edited(llvm::function_ref<std::optional<std::string>(size_t)> Replace,
         const std::vector<std::string> &Options,
         const std::vector<std::string> &Libraries = {}) const;

  /// As edited(), with all inputs kept.
  std::vector<std::string>
  extended(const std::vector<std::string> &Options,
           const std::vector<std::string> &Libraries) const;

  /// The options that apply to one of \p Steps, verbatim.
  std::vector<std::string> optionsFor(unsigned Steps) const;

  /// Options for device code, derived from the user's: optimisation level,
  /// floating point, integer semantics, C version, debug info.
  std::vector<std::string> deviceOptions() const;

  /// Options that make gcc accept generated text for a unit in a C89 mode: the
  /// same language in C99's grammar.
  std::vector<std::string> standardForGcc() const;

  bool debugInfo() const; ///< -g of some kind

  /// The options that Clang's table does not contain.
  std::vector<std::string> unknownOptions() const;
  /// The option of Clang's table with almost the same spelling, or "".
  static std::string nearestClangOption(llvm::StringRef Arg);

  bool isShared() const; ///< -shared
  /// The option that gives structures another layout than those of the runtime
  /// library, or "": -fpack-struct, gcc's -fsso-struct=big-endian.
  std::string layoutOption() const;

  /// -MF and -MQ with the names that Clang would choose, unless the user gave
  /// them.
  std::vector<std::string> dependencyNames(const Input &I,
                                           bool HostIsClang) const;

  /// Options with which Clang looks for headers in the folders that -B gives
  /// gcc.
  std::vector<std::string> gccFolders() const;

  /// Host options that give the files beside an object (.dwo, .gcno, .gcda) the
  /// names they would have without a temporary object: prog-x.dwo for 'agglomcc
  /// -gsplit-dwarf x.c -o prog'.
  std::vector<std::string> auxiliaryNames(const Input &I,
                                          bool HostIsClang) const;

private:
  CommandLine() : Saver(Allocator) {}
  bool ForGcc = false; ///< the host compiler is not Clang
  bool takeOwn(llvm::StringRef Arg, bool &IsOwn);
  void readInputs();
  bool readGoal();
  unsigned stepsOf(const llvm::opt::Arg &A) const;
  std::set<const llvm::opt::Arg *> preprocessingByFrontEnd() const;
  bool isProgramItself(const Input &I) const;
  void tokensOf(const llvm::opt::Arg &A, std::vector<std::string> &Out) const;

  llvm::BumpPtrAllocator Allocator;
  llvm::StringSaver Saver;
  std::vector<const char *> Tokens; ///< without agglomcc's own
  llvm::opt::InputArgList Args;
  std::vector<unsigned> Ends; ///< token index behind each argument of Args
};

/// Whether the host compiler with this name or path is Clang.
bool isClang(llvm::StringRef Program);

/// The names of agglomcc's own warning groups, for --help and for misspelt
/// options.
std::vector<std::string> warningGroups();

} // namespace agglom

#endif // AGGLOM_DRIVER_COMMANDLINE_H
