/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* AGGLOM_MODELS: what one run has measured the next one knows; and files that are not to be believed, or not
 * to be touched. */
#include "capture.h"
#include "folder.h"
#include "measure/measure.h"
#include "model_batches.h"
#include "places.h"
#include "remembered/file.h"
#include "remembered/models.h"
#include "rt_tasks.h"
#include "shared/runtime.h"

#include <dirent.h>
#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char file[128], settings[256];

static int new_folder(void **state) {
  if (make_folder(state))
    return -1;
  snprintf(file, sizeof file, "%s/models", folder);
  snprintf(settings, sizeof settings, "AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2 AGGLOM_MODELS=%s", file);
  return 0;
}

static void put(const char *text, size_t bytes) {
  FILE *out = fopen(file, "w");
  assert_non_null(out);
  assert_int_equal(fwrite(text, 1, bytes, out), bytes);
  fclose(out);
}

static size_t get(char *text, size_t size) {
  FILE *in = fopen(file, "r");
  assert_non_null(in);
  size_t n = fread(text, 1, size - 1, in);
  text[n] = '\0';
  fclose(in);
  return n;
}

/* Files in the folder: none may be left over. */
static unsigned files(void) {
  unsigned n = 0;
  DIR *list = opendir(folder);
  assert_non_null(list);
  for (const struct dirent *e; (e = readdir(list));)
    n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
  closedir(list);
  return n;
}

/* --- Tasks ---------------------------------------------------------------------------------------------- */

static void measure(const struct agglom_task *task, double launch) {
  struct ag_model *m = ag_task_model_lock(task);
  for (int i = 1; i < 8; ++i) {
    ag_model_cpu(m, 1000 * i, 7130.0 * i);
    tell_model(&m->device[0], 100 * i, launch + 170.7 * i, 900.1);
    tell_model(&m->device[1], 100 * i, launch + 240.9 * i, 800.3);
  }
  ag_task_model_unlock(task);
}

static struct ag_model model_of(const struct agglom_task *task) {
  struct ag_model m = *ag_task_model_lock(task);
  ag_task_model_unlock(task);
  return m;
}

static void next_run_knows_tasks(void **state) {
  (void)state;
  start_with(settings);
  measure(&mix_task, 5000);
  measure(&thread_task, 6000);
  struct ag_model mix = model_of(&mix_task), thread = model_of(&thread_task);
  assert_true(mix.device[0].times.item_ns > 0 && mix.cpu_ns > 0);
  assert_int_equal(agglom_shutdown(), 0);
  assert_int_equal(files(), 1);
  start_with("AGGLOM_DEVICES=emulated:2 AGGLOM_WORKERS=2");
  struct ag_model none = model_of(&mix_task);
  assert_true(!none.cpu_known && !none.device[0].known);
  assert_int_equal(agglom_shutdown(), 0);
  start_with(settings);
  struct ag_model again = model_of(&mix_task);
  assert_true(same_model(&again, &mix));
  again = model_of(&thread_task);
  assert_true(same_model(&again, &thread));
  assert_false(model_of(&grow_task).cpu_known);
  assert_int_equal(agglom_shutdown(), 0);
}

/* A task that is registered later, and goes earlier, is as good as any other. */
static void tasks_that_come_and_go(void **state) {
  (void)state;
  start_with(settings);
  measure(&mix_task, 5000);
  struct ag_model mix = model_of(&mix_task);
  agglom_unregister(&tasks_module);
  assert_int_equal(agglom_register(&tasks_module), 0);
  struct ag_model again = model_of(&mix_task);
  assert_true(same_model(&again, &mix));
  agglom_unregister(&tasks_module);
  assert_int_equal(agglom_shutdown(), 0);
  set_environment(settings);
  assert_int_equal(agglom_init(), 0);
  assert_int_equal(agglom_register(&tasks_module), 0);
  again = model_of(&mix_task);
  assert_true(same_model(&again, &mix));
  assert_int_equal(agglom_shutdown(), 0);
}

