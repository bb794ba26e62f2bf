// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Toolchain.h"
#include "CommandLine.h"
#include "Message.h"
#include "RuntimeLibrary.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

// The build defines the path of the clang of the same LLVM, and the relative
// paths between the folders of an installation.
#ifndef AGGLOM_CLANG_PATH
#error "define AGGLOM_CLANG_PATH as the path of clang"
#endif
#if !defined(AGGLOM_LIBDIR_FROM_BINDIR) || !defined(AGGLOM_BINDIR_FROM_PROPER)
#error "define where folders are as seen from others"
#endif

using namespace llvm;

namespace agglom {

static std::string environment(const char *Name) {
  return sys::Process::GetEnv(Name).value_or("");
}

static std::string join(const Twine &Dir, const Twine &Rest) {
  SmallString<128> Path;
  sys::path::append(Path, Dir, Rest);
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

/// The first of the files that exists, or "".
static std::string firstFile(const std::vector<std::string> &Paths) {
  for (const std::string &Path : Paths)
    if (sys::fs::exists(Path) && !sys::fs::is_directory(Path))
      return Path;
  return "";
}

static std::string onPath(StringRef Name) {
  ErrorOr<std::string> Found = sys::findProgramByName(Name);
  return Found && sys::fs::can_execute(*Found) ? *Found : std::string();
}

/// The folder above the folder of the real file behind \p Program.
static std::string rootOf(StringRef Program) {
  SmallString<128> Real;
  if (Program.empty() || sys::fs::real_path(Program, Real))
    return "";
  return sys::path::parent_path(sys::path::parent_path(Real)).str();
}

static void findCuda(Toolchain &T) {
  std::string Asked = environment("AGGLOMCC_CUDA_PATH");
  if (Asked == "none")
    return;
  std::vector<std::string> Roots;
  auto AddRoot = [&](std::string Root) {
    if (!Root.empty())
      Roots.push_back(std::move(Root));
  };
  if (!Asked.empty()) {
    AddRoot(Asked);
  } else {
    AddRoot(environment("CUDA_HOME"));
    AddRoot(environment("CUDA_PATH"));
    AddRoot(rootOf(onPath("nvcc")));
    AddRoot(rootOf(onPath("ptxas")));
    for (const char *Usual : {"/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda",
                              "/usr/lib/nvidia-cuda-toolkit"})
      AddRoot(Usual);
  }
  auto FindIn = [&](StringRef File) {
    std::vector<std::string> Paths;
    for (const std::string &Root : Roots)
      Paths.push_back(join(Root, File));
    return firstFile(Paths);
  };
  T.Ptxas = FindIn("bin/ptxas");
  T.Libdevice = FindIn("nvvm/libdevice/libdevice.10.bc");
  if (T.Libdevice.empty()) // Debian's nvidia-cuda-toolkit
    T.Libdevice = FindIn("libdevice/libdevice.10.bc");
  if (Asked.empty() && T.Ptxas.empty())
    T.Ptxas = onPath("ptxas"); // a toolkit with another layout
  if (!T.Ptxas.empty()) {
    std::string Beside = join(sys::path::parent_path(T.Ptxas), "fatbinary");
    T.Fatbinary = firstFile({Beside});
  }
}

static std::string findLibclc(StringRef ClangRoot) {
  std::string Asked = environment("AGGLOMCC_LIBCLC");
  if (!Asked.empty())
    return Asked == "none" ? "" : Asked;
  // nvptx64--nvidiacl.bc would call libdevice for log, sqrt and isinf.
  const char *Name = "nvptx64--.bc";
  return firstFile(
      {join(ClangRoot, Twine("lib/clc/") + Name),
       join(ClangRoot, Twine("share/clc/") + Name), join("/usr/lib/clc", Name),
       join("/usr/share/clc", Name), join("/usr/lib64/clc", Name),
       join("/usr/libexec/clc", Name), join("/usr/local/share/clc", Name)});
}

bool Toolchain::find(const char *Argv0, const std::string &Host) {
  std::string Self =
      sys::fs::getMainExecutable(Argv0, reinterpret_cast<void *>(&environment));
  std::string BinDir =
      join(sys::path::parent_path(Self), AGGLOM_BINDIR_FROM_PROPER);
  IncludeDir = join(BinDir, "../include");
  LibDir = join(BinDir, AGGLOM_LIBDIR_FROM_BINDIR);
  if (!sys::fs::is_directory(LibDir))
    LibDir = join(BinDir, "../lib");

  std::string Asked = environment("AGGLOMCC_CLANG");
  std::string Name = Asked.empty() ? AGGLOM_CLANG_PATH : Asked;
  Clang = onPath(Name);
  if (Clang.empty()) {
    std::string Major = std::to_string(LLVM_VERSION_MAJOR);
    error("clang is not at '" + Name + "'; " +
          (Asked.empty()
               ? "install clang-" + Major + " or set AGGLOMCC_CLANG to its path"
               : "AGGLOMCC_CLANG must be the path of clang " + Major));
    return false;
  }
  ClangIsOwn = Asked.empty();
  HostCompiler = Clang;
  if (!Host.empty()) {
    HostCompiler = onPath(Host);
    if (HostCompiler.empty()) {
      error("the host compiler '" + Host +
            "' does not exist; -fagglom-host-compiler= takes the name or path "
            "of a C compiler");
      return false;
    }
    HostIsClang = isClang(HostCompiler);
  }
  findCuda(*this);
  Libclc = findLibclc(rootOf(Clang));
  return true;
}

std::vector<std::string> Toolchain::runtimeArgs(bool Shared,
                                                const std::string &Variant,
                                                std::string &File) const {
  File = join(LibDir, runtimeFile(Variant, Shared));
  return Shared ? sharedRuntimeArgs(File) : staticRuntimeArgs(File);
}

} // namespace agglom
