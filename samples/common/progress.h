/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* For people who wait: one line on a terminal with the steps that are done, their rate and the time that is
 * left. */
#ifndef SAMPLES_PROGRESS_H
#define SAMPLES_PROGRESS_H

/* Seconds of a clock that never goes back; only differences mean something. */
double seconds_now(void);

struct progress {
  const char *what;
  long long total;
  double begin, last;
  int shown; /* is there a line on the terminal? */
};

/* `what` is counted, such as "steps"; it must live as long as the progress. */
struct progress progress_of(const char *what, long long total);

/* So many are done. Nothing is printed when stderr is no terminal, in the first half second, or more often
 * than ten times a second, so it can be called for each step. */
void progress_at(struct progress *p, long long done);

/* Takes the line away, before anything else is printed. */
void progress_end(struct progress *p);

#endif
