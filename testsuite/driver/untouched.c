// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A unit without '#pragma agglom' is the host compiler's: same bytes, same messages, same status.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/plain.c . && echo '# RUN' > Makefile
// RUN: for o in "" -O0 -O2 "-O3 -g" "-Os -fPIC -ffunction-sections" "-O2 -flto" "-std=c99 -pedantic -Wall" "-O2 -fsanitize=address,undefined -g"; do %agglomcc $o -c plain.c -o ours.o && %clang $o -c plain.c -o clang.o && cmp ours.o clang.o; done
// RUN: for o in -S -E "-S -emit-llvm" "-E -dM -fno-agglom" "-M" "-E -P -C"; do %agglomcc $o plain.c -o ours && %clang ${o%-fno-agglom} plain.c -o clang && cmp ours clang; done
// RUN: echo 'int f(void) { int unused; return "a" }' > bad.c
// RUN: not %clang -Wall -c bad.c 2> clang.txt; not %agglomcc -Wall -c bad.c 2> ours.txt; cmp clang.txt ours.txt
// RUN: not %clang -c missing.c 2> clang.txt; not %agglomcc -c missing.c 2> ours.txt; cmp clang.txt ours.txt
// RUN: not %clang -c plain.c missing.c 2> clang.txt; not %agglomcc -c plain.c missing.c 2> ours.txt; cmp clang.txt ours.txt
// RUN: echo '#include "no_such_header.h"' > header.c && not %agglomcc -c header.c 2>&1 | FileCheck %s
// CHECK: header.c:1:10: fatal error: 'no_such_header.h' file not found
//
// Other languages and tools' modes too.
// RUN: echo 'int main() { auto f = [] { return 0; }; return f(); }' > x.cpp && %agglomcc x.cpp -o cpp && ./cpp
// RUN: printf '.globl f\nf:\n' > x.s && %agglomcc -c x.s && printf '.globl g\ng:\n' > y.S && %agglomcc -c y.S
// RUN: %agglomcc -print-file-name=crt1.o > ours && %clang -print-file-name=crt1.o | cmp - ours
// RUN: %agglomcc -dumpmachine > ours && %clang -dumpmachine | cmp - ours
// RUN: %agglomcc -cc1 -version 2>&1 | FileCheck %s --check-prefix=CC1
// CC1: LLVM
//
// A program without tasks does not come to depend on the runtime.
// RUN: echo 'int main(void) { return 0; }' > m.c && %agglomcc m.c -o m && ./m && readelf -d m | FileCheck %s --check-prefix=NEEDED
// RUN: %agglomcc -fagglom-runtime=shared m.c -o m && ./m && readelf -d m | FileCheck %s --check-prefix=NEEDED
// NEEDED-NOT: {{libagglomrt|libm.so}}
