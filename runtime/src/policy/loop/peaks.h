/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Single iterations of a loop that cost as much as a considerable part of all of it: in which range of
 * iterations each of them is, and how much work it is besides what is usual there. Chunks that have it, and
 * chunks that have a part of the range and not it, make the range smaller and smaller. */
#ifndef AG_PEAKS_H
#define AG_PEAKS_H

#include <stdbool.h>
#include <stdint.h>

enum { AG_PEAKS = 32 };

struct ag_peak {
  uint64_t from, to; /* it is one of these */
  double work;
};

/* All zero: there are none. */
struct ag_peaks {
  unsigned count;
  struct ag_peak at[AG_PEAKS]; /* the highest first */
};

/* Of those whose range begins in from .. to - 1: a peak counts as the first iteration of its range. */
double ag_peaks_work(const struct ag_peaks *peaks, uint64_t from, uint64_t to);

/* The one whose range begins first in from .. to - 1; NULL: there is none. */
const struct ag_peak *ag_peaks_first(const struct ag_peaks *peaks, uint64_t from, uint64_t to);

/* The one that has `at` in its range, the highest of them; NULL: there is none. */
const struct ag_peak *ag_peaks_around(const struct ag_peaks *peaks, uint64_t at);

/* The iterations from .. to - 1 were `above` more work than is usual there. Returns what of that is no known
 * peak's; *found is what the known peaks among them are. What turns out to be spread over a range rather than
 * in one iteration is no peak: *spread says which that was. */
double ag_peaks_learn(struct ag_peaks *peaks, uint64_t from, uint64_t to, double above, double *found,
                      struct ag_peak *spread);

void ag_peaks_add(struct ag_peaks *peaks, struct ag_peak peak);

/* Those whose range begins in from .. to - 1 become so many times what they were. */
void ag_peaks_scale(struct ag_peaks *peaks, uint64_t from, uint64_t to, double factor);

#endif /* AG_PEAKS_H */
