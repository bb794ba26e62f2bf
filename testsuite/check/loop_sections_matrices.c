// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections of matrices that leave out rows or columns which an iteration touches: stencils, columns, collapsed loops.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
// RUN: cp %s %t.c && %agglomcc --fix %t.c 2> %t.said; grep '^#pragma' %t.c | FileCheck %s --check-prefix=FIXED
// RUN: FileCheck %s --check-prefix=LEFT < %t.said
// What cannot be mended is still said, and counted.
// LEFT: mended: 'a[i][0:w]' leaves out
// LEFT: warning: 'a[0:h][j]' leaves out
// LEFT: 1 warning generated.
void rows(int h, int w, const double a[h][w], double b[h][w]) {
// FIXED: {{^}}#pragma agglom for in(a[i - 1:3][0:w]) out(b[i][0:w])
// expected-warning@+1 {{'a[i][0:w]' leaves out memory that an iteration touches; write a[i - 1:3][0:w]}}
#pragma agglom for in(a[i][0:w]) out(b[i][0:w])
  for (int i = 1; i < h - 1; ++i)
    for (int j = 1; j < w - 1; ++j)
      b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]; // expected-note {{this access is outside of it}}
}

void collapsed(int h, int w, const double a[h][w], double b[h][w]) {
// FIXED: {{^}}#pragma agglom for collapse(2) in(a[i - 1:3][0:w]) out(b[i][0:w])
// expected-warning@+1 {{'a[i][0:w]' leaves out memory that an iteration touches; write a[i - 1:3][0:w]}}
#pragma agglom for collapse(2) in(a[i][0:w]) out(b[i][0:w])
  for (int i = 1; i < h - 1; ++i)
    for (int j = 1; j < w - 1; ++j)
      b[i][j] = a[i - 1][j] + a[i + 1][j] + a[i][j]; // expected-note {{this access is outside of it}}
}

void in_one_dimension(int h, int w, const double *a, double *b) {
// FIXED: {{^}}#pragma agglom for collapse(2) in(a[w * i - w:{{.+}}]) out(b[i * w:w])
// expected-warning@+1 {{'a[i * w:w]' leaves out memory that an iteration touches; write a[w * i - w:}}
#pragma agglom for collapse(2) in(a[i * w:w]) out(b[i * w:w])
  for (int i = 1; i < h; ++i)
    for (int j = 0; j < w; ++j)
      b[i * w + j] = a[(i - 1) * w + j] + a[i * w + j]; // expected-note {{this access is outside of it}}
}

void of_constant_size(int h, const double a[64][64], double b[64][64]) {
// FIXED: {{^}}#pragma agglom for collapse(2) in(a[i - 1:3]) out(b[i][0:64])
// expected-warning@+1 {{'a[i][0:64]' leaves out memory that an iteration touches; write a[i - 1:3]}}
#pragma agglom for collapse(2) in(a[i][0:64]) out(b[i][0:64])
  for (int i = 1; i < h - 1; ++i)
    for (int j = 0; j < 63; ++j)
      b[i][j] = a[i - 1][j] + a[i + 1][j]; // expected-note {{this access is outside of it}}
}

void columns(int h, int w, const double a[h][w], double b[h][w]) {
// expected-warning@+1 {{'a[0:h][j]' leaves out memory that an iteration touches; name all that it touches}}
#pragma agglom for in(a[0:h][j]) out(b[0:h][j])
  for (int j = 1; j < w; ++j)
    for (int i = 0; i < h; ++i)
      b[i][j] = a[i][j - 1]; // expected-note {{this access is outside of it}}
}

void whole(int h, int w, const double a[h][w], double b[h][w]) {
#pragma agglom for collapse(2) in(a[i - 1:3][0:w]) out(b[i][0:w])
  for (int i = 1; i < h - 1; ++i)
    for (int j = 0; j < w; ++j)
      b[i][j] = a[i - 1][j] + a[i + 1][j];
#pragma agglom for in(a[0:h][j - 1:2]) out(b[0:h][j])
  for (int j = 1; j < w; ++j)
    for (int i = 0; i < h; ++i)
      b[i][j] = a[i][j - 1] + a[i][j];
}
