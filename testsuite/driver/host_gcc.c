// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gcc compiles the generated host code as well; its own options reach it.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/*.c .
// RUN: %agglomcc -fagglom-host-compiler=gcc -O2 -g -fno-tree-slsr -DMAIN=other axpy.c plain.c calls_other.c -o program && ./program | FileCheck %s
// RUN: %agglomcc -fagglom-host-compiler=gcc -O2 -fno-ipa-cp -c plain.c -o ours.o && gcc -O2 -fno-ipa-cp -c plain.c -o gcc.o && cmp ours.o gcc.o
// CHECK: plain 3
// CHECK: axpy 1 7
//
// In gcc's C89 modes too, where it knows no 'for (int ...'; 'inline' and 'restrict' may be names there.
// RUN: echo '#pragma agglom task inout(p[0:1])' > old.c && echo 'void f(int *p) { int inline = 1, restrict = 2; *p += inline + restrict; }' >> old.c
// RUN: echo 'int puts(const char *); int main(void) { int x = 4; f(&x);' >> old.c && echo '#pragma agglom wait' >> old.c
// RUN: echo 'puts(x == 7 ? "seven" : "wrong"); return 0; }' >> old.c
// RUN: for o in -std=c89 -ansi -std=c90 -std=iso9899:199409; do %agglomcc -fagglom-host-compiler=gcc $o old.c -o old && ./old; done | FileCheck %s --check-prefix=OLD --match-full-lines
// RUN: sed s/inline/linine/g old.c > gnu.c && %agglomcc -fagglom-host-compiler=gcc -std=gnu89 gnu.c -o old && ./old | FileCheck %s --check-prefix=GNU --match-full-lines
// OLD: seven
// OLD-NEXT: seven
// OLD-NEXT: seven
// OLD-NEXT: seven
// GNU: seven
