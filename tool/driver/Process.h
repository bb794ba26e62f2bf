// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Running other programs, and the files that live between two of them.

#ifndef AGGLOM_DRIVER_PROCESS_H
#define AGGLOM_DRIVER_PROCESS_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace agglom {

/// A program with its arguments; no shell is ever involved.
struct Command {
  std::string Program; ///< path
  std::vector<std::string> Args;
  std::string StdinFile;  ///< "" for our own standard input
  std::string StderrFile; ///< "" for our own standard error
};

/// Writes the command to stderr as Clang's -v does, each argument quoted.
void print(const Command &C);

/// Runs the command and waits. \returns its exit status; when it could not be
/// started or was ended by a signal, says so, returns 1 and clears \p Finished.
int run(const Command &C, bool *Finished = nullptr);

/// The text of a file; "" when it cannot be read.
std::string readFile(llvm::StringRef Path);

/// Writes \p Text to \p Path ("-": standard output) so that the file is either
/// complete or not there. Says so and returns false on an error.
bool writeFile(llvm::StringRef Path, llvm::StringRef Text);

/// Replaces the content of a file of the user's, which keeps its permissions;
/// where \p Path is a link, that of the file behind it. All or nothing.
bool replaceFile(llvm::StringRef Path, llvm::StringRef Text);

/// Removes an output of which a step failed: a regular file, never a device.
void removeOutput(llvm::StringRef Path);

/// Files that are removed when this object goes, and on a signal.
class TempFiles {
  std::vector<std::string> Paths;
  bool DryRun;

public:
  explicit TempFiles(bool DryRun) : DryRun(DryRun) {}
  TempFiles(const TempFiles &) = delete;
  TempFiles &operator=(const TempFiles &) = delete;
  ~TempFiles();

  /// A new empty file <stem>-xxxxxx.<extension>; only a name in a dry run.
  /// "" after a message when there cannot be one.
  std::string create(llvm::StringRef Stem, llvm::StringRef Extension);
};

} // namespace agglom

#endif // AGGLOM_DRIVER_PROCESS_H
