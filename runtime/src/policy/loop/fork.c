/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policy/loop/fork.h"
#include "policy/model/numbers.h"

enum {
  LONG_NS = 3000000,  /* a loop that takes one thread so long is dealt chunk by chunk: asking costs nothing */
  SHORT_NS = 50000,   /* likewise where there are devices: less than a launch takes */
  FORK_NS = 600,      /* until a crew that is awake has begun, and until its end is seen */
  WAKE_NS = 60000,    /* until a thread that sleeps has begun */
  OFTEN_NS = 1000000, /* loops that follow one another within this time are worth a crew that stays awake */
  PIECE_NS = 4000,    /* work that is worth to be taken from another thread */
  FEW = 2,            /* executions by which one may have been misled */
  PATIENCE = 64,      /* executions more, until a crew is awake for its trial */
  STREAK = 4,         /* executions of a trial */
  SETTLED_NS = 20000, /* up to here not each execution is asked for, if it is clear that it goes alone: */
  TIMED_OF = 16,      /* about one of so many is, and timed, */
  WATCHED = 16,       /* and so many in a row once one took longer */
  FIRST_TRIES = 8,    /* calls after which the other way is tried until then, */
  AGAIN = 128,        /* or, if it seems to be much worse, after so many, */
  IMPATIENT = 8,      /* when a crew that does not come is soon given up */
  TRY_EVERY = 256,    /* calls after which the other way is tried once, if it may be the better one */
  DOUBLED_NS = 250000000, /* all of these doubled each time that it was in vain, until it is so long, */
  SELDOM = 4096,          /* and if other programs may have made it much worse, */
  MOST_WORSE = 20         /* so many times: such trials are to cost some percent at most */
};

/* Time of an iteration by one thread, of the nearest length of which it is known; 0: of none. */
static double nearest_alone(const struct ag_fork_memory *m, unsigned length) {
  for (unsigned d = 0; d < AG_FORK_LENGTHS; ++d) {
    if (d <= length && m->of[length - d].alone > 0)
      return m->of[length - d].alone;
    if (length + d < AG_FORK_LENGTHS && m->of[length + d].alone > 0)
      return m->of[length + d].alone;
  }
  return 0;
}

/* Whether to see what the way that seems worse takes: it has been seen so seldom that a thread may have lost
 * its CPU, or long ago, and may be better. seen: how often. */
static bool tries(const struct ag_fork_times *t, unsigned seen, double better, double worse) {
  unsigned every;
  if (seen < FEW)
    every = worse < 5 * better ? FIRST_TRIES : AGAIN;
  else
    every = worse < 2 * better ? TRY_EVERY : SELDOM;
  for (unsigned k = t->in_vain; k > 0 && every * better < DOUBLED_NS; --k)
    every *= 2;
  return t->since >= every && (seen < FEW || worse < MOST_WORSE * better);
}

/* Whether the loop goes by a crew: the better way, or some times in a row the other one, to see what it takes
 * when the data lies where it needs it. *tried: a crew is, though it seems worse. */
static bool takes_crew(struct ag_fork_times *t, double crew, double alone, bool asleep, bool *tried) {
  bool better = crew < alone;
  if (!t->trials && alone > FORK_NS &&
      tries(t, better ? t->alones : t->crews, better ? crew : alone, better ? alone : crew)) {
    t->trials = STREAK;
    t->patience = crew < 5 * alone ? PATIENCE : IMPATIENT;
    t->trial_of_crew = !better;
    t->since = 0;
    ++t->in_vain;
  }
  if (!t->trials && better && !t->alones && t->since >= FIRST_TRIES) {
    t->trials = 1; /* what chunks took together may be any number of times too long */
    t->trial_of_crew = false;
    t->since = 0;
  }
  if (!t->trials)
    return better;
  *tried = t->trial_of_crew;
  if (t->trial_of_crew && asleep && t->patience) /* it takes some time until they are awake */
    --t->patience;
  else
    --t->trials;
  return t->trial_of_crew;
}

/* Whether such loops fill half of the time; alone: what one takes one thread. Where they are seldom a crew
 * that stays awake for them takes a CPU from others for little. */
static bool is_often(double alone, const struct ag_fork_view *view) {
  return view->wanted_ns < OFTEN_NS && (double)view->wanted_ns < 2 * alone;
}

static bool is_worth_waking(double alone, const struct ag_fork_view *view) {
  return (view->lingers && (view->since_ns < OFTEN_NS || is_often(alone, view))) || alone > 2 * WAKE_NS;
}

/* Executions until the next one that is timed: at distances that are no period of any program's (multiples of
 * the golden ratio). */
static unsigned until_timed(struct ag_fork_times *t) {
  unsigned next = t->calls + 1;
  if (t->to_time) {
    --t->to_time;
    return 0;
  }
  while (next * UINT32_C(2654435769) / (UINT32_MAX / TIMED_OF + 1))
    ++next;
  return next - t->calls - 1;
}

/* Whether a loop that takes one thread so long takes no crew less, whatever it takes exactly. */
static bool is_short(double alone, unsigned cpus) {
  return alone > 0 && alone * (cpus - 1) < (double)FORK_NS * cpus;
}

