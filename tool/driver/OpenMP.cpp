// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpenMP.h"
#include "Message.h"
#include "Process.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace agglom {

/// The path of a file or folder of the compiler's own; "" when it has none.
static std::string placeOf(const std::string &Compiler, StringRef Name) {
  TempFiles Temps(/*DryRun=*/false);
  std::string File = Temps.create("place", "txt");
  if (File.empty())
    return "";
  std::string Option = "-print-file-name=" + Name.str();
  std::optional<StringRef> Redirects[] = {StringRef(""), StringRef(File),
                                          StringRef("")};
  if (sys::ExecuteAndWait(Compiler, {Compiler, Option}, std::nullopt,
                          Redirects))
    return "";
  auto Said = MemoryBuffer::getFile(File);
  std::string Place = Said ? (*Said)->getBuffer().trim().str() : "";
  return Place != Name && sys::fs::exists(Place) ? Place : "";
}

bool asksForOpenMP(const std::vector<std::string> &Options) {
  return any_of(Options, [](StringRef O) {
    return O == "-fopenmp" || O.starts_with("-fopenmp=");
  });
}

std::vector<std::string> openMPHeaderArgs(const Toolchain &Tools) {
  if (Tools.HostIsClang)
    return {};
  std::string Header = placeOf(Tools.HostCompiler, "include/omp.h");
  if (Header.empty())
    return {};
  return {"-D__AGGLOM_GCC_OMP_H=\"" + Header + '"'};
}

void explainOpenMP(const Toolchain &Tools, StringRef Text) {
  bool Links = Text.empty();
  if (!Links && !Text.contains("omp.h"))
    return;
  if (!Tools.HostIsClang) {
    if (placeOf(Tools.HostCompiler, Links ? "libgomp.so" : "include/omp.h")
            .empty())
      error("the OpenMP library of '" + Tools.HostCompiler +
            "' is not installed; on Debian it comes with the package gcc");
    return;
  }
  std::string Place =
      placeOf(Tools.HostCompiler, Links ? "libomp.so" : "include/omp.h");
  // Clang's answer may be gcc's header, but Clang does not look there for
  // headers.
  if (Place.empty() || (!Links && !StringRef(Place).contains("/clang/")))
    error("the OpenMP library of '" + Tools.HostCompiler +
          "' is not installed; on Debian: apt install libomp-" +
          Twine(LLVM_VERSION_MAJOR) +
          "-dev; or take gcc and its own with -fagglom-host-compiler=gcc");
}

} // namespace agglom