/* Other arguments or sections, another line: another task. Another speed of the device: another device. */
static void what_changes_is_unknown(void **state) {
  (void)state;
  char slower[300];
  start_with(settings);
  measure(&mix_task, 5000);
  assert_int_equal(agglom_shutdown(), 0);
  agglom_unregister(&tasks_module);
  unsigned line = mix_task.line, n_sections = mix_task.n_sections, args_size = mix_task.args_size;
  const struct agglom_section *sections = mix_task.sections;
  for (int i = 0; i < 9; ++i) {
    struct agglom_section others[] = {sections[0], sections[1]};
    mix_task.line = i == 0 ? 12 : line;
    mix_task.n_sections = i == 1 ? 1 : n_sections;
    mix_task.args_size = i == 2 ? 64 : args_size;
    mix_task.flags = i == 3 ? AGGLOM_TASK_SPLITTABLE : 0;
    mix_task.map = i == 4 ? AGGLOM_MAP_WARP : AGGLOM_MAP_BLOCK;
    others[0].text = i == 5 ? "inout(y[0:ny])" : others[0].text;
    others[0].mode = i == 6 ? AGGLOM_OUT : others[0].mode;
    others[1].elem_size = i == 7 ? 4 : others[1].elem_size;
    others[1].arg_offset = i == 8 ? 0 : others[1].arg_offset;
    mix_task.sections = others;
    start_with(settings);
    assert_false(model_of(&mix_task).cpu_known);
    assert_int_equal(agglom_shutdown(), 0);
    agglom_unregister(&tasks_module);
  }
  mix_task.sections = sections;
  snprintf(slower, sizeof slower, "%s AGGLOM_EMULATE=launch=1us", settings);
  start_with(slower);
  assert_true(model_of(&mix_task).cpu_known);
  assert_false(model_of(&mix_task).device[0].known);
  assert_int_equal(agglom_shutdown(), 0);
}

/* What a run does not measure stays in the file: other tasks, other devices. */
static void others_stay(void **state) {
  (void)state;
  char alone[300];
  start_with(settings);
  measure(&mix_task, 5000);
  measure(&thread_task, 5000);
  struct ag_model mix = model_of(&mix_task), thread = model_of(&thread_task);
  assert_int_equal(agglom_shutdown(), 0);
  snprintf(alone, sizeof alone, "AGGLOM_DEVICES=none AGGLOM_WORKERS=2 AGGLOM_MODELS=%s", file);
  start_with(alone);
  struct ag_model *m = ag_task_model_lock(&mix_task);
  assert_true(m->cpu_ns == mix.cpu_ns);
  ag_model_cpu(m, 10000, 1000);
  ag_task_model_unlock(&mix_task);
  assert_int_equal(agglom_shutdown(), 0);
  start_with(settings);
  struct ag_model again = model_of(&mix_task);
  assert_true(again.cpu_ns < mix.cpu_ns);
  assert_true(same_times(&again.device[0], &mix.device[0]) && same_times(&again.device[1], &mix.device[1]));
  again = model_of(&thread_task);
  assert_true(same_model(&again, &thread));
  assert_int_equal(agglom_shutdown(), 0);
}

/* Several GPUs of one kind are told apart. */
static void equal_devices(void **state) {
  (void)state;
  char both[1000];
  setenv("GPU_IN_SOFTWARE_DEVICES", "2", 1);
  snprintf(both, sizeof both, "AGGLOM_DEVICES=cuda AGGLOM_CUDA_LIBRARY=%s AGGLOM_MODELS=%s",
           gpu_in_software_path, file);
  start_with(both);
  assert_int_equal(ag_runtime_running()->n_accelerators, 2);
  measure(&mix_task, 5000);
  struct ag_model mix = model_of(&mix_task);
  assert_true(mix.device[0].times.item_ns < mix.device[1].times.item_ns);
  assert_int_equal(agglom_shutdown(), 0);
  start_with(both);
  struct ag_model again = model_of(&mix_task);
  assert_true(same_model(&again, &mix));
  assert_int_equal(agglom_shutdown(), 0);
}

