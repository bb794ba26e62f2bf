/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The text of AGGLOM_MODELS: what is written is read bit for bit, and nothing else is ever believed. */
#include "random.h"
#include "remembered/book.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state;

static uint64_t below(uint64_t n) { return next_random(&random_state) % n; }

static int new_seed(void **s) {
  (void)s;
  random_state = from_environment("STRESS_SEED", 20261122);
  return 0;
}

/* Any number that may be kept. */
static double any_number(void) {
  for (;;) {
    uint64_t bits = next_random(&random_state);
    double x;
    memcpy(&x, &bits, sizeof x);
    if (below(4) == 0)
      x = (double)below(1000);
    if (x >= 0 && x <= AG_BOOK_LARGEST)
      return x;
  }
}

static void fill(struct ag_book *b, unsigned sections) {
  b->machine = strdup("\"A CPU: of \\\"ours\\\"\" 8");
  assert_non_null(b->machine);
  for (unsigned i = 0; i < sections; ++i) {
    char key[64];
    snprintf(key, sizeof key, "task \"t%u\" \"a: b.c\" %u 0123abcd", i, i + 7);
    struct ag_book_section *s = ag_book_use(b, key);
    assert_non_null(s);
    for (unsigned k = 0, items = 1 + (unsigned)below(4); k < items; ++k) {
      double x[AG_BOOK_NUMBERS];
      unsigned n = 1 + (unsigned)below(k ? 12 : AG_BOOK_NUMBERS);
      for (unsigned j = 0; j < n; ++j)
        x[j] = any_number();
      snprintf(key, sizeof key, k ? "batches \"a: %u\"" : "cpu", k);
      assert_true(ag_book_set(s, key, x, n));
    }
  }
}

static void assert_same(const struct ag_book *a, const struct ag_book *b) {
  assert_string_equal(a->machine, b->machine);
  assert_int_equal(a->n_sections, b->n_sections);
  const struct ag_book_section *t = b->sections;
  for (const struct ag_book_section *s = a->sections; s; s = s->next, t = t->next) {
    assert_string_equal(s->key, t->key);
    assert_int_equal(s->n_items, t->n_items);
    const struct ag_book_item *j = t->items;
    for (const struct ag_book_item *i = s->items; i; i = i->next, j = j->next) {
      assert_string_equal(i->name, j->name);
      assert_int_equal(i->n, j->n);
      assert_memory_equal(i->x, j->x, i->n * sizeof *i->x);
    }
  }
}

static char *text_of(const struct ag_book *b, size_t *bytes) {
  char *text = ag_book_write(b, bytes);
  assert_non_null(text);
  assert_int_equal(strlen(text), *bytes);
  return text;
}

static void round_trip(void **s) {
  (void)s;
  for (unsigned round = 0; round < 300; ++round) {
    struct ag_book a = {0}, b = {0};
    size_t bytes;
    unsigned line;
    fill(&a, (unsigned)below(8));
    char *text = text_of(&a, &bytes);
    assert_int_equal(ag_book_read(&b, text, bytes, &line), AG_BOOK_FINE);
    assert_int_equal(line, 0);
    assert_same(&a, &b);
    free(text);
    ag_book_free(&a);
    ag_book_free(&b);
  }
}

/* Numbers are written and read alike where the program's language has a decimal comma. */
static void other_languages(void **s) {
  (void)s;
  const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8", "C"};
  unsigned i = 0;
  while (!setlocale(LC_ALL, names[i]))
    ++i;
  round_trip(s);
  setlocale(LC_ALL, "C");
}

