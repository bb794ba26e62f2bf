// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Not annotated.
#include <string.h>
int plain(const char *s) { return (int)strlen(s); }
