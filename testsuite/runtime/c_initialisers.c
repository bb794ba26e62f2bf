// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Initialisers in C's forms: designators in any order, ranges, braces left out, strings without a final
// zero and wide ones, implicit narrowing, compound literals as values and as objects.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: fill: 8 units in
#include <stddef.h>
#include <stdio.h>

struct rule {
  char code;
  struct {
    short from, to;
  } range;
  float gain[3];
  union {
    int i;
    float f;
    double d;
  };
  union number {
    long l;
    double d;
  } number;
  unsigned : 3, bits : 5;
};
static const struct rule rules[] = {[2].range = {-4, 4},
                                    [2].gain[1] = 3,
                                    [0] = {'a', {1, 5}, {1, 2, 3}},
                                    {.gain = {[1] = .125f}, .code = 'b', .d = .5},
                                    [3 ... 4] = {.number.d = 2.5, .bits = 21}};
static const unsigned char bytes[] = {255, 'a', -1, 3.9};
static const char three[3] = "abc", padded[6] = "ab", braced[] = {"cd"};
static const wchar_t wide[] = L"w\u00e9x";
static const unsigned short sixteen[] = u"16";
static const unsigned thirty_two[4] = U"32!!";
static const float floats[2][2] = {1, 2.5, 3}, halves[] = {1 / 2., 0.1};
static const int sparse[8] = {[6] = 9, [1] = 4, 5}, later[2] = {[1] = sizeof sparse}, lonely;
static const double zero[3];
static const struct rule literal = (struct rule){.code = 'l'};
static const char *const unused = "no device code uses it";

struct node {
  int value;
  const struct node *next;
};

static int sum(const struct node *n) { return n->value + 10 * !n->next; }
static int total(const int *p, int n) {
  int t = 0;
  while (n--)
    t += p[n];
  return t;
}

#pragma agglom task out(out[0 : 64])
void fill(double *out, int n, double x, long l) {
  int k = 0;
  for (int i = 0; i < 5; i++) {
    const struct rule *r = &rules[i];
    out[k++] = r->code + r->range.from + 2 * r->range.to + r->gain[0] + 4 * r->gain[1] + r->bits;
    out[k++] = r->number.d * 8 + r->d;
  }
  out[k++] = bytes[0] + bytes[1] + bytes[2] + bytes[3];
  out[k++] = three[2] + padded[1] + padded[5] + braced[1];
  out[k++] = wide[1] + wide[3] + sixteen[1] + thirty_two[3];
  out[k++] = floats[1][0] + floats[1][1] + halves[1];
  out[k++] = sparse[6] + sparse[2] + later[1] + lonely + zero[2] + literal.code;
  /* values that do not fit, and values of variables */
  short narrow[] = {n, l, x, 70000};
  unsigned char c = {l}, a[2][2] = {{n, n + 1}, l * 3};
  float f = {x}, g[3] = {n, x, 0.1};
  _Bool b[3] = {n, x, "text"};
  struct rule local = {.range.to = n * 3, .code = n, .gain = {x, [2] = l}, .number = {.d = x}};
  struct rule copy = local, other = {n, .range = local.range};
  char text[4] = "text", rest[8] = "ab";
  out[k++] = narrow[0] + narrow[1] + narrow[2] + narrow[3];
  out[k++] = c + a[0][1] + a[1][0] + f + g[0] + g[2] + b[0] + b[1] + b[2];
  out[k++] = copy.range.to + copy.code + copy.gain[0] + copy.gain[2] + copy.number.d + other.range.to;
  out[k++] = text[3] + rest[1] + rest[7];
  /* compound literals */
  out[k++] = ((struct rule){.range = {n, 2}}).range.from;
  out[k++] = (int[]){4, 5, 6}[n % 3];
  out[k++] = total((int[]){1, [3] = n, 2}, 5) + total((const int[2]){7, n}, 2);
  out[k++] = sum(&(struct node){1, &(struct node){n, &(struct node){.value = 3}}});
  int *counter = &(int){n};
  ++*counter;
  out[k++] = *counter + (int){2} + (short){l};
  struct rule *object = &(struct rule){.code = 1};
  object->gain[2] = x;
  *object = (struct rule){.gain = {object->gain[2]}, .number.l = l};
  out[k++] = object->gain[0] + object->number.l + object->code;
  for (int i = 0; i < 3; i++) {
    int *fresh = (int[2]){i, n};
    fresh[1] += i;
    out[k++] = fresh[0] * 100 + fresh[1];
  }
  if (n & 1)
    out[k++] = *(char *)"yes" + total((int[]){n}, 1);
  else
    out[k++] = (&(struct node){.value = 5})->value;
  out[k++] = ((union number){.d = x}).d + ((union number)l).l;
  const char *words[] = {"zero", [2] = "two", "three"};
  char *plain = "plain";
  plain = n ? "some" : plain;
  out[k++] = words[3][1] + (words[1] == NULL) + plain[1] + "abc"[n % 3] + *u8"u";
  out[k++] = ({
    int deep[] = {[1] = n};
    (struct node){deep[1]}.value + k;
  });
  while (k < 64)
    out[k++] = 0;
}

int main(void) {
  static double out[8][64];
  for (int u = 0; u < 8; u++)
    fill(out[u], u * 300, u / 3., 70000L * u);
#pragma agglom wait
  for (int u = 0; u < 8; u++)
    for (int i = 0; i < 64; i++)
      printf("%.9g%c", out[u][i], i == 63 ? '\n' : ' ');
  return unused != NULL ? 0 : 1;
}
