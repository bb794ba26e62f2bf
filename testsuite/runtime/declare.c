// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device code of several units, linked by the runtime: from objects, from a static archive, from a shared library.
// RUN: %compare %s %t %S/Inputs/declare/law.c %S/Inputs/declare/push.c
// RUN: FileCheck %s < %t.report
// CHECK-DAG: interact: 24 units in
// CHECK-DAG: drift: 12 units in
//
// RUN: rm -rf %t-dir && mkdir %t-dir && cd %t-dir
// RUN: %agglomcc -O1 -fPIC -ffp-contract=off -c %s %S/Inputs/declare/law.c %S/Inputs/declare/push.c
// RUN: ar rcs liblaw.a law.o push.o
// RUN: %agglomcc declare.o -L. -llaw -lm -o archive
// RUN: %agglomcc -shared law.o push.o -lm -o libshared.so
// RUN: %agglomcc -fagglom-runtime=shared declare.o -L. -lshared -lm -Wl,-rpath,%t-dir -Wl,-rpath,%lib -o shared
// RUN: env AGGLOM_DEVICES=emulated ./archive | cmp - %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated ./shared | cmp - %t.serial.out
//
// A definition that is missing, or of another type, is an error of the host's linker that names the function.
// RUN: not %agglomcc declare.o push.o -lm -o missing 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: undefined reference to `__agglom_declare_force__agglom_{{[0-9a-f]+}}'
// RUN: sed 's/float weight/double weight/' %S/Inputs/declare/law.h > law.h
// RUN: sed 's/#include <math.h>/double fabs(double);/' %S/Inputs/declare/law.c > other.c
// RUN: %agglomcc -c other.c
// RUN: not %agglomcc declare.o other.o push.o -lm -o other 2>&1 | FileCheck %s --check-prefix=MISSING
//
// A definition without the pragma.
// RUN: %cc -O1 -c -Wno-unknown-pragmas %S/Inputs/declare/law.c -o plain.o
// RUN: not %agglomcc declare.o plain.o push.o -lm -o plain 2>&1 | FileCheck %s --check-prefix=MISSING
//
// The kernel text: one name for all units, PTX that the driver links, no machine code.
// RUN: %agglomcc --emit-cuda %S/Inputs/declare/law.c -o - | FileCheck %s --check-prefix=CUDA
// CUDA: #define force force__agglom_[[HASH:[0-9a-f]+]]
// CUDA: AG_IMPORT double {{.*}}soften{{.*}}(double);
// CUDA: AG_EXPORT_CONST const double strength[3] = {1.5, -0.25, 4};
// CUDA: AG_FUNC double distance(
// CUDA: AG_EXPORT double force(
// RUN: %agglomcc --emit-ptx %S/Inputs/declare/law.c -o - | FileCheck %s --check-prefix=PTX
// PTX-DAG: .extern .func {{.*}}soften__agglom_
// PTX-DAG: .visible .global {{.*}}strength__agglom_
// PTX-DAG: .visible .func {{.*}}force__agglom_
//
// The host text: who defines device code says where, and what a unit uses of others is what the runtime links it with.
// RUN: %agglomcc --emit-c %S/Inputs/declare/law.c -o - | FileCheck %s --check-prefix=LAW
// LAW-DAG: const struct agglom_export __agglom_declare_force__agglom_{{[0-9a-f]+}} = {"force", &__agglom_module};
// LAW-DAG: extern const struct agglom_export __agglom_declare_soften__agglom_{{[0-9a-f]+}};
// LAW: __agglom_imports[] = {&__agglom_declare_soften__agglom_{{[0-9a-f]+}}, 0};
// LAW: __agglom_n_imports = 1 };
//
// RUN: %agglomcc -### -c %S/Inputs/declare/law.c 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN-NOT: .cubin
// PLAN: law.o
#include "Inputs/declare/law.h"
#include <stdio.h>

#pragma agglom task
void drift(int n, struct particle *p);

#pragma agglom task in(q[0:n]) inout(p[0:n])
static void interact(int n, const struct particle *q, struct particle *p) {
#pragma agglom loop
  for (int i = 0; i < n; ++i) {
    double f = 0;
    for (int j = 0; j < n; ++j)
      f += force(&p[i], &q[j]) / 64;
    push(&p[i], f + strength[2]);
  }
}

int main(void) {
  enum { U = 12, N = 20 };
  static struct particle p[U][N], q[N];
  for (int i = 0; i < N; ++i)
    q[i] = (struct particle){i * 0.75, 1 + i % 3, {1, 0}};
  for (int u = 0; u < U; ++u)
    for (int i = 0; i < N; ++i)
      p[u][i] = (struct particle){i - u * 0.5, i % 2 ? -1 : 2, {(float)(i % 4) / 8, (short)(i % 3)}};
  for (int u = 0; u < U; ++u)
    interact(N, q, p[u]);
  for (int u = 0; u < U; ++u)
    drift(N, p[u]);
  for (int u = 0; u < U; ++u)
    interact(N, q, p[u]);
#pragma agglom wait
  for (int u = 0; u < U; ++u)
    for (int i = 0; i < N; ++i)
      printf("%a\n", p[u][i].x);
  return 0;
}
