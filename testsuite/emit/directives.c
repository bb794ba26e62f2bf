// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections of host code are evaluated where they stand, on the line of the pragma, and the user's lines keep their
// numbers. The runtime's structures stand behind the user's text, where headers of the user's may have them too.
// RUN: %agglomcc --emit-c %s -o - | FileCheck %s
// RUN: %agglomcc --emit-c %s -o - | FileCheck %s --check-prefix=ORDER
// RUN: %agglomcc -I%include -DOWN_HEADERS -Werror -c %s -o %t.o
// RUN: %agglomcc -Werror -c %s -o %t.o

// CHECK-DAG: static void __agglom_directive_0(const void *const *ag_p, const long long *ag_v);
// CHECK-DAG: static void *__agglom_directive_1(const void *const *ag_p, const long long *ag_v);
// CHECK-DAG: static void __agglom_data_end(void **ag_block);
// CHECK-DAG: int agglom_wait_own(void);
#ifdef OWN_HEADERS
#include <agglom/abi.h>
#include <agglom/rt.h>
#endif
// ORDER-NOT: struct agglom_range {
// ORDER: int last_line_of_the_user
// ORDER: struct agglom_range {
// ORDER: static struct agglom_task *const __agglom_tasks[] = {0};

#pragma agglom task inout(x[0:n])
void unit(int n, double *x); // of another file: no task here, and registered all the same

int host(int n, double *x, double (*rows)[4], int *at) {
  unit(n, x);
  // CHECK: {{^}}__agglom_directive_0((const void *const[]){(const void *)(x)}, (const long long[]){(long long)(0), (long long)(n - 1)});{{$}}
#pragma agglom wait on(x[0:n - 1])
  // CHECK: {{^}}  if (n){{$}}
  // CHECK-EMPTY:
  // CHECK-NEXT: {{^}}  { void *__agglom_data_1 __attribute__((cleanup(__agglom_data_end), unused)) = __agglom_directive_1({{.*}});{{$}}
  // CHECK-NEXT: {{^}}    __agglom_submit_unit(n, x);{{$}}
  if (n)
#pragma agglom data resident(x[0:n])
  {
    unit(n, x);
  }
  // CHECK: {{^}}__agglom_directive_2({{.*}}(long long)(sizeof((rows)[0])){{.*}}(long long)(sizeof(*(x))), {{.*}});{{$}}
#pragma agglom update host(rows[0:n][1:2]) device(x[at[0:n]])
  // CHECK: {{^}}(void)agglom_wait_own();{{$}}
#pragma agglom wait own
  // CHECK: {{^}}__agglom_directive_3({{.*}});{{$}}
#pragma agglom wait on(x[0:n]) own
  int last_line_of_the_user = n;
  return last_line_of_the_user;
}

// CHECK: {"on(x[0:n - 1])", 28, AGGLOM_INOUT, 8, 0, 0, 0, 0},
// CHECK: struct agglom_directive ag_at = {"wait", "{{.*}}directives.c", 1, 0, ag_sections};
// CHECK: (void)agglom_wait_sections(&ag_at, ag_ranges);
// CHECK: return agglom_data_begin(&ag_at, ag_ranges);
// CHECK: {"host(rows[0:n][1:2])", {{[0-9]+}}, AGGLOM_IN | AGGLOM_SHAPED, 8, 0, 0, 0, 0},
// CHECK: {"device(x[at[0:n]])", {{[0-9]+}}, AGGLOM_OUT | AGGLOM_SHAPED, 8, 0, 0, 0, 0},
// CHECK: const struct agglom_dim ag_dims_0[] = {
// CHECK: (void)agglom_update_sections(&ag_at, ag_ranges);
// CHECK: (void)agglom_wait_own_sections(&ag_at, ag_ranges);
// CHECK: agglom_data_end(*ag_block);
