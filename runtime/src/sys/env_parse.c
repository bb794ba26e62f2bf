/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The pure half of sys/env.h: text in, value out, no environment and no messages. Nothing here depends on
 * the locale: a program that has called setlocale() reads "1.5GB/s" alike. */
#include "sys/env.h"

#include <agglom/abi.h>
#include <errno.h>
#include <string.h>

/* A piece of a longer text; pieces are not NUL-terminated. */
struct piece {
  const char *text;
  size_t length;
};

static bool is(struct piece p, const char *word) {
  return strlen(word) == p.length && !memcmp(p.text, word, p.length);
}

/* Cuts the next piece, up to separator or the end, off *rest. False when nothing is left. An empty last
 * piece ("a,") is a piece too, so that stray commas are noticed. */
static bool cut(const char **rest, char separator, struct piece *p) {
  *p = (struct piece){"", 0};
  if (!*rest)
    return false;
  const char *stop = strchr(*rest, separator);
  p->text = *rest;
  p->length = stop ? (size_t)(stop - *rest) : strlen(*rest);
  *rest = stop ? stop + 1 : NULL;
  return true;
}

/* Splits "key=value". */
static bool key_value(struct piece p, struct piece *key, struct piece *value) {
  const char *equals = memchr(p.text, '=', p.length);
  if (!equals)
    return false;
  *key = (struct piece){p.text, (size_t)(equals - p.text)};
  *value = (struct piece){equals + 1, p.length - key->length - 1};
  return key->length > 0 && value->length > 0;
}

static int unsigned_of(struct piece p, uint64_t min, uint64_t max, uint64_t *value) {
  uint64_t v = 0;
  if (!p.length)
    return -EINVAL;
  for (size_t i = 0; i < p.length; ++i) {
    unsigned digit = (unsigned)(unsigned char)p.text[i] - '0';
    if (digit > 9 || __builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, digit, &v))
      return -EINVAL;
  }
  if (v < min || v > max)
    return -EINVAL;
  *value = v;
  return 0;
}

struct unit {
  const char *name;
  uint64_t factor;
};

/* "5us", "1.5GB": a decimal number and one of the units; a plain 0 needs no unit. */
static int quantity_of(struct piece p, const struct unit *units, uint64_t *value) {
  size_t whole = 0, fraction = 0;
  while (whole < p.length && p.text[whole] >= '0' && p.text[whole] <= '9')
    ++whole;
  size_t at = whole;
  if (at < p.length && p.text[at] == '.') {
    ++at;
    while (at < p.length && p.text[at] >= '0' && p.text[at] <= '9')
      ++at, ++fraction;
    if (!fraction || fraction > 9)
      return -EINVAL;
  }
  uint64_t v, part = 0, scale = 1;
  if (unsigned_of((struct piece){p.text, whole}, 0, UINT64_MAX, &v))
    return -EINVAL;
  if (fraction && unsigned_of((struct piece){p.text + whole + 1, fraction}, 0, UINT64_MAX, &part))
    return -EINVAL;
  for (size_t i = 0; i < fraction; ++i)
    scale *= 10;
  struct piece name = {p.text + at, p.length - at};
  if (!name.length && v == 0 && part == 0) {
    *value = 0;
    return 0;
  }
  for (; units->name; ++units) {
    if (!is(name, units->name))
      continue;
    uint64_t extra = (uint64_t)((double)part / (double)scale * (double)units->factor + 0.5);
    if (__builtin_mul_overflow(v, units->factor, &v) || __builtin_add_overflow(v, extra, &v))
      return -EINVAL;
    *value = v;
    return 0;
  }
  return -EINVAL;
}

static const struct unit sizes[] = {
    {"B", 1}, {"KB", 1u << 10}, {"MB", 1u << 20}, {"GB", 1u << 30}, {NULL, 0}};

static struct piece all_of(const char *text) { return (struct piece){text, strlen(text)}; }

int ag_parse_unsigned(const char *text, uint64_t min, uint64_t max, uint64_t *value) {
  return unsigned_of(all_of(text), min, max, value);
}

int ag_parse_size(const char *text, uint64_t min, uint64_t max, size_t *value) {
  uint64_t v;
  if (quantity_of(all_of(text), sizes, &v) || v < min || v > max)
    return -EINVAL;
  *value = (size_t)v;
  return 0;
}

