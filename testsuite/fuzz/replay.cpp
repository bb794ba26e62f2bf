// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// replay [-m N] FILE...
//
// Examines each file, then N mutations of it, the same ones each time.
// Prints how many units that were; the exit status is 1 when one showed an
// error. A unit that is to blame is left in FILE's place on standard error.

#include "Fuzz.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace agglom::fuzz;

/// A stand-in for libFuzzer's mutator of bytes: one byte becomes another.
static std::string turnByte(const std::string &Old) {
  std::string New = Old;
  if (!New.empty())
    New[New.size() / 2] = static_cast<char>(New[New.size() / 2] * 7 + 3);
  return New;
}

int main(int argc, char **argv) {
  int First = 1;
  unsigned Mutations = 0, Examined = 0, Failed = 0;
  if (argc > 2 && !strcmp(argv[1], "-m")) {
    Mutations = static_cast<unsigned>(strtoul(argv[2], nullptr, 10));
    First = 3;
  }
  for (int I = First; I < argc; ++I) {
    std::ifstream File(argv[I], std::ios::binary);
    std::stringstream Content;
    Content << File.rdbuf();
    if (!File) {
      fprintf(stderr, "replay: cannot read '%s'\n", argv[I]);
      return 1;
    }
    std::string Text = Content.str();
    for (unsigned M = 0; M <= Mutations; ++M) {
      std::string Why = examine(Text);
      ++Examined;
      if (!Why.empty()) {
        ++Failed;
        fprintf(stderr, "replay: %s, mutation %u: %s\n%s\n", argv[I], M,
                Why.c_str(), Text.c_str());
      }
      Text = mutate(Text, M + 1, turnByte);
    }
  }
  printf("%u units examined, %u failed\n", Examined, Failed);
  return Failed != 0 || !Examined;
}
