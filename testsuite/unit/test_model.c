/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is made of measurements: models of tasks, longest units, gaps between arrivals, powers. */
#include "model_batches.h"
#include "policy/batch/gaps.h"
#include "policy/model/longest.h"
#include "policy/model/power.h"
#include "random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static bool near(double a, double b, double part) { return fabs(a - b) <= part * fabs(b); }

/* --- CPUs ---------------------------------------------------------------------------------------------- */

/* At first all count alike. */
static void first_times_are_means(void **s) {
  (void)s;
  struct ag_model m = {0};
  ag_model_cpu(&m, 100, 7000);
  assert_true(near(m.cpu_ns, 70, 1e-12));
  ag_model_cpu(&m, 100, 1000);
  assert_true(near(m.cpu_ns, 40, 1e-12));
  ag_model_cpu(&m, 200, 2000);
  assert_true(near(m.cpu_ns, 30, 1e-12));
  assert_int_equal(m.cpu_known, 3);
}

/* What takes less than a microsecond tells something only together with what comes next. */
static void brief_times_add_up(void **s) {
  (void)s;
  struct ag_model m = {0};
  ag_model_cpu(&m, 1, 1);
  assert_true(m.cpu_ns == 0 && m.cpu_known == 0 && near(m.cpu_spent, 1, 1e-12));
  ag_model_cpu(&m, 99, 4999);
  assert_true(near(m.cpu_ns, 50, 1e-12));
  assert_int_equal(m.cpu_known, 1);
  ag_model_cpu(&m, 1, 999);
  assert_true(near(m.cpu_ns, 50, 1e-12));
  ag_model_cpu(&m, 19, 1);
  assert_true(near(m.cpu_ns, 50, 1e-12)); /* all of it: 50 an item */
  assert_int_equal(m.cpu_known, 2);
}

/* A spike counts little, a new speed is learnt. */
static void cpu_that_changes(void **s) {
  (void)s;
  struct ag_model m = {0};
  for (int i = 0; i < 20; ++i)
    ag_model_cpu(&m, 100, 1000);
  ag_model_cpu(&m, 100, 1e10);
  assert_true(m.cpu_ns > 10 && m.cpu_ns < 15);
  for (int i = 0; i < 60; ++i)
    ag_model_cpu(&m, 100, 10000);
  assert_true(near(m.cpu_ns, 100, 0.01));
  const double bad[] = {0, -1, NAN, INFINITY};
  for (int i = 0; i < 4; ++i) {
    ag_model_cpu(&m, bad[i], 1);
    ag_model_cpu(&m, 1, bad[i]);
  }
  assert_true(near(m.cpu_ns, 100, 0.01));
  assert_int_equal(m.cpu_known, 81);
}

/* --- Devices ------------------------------------------------------------------------------------------- */

/* So many batches of 10 and 100 items, by turns. */
static void batches(struct ag_device_model *m, unsigned n, double launch, double item) {
  for (unsigned i = 0; i < n; ++i) {
    double items = i % 2 ? 100 : 10;
    tell_model(m, items, launch + items * item, 0);
  }
}

static void line_is_found(void **s) {
  (void)s;
  struct ag_device_model m = {0};
  assert_true(ag_times_ns(&m.times, 0, 10) == 0);
  batches(&m, 10, 1000, 10);
  assert_true(near(m.times.launch_ns, 1000, 1e-6) && near(m.times.item_ns, 10, 1e-6));
  assert_true(near(ag_times_ns(&m.times, 0, 1000), 11000, 1e-6));
  assert_true(m.largest == 100 && m.known == 10);
  batches(&m, 200, 3000, 5); /* the device is another one by now */
  assert_true(near(m.times.launch_ns, 3000, 0.01) && near(m.times.item_ns, 5, 0.01));
  tell_model(&m, 1, 3005, 0);
  assert_true(m.largest == 100);
}