int ag_parse_batch(const char *text, struct ag_batch_choice *value) {
  static const struct {
    const char *name;
    enum ag_batch_rule rule;
    bool counts;
  } rules[] = {{"maximal", AG_BATCH_MAXIMAL, false},     {"single", AG_BATCH_SINGLE, false},
               {"static", AG_BATCH_STATIC, true},        {"count", AG_BATCH_COUNT, true},
               {"occupancy", AG_BATCH_OCCUPANCY, false}, {"auto", AG_BATCH_AUTO, false}};
  const char *rest = text;
  struct piece name;
  cut(&rest, ':', &name);
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; ++i) {
    if (!is(name, rules[i].name) || rules[i].counts != (rest != NULL))
      continue;
    uint64_t n = 0;
    if (rest && ag_parse_unsigned(rest, 1, UINT32_MAX, &n))
      return -EINVAL;
    *value = (struct ag_batch_choice){rules[i].rule, (unsigned)n};
    return 0;
  }
  return -EINVAL;
}

int ag_parse_cus(const char *text, struct ag_cus *cus) {
  struct piece units, cores, devices;
  uint64_t n = 0, m = 0, g = 0;
  const char *rest = text;
  *cus = (struct ag_cus){0, 1, -1};
  if (!strcmp(text, "auto"))
    return 0;
  if (!cut(&rest, 'x', &units) || unsigned_of(units, 1, 1024, &n) || !cut(&rest, '+', &cores) ||
      unsigned_of(cores, 1, 1024, &m))
    return -EINVAL;
  if (cut(&rest, '+', &devices) && (unsigned_of(devices, 0, 32, &g) || rest))
    return -EINVAL;
  *cus = (struct ag_cus){(unsigned)n, (unsigned)m, strchr(text, '+') ? (int)g : -1};
  return 0;
}

/* "0.01", "21.9": a positive decimal number. */
static int ratio_of(struct piece p, double *value) {
  static const struct unit millionths[] = {{"", 1000000}, {NULL, 0}};
  uint64_t v;
  if (quantity_of(p, millionths, &v) || !v)
    return -EINVAL;
  *value = (double)v / 1e6;
  return 0;
}

/* 0 % becomes -1, as a ratio of 0 says that none was given. */
static int percent_of(struct piece p, double *value) {
  uint64_t v;
  if (unsigned_of(p, 0, 100, &v))
    return -EINVAL;
  *value = v ? (double)v / 100 : -1;
  return 0;
}

int ag_parse_schedule(const char *text, struct ag_schedule_choice *value) {
  enum argument { None, Chunk, Ratio, Percent };
  static const struct {
    const char *name;
    unsigned kind;
    enum argument takes;
  } kinds[] = {
#define AGGLOM_SCHEDULE_KIND(Id, Spelling, Argument) {Spelling, AGGLOM_SCHEDULE_##Id, Argument},
#include "schedules.def"
  };
  const char *rest = text;
  struct piece name;
  cut(&rest, ':', &name);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
    struct ag_schedule_choice v = {kinds[i].kind, 0, 0};
    if (!is(name, kinds[i].name))
      continue;
    if (rest && (kinds[i].takes == None ||
                 (kinds[i].takes == Chunk && ag_parse_unsigned(rest, 1, (uint64_t)INT64_MAX, &v.chunk)) ||
                 (kinds[i].takes == Ratio && ratio_of(all_of(rest), &v.ratio)) ||
                 (kinds[i].takes == Percent && percent_of(all_of(rest), &v.ratio))))
      return -EINVAL;
    *value = v;
    return 0;
  }
  return -EINVAL;
}

/* Index of the text among the names; -1: it is none of them. */
static int index_of(const char *text, const char *const *names, size_t n) {
  for (size_t i = 0; i < n; ++i)
    if (!strcmp(text, names[i]))
      return (int)i;
  return -1;
}

static const char *const split_names[] = {[AG_SPLIT_GPU] = "gpu",
                                          [AG_SPLIT_CPU] = "cpu",
                                          [AG_SPLIT_COUNT] = "count",
                                          [AG_SPLIT_ITEMS] = "items",
                                          [AG_SPLIT_AUTO] = "auto"};

const char *ag_split_name(enum ag_split_choice choice) { return split_names[choice]; }

int ag_parse_split(const char *text, enum ag_split_choice *value) {
  int i = index_of(text, split_names, sizeof split_names / sizeof split_names[0]);
  if (i < 0)
    return -EINVAL;
  *value = (enum ag_split_choice)i;
  return 0;
}

int ag_parse_map(const char *text, enum ag_map_choice *value) {
  if (!strcmp(text, "auto"))
    *value = AG_MAP_AUTO;
  else if (!strcmp(text, "block"))
    *value = AG_MAP_BLOCK;
  else if (!strcmp(text, "warp"))
    *value = AG_MAP_WARP;
  else
    return -EINVAL;
  return 0;
}

