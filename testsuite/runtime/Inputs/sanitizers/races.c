/* Without an argument this program is right; with one it has the race of that name. Where a race needs another thread
 * to have run a unit, it waits until it has seen so without synchronisation. */
#include <agglom.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 1024 };
static double x[N], y[N], z[N];

#pragma agglom task in(a[0:n]) out(b[0:n])
static void copy(int n, const double *a, double *b) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    b[i] = a[i] + 1;
}

/* Long, so that several are under way at a time. */
#pragma agglom task inout(a[0:1]) independent
static void grow(double *a) {
  double t = *a;
  for (int k = 0; k < 300000; k++)
    t = t / 2 + 1;
  a[0] = t; /* grow */
}

static void until_seen(double *p) {
  while (__atomic_load_n((long long *)p, __ATOMIC_RELAXED) == 0)
    usleep(1000);
}

int main(int argc, char **argv) {
  const char *race = argc > 1 ? argv[1] : "";
  double *hidden = x;
  __asm__("" : "+r"(hidden)); /* what agglomcc would warn of */
  copy(N, x, y);
  if (!strcmp(race, "host-writes")) {
    until_seen(y + N / 2);
    hidden[7] = 1; /* host-writes */
  }
  if (!strcmp(race, "host-reads")) {
    until_seen(y + N / 2);
    printf("%g\n", y[7] /* host-reads */);
  }
  agglom_wait();
  hidden[7] = 1;
  for (int i = 0; i < 100; i++)
    copy(N, x, y), copy(N, y, z), copy(N, z, x);
  agglom_wait();
  if (!strcmp(race, "units"))
    for (int i = 0; i < 200; i++)
      grow(x);
  agglom_wait();
#pragma agglom for inout(x[i]) in(y[i])
  for (int i = 0; i < N; i++)
    x[i] += y[i];
  printf("%g %g %g\n", y[7], z[7], y[8]);
}
