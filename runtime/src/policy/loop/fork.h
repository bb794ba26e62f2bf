/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether a loop that only CPUs run is worth a fork. What is known of a loop is how long its executions of
 * about each length took, by the thread alone and by a crew of threads that begin at once. A pure state
 * machine; callers synchronise access. */
#ifndef AG_FORK_H
#define AG_FORK_H

#include <stdbool.h>
#include <stdint.h>

enum ag_fork_way {
  AG_FORK_DEALT = 0, /* chunk by chunk, as the schedule says: long loops, and what is not known */
  AG_FORK_ALONE,     /* by the thread whose loop it is, in one piece */
  AG_FORK_CREW       /* a share for each thread, and who is through takes from others */
};

enum { AG_FORK_LENGTHS = 33 }; /* 0, 1, 2 .. 3, 4 .. 7 and so on */

/* Nanoseconds of an iteration; 0: not known. All zero at first. In one line of caches: a loop may take no
 * longer than to fetch a few of them. */
struct ag_fork_times {
  double alone; /* of one thread */
  double crew;  /* elapsed, of a crew whose threads were awake, or have been woken where they do not linger */
  double least; /* of one thread in the last `longer` executions */
  unsigned alones,
      crews;        /* executions of which that is known; no `alones`: it is what chunks took together */
  unsigned again;   /* so many of the next executions go by one thread, unasked and untimed */
  unsigned untimed; /* executions since the last one whose time was taken */
  unsigned calls;
  unsigned since;     /* executions since the last trial */
  unsigned in_vain;   /* trials in a row after which the better way was still the better one */
  uint8_t longer;     /* so many executions in a row have taken one thread much longer than was known */
  uint8_t to_time;    /* of the next ones that many are timed: the loop may take longer than it did */
  uint8_t trials;     /* executions that are still to go by the way that is tried, whatever is known */
  uint8_t patience;   /* executions that a trial of a crew still waits for threads that sleep */
  bool trial_of_crew; /* and else of one thread alone */
  bool refused;       /* no crew can do it */
};
struct ag_fork_memory {
  struct ag_fork_times of[AG_FORK_LENGTHS];
  unsigned in_turn;      /* executions in a row whose chunks ran one after another, whatever their lengths */
  unsigned alone_so_far; /* executions since that is believed */
};

struct ag_fork_view {
  uint64_t n;         /* iterations */
  unsigned cpus;      /* threads that there are, the loop's own included */
  unsigned awake;     /* of these, others that look for loops now */
  bool lingers;       /* threads of a crew stay awake for the next loop; else each one wakes them */
  bool devices;       /* there are some that may be faster */
  uint64_t since_ns;  /* since the last loop of a crew has ended; UINT64_MAX: there was none */
  uint64_t wanted_ns; /* since one began that went without a crew, as that slept; UINT64_MAX: none did */
};

struct ag_fork_choice {
  enum ag_fork_way way;
  bool wake;   /* the crew, which is asleep */
  bool wanted; /* ALONE: a crew would be better, but sleeps, and this loop by itself is not worth waking it */
  bool refused;        /* no crew can do it, as far as is known */
  unsigned stands_for; /* its time stands for so many executions, of which it is the last */
  uint64_t piece;      /* CREW: iterations that are worth being taken from another thread */
};

/* Lengths of about the same size have one number. */
static inline unsigned ag_fork_length(uint64_t n) {
  unsigned bits = n ? 64 - (unsigned)__builtin_clzll(n) : 0;
  return bits < AG_FORK_LENGTHS ? bits : AG_FORK_LENGTHS - 1;
}

/* Whether the last choice for such a length was for one thread alone, and for this execution, too: its time
 * need not be taken, and nothing is to be learnt. False: to be chosen. */
static inline bool ag_fork_again(struct ag_fork_memory *m, uint64_t n) {
  struct ag_fork_times *t = &m->of[ag_fork_length(n)];
  if (!t->again)
    return false;
  --t->again;
  ++t->untimed;
  ++t->calls;
  ++t->since;
  return true;
}

struct ag_fork_choice ag_fork_choose(struct ag_fork_memory *m, const struct ag_fork_view *view);

/* Whether a crew that is asleep is worth being woken for the loop, which goes by one in any case. */
bool ag_fork_wakes(const struct ag_fork_memory *m, const struct ag_fork_view *view);

/* An execution of n iterations took so long. ALONE: so did the thread; CREW: elapsed, threads awake; DEALT:
 * of all threads together. */
void ag_fork_learn(struct ag_fork_memory *m, enum ag_fork_way way, uint64_t n, uint64_t ns);

/* A crew cannot run n iterations: parts of the loop use the same memory. */
void ag_fork_refused(struct ag_fork_memory *m, uint64_t n);

/* An execution that was dealt is over. is: chunks had to wait for one another, so that many threads were no
 * faster than one. */
void ag_fork_in_turn(struct ag_fork_memory *m, bool is);

#endif /* AG_FORK_H */
