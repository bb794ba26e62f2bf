#include <stdio.h>

static double y[40];

static void twice(int n, double *x) {
  for (int i = 0; i < n; ++i)
    x[i] *= 2;
}
static double local(void) {
  double x[40];
  for (int i = 0; i < 40; ++i)
    x[i] = i;
  for (int i = 0; i < 40; i += 10) twice(10, x + i);
  return x[39];
}
static double shared(void) {
  for (int i = 0; i < 40; ++i)
    y[i] = i / 2.;
  for (int i = 0; i < 40; i += 10)
    twice(10, y + i);
  return y[39];
}
int main(void) {
  printf("%g ", local());
  printf("%g\n", shared());
  return 0;
}
