// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As tsan.c, with gcc as the host compiler and its ThreadSanitizer.
// REQUIRES: gcc-tsan
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %agglomcc -O1 -g -fagglom-host-compiler=gcc -fsanitize=thread %S/Inputs/sanitizers/races.c -o program
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=4 ./program > out 2> err && count 0 < err
// RUN: env AGGLOM_DEVICES=none AGGLOM_CUS=2x2 ./program 2> err | cmp - out && not grep Sanitizer err
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=isolate=off AGGLOM_WORKERS=4 ./program 2> err | cmp - out && count 0 < err
// RUN: %run-default env AGGLOM_DEVICES=emulated:2 AGGLOM_EMULATE=isolate=off AGGLOM_WORKERS=3 ./program 2> err | cmp - out && count 0 < err
//
// RUN: for d in none emulated; do for r in host-writes host-reads units; do echo "race: $r on $d"; env AGGLOM_DEVICES=$d AGGLOM_WORKERS=4 not ./program $r 2>&1; done; done > found
// RUN: FileCheck %s < found
// Each report has a line of the program's on one side at least: none is between two places in the runtime.
// RUN: awk '/^WARNING/ { ++reports; its = 0 } /^    #0 .*races\.c:/ { its = 1 } /^SUMMARY/ { ours += its } END { exit !reports || ours != reports }' found
// CHECK-LABEL: race: host-writes on none
// CHECK: SUMMARY: ThreadSanitizer: data race {{.*}}races.c:39
// CHECK-LABEL: race: host-reads on none
// CHECK: SUMMARY: ThreadSanitizer: data race {{.*}}races.c:43
// CHECK-LABEL: race: units on none
// CHECK: SUMMARY: ThreadSanitizer: data race {{.*}}races.c:{{21|24}}
// CHECK-LABEL: race: host-writes on emulated
// CHECK: SUMMARY: ThreadSanitizer: data race {{.*}}races.c:39
// CHECK-LABEL: race: host-reads on emulated
// CHECK: SUMMARY: ThreadSanitizer: data race {{.*}}races.c:43
// CHECK-LABEL: race: units on emulated
// CHECK: SUMMARY: ThreadSanitizer: data race {{.*}}races.c:{{21|24}}
//
// The shared runtime has its counterpart too.
// RUN: %agglomcc -O1 -g -fagglom-host-compiler=gcc -fsanitize=thread -fagglom-runtime=shared %S/Inputs/sanitizers/races.c -o dynamic
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=isolate=off AGGLOM_WORKERS=4 ./dynamic 2> err | cmp - out && count 0 < err
