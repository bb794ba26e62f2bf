// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: libdevice
// RUN: %agglomcc -### -c %S/Inputs/maths.c 2>&1 | FileCheck %s
// RUN: %agglomcc --emit-ptx %S/Inputs/maths.c 2>&1 | FileCheck %s --check-prefix=PTX
// CHECK: "-DAG_MATHS_LIBDEVICE" "-Xclang" "-mlink-builtin-bitcode" "-Xclang" "{{[^"]*}}libdevice.10.bc"
// PTX-NOT: .extern .func
// PTX: .visible .entry