/* Times of copies, of each device and each way. */
static void next_run_knows_transfers(void **state) {
  (void)state;
  struct ag_device_model in[2], out[2];
  start_with(settings);
  struct ag_accelerator *at = ag_runtime_running()->accelerators;
  for (int i = 1; i < 8; ++i)
    for (int d = 0; d < 2; ++d) {
      tell_model(&at[d].copy_in, 1000 * i, 5000 + 100 * (d + 1) * i, 0);
      tell_model(&at[d].copy_out, 1000 * i, 7000 + 300 * (d + 1) * i, 0);
      in[d] = at[d].copy_in;
      out[d] = at[d].copy_out;
    }
  assert_int_equal(agglom_shutdown(), 0);
  start_with(settings);
  at = ag_runtime_running()->accelerators;
  for (int d = 0; d < 2; ++d) {
    assert_true(same_times(&at[d].copy_in, &in[d]));
    assert_true(same_times(&at[d].copy_out, &out[d]));
  }
  assert_int_equal(agglom_shutdown(), 0);
}

/* What another process has measured meanwhile, and this one has not, stays. */
static void news_of_others_stay(void **state) {
  (void)state;
  struct ag_book book = {0};
  char why[AG_MODELS_WHY];
  const double cpu[] = {100, 5};
  start_with(settings);
  measure(&mix_task, 5000);
  measure(&thread_task, 5000);
  assert_int_equal(agglom_shutdown(), 0);
  start_with(settings);
  measure(&thread_task, 9000);
  assert_int_equal(ag_models_read_file(file, NULL, &book, why), AG_MODELS_READ);
  struct ag_book_section *of_mix = book.sections;
  while (!strstr(of_mix->key, "\"mix\""))
    assert_non_null(of_mix = of_mix->next);
  assert_true(ag_book_set(of_mix, "cpu", cpu, 2));
  assert_int_equal(ag_models_write_file(file, &book), 0);
  ag_book_free(&book);
  assert_int_equal(agglom_shutdown(), 0);
  start_with(settings);
  assert_true(model_of(&mix_task).cpu_ns == 5);
  assert_true(model_of(&thread_task).device[0].known == 14);
  assert_int_equal(agglom_shutdown(), 0);
}

/* --- Files that are not to be believed ------------------------------------------------------------------ */

/* What is said when the runtime starts and ends; in between something is measured. */
static const char *run(void) {
  capture_begin();
  start_with(settings);
  bool known = model_of(&mix_task).cpu_known;
  measure(&mix_task, 4000);
  assert_int_equal(agglom_shutdown(), 0);
  const char *said = capture_end();
  assert_false(known);
  return said;
}

static void is_kept(const char *text, size_t bytes, const char *because) {
  char after[8192];
  put(text, bytes);
  const char *said = run();
  assert_int_equal(occurrences(said, "agglom: "), 1);
  assert_int_equal(occurrences(said, "AGGLOM_MODELS="), 1);
  assert_non_null(strstr(said, because));
  assert_int_equal(get(after, sizeof after), bytes);
  assert_memory_equal(after, text, bytes);
  assert_int_equal(files(), 1);
}

/* A right text of a machine. */
static size_t text_of(const char *machine, char *text, size_t size) {
  int n = snprintf(text, size, "agglom-models 1\nmachine %s\n", machine);
  n += snprintf(text + n, size - (size_t)n, "end %016llx\n",
                (unsigned long long)ag_book_checksum(text, (size_t)n));
  return (size_t)n;
}

static void foreign_files(void **state) {
  (void)state;
  char text[1024];
  is_kept("#include <stdio.h>\n", 19, "is not a file of models that agglom has written; it is left alone");
  is_kept("\x7f"
          "ELF\0\0",
          6, "is not a file of models");
  is_kept("agglom-models 2\nwhatever\n", 25, "was written by another version of agglom; it is left alone");
  is_kept(text, text_of("\"Zilog Z80\" 1", text, sizeof text), "is of another machine: \"Zilog Z80\" 1");
  char *large = calloc(1, AG_BOOK_MOST + 10);
  assert_non_null(large);
  put(large, AG_BOOK_MOST + 10);
  free(large);
  assert_non_null(strstr(run(), "is larger than agglom writes such files; it is left alone"));
}

