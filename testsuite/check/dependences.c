// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that certainly carry a dependence, and many that do not, or not certainly.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
// RUN: %agglomcc -fsyntax-only -Wno-agglom-loop %s 2>&1 | count 0

struct point {
  int x, y;
};

static long all[1];
// Accumulated: in any order.
#pragma agglom task in(a[0:n]) accumulate(+: s[0:1], all[0:1])
void accumulated(int n, const int *a, int *s) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    *s += a[i];
    all[0] += a[i];
  }
}

#pragma agglom task inout(a[0:n + 9], p[0:n + 1], s[0:1])
void carried(int n, int *a, struct point *p, int *s) {
  // expected-warning@+1 {{the iterations of this loop are not independent: different ones use the same element of 'a', and one of them writes it [-Wagglom-loop]}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    a[i + 1] = a[i] + 1; // expected-note {{written here}} expected-note {{read here}}
  // expected-warning@+1 {{not independent: different ones use the same element of 'a'}}
#pragma agglom loop
  for (int i = n - 1; i >= 2; i -= 2) {
    int t = a[i - 2]; // expected-note {{read here}}
    if (t > 0)
      t++;
    a[i] = t; // expected-note {{written here}}
  }
  // expected-warning@+1 {{not independent: different ones use the same element of 's'}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    *s += a[i]; // expected-note {{written here}}
  // expected-warning@+1 {{not independent: different ones use the same element of 'a'}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    a[3] = i; // expected-note {{written here}}
  // expected-warning@+1 {{not independent: different ones use the same element of 'a'}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    a[i / 2] += i; // expected-note {{written here}}
  // expected-warning@+1 {{not independent: different ones use the same element of 'a'}}
#pragma agglom loop
  for (long i = 0; i < n; i++)
    a[i >> 3] = 1; // expected-note {{written here}}
  // expected-warning@+1 {{not independent: different ones use the same element of 'p'}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    p[i + 1].x = p[i].x; // expected-note {{written here}} expected-note {{read here}}
  // expected-warning@+1 {{not independent: different ones use the same element of 'a'}}
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    a[2 * i] = 0;           // expected-note {{written here}}
    a[2 * (i + 1)] += a[0]; // expected-note {{written here}}
  }
  // expected-warning@+1 {{not independent: different ones use the same element of 'a'}}
#pragma agglom loop
  for (int i = 0; i < 9; i++)
    a[i + 8] = a[i]; // expected-note {{written here}} expected-note {{read here}}
}

#pragma agglom task inout(a[0:n * 4], p[0:n + 1]) in(b[0:n + 1])
void not_carried(int n, int *a, const int *b, struct point *p, int k) {
  int own[4], t;
#pragma agglom loop
  for (int i = 0; i < n; i++)
    a[i] = b[i + 1] + b[i] + b[0];
#pragma agglom loop
  for (int i = 0; i < n; i++)
    a[2 * i] = a[2 * i + 1];
#pragma agglom loop
  for (int i = 0; i < n; i++)
    p[i + 1].x = p[i].y;
#pragma agglom loop
  for (int i = 0; i < n; i++)
    if (i == 3)
      a[0] = i;
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    if (i)
      continue;
    a[0] = i;
  }
#pragma agglom loop
  for (int i = 0; i < n; i++)
    i == 2 ? (a[5] = 1) : (a[i + 6] = 2);
#pragma agglom loop
  for (int i = 0; i < n; i++)
    (void)(i == 2 && (a[5] = 1));
#pragma agglom loop
  for (int i = 0; i < n; i += 2)
    a[i + 1] = a[i];
#pragma agglom loop
  for (int i = 0; i < n; i += 4)
    a[i / 4] = 1;
#pragma agglom loop
  for (int i = 0; i < 8; i++)
    a[i + 8] = a[i];
#pragma agglom loop
  for (int i = 0; i < n; i++)
    a[i + 100] = a[i];
#pragma agglom loop
  for (int i = 0; i < n; i++)
    a[i + k] = a[i];
#pragma agglom loop
  for (int i = 0; i < 1; i++)
    a[7] = 1;
#pragma agglom loop private(own, t)
  for (int i = 0; i < n; i++) {
    int *q = a + 4 * i, mine[2];
    mine[0] = own[1] = t = i;
    q[0] = mine[0] + own[1] + t;
    q[1] = (int)sizeof a[0];
  }
#pragma agglom loop
  for (int i = 0; i < n; i++) {
#pragma agglom atomic
    a[0] += i;
  }
#pragma agglom loop
  for (int i = 0; i < n; i++)
    a[(unsigned char)i] = 1;
#pragma agglom loop
  for (int i = 0; i < n; i++)
    a[i * i] = a[i % 8];
}

static int count, factor;
#pragma agglom task inout(count) in(a[0:n])
void counts_at_file_scope(int n, const int *a) {
// expected-warning@+1 {{the iterations of this loop are not independent: different ones use the same element of 'count', and one of them writes it}}
#pragma agglom loop
  for (int i = 0; i < n; i++)
    count += a[i]; // expected-note {{here}}
}
#pragma agglom task in(factor) inout(a[0:n])
void reads_at_file_scope(int n, int *a) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    a[i] *= factor;
}

// A 'for' on CPUs alone names no memory, which is no reason to believe it.
static double rows[8][8];
void on_cpus(int n) {
  double scratch[8];
  // expected-warning@+1 {{not independent: different ones use the same element of 'rows'}}
#pragma agglom for device(cpu)
  for (int i = 1; i < n; i++)
    for (int j = 0; j < 8; j++)
      rows[i][j] = rows[i - 1][j] + 1; // expected-note {{written here}} expected-note {{read here}}
  // expected-warning@+1 {{not independent: different ones use the same element of 'scratch'}}
#pragma agglom for device(cpu)
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 8; j++)
      scratch[j] = rows[i][j]; // expected-note {{written here}}
    for (int j = 0; j < 8; j++)
      rows[i][j] = 2 * scratch[7 - j];
  }
#pragma agglom for device(cpu) private(scratch)
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 8; j++)
      scratch[j] = rows[i][j];
    for (int j = 0; j < 8; j++)
      rows[i][j] = 2 * scratch[7 - j];
  }
#pragma agglom for device(cpu)
  for (int i = 0; i < n; i++)
    rows[i][0] += rows[i][1];
}
