/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How often what has failed on a device is tried again there. */
#ifndef AG_RETRY_H
#define AG_RETRY_H

/* A batch has failed: how many of its units may try again together. 0: they run on CPUs. Halves are tried
 * until single units are left; failures without a success between them are bounded. */
static inline unsigned ag_retry_most(unsigned units, unsigned failures) {
  enum { MOST_FAILED = 24 };
  return units > 1 && failures <= MOST_FAILED ? (units + 1) / 2 : 0;
}

#endif /* AG_RETRY_H */