static void no_files(void **state) {
  (void)state;
  mkdir(file, 0777);
  assert_non_null(strstr(run(), "cannot be read: Is a directory; name a file that can be read and written"));
  assert_int_equal(rmdir(file), 0);
  assert_int_equal(mkfifo(file, 0666), 0);
  assert_non_null(strstr(run(), "cannot be read: it is not a regular file"));
  assert_int_equal(unlink(file), 0);
  assert_int_equal(symlink(file, file), 0);
  assert_non_null(strstr(run(), "cannot be read: Too many levels of symbolic links"));
  assert_int_equal(unlink(file), 0);
  snprintf(file, sizeof file, "%s/nowhere/models", folder);
  snprintf(settings, sizeof settings, "AGGLOM_DEVICES=none AGGLOM_MODELS=%s", file);
  const char *said = run();
  assert_non_null(
      strstr(said, "cannot be written: No such file or directory; what is measured will be lost"));
  assert_int_equal(occurrences(said, "cannot be written"), 1);
}

static void unreadable(void **state) {
  (void)state;
  put("x", 1);
  chmod(file, 0);
  if (access(file, R_OK)) /* root may all */
    assert_non_null(strstr(run(), "cannot be read: Permission denied"));
}

/* Ours, and damaged: not believed, and replaced. */
static void damaged(void **state) {
  (void)state;
  char text[65536];
  assert_string_equal(run(), "");
  size_t bytes = get(text, sizeof text);
  put(text, bytes - 1);
  assert_non_null(strstr(run(), "is cut off: its last line, which has its checksum, is missing; nothing in "
                                "it is used, and it is written"));
  text[bytes / 2] ^= 1;
  put(text, bytes);
  assert_non_null(
      strstr(run(), "was changed after agglom had written it: the checksum in its last line is wrong"));
  bytes = get(text, sizeof text);
  char crlf[2 * sizeof text];
  size_t n = 0;
  for (size_t i = 0; i < bytes; ++i) {
    if (text[i] == '\n')
      crlf[n++] = '\r';
    crlf[n++] = text[i];
  }
  put(crlf, n);
  assert_non_null(strstr(run(), "was converted to lines that end with CR LF"));
  strstr(text, "\nend ")[1] = '\0'; /* all but the last line */
  put(text, strlen(text));
  assert_non_null(strstr(run(), "is cut off: its last line, which has its checksum"));
  start_with(settings);
  assert_true(model_of(&mix_task).cpu_known);
  assert_int_equal(agglom_shutdown(), 0);
}

/* A right checksum does not make sense of nonsense. */
static void absurd(void **state) {
  (void)state;
  char text[65536], *at;
  assert_string_equal(run(), "");
  get(text, sizeof text);
  assert_non_null(at = strstr(text, "  cpu: "));
  memcpy(at, "  cpu: 0", 8);
  assert_non_null(at = strstr(text, "  batches "));
  assert_non_null(at = strstr(at, ": "));
  memcpy(at, ": 7 0 ", 6); /* and other numbers behind it */
  size_t n = (size_t)(strstr(text, "end ") - text);
  n += (size_t)snprintf(text + n, sizeof text - n, "end %016llx\n",
                        (unsigned long long)ag_book_checksum(text, n));
  put(text, n);
  start_with(settings);
  struct ag_model m = model_of(&mix_task);
  assert_false(m.cpu_known || m.device[0].known);
  assert_true(m.device[1].known);
  assert_int_equal(agglom_shutdown(), 0);
}

