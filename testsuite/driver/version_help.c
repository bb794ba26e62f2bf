// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %agglomcc --version | FileCheck %s --check-prefix=VERSION
// RUN: %agglomcc --help | FileCheck %s --check-prefix=HELP
// RUN: %agglomcc --help-pragmas | FileCheck %s --check-prefix=PRAGMAS
// RUN: not %agglomcc 2>&1 | FileCheck %s --check-prefix=NONE
// VERSION: agglomcc {{[0-9]+\.[0-9]+\.[0-9]+}} (LLVM {{[0-9]+\.[0-9]+}}
// VERSION: clang version
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
