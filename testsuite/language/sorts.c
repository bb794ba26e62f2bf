// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting without recursion: insertion, shell, heap, quicksort with a stack, merge, counting and radix sort, each stable or not.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 60, UNITS = 14 };
typedef struct {
  uint16_t key;
  int16_t origin;
} item;

static void insertion(item *a, int n) {
  for (int i = 1; i < n; i++) {
    item t = a[i];
    int j = i;
    for (; j > 0 && a[j - 1].key > t.key; --j)
      a[j] = a[j - 1];
    a[j] = t;
  }
}
static void shell(item *a, int n) {
entry:; // a label nobody goes to
  for (int gap = n / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11)
    for (int i = gap; i < n; i++)
      for (int j = i - gap; j >= 0 && a[j].key > a[j + gap].key; j -= gap) {
        item t = a[j];
        a[j] = a[j + gap], a[j + gap] = t;
      }
}
static void sift(item *a, int root, int n) {
  for (int child; (child = 2 * root + 1) < n; root = child) {
    child += child + 1 < n && a[child].key < a[child + 1].key;
    if (a[root].key >= a[child].key)
      return;
    item t = a[root];
    a[root] = a[child], a[child] = t;
  }
}
static void heap(item *a, int n) {
  for (int i = n / 2; i-- > 0;)
    sift(a, i, n);
  while (--n > 0) {
    item t = *a;
    *a = a[n], a[n] = t;
    sift(a, 0, n);
  }
}
static void quick(item *a, int n) {
  struct {
    short low, high;
  } stack[32], *top = stack;
  *top++ = (__typeof__(*top)){0, (short)(n - 1)};
  while (top > stack) {
    int low = (--top)->low, high = top->high, i = low, j = high;
    if (low >= high)
      continue;
    uint16_t pivot = a[(low + high) / 2].key;
    do {
      while (a[i].key < pivot)
        i++;
      while (a[j].key > pivot)
        j--;
      if (i <= j) {
        item t = a[i];
        a[i++] = a[j], a[j--] = t;
      }
    } while (i <= j);
    top->low = (short)low, top->high = (short)j, ++top;
    top->low = (short)i, top++->high = (short)high;
  }
}
static void merge(item *a, int n) {
  item other[N], *from = a, *to = other;
  for (int width = 1; width < n; width *= 2) {
    for (int start = 0, k = 0; start < n; start += 2 * width) {
      int mid = start + width < n ? start + width : n, end = mid + width < n ? mid + width : n, i = start, j = mid;
      while (i < mid || j < end)
        to[k++] = j >= end || (i < mid && from[i].key <= from[j].key) ? from[i++] : from[j++];
    }
    item *t = from;
    from = to, to = t;
  }
  if (from != a)
    memcpy(a, from, (size_t)n * sizeof *a);
}
static void radix(item *a, int n) {
  item other[N];
  for (unsigned shift = 0; shift < 16; shift += 4) {
    unsigned char at[16] = {0};
    for (int i = 0; i < n; i++)
      at[a[i].key >> shift & 15]++;
    for (int d = 0, sum = 0; d < 16; d++)
      sum += at[d], at[d] = (unsigned char)(sum - at[d]);
    for (int i = 0; i < n; i++)
      other[at[a[i].key >> shift & 15]++] = a[i];
    memcpy(a, other, sizeof(item) * (unsigned)n);
  }
}

#pragma agglom task inout(a[0:n])
static void sort(int method, int n, item *a) {
  switch (method) {
  case 0: insertion(a, n); break;
  case 1: shell(a, n); break;
  case 2: heap(a, n); break;
  case 3: quick(a, n); break;
  case 4: merge(a, n); break;
  default: radix(a, n);
  }
}

int main(void) {
  static item a[UNITS][N];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      a[u][i] = (item){(uint16_t)((i * 7919 + u * 104729) % 10007 >> u % 6), (int16_t)i};
  for (int u = 0; u < UNITS; u++)
    sort(u % 6, N - u, a[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      printf("%u.%d%c", a[u][i].key, a[u][i].origin, i == N - 1 ? '\n' : ' ');
  return 0;
}
