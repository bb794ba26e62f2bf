// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of device code that no thread of a GPU has room for.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
// RUN: %agglomcc -fsyntax-only -Wno-agglom-stack %s 2>&1 | count 0
enum { MOST = 512 * 1024 };
struct table {
  double at[MOST];
};

static double sum(int n) {
  char fine[MOST], large[MOST + 1024]; // expected-warning {{'large' takes 513 KiB of local memory for each device thread, and NVIDIA's GPUs have at most 512: they cannot run this; put it into memory that a section names, or write device(cpu)}}
  fine[n] = large[n] = 1;
  return fine[n] + large[n];
}

#pragma agglom task out(y[0:n])
void task(int n, double *y) {
  struct table t; // expected-warning {{'t' takes 4096 KiB}}
  static const char constant[2 * MOST] = {1};
  for (int i = 0; i < n; ++i)
    y[i] = t.at[i] = sum(i) + constant[i];
}

#pragma agglom task out(y[0:n]) device(cpu)
void host(int n, double *y) {
  struct table t;
  for (int i = 0; i < n; ++i)
    y[i] = t.at[i] = i;
}

double loop(int n, double *y) {
  double work[MOST];
// expected-warning@+1 {{'work' takes 4096 KiB}}
#pragma agglom for out(y[i]) private(work)
  for (int i = 0; i < n; ++i) {
    work[i] = 2;
    y[i] = work[i];
  }
  return work[0];
}