static const char *const objective_names[] = {
    [AG_OBJECTIVE_TIME] = "time", [AG_OBJECTIVE_ENERGY] = "energy", [AG_OBJECTIVE_EDP] = "edp"};

const char *ag_objective_name(enum ag_objective_choice choice) { return objective_names[choice]; }

int ag_parse_objective(const char *text, enum ag_objective_choice *value) {
  int i = index_of(text, objective_names, sizeof objective_names / sizeof objective_names[0]);
  if (i < 0)
    return -EINVAL;
  *value = (enum ag_objective_choice)i;
  return 0;
}

int ag_parse_switch(const char *text, bool *value) {
  if (strcmp(text, "on") && strcmp(text, "off"))
    return -EINVAL;
  *value = !strcmp(text, "on");
  return 0;
}

int ag_parse_report(const char *text, struct ag_report_choice *value) {
  size_t length = strlen(text);
  if (!length || length >= sizeof value->path)
    return -EINVAL;
  memset(value, 0, sizeof *value);
  if (!strcmp(text, "0"))
    return 0;
  if (!strcmp(text, "1")) {
    value->mode = AG_REPORT_TEXT;
  } else if (!strcmp(text, "json")) {
    value->mode = AG_REPORT_JSON;
  } else {
    value->mode = length > 5 && !strcmp(text + length - 5, ".json") ? AG_REPORT_JSON : AG_REPORT_TEXT;
    memcpy(value->path, text, length + 1);
  }
  return 0;
}

int ag_parse_emulate(const char *text, struct ag_emulate *value) {
  static const struct unit times[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {NULL, 0}};
  static const struct unit rates[] = {{"KB/s", 1000}, {"MB/s", 1000000}, {"GB/s", 1000000000}, {NULL, 0}};
  enum {
    LAUNCH = 1,
    BANDWIDTH = 2,
    MEMORY = 4,
    THREADS = 8,
    COPY = 16,
    UNIT = 32,
    ISOLATE = 64,
    OVERLAP = 128
  };
  struct ag_emulate v = *value;
  unsigned seen = 0;
  struct piece p, key, word;
  for (const char *rest = text; cut(&rest, ',', &p);) {
    uint64_t n;
    unsigned which;
    if (!key_value(p, &key, &word))
      return -EINVAL;
    if (is(key, "launch") && !quantity_of(word, times, &n) && n <= 10000000000u) {
      which = LAUNCH;
      v.launch_ns = n;
    } else if (is(key, "copy") && !quantity_of(word, times, &n) && n <= 10000000000u) {
      which = COPY;
      v.copy_ns = n;
    } else if (is(key, "unit") && !quantity_of(word, times, &n) && n <= 10000000000u) {
      which = UNIT;
      v.unit_ns = n;
    } else if (is(key, "bandwidth") && !quantity_of(word, rates, &n)) {
      which = BANDWIDTH;
      v.bytes_per_s = n;
    } else if (is(key, "memory") && !quantity_of(word, sizes, &n) && n >= 4096 && n <= SIZE_MAX / 2) {
      which = MEMORY;
      v.memory_bytes = (size_t)n;
    } else if (is(key, "threads") && !unsigned_of(word, 1, 256, &n)) {
      which = THREADS;
      v.threads = (unsigned)n;
    } else if (is(key, "isolate") && (is(word, "on") || is(word, "off"))) {
      which = ISOLATE;
      v.isolate = is(word, "on");
    } else if (is(key, "overlap") && (is(word, "on") || is(word, "off"))) {
      which = OVERLAP;
      v.serial = is(word, "off");
    } else {
      return -EINVAL;
    }
    if (seen & which)
      return -EINVAL;
    seen |= which;
  }
  *value = v;
  return 0;
}

/* One quantity of these units, up to `most`. */
static int parse_time(const char *text, const struct unit *times, uint64_t most, uint64_t *ns) {
  const char *rest = text;
  struct piece p;
  uint64_t n;
  cut(&rest, ',', &p);
  if (rest || quantity_of(p, times, &n) || n > most)
    return -EINVAL;
  *ns = n;
  return 0;
}

int ag_parse_timeout(const char *text, uint64_t *ns) {
  static const struct unit times[] = {{"ms", 1000000}, {"s", 1000000000}, {NULL, 0}};
  return parse_time(text, times, (uint64_t)86400 * 1000000000, ns);
}

