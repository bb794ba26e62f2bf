// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A toy LZ77 and run-length coder with their decoders, bit streams, and Huffman code lengths built in local arrays.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { UNITS = 9, N = 120, OUT = 200 };
struct bits {
  uint8_t *p;
  unsigned at;
};

static void write_bits(struct bits *b, unsigned v, unsigned n) {
  for (; n--; b->at++)
    b->p[b->at / 8] = (uint8_t)((b->p[b->at / 8] & ~(1u << b->at % 8)) | (v >> n & 1) << b->at % 8);
}
static unsigned read_bits(struct bits *b, unsigned n) {
  unsigned v = 0;
  while (n-- > 0)
    v = v << 1 | (b->p[b->at >> 3] >> (b->at & 7) & 1), ++b->at;
  return v;
}
static unsigned squeeze(const uint8_t *in, int n, uint8_t *out) {
  struct bits b = {out, 0};
  for (int i = 0; i < n;) {
    int best = 0, from = 0;
    for (int back = 1; back <= i && back < 32; back++) {
      int length = 0;
      while (length < 17 && i + length < n && in[i + length] == in[i + length - back])
        length++;
      if (length > best)
        best = length, from = back;
    }
    if (best > 2)
      write_bits(&b, 1, 1), write_bits(&b, (unsigned)from, 5), write_bits(&b, (unsigned)best - 2, 4), i += best;
    else
      write_bits(&b, 0, 1), write_bits(&b, in[i++], 8);
  }
  return b.at;
}
static int unsqueeze(const uint8_t *in, unsigned length, uint8_t *out) {
  struct bits b = {(uint8_t *)in};
  int n = 0;
  while (b.at < length)
    if (read_bits(&b, 1)) {
      unsigned back = read_bits(&b, 5), count = read_bits(&b, 4) + 2;
      for (; count; --count, ++n)
        out[n] = out[n - (int)back];
    } else
      out[n++] = (uint8_t)read_bits(&b, 8);
  return n;
}
static unsigned huffman(const uint8_t *in, int n, uint8_t lengths[8]) {
  int weight[15], parent[15] = {0}, total = 8;
  for (int s = 0; s < 15; s++)
    weight[s] = s < 8 ? 1 : 0;
  for (int i = 0; i < n; i++)
    weight[in[i] & 7] += 2;
  char used[15] = {0};
  while (total < 15) {
    for (int half = 0; half < 2; half++) {
      int least = -1;
      for (int s = 0; s < total; s++)
        if (!used[s] && (least < 0 || weight[s] < weight[least]))
          least = s;
      used[least] = 1, parent[least] = total, weight[total] += weight[least];
    }
    total++;
  }
  unsigned cost = 0;
  for (int s = 0; s < 8; s++) {
    lengths[s] = 0;
    for (int at = s; at != 14; at = parent[at])
      lengths[s]++;
    cost += lengths[s] * (unsigned)weight[s];
  }
  return cost;
}

#pragma agglom task in(in[0:n]) out(out[0:OUT], back[0:N], stat[0:12])
static void pack(int n, const uint8_t *in, uint8_t *out, uint8_t *back, unsigned *stat) {
  uint8_t lengths[8];
  memset(out, 0, OUT);
  stat[0] = squeeze(in, n, out);
  stat[1] = (unsigned)unsqueeze(out, stat[0], back);
  stat[2] = !memcmp(in, back, (size_t)n);
  stat[3] = huffman(in, n, lengths);
  for (int s = 0; s < 8; s++)
    stat[4 + s] = lengths[s];
}

int main(void) {
  static uint8_t in[UNITS][N], out[UNITS][OUT], back[UNITS][N];
  static unsigned stat[UNITS][12];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      in[u][i] = (uint8_t)(i % (5 + u * 3) * (i / 50 + 1) + (i % 31 == 0));
  for (int u = 0; u < UNITS; u++)
    pack(N - u, in[u], out[u], back[u], stat[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    for (int k = 0; k < 12; k++)
      printf("%u ", stat[u][k]);
    for (unsigned k = 0; k < (stat[u][0] + 7) / 8; k++)
      printf("%02x", out[u][k]);
    printf(" %d\n", back[u][N - UNITS]);
  }
  return 0;
}
