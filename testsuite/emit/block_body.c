// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several loops with code between them: barriers, statements done once,
// reductions.
// RUN: %agglomcc --emit-cuda %s -o - | FileCheck %s

#pragma agglom task inout(x[0:n], s[0:1])
void normalise(int n, double *x, double *s) {
  double sum = 0;
  long i;
#pragma agglom loop reduction(+: sum)
  for (i = 0; i < n; i++)
    sum += x[i];
  double scale = sum > 0 ? 1 / sum : 0;
#pragma agglom loop
  for (int j = n - 1; j >= 0; --j)
    x[j] *= scale;
  s[0] = sum;
}
// CHECK: AG_DEFINE_REDUCTION(normalise__agglom_reduce_0_0, double, a + b)
// CHECK: double sum = 0;
// CHECK: AG_TEAM_BARRIER();
// CHECK: double ag_before_0 = sum, ag_result_0;
// CHECK: double sum = -0.0;
// CHECK: AG_EACH(ag_k, ag_n) { long i =
// CHECK: ag_result_0 = normalise__agglom_reduce_0_0(ag_team, sum);
// CHECK: sum = (double)(ag_before_0 + ag_result_0);
// CHECK-SAME: i = (long)(
// CHECK-SAME: AG_TEAM_BARRIER();
// CHECK: double scale = sum > 0 ? 1 / sum : 0;
// CHECK: ag_from >= ag_bound
// CHECK: x[j] *= scale;
// CHECK: AG_ONCE(s[0] = sum);
// A unit waits for those of other blocks that it follows, and says when it is done.
// CHECK: AG_KERNEL normalise__agglom_kernel(
// CHECK: ag_unit_begin(&ag_launch, ag_k, ag_team);
// CHECK-NEXT: normalise__agglom_unit(
// CHECK-NEXT: ag_unit_end(&ag_launch, ag_k, ag_team);
