// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Clang compiles for the device and nvcc does not is refused at its line, and only where nvcc is chosen.
// RUN: %agglomcc -fagglom-device-compiler=nvcc -w -fsyntax-only -Xclang -verify %s
// RUN: %agglomcc -w -fsyntax-only %s
typedef float four __attribute__((vector_size(16)));
struct pair {
  int a, b;
};
struct packet {
  int n;
  four v;
};

#pragma agglom task inout(x[0:n])
void vectors(four *x, int n) { // expected-error {{nvcc cannot compile the vector type}}
  for (int i = 0; i < n; ++i)
    x[i] = x[i] * 2.0f;
}

#pragma agglom task inout(x[0:n])
void inside(struct packet *x, int n) { // expected-error {{nvcc cannot compile the vector type}}
  for (int i = 0; i < n; ++i)
    x[i].n++;
}

#pragma agglom task inout(x[0:n])
void atomics(_Atomic int *x, int n) { // expected-error {{nvcc cannot compile '_Atomic' in device code; leave out -fagglom-device-compiler=nvcc, or make the task device(cpu)}}
  for (int i = 0; i < n; ++i)
    x[i] += 1;
}

static void add(int *x) {
  __atomic_fetch_add(x, 1, __ATOMIC_RELAXED); // expected-error {{nvcc cannot compile the '__atomic' builtins ('#pragma agglom atomic' is for both compilers)}}
  __sync_fetch_and_add(x, 1);                 // expected-error {{nvcc cannot compile '__sync_fetch_and_add_4' ('#pragma agglom atomic'}}
}
#pragma agglom task inout(x[0:n]) // expected-note 2 {{the task is declared here}}
void calls(int *x, int n) {
  for (int i = 0; i < n; ++i)
    add(&x[i]);
}

#pragma agglom task inout(x[0:n])
void bits(int *x, int n) {
  for (int i = 0; i < n; ++i) {
    _BitInt(17) k = x[i]; // expected-error {{nvcc cannot compile '_BitInt'}}
    x[i] = (int)(k * k);
  }
}

#pragma agglom task inout(x[0:n])
void volatiles(struct pair *x, int n) {
  for (int i = 0; i < n; ++i) {
    volatile struct pair k = x[i];
    k.a++;
    x[i] = k; // expected-error {{nvcc cannot compile the copy of a volatile structure}}
  }
}

#pragma agglom task inout(x[0:n])
void nothing(int *x, int n) {
  int none[0]; // expected-error {{nvcc cannot compile a variable of no bytes}}
  (void)none;
  for (int i = 0; i < n; ++i)
    x[i] = __builtin_elementwise_min(x[i], 3); // expected-error {{nvcc cannot compile '__builtin_elementwise_min'}}
}

// These both have.
#pragma agglom task inout(x[0:n])
void known(int *x, int n) {
  for (int i = 0; i < n; ++i) {
    int sum;
    if (__builtin_add_overflow(x[i], 1, &sum) || __builtin_isnan((double)sum))
      sum = __builtin_popcount((unsigned)x[i]) + __builtin_clz((unsigned)x[i] | 1u);
    x[i] = __builtin_expect(sum, 1) + (int)__builtin_bswap32((unsigned)sum) + __builtin_parity((unsigned)sum);
    __builtin_memcpy(&sum, &x[i], sizeof sum);
  }
}

// The host may have all of it.
_Atomic int counter;
#pragma agglom task inout(x[0:n]) device(cpu)
void on_host(four *x, int n) {
  for (int i = 0; i < n; ++i)
    x[i] = x[i] + x[i];
  counter++;
}
