// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pragma behind a label that is itself the body of an 'if' or of a loop belongs to the statement behind the label.
// RUN: %compare %s %t -Wno-agglom-mapping
#include <stdio.h>

#pragma agglom task inout(x[0:n])
void in_if(int n, int *x) {
  int i;
  if (n > 3)
  l:
#pragma agglom loop
    for (i = 0; i < n; ++i)
      x[i] += i;
  else
    goto l;
}

#pragma agglom task inout(x[0:n])
void in_for(int n, int *x) {
  int i;
  for (i = 0; i < n; ++i)
  m:
#pragma agglom atomic
    x[i] += 1;
  if (x[0] < 0)
    goto m;
}

#pragma agglom task inout(x[0:n])
void in_switch(int n, int *x) {
  switch (n & 1)
  case 1:
#pragma agglom loop
    for (int i = 0; i < n; ++i)
      x[i] *= 3;
}

int main(void) {
  int x[4][7];
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < 7; ++i)
      x[k][i] = k * 10 + i;
  for (int k = 0; k < 4; ++k) {
    in_if(k + 2, x[k]);
    in_for(k + 3, x[k]);
    in_switch(k + 4, x[k]);
  }
#pragma agglom wait
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 7; ++i)
      printf("%d ", x[k][i]);
    printf("\n");
  }
  return 0;
}