static void what_is_merged(void **s) {
  (void)s;
  struct ag_book a = {0}, b = {0};
  const double one = 1, two[] = {2, 3};
  a.machine = strdup("m");
  assert_true(ag_book_set(ag_book_use(&a, "task 1"), "cpu", &one, 1));
  assert_true(ag_book_set(ag_book_use(&a, "task 1"), "gpu", &one, 1));
  assert_true(ag_book_set(ag_book_use(&a, "task 2"), "cpu", &one, 1));
  assert_true(ag_book_set(ag_book_use(&b, "task 3"), "cpu", two, 2));
  assert_true(ag_book_set(ag_book_use(&b, "task 1"), "cpu", two, 2));
  assert_true(ag_book_merge(&a, &b));
  const char *const order[] = {"task 1", "task 3", "task 2"};
  const struct ag_book_section *t = a.sections;
  for (unsigned i = 0; i < 3; ++i, t = t->next)
    assert_string_equal(t->key, order[i]);
  assert_null(t);
  assert_int_equal(ag_book_item(ag_book_find(&a, "task 1"), "cpu")->n, 2);
  assert_true(ag_book_item(ag_book_find(&a, "task 1"), "gpu")->x[0] == 1);
  assert_null(ag_book_item(ag_book_find(&a, "task 4"), "gpu"));
  ag_book_free(&a);
  ag_book_free(&b);
}

static void bad_numbers_are_not_kept(void **s) {
  (void)s;
  struct ag_book a = {0};
  const double bad[] = {NAN, -1, INFINITY, 1e300}, many[AG_BOOK_NUMBERS + 1] = {0};
  struct ag_book_section *section = ag_book_use(&a, "task 1");
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    assert_false(ag_book_set(section, "cpu", &bad[i], 1));
  assert_false(ag_book_set(section, "cpu", bad, 0));
  assert_false(ag_book_set(section, "cpu", many, AG_BOOK_NUMBERS + 1));
  assert_true(ag_book_set(section, "cpu", many, AG_BOOK_NUMBERS));
  assert_int_equal(section->n_items, 1);
  ag_book_free(&a);
}

/* However much is known, the text has a bounded size, and what was changed last is in it. */
static void bounded(void **s) {
  (void)s;
  struct ag_book a = {0}, b = {0};
  size_t bytes;
  unsigned line;
  double x[AG_BOOK_NUMBERS];
  a.machine = strdup("m");
  for (unsigned i = 0; i < AG_BOOK_SECTIONS + 10; ++i) {
    char key[32];
    snprintf(key, sizeof key, "task %u", i);
    struct ag_book_section *section = ag_book_use(&a, key);
    for (unsigned k = 0; k < AG_BOOK_NUMBERS; ++k)
      x[k] = any_number();
    assert_true(ag_book_set(section, "cpu", x, AG_BOOK_NUMBERS));
  }
  assert_int_equal(a.n_sections, AG_BOOK_SECTIONS);
  assert_null(ag_book_find(&a, "task 9"));
  char *text = text_of(&a, &bytes);
  assert_true(bytes <= AG_BOOK_MOST && bytes > AG_BOOK_MOST / 2);
  assert_int_equal(ag_book_read(&b, text, bytes, &line), AG_BOOK_FINE);
  assert_string_equal(b.sections->key, a.sections->key);
  free(text);
  ag_book_free(&a);
  ag_book_free(&b);
}

/* --- What is not to be believed ------------------------------------------------------------------------- */

/* A text with these lines between the first and the last one, which is right. */
static enum ag_book_verdict verdict_of(const char *lines, unsigned *line) {
  char text[8192];
  struct ag_book b = {0};
  int n = snprintf(text, sizeof text, "agglom-models %d\n%s", AG_BOOK_VERSION, lines);
  n += snprintf(text + n, sizeof text - (size_t)n, "end %016llx\n",
                (unsigned long long)ag_book_checksum(text, (size_t)n));
  enum ag_book_verdict verdict = ag_book_read(&b, text, (size_t)n, line);
  ag_book_free(&b);
  return verdict;
}

