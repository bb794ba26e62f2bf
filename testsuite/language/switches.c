// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// switch: fall through, ranges, nested, default in the middle, declarations before the first case, Duff's device, 64-bit and
// character labels, continue inside, a case inside a loop of the switch.
// RUN: %compare %s %t -w
#include <stdio.h>

enum { UNITS = 14, N = 50 };

static int classify(long long v) {
  switch (v) {
    int unused;
  case -9223372036854775807LL - 1: return 1;
  default: unused = 3; return unused + (v > 0);
  case 0x7fffffffffffffffLL: return 2;
  case 0: case 1: return 7;
  case 4294967296: return 8;
  case 'a' ... 'f': return (int)v - 'a' + 10;
  case '0' ... '9': return (int)v - '0';
  }
}
static int count_duff(const unsigned char *from, int n) {
  int sum = 0, rounds = (n + 7) / 8;
  if (n <= 0)
    return 0;
  switch (n % 8) {
  case 0: do { sum += *from++;
  case 7: sum = sum * 3 + *from++;
  case 6: sum += *from++;
  case 5: sum ^= *from++;
  case 4: sum += *from++;
  case 3: sum -= *from++;
  case 2: sum += *from++;
  case 1: sum += 2 * *from++;
    } while (--rounds > 0);
  }
  return sum;
}
static unsigned nested(unsigned a, unsigned b) {
  unsigned r = 0;
  switch (a & 3) {
  case 0:
    switch (b % 3) {
    case 1: r += 5; break;
    case 2: r += 7; // and the default
    default: r += 100; break;
    }
    r *= 2;
  case 1:
    r += 1;
    break;
  default:
    switch ((unsigned char)b)
    case 3: r = 33;
    if (b & 8)
  case 2:
      r += 1000;
    else
      r += 2000;
  }
  switch (r) { }
  switch (b & 1) case 1: r++;
  return r;
}

#pragma agglom task in(x[0:n]) out(r[0:n]) inout(total[0:1])
static void choose(int n, const unsigned char *x, int *r, int *total) {
  int vowels = 0;
  for (int i = 0; i < n; i++) {
    switch (x[i]) {
    case 'a': case 'e': case 'i': case 'o': case 'u':
      vowels++;
      continue;
    case 255:
      i = n - 2;
      break;
    }
    vowels += 100;
  }
  *total += vowels;
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    long long v = i % 7 == 0 ? (long long)x[i] << 32 : i % 7 == 1 ? -9223372036854775807LL - 1 + (x[i] & 1) : i % 7 == 2 ? 0x7fffffffffffffffLL : x[i];
    r[i] = classify(v) + 1000 * count_duff(x, i % 20) + (int)nested(x[i], (unsigned)i);
  }
}

int main(void) {
  static unsigned char x[UNITS][N];
  static int r[UNITS][N], total[UNITS];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      x[u][i] = (unsigned char)(u == 5 && i == 20 ? 255 : 'A' + (i * 7 + u * 5) % 60);
  for (int u = 0; u < UNITS; u++)
    choose(N, x[u], r[u], &total[u % 3]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      printf("%d%c", r[u][i], i == N - 1 ? '\n' : ' ');
  printf("%d %d %d\n", total[0], total[1], total[2]);
  return 0;
}
