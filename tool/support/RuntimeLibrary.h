// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the runtime is linked; for the launcher and the compiler proper.

#ifndef AGGLOM_SUPPORT_RUNTIMELIBRARY_H
#define AGGLOM_SUPPORT_RUNTIMELIBRARY_H

#include <string>
#include <vector>

namespace agglom {

/// The libraries that the static runtime needs.
#ifndef AGGLOM_RUNTIME_LIBS
#define AGGLOM_RUNTIME_LIBS "-lpthread", "-ldl", "-lm"
#endif

/// The part behind libagglomrt in the name of the runtime that a command links:
/// sanitizers that must see all memory accesses get a runtime that was compiled
/// with them. The last option about each sanitizer counts, as for the
/// compilers.
inline std::string runtimeVariant(const std::vector<std::string> &Args) {
  bool Thread = false, Memory = false;
  for (const std::string &A : Args) {
    bool On = A.rfind("-fsanitize=", 0) == 0;
    if (!On && A.rfind("-fno-sanitize=", 0) != 0)
      continue;
    std::string List = ',' + A.substr(A.find('=') + 1) + ',';
    auto Names = [&List](const char *Name) {
      return List.find(Name) != std::string::npos;
    };
    bool All = !On && Names(",all,");
    if (All || Names(",thread,"))
      Thread = On;
    if (All || Names(",memory,"))
      Memory = On;
  }
  return Thread ? "-tsan" : Memory ? "-msan" : "";
}

/// The file of the runtime that a link gets; \p Variant: see runtimeVariant().
inline std::string runtimeFile(const std::string &Variant, bool IsShared) {
  return "libagglomrt" + Variant + (IsShared ? ".so" : ".a");
}

/// Arguments that link \p File, a static library, so that a program without
/// tasks gets no new dependency. A program with tasks exports the runtime, so
/// that libraries loaded later use the same runtime.
inline std::vector<std::string> staticRuntimeArgs(const std::string &File) {
  return {"-Wl,--export-dynamic-symbol=agglom_*",
          "-Wl,--push-state,--as-needed", File, AGGLOM_RUNTIME_LIBS,
          "-Wl,--pop-state"};
}

/// Arguments that link \p File, a shared library, which is found at run time in
/// its folder.
inline std::vector<std::string> sharedRuntimeArgs(const std::string &File) {
  std::string Folder = File.substr(0, File.rfind('/'));
  std::vector<std::string> Args = {"-Wl,--push-state,--as-needed", File};
  if (Folder.compare(0, 8, "/usr/lib") != 0)
    Args.push_back("-Wl,-rpath," + Folder);
  Args.push_back("-Wl,--pop-state");
  return Args;
}

/// The exit status of agglomcc1 --agglom-probe for units without pragmas that
/// name functions of the runtime; 0 where they name none, 1 where there are
/// pragmas.
constexpr int ProbedCallsRuntime = 3;

} // namespace agglom

#endif // AGGLOM_SUPPORT_RUNTIMELIBRARY_H
