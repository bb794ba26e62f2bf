// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver.h"
#include "llvm/Support/raw_ostream.h"

namespace agglom {

void printHelp() {
  llvm::outs() <<
      R"(agglomcc: a C compiler for programs with '#pragma agglom'

usage: agglomcc [options] file...

It is used like cc. A C file without '#pragma agglom' goes to the host compiler
untouched; an annotated one becomes one ordinary object file that holds the CPU
code, the kernels of its tasks and their descriptors.

options of its own:
  -fagglom-arch=sm_XX[,sm_YY]  machine code for these GPUs, besides PTX, when
                               ptxas is found (default: sm_80,sm_90)
  -fagglom-host-compiler=X     name or path of the C compiler for host code
                               (default: the clang agglomcc belongs to)
  -fagglom-runtime=X           link the runtime, where it is needed, static or
                               shared (default: static; with -shared, shared)
  -fagglom-report              say what became of each task
  -fno-agglom                  compile as if there were no agglom pragmas
  -W[no-]agglom[-X], -W[no-]error=agglom[-X]
                               warnings about annotations:
)";
  for (const std::string &Group : warningGroups())
    llvm::outs() << "                                 -W" << Group << '\n';
  llvm::outs() <<
      R"(  --fix[=print]                apply the fix-its of agglom's diagnostics to the
                               files, or print them as a diff
  --suggest[=apply]            propose pragmas for functions that have none, as
                               a diff, or put them into the files
  --emit-c                     write the generated host C to -o or stdout
  --emit-cuda                  write the generated kernel text instead
  --emit-ptx                   write the PTX of the kernels instead
  -save-temps[=obj]            keep x.agglom.i, .c, .cu, .ptx and machine code
  -showme:compile              flags for compiling with another compiler
  -showme:link                 flags for linking with another compiler
  --help-pragmas               the directives and their clauses
  --version                    what the host compiler prints, and behind it
                               the version of agglomcc
  --agglom-version             versions of agglomcc and of its LLVM
  -v, -###                     show the commands; with -### run none

environment:
  AGGLOMCC_CLANG               the clang to use
  AGGLOMCC_CUDA_PATH           folder of the CUDA toolkit, or none
  AGGLOMCC_LIBCLC              libclc's nvptx64--.bc, or none

Every option of clang is accepted as well: see 'clang --help'.
)";
}

} // namespace agglom