/* Neither a line that falls nor one through less than nothing is a device's. */
static void lines_make_sense(void **s) {
  (void)s;
  struct ag_device_model m = {0};
  for (int i = 0; i < 20; ++i)
    tell_model(&m, i % 2 ? 100 : 10, 1000, 0); /* the work is nothing beside the launch */
  assert_true(m.times.item_ns > 0 && near(ag_times_ns(&m.times, 0, 55), 1000, 0.1));
  m = (struct ag_device_model){0};
  for (int i = 0; i < 20; ++i)
    tell_model(&m, i % 2 ? 100 : 10, i % 2 ? 1000 : 10, 0);
  assert_true(m.times.launch_ns == 0 && m.times.item_ns > 0);
  m = (struct ag_device_model){0};
  for (int i = 0; i < 20; ++i)
    tell_model(&m, i % 2 ? 100 : 10, i % 2 ? 100 : 200, 0);
  assert_true(m.times.launch_ns >= 0 && m.times.item_ns > 0);
}

/* Batches of one size tell the time of such a batch; of it the launch is no more than half. */
static void one_size_only(void **s) {
  (void)s;
  struct ag_device_model m = {0};
  for (int i = 0; i < 100; ++i) /* noise cancels out */
    tell_model(&m, 100, i % 2 ? 1500 : 500, 0);
  assert_true(near(ag_times_ns(&m.times, 0, 100), 1000, 0.06));
  m = (struct ag_device_model){0};
  batches(&m, 100, 1000, 10);
  for (int i = 0; i < 300; ++i)
    tell_model(&m, 100, 1200, 0);
  assert_true(near(ag_times_ns(&m.times, 0, 100), 1200, 0.01));
  assert_true(m.times.launch_ns > 0 && m.times.launch_ns <= 0.505 * 1200);
}

/* Something hides for a while what a few units more or less take: sizes that differ by a sixth do not say
 * that a launch is all that a batch takes. */
static void small_differences_tell_little(void **state) {
  (void)state;
  struct ag_device_model m = {0};
  for (int i = 0; i < 100; ++i) {
    bool early = i < 10;
    double n = early ? 600 * (1 + i) : 600 + (i % 3 - 1) * 112, ns = early ? 8000 + n * 200 : 122000 + n * 10;
    ag_model_device(&m, &(struct ag_measured_batch){
                            .units = n, .items = n, .longest = 1, .chains = n, .fill = 160, .ns = ns});
    if (!early)
      assert_true(ag_times_ns(&m.times, 160000, 160000) > 160000 * 100.0);
  }
}

/* Launches of one size: what staging takes is for the units, and of commits all, but for as much as 16 of
 * them would take, or 10 us. */
static void host_time_of_one_size(void **s) {
  (void)s;
  struct ag_model all = {0};
  struct ag_device_model m;
  struct ag_measured_batch b = {.units = 100, .items = 100, .ns = 1000, .host_ns = 5000, .staged_ns = 4000};
  for (int i = 0; i < 20; ++i) {
    ag_model_batch(&all, 0, &b);
    ag_model_committed(&all, 0, 100, 2000);
  }
  b.host_ns = 0; /* was not measured */
  ag_model_batch(&all, 0, &b);
  ag_model_committed(&all, 0, 100, 0);
  ag_model_committed(&all, 0, 100, -1);
  b.host_ns = 5000;
  m = *ag_model_of(&all, 1, 0); /* that of all alike */
  assert_true(near(ag_host_ns(&m.host, 100), 5000, 1e-6) && near(m.host.unit_ns, 4000.0 / 116, 1e-6));
  assert_true(near(ag_host_ns(&m.commit, 100), 2000, 1e-6) && near(m.commit.unit_ns, 2000.0 / 116, 1e-6));
  struct ag_model one = {0};
  ag_model_committed(&one, 0, 1, 1700);
  assert_true(near(one.device[0].commit.unit_ns, 100, 1e-6));
  ag_model_committed(&one, 1, 1, 1e6);
  assert_true(near(one.device[1].commit.unit_ns, 950e3, 1e-6)); /* some is for the launch at least */
  ag_model_committed(&one, 2, 2, 1e6);
  assert_true(near(one.device[2].commit.unit_ns, 475e3, 1e-6));
  b.units = 10;
  b.host_ns = 2300;
  for (int i = 0; i < 20; ++i) { /* then a line through both */
    ag_model_batch(&all, 0, &b);
    ag_model_committed(&all, 0, 10, 560);
  }
  m = all.device[0];
  assert_true(near(ag_host_ns(&m.host, 0), 2000, 1e-6) && near(m.host.unit_ns, 30, 1e-6));
  assert_true(near(ag_host_ns(&m.commit, 0), 400, 1e-6) && near(m.commit.unit_ns, 16, 1e-6));
}