int ag_parse_linger(const char *text, uint64_t *ns) {
  static const struct unit times[] = {{"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {NULL, 0}};
  if (strcmp(text, "auto") != 0)
    return parse_time(text, times, (uint64_t)10 * 1000000000, ns);
  *ns = AG_LINGER_AUTO;
  return 0;
}

int ag_parse_fault(const char *text, struct ag_fault *value) {
  static const struct {
    const char *name;
    enum ag_fault_call call;
    bool hangs; /* the call may hang */
  } calls[] = {{"alloc", AG_FAULT_ALLOC, false},
               {"host_alloc", AG_FAULT_HOST_ALLOC, false},
               {"host_register", AG_FAULT_HOST_REGISTER, false},
               {"stream", AG_FAULT_STREAM, false},
               {"copy_in", AG_FAULT_COPY_IN, true},
               {"copy_out", AG_FAULT_COPY_OUT, true},
               {"move", AG_FAULT_MOVE, true},
               {"fill", AG_FAULT_FILL, true},
               {"kernel", AG_FAULT_KERNEL, false},
               {"launch", AG_FAULT_LAUNCH, true},
               {"milestone", AG_FAULT_MILESTONE, true},
               {"follow", AG_FAULT_FOLLOW, true},
               {"mark", AG_FAULT_MARK, true},
               {"finished", AG_FAULT_FINISHED, true},
               {"free", AG_FAULT_FREE, false},
               {"host_free", AG_FAULT_HOST_FREE, false},
               {"host_unregister", AG_FAULT_HOST_UNREGISTER, false},
               {"stream_destroy", AG_FAULT_STREAM_DESTROY, false},
               {"close", AG_FAULT_CLOSE, false},
               {"any", AG_FAULT_ANY, true}};
  static const struct {
    const char *name;
    enum ag_fault_error error;
  } errors[] = {{"oom", AG_FAULT_OOM},
                {"failed", AG_FAULT_FAILED},
                {"sticky", AG_FAULT_STICKY},
                {"hang", AG_FAULT_HANG}};
  enum { CALL = 1, NTH = 2, TIMES = 4, ERROR = 8 };
  struct ag_fault v = {.call = AG_FAULT_NONE, .error = AG_FAULT_FAILED, .nth = 1, .times = 1};
  unsigned seen = 0;
  bool may_hang = false;
  struct piece p, key, word;
  for (const char *rest = text; cut(&rest, ',', &p);) {
    unsigned which = 0;
    if (!key_value(p, &key, &word))
      return -EINVAL;
    if (is(key, "call")) {
      for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i)
        if (is(word, calls[i].name)) {
          v.call = calls[i].call;
          may_hang = calls[i].hangs;
          which = CALL;
        }
    } else if (is(key, "error")) {
      for (size_t i = 0; i < sizeof errors / sizeof errors[0]; ++i)
        if (is(word, errors[i].name)) {
          v.error = errors[i].error;
          which = ERROR;
        }
    } else if (is(key, "nth") && !unsigned_of(word, 1, UINT64_MAX, &v.nth)) {
      which = NTH;
    } else if (is(key, "times")) {
      if (is(word, "all")) {
        v.times = UINT64_MAX;
        which = TIMES;
      } else if (!unsigned_of(word, 1, UINT64_MAX, &v.times)) {
        which = TIMES;
      }
    }
    if (!which || seen & which)
      return -EINVAL;
    seen |= which;
  }
  if (!(seen & CALL) || (v.error == AG_FAULT_HANG && !may_hang))
    return -EINVAL;
  *value = v;
  return 0;
}

int ag_parse_devices(const char *text, struct ag_device_spec *value) {
  struct ag_device_spec v = {.kind = AG_KIND_AUTO, .count = 0};
  const char *rest = text;
  struct piece name, p;
  uint64_t n;
  cut(&rest, ':', &name);
  if (is(name, "auto") || is(name, "none")) {
    if (rest)
      return -EINVAL;
    v.kind = is(name, "auto") ? AG_KIND_AUTO : AG_KIND_NONE;
  } else if (is(name, "emulated")) {
    v.kind = AG_KIND_EMULATED;
    v.count = 1;
    if (rest) {
      if (ag_parse_unsigned(rest, 1, AG_SPEC_DEVICES, &n))
        return -EINVAL;
      v.count = (int)n;
    }
  } else if (is(name, "cuda")) {
    v.kind = AG_KIND_CUDA;
    while (cut(&rest, ',', &p)) {
      if (v.count == AG_SPEC_DEVICES || unsigned_of(p, 0, 1023, &n))
        return -EINVAL;
      for (int i = 0; i < v.count; ++i)
        if (v.index[i] == (int)n)
          return -EINVAL;
      v.index[v.count++] = (int)n;
    }
  } else {
    return -EINVAL;
  }
  *value = v;
  return 0;
}
