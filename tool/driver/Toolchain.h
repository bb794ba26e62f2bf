// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places of the compilers, agglom's headers and runtime, and of a CUDA
// toolkit or libclc. Nothing of CUDA is needed; what is found is used.
//
//   AGGLOMCC_CLANG      the clang to use, of the LLVM version agglomcc was
//                       built with
//   AGGLOMCC_CUDA_PATH  the root of the CUDA toolkit; "none": use none, even
//                       if one is on PATH
//   AGGLOMCC_LIBCLC     libclc's nvptx64--.bc; "none": use none
//
// Without AGGLOMCC_CUDA_PATH a toolkit is looked for in $CUDA_HOME,
// $CUDA_PATH, around the nvcc and ptxas on PATH, and in the usual folders.

#ifndef AGGLOM_DRIVER_TOOLCHAIN_H
#define AGGLOM_DRIVER_TOOLCHAIN_H

#include <string>
#include <vector>

namespace agglom {

struct Toolchain {
  std::string Clang;        ///< parses, and compiles device code
  std::string HostCompiler; ///< compiles host code; Clang unless asked else
  bool HostIsClang = true;
  /// Clang is the executable of the libraries that agglomcc has loaded.
  bool ClangIsOwn = false;
  /// The host compiler is that Clang.
  bool hostIsOwn() const { return ClangIsOwn && HostCompiler == Clang; }
  std::string IncludeDir; ///< holds agglom.h and agglom/
  std::string LibDir;     ///< holds libagglomrt
  /// Each is "" when there is none.
  std::string Ptxas, Fatbinary, Libdevice, Libclc;

  /// Fills in all members. \p Argv0 is the name agglomcc was called by. Returns
  /// false after a message when a compiler that was named does not exist.
  bool find(const char *Argv0, const std::string &HostCompiler);

  /// The arguments that link the runtime. Sets \p File to the library. \p
  /// Variant: see runtimeVariant().
  std::vector<std::string> runtimeArgs(bool Shared, const std::string &Variant,
                                       std::string &File) const;
};

} // namespace agglom

#endif // AGGLOM_DRIVER_TOOLCHAIN_H