/* Transfers: of one size nearly all is for the units; then a line, where data that is on the device already
 * counts, too. Of what a run keeps nobody knows where the next one's data is. */
static void transfers_are_measured(void **s) {
  (void)s;
  struct ag_device_model m = {0}, again = {0};
  double x[AG_MODEL_DEVICE_NUMBERS];
  struct ag_measured_batch b = {
      .units = 100, .items = 100, .chains = 100, .ns = 1000, .in_ns = 2000, .out_ns = 1000};
  for (int i = 0; i < 20; ++i)
    ag_model_device(&m, &b);
  assert_true(near(m.in.unit_ns, 2000.0 / 116, 1e-6) && near(m.out.unit_ns, 1000.0 / 116, 1e-6));
  b.units = 10;
  b.in_ns = 0;
  b.out_ns = NAN; /* is not believed */
  for (int i = 0; i < 20; ++i)
    ag_model_device(&m, &b);
  assert_true(m.in.unit_ns > 10 && ag_host_ns(&m.in, 10) < 250);
  assert_true(near(m.out.unit_ns, 1000.0 / 116, 1e-6));
  const struct ag_device_model before = m;
  b.fill = 7;                 /* another kernel sends what it sends */
  b.in_ns = b.out_ns = 1e300; /* nor is that believed, */
  ag_model_device(&m, &b);
  assert_true(m.known == 1 && near(m.out.unit_ns, 1000.0 / 116, 1e-6));
  assert_memory_equal(&m.in, &before.in, sizeof m.in);
  b.in_ns = b.out_ns = 300;
  b.fill = 8;
  ag_model_device(&m, &b); /* but as one of many */
  assert_true(near(m.sums.in.w, 0.94 * before.sums.in.w + 1, 1e-9) &&
              near(m.sums.out.w, 0.94 * before.sums.out.w + 1, 1e-9));
  ag_model_device(&m, &b);
  assert_true(ag_model_keep_device(&m, x) && ag_model_seed_device(&again, x, AG_MODEL_DEVICE_NUMBERS));
  assert_true(ag_host_ns(&again.in, 100) == 0 && ag_host_ns(&again.out, 100) == 0);
  b.in_ns = 500;
  b.out_ns = 400;
  ag_model_device(&again, &b);
  assert_true(near(ag_host_ns(&again.in, 10), 500, 1e-9) && near(ag_host_ns(&again.out, 10), 400, 1e-9));
}

/* What is on the device already for many batches, and then is not, takes what it took before; that is no
 * spike, but three times as much is all that one counts for. */
static void data_is_sent_again(void **s) {
  (void)s;
  for (int zeros = 50; zeros <= 50000; zeros *= 10) {
    struct ag_device_model m = {0};
    struct ag_measured_batch b = {.units = 100, .items = 100, .ns = 1000, .in_ns = 2000, .out_ns = 1000};
    for (int i = 0; i < 20; ++i)
      ag_model_device(&m, &b);
    b.in_ns = 0;
    for (int i = 0; i < zeros; ++i)
      ag_model_device(&m, &b);
    assert_true(ag_host_ns(&m.in, 100) < 100 && near(ag_host_ns(&m.out, 100), 1000, 1e-6));
    b.in_ns = 2000;
    for (int i = 0; i < 40; ++i)
      ag_model_device(&m, &b);
    assert_in_range(ag_host_ns(&m.in, 100), 1800, 2001);
    b.in_ns = 1e9;
    ag_model_device(&m, &b);
    assert_true(ag_host_ns(&m.in, 100) < 2300);
  }
}

