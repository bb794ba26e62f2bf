/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "memory/interval.h"
#include "memory/digits.h"

#include <stdbool.h>
#include <stdlib.h>

enum { FEW = 1024 }; /* intervals that digits do not pay for */

static int by_start(const void *a, const void *b) {
  const struct ag_interval *x = a, *y = b;
  return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* Sorts by start, digit by digit. False, and nothing has changed, without memory. */
static bool sort_by_digits(struct ag_interval *place, size_t n) {
  struct ag_interval *other = malloc(n * sizeof *other);
  uintptr_t least = place[0].lo, most = least;
  if (!other)
    return false;
  for (size_t i = 1; i < n; ++i) {
    least = place[i].lo < least ? place[i].lo : least;
    most = place[i].lo > most ? place[i].lo : most;
  }
  ag_digits_sort(place, other, n, sizeof *place, least, most, 0);
  free(other);
  return true;
}

size_t ag_intervals_merge(struct ag_interval *place, size_t n) {
  bool sorted = true;
  for (size_t i = 1; i < n && sorted; ++i)
    sorted = place[i - 1].lo <= place[i].lo;
  /* Units that walk an array arrive in order: do not pay for a sort then. */
  if (!sorted && (n < FEW || !sort_by_digits(place, n)))
    qsort(place, n, sizeof *place, by_start);
  size_t out = 0;
  for (size_t i = 0; i < n; ++i) {
    struct ag_interval next = place[i];
    if (next.lo >= next.hi)
      continue;
    struct ag_interval *last = out ? &place[out - 1] : NULL;
    if (last && (next.lo < last->hi || (next.lo == last->hi && next.tag == last->tag))) {
      if (next.hi > last->hi)
        last->hi = next.hi;
      last->tag |= next.tag;
    } else {
      place[out++] = next;
    }
  }
  return out;
}

size_t ag_intervals_union(struct ag_interval *to, const struct ag_interval *a, size_t n_a,
                          const struct ag_interval *b, size_t n_b) {
  size_t n = 0;
  for (size_t i = 0, j = 0; i < n_a || j < n_b;)
    to[n++] = j == n_b || (i < n_a && a[i].lo <= b[j].lo) ? a[i++] : b[j++];
  return ag_intervals_merge(to, n);
}

size_t ag_intervals_behind(const struct ag_interval *set, size_t n, uintptr_t address) {
  size_t lo = 0, hi = n;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (set[mid].hi <= address)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

size_t ag_intervals_find(const struct ag_interval *set, size_t n, uintptr_t address) {
  size_t i = ag_intervals_behind(set, n, address);
  return i < n && set[i].lo <= address ? i : n;
}
