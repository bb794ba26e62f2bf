// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types as C has them: enumerations that are integers, types of members used outside, definitions inside
// other declarations, structures without members, flexible arrays, bit-fields of every type, alignment.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: measure: 10 units in
// CHECK: shift: 10 units in
#include <stdio.h>

enum colour { RED, GREEN = 5, BLUE } early;
typedef enum { OFF, ON = 0x80000000u, ALL = 0xffffffffu } wide;
enum negative { MINUS = -7, PLUS = 7 };
struct empty {};
struct unnamed {
  enum { INNER = 4, OUTER } mode;
  struct point {
    struct {
      short x, y;
    } at[2];
    enum colour colour : 4;
  } first, *last;
  union {
    struct {
      unsigned char low, high;
    };
    unsigned short both;
  };
  struct empty none;
  _Bool yes : 1, no : 1;
  signed char small : 3;
  unsigned long long large : 40;
  int : 0;
  enum negative sign : 5;
  _Alignas(16) double aligned;
};
struct flexible {
  int n;
  struct pair {
    int key;
    float value;
  } pair[];
};
typedef struct point point_type, points[2];
static const struct {
  enum colour c;
  struct point p;
  const char name[8];
} table[] = {{BLUE, {{{1, 2}, {3, 4}}, GREEN}, "blue"}, {.name = "red", .p.at[1].y = 9}};

static enum colour next(enum colour c, const enum colour *all) {
  c++;
  c += 1;
  return c > BLUE ? all[0] : c;
}

#pragma agglom task inout(s[0 : 1], out[0 : 40], flex[0 : bytes]) in(all[0 : 3])
void measure(struct unnamed *s, long long out[static 40], enum colour const all[3], unsigned char *flex,
             int bytes, enum negative sign) {
  int n = 0;
  struct local {
    int a;
    enum { DEEP = 11 } deep;
    struct inner {
      char c;
    } in;
  } l = {1, DEEP, {'x'}};
  struct inner again = l.in;
  enum colour c = 2;
  wide w = OFF;
  points two = {{.colour = BLUE}, {{{1}}}};
  /* unsigned: the enumeration has no negative value */
  out[n++] = (c - 3) > 0;
  out[n++] = sign - 1 < 0;
  out[n++] = (w - 1) / 2;
  out[n++] = ON + 1LL;
  out[n++] = ALL > 0;
  c = next(c, all);
  c = 77;
  out[n++] = c;
  out[n++] = sizeof 'a';
  out[n++] = sizeof(n < 2);
  out[n++] = sizeof(!n);
  out[n++] = sizeof RED;
  out[n++] = sizeof ON;
  out[n++] = sizeof(enum colour);
  out[n++] = sizeof "text";
  out[n++] = sizeof(struct empty);
  out[n++] = sizeof(struct unnamed);
  out[n++] = sizeof(struct in_here {
    char a;
    short b;
  });
  out[n++] = _Alignof(struct unnamed);
  out[n++] = sizeof(_Bool);
  out[n++] = sizeof(again.c + again.c);
  out[n++] = _Generic('a', char: 1, int: 2, default: 3);
  out[n++] = _Generic(c, unsigned: 4, int: 5);
  out[n++] = _Generic(n == 1, _Bool: 6, int: 7);
  out[n++] = _Generic(&s->first, struct point *: 8, default: 9);
  out[n++] = __builtin_choose_expr(sizeof(int) == 4, s->first.at[0].x, "other");
  out[n++] = __builtin_types_compatible_p(enum colour, unsigned);
  out[n++] = table[1].p.at[1].y + table[0].p.colour + table[0].name[1];
  out[n++] = two[0].colour + two[1].at[0].x + l.deep + l.a;
  __typeof__('a') typed = 300;
  __typeof__(n == 1) compared = 5;
  __auto_type guessed = 'b';
  out[n++] = typed + compared + (long long)sizeof guessed;
  s->mode = INNER | OUTER;
  s->first = two[0];
  s->first.colour += 3;
  s->first.at[1] = table[0].p.at[1];
  s->last = 0;
  s->low = 0xfe;
  s->both += 3;
  s->yes = 4;
  s->no = !s->yes;
  s->no++;
  s->yes--;
  out[n++] = s->yes-- + 2 * s->no++;
  s->small = 3;
  s->small++;
  s->large = ~0ull;
  s->large <<= 38;
  s->sign = sign;
  s->sign--;
  s->aligned += .5;
  struct flexible *f = (void *)flex;
  for (int i = 0; i < f->n; i++)
    f->pair[i].value += f->pair[i].key;
  out[n++] = __builtin_offsetof(struct unnamed, first.at[1].y);
  out[n] = n;
}

static int sign_of(enum {LEFT = 2, RIGHT} way, struct { int unused; } * none) {
  return none ? 0 : way == LEFT ? -1 : 1;
}

#pragma agglom task inout(p[0 : 1])
void shift(struct point *p, const struct point by, int way) {
  enum { LOCAL = 3 } local = LOCAL;
  local *= 2;
  for (struct { int i, n; } each = {0, 2}; each.i < each.n; each.i++)
    p->at[each.i].x += sign_of(way, 0) * by.at[each.i].y * local;
  p->colour = by.colour;
  p->colour--;
}

int main(void) {
  static struct unnamed s[10];
  static long long out[10][40];
  static const enum colour all[3] = {GREEN, RED, BLUE};
  static union {
    struct flexible f;
    unsigned char bytes[4 + 8 * 5];
  } flex[10];
  static struct point p[10];
  for (int u = 0; u < 10; u++) {
    flex[u].f.n = 5;
    for (int i = 0; i < 5; i++)
      flex[u].f.pair[i].key = u + i;
    measure(&s[u], out[u], all, flex[u].bytes, sizeof flex[u].bytes, u & 1 ? MINUS : PLUS);
    shift(&p[u], (struct point){{{1, u}, {2, 3}}, u & 7}, 2 + (u & 1));
  }
#pragma agglom wait
  for (int u = 0; u < 10; u++) {
    for (int i = 0; i < 40; i++)
      printf("%lld ", out[u][i]);
    printf("%d %d %d %d %d %d %d %d %llx %d %g %g %d %d %d\n", s[u].mode, s[u].first.colour,
           s[u].first.at[1].y, s[u].both, s[u].yes, s[u].no, s[u].small, s[u].low,
           (unsigned long long)s[u].large, s[u].sign, s[u].aligned, flex[u].f.pair[3].value, p[u].at[0].x,
           p[u].at[1].x, p[u].colour);
  }
  return 0;
}
