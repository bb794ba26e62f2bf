// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the runtime is linked; for the launcher and the compiler proper.

#ifndef AGGLOM_SUPPORT_RUNTIMELIBRARY_H
#define AGGLOM_SUPPORT_RUNTIMELIBRARY_H

#include <string>
#include <vector>

namespace agglom {

/// What the static runtime needs.
#ifndef AGGLOM_RUNTIME_LIBS
#define AGGLOM_RUNTIME_LIBS "-lpthread", "-ldl", "-lm"
#endif

/// Arguments that link \p File, a static library, in such a way that a program
/// without tasks does not come to depend on anything.
inline std::vector<std::string> staticRuntimeArgs(const std::string &File) {
  return {"-Wl,--push-state,--as-needed", File, AGGLOM_RUNTIME_LIBS,
          "-Wl,--pop-state"};
}

/// The same for the shared library in \p Folder, which is found again there.
inline std::vector<std::string> sharedRuntimeArgs(const std::string &Folder) {
  std::vector<std::string> Args = {"-Wl,--push-state,--as-needed",
                                   Folder + "/libagglomrt.so"};
  if (Folder.compare(0, 8, "/usr/lib") != 0)
    Args.push_back("-Wl,-rpath," + Folder);
  Args.push_back("-Wl,--pop-state");
  return Args;
}

/// What agglomcc1 --agglom-probe ends with for units without pragmas that name
/// functions of the runtime; 0 where they do not, 1 where there are pragmas.
constexpr int ProbedCallsRuntime = 3;

} // namespace agglom

#endif // AGGLOM_SUPPORT_RUNTIMELIBRARY_H