static void empty_and_linked(void **state) {
  (void)state;
  char link[160];
  struct stat of;
  put("", 0);
  chmod(file, 0640);
  snprintf(link, sizeof link, "%s/link", folder);
  assert_int_equal(symlink("models", link), 0);
  snprintf(settings, sizeof settings, "AGGLOM_DEVICES=none AGGLOM_MODELS=%s", link);
  assert_string_equal(run(), "");
  assert_int_equal(lstat(link, &of), 0);
  assert_true(S_ISLNK(of.st_mode));
  assert_int_equal(stat(link, &of), 0);
  assert_true(of.st_size > 0 && (of.st_mode & 0777) == 0640);
  assert_int_equal(files(), 2);
}

/* Whoever takes the file's place during the run is not overwritten. */
static void taken_meanwhile(void **state) {
  (void)state;
  char text[64];
  capture_begin();
  start_with(settings);
  measure(&mix_task, 4000);
  put("mine", 4);
  assert_int_equal(agglom_shutdown(), 0);
  const char *said = capture_end();
  assert_non_null(strstr(said, "is not a file of models that agglom has written"));
  assert_int_equal(get(text, sizeof text), 4);
}

/* The old file stays where there is no room for a new one, of which nothing remains. */
static void no_room(void **state) {
  (void)state;
  struct ag_book book = {.machine = strdup("m")};
  struct rlimit before, limit;
  char old[200], now[200];
  assert_int_equal(ag_models_write_file(file, &book), 0);
  get(old, sizeof old);
  const double x = 1;
  assert_true(ag_book_set(ag_book_use(&book, "task 1"), "cpu", &x, 1));
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit = before;
  limit.rlim_cur = 10;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
  int err = ag_models_write_file(file, &book);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  assert_int_equal(err, -EFBIG);
  get(now, sizeof now);
  assert_string_equal(now, old);
  assert_int_equal(files(), 1);
  ag_book_free(&book);
}

/* --- Processes ------------------------------------------------------------------------------------------ */

static void children_write_nothing(void **state) {
  (void)state;
  start_with(settings);
  measure(&mix_task, 4000);
  pid_t child = fork();
  if (!child) {
    agglom_unregister(&tasks_module);
    agglom_register(&tasks_module);
    agglom_shutdown();
    _exit(access(file, F_OK) ? 0 : 1);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(agglom_shutdown(), 0);
  assert_int_equal(access(file, F_OK), 0);
}

/* Several processes write again and again; whoever reads has a whole file, always. */
static void many_at_once(void **state) {
  (void)state;
  enum { PROCESSES = 4, TIMES = 12 };
  pid_t child[PROCESSES];
  char why[AG_MODELS_WHY];
  for (int p = 0; p < PROCESSES; ++p)
    if (!(child[p] = fork())) {
      for (int i = 0; i < TIMES; ++i) {
        start_with(settings);
        measure(all_tasks[p], 1000 + 100 * p + i);
        agglom_shutdown();
      }
      _exit(0);
    }
  int alive = PROCESSES;
  bool whole = true;
  while (alive) {
    struct ag_book book = {0};
    int status;
    whole &= ag_models_read_file(file, NULL, &book, why) == AG_MODELS_READ;
    ag_book_free(&book);
    pid_t gone = waitpid(-1, &status, WNOHANG);
    if (gone > 0) {
      assert_int_equal(status, 0);
      --alive;
    }
  }
  assert_true(whole);
  assert_int_equal(files(), 1);
  start_with(settings);
  unsigned known = 0;
  for (int p = 0; p < PROCESSES; ++p)
    known += model_of(all_tasks[p]).cpu_known > 0;
  assert_true(known > 0); /* the last one's at least */
  assert_int_equal(agglom_shutdown(), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, new_folder, drop_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(next_run_knows_tasks),
      TEST(tasks_that_come_and_go),
      TEST(what_changes_is_unknown),
      TEST(others_stay),
      TEST(equal_devices),
      TEST(next_run_knows_transfers),
      TEST(news_of_others_stay),
      TEST(no_room),
      TEST(foreign_files),
      TEST(no_files),
      TEST(unreadable),
      TEST(damaged),
      TEST(absurd),
      TEST(empty_and_linked),
      TEST(taken_meanwhile),
      TEST(children_write_nothing),
      TEST(many_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