/* A model that was kept may say that batches had no units, as that of transfers does: then nobody knows what
 * takes time for each. */
static void batches_of_no_units(void **s) {
  (void)s;
  const double x[AG_MODEL_DEVICE_NUMBERS] = {9, 1000, 3, 900, 0, 100, 0, AG_FORM_LINE, 0, 0, 100};
  struct ag_device_model m = {0};
  assert_true(ag_model_seed_device(&m, x, AG_MODEL_DEVICE_NUMBERS));
  assert_true(ag_host_ns(&m.in, 0) == 0 && ag_host_ns(&m.in, 5) == 0);
  assert_true(ag_host_ns(&m.out, 0) == 0 && ag_host_ns(&m.out, 5) == 0);
  ag_model_device(&m, &(struct ag_measured_batch){.items = 100, .ns = 1000});
  assert_true(ag_host_ns(&m.in, 5) == 0 && ag_host_ns(&m.out, 5) == 0);
}

static void spikes_count_little(void **s) {
  (void)s;
  struct ag_device_model m = {0};
  for (int i = 0; i < 40; ++i)
    tell_model(&m, i % 2 ? 100 : 10, i % 2 ? 2000 : 1100, 100);
  assert_true(near(ag_host_ns(&m.host, 0), 100, 1e-9));
  tell_model(&m, 100, 1e9, 1e9);
  assert_true(ag_times_ns(&m.times, 0, 100) < 2 * 2000);
  assert_true(ag_host_ns(&m.host, 100) > 100 && ag_host_ns(&m.host, 100) < 200);
  for (int i = 0; i < 300; ++i)
    tell_model(&m, i % 2 ? 100 : 10, i % 2 ? 2000 : 1100, i % 2 ? 250 : NAN);
  assert_true(near(ag_host_ns(&m.host, 100), 250, 0.01));
}

/* A device that has become much faster is believed after a few batches; one that has become much slower is
 * believed to be so more and more, as each of them counts as three times what was expected. */
static void devices_that_change(void **s) {
  (void)s;
  struct ag_device_model m = {0}, slower;
  batches(&m, 40, 1000, 10);
  slower = m;
  batches(&m, 6, 10, 0.1);
  assert_true(near(ag_times_ns(&m.times, 0, 100), 20, 0.2) && near(ag_times_ns(&m.times, 0, 10), 11, 0.2));
  batches(&slower, 6, 100000, 1000);
  assert_true(ag_times_ns(&slower.times, 0, 100) > 1.5 * 2000);
}

/* Another kernel tells nothing of the device's times, but launches it as any other. */
static void kernels_that_change(void **s) {
  (void)s;
  struct ag_device_model m = {0};
  batches(&m, 40, 1000, 10);
  for (int i = 0; i < 20; ++i)
    tell_model(&m, 10, 1100, 100);
  ag_model_device(&m, &(struct ag_measured_batch){
                          .units = 10, .items = 10, .chains = 10, .fill = 100, .ns = 7000, .host_ns = 1e9});
  assert_true(near(ag_times_ns(&m.times, 10, 10), 7000, 1e-9));
  assert_true(ag_host_ns(&m.host, 10) > 0 && ag_host_ns(&m.host, 10) < 200); /* a spike */
}

/* Batches of few units and of up to as many as there are blocks, which all take about as long: rather than
 * that a launch is that dear, a block takes that long for a unit, so twice as many units take twice as long.
 * Until larger batches tell otherwise. */
