// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indexes that go round in 32 bits: i + 4294967295u is the element before.
// RUN: %agglomcc -fsyntax-only -Werror=agglom-sections -Wno-agglom-work %s
// RUN: %agglomcc -fsyntax-only -Wno-agglom-work -DWRONG -Xclang -verify=wrong %s
static double nb(const double *p, unsigned i, unsigned d) { return p[i + d]; }
void f(unsigned n, const double *p, double *r) {
#pragma agglom for in(p[i - 1]) out(r[i])
  for (unsigned i = 1; i < n; ++i)
    r[i] = nb(p, i, -1);
#pragma agglom for in(p[i - 1]) out(r[i])
  for (unsigned i = 1; i < n; ++i)
    r[i] = p[i + (unsigned)-1];
#pragma agglom for in(p[0]) out(r[i])
  for (unsigned i = 1; i < n; ++i) {
    unsigned k = i * 1073741824u * 4u;
    r[i] = p[k];
  }
#pragma agglom for in(p[i]) out(r[i])
  for (unsigned i = 1; i < n; ++i)
    r[i] = p[i + 4294967295u + 1u];
}
#pragma agglom task in(p[i - 1:3]) out(r[0])
void t(unsigned i, double *p, double *r) { r[0] = nb(p, i, -1) + nb(p, i, 1); }
#pragma agglom task in(p[0]) out(r[0])
void t2(double *p, double *r) { unsigned j = -1; j++; r[0] = p[j]; }
#pragma agglom task in(p[0:4]) out(r[0])
void t3(double *p, double *r) { unsigned i = 4294967295u; r[0] = p[i + 3]; i += 3; r[0] += p[i]; }
#pragma agglom task in(p[0:4]) out(r[0])
void t4(double *p, double *r) { long big = 4294967297; r[0] = p[(int)big];  }
#pragma agglom task in(p[0:4]) out(r[0])
void t5(double *p, double *r) { unsigned j = -1; r[0] = p[j + 2u];  }

#ifdef WRONG
// wrong-warning@+1 {{'p[i]' leaves out memory that the task touches; write p[i - 1:1]}}
#pragma agglom task in(p[i]) out(r[0])
void before(unsigned i, double *p, double *r) { r[0] = nb(p, i, -1); } // wrong-note@5 {{this access is outside of it}}
#endif
