// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clang executable is a small program over libraries that agglomcc has
// loaded already. Loading them once more takes as long as compiling a small
// file, so a copy of this process (fork) may do the work of clang.

#ifndef AGGLOM_FRONTEND_OWNCLANG_H
#define AGGLOM_FRONTEND_OWNCLANG_H

#include <string>
#include <vector>

namespace agglom {

/// The exit status of a copy in which Clang's backend failed, without a
/// message.
constexpr int OwnClangGaveUp = 200;

/// Does what the clang at \p Program does with the arguments \p Args, if that
/// is a single compilation or links objects. To be called in a copy of the
/// process, which must end afterwards: nothing is freed.
/// \returns the exit status, or a negative number when the command is another
/// and \p Program itself must be run; nothing has been printed then.
int runAsClang(const std::string &Program,
               const std::vector<std::string> &Args);

} // namespace agglom

#endif // AGGLOM_FRONTEND_OWNCLANG_H
