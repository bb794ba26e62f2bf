// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma agglom task inout(x[0:n]) device(cpu) priority(2)
void parent(int n, int *x) {
  extern void child(int *x);
  x[0]++;
#pragma agglom wait
  x[1]--;
}
#pragma agglom task inout(x[i], x[i + 1])
void child(int i, int *x) { x[i] += x[i + 1]; }
int main(void) {
  int x[4] = {0};
  parent(4, x);
  for (int i = 0; i < 3; i++)
    child(i, x);
  if (x[0]) {
#pragma agglom wait
    ;
  }
  switch (x[1]) {
  case 1:
#pragma agglom wait
  default:;
  }
again:
#pragma agglom wait
  if (x[2])
    goto again;
  return 0;
}
