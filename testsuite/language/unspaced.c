// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structures, unions and enumerations without a name and without blanks around their braces.
// RUN: %compare %s %t -w
#include <stdio.h>
enum{UNITS=5,N=12};
static const struct{int a;double b;}table[]={{1,.5},{2,.25},{3,.125}};
static const enum{RED=3,GREEN}colour=GREEN;
typedef struct{int x;}typed;

static int helper(int k){struct{int v;}h={k};union{int i;unsigned char c[4];}u={h.v};return u.i+(int)sizeof(struct{double d;})+u.c[0];}

// clang-format off
#pragma agglom task inout(y[0:n])
static void t(int n, double *y) {
  struct{double d;}z={1};
  const struct{int c;}fixed={7};
  enum{A,B=5,C}e=C;
  union{double d;long l;}u;
  struct{struct{int a;}i,j;}nested={{1},{2}};
  struct{enum{P,Q}kind;}holds={Q};
  typed own={n};
  u.d=z.d;
  for(struct{int j;}k={0};k.j<3;k.j++)y[0]+=k.j+e;
#pragma agglom loop
  for(int i=0;i<n;i++){
    struct{int s;}in={i};
    y[i]+=in.s+u.d+nested.j.a+table[i%3].b+table[i%3].a+helper(i)+B+colour+holds.kind+own.x+fixed.c+sizeof(union{int a;char b[9];});
  }
}
// clang-format on

int main(void) {
  double y[UNITS][N] = {{0}}, sum = 0;
  for (int u = 0; u < UNITS; u++)
    t(N, y[u]);
#pragma agglom wait
#pragma agglom for inout(y[u])
  for (int u = 0; u < UNITS; u++) {
    struct{int k;}two={u};
    enum{ONE=1}one=ONE;
    y[u][two.k] += one;
  }
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      sum += y[u][i] * (u + 1);
  printf("%g\n", sum);
}
