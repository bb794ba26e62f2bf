// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct s;
static int odd(int n);
static int even(int n) { extern struct s other; return n ? odd(n - 1) : 1; }
static int odd(int n) { for (;;) { if (n > 3) return even(n - 1); switch (n) { case 0: return 0; default: n--; } } }
#pragma agglom task inout(x[0:n])
void t(int n, int *x) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    x[i] = even(i);
  if (n > 4)
    t(n / 2, x);
}
