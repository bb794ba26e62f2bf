// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that accumulate, at sizes where pieces have private copies and where they have none: nothing is lost and nothing
// is counted twice, with each operator, by one thread and by several, beside tasks that accumulate the same memory.
// RUN: %compare %s %t
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=1 %t.agglom > %t.one && cmp %t.one %t.serial.out
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=4 %t.agglom > %t.four && cmp %t.four %t.serial.out
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=4 AGGLOM_SCHEDULE=static %t.agglom > %t.static && cmp %t.static %t.serial.out
// RUN: env AGGLOM_DEVICES=none AGGLOM_WORKERS=3 AGGLOM_SCHEDULE=dynamic:500 %t.agglom > %t.dyn && cmp %t.dyn %t.serial.out
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_SCHEDULE=dynamic:500 %t.agglom > %t.both && cmp %t.both %t.serial.out
#include <stdio.h>
#include <string.h>

enum { BINS = 37, N = 20000 };

struct all {
  long sum[BINS];
  unsigned product[BINS];
  int least[BINS];
  double most[BINS];
  unsigned char both[BINS];
  unsigned short any[BINS];
  unsigned long long odd[BINS];
};

static int of_the_file[BINS];
static long *pointer_of_the_file;

#pragma agglom task in(key[0:n]) accumulate(+: sum[0:BINS])
static void count(int n, const int *key, long *sum) {
  for (int i = 0; i < n; ++i)
    sum[key[i] % BINS] += 1000;
}

static void rounds(int n, int times, const int *key, struct all *a) {
  long *sum = a->sum;
  unsigned *product = a->product;
  int *least = a->least;
  double *most = a->most;
  unsigned char *both = a->both;
  unsigned short *any = a->any;
  unsigned long long *odd = a->odd;
  for (int t = 0; t < times; ++t) {
    count(n < 50 ? n : 50, key, sum);
#pragma agglom for in(key[i]) accumulate(+: sum[0:BINS]) accumulate(*: product[0:BINS]) accumulate(min: least[0:BINS]) \
    accumulate(max: most[0:BINS]) accumulate(&: both[0:BINS]) accumulate(|: any[0:BINS]) accumulate(^: odd[0:BINS]) \
    schedule(runtime)
    for (int i = 0; i < n; ++i) {
      int b = key[i] % BINS;
      sum[b] += key[i];
      if (key[i] & 1)
        --sum[(b + 1) % BINS];
      product[b] *= (unsigned)(key[i] | 1);
      least[b] = key[i] < least[b] ? key[i] : least[b];
      if (key[i] * 0.25 > most[b])
        most[b] = key[i] * 0.25;
      both[b] &= (unsigned char)(key[i] | 1);
      any[b] |= (unsigned short)key[i];
      odd[b] ^= (unsigned long long)key[i] << 30;
    }
    pointer_of_the_file = sum;
#pragma agglom for accumulate(+: of_the_file[0:BINS], pointer_of_the_file[0:2]) schedule(runtime)
    for (int i = 0; i < n; ++i) {
      of_the_file[i % BINS] += i;
      pointer_of_the_file[i % 2]++;
    }
#pragma agglom wait
  }
}

int main(void) {
  static int key[N];
  static struct all a;
  for (int i = 0; i < N; ++i)
    key[i] = (int)((unsigned)i * 2654435761u >> 8) % 100003;
  for (int b = 0; b < BINS; ++b) {
    a.product[b] = 3;
    a.least[b] = 5000;
    a.most[b] = -1;
    a.both[b] = 255;
  }
  const int sizes[] = {1, 10, 73, 74, 75, 500, 3000, N};
  for (unsigned s = 0; s < sizeof sizes / sizeof sizes[0]; ++s)
    rounds(sizes[s], sizes[s] > 500 ? 2 : 10, key, &a);
  for (int b = 0; b < BINS; ++b)
    printf("%d %ld %u %d %g %d %d %llu\n", of_the_file[b], a.sum[b], a.product[b], a.least[b], a.most[b], a.both[b], a.any[b], a.odd[b]);
  return 0;
}
