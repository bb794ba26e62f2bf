// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Libraries with tasks that a program loads, with the runtimes that the links get by default: a program that knows nothing of agglom,
// whose threads end behind dlclose(), and which loads and closes more often (without a device) than there are keys of thread-specific data; and one with
// tasks of its own, which shares its runtime with what it loads.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %agglomcc -O1 -fPIC -shared -DLIBRARY %s -o shared.so
// RUN: %agglomcc -O1 -fPIC -shared -DLIBRARY -fagglom-runtime=static %s -o static.so
// RUN: %cc -O1 -pthread -Wno-unknown-pragmas %s -o plain -ldl
// RUN: %agglomcc -O1 -pthread -DTASKS %s -o tasks -ldl
// RUN: for p in "plain ./shared.so" "plain ./static.so" "tasks ./shared.so"; do for d in none emulated; do echo "$p $d"; n=1150; test $d = none %if long %{ || : %} || n=40; env AGGLOM_DEVICES=$d ./$p $n || exit 1; done; done > out
// RUN: FileCheck %s < out
// CHECK: plain ./shared.so none
// CHECK-NEXT: 4000, then 115000; a key
// CHECK-NEXT: plain ./shared.so emulated
// CHECK-NEXT: 4000, then {{4000|115000}}; a key
// CHECK-NEXT: plain ./static.so none
// CHECK-NEXT: 4000, then 115000; a key
// CHECK-NEXT: plain ./static.so emulated
// CHECK-NEXT: 4000, then {{4000|115000}}; a key
// CHECK-NEXT: tasks ./shared.so none
// CHECK-NEXT: own 101
// CHECK-NEXT: 4000, then 115000; a key
// CHECK-NEXT: tasks ./shared.so emulated
// CHECK-NEXT: own 101
// CHECK-NEXT: 4000, then {{4000|115000}}; a key
#ifdef LIBRARY
#pragma agglom task inout(x[0:n])
static void increment(int n, int *x) {
  for (int i = 0; i < n; i++)
    x[i] += 1;
}

void submit(int n, int *x) {
  for (int k = 0; k < 100; k++)
    increment(n, x);
}

void submit_and_wait(int n, int *x) {
  submit(n, x);
#pragma agglom wait on(x[0:n])
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 10, THREADS = 4 };
static int x[THREADS][N];
static void *library;
static pthread_barrier_t used, closed;

static void call(const char *name, int *its) {
  void (*go)(int, int *) = (void (*)(int, int *))dlsym(library, name);
  if (go)
    go(N, its);
}

static void *in_thread(void *its) {
  call("submit_and_wait", its);
  pthread_barrier_wait(&used);
  pthread_barrier_wait(&closed);
  return 0;
}

#ifdef TASKS
#pragma agglom task inout(y[0:n])
static void add(int n, int *y) {
  for (int i = 0; i < n; i++)
    y[i] += 1;
}

static void share(const char *file) {
  static int y[N];
  library = dlopen(file, RTLD_NOW);
  if (!library)
    return;
  add(N, y);
  call("submit", y);
#pragma agglom wait
  printf("own %d\n", y[N - 1]);
}
#else
static void share(const char *file) { (void)file; }
#endif

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  pthread_key_t key;
  int sum = 0;
  if (argc < 3)
    return 1;
  share(argv[1]);
  library = dlopen(argv[1], RTLD_NOW);
  pthread_barrier_init(&used, 0, THREADS + 1);
  pthread_barrier_init(&closed, 0, THREADS + 1);
  for (int t = 0; t < THREADS; t++)
    pthread_create(&threads[t], 0, in_thread, x[t]);
  pthread_barrier_wait(&used);
  if (!library || dlclose(library))
    return 1;
  pthread_barrier_wait(&closed);
  for (int t = 0; t < THREADS; t++) {
    pthread_join(threads[t], 0);
    for (int i = 0; i < N; i++)
      sum += x[t][i];
    x[t][0] = 0;
  }
  printf("%d, then ", sum);
  for (int round = 0; round < atoi(argv[2]); round++) {
    library = dlopen(argv[1], RTLD_NOW);
    if (!library)
      return 1;
    call("submit_and_wait", x[0]);
    dlclose(library);
  }
  printf("%d; %s key\n", x[0][0], pthread_key_create(&key, 0) ? "no" : "a");
  return 0;
}
#endif
