// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which options reach which compilation.
// RUN: %agglomcc -### -c %S/Inputs/axpy.c 2>&1 | FileCheck %s --check-prefixes=BOTH,PLAIN
// RUN: %agglomcc -### -O1 -g -std=c17 -ffp-contract=off -fwrapv -Wall -Werror -Wno-unused -DA -UB -I. -isystem . -include stdio.h -march=x86-64-v3 -pthread -L. -lm -Wl,-z,now -MD -MP -c %S/Inputs/axpy.c 2>&1 | FileCheck %s --check-prefixes=BOTH,MANY
// RUN: %agglomcc -### -O0 -ffast-math -c %S/Inputs/axpy.c 2>&1 | FileCheck %s --check-prefixes=BOTH,FAST
// RUN: %agglomcc -### -Ofast -std=c99 -c %S/Inputs/axpy.c 2>&1 | FileCheck %s --check-prefixes=BOTH,OFAST
// PLAIN: nvptx64{{.*}}"-std=gnu11" "-O3"
// MANY: nvptx64
// MANY-SAME: "-std=c17" "-O1" "-ffp-contract=off" "-fwrapv" "-gline-tables-only"
// MANY-NOT: "-march=x86-64-v3"{{.*}}.agglom.cu
// FAST: nvptx64{{.*}}"-std=gnu11" "-O1" "-ffast-math"
// OFAST: nvptx64{{.*}}"-std=c11" "-O3" "-ffast-math"
// BOTH: "-x" "cpp-output" "-c"
// RUN: %agglomcc -### -O1 -g -std=c17 -ffp-contract=off -fwrapv -Wall -Werror -Wno-unused -DA -UB -I. -isystem . -include stdio.h -march=x86-64-v3 -pthread -L. -lm -Wl,-z,now -MD -MP -c %S/Inputs/axpy.c 2>&1 | grep cpp-output | FileCheck %s --check-prefix=HOST
// HOST: clang" "-O1" "-g" "-std=c17" "-ffp-contract=off" "-fwrapv" "-Wno-unused" "-march=x86-64-v3" "-pthread" "-w" "-x" "cpp-output" "-c"
//
// Strict options of the user are about the user's text.
// RUN: %agglomcc -std=c11 -pedantic-errors -Wall -Wextra -Werror -c %S/Inputs/axpy.c -o %t.o
