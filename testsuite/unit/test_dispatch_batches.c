/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What joins a batch that has been formed, and what of one is shared out between CPUs and a device. */
#include "capture.h"
#include "dispatch/dispatch.h"
#include "dispatch/join.h"
#include "measure/measure.h"
#include "one_thread.h"

/* A batch, except that it has no slot: all units of the FIFO but those that are kept for CPUs. */
static void form(struct ag_batch *batch, struct ag_fifo *fifo, unsigned for_cpus) {
  struct ag_caps caps = rt->caps;
  *batch = (struct ag_batch){0};
  caps.skip = fifo->kept_for_cpus = for_cpus;
  ag_lock(&mine->lock);
  assert_int_equal(ag_agglomerate(batch, fifo, &caps, atomic_fetch_add(&rt->stamps, 1) + 1), 0);
  ag_batch_lay_out(batch, &caps);
  ag_worker_count(mine, -(uint64_t)batch->n_units);
  batch->formed_seq = mine->seq;
  ag_unlock(&mine->lock);
}

/* It is given up. */
static void dissolve(struct ag_batch *batch) {
  ag_worker_return(rt, batch, 0);
  ag_batch_free(batch);
  atomic_store(&let_go, true);
  assert_int_equal(agglom_wait(), 0);
  end_here();
}

/* --- Batches that grow --------------------------------------------------------------------------------- */

/* What a launch has left to CPUs does not join it afterwards; what has come since does. */
static void units_for_cpus_do_not_join(void **state) {
  (void)state;
  struct ag_batch batch;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  note(&note_task, 0, 4, 1);
  struct ag_fifo *fifo = fifo_of(&note_task);
  const struct ag_unit *first = fifo->head;
  form(&batch, fifo, 2);
  assert_int_equal(batch.n_units, 2);
  note(&note_task, 4, 8, 1);
  assert_true(ag_join_late(&batch, true));
  assert_int_equal(batch.n_units, 6);
  assert_int_equal(batch.record.joined, 4);
  assert_int_equal(fifo->count, 2);
  assert_int_equal(mine->queued, 2);
  assert_ptr_equal(fifo->head, first);
  dissolve(&batch);
}

/* When CPUs have taken them, others stand in their place, which nobody has kept for them. */
static void taken_units_are_kept_no_more(void **state) {
  (void)state;
  struct ag_batch batch;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=auto");
  note(&note_task, 0, 4, 1);
  struct ag_fifo *fifo = fifo_of(&note_task);
  form(&batch, fifo, 2);
  while (fifo->count)
    assert_true(ag_dispatch_one(mine, mine, AG_ON_NO_HIGH, true));
  assert_int_equal(front(0, 2), 2);
  note(&note_task, 4, 8, 1);
  assert_true(ag_join_late(&batch, true));
  assert_int_equal(batch.n_units, 6);
  assert_int_equal(fifo->count, 0);
  dissolve(&batch);
}

/* What has come since may be for CPUs and devices both. */
static void shared_batches_do_not_grow(void **state) {
  (void)state;
  static const char *const settings[] = {"AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=count",
                                         "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_SPLIT=items"};
  struct agglom_task *const both[] = {&note_task, &gpu_note_task};
  for (int s = 0; s < 2; ++s)
    for (int gpu = 0; gpu < 2; ++gpu) {
      struct ag_batch batch;
      begin_here(settings[s]);
      note(both[gpu], 0, 4, 1);
      form(&batch, fifo_of(both[gpu]), 0);
      note(both[gpu], 4, 8, 1);
      assert_int_equal(ag_join_late(&batch, true), gpu);
      assert_int_equal(batch.n_units, gpu ? 8 : 4);
      dissolve(&batch);
    }
}

/* Units that have joined a batch wait no more: the next ones are not taken to be as old as they were. */
static void none_is_left_waiting(void **state) {
  (void)state;
  struct ag_batch batch;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=auto");
  keep_busy();
  note(&gpu_note_task, 0, 4, 1);
  struct ag_fifo *fifo = fifo_of(&gpu_note_task);
  form(&batch, fifo, 0);
  assert_true(gpu_note_task.state->measured->asked[0].batch.oldest_ns > 0);
  note(&gpu_note_task, 4, 8, 1);
  assert_true(ag_join_late(&batch, true));
  assert_int_equal(fifo->count, 0);
  assert_int_equal(gpu_note_task.state->measured->asked[0].batch.oldest_ns, 0);
  dissolve(&batch);
}

/* --- Batches that are shared out ----------------------------------------------------------------------- */

