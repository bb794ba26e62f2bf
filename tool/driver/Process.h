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
  /// The program is the clang whose libraries we are: it need not be loaded.
  bool IsOwnClang = false;
};

/// Writes the command to stderr as Clang's -v does, each argument quoted.
void print(const Command &C);

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

/// A program that runs beside us, from its construction until wait() returns.
class Running {
public:
  explicit Running(Command C);
  Running(const Running &) = delete;
  Running &operator=(const Running &) = delete;
  ~Running();

  /// \returns its exit status; when it could not be started or was ended by a
  /// signal, says so, returns 1 and clears \p Finished.
  int wait(bool *Finished = nullptr);

private:
  void start(bool AsCopy);
  int await();

  Command C;
  TempFiles Temps{false};
  int PID = 0;    ///< 0: not started, or waited for
  int Failed = 0; ///< to start: the errno
};

/// Runs the command and waits; see Running::wait().
int run(const Command &C, bool *Finished = nullptr);

/// For a signal's handler: ends what runs, and waits for it. Each program is
/// given a moment to end by itself, for what a terminal or 'timeout' sends has
/// reached it too, and a second signal may find it removing its files.
void stopRunning(int Signal);

/// The text of a file; "" when it cannot be read.
std::string readFile(llvm::StringRef Path);

/// Writes \p Text to \p Path ("-": standard output) so that the file is either
/// complete or not there. Says so and returns false on an error.
bool writeFile(llvm::StringRef Path, llvm::StringRef Text);

/// Writes out what is buffered for standard output. Says so and returns false
/// where that cannot be.
bool flushOutput();

/// Replaces the content of a file of the user's, which keeps its permissions;
/// where \p Path is a link, that of the file behind it. All or nothing.
bool replaceFile(llvm::StringRef Path, llvm::StringRef Text);

/// Of a step that failed: is it because temporary files had no room? Says so.
bool tempFolderIsFull();

/// Runs a command that writes \p Output, which a signal removes meanwhile:
/// compilers remove what is half written themselves, unless they are killed.
int runFor(llvm::StringRef Output, const Command &C, bool *Finished = nullptr);

/// Removes an output of which a step failed: a regular file, never a device.
void removeOutput(llvm::StringRef Path);

} // namespace agglom

#endif // AGGLOM_DRIVER_PROCESS_H