static void empty_blocks_or_long_launches(void **s) {
  (void)s;
  uint64_t rng = 1;
  for (int k = 0; k < 200; ++k) {
    struct ag_device_model m = {0};
    for (int i = 0; i < 20; ++i) {
      double units = i % 5 ? 800 + (double)(next_random(&rng) % 200) : 4,
             noise = (double)(next_random(&rng) % 100);
      ag_model_device(&m, &(struct ag_measured_batch){.units = units,
                                                      .items = 100 * units,
                                                      .chains = units,
                                                      .longest = 100,
                                                      .fill = 1000,
                                                      .ns = 400e3 * (0.955 + 0.0009 * noise),
                                                      .host_ns = 1});
    }
    assert_true(near(ag_times_longest(&m.times, 1000, 100e3, 100), 400e3, 0.05));
    assert_true(ag_times_longest(&m.times, 2000, 200e3, 100) > 600e3);
    for (int i = 0; i < 10; ++i)
      ag_model_device(&m, &(struct ag_measured_batch){.units = 2000 + 500.0 * i,
                                                      .items = 100 * (2000 + 500.0 * i),
                                                      .chains = 2000 + 500.0 * i,
                                                      .longest = 100,
                                                      .fill = 1000,
                                                      .ns = 400e3 + 10.0 * i,
                                                      .host_ns = 1});
    assert_true(near(ag_times_longest(&m.times, 4000, 400e3, 100), 400e3, 0.1));
  }
}

/* Two batches look like anything: that no block counts which stays empty is believed from the third on. */
static void three_batches_tell_a_form(void **s) {
  (void)s;
  struct ag_device_model m = {0};
  for (int i = 0; i < 6; ++i) {
    double units = 10 * (1 + i % 3);
    ag_model_device(&m, &(struct ag_measured_batch){.units = units,
                                                    .items = units,
                                                    .longest = 1,
                                                    .chains = units,
                                                    .fill = 1000,
                                                    .ns = 1000 + 10000 * units,
                                                    .host_ns = 1});
    if (i < 2)
      assert_int_equal(m.times.form, AG_FORM_FULL);
  }
  assert_int_equal(m.times.form, AG_FORM_LINE);
  assert_true(near(m.times.item_ns, 10000, 1e-3));
}

/* Units that follow one another in a chain: as long as the longest unit times the units of a chain takes a
 * block. */
static void long_chains(void **s) {
  (void)s;
  struct ag_device_model m = {0};
  struct ag_measured_batch b[] = {
      {.units = 40, .items = 40, .chains = 10, .longest = 2, .fill = 10, .ns = 1000 + 80 * 10, .host_ns = 1},
      {.units = 10, .items = 10, .chains = 10, .longest = 1, .fill = 10, .ns = 1000 + 10 * 10, .host_ns = 1}};
  for (int i = 0; i < 20; ++i)
    ag_model_device(&m, &b[i % 2]);
  assert_int_equal(m.times.form, AG_FORM_FULL);
  assert_true(near(m.times.launch_ns, 1000, 1e-6) && near(m.times.item_ns, 10, 1e-6));
}

/* --- Between runs -------------------------------------------------------------------------------------- */

/* The places of the numbers of a device. */
enum { KNOWN, LAUNCH, ITEM, HOST, HOST_UNIT, LARGEST, FILL, FORM, UNITS, CHAINS, ITEMS };

/* Refused, and nothing has changed. */
static void refused(const double *x, unsigned n) {
  struct ag_device_model m = {.times = {.launch_ns = 7}};
  assert_false(ag_model_seed_device(&m, x, n));
  assert_true(m.times.launch_ns == 7 && !m.known && m.times.item_ns == 0);
}