static void lines(void **s) {
  (void)s;
  unsigned line;
  assert_int_equal(verdict_of("machine m\n", &line), AG_BOOK_FINE);
  assert_int_equal(verdict_of("machine m\ntask 1\n  cpu: 1 2e3 0.5\n", &line), AG_BOOK_FINE);
  static const struct {
    const char *lines;
    unsigned line;
  } bad[] = {
      {"", 2},
      {"task 1\n", 2},
      {"machine m\nmachine m\n", 3},
      {"machine m\n\n", 3},
      {"machine m\ntask 1\ntask 2\ntask 1\n", 5},
      {"machine m\n  cpu: 1\n", 3},
      {"machine m\ntask 1\n  cpu:\n", 4},
      {"machine m\ntask 1\n  cpu 1\n", 4},
      {"machine m\ntask 1\n  : 1\n", 4},
      {"machine m\ntask 1\n  cpu: nan\n", 4},
      {"machine m\ntask 1\n  cpu: inf\n", 4},
      {"machine m\ntask 1\n  cpu: -1\n", 4},
      {"machine m\ntask 1\n  cpu: 1e300\n", 4},
      {"machine m\ntask 1\n  cpu: 1e999\n", 4},
      {"machine m\ntask 1\n  cpu: 1  2\n", 4},
      {"machine m\ntask 1\n  cpu: 1,5\n", 4},
      {"machine m\ntask 1\n  cpu: 1\n  cpu: 2\n", 5},
      {"machine m\r\ntask 1\r\n  cpu: 1\r\n", 4},
      {"machine m\ntask 1\n  cpu: 1\n  gpu: 1 x\n", 5},
  };
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    assert_int_equal(verdict_of(bad[i].lines, &line), AG_BOOK_DAMAGED);
    assert_int_equal(line, bad[i].line);
  }
}

static enum ag_book_verdict verdict_of_text(const char *text, size_t bytes, unsigned *line) {
  struct ag_book b = {0};
  enum ag_book_verdict verdict = ag_book_read(&b, text, bytes, line);
  assert_null(b.machine);
  assert_null(b.sections);
  return verdict;
}

static void kinds_of_damage(void **s) {
  (void)s;
  static const char other[] = "agglom-models 2\nmachine m\n", ours[] = "agglom-models 1\nmachine m\n";
  static const char crlf[] = "agglom-models 1\r\nmachine m\r\nend 0123456789abcdef\r\n";
  static const char changed[] = "agglom-models 1\nmachine m\nend 0123456789abcdef\n";
  static const char shell[] = "#!/bin/sh\n", nul[] = "agglom-models 1\nmachine m\0\nend \n";
  unsigned line;
  assert_int_equal(verdict_of_text("", 0, &line), AG_BOOK_EMPTY);
  assert_int_equal(verdict_of_text("a", 1, &line), AG_BOOK_FOREIGN);
  assert_int_equal(verdict_of_text(shell, sizeof shell - 1, &line), AG_BOOK_FOREIGN);
  assert_int_equal(verdict_of_text(other, sizeof other - 1, &line), AG_BOOK_OTHER_VERSION);
  assert_int_equal(verdict_of_text("agglom-models 11\n", 17, &line), AG_BOOK_OTHER_VERSION);
  assert_int_equal(verdict_of_text(ours, sizeof ours - 1, &line), AG_BOOK_NO_END);
  assert_int_equal(verdict_of_text(crlf, sizeof crlf - 1, &line), AG_BOOK_CRLF);
  assert_int_equal(verdict_of_text(changed, sizeof changed - 1, &line), AG_BOOK_CHANGED);
  assert_int_equal(line, 0);
  assert_int_equal(verdict_of_text(nul, sizeof nul - 1, &line), AG_BOOK_DAMAGED);
  assert_int_equal(line, 2);
}

/* A text in which something was changed at random; no longer than `room`. */
static size_t mutate(char *text, size_t bytes, size_t room) {
  for (uint64_t i = 0, n = 1 + below(3); i < n; ++i) {
    size_t at = below(bytes + 1), part = below(40);
    part = part < bytes - at ? part : bytes - at;
    switch (below(6)) {
    case 0: /* a bit */
      if (at < bytes)
        text[at] = (char)(text[at] ^ 1 << below(8));
      break;
    case 1: /* a byte */
      if (at < bytes)
        text[at] = (char)below(256);
      break;
    case 2: /* some are missing */
      memmove(text + at, text + at + part, bytes - at - part);
      bytes -= part;
      break;
    case 3: /* some are there twice */
      if (bytes + part <= room) {
        memmove(text + at + part, text + at, bytes - at);
        bytes += part;
      }
      break;
    case 4: /* the end is missing */
      bytes = below(4) ? bytes : at;
      break;
    default: { /* what belongs elsewhere */
      static const char *const pieces[] = {"\n", "  ",   ":",        " ",  "1e300", "nan",
                                           "-",  "end ", "machine ", "\"", "9"};
      const char *piece = pieces[below(sizeof pieces / sizeof pieces[0])];
      size_t length = strlen(piece);
      if (bytes + length <= room) {
        memmove(text + at + length, text + at, bytes - at);
        memcpy(text + at, piece, length);
        bytes += length;
      }
    }
    }
  }
  return bytes;
}

