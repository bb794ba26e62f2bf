// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: ptxas, fatbinary
// Machine code is compressed in the object, in a way that old drivers read; a toolkit that cannot do it leaves it as it is.
// RUN: rm -rf %t && mkdir -p %t/plain/bin %t/old/bin && cd %t
// RUN: %agglomcc -save-temps -fagglom-arch=sm_80 -c %s -o x.o && ls | FileCheck %s --check-prefix=FILES
// FILES: compressed.agglom.sm_80.cubin
// FILES: compressed.agglom.sm_80.fatbin
// RUN: ln -s "$CUDA_HOME/bin/ptxas" plain/bin && ln -s "$CUDA_HOME/bin/ptxas" old/bin
// RUN: env AGGLOMCC_CUDA_PATH=%t/plain %agglomcc -fagglom-arch=sm_80 -c %s -o plain.o
// RUN: printf '#!/bin/sh\ncase "$*" in *compress-mode*) exit 1;; esac\necho "$@" >>%t/asked\nexec "$CUDA_HOME/bin/fatbinary" "$@"\n' >old/bin/fatbinary
// RUN: chmod +x old/bin/fatbinary && env AGGLOMCC_CUDA_PATH=%t/old %agglomcc -fagglom-arch=sm_80 -c %s -o old.o
// RUN: FileCheck %s --check-prefix=ASKED < asked
// ASKED: --compress-all {{.*}}kind=elf,sm=80
// RUN: printf '#!/bin/sh\nexit 1\n' >old/bin/fatbinary && env AGGLOMCC_CUDA_PATH=%t/old %agglomcc -fagglom-arch=sm_80 -c %s -o fails.o
// RUN: wc -c x.o old.o plain.o fails.o | awk '{s[$2]=$1} END {exit !(s["x.o"] < s["plain.o"] * 3 / 4 && s["old.o"] < s["plain.o"] && s["fails.o"] == s["plain.o"])}'
#define TASK(NAME)                                                                                                               \
  _Pragma("agglom task in(x[0:n]) inout(y[0:n])") void NAME(int n, const float *x, float *y) {                                   \
    for (int i = 0; i < n; ++i)                                                                                                  \
      y[i] += x[i] * x[i];                                                                                                       \
  }
TASK(one)
TASK(two)
TASK(three)
TASK(four)
TASK(five)
TASK(six)
TASK(seven)
TASK(eight)