static void devices_are_kept(void **s) {
  (void)s;
  struct ag_device_model m = {0}, again = {0};
  double x[AG_MODEL_DEVICE_NUMBERS];
  assert_false(ag_model_keep_device(&m, x));
  for (int i = 0; i < 40; ++i)
    tell_model(&m, i % 2 ? 100 : 10, i % 2 ? 2000 : 1100, 100);
  assert_true(ag_model_keep_device(&m, x));
  assert_true(ag_model_seed_device(&again, x, AG_MODEL_DEVICE_NUMBERS));
  assert_true(same_times(&again, &m));
  for (int run = 0; run < 10; ++run) { /* in which nothing more is measured */
    double y[AG_MODEL_DEVICE_NUMBERS];
    assert_true(ag_model_keep_device(&again, y));
    for (int i = 0; i < AG_MODEL_DEVICE_NUMBERS; ++i)
      assert_true(near(x[i], y[i], 1e-6));
    again = (struct ag_device_model){0};
    assert_true(ag_model_seed_device(&again, y, AG_MODEL_DEVICE_NUMBERS));
  }
  refused(x, AG_MODEL_DEVICE_NUMBERS - 1);
  const double odd[] = {-1, NAN, INFINITY, 1e31};
  for (int i = 0; i < AG_MODEL_DEVICE_NUMBERS; ++i)
    for (int k = 0; k < 4; ++k) {
      double was = x[i];
      x[i] = odd[k];
      refused(x, AG_MODEL_DEVICE_NUMBERS);
      x[i] = i == LAUNCH || i == HOST || i == HOST_UNIT || i >= FILL ? -1 : 0;
      refused(x, AG_MODEL_DEVICE_NUMBERS);
      x[i] = was;
    }
}

/* A run in which few batches had more units than blocks, which took no longer: that is not forgotten as soon
 * as the next run has measured small ones. */
static void large_batches_are_kept(void **s) {
  (void)s;
  for (int large = 2000; large <= 4000; large *= 2)
    for (int rare = 8; rare <= 32; rare *= 2) {
      struct ag_device_model m = {0}, again = {0};
      double x[AG_MODEL_DEVICE_NUMBERS];
      for (int i = 0; i <= 68; ++i) {
        double units = i % rare || i > 64 ? 300 + i % 7 * 20 : large;
        if (i == 65) {
          assert_true(ag_model_keep_device(&m, x));
          assert_true(ag_model_seed_device(&again, x, AG_MODEL_DEVICE_NUMBERS));
          double y[AG_MODEL_DEVICE_NUMBERS];
          assert_true(ag_model_keep_device(&again, y));
          for (int k = 0; k < AG_MODEL_DEVICE_NUMBERS; ++k)
            assert_true(near(x[k], y[k], 1e-9));
        }
        ag_model_device(i > 64 ? &again : &m, &(struct ag_measured_batch){.units = units,
                                                                          .items = 100 * units,
                                                                          .chains = units,
                                                                          .longest = 100,
                                                                          .fill = 1000,
                                                                          .ns = 400e3 + 5 * units,
                                                                          .host_ns = 1});
      }
      assert_true(near(ag_times_longest(&again.times, large, 100.0 * large, 100), 400e3 + 5.0 * large, 0.1));
    }
}

/* All batches were alike, so their mean is the largest but for rounding. */
static void equal_batches_are_kept(void **s) {
  (void)s;
  for (int n = 1; n <= 100; ++n) {
    struct ag_device_model m = {0}, again = {0};
    double x[AG_MODEL_DEVICE_NUMBERS];
    for (int i = 0; i < 40; ++i)
      tell_model(&m, 0.1 * n, 1000 + n, 100);
    assert_true(ag_model_keep_device(&m, x));
    assert_true(ag_model_seed_device(&again, x, AG_MODEL_DEVICE_NUMBERS));
  }
}

