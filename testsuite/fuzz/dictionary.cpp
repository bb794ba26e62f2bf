// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dictionary for libFuzzer: the words of the table of pragmas.

#include <cstdio>
#include <cstring>
#include <initializer_list>

int main() {
#define AGGLOM_DIRECTIVE(Id, Spelling, Place, Help)                            \
  printf("\"%s \"\n", Spelling);
#define AGGLOM_CLAUSE(Directive, Id, Spelling, Argument, Help)                 \
  printf(strcmp(#Argument, "None") ? "\"%s(\"\n" : "\"%s \"\n", Spelling);
#include "directives.def"
  for (const char *Word :
       {"[0:n]",      ":",    "[",     "]",     "(",       ")",
        ",",          "*",    "?",     "::",    "n",       "x",
        "+:",         "min:", "max:",  "&&:",   "||:",     "->",
        "0x7fffffff", "-1",   "cpu",   "gpu",   "any",     "auto",
        "thread",     "warp", "block", "cuda:", "sizeof(", "\\\\\\x0A"})
    printf("\"%s\"\n", Word);
  return 0;
}
