/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions and constants that the device code of several units shares. */
#ifndef LAW_H
#define LAW_H

struct particle {
  double x, charge;
  struct {
    float weight;
    short kind;
  } more;
};

#pragma agglom declare
double force(const struct particle *a, const struct particle *b);
#pragma agglom declare
void push(struct particle *p, double f);
#pragma agglom declare
extern const double strength[];

#endif
