/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
void in_header(int n, float *x);
