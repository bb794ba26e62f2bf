/* With an argument, a unit decides by memory that nobody has written. */
#include <stdio.h>
#include <stdlib.h>

#pragma agglom task in(a[0:n]) out(b[0:n])
static void mark(int n, const double *a, int *b) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    b[i] = 0;
    if (a[i] > 1) /* decides */
      b[i] = 1;
  }
}

int main(int argc, char **argv) {
  enum { N = 64 };
  (void)argv;
  double *a = malloc(N * sizeof *a);
  int *b = malloc(N * sizeof *b), marked = 0;
  for (int i = argc > 1; i < N; i++)
    a[i] = i;
  mark(N, a, b);
#pragma agglom wait
#pragma agglom for in(b[i]) reduction(+ : marked)
  for (int i = 0; i < N; i++)
    marked += b[i];
  printf("%d marked\n", marked);
  free(a);
  free(b);
}
