// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements and conversions as C has them: jumps past initialisations, names declared again, case ranges
// and cases of other types, conversions of pointers, declarations inside functions, GNU C.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: walk: 16 units in
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct pair {
  int a;
  const char *text;
};
extern const int table[4];
const int table[4] = {2, 3, 5, 7};
static int twice(int);

static int jump(int n) {
  if (n > 5)
    goto late;
  const int early = n * 2, others[3] = {n, [2] = 4};
  struct pair p = {early, "jumped"};
  n += others[2] + p.a + p.text[1];
  for (int i = 0; i < 3; i++) {
    int i = n;
    n += i & 3;
  }
late:;
  int after = n + 1;
  switch (n & 3) {
    int unreached;
  case 0:;
    int inner = after;
    n += inner;
    break;
  case 1:
    unreached = 4;
    n += unreached;
  case 2: {
    float deep = n;
    n += (int)deep;
  }
  default:
    n++;
  }
  goto end;
end:
  return n;
}

static int ranges(unsigned u, long l, char c) {
  int r = 0;
  switch (u) {
  case -1:
    r += 1;
    break;
  case 1 ... 5:
    r += 2;
  case 7:
    r += 4;
  }
  switch (l) {
  case 'a' ... 'f':
    r += 8;
    break;
  case 0x100000000:
    r += 16;
  }
  switch (c) {
  case '\xff':
    r += 32;
    break;
  case 'b':
    r += 64;
  }
  return r;
}

static void *pass(void *p) { return p; }
static const void *constant(const void *p) { return p; }
static int twice(int n) { return 2 * n; }
static long sum(int n, const int p[restrict], unsigned char q[const 2]) { return p[n] + q[1]; }

#pragma agglom task inout(mem[0 : 32]) out(out[0 : 40])
void walk(int *mem, long *restrict out, int n) {
  int k = 0, twice(int);
  extern const int table[4];
  out[k++] = jump(n);
  out[k++] = ranges(n - 4u, 'a' + n, 'b' - n % 2);
  out[k++] = ranges(n, n ? 0x100000000 : 0, n % 3 ? '\xff' : 0);
  void *untyped = mem;
  int *typed = untyped, *null = (void *)0, *zero = 0, *chosen = n & 1 ? pass(mem + 1) : NULL;
  unsigned char *bytes = pass(mem);
  const int *fixed = constant(mem);
  typed = pass(typed + 1);
  out[k++] = *typed + *fixed + bytes[4] + (null == zero) + (chosen ? *chosen : 0);
  out[k++] = (n ? untyped : null) == mem;
  out[k++] = sum(1, (void *)mem, untyped) + twice(n) + table[n & 3];
  struct pair pairs[2] = {{.text = "one"}, {n}}, *each = pairs;
  char *text = "changed";
  for (auto int i = 0; i < 2; i++, each++)
    each->text = each->text ? text : "none";
  out[k++] = pairs[0].text[1] + pairs[1].text[1];
  out[k++] = n ?: -1;
  out[k++] = ({
    int n = k;
    n * 2;
  });
  register int r = n;
  volatile int v = r;
  v++;
  out[k++] = v + (r, n) + !n + -(n > 3) + ~(n == 2);
  out[k++] = sizeof __func__ + __func__[0];
  _Static_assert(sizeof 'x' == sizeof(int), "characters are int");
  _Bool flag = n, *flags = &flag;
  flag += 3;
  ++*flags;
  flag--;
  out[k++] = flag + (_Bool)mem + (_Bool).5;
  int low = (int)(unsigned char)'\xe9' + 'ab';
  out[k++] = low + 0x1.8p3 + 1e2f + 0b101 + 077;
  memcpy(mem + 8, &(struct pair){n}, sizeof(int));
  int copy[4] = {0};
  memcpy(copy, mem, sizeof copy);
  memset(mem + 12, 1, 8);
  memmove(mem + 20, mem, 12);
  out[k++] = memcmp(mem, copy, sizeof copy) + mem[8] + mem[12] + mem[21];
  out[k++] = __builtin_popcount(n) + __builtin_ctz(n | 8) + __builtin_clz(n | 1) + __builtin_ffs(n) +
             __builtin_parity(n) + __builtin_clrsb(-n) + __builtin_popcountll(~0ull << n) +
             __builtin_ctzll(1ull << n << 20) + __builtin_clzl(1ul << n) +
             __builtin_ffsll((long long)n << 33);
  out[k++] = __builtin_bswap16(n) + __builtin_bswap32(n) + (long)(__builtin_bswap64(n) >> 8);
  int wrapped;
  unsigned long long product;
  out[k++] =
      __builtin_add_overflow(n, 0x7ffffff8, &wrapped) + 2 * __builtin_mul_overflow(~0ull / 7, n, &product);
  out[k++] = wrapped + (long)(product >> 3);
  out[k++] = __builtin_expect(n, 3) + __builtin_constant_p(n) + __builtin_abs(-n);
  int (*rows)[4] = (int (*)[4])mem, flat = 0;
  for (int i = 0; i < 2; i++)
    flat += rows[i][3 - i];
  out[k++] = flat + (long)(&rows[2][1] - mem);
  do
    if (n)
      continue;
    else
      break;
  while (n--, 0);
  while (k < 40)
    out[k++] = n;
}

int main(void) {
  static int mem[16][32];
  static long out[16][40];
  for (int u = 0; u < 16; u++) {
    for (int i = 0; i < 32; i++)
      mem[u][i] = i * 17 + u;
    walk(mem[u], out[u], u);
  }
#pragma agglom wait
  for (int u = 0; u < 16; u++) {
    for (int i = 0; i < 40; i++)
      printf("%ld ", out[u][i]);
    for (int i = 0; i < 32; i++)
      printf("%x%c", (unsigned)mem[u][i], i == 31 ? '\n' : ' ');
  }
  return 0;
}
