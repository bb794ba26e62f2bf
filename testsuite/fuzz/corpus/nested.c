// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
static double helper(const double *p, int k) { return p[k] > 0 ? p[k] : -p[k]; }
#pragma agglom task in(a[0:rows * columns]) out(b[0:rows * columns])
void nested(int rows, int columns, const double *a, double *b) {
  int last = 0;
#pragma agglom loop
  for (int r = 0; r < rows; ++r) {
    double t[3] = {0};
#pragma agglom loop
    for (int c = columns - 1; c >= 0; --c)
      b[r * columns + c] = helper(a, r * columns + c) + t[c % 3];
  }
  if (rows > 2)
    last = rows;
#pragma agglom loop
  for (unsigned i = 0; i != 5u; i++)
    b[i] += last;
}
