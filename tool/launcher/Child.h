// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that the launcher starts, and the data of their pipes.

#ifndef AGGLOM_LAUNCHER_CHILD_H
#define AGGLOM_LAUNCHER_CHILD_H

#include <string>
#include <vector>

namespace agglom {

/// The arguments of execv: \p First, then \p Args.
std::vector<char *> pointers(const char *First,
                             const std::vector<std::string> &Args);

/// This process' environment and \p Additions, "NAME=value".
std::vector<char *> environment(const std::vector<std::string> &Additions);

/// A program that is run and waited for.
struct Child {
  std::string Program;
  std::vector<std::string> Args, EnvironmentAdditions;
  int Stdin = -1, Stdout = -1; ///< instead of this process' own
  std::string Pipe;            ///< a named pipe that it reads...
  std::string PipeText;        ///< ...and the text it reads

  /// \returns the child's wait status, or -1. A signal that interrupts the
  /// child ends this process, too.
  int run() const;
};

/// Reads all that comes through \p FD.
bool readAll(int FD, std::string &Text);

/// A file in memory with that text, read from its beginning; -1 on failure.
int memoryFile(const char *Name, const std::string &Text);

/// Copies a file in memory to standard output. \returns 0 or an errno.
int copyToStdout(int FD);

} // namespace agglom

#endif // AGGLOM_LAUNCHER_CHILD_H
