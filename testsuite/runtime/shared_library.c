// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shared libraries with tasks: linked, and loaded and closed while the program runs, also with units still in flight
// and several times over.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %agglomcc -O1 -fPIC -shared -DNUMBER=1 -fagglom-runtime=shared %S/Inputs/plugin.c -o libone.so
// RUN: %agglomcc -O1 -fPIC -shared -DNUMBER=5 -fagglom-runtime=shared %S/Inputs/plugin.c -o libfive.so
// RUN: %agglomcc -O1 -fagglom-runtime=shared %s -o program -ldl
// RUN: %cc -O1 -fPIC -shared -Wno-unknown-pragmas -DNUMBER=1 %S/Inputs/plugin.c -o serial-one.so
// RUN: %cc -O1 -fPIC -shared -Wno-unknown-pragmas -DNUMBER=5 %S/Inputs/plugin.c -o serial-five.so
// RUN: %cc -O1 -Wno-unknown-pragmas %s -o serial -ldl
// RUN: ./serial ./serial-one.so ./serial-five.so > serial.out
// RUN: env AGGLOM_DEVICES=none ./program ./libone.so ./libfive.so 2> err | cmp - serial.out && count 0 < err
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_REPORT=report ./program ./libone.so ./libfive.so 2> err | cmp - serial.out && count 0 < err
// RUN: FileCheck %s < report
// CHECK-DAG: own: 6 units in
// CHECK-DAG: plugged: {{[0-9]+}} units in
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 ./program ./libone.so ./libfive.so | cmp - serial.out
#include <dlfcn.h>
#include <stdio.h>

#pragma agglom task inout(x[0:n])
void own(int n, int *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i]++;
}

typedef void run(int units, int n, int *x);

int main(int argc, char **argv) {
  static int x[50 * 20];
  if (argc < 3)
    return 1;
  for (int round = 0; round < 6; round++) {
    void *library = dlopen(argv[1 + round % 2], RTLD_NOW);
    run *plugin_run = library ? (run *)dlsym(library, "plugin_run") : 0;
    if (!plugin_run) {
      printf("%s\n", dlerror());
      return 1;
    }
    plugin_run(50, 20, x);
    own(1000, x);
    if (round % 3 == 0) {
#pragma agglom wait
    }
    dlclose(library); // waits for what is in flight
  }
#pragma agglom wait
  for (int i = 0; i < 1000; i++)
    printf("%d\n", x[i]);
  return 0;
}
