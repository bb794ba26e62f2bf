// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -g describes the user's file, for the host and for the device.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/axpy.c .
// RUN: %agglomcc -g -O1 -c axpy.c && %llvm_bin/llvm-dwarfdump --debug-info axpy.o | FileCheck %s
// RUN: %agglomcc -g --emit-ptx axpy.c | FileCheck %s --check-prefix=PTX
// RUN: %agglomcc -g axpy.c -o program && ./program | FileCheck %s --check-prefix=OUT
// CHECK: DW_TAG_compile_unit
// CHECK: DW_AT_name ("axpy.c")
// CHECK: DW_AT_name ("axpy")
// CHECK: DW_AT_decl_file ("{{.*}}axpy.c")
// PTX: .loc
// OUT: axpy 1 7
//
// What a compilation writes beside its object lies where it would without a temporary object.
// RUN: %agglomcc -g -gsplit-dwarf --coverage axpy.c -o program && ./program && ls | FileCheck %s --check-prefix=FILES
// FILES: program-axpy.dwo
// FILES: program-axpy.gcda
// FILES: program-axpy.gcno
// RUN: %agglomcc -g -gsplit-dwarf --coverage -c axpy.c -o obj.o && ls | FileCheck %s --check-prefix=OBJECT
// OBJECT: obj.dwo
// OBJECT: obj.gcno
