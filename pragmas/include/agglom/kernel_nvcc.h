/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Builtins that C programs use, that Clang has for the device, and nvcc has not. Part of kernel.h. */
#ifndef AGGLOM_KERNEL_NVCC_H
#define AGGLOM_KERNEL_NVCC_H

/* What the macros of <math.h> expand to on the host, and nvcc does not have on the device. */
template <typename T> static __device__ int ag_isinf_sign(T x) {
  return __builtin_isinf(x) ? (x > 0 ? 1 : -1) : 0;
}
template <typename T> static __device__ bool ag_isnormal(T x) {
  T least = sizeof(T) == 4 ? (T)1.17549435082228750797e-38 : (T)2.22507385850720138309e-308;
  return __builtin_isfinite(x) && __builtin_fabs(x) >= least;
}
template <typename T>
static __device__ int ag_fpclassify(int nan, int infinite, int normal, int subnormal, int zero, T x) {
  return __builtin_isnan(x)   ? nan
         : __builtin_isinf(x) ? infinite
         : ag_isnormal(x)     ? normal
         : x == 0             ? zero
                              : subnormal;
}
template <typename T, typename U> static __device__ bool ag_isunordered(T x, U y) {
  return __builtin_isnan(x) || __builtin_isnan(y);
}
template <typename T, typename U> static __device__ bool ag_isgreater(T x, U y) { return x > y; }
template <typename T, typename U> static __device__ bool ag_isgreaterequal(T x, U y) { return x >= y; }
template <typename T, typename U> static __device__ bool ag_isless(T x, U y) { return x < y; }
template <typename T, typename U> static __device__ bool ag_islessequal(T x, U y) { return x <= y; }
template <typename T, typename U> static __device__ bool ag_islessgreater(T x, U y) { return x < y || x > y; }
#define __builtin_isinf_sign ag_isinf_sign
#define __builtin_isnormal ag_isnormal
#define __builtin_fpclassify ag_fpclassify
#define __builtin_isunordered ag_isunordered
#define __builtin_isgreater ag_isgreater
#define __builtin_isgreaterequal ag_isgreaterequal
#define __builtin_isless ag_isless
#define __builtin_islessequal ag_islessequal
#define __builtin_islessgreater ag_islessgreater
#define __builtin_signbitf __builtin_signbit

/* Integers. */
static __device__ inline int ag_clz(unsigned x) { return __clz((int)x); }
static __device__ inline int ag_clzll(unsigned long long x) { return __clzll((long long)x); }
static __device__ inline int ag_ctz(unsigned x) { return __ffs((int)x) - 1; }
static __device__ inline int ag_ctzll(unsigned long long x) { return __ffsll((long long)x) - 1; }
static __device__ inline int ag_clrsb(int x) { return x == 0 || x == -1 ? 31 : __clz(x < 0 ? ~x : x) - 1; }
static __device__ inline int ag_clrsbll(long long x) {
  return x == 0 || x == -1 ? 63 : __clzll(x < 0 ? ~x : x) - 1;
}
static __device__ inline unsigned short ag_bswap16(unsigned short x) {
  return (unsigned short)(x << 8 | x >> 8);
}
static __device__ inline unsigned ag_bswap32(unsigned x) { return __byte_perm(x, 0, 0x0123); }
static __device__ inline unsigned long long ag_bswap64(unsigned long long x) {
  return (unsigned long long)ag_bswap32((unsigned)x) << 32 | ag_bswap32((unsigned)(x >> 32));
}
#define __builtin_clz ag_clz
#define __builtin_clzl ag_clzll
#define __builtin_clzll ag_clzll
#define __builtin_ctz ag_ctz
#define __builtin_ctzl ag_ctzll
#define __builtin_ctzll ag_ctzll
#define __builtin_clrsb ag_clrsb
#define __builtin_clrsbl ag_clrsbll
#define __builtin_clrsbll ag_clrsbll
#define __builtin_ffs(x) __ffs((int)(x))
#define __builtin_ffsl(x) __ffsll((long long)(x))
#define __builtin_ffsll(x) __ffsll((long long)(x))
#define __builtin_popcount(x) __popc((unsigned)(x))
#define __builtin_popcountl(x) __popcll((unsigned long long)(x))
#define __builtin_popcountll(x) __popcll((unsigned long long)(x))
#define __builtin_parity(x) (__popc((unsigned)(x)) & 1)
#define __builtin_parityl(x) (__popcll((unsigned long long)(x)) & 1)
#define __builtin_parityll(x) (__popcll((unsigned long long)(x)) & 1)
#define __builtin_bswap16 ag_bswap16
#define __builtin_bswap32 ag_bswap32
#define __builtin_bswap64 ag_bswap64
#define __builtin_bitreverse8(x) ((unsigned char)(__brev((unsigned)(x)) >> 24))
#define __builtin_bitreverse16(x) ((unsigned short)(__brev((unsigned)(x)) >> 16))
#define __builtin_bitreverse32(x) __brev((unsigned)(x))
#define __builtin_bitreverse64(x) __brevll((unsigned long long)(x))
#define __builtin_trap() __trap()
#define __builtin_prefetch(...) ((void)0)
#define __builtin_expect_with_probability(x, ...) (x)

