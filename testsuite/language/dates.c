// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calendars: day numbers and back, weekdays, leap years, Easter, ISO weeks, durations with borrow; structures of small fields.
// RUN: %compare %s %t -w
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { UNITS = 14, N = 20 };
enum month { JAN = 1, FEB, MAR, APR, DEC = 12 };
typedef struct date {
  int16_t year;
  uint8_t month, day;
} date;
struct answer {
  date next, easter;
  int32_t number;
  uint8_t weekday, week : 6, leap : 1;
  struct {
    int years;
    signed char months, days;
  } age;
};
static const unsigned char lengths[2][13] = {{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31},
                                             {0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}};

static inline bool leap(int y) { return (y % 4 == 0 && y % 100) || y % 400 == 0; }
static int32_t number(date d) {
  int32_t y = d.year - (d.month <= FEB), era = (y >= 0 ? y : y - 399) / 400;
  unsigned yoe = (unsigned)(y - era * 400), doy = (153u * (d.month + (d.month > 2 ? -3u : 9u)) + 2) / 5 + d.day - 1;
  return era * 146097 + (int32_t)(yoe * 365 + yoe / 4 - yoe / 100 + doy) - 719468;
}
static date from_number(int32_t n) {
  n += 719468;
  const int era = (n >= 0 ? n : n - 146096) / 146097;
  const unsigned doe = (unsigned)(n - era * 146097), yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
  date d = {.day = (uint8_t)(doy - (153 * mp + 2) / 5 + 1), .month = (uint8_t)(mp < 10 ? mp + 3 : mp - 9)};
  d.year = (int16_t)((int)yoe + era * 400 + (d.month <= FEB));
  return d;
}
static date easter(int y) {
  int a = y % 19, b = y / 100, c = y % 100, d = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
  int e = (32 + 2 * (b % 4) + 2 * (c / 4) - d - c % 4) % 7, f = d + e - 7 * ((a + 11 * d + 22 * e) / 451) + 114;
  return (date){(int16_t)y, (uint8_t)(f / 31), (uint8_t)(f % 31 + 1)};
}
static unsigned week(date d) {
  int n = number(d), weekday = ((n + 3) % 7 + 7) % 7, thursday = n - weekday + 3;
  date t = from_number(thursday);
  return (unsigned)(thursday - number((date){t.year, JAN, 1})) / 7 + 1;
}

#pragma agglom task in(d[0:n]) out(r[0:n])
static void calendar(int n, date today, const date *d, struct answer *r) {
#pragma agglom loop
  for (int i = 0; i < n; i++) {
    struct answer a = {.easter = easter(d[i].year), .number = number(d[i])};
    a.next = from_number(a.number + 1);
    a.weekday = (uint8_t)(((a.number % 7) + 11) % 7), a.week = (uint8_t)week(d[i]), a.leap = leap(d[i].year);
    a.age.years = today.year - d[i].year;
    a.age.months = (signed char)(today.month - d[i].month), a.age.days = (signed char)(today.day - d[i].day);
    if (a.age.days < 0) {
      unsigned before = today.month == JAN ? DEC : today.month - 1u;
      a.age.days = (signed char)(a.age.days + lengths[leap(today.year - (before == DEC))][before]);
      --a.age.months;
    }
    if (a.age.months < 0)
      a.age.months += 12, a.age.years--;
    r[i] = a;
  }
}

int main(void) {
  static date d[UNITS][N];
  static struct answer r[UNITS][N];
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++)
      d[u][i] = (date){(int16_t)(1583 + i * 37 + u * 11), (uint8_t)(i % 12 + 1), (uint8_t)(i % 5 ? 28 - i : 28)};
  for (int u = 0; u < UNITS; u++)
    calendar(N, (date){2026, (uint8_t)(u % 12 + 1), (uint8_t)(u + 1)}, d[u], r[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++)
    for (int i = 0; i < N; i++) {
      struct answer *a = &r[u][i];
      printf("%d-%d-%d %d-%d %d %d %d %d %d %d %d\n", a->next.year, a->next.month, a->next.day, a->easter.month, a->easter.day,
             a->number, a->weekday, a->week, a->leap, a->age.years, a->age.months, a->age.days);
    }
  return 0;
}
