// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -g describes the user's file, for the host and for the device.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/axpy.c .
// RUN: %agglomcc -g -O1 -c axpy.c && %llvm_bin/llvm-dwarfdump --debug-info axpy.o | FileCheck %s
// RUN: %agglomcc -g --emit-ptx axpy.c | FileCheck %s --check-prefix=PTX
// RUN: %agglomcc -g axpy.c -o program && ./program | FileCheck %s --check-prefix=OUT
// The runtime's own is not in programs, but for Debug builds of it.
// RUN: grep -q 'CMAKE_BUILD_TYPE:STRING=Debug' %build/CMakeCache.txt || %llvm_bin/llvm-dwarfdump --debug-info program | not grep runtime/src
// CHECK: DW_TAG_compile_unit
// CHECK: DW_AT_name ("axpy.c")
// CHECK: DW_AT_name ("axpy")
// CHECK: DW_AT_decl_file ("{{.*}}axpy.c")
// PTX: .loc
// OUT: axpy 1 7
//
// At every level there are line tables: the host's, and the device's in PTX and in machine code made of it.
// RUN: for o in 0 2 g %if long %{ 1 3 s z fast %}; do %agglomcc -g -O$o -w -c axpy.c -o o.o && %llvm_bin/llvm-dwarfdump --debug-line o.o | grep 'name: "axpy.c"' > line && %agglomcc -g -O$o -w --emit-ptx axpy.c -o o.ptx && grep -q '\.file.*axpy\.c"' o.ptx && grep -q '\.loc' o.ptx || { echo level $o; exit 1; }; done
// RUN: %agglomcc -O2 --emit-ptx axpy.c | not grep '\.loc'
//
// Lines that agglomcc wrote are those of the file that -save-temps keeps, whether it is kept or not.
// (ptxas adds the time when a file was written, if it is there.)
// RUN: mkdir kept && for o in "" -save-temps; do env AGGLOMCC_CUDA_PATH=none %agglomcc -g $o -c axpy.c -o unkept$o.o; done
// RUN: cmp unkept.o unkept-save-temps.o
// RUN: %agglomcc -g -save-temps=obj -c axpy.c -o kept/axpy.o
// RUN: %llvm_bin/llvm-dwarfdump --debug-info kept/axpy.o | FileCheck %s --check-prefix=KEPT
// KEPT: DW_AT_decl_file ("{{.*}}kept/axpy.agglom.c")
// KEPT-NEXT: DW_AT_decl_line ([[#]])
// RUN: %llvm_bin/llvm-dwarfdump --debug-line unkept.o | FileCheck %s --check-prefix=NAMES
// NAMES-DAG: name: "axpy.c"
// NAMES-DAG: name: "axpy.agglom.c"
// RUN: awk '/^# [0-9]+ ".*[.]agglom[.]c"/ { n++; if ($2 != NR + 1 || $3 != "\"kept/axpy.agglom.c\"") bad = 1 } END { exit bad || !n }' kept/axpy.agglom.c
//
// What a compilation writes beside its object lies where it would without a temporary object.
// RUN: %agglomcc -g -gsplit-dwarf --coverage axpy.c -o program && ./program && ls | FileCheck %s --check-prefix=FILES
// FILES: program-axpy.dwo
// FILES: program-axpy.gcda
// FILES: program-axpy.gcno
// RUN: %agglomcc -g -gsplit-dwarf --coverage -c axpy.c -o obj.o && ls | FileCheck %s --check-prefix=OBJECT
// OBJECT: obj.dwo
// OBJECT: obj.gcno
