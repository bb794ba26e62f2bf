/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* JSON, read from the front to the end. After a mistake in the text all calls say that there is nothing more,
 * and `bad` is set. */
#ifndef AG_SIM_JSON_READ_H
#define AG_SIM_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>

struct json {
  const char *at, *end;
  bool bad, first; /* first: nothing of the object or array has been read */
  unsigned depth;
};

/* The next value is an object, or an array; then its members one by one: each must be read, or skipped. */
void json_object(struct json *j);
void json_array(struct json *j);
/* The next member's key, of which the first size - 1 bytes are kept; false: there is none, and the object is
 * over.
 */
bool json_member(struct json *j, char *key, size_t size);
/* Whether there is a next element; false: the array is over. */
bool json_element(struct json *j);

double json_number(struct json *j);
void json_string(struct json *j, char *text, size_t size);
/* true or false */
bool json_truth(struct json *j);
void json_skip(struct json *j);
/* Whether the next value is null, which is then read. */
bool json_null(struct json *j);
/* Nothing follows. */
bool json_over(struct json *j);

#endif /* AG_SIM_JSON_READ_H */
