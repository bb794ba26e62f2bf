/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Units by CUDA. HOW:
 *   all          one launch for all units of a round, their offsets on the device before: what nothing can be faster than
 *   offsets      the same, the offsets sent for each round, as where the units are not known before
 *   moved        `offsets`, and the arrays go to the device and back in each round, from memory that is not pinned
 *   each:S       a launch a unit, in turn on S streams */
#include "units.h"

#include <cuda_runtime.h>

__global__ void step_all(const int *start, int work, const double *x, double *y) {
  for (int i = start[blockIdx.x] + (int)threadIdx.x; i < start[blockIdx.x + 1]; i += (int)blockDim.x) {
    double v = x[i];
    for (int k = 0; k < work; ++k)
      v = v * 0.999 + 0.0005;
    y[i] = v;
  }
}

__global__ void step(int n, int work, const double *x, double *y) {
  for (int i = (int)threadIdx.x; i < n; i += (int)blockDim.x) {
    double v = x[i];
    for (int k = 0; k < work; ++k)
      v = v * 0.999 + 0.0005;
    y[i] = v;
  }
}

static void must(cudaError_t status) {
  if (status == cudaSuccess)
    return;
  fprintf(stderr, "by_hand: %s\n", cudaGetErrorString(status));
  exit(1);
}

enum { THREADS = 128, MOST_STREAMS = 64 };

int main(int argc, char **argv) {
  static double times[MOST_ROUNDS];
  static cudaStream_t stream[MOST_STREAMS];
  struct units u;
  if (!units_read(argc, argv, &u))
    return 2;
  bool each = !strncmp(u.how, "each:", 5), moved = !strcmp(u.how, "moved"), offsets = moved || !strcmp(u.how, "offsets");
  int streams = each ? atoi(u.how + 5) : 1;
  if (streams < 1 || streams > MOST_STREAMS || (!each && !offsets && strcmp(u.how, "all"))) {
    fprintf(stderr, "by_hand: HOW is all, offsets, moved or each:STREAMS\n");
    return 2;
  }
  size_t bytes = (size_t)u.start[u.n] * sizeof(double), offset_bytes = ((size_t)u.n + 1) * sizeof(int);
  double *array[2];
  int *start;
  must(cudaMalloc((void **)&array[0], bytes));
  must(cudaMalloc((void **)&array[1], bytes));
  must(cudaMalloc((void **)&start, offset_bytes));
  must(cudaMemcpy(array[0], u.x, bytes, cudaMemcpyHostToDevice));
  must(cudaMemcpy(start, u.start, offset_bytes, cudaMemcpyHostToDevice));
  for (int s = 0; s < streams; ++s)
    must(cudaStreamCreateWithFlags(&stream[s], cudaStreamNonBlocking));
  for (int r = 0; r < WARM + u.rounds; ++r) {
    const double *x = array[r % 2];
    double *y = array[(r + 1) % 2], begin = units_now();
    if (each)
      for (int i = 0; i < u.n; ++i)
        step<<<1, THREADS, 0, stream[i % streams]>>>(u.start[i + 1] - u.start[i], u.work, x + u.start[i], y + u.start[i]);
    else {
      if (offsets)
        must(cudaMemcpyAsync(start, u.start, offset_bytes, cudaMemcpyHostToDevice, stream[0]));
      if (moved)
        must(cudaMemcpyAsync(array[r % 2], r % 2 ? u.y : u.x, bytes, cudaMemcpyHostToDevice, stream[0]));
      step_all<<<u.n, THREADS, 0, stream[0]>>>(start, u.work, x, y);
      if (moved)
        must(cudaMemcpyAsync(r % 2 ? u.x : u.y, y, bytes, cudaMemcpyDeviceToHost, stream[0]));
    }
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    units_count(times, r, begin);
  }
  must(cudaMemcpy(u.x, array[(WARM + u.rounds) % 2], bytes, cudaMemcpyDeviceToHost));
  units_print(&u, times, u.x);
  return 0;
}
