// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MemorySanitizer has nothing to say about the runtime, nor about what units have written, and finds what nobody has.
// REQUIRES: msan
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %agglomcc -O1 -g -fsanitize=memory %S/Inputs/sanitizers/uninitialised.c -o program
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=4 ./program > out 2> err && count 0 < err
// RUN: grep -x '62 marked' out
// RUN: env AGGLOM_DEVICES=none AGGLOM_CUS=1x1 ./program 2> err | cmp - out && not grep Sanitizer err
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=isolate=off AGGLOM_WORKERS=4 ./program 2> err | cmp - out && count 0 < err
// RUN: env AGGLOM_DEVICES=none not ./program 1 2>&1 | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=isolate=off not ./program 1 2>&1 | FileCheck %s
// CHECK: WARNING: MemorySanitizer: use-of-uninitialized-value
// CHECK-NEXT: #0 {{.*}} in mark
// CHECK: SUMMARY: MemorySanitizer: use-of-uninitialized-value {{.*}}uninitialised.c:10
// RUN: %agglomcc -O1 -g -fsanitize=memory -fagglom-runtime=shared %S/Inputs/sanitizers/uninitialised.c -o dynamic
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=isolate=off AGGLOM_WORKERS=4 ./dynamic 2> err | cmp - out && count 0 < err
