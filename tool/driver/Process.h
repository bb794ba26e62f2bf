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
  std::string StdinFile;  ///< "" for this process' own
  std::string StderrFile; ///< "" for this process' own
  /// The program is the clang whose libraries agglomcc has loaded: a copy of
  /// this process can do its work.
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

/// A program that runs beside this process, from construction until wait()
/// returns.
class Running {
public:
  explicit Running(Command C);
  Running(const Running &) = delete;
  Running &operator=(const Running &) = delete;
  ~Running();

  /// \returns the exit status of the program. When it could not be started or
  /// was ended by a signal, reports that, returns 1 and clears \p Finished.
  int wait(bool *Finished = nullptr);

private:
  void start(bool AsCopy);
  int await();

  Command C;
  TempFiles Temps{false};
  int PID = 0;    ///< 0: not started, or waited for
  int Failed = 0; ///< errno of a failed start
};

/// Runs the command and waits; see Running::wait().
int run(const Command &C, bool *Finished = nullptr);

/// For a signal handler: ends the running programs, and waits for them. Each
/// program is given a moment to end by itself, for a signal from a terminal or
/// 'timeout' has reached it, too, and a second signal may come while it removes
/// its files.
void stopRunning(int Signal);

/// The text of a file; "" when it cannot be read.
std::string readFile(llvm::StringRef Path);

/// Writes \p Text to \p Path ("-": standard output) so that the file is either
/// complete or not there. Returns false after a message on an error.
bool writeFile(llvm::StringRef Path, llvm::StringRef Text);

/// Flushes standard output. Returns false after a message on an error.
bool flushOutput();

/// Replaces the content of a file of the user's, which keeps its permissions;
/// where \p Path is a link, that of the file behind it. All or nothing.
bool replaceFile(llvm::StringRef Path, llvm::StringRef Text);

/// Whether a step failed because the folder of temporary files is full; then a
/// message was printed.
bool tempFolderIsFull();

/// Runs a command that writes \p Output; a signal removes \p Output meanwhile.
/// Compilers remove incomplete files themselves, unless they are killed.
int runFor(llvm::StringRef Output, const Command &C, bool *Finished = nullptr);

/// Removes the output of a failed step, if it is a regular file, not a device.
void removeOutput(llvm::StringRef Path);

} // namespace agglom

#endif // AGGLOM_DRIVER_PROCESS_H