/* Whether it is clear that the loop goes by one thread alone, which takes `alone`; together: a crew. */
static bool is_settled(const struct ag_fork_times *t, double alone, double together, unsigned cpus) {
  if (t->alones < FEW)
    return false;
  return is_short(alone, cpus) ||
         (alone < SETTLED_NS && alone <= together && !t->trials && (t->crews >= FEW || t->in_vain >= FEW));
}

/* Of a loop that a crew can do: whether one does, asleep or not. */
static void choose_crew(struct ag_fork_times *t, double alone, double together,
                        const struct ag_fork_view *view, struct ag_fork_choice *choice) {
  bool asleep = view->lingers && !view->awake;
  bool tried = false, crew = view->cpus > 1 && takes_crew(t, together, alone, asleep, &tried);
  if (crew && !view->awake) {
    choice->wake = tried || !view->lingers || is_worth_waking(alone, view);
    crew = choice->wake;
    choice->wanted = !crew;
  }
  if (crew)
    choice->way = AG_FORK_CREW;
}

struct ag_fork_choice ag_fork_choose(struct ag_fork_memory *m, const struct ag_fork_view *view) {
  unsigned length = ag_fork_length(view->n);
  struct ag_fork_times *t = &m->of[length];
  double n = (double)view->n, per = nearest_alone(m, length), alone = per * n;
  struct ag_fork_choice choice = {.way = AG_FORK_ALONE, .piece = 1, .stands_for = 1};
  t->again = 0;
  if (m->in_turn >= FEW && !view->devices) {
    choice.refused = true;
    if (++m->alone_so_far % TRY_EVERY == 0) /* what it uses may be other memory by then */
      choice.way = AG_FORK_DEALT;
    return choice;
  }
  if ((view->cpus > 1 || view->devices) && (!(per > 0) || alone > (view->devices ? SHORT_NS : LONG_NS))) {
    choice.way = AG_FORK_DEALT;
    return choice;
  }
  ++t->calls;
  ++t->since;
  if (t->calls % TRY_EVERY == 0) /* what it used may be other memory now */
    t->refused = false;
  choice.refused = t->refused;
  if (t->refused) {
    choice.way = alone > 2 * WAKE_NS ? AG_FORK_DEALT : AG_FORK_ALONE;
    return choice;
  }
  double begins = view->lingers ? FORK_NS : WAKE_NS,
         together = t->crew > 0 ? t->crew * n : alone / view->cpus + begins;
  if (!is_short(alone, view->cpus) || t->alones < FEW)
    choose_crew(t, alone, together, view, &choice);
  if (choice.way == AG_FORK_ALONE && is_settled(t, alone, together, view->cpus))
    t->again = until_timed(t);
  if (choice.way == AG_FORK_ALONE) {
    choice.stands_for += t->untimed;
    t->untimed = 0;
  }
  choice.piece = alone > PIECE_NS ? (uint64_t)(PIECE_NS / per) + 1 : view->n;
  return choice;
}

bool ag_fork_wakes(const struct ag_fork_memory *m, const struct ag_fork_view *view) {
  unsigned length = ag_fork_length(view->n);
  double per = ag_most(nearest_alone(m, length), m->of[length].crew * view->cpus);
  return !(per > 0) || is_worth_waking(per * (double)view->n, view);
}

/* Short times are believed at once, long ones slowly: a thread may have lost its CPU. */
static void believe(double *known, double ns) {
  if (!(*known > 0) || ns < *known)
    *known = ns;
  else
    *known += ((ns < 2 * *known ? ns : 2 * *known) - *known) / 16;
}

/* Several times in a row much longer is no loss of a CPU: there is more work. */
static void believe_alone(struct ag_fork_times *t, double ns) {
  bool longer = t->alone > 0 && ns > 2 * t->alone;
  t->least = longer && (!t->longer || ns < t->least) ? ns : t->least;
  t->longer = longer ? t->longer + 1 : 0;
  if (t->longer < STREAK) {
    believe(&t->alone, ns);
  } else {
    t->alone = t->least;
    t->longer = 0;
    t->in_vain = 0;
  }
}

void ag_fork_learn(struct ag_fork_memory *m, enum ag_fork_way way, uint64_t n, uint64_t ns) {
  struct ag_fork_times *t = &m->of[ag_fork_length(n)];
  double per = n ? (double)(ns ? ns : 1) / (double)n : 0;
  bool crew = t->crew < t->alone;
  if (!n)
    return;
  if (way == AG_FORK_CREW) {
    ++t->crews;
    believe(&t->crew, per);
  } else if (way == AG_FORK_ALONE) {
    ++t->alones;
    if (t->alone > 0 && per > 2 * t->alone) {
      t->to_time = WATCHED;
      t->again = 0;
    }
    believe_alone(t, per);
  } else if (!t->alones || per < t->alone) {
    believe(&t->alone, per);
  }
  if ((t->crew < t->alone) != crew)
    t->in_vain = 0;
}

void ag_fork_refused(struct ag_fork_memory *m, uint64_t n) { m->of[ag_fork_length(n)].refused = true; }

void ag_fork_in_turn(struct ag_fork_memory *m, bool is) {
  m->in_turn = !is ? 0 : m->in_turn < FEW ? m->in_turn + 1 : FEW;
}