/* Units of a batch that failed have been left to devices once, and that is enough. */
static void returned_units_are_not_shared_again(void **state) {
  (void)state;
  static const char *const settings[] = {("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:16 "
                                          "AGGLOM_SPLIT=items AGGLOM_FAULT=call=launch,nth=1"),
                                         ("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:16 "
                                          "AGGLOM_SPLIT=count AGGLOM_FAULT=call=launch,nth=1")};
  for (int s = 0; s < 2; ++s) {
    capture_begin();
    begin_here(settings[s]);
    note(&note_task, 0, 16, 1);
    int back = (int)fifo_of(&note_task)->count; /* the others are for CPUs */
    assert_in_range(back, 8, 15);
    assert_int_equal(fifo_of(&note_task)->kept_for_devices, back);
    assert_int_equal(agglom_wait(), 0);
    assert_int_equal(front(0, 16), 16 - back);
    end_here();
    assert_non_null(strstr(capture_end(), "failed"));
  }
}

/* Nor is what follows them: CPUs would have to wait for the device. */
static void followers_stay_together(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:16 AGGLOM_SPLIT=items");
  for (int i = 0; i < 16; ++i)
    note(&note_task, 0, 1, 1);
  int left = (int)fifo_of(&note_task)->count; /* they follow those that CPUs have got */
  assert_in_range(left, 8, 15);
  for (int i = left; i < 16; ++i)
    note(&note_task, 0, 1, 1);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(where[0], (16 - left) * ON_CPU + 16 * ON_DEVICE);
  end_here();
}

/* What was found out in one run of the runtime is not known in the next. */
static void forgotten_at_the_end(void **state) {
  (void)state;
  const char *const settings =
      "AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:64 AGGLOM_SPLIT=count";
  begin_here(settings);
  note(&note_task, 0, 64, 1);
  assert_int_equal(agglom_wait(), 0);
  int trial = front(0, 64);
  struct ag_measured *measured = note_task.state->measured;
  assert_true(measured->split.side[AG_SIDE_CPU].ns > 0 && measured->model.cpu_spent > 0);
  measured->split.cpu_part = 1;
  measured->model.cpu_known = 7;
  assert_int_equal(agglom_shutdown(), 0);
  begin_here(settings);
  note(&note_task, 0, 64, 1);
  assert_int_equal(agglom_wait(), 0);
  assert_int_equal(front(0, 64), trial);
  assert_true(measured->model.cpu_known < 7);
  end_here();
}

/* Each side is measured by what it has done: units, and what they cost. */
static void both_sides_are_measured(void **state) {
  (void)state;
  begin_here("AGGLOM_DEVICES=emulated AGGLOM_WORKERS=1 AGGLOM_BATCH=static:16 AGGLOM_SPLIT=count");
  note(&note_task, 0, 16, 5);
  assert_int_equal(agglom_wait(), 0);
  int on_cpu = front(0, 16);
  const struct ag_split_state *split = &note_task.state->measured->split;
  assert_true(split->side[AG_SIDE_CPU].units == on_cpu && split->side[AG_SIDE_CPU].items == 5 * on_cpu);
  assert_true(split->side[AG_SIDE_DEVICE].units == 16 - on_cpu);
  assert_true(split->side[AG_SIDE_DEVICE].items == 5 * (16 - on_cpu));
  assert_true(split->side[AG_SIDE_CPU].ns > 0 && split->side[AG_SIDE_DEVICE].ns > 0);
  const struct ag_device_model *device = &note_task.state->measured->model.device[0];
  assert_true(device->sums.commit.w == 1 && device->sums.commit.x == 16 - on_cpu);
  assert_true(device->sums.host.part > 0 && device->sums.host.part < device->sums.host.y);
  end_here();
}

int main(void) {
  const struct CMUnitTest cases[] = {
      cmocka_unit_test(units_for_cpus_do_not_join),
      cmocka_unit_test(taken_units_are_kept_no_more),
      cmocka_unit_test(shared_batches_do_not_grow),
      cmocka_unit_test(none_is_left_waiting),
      cmocka_unit_test(returned_units_are_not_shared_again),
      cmocka_unit_test(followers_stay_together),
      cmocka_unit_test(forgotten_at_the_end),
      cmocka_unit_test(both_sides_are_measured),
  };
  int failed = cmocka_run_group_tests(cases, NULL, let_all_go);
  fflush(NULL);
  if (failed)
    _Exit(1); /* without waiting for those units */
  return 0;
}
