/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* When all units of a step are done, if launches are made in a certain rhythm: the model by which auto
 * decides. Pure functions of what is shown. */
#ifndef AG_COURSE_H
#define AG_COURSE_H

#include "policy/batch/batch.h"

/* What is known and expected of the units that wait and of those that are to come. */
struct ag_outlook {
  const struct ag_batch_view *view;
  double units;       /* that wait */
  double rest;        /* that are to come before the next pause; 0: none, */
  double gap_ns;      /* one in each such time */
  double stagers;     /* threads that launch and do not submit; 0: launches put off what is to come */
  double end_stagers; /* threads that launch once all units have come */
  double active;      /* threads that submit, 1 at least */
  bool busy;          /* a launch now is made by a thread that submits */
  /* Filled in by ag_outlook_complete(): */
  double enough; /* units of the largest batch that is of use */
  double fill;   /* units that a device runs at a time; 0: not known */
  double mean;   /* cost of a unit that waits */
  /* A launch of n units takes thread(n) of its thread; its units are on the device after there(n), and
   * committed back(n) after the device has run them. */
  struct ag_host_times thread, there, back;
  double price_ns; /* what a launch is to gain at least */
  /* The device takes launch_ns + n * unit_ns for n units, but no less than launch_ns + alone * the cost of
   * the longest one; whole waves, where it runs in waves. */
  double launch_ns, unit_ns, alone, waves;
};

/* The first launch takes so many units after wait_ns; from then on a launch is made whenever a device will
 * soon be through and as many units wait. */
struct ag_rhythm {
  double units, wait_ns;
  double most;   /* units that a launch takes at most */
  bool puts_off; /* the first launch puts off what is to come */
};

/* The view is of a device of which something is known. */
void ag_outlook_complete(struct ag_outlook *outlook);

/* n units, or, if these are more than fill a device, those that fill it a whole number of times: what is over
 * would take as long as another fill. */
double ag_outlook_whole(const struct ag_outlook *outlook, double n);

/* When all is done, in ns from now; the price of the launches is added. Not exact where that is later than
 * `best`. */
double ag_course_end_ns(const struct ag_outlook *outlook, const struct ag_rhythm *rhythm, double best);

/* The same if nothing is launched before all has come. */
double ag_course_late_ns(const struct ag_outlook *outlook);

#endif /* AG_COURSE_H */
