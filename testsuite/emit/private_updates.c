// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop that accumulates has a second function for CPUs, with plain updates, where a pointer of its own leads to all that
// these change.
// RUN: %agglomcc --emit-c %s -o - | FileCheck %s

// CHECK: static __inline__ __attribute__((unused)) void __agglom_plain_[[N:[0-9]+]](long *ag_to, int ag_value) {
// CHECK-NEXT: const long ag_old = *ag_to;
// CHECK-NEXT: *ag_to = (long)(ag_old + ag_value);
// CHECK-NEXT: }
// CHECK: static void histogram__for_[[#@LINE+6]]__agglom_plainly(
// CHECK: __agglom_plain_[[N]]((long *)&(bins[key[i]]), (1));
// CHECK: static void histogram__for_[[#@LINE+4]]__agglom_cpu_private(
// CHECK: histogram__for_[[#@LINE+3]]__agglom_plainly(
// CHECK: .cpu_private = histogram__for_[[#@LINE+2]]__agglom_cpu_private,
void histogram(int n, const int *key, long *bins) {
#pragma agglom for in(key[i]) accumulate(+: bins[0:64])
  for (int i = 0; i < n; ++i)
    bins[key[i]] += 1;
}

// An object that the body names by itself becomes an argument.
// CHECK: static void of_the_file__for_{{.*}}__agglom_plainly({{.*}}, long (*ag_g_all)[64])
// CHECK: __agglom_plain_[[N]]((long *)&((*ag_g_all)[key[i]]), (1));
// CHECK: .name = "of_the_file"
// CHECK: .cpu_private = of_the_file
long all[64];
void of_the_file(int n, const int *key) {
#pragma agglom for in(key[i]) accumulate(+: all[0:64])
  for (int i = 0; i < n; ++i)
    all[key[i]] += 1;
}

// So does a pointer of the file; what else it leads to is not of interest.
// CHECK: static void pointer_of_the_file__for_{{.*}}__agglom_plainly({{.*}}, long *ag_g_there)
// CHECK: __agglom_plain_[[N]]((long *)&(ag_g_there[i % 2]), (1));
static long *there;
void pointer_of_the_file(int n) {
#pragma agglom for accumulate(+: there[0:2])
  for (int i = 0; i < n; ++i)
    there[i % 2] += 1;
}

// The object has other members.
// CHECK: .name = "of_a_structure"
// CHECK: .cpu_private = 0,
struct results {
  long count[8];
  int weight;
} results;
void of_a_structure(int n) {
#pragma agglom for in(results.weight) accumulate(+: results.count[0:8])
  for (int i = 0; i < n; ++i)
    results.count[i % 8] += results.weight;
}

// Two sections have one pointer.
// CHECK: .name = "two_sections"
// CHECK: .cpu_private = 0,
void two_sections(int n, const int *key, long *bins) {
#pragma agglom for in(key[i]) accumulate(+: bins[0:4]) accumulate(+: bins[100:4])
  for (int i = 0; i < n; ++i)
    bins[key[i]] += 1;
}

// Other updates must stay atomic.
// CHECK: .name = "mixed"
// CHECK: .cpu_private = 0,
void mixed(int n, const int *key, long *bins, int *other) {
#pragma agglom for in(key[i]) accumulate(+: bins[0:64]) inout(other[0:1])
  for (int i = 0; i < n; ++i) {
    bins[key[i]] += 1;
#pragma agglom atomic
    other[0] += 1;
  }
}

// Nothing is known of how often a task updates what it names.
// CHECK: .name = "task"
// CHECK: .cpu_private = 0,
#pragma agglom task in(key[0:n]) accumulate(+: bins[0:64])
void task(int n, const int *key, long *bins) {
  for (int i = 0; i < n; ++i)
    bins[key[i]] += 1;
}
