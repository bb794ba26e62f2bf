// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -fagglom-report says what became of each task, and what its kernel takes of each GPU as ptxas tells.
// RUN: rm -rf %t && mkdir -p %t/cuda/bin && cd %t
// RUN: env AGGLOMCC_CUDA_PATH=none %agglomcc -fagglom-report -c %s -o t.o 2>&1 | FileCheck %s --check-prefixes=TASKS,NONE
// TASKS: report.c:[[#@LINE+21]]: task 'blocks': kernel, mapping block or warp: {{.+}}
// NONE-NEXT: {{^}}  sm_80: registers and shared memory unknown: no ptxas{{$}}
// NONE-NEXT: {{^}}  sm_90: registers and shared memory unknown: no ptxas{{$}}
// FAKE-NEXT: {{^}}  sm_80: 26 registers, 4096 bytes of shared memory, 0 bytes of stack, no spills{{$}}
// FAKE-NEXT: {{^}}  sm_90: registers and shared memory unknown: this ptxas does not know the architecture{{$}}
// TASKS: report.c:[[#@LINE+23]]: task 'host': no kernel, mapping cpu: device(cpu){{$}}
// TASKS: report.c:[[#@LINE+25]]: task 'threads': kernel, mapping thread: {{.+}}
// NONE-NEXT: sm_80: registers and shared memory unknown: no ptxas
// FAKE-NEXT: {{^}}  sm_80: 255 registers, 0 bytes of shared memory, 48 bytes of stack, 8 bytes of spill stores, 12 bytes of spill loads{{$}}
//
// A ptxas that says what a certain kernel takes, in a new order; functions that are no kernels do not count.
// RUN: cp %S/Inputs/fake-ptxas cuda/bin/ptxas && chmod +x cuda/bin/ptxas
// RUN: env AGGLOMCC_CUDA_PATH=%t/cuda %agglomcc -fagglom-report -c %s -o t.o 2>&1 | FileCheck %s --check-prefixes=TASKS,FAKE
//
// Where no machine code is made, that is said.
// RUN: %agglomcc -fagglom-report --emit-c %s -o c.c 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: GPU code: registers and shared memory unknown: it was not compiled
// RUN: env AGGLOMCC_CUDA_PATH=%t/cuda %agglomcc -fagglom-report --emit-ptx %s -o p.ptx 2>&1 | FileCheck %s --check-prefix=PTX
// PTX: sm_80: registers and shared memory unknown: only PTX was asked for

#pragma agglom task inout(p[0:n])
void blocks(int *p, int n) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    p[i] += 1;
}

#pragma agglom task inout(p[0:1]) device(cpu)
void host(int *p) { *p += 1; }

#pragma agglom task inout(p[0:1])
void threads(int *p) { *p += 1; }
