// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel text: types, callees, constants, unit body and kernel.
// RUN: %agglomcc --emit-cuda %s -o - | FileCheck %s
// RUN: %agglomcc --emit-ptx %s -o - | FileCheck --check-prefix=PTX %s

struct pt { float x, y; };
typedef struct pt point;
enum kind { SMALL = 1, LARGE = 2 };
struct unrelated { int not_needed; };
static const float weights[2] = {0.5f, 1.5f};

static inline float weigh(const point *p, int k) { return p->x * weights[k]; }
float not_called(float x) { return x; }

#pragma agglom task in(a[0:n]) inout(f[0:n])
void simple(int n, const point *a, float *f) {
#pragma agglom loop
  for (int i = 0; i < n; i++)
    f[i] += weigh(&a[i], SMALL);
}

#pragma agglom task inout(f[0:n]) name(thread_mapped)
void sequential(int n, float *f) {
  for (int i = 1; i < n; i++)
    f[i] += f[i - 1];
}

// CHECK: #include <agglom/kernel.h>
// CHECK: struct pt { float x, y; };
// CHECK-NOT: not_needed
// CHECK: typedef struct pt point;
// CHECK: enum kind { SMALL = 1, LARGE = 2 };
// CHECK: AG_CONST const float weights[2] = {0.5f, 1.5f};
// CHECK: AG_FUNC float weigh(const point *p, int k);
// CHECK-NOT: not_called
// CHECK: # [[#]] "{{.*}}kernel.c"
// CHECK: AG_FUNC float weigh(const point *p, int k)
// CHECK: struct simple__agglom_args {
// CHECK-NEXT: int n;
// CHECK-NEXT: const point *a;
// CHECK-NEXT: float *f;
// CHECK: AG_SAME_LAYOUT(struct simple__agglom_args, 24);
// CHECK: AG_FUNC void simple__agglom_unit(int n, const point *a, float *f, unsigned ag_part, unsigned ag_parts, unsigned ag_team)
// CHECK-NOT: #pragma
// CHECK: AG_EACH(ag_k, ag_n)
// CHECK: f[i] += weigh(&a[i], SMALL);
// CHECK: AG_KERNEL simple__agglom_kernel(const struct agglom_launch ag_launch)
// CHECK: one block or one warp runs one chain, as the launch says
// CHECK: ag_team = ag_launch.by_warp;
// CHECK: task 'thread_mapped'
// CHECK: AG_FUNC void sequential__agglom_unit(int n, float *f)
// CHECK: one thread runs one chain
// CHECK: ag_thread_begin(&ag_launch, ag_k);
// CHECK: ag_thread_end(&ag_launch, ag_k);

// PTX: .visible .entry simple__agglom_kernel(
// PTX: .visible .entry sequential__agglom_kernel(