/* Numbers that are fine one by one and cannot be of the same batches. */
static void numbers_belong_together(void **s) {
  (void)s;
  struct ag_device_model m = {0};
  double good[AG_MODEL_DEVICE_NUMBERS], x[AG_MODEL_DEVICE_NUMBERS];
  batches(&m, 40, 1000, 10);
  assert_true(ag_model_keep_device(&m, good));
  for (int k = 0; k < 2; ++k) { /* the mean is more than the largest; no such form */
    memcpy(x, good, sizeof x);
    x[k ? FORM : LARGEST] = k ? AG_N_FORMS : 0.5 * good[ITEMS];
    refused(x, AG_MODEL_DEVICE_NUMBERS);
  }
}

/* Nor does anything of those that make batches without an end, or fill a device with more than can be
 * counted. */
static void absurd_numbers(void **s) {
  (void)s;
  const double sizes[][AG_MODEL_DEVICE_NUMBERS] = {
      {9, 1000, 3, 900, 2, 100, 160, AG_FORM_FULL, 10, 1e-320, 100},
      {9, 1000, 3, 900, 2, 100, 160, AG_FORM_LINE, 1e30, 1, 100},
      {9, 1000, 3, 900, 2, 100, 1e30, AG_FORM_LINE, 10, 10, 100},
  };
  for (int i = 0; i < 3; ++i) {
    struct ag_device_model m = {0}, none = {0};
    assert_false(ag_model_seed_device(&m, sizes[i], AG_MODEL_DEVICE_NUMBERS));
    assert_memory_equal(&m, &none, sizeof m);
  }
}

static void cpus_are_kept(void **s) {
  (void)s;
  struct ag_model m = {0}, again = {0};
  double x[AG_MODEL_CPU_NUMBERS];
  assert_false(ag_model_keep_cpu(&m, x));
  ag_model_cpu(&m, 100, 7000);
  assert_true(ag_model_keep_cpu(&m, x));
  const double odd[] = {-1, 0, NAN, INFINITY, 1e31};
  for (int i = 0; i < AG_MODEL_CPU_NUMBERS; ++i)
    for (int k = 0; k < 5; ++k) {
      double was = x[i];
      x[i] = odd[k];
      assert_false(ag_model_seed_cpu(&again, x, AG_MODEL_CPU_NUMBERS));
      x[i] = was;
    }
  assert_false(ag_model_seed_cpu(&again, x, 1));
  assert_false(again.cpu_known);
  assert_true(ag_model_seed_cpu(&again, x, AG_MODEL_CPU_NUMBERS));
  assert_true(same_model(&again, &m));
}

/* --- Gaps ---------------------------------------------------------------------------------------------- */

static bool in_a_factor_of_2(uint64_t x, uint64_t least) { return x >= least && x <= 2 * least; }

static void quantiles(void **s) {
  (void)s;
  struct ag_gaps g = {0};
  assert_int_equal(ag_gaps_quantile(&g, 0.5), 0);
  for (int i = 0; i < 100; ++i)
    ag_gaps_learn(&g, i % 10 ? 100 : 1000000, 1);
  assert_true(in_a_factor_of_2(ag_gaps_quantile(&g, 0.5), 100));
  assert_true(in_a_factor_of_2(ag_gaps_quantile(&g, 0.89), 100));
  assert_true(in_a_factor_of_2(ag_gaps_quantile(&g, 0.95), 1000000));
  ag_gaps_learn(&g, UINT64_MAX, 1);
  ag_gaps_learn(&g, 0, 1);
  assert_true(in_a_factor_of_2(ag_gaps_quantile(&g, 0.5), 100));
}

/* However many gaps there were, later ones soon count more. */
static void old_gaps_fade(void **s) {
  (void)s;
  const uint64_t many[] = {300, 1 << 16, UINT64_MAX};
  for (int i = 0; i < 3; ++i) {
    struct ag_gaps g = {0};
    ag_gaps_learn(&g, 1000, many[i]);
    assert_true(in_a_factor_of_2(ag_gaps_quantile(&g, 0.5), 1000));
    for (int k = 0; k < 10; ++k)
      ag_gaps_learn(&g, 1000000, 1);
    assert_true(in_a_factor_of_2(ag_gaps_quantile(&g, 0.5), 1000));
    for (int k = 0; k < 1500; ++k)
      ag_gaps_learn(&g, 10, 1);
    assert_true(in_a_factor_of_2(ag_gaps_quantile(&g, 0.9), 10));
    assert_true(g.total <= 2 * AG_GAPS_KEPT);
  }
}

