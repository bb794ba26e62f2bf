// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: nvcc
// nvcc compiles the same kernel text.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %agglomcc -v -g -fagglom-device-compiler=nvcc -fagglom-arch=sm_90 -O2 %S/Inputs/axpy.c -o program 2>&1 | FileCheck %s
// RUN: ./program | FileCheck %s --check-prefix=OUT
// RUN: %agglomcc -### -ffp-contract=off -fagglom-device-compiler=nvcc -c %S/Inputs/axpy.c 2>&1 | FileCheck %s --check-prefix=OFF
// RUN: %agglomcc -### -ffast-math -fagglom-device-compiler=nvcc -c %S/Inputs/axpy.c 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: %agglomcc --emit-ptx -fagglom-device-compiler=nvcc %S/Inputs/maths.c | FileCheck %s --check-prefix=PTX
// RUN: %agglomcc -### -funsigned-char -fagglom-device-compiler=nvcc -c %S/Inputs/axpy.c 2>&1 | FileCheck %s --check-prefix=CHAR
// RUN: %agglomcc --emit-ptx -w -funsigned-char -fagglom-device-compiler=nvcc %S/../language/char_signedness.c \
// RUN:   | FileCheck %s --check-prefix=UNSIGNED
// CHECK: nvcc" "-ptx" "-arch=compute_75"{{.*}} "-fmad=true" "-lineinfo"{{.*}}.agglom.cu"
// CHECK: nvcc" "-cubin" "-arch=sm_90"{{.*}}.agglom.cu"
// OUT: axpy 1 7
// OFF: "-fmad=false"
// FAST: "-use_fast_math"
// PTX: .visible .entry
// CHAR: "-Xcicc" "--unsigned_chars"
// UNSIGNED: .visible .entry
// UNSIGNED-NOT: ld.global.s8
// UNSIGNED-NOT: .s8
