// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Anonymous structures and unions, several levels deep, with qualifiers, arrays beside them, addressed through the outer one.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 10, N = 14 };
struct register_file {
  union {
    struct {
      union {
        uint64_t rax;
        uint32_t eax;
        uint16_t ax;
        struct {
          uint8_t al, ah;
        };
      };
      union {
        uint64_t rbx;
        struct {
          uint8_t bl, bh;
        };
      };
    };
    uint64_t all[2];
    uint8_t bytes[16];
  };
  struct {
    unsigned carry : 1, zero : 1, sign : 1, : 5, level : 4;
  };
  const struct {
    int constant;
  };
  struct {
    int named;
    struct {
      short deep[2];
    };
  } inner;
};

static void execute(struct register_file *r, unsigned op) {
  uint16_t before = r->ax;
  switch (op % 6) {
  case 0: r->al += 200; break;
  case 1: r->ah ^= r->bl; break;
  case 2: r->eax *= 2654435761u; break;
  case 3: r->rbx = r->rax >> r->bytes[3] % 40; break;
  case 4: r->all[1] -= r->all[0], r->bh = r->al; break;
  default: r->ax = (uint16_t)(r->ax << 3 | r->ax >> 13);
  }
  r->carry = r->ax < before, r->zero = !r->al, r->sign = r->ah >> 7, r->level += r->carry + 1;
  r->inner.deep[op & 1] = (short)(r->inner.deep[op & 1] + r->constant);
  r->inner.named = &r->bytes[8] == (uint8_t *)&r->rbx ? r->inner.named + r->level : -1;
}

#pragma agglom task inout(r[0:n]) in(program[0:length])
static void run(int n, struct register_file *r, int length, const unsigned char *program) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    for (const unsigned char *p = program; p < program + length; ++p)
      execute(r + i, *p + (unsigned)i);
}

int main(void) {
  static struct register_file r[UNITS][N] = {[0 ... UNITS - 1] = {[0 ... N - 1] = {.rax = 0x123456789abcdef0u, .rbx = 77, .constant = 5}}};
  static unsigned char program[UNITS][30];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < 30; i++)
      program[u][i] = (unsigned char)(i * i + u * 7);
  for (int u = 0; u < UNITS; u++)
    run(N, r[u], 30 - u, program[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      printf("%llx %llx %d %d %d %d %d %d %d\n", (unsigned long long)r[u][i].rax, (unsigned long long)r[u][i].rbx, r[u][i].carry,
             r[u][i].zero, r[u][i].sign, r[u][i].level, r[u][i].inner.named, r[u][i].inner.deep[0], r[u][i].inner.deep[1]);
  return 0;
}
