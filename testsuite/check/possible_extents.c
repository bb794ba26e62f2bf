// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far an index can reach because of its type, its mask or the end of a loop that may be left is not how far it
// reaches: each of these sections is right, and nothing is made of such limits without saying so.
// RUN: %agglomcc -fsyntax-only -Werror %s
// RUN: sed '/^#pragma agglom/d' %s > %t.c
// RUN: %agglomcc --suggest %t.c > %t.out 2>&1; FileCheck %s < %t.out
// CHECK-DAG: 'walk' is not proposed
// CHECK-DAG: 'paint_short' is not proposed: the section of 'palette' cannot be inferred: the position of an access is computed from values that are not known when the task is called
// CHECK-DAG: 'paint' is proposed as a task, assuming that the elements palette[0:256] are there even when a condition spares them
// CHECK-DAG: 'length' is proposed as a task, assuming that the elements next[0:10000000] are there even when a condition spares them
// CHECK-DAG: 'histogram' is proposed as a task, assuming that the elements h[0:256] are there
// RUN: %agglomcc -fsyntax-only -DBARE %s > %t.bare 2>&1; FileCheck %s --check-prefix=BARE < %t.bare
// BARE: task 'bare_short' dereferences its parameter 'palette', but no data clause names it; add in(palette[lo:len])
// BARE: the section of 'palette' cannot be inferred
// BARE: task 'bare_length' dereferences its parameter 's', but no data clause names it; add in(s[lo:len])
// BARE: the section of 's' cannot be inferred: which of its elements are used depends on arguments, or on what memory holds
// BARE: the loop uses the memory of 'palette', but no data clause names it; add in(palette[lo:len])
// BARE: task 'bare_histogram' dereferences its parameter 'h', but no data clause names it; add in(h[lo:len])
// BARE: task 'bare_guarded' dereferences its parameter 'h', but no data clause names it; add in(h[lo:len])
struct q { short child[4]; int v; };

#pragma agglom task in(q[0:n]) out(*sum)
void walk(const struct q *q, int n, long *sum) {
  short st[64];
  int sp = 1;
  long s = 0;
  st[0] = 0;
  while (sp > 0) {
    const struct q *p = q + st[--sp];
    s += p->v;
    if (p->child[0] >= 0)
      for (int k = 0; k < 4; k++)
        st[sp++] = p->child[k];
  }
  *sum = s + 0 * n;
}
#pragma agglom task in(palette[0:n], pixel[0:64]) out(rgb[0:64])
void paint(int n, const int *palette, const unsigned char *pixel, int *rgb) {
  for (int i = 0; i < 64; ++i)
    rgb[i] = palette[pixel[i]] + 0 * n;
}
#pragma agglom task in(palette[0:n], pixel[0:64]) out(rgb[0:64])
void paint_short(int n, const int *palette, const short *pixel, int *rgb) {
  for (int i = 0; i < 64; ++i)
    rgb[i] = palette[pixel[i]] + 0 * n;
}
#pragma agglom task in(next[0:n]) out(*len)
void length(int n, const int *next, int *len) {
  int i;
  for (i = 0; i < 10000000; i++)
    if (next[i] < 0)
      break;
  *len = i + 0 * n;
}
#pragma agglom task inout(x[0:n])
void masked(int n, int *x) {
  for (int i = 0; i < 40; ++i)
    x[i & 127] += 0 * n + 1;
}
#pragma agglom task inout(x[0:n])
void masked_far(int n, int *x) {
  for (int i = 0; i < 9; ++i)
    x[(i + 31) & 127] += 0 * n + 1;
}
#pragma agglom task inout(x[0:n])
void fifty(int n, int *x) {
  for (int i = 0; i < 50; ++i)
    x[i] += 0 * n + 1;
}
#pragma agglom task in(b[0:n]) inout(h[0:256])
void histogram(int n, const unsigned char *b, int *h) {
  for (int i = 0; i < n; i++)
    h[b[i]]++;
}
void calls(const struct q *q, int n, long *sum, const int *palette, const unsigned char *pixel, const short *wide,
           int *rgb) {
  for (int k = 0; k < n; ++k) {
    walk(q, n, sum + k);
    paint(n, palette, pixel, rgb + 64 * k);
    paint_short(n, palette, wide, rgb + 64 * k);
    length(n, palette, rgb + k);
    histogram(n, pixel, rgb);
  }
#pragma agglom wait
}
#ifdef BARE
#pragma agglom task in(pixel[0:64]) out(rgb[0:64])
void bare_short(const int *palette, const short *pixel, int *rgb) {
  for (int i = 0; i < 64; ++i)
    rgb[i] = palette[pixel[i]];
}
#pragma agglom task out(*len)
void bare_length(const char *s, int *len) {
  int i;
  for (i = 0; i < 10000000; i++)
    if (!s[i])
      break;
  *len = i;
}
void bare_for(const int *palette, const short *pixel, int *rgb) {
#pragma agglom for in(pixel[i]) out(rgb[i])
  for (int i = 0; i < 64; ++i)
    rgb[i] = palette[pixel[i]];
}
#pragma agglom task in(b[0:n])
void bare_histogram(int n, const unsigned char *b, int *h) {
  for (int i = 0; i < n; i++)
    h[b[i]]++;
}
#pragma agglom task
void bare_guarded(int n, int *h) {
  for (int k = 0; k < 8; ++k)
    if (k < n)
      h[k] += 1;
}
#endif
