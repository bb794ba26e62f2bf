// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates under `atomic` are calls in every text: of the function for CPU workers, of the emulated device's body, of the
// kernel; one instruction where C's result is the same, compare and exchange where not.
// RUN: %agglomcc --emit-c %s -o - | FileCheck %s --check-prefix=HOST
// RUN: %agglomcc --emit-cuda %s -o - | FileCheck %s --check-prefix=CUDA

// HOST: static __inline__ __attribute__((unused)) void __agglom_update_0(int *ag_to, int ag_value) {
// HOST-NEXT: (void)__atomic_fetch_add(ag_to, (int)ag_value, 0);
// HOST: void __agglom_update_1(double *ag_to, double ag_value) {
// HOST: __atomic_load(ag_to, &ag_old, 0);
// HOST: ag_next = (double)(ag_old * ag_value);
// HOST: while (!__atomic_compare_exchange(ag_to, &ag_old, &ag_next, 1, 0, 0));
// HOST: static void deposit(int *total, double *scale) {
// HOST-EMPTY:
// HOST-NEXT: __agglom_update_0((int *)&(*total), (3));
// HOST-EMPTY:
// HOST-NEXT: __agglom_update_1((double *)&(*scale), (0.5));
// HOST: void add__agglom_unit(
// HOST: __agglom_update_0((int *)&(total[i & 1]), 1);

// CUDA: AG_DEFINE_UPDATE(__agglom_update_0, int, int, ag_old + ag_value, AG_ATOMIC_ADD(unsigned, ag_to, ag_value))
// CUDA: AG_DEFINE_UPDATE_CAS(__agglom_update_1, double, double, ag_old * ag_value, unsigned long long)
// CUDA: AG_FUNC void deposit(
// CUDA: __agglom_update_0((int *)&(*total), (3));
// CUDA: __agglom_update_1((double *)&(*scale), (0.5));
// CUDA: void add__agglom_unit(
// CUDA: __agglom_update_0((int *)&(total[i & 1]), 1);
static void deposit(int *total, double *scale) {
#pragma agglom atomic
  *total += 3;
#pragma agglom atomic
  *scale *= 0.5;
}

#pragma agglom task inout(total[0:2], scale[0:1])
void add(int n, int *total, double *scale) {
#pragma agglom loop
  for (int i = 0; i < n; ++i) {
#pragma agglom atomic
    total[i & 1]++;
    deposit(total, scale);
  }
}
