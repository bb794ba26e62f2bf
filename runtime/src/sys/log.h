/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Messages for people. The library says what is wrong and what to do, in one sentence; it never aborts.
 *
 * Each call writes one line to standard error with a single write(2), so that lines of several threads
 * or processes do not mix. A longer message than AG_LOG_LINE is cut and ends with "...". Newlines inside the
 * message are kept, a final one is added. Safe from any thread; errno is preserved; no memory is
 * allocated, so it also works when there is none left. */
#ifndef AG_LOG_H
#define AG_LOG_H

#include <stdatomic.h>

enum { AG_LOG_LINE = 4096 }; /* bytes of the longest line, with its newline */

#define AG_PRINTF(FORMAT, FIRST) __attribute__((format(printf, FORMAT, FIRST)))

/* "agglom: error: ...": the user's program is wrong, or something was asked for that cannot be done. */
void ag_error(const char *format, ...) AG_PRINTF(1, 2);

/* "agglom: warning: ...": the program goes on, otherwise than the user may expect. */
void ag_warn(const char *format, ...) AG_PRINTF(1, 2);

/* Like ag_warn(), but only the first call with this flag says anything. */
void ag_warn_once(atomic_flag *said, const char *format, ...) AG_PRINTF(2, 3);

#endif /* AG_LOG_H */
