// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tools take the first line of --version for the host compiler's: Meson reads a version there.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %clang --version > clang.txt && %agglomcc --version > ours.txt && head -n -1 ours.txt | cmp - clang.txt
// RUN: gcc --version > gcc.txt && %agglomcc -fagglom-host-compiler=gcc --version > ours_gcc.txt && head -n -1 ours_gcc.txt | cmp - gcc.txt
// RUN: tail -n 1 ours.txt | FileCheck %s --check-prefix=LAST && tail -n 1 ours_gcc.txt | FileCheck %s --check-prefix=LAST
// RUN: %agglomcc --agglom-version | FileCheck %s --check-prefix=VERSION
// RUN: %agglomcc --help | FileCheck %s --check-prefix=HELP
// RUN: %agglomcc --help-pragmas | FileCheck %s --check-prefix=PRAGMAS
// RUN: not %agglomcc 2>&1 | FileCheck %s --check-prefix=NONE
// LAST: {{^}}agglomcc {{[0-9]+\.[0-9]+\.[0-9]+$}}
// VERSION: {{^}}agglomcc {{[0-9]+\.[0-9]+\.[0-9]+}} (LLVM {{[0-9]+\.[0-9]+}}
// HELP: usage: agglomcc
// HELP: -fagglom-arch=
// HELP: --help-pragmas
// HELP: AGGLOMCC_CUDA_PATH
// HELP: Every option of clang is accepted as well
// PRAGMAS: task
// PRAGMAS: in(
// PRAGMAS: loop
// PRAGMAS: wait
// NONE: error: no input files