/* --- Longest units ------------------------------------------------------------------------------------- */

/* By batches of about as many units, else between those that are nearest; the late ones count most. */
static void usual_longest(void **s) {
  (void)s;
  struct ag_longest l = {0};
  assert_true(ag_longest_of(&l, 10) == 0);
  ag_longest_learn(&l, 100, 0); /* unknown */
  assert_true(ag_longest_of(&l, 100) == 0);
  ag_longest_learn(&l, 100, 7);
  assert_true(ag_longest_of(&l, 0.3) == 7 && ag_longest_of(&l, 100) == 7 && ag_longest_of(&l, 1e30) == 7);
  ag_longest_learn(&l, 1, 2);
  assert_true(ag_longest_of(&l, 1) == 2 && ag_longest_of(&l, 1e30) == 7);
  assert_true(near(ag_longest_of(&l, 8), 4.5, 1e-6)); /* half the way, by powers of 2 */
  ag_longest_learn(&l, 127, 15);
  assert_true(ag_longest_of(&l, 64) == 8 && ag_longest_of(&l, 1) == 2);
  for (int i = 0; i < 100; ++i)
    ag_longest_learn(&l, 100, 3);
  assert_true(near(ag_longest_of(&l, 100), 3, 0.01));
}

/* --- Powers -------------------------------------------------------------------------------------------- */

/* However long something was so, the last seconds tell. */
static void late_powers_tell(void **s) {
  (void)s;
  struct ag_power p = {0}, again = {0};
  double idle, busy, x[AG_POWER_NUMBERS];
  ag_power_learn(&p, 10, 0, 10 * 10.0);
  for (int i = 0; i < 1000; ++i)
    ag_power_learn(&p, 1, 1, 100);
  for (int i = 0; i < 50; ++i)
    ag_power_learn(&p, 1, 1, 210);
  assert_true(ag_power_line(&p, &idle, &busy));
  assert_true(near(idle, 10, 0.01) && near(busy, 200, 0.01));
  assert_true(ag_power_keep(&p, x) && ag_power_seed(&again, x, AG_POWER_NUMBERS));
  assert_true(ag_power_line(&again, &idle, &busy) && near(busy, 200, 0.01));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_times_are_means),
      cmocka_unit_test(brief_times_add_up),
      cmocka_unit_test(cpu_that_changes),
      cmocka_unit_test(line_is_found),
      cmocka_unit_test(lines_make_sense),
      cmocka_unit_test(one_size_only),
      cmocka_unit_test(spikes_count_little),
      cmocka_unit_test(quantiles),
      cmocka_unit_test(old_gaps_fade),
      cmocka_unit_test(usual_longest),
      cmocka_unit_test(late_powers_tell),
      cmocka_unit_test(devices_are_kept),
      cmocka_unit_test(large_batches_are_kept),
      cmocka_unit_test(equal_batches_are_kept),
      cmocka_unit_test(numbers_belong_together),
      cmocka_unit_test(absurd_numbers),
      cmocka_unit_test(devices_that_change),
      cmocka_unit_test(kernels_that_change),
      cmocka_unit_test(empty_blocks_or_long_launches),
      cmocka_unit_test(three_batches_tell_a_form),
      cmocka_unit_test(long_chains),
      cmocka_unit_test(cpus_are_kept),
      cmocka_unit_test(small_differences_tell_little),
      cmocka_unit_test(host_time_of_one_size),
      cmocka_unit_test(transfers_are_measured),
      cmocka_unit_test(data_is_sent_again),
      cmocka_unit_test(batches_of_no_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
