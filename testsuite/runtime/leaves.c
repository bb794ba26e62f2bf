// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Short leaves run in the calls of host code, in the order of the serial program, and devices see what they write. A task
// that takes a lock never runs in the call of one that holds it.
// RUN: %agglomcc -O1 %s -o %t -lpthread
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=1 timeout 60 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=2 timeout 60 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=3 AGGLOM_LINGER=0 timeout 60 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 timeout 60 %t | FileCheck %s
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_WORKERS=2 AGGLOM_SPLIT=gpu timeout 60 %t | FileCheck %s
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { N = 32, TILE = 8, STEPS = 400, LOCKED = 3000, ROUNDS = 200 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long under_lock, thread_runs;

#pragma agglom task device(cpu)
static void locks(long n) {
  pthread_mutex_lock(&mutex);
  under_lock += n;
  pthread_mutex_unlock(&mutex);
}

#pragma agglom task device(cpu) inout(x[0:1])
static void add(long *x, long n) { *x = *x * 3 + n; }

/* Stencils on tiles: each tile with its neighbours' borders. */
#pragma agglom task device(cpu) in(from[r:TILE][c:TILE]) out(to[r:TILE][c:TILE])
static void copy(int r, int c, unsigned from[N][N], unsigned to[N][N]) {
  for (int i = r; i < r + TILE; ++i)
    for (int k = c; k < c + TILE; ++k)
      to[i][k] = from[i][k];
}
#pragma agglom task device(cpu) in(from[r - 1:TILE + 2][c - 1:TILE + 2]) out(to[r:TILE][c:TILE])
static void smooth(int r, int c, unsigned from[N + 2][N + 2], unsigned to[N + 2][N + 2]) {
  for (int i = r; i < r + TILE; ++i)
    for (int k = c; k < c + TILE; ++k)
      to[i][k] = from[i - 1][k] + 3 * from[i + 1][k] + 5 * from[i][k - 1] + 7 * from[i][k + 1] + from[i][k] + 1;
}
static unsigned a[N + 2][N + 2], b[N + 2][N + 2], serial_a[N + 2][N + 2], serial_b[N + 2][N + 2];

static int stencils(void) {
  for (int s = 0; s < STEPS; ++s) {
    for (int r = 1; r <= N; r += TILE)
      for (int c = 1; c <= N; c += TILE)
        smooth(r, c, s % 2 ? b : a, s % 2 ? a : b);
    for (int r = 1; r <= N; ++r)
      for (int c = 1; c <= N; ++c) {
        unsigned(*from)[N + 2] = s % 2 ? serial_b : serial_a;
        (s % 2 ? serial_a : serial_b)[r][c] =
            from[r - 1][c] + 3 * from[r + 1][c] + 5 * from[r][c - 1] + 7 * from[r][c + 1] + from[r][c] + 1;
      }
  }
#pragma agglom wait
  return memcmp(a, serial_a, sizeof a) || memcmp(b, serial_b, sizeof b);
}

#pragma agglom task in(x[0:n]) inout(y[0:n])
static void use(int n, const long *x, long *y) {
#pragma agglom loop
  for (int i = 0; i < n; ++i)
    y[i] = y[i] * 5 + x[i];
}

/* A device keeps x; a leaf writes it in between. */
static int beside_copies(void) {
  static long x[64], y[64];
  long serial_x = 0, serial_y = 0;
#pragma agglom data resident(x[0:64], y[0:64])
  {
    for (long i = 0; i < ROUNDS; ++i) {
      add(&x[7], i);
      serial_x = serial_x * 3 + i;
      if (i % 3 == 0) {
        use(64, x, y);
        serial_y = serial_y * 5 + serial_x;
      }
      if (i % 5 == 0) {
#pragma agglom wait
      }
    }
#pragma agglom wait
  }
  return x[7] != serial_x || y[7] != serial_y;
}

static void *submits(void *to) {
  for (long i = 0; i < LOCKED; ++i)
    add(to, i);
#pragma agglom wait own
  return to;
}

int main(void) {
  // CHECK: locks: 0
  for (long i = 0; i < LOCKED; ++i) {
    pthread_mutex_lock(&mutex);
    long before = under_lock;
    locks(1);
    int changed = under_lock != before; /* by this thread: others wait for the lock */
    pthread_mutex_unlock(&mutex);
    if (changed)
      printf("a unit ran under the lock of its caller\n");
    if (i % 500 == 499) { /* who has many in flight helps, in the call */
#pragma agglom wait
    }
  }
#pragma agglom wait
  printf("locks: %d\n", under_lock != LOCKED);

  // CHECK: chain: 0
  long x = 0, serial = 0;
  for (long i = 0; i < LOCKED; ++i) {
    add(&x, i);
    serial = serial * 3 + i;
  }
#pragma agglom wait
  printf("chain: %d\n", x != serial);

  // CHECK: stencils: 0
  printf("stencils: %d\n", stencils());

  // CHECK: copies: 0
  printf("copies: %d\n", beside_copies());

  // CHECK: threads: 0
  pthread_t thread[3];
  static long sum[3];
  for (int t = 0; t < 3; ++t)
    pthread_create(&thread[t], NULL, submits, &sum[t]);
  for (int t = 0; t < 3; ++t) {
    pthread_join(thread[t], NULL);
    thread_runs += sum[t] != serial;
  }
  printf("threads: %ld\n", thread_runs);

  // CHECK: mixed: 0
  static unsigned from[N][N], to[N][N];
  int wrong = 0;
  for (unsigned s = 0; s < STEPS; ++s) {
    from[s % N][s % 7] = s; /* nothing is in flight */
    for (int r = 0; r < N; r += TILE)
      for (int c = 0; c < N; c += TILE)
        copy(r, c, from, to);
    locks(1);
#pragma agglom wait
    wrong += memcmp(from, to, sizeof to) != 0;
  }
  printf("mixed: %d\n", wrong);
  return 0;
}
