// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An annotated unit is refused for a target whose types are not the device's; any other unit is Clang's matter.
// RUN: not %agglomcc -m32 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=M32
// M32: error: {{.*}}other_targets.c: tasks need a 64-bit little-endian target with 64-bit 'long', as the device has; 'i386-{{.*}}' has 32-bit pointers: compile this file for another target, or with -fno-agglom
// RUN: not %agglomcc --target=x86_64-pc-windows-msvc -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not %agglomcc --target=powerpc64-linux-gnu -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: error: {{.*}}: tasks need a 64-bit little-endian target with 64-bit 'long', as the device has; '{{.*}}' is another: compile
// RUN: %agglomcc --target=aarch64-linux-gnu -c %s -o %t.o && llvm-readelf -h %t.o | FileCheck %s --check-prefix=ARM
// ARM: Machine: AArch64
// RUN: %agglomcc -m32 -fno-agglom -c %s -o %t.ours.o && %clang -m32 -c %s -o %t.clang.o && cmp %t.ours.o %t.clang.o
//
// So it is when the runtime's structures would be others than the runtime's own.
// RUN: not %agglomcc -fpack-struct=2 -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=PACK
// PACK: error: {{.*}}other_targets.c: with -fpack-struct the structures of this file would not be those of the runtime library; use '#pragma pack'
// RUN: %agglomcc -fpack-struct=2 -fno-pack-struct -c %s -o %t.o

#pragma agglom task inout(p[0:1])
void f(int *p) { *p += 1; }
