// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs by value as arguments, nested, with holes, larger than a cache line; their copy is taken at the call.
// RUN: %compare %s %t
// RUN: FileCheck %s < %t.report
// CHECK: move: 64 units in
// CHECK: weigh: 64 units in
#include <stdio.h>
#include <string.h>

struct vec {
  float x, y, z;
};
struct body {
  char kind;
  struct vec at, speed;
  short charge;
  double mass;
};
struct settings {
  char name[7];
  struct body template_body;
  struct {
    long long steps;
    unsigned char on;
  } loop;
  double table[12];
};
struct one {
  char c;
};
struct empty_tail {
  double d;
  char c;
};

#pragma agglom task inout(b[0:n])
void move(struct one first, struct settings s, int n, struct body *b, struct vec push, struct empty_tail last) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    struct body next = b[i];
    struct vec v = {.x = s.template_body.speed.x, .z = push.z};
    next.at.x += v.x * (float)s.loop.steps + push.x;
    next.at.z += v.z + v.y;
    next.kind = s.name[i % 7] ? s.name[i % 7] : first.c;
    next.mass = s.table[i % 12] * last.d + last.c;
    next.speed = s.loop.on ? (struct vec){next.at.z, 1, 2} : push;
    b[i] = next;
  }
}

#pragma agglom task in(b[0:n]) out(sum[0:1])
void weigh(int n, const struct body *b, struct body limits[2], struct vec *sum) {
  struct vec s = {0, 0, 0};
  (void)limits;
  for (int i = 0; i < n; i++) {
    s.x += b[i].at.x;
    s.y += (float)b[i].kind;
    s.z += (float)b[i].mass;
  }
  *sum = s;
}

int main(void) {
  static struct body bodies[64][19];
  static struct vec sums[64];
  struct settings s = {.name = "abc", .loop = {5, 1}};
  for (int k = 0; k < 12; k++)
    s.table[k] = k * 0.25;
  for (int u = 0; u < 64; u++) {
    s.template_body.speed.x = (float)u / 4;
    s.name[6] = (char)('A' + u % 26);
    s.loop.on = u % 3 == 0;
    struct vec push = {1, 2, (float)u};
    move((struct one){'z'}, s, 19, bodies[u], push, (struct empty_tail){u * 0.5, (char)u});
    weigh(19, bodies[u], 0, &sums[u]);
    memset(&push, 255, sizeof push); // the unit has its own copy
    s.loop.steps++;
  }
#pragma agglom wait
  for (int u = 0; u < 64; u++) {
    for (int i = 0; i < 19; i++)
      printf("%d %g %g %g %g | ", bodies[u][i].kind, (double)bodies[u][i].at.x, (double)bodies[u][i].at.z,
             (double)bodies[u][i].speed.x, bodies[u][i].mass);
    printf("%a %a %a\n", (double)sums[u].x, (double)sums[u].y, (double)sums[u].z);
  }
  return 0;
}
