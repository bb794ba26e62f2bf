// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic updates of every type and form, by the iterations of long loops, in the code around them, in functions that
// get addresses of anything, and of the unit's own variables.
// RUN: %compare %s %t -fwrapv
// RUN: FileCheck %s < %t.report
// CHECK: integers: 12 units in
#include <math.h>
#include <stdint.h>
#include <stdio.h>

struct sums {
  int8_t c;
  uint8_t uc;
  int16_t s;
  uint16_t us;
  int32_t i;
  uint32_t u;
  int64_t l;
  uint64_t ul;
  float f;
  double d;
  char plain;
  long long ll;
  unsigned long long ull;
  int16_t pair[2];
  uint8_t bytes[8];
};

static void bump(int *p, int by) {
#pragma agglom atomic
  *p += by;
}

#pragma agglom task in(x[0:n]) inout(t[0:1])
void integers(int n, const int *x, struct sums *t) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
#pragma agglom atomic
    t->c += x[i];
#pragma agglom atomic
    t->uc -= (unsigned char)x[i];
#pragma agglom atomic
    t->s ^= (short)x[i];
#pragma agglom atomic
    t->us |= x[i] & 0x5555;
#pragma agglom atomic
    t->i = t->i + x[i];
#pragma agglom atomic
    t->u &= ~(1u << (x[i] & 15));
#pragma agglom atomic
    t->l = x[i] * 3000000000ll + t->l;
#pragma agglom atomic
    t->ul *= (uint64_t)x[i] | 1;
#pragma agglom atomic
    t->plain++;
#pragma agglom atomic
    --t->ll;
#pragma agglom atomic
    t->ull -= x[i];
#pragma agglom atomic
    (t->pair[x[i] & 1])--;
#pragma agglom atomic
    t->bytes[(i ^ x[i]) & 7] += 1.75;
#pragma agglom atomic
    t->f += 0.5f;
#pragma agglom atomic
    t->d -= x[i] * 0.25;
    int own = i;
#pragma agglom atomic
    own += 2;
    bump(&own, 1);
    bump(&t->i, own - i);
  }
#pragma agglom atomic
  t->i += 1000;
}

#pragma agglom task in(x[0:n]) inout(lo[0:8], hi[0:8], fl[0:4], small[0:5])
void extremes(int n, const int *x, long long *lo, unsigned *hi, double *fl, short *small) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    double v = x[i] * 0.125;
#pragma agglom atomic
    lo[0] = x[i] < lo[0] ? x[i] : lo[0];
#pragma agglom atomic
    lo[1] = lo[1] < x[i] ? x[i] : lo[1];
#pragma agglom atomic
    lo[2] = (lo[2] <= x[i] ? lo[2] : x[i]);
#pragma agglom atomic
    lo[3] = x[i] >= lo[3] ? (x[i]) : lo[3];
#pragma agglom atomic
    if (x[i] < lo[4])
      lo[4] = x[i];
#pragma agglom atomic
    if (lo[5] < x[i]) {
      lo[5] = x[i];
    }
#pragma agglom atomic
    if (hi[0] < (unsigned)x[i])
      hi[0] = (unsigned)x[i];
#pragma agglom atomic
    hi[1] = hi[1] < (unsigned)x[i] ? hi[1] : (unsigned)x[i];
#pragma agglom atomic
    fl[0] = fmin(fl[0], v);
#pragma agglom atomic
    fl[1] = fmax(v, fl[1]);
#pragma agglom atomic
    fl[2] = v < fl[2] ? v : fl[2];
#pragma agglom atomic
    if (v > fl[3])
      fl[3] = v;
#pragma agglom atomic
    small[0] = (short)(x[i] < small[0] ? x[i] : small[0]);
#pragma agglom atomic
    if (small[1] < x[i])
      small[1] = (short)x[i];
#pragma agglom atomic
    if (small[4] < (short)(x[i] * 9))
      small[4] = (short)(x[i] * 9);
#pragma agglom atomic
    small[2] = (short)(small[2] + x[i]);
#pragma agglom atomic
    small[3] = (short)(x[i] /* over
                               lines */ |
                       small[3]);
  }
  if (n > 3) {
#pragma agglom atomic
    if (lo[6] > n) {
      lo[6] = n;
    }
#pragma agglom atomic
    if (lo[7] > n)
      lo[7] = n;
  }
}

/* One thread a unit: the same without loops. */
#pragma agglom task inout(count[0:4]) independent
void sequential(int k, int *count) {
  int calls = 0;
  bump(&calls, 3);
#pragma agglom atomic
  calls -= 1;
#pragma agglom atomic
  count[1] ^= calls;
#pragma agglom atomic
  count[k & 3] += k;
  for (int i = 0; i < 3; i++)
#pragma agglom atomic
    count[i]++;
  if (k & 1)
#pragma agglom atomic
    ++count[3];
  else
#pragma agglom atomic
    count[3] -= 2;
}

int main(void) {
  static int x[12][5000];
  static struct sums t[12];
  static long long lo[12][8];
  static unsigned hi[12][8];
  static double fl[12][4];
  static short small[12][5];
  static int count[12][4];
  unsigned r = 5;
  for (int k = 0; k < 12; k++) {
    int n = k < 4 ? k : k * k * 40;
    for (int i = 0; i < n; i++)
      x[k][i] = (int)((r = r * 1664525 + 1013904223) >> 16) % 20000 - 9000;
    t[k] = (struct sums){.u = ~0u, .ul = 3, .d = 1e6};
    lo[k][6] = lo[k][7] = 100;
    hi[k][1] = ~0u;
    integers(n, x[k], &t[k]);
    extremes(n, x[k], lo[k], hi[k], fl[k], small[k]);
    sequential(k, count[k]);
  }
#pragma agglom wait
  for (int k = 0; k < 12; k++) {
    struct sums *s = &t[k];
    printf("%d %d %d %d %d %u %lld %llu %g %g %d %lld %llu %d %d", s->c, s->uc, s->s, s->us, s->i, s->u,
           (long long)s->l, (unsigned long long)s->ul, s->f, s->d, s->plain, s->ll, s->ull, s->pair[0], s->pair[1]);
    for (int i = 0; i < 8; i++)
      printf(" %d %lld %u", s->bytes[i], lo[k][i], hi[k][i]);
    printf(" %d", small[k][4]);
    for (int i = 0; i < 4; i++)
      printf(" %g %d %d", fl[k][i], small[k][i], count[k][i]);
    printf("\n");
  }
  return 0;
}