static void mutations(void **s) {
  (void)s;
  enum { ROOM = 65536 };
  struct ag_book a = {0};
  size_t bytes;
  unsigned line, believed = 0;
  fill(&a, 5);
  char *text = text_of(&a, &bytes), *other = malloc(ROOM);
  assert_true(other && bytes < ROOM / 2);
  for (unsigned long i = 0, n = from_environment("STRESS_MUTATIONS", 8000); i < n; ++i) {
    memcpy(other, text, bytes);
    size_t now = mutate(other, bytes, ROOM);
    struct ag_book b = {0};
    if (ag_book_read(&b, other, now, &line) == AG_BOOK_FINE) {
      assert_int_equal(now, bytes);
      assert_memory_equal(other, text, bytes);
      ++believed;
    }
    ag_book_free(&b);
  }
  assert_true(believed < 800); /* most mutations do change something */
  free(other);
  free(text);
  ag_book_free(&a);
}

/* With a right checksum, too, only what makes sense is read: whatever that is, it can be written again. */
static void mutations_that_look_right(void **s) {
  (void)s;
  enum { ROOM = 65536, END = 21 };
  struct ag_book a = {0};
  size_t bytes;
  unsigned line, believed = 0;
  fill(&a, 5);
  char *text = text_of(&a, &bytes), *other = malloc(ROOM + END + 1);
  assert_non_null(other);
  for (unsigned long i = 0, n = from_environment("STRESS_MUTATIONS", 8000); i < n; ++i) {
    memcpy(other, text, bytes - END);
    size_t now = mutate(other, bytes - END, ROOM), again;
    now += (size_t)snprintf(other + now, END + 1, "end %016llx\n",
                            (unsigned long long)ag_book_checksum(other, now));
    struct ag_book b = {0}, c = {0};
    if (ag_book_read(&b, other, now, &line) != AG_BOOK_FINE)
      continue;
    ++believed;
    for (const struct ag_book_section *t = b.sections; t; t = t->next)
      for (const struct ag_book_item *k = t->items; k; k = k->next)
        for (unsigned j = 0; j < k->n; ++j)
          assert_true(k->x[j] >= 0 && k->x[j] <= AG_BOOK_LARGEST);
    char *written = text_of(&b, &again);
    assert_int_equal(ag_book_read(&c, written, again, &line), AG_BOOK_FINE);
    assert_same(&b, &c);
    free(written);
    ag_book_free(&b);
    ag_book_free(&c);
  }
  assert_true(believed > 100);
  free(other);
  free(text);
  ag_book_free(&a);
}

static void quoted(void **s) {
  (void)s;
  char to[16];
  ag_book_quote(to, sizeof to, "a\"b\\c\n");
  assert_string_equal(to, "\"a\\\"b\\\\c\\x0a\"");
  ag_book_quote(to, sizeof to, "\n\x7f");
  assert_string_equal(to, "\"\\x0a\\x7f\"");
  ag_book_quote(to, sizeof to, "0123456789abcdefgh"); /* too long */
  assert_string_equal(to, "\"0123456789\"");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(round_trip, new_seed),
      cmocka_unit_test_setup(other_languages, new_seed),
      cmocka_unit_test(what_is_merged),
      cmocka_unit_test(bad_numbers_are_not_kept),
      cmocka_unit_test_setup(bounded, new_seed),
      cmocka_unit_test(lines),
      cmocka_unit_test(kinds_of_damage),
      cmocka_unit_test_setup(mutations, new_seed),
      cmocka_unit_test_setup(mutations_that_look_right, new_seed),
      cmocka_unit_test(quoted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
