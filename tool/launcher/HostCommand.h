// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Commands that compile no C: links, headers, other languages, queries. In
// these the host compiler takes the launcher's place. Also the first steps of
// reading every command: response files and agglomcc's own options.

#ifndef AGGLOM_LAUNCHER_HOSTCOMMAND_H
#define AGGLOM_LAUNCHER_HOSTCOMMAND_H

#include <string>
#include <vector>

namespace agglom {

/// The agglomcc options that the launcher handles itself.
struct OwnOptions {
  std::string Compiler; ///< of host code; "" for clang
  bool NoPragmas = false;
  bool ChoosesRuntime = false, SharedRuntime = false;
};

struct HostCommand {
  bool MayLink = true; ///< goes as far as a link with usual libraries
  bool IsShared = false;
  bool HasLanguage = false;         ///< -x is in force behind the last argument
  std::vector<std::string> Headers; ///< to be checked or precompiled
  std::vector<std::string> Folders; ///< of -I
};

/// Replaces response files by the arguments in them. \returns false where one
/// cannot be read, or is not plain.
bool expandResponseFiles(const std::vector<std::string> &Args,
                         std::vector<std::string> &Expanded);

/// Takes agglomcc's own options out of a command; \p Rest gets the other
/// arguments.
/// \returns false where an option is for the compiler proper, or stands in a
/// response file.
bool takeOwnOptions(const std::vector<std::string> &Args,
                    const std::vector<std::string> &Expanded, OwnOptions &Own,
                    std::vector<std::string> &Rest);

/// \p Rest has no response files and no options of agglomcc's own. \returns
/// false for a command that may compile C.
bool isHostCommand(const std::vector<std::string> &Rest, HostCommand &Host);

/// Does the option end the command before a link, or leave the usual libraries
/// out?
bool preventsRuntime(const std::string &Arg);

} // namespace agglom

#endif // AGGLOM_LAUNCHER_HOSTCOMMAND_H
