// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As tsan.c, with gcc as the host compiler and its ThreadSanitizer.
// REQUIRES: long, gcc-tsan
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %agglomcc -O1 -g -fagglom-host-compiler=gcc -fsanitize=thread %S/Inputs/sanitizers/races.c -o program
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=4 ./program > out 2> err && count 0 < err
// RUN: env AGGLOM_DEVICES=none AGGLOM_CUS=2x2 ./program 2> err | cmp - out && not grep Sanitizer err
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=isolate=off AGGLOM_WORKERS=4 ./program 2> err | cmp - out && count 0 < err
// RUN: %run-default env AGGLOM_DEVICES=emulated:2 AGGLOM_EMULATE=isolate=off AGGLOM_WORKERS=3 ./program 2> err | cmp - out && count 0 < err
//
// RUN: for d in none emulated; do for r in host-writes host-reads units; do echo "race: $r on $d"; env AGGLOM_DEVICES=$d AGGLOM_WORKERS=4 not ./program $r 2>&1; done; done > found
// RUN: FileCheck %S/Inputs/sanitizers/races.check < found
// RUN: awk -f %S/Inputs/sanitizers/ours.awk found
//
// The shared runtime has its counterpart too.
// RUN: %agglomcc -O1 -g -fagglom-host-compiler=gcc -fsanitize=thread -fagglom-runtime=shared %S/Inputs/sanitizers/races.c -o dynamic
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_EMULATE=isolate=off AGGLOM_WORKERS=4 ./dynamic 2> err | cmp - out && count 0 < err
