// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of 512 bits: addition with carry, schoolbook product, division by a digit, conversion to decimal.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 16, UNITS = 20, TEXT = 160 };
typedef uint32_t number[DIGITS];

static uint32_t add(uint32_t *a, const uint32_t *b) {
  uint64_t carry = 0;
  for (int i = 0; i < DIGITS; ++i, carry >>= 32)
    a[i] = (uint32_t)(carry += (uint64_t)a[i] + b[i]);
  return (uint32_t)carry;
}
static void multiply(number out, const number a, const number b) {
  number r;
  memset(r, 0, sizeof r);
  for (int i = 0; i < DIGITS; i++) {
    uint64_t carry = 0;
    for (int k = 0; i + k < DIGITS; k++) {
      carry += (uint64_t)a[i] * b[k] + r[i + k];
      r[i + k] = (uint32_t)carry;
      carry >>= 32;
    }
  }
  memcpy(out, r, sizeof(number));
}
static uint32_t divide(number a, uint32_t by) {
  uint64_t rest = 0;
  for (int i = DIGITS; i-- > 0;) {
    rest = rest << 32 | a[i];
    a[i] = (uint32_t)(rest / by);
    rest %= by;
  }
  return (uint32_t)rest;
}
static _Bool zero(const number a) {
  for (const uint32_t *p = a; p != a + DIGITS; ++p)
    if (*p)
      return 0;
  return 1;
}

// base to the power, plus the factorial of power.
#pragma agglom task out(text[0:TEXT])
static void power(uint32_t base, unsigned power, char *text) {
  number result = {1}, square = {base}, factorial = {[0] = 1};
  for (unsigned e = power; e; e >>= 1) {
    if (e & 1)
      multiply(result, result, square);
    multiply(square, square, square);
  }
  for (uint32_t k = 2; k <= power; k++)
    multiply(factorial, factorial, (number){k});
  uint32_t carry = add(result, factorial);
  char reversed[TEXT];
  int n = 0, at = 0;
  do
    reversed[n++] = (char)('0' + divide(result, 10));
  while (!zero(result));
  text[at++] = carry ? '!' : ' ';
  while (n)
    text[at++] = reversed[--n];
  text[at] = '\0';
}

int main(void) {
  static char text[UNITS][TEXT];
  for (int u = 0; u < UNITS; u++)
    power(3 + (uint32_t)u * u * 977, 5 + 4 * (unsigned)u, text[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    printf("%s\n", text[u]);
  return 0;
}
