/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* by-hand: a task without the compiler. What agglomcc writes for
 *
 *     #pragma agglom task in(x[0:n]) inout(y[0:n])
 *     void axpy(long n, double a, const double *x, double *y);
 *
 * is written out here, for libraries that cannot ask their users for another compiler: the argument
 * structure, the bodies, the descriptor, registration, submission. Any C11 compiler builds it:
 *
 *     cc by-hand.c -o by-hand $(pkg-config --cflags --libs agglom)
 */
#include <agglom/abi.h>
#include <agglom/rt.h>
#include <stddef.h>
#include <stdio.h>

/* ---- The task ---------------------------------------------------------------------------------- */

/* The arguments of one unit. Submission copies the structure; a device gets a copy with pointers of its own.
 */
struct axpy_args {
  long n;
  double a;
  const double *x;
  double *y;
};

static void axpy_range(const struct axpy_args *u, long from, long to) {
  for (long i = from; i < to; ++i)
    u->y[i] += u->a * u->x[i];
}

/* On the CPU: n units, one after another. args[i] is the argument structure of the i-th. */
static void axpy_cpu(const void *const *args, unsigned long n) {
  for (unsigned long i = 0; i < n; ++i) {
    const struct axpy_args *u = args[i];
    axpy_range(u, 0, u->n);
  }
}

/* On the emulated device: chain c of a launch, which is what one block of a GPU would run. begin and end wait
 * for and set the completion flags; a unit that was split does its share of the iterations. */
static void axpy_emulated(const struct agglom_launch *launch, unsigned c) {
  for (unsigned k = launch->start[c]; k < launch->end[c]; ++k) {
    const struct axpy_args *u = (const struct axpy_args *)launch->units + k;
    unsigned part = launch->part[c], parts = launch->parts[c];
    agglom_emulated_begin(launch, k);
    axpy_range(u, u->n * (long)part / (long)parts, u->n * (long)(part + 1) / (long)parts);
    agglom_emulated_end(launch, k);
  }
}

/* A section for each data clause. group: the first section with the same pointer. */
static const struct agglom_section axpy_sections[] = {
    {.text = "in(x[0:n])",
     .line = __LINE__,
     .mode = AGGLOM_IN,
     .elem_size = sizeof(double),
     .arg_offset = offsetof(struct axpy_args, x),
     .group = 0},
    {.text = "inout(y[0:n])",
     .line = __LINE__,
     .mode = AGGLOM_INOUT,
     .elem_size = sizeof(double),
     .arg_offset = offsetof(struct axpy_args, y),
     .group = 1},
};

static struct agglom_module module; /* the task and the module name each other */

/* kernel is the entry point in the module's images; without an image that fits, GPUs do not get its units. */
static struct agglom_task axpy_task = {
    .name = "axpy",
    .file = __FILE__,
    .line = __LINE__,
    .flags = AGGLOM_TASK_SPLITTABLE,
    .map = AGGLOM_MAP_BLOCK,
    .args_size = sizeof(struct axpy_args),
    .args_align = _Alignof(struct axpy_args),
    .n_sections = sizeof axpy_sections / sizeof axpy_sections[0],
    .sections = axpy_sections,
    .cpu = axpy_cpu,
    .emulated = axpy_emulated,
    .kernel = "axpy_kernel",
    .module = &module,
};

static struct agglom_task *const tasks[] = {&axpy_task};

static struct agglom_module module = {
    .abi_version = AGGLOM_ABI_VERSION,
    .size = sizeof(struct agglom_module),
    .file = __FILE__,
    .producer = "by hand",
    .n_tasks = 1,
    .tasks = tasks,
};

/* What callers see: evaluates the sections and submits a unit. */
static int axpy(long n, double a, const double *x, double *y) {
  struct axpy_args args = {n, a, x, y};
  struct agglom_range ranges[] = {{x, 0, n}, {y, 0, n}};
  return agglom_submit(&axpy_task, &args, ranges, 0, (unsigned long long)n);
}

/* ---- A program that uses it -------------------------------------------------------------------- */

enum { VECTORS = 100, N = 1000 };

int main(void) {
  static double x[N], y[VECTORS][N];
  int err = agglom_register(&module); /* a shared library does this in a constructor */
  if (err)
    return 1; /* it has said why */
  for (int i = 0; i < N; ++i)
    x[i] = i;
  for (int round = 1; round <= 3; ++round)
    for (int v = 0; v < VECTORS; ++v) {
      err = axpy(N, v * round, x, y[v]);
      if (err)
        return 1;
    }
  err = agglom_wait();
  if (err)
    return 1;
  double sum = 0, expected = 0;
  for (int v = 0; v < VECTORS; ++v)
    for (int i = 0; i < N; ++i) {
      sum += y[v][i];
      expected += 6.0 * v * i;
    }
  printf("%.0f, expected %.0f\n", sum, expected);
  agglom_unregister(&module); /* a shared library does this in a destructor */
  return sum != expected;
}
