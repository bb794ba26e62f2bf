// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -### shows what would be run, in order, quoted, and runs nothing; -v shows it and runs it.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/Inputs/*.c .
// RUN: %agglomcc -### -O2 -DMAIN=other -DX='a "b"' -I. axpy.c plain.c -lm -o program 2>&1 | FileCheck %s
// RUN: not ls program
// RUN: %agglomcc -### -c axpy.c && not ls axpy.o
// RUN: env AGGLOMCC_CUDA_PATH=none %agglomcc -v -O2 -DMAIN=other axpy.c plain.c calls_other.c -lm -o program 2>&1 | FileCheck %s
// RUN: ls program
// CHECK: "{{.*}}clang{{[^"]*}}" "--target=nvptx64-nvidia-cuda" "-march=sm_75"{{.*}} "-S" "{{[^"]*}}axpy{{[^"]*}}.agglom.cu" "-o" "[[PTX:[^"]*]].ptx"
// CHECK: "{{.*}}clang{{[^"]*}}"{{.*}} "-O2"{{.*}} "-x" "cpp-output" "-c" "{{[^"]*}}.agglom.c.i" "-o" "[[OBJECT:[^"]*axpy[^"]*]].o"
// CHECK: "{{.*}}clang{{[^"]*}}"{{.*}} "-O2" "-DMAIN=other"{{.*}} "[[OBJECT]].o" "plain.c"{{.*}} "-lm" "-o" "program"{{.*}}libagglomrt.a"
// For a unit that is not annotated they are the host compiler's.
// RUN: %agglomcc -### -c plain.c 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: "-cc1"{{.*}}"plain.c"
