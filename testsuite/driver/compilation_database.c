// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -MJ writes one entry for an annotated unit, of the command as it was given.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/*.c .
// RUN: %agglomcc -MJ entry.json '-DX="a b"' -c axpy.c -o x.o && FileCheck %s < entry.json && wc -l < entry.json | FileCheck %s --check-prefix=ONE
// CHECK: {"arguments":["agglomcc","-MJ","entry.json","-DX=\"a b\"","-c","axpy.c","-o","x.o"],"directory":"{{.*}}","file":"axpy.c","output":"x.o"},
// ONE: 1