/* Exact results of any integers, converted to the type of *to; true when they do not fit. Sums of 64-bit
 * numbers fit into 128 bits, and so do the products of all but two unsigned ones. */
template <typename R> static __device__ inline bool ag_narrow(__int128 exact, R *to) {
  *to = (R)exact;
  return (__int128)*to != exact;
}
template <typename A, typename B, typename R> static __device__ inline bool ag_add_overflow(A a, B b, R *to) {
  return ag_narrow((__int128)a + (__int128)b, to);
}
template <typename A, typename B, typename R> static __device__ inline bool ag_sub_overflow(A a, B b, R *to) {
  return ag_narrow((__int128)a - (__int128)b, to);
}
template <typename A, typename B, typename R> static __device__ inline bool ag_mul_overflow(A a, B b, R *to) {
  if (a > 0 && b > 0) {
    unsigned __int128 exact = (unsigned __int128)a * (unsigned __int128)b;
    *to = (R)exact;
    return (unsigned __int128)*to != exact || *to < 0;
  }
  return ag_narrow((__int128)a * (__int128)b, to);
}
#define __builtin_add_overflow ag_add_overflow
#define __builtin_sub_overflow ag_sub_overflow
#define __builtin_mul_overflow ag_mul_overflow
#define __builtin_sadd_overflow(a, b, to) ag_add_overflow((int)(a), (int)(b), to)
#define __builtin_ssub_overflow(a, b, to) ag_sub_overflow((int)(a), (int)(b), to)
#define __builtin_smul_overflow(a, b, to) ag_mul_overflow((int)(a), (int)(b), to)
#define __builtin_uadd_overflow(a, b, to) ag_add_overflow((unsigned)(a), (unsigned)(b), to)
#define __builtin_usub_overflow(a, b, to) ag_sub_overflow((unsigned)(a), (unsigned)(b), to)
#define __builtin_umul_overflow(a, b, to) ag_mul_overflow((unsigned)(a), (unsigned)(b), to)
#define __builtin_saddl_overflow(a, b, to) ag_add_overflow((long)(a), (long)(b), to)
#define __builtin_ssubl_overflow(a, b, to) ag_sub_overflow((long)(a), (long)(b), to)
#define __builtin_smull_overflow(a, b, to) ag_mul_overflow((long)(a), (long)(b), to)
#define __builtin_uaddl_overflow(a, b, to) ag_add_overflow((unsigned long)(a), (unsigned long)(b), to)
#define __builtin_usubl_overflow(a, b, to) ag_sub_overflow((unsigned long)(a), (unsigned long)(b), to)
#define __builtin_umull_overflow(a, b, to) ag_mul_overflow((unsigned long)(a), (unsigned long)(b), to)
#define __builtin_saddll_overflow __builtin_saddl_overflow
#define __builtin_ssubll_overflow __builtin_ssubl_overflow
#define __builtin_smulll_overflow __builtin_smull_overflow
#define __builtin_uaddll_overflow __builtin_uaddl_overflow
#define __builtin_usubll_overflow __builtin_usubl_overflow
#define __builtin_umulll_overflow __builtin_umull_overflow

/* Memory. */
static __device__ inline int ag_memcmp(const void *a, const void *b, unsigned long n) {
  const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
  for (unsigned long i = 0; i < n; ++i)
    if (x[i] != y[i])
      return x[i] < y[i] ? -1 : 1;
  return 0;
}
static __device__ inline void *ag_memmove(void *to, const void *from, unsigned long n) {
  unsigned char *t = (unsigned char *)to;
  const unsigned char *f = (const unsigned char *)from;
  if (t <= f)
    for (unsigned long i = 0; i < n; ++i)
      t[i] = f[i];
  else
    for (unsigned long i = n; i > 0; --i)
      t[i - 1] = f[i - 1];
  return to;
}
#define __builtin_memcmp ag_memcmp
#define __builtin_memmove ag_memmove

#endif /* AGGLOM_KERNEL_NVCC_H */
