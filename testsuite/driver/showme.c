// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects made here, linked by another compiler.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %agglomcc -O2 -c %S/Inputs/axpy.c && gcc axpy.o $(%agglomcc -showme:link) -o program && ./program | FileCheck %s
// RUN: gcc axpy.o $(%agglomcc -fagglom-runtime=shared -showme:link) -o shared && ./shared | FileCheck %s
// RUN: gcc $(%agglomcc -showme:compile) -c -x c %S/Inputs/plain.c -o plain.o
// RUN: echo '#include <agglom/abi.h>' | gcc $(%agglomcc -showme:compile) -fsyntax-only -x c -
// Both at once.
// RUN: gcc %S/Inputs/axpy.c $(%agglomcc -showme:compile -showme:link) -o both
// RUN: %agglomcc -showme:link -showme:compile | FileCheck %s --check-prefix=BOTH
// BOTH: -idirafter {{.*}}/include -Wl,--export-dynamic-symbol=agglom_* -Wl,--push-state,--as-needed {{.*}}/libagglomrt.a -lpthread -ldl -lm -Wl,--pop-state
// CHECK: axpy 1 7
