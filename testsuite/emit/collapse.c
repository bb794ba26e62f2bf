// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collapsed, private and sorted loops as generated; lines after the loops keep their numbers; the default cost is the
// product.
// RUN: %agglomcc --emit-cuda %s -o - | FileCheck %s
// RUN: %agglomcc --emit-c %s -o - | FileCheck --check-prefix=HOST %s

#pragma agglom task inout(x[0:n * m])
void joined(int n, int m, int *x) {
  int t, j;
#pragma agglom loop collapse(2) private(t)
  for (int i = 0; i < n; i++) {
    for (j = m; j > 0; j--) {
      t = i + j;
      x[t] = 0;
    }
  }
  x[0] = j;
}
// CHECK: AG_FUNC void joined__agglom_unit(
// CHECK: const unsigned long long ag_n_0 = ag_from_0 < ag_bound_0 ?
// CHECK-SAME: const int ag_first_1 = ag_n_0 ? (int)(m) : (int)0;
// CHECK-SAME: ag_p_1 = ag_n_0 && ag_n_1 > ~0ULL / ag_n_0 ? ~0ULL : ag_n_0 * ag_n_1; const unsigned long long ag_n = ag_p_1;
// CHECK-SAME: AG_EACH(ag_k, ag_n) { const unsigned long long ag_i_1 = (ag_k) % ag_n_1; const unsigned long long ag_i_0 = ag_k / ag_n_1;
// CHECK-SAME: int i = (int)((unsigned long long)ag_first_0 + ag_i_0 * 1ULL); int j = (int)({{.*}}ag_i_1 * 18446744073709551615ULL);
// CHECK-SAME: __typeof__(t) t;
// CHECK: x[t] = 0;
// CHECK: if (ag_n_0) j = (int)((unsigned long long)ag_first_1 + ag_n_1 * 18446744073709551615ULL);
// CHECK: AG_ONCE(x[0] = j);
// HOST: ag_k < ag_e; ++ag_k) { const unsigned long long ag_i_1 =
// HOST: agglom_submit(&joined__agglom_task, {{.*}}((long long)(n) > (long long)(0) ? {{.*}} * ((long long)(m) > (long long)(0) ?

#pragma agglom task inout(x[0:n]) in(key[0:n])
void sorted(int n, int *x, const short *key) {
#pragma agglom loop sort(key[i])
  for (int i = 0; i < n; i++)
    x[i]++;
}
// CHECK: void sorted__agglom_unit(
// CHECK: AG_SORT_TILES(ag_tile, ag_m, ag_n) { AG_SORT_EACH(ag_j, ag_m) { const unsigned long long ag_k = ag_tile + ag_j;
// CHECK-SAME: ag_sort_put(ag_team, ag_j, (unsigned long long)(key[i]) ^ 1ULL << 63); } ag_sort(ag_team, ag_m); AG_SORT_EACH(ag_j, ag_m) {
// CHECK-SAME: ag_k = ag_tile + ag_sort_at(ag_team, ag_j);
// HOST: void sorted__agglom_unit(
// HOST-NOT: ag_sort
// HOST: sorted__agglom_emulated

#pragma agglom task inout(x[0:8])
void narrow(int *x) {
#pragma agglom loop
  for (int i = 0; i < 8; i++)
    x[i]++;
}
// CHECK: task 'narrow': at most 8 iterations, dealt out over a warp
// CHECK: AG_KERNEL narrow__agglom_kernel(
// CHECK: const unsigned ag_team = AG_WARP_TEAM;
// CHECK: ag_c = AG_BLOCK * (AG_THREADS / AG_WARP_THREADS) + AG_TEAM_INDEX;
// HOST: .map = AGGLOM_MAP_WARP

// The last iteration counts, also where it is nearer to the bound than a step.
#pragma agglom task inout(x[0:n + 1])
void thirds(int n, int *x) {
#pragma agglom loop
  for (int i = 0; i <= n; i += 3)
    x[i]++;
#pragma agglom loop
  for (int i = n; i > 0; i -= 3)
    x[i]++;
}
// HOST: agglom_submit(&thirds__agglom_task, {{.*}}((long long)(n) >= (long long)(0) ? (unsigned long long)((long long)(n) - (long long)(0)) / 3ULL + 1ULL : 0ULL) + ((long long)(n) > (long long)(0) ? (unsigned long long)((long long)(n) - (long long)(0) - 1) / 3ULL + 1ULL : 0ULL)
