// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects of the file that sections name, wherever the body may name them: in designated initialisers, bounds of
// parallel loops, sort keys, updates, sizeof; and the same body where it is called and the object is a constant.
// RUN: %compare %s %t -w
#include <stdio.h>
struct vec { float x, y, z; };
static float table[4] = {1, 2, 3, 4};
static int count = 6, hits, *where;
static const int places[4] = {3, 1, 0, 2};
#pragma agglom task in(table) out(v[0:1])
static void literals(struct vec *v) {
  struct vec w = {.z = table[0], .x = table[1]};
  struct vec u = {.x = table[0], .z = table[1]};
  *v = w;
  v->x += u.x;
  *v = (struct vec){.z = v->x + table[2], .y = v->z * table[3], .x = sizeof table};
  _Static_assert(sizeof table == 16, "");
  __typeof__(table) copy = {table[3]};
  v->z += copy[0];
}
#pragma agglom task in(count, table) inout(v[0:n])
static void bounds(int n, struct vec *v) {
#pragma agglom loop
  for (int i = 0; i < count; ++i)
    v[i].x = count + table[i & 3];
#pragma agglom loop collapse(2)
  for (int i = 0; i < count / 2; ++i)
    for (int k = count - 2; k < count; ++k)
      v[2 * i + k - count + 2].y += table[k & 3];
}
#pragma agglom task in(places) inout(v[0:n])
static void sorted(int n, struct vec *v) {
#pragma agglom loop sort(places[i & 3])
  for (int i = 0; i < n; ++i)
    v[i].z = places[i & 3];
}
#pragma agglom task inout(v[0:n])
static void calls(int n, struct vec *v) { // the body of 'sorted' is called here, where 'places' is a constant
  sorted(n, v);
  v[0].x += places[1];
}
#pragma agglom task inout(hits, where[0:4]) in(count)
static void updates(int n) {
#pragma agglom loop
  for (int i = 0; i < n; ++i) {
#pragma agglom atomic
    hits += count;
#pragma agglom atomic
    where[i & 3] += hits > 0 ? count : 1;
  }
}
int main(void) {
  static struct vec v[8];
  static int cells[4];
  where = cells;
  literals(v + 7);
  bounds(6, v);
  sorted(8, v);
  calls(4, v);
  updates(10);
#pragma agglom wait
  for (int i = 0; i < 8; ++i)
    printf("%g %g %g\n", v[i].x, v[i].y, v[i].z);
  printf("%d %d %d\n", hits, cells[0], cells[3]);
  return 0;
}
