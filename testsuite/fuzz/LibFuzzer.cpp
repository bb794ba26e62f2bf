// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names in this file are libFuzzer's.

#include "Fuzz.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using agglom::fuzz::ByteMutator;

extern "C" {

size_t LLVMFuzzerMutate(uint8_t *Data, size_t Size, size_t MaxSize);

// Clang's libraries are not instrumented: memory that one side poisons the
// other does not know to unpoison.
const char *__asan_default_options() {
  return "detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0";
}

int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Why = agglom::fuzz::examine(
      std::string(reinterpret_cast<const char *>(Data), Size));
  if (!Why.empty()) {
    fprintf(stderr, "%s\n", Why.c_str());
    abort();
  }
  return 0;
}

static size_t put(const std::string &Text, uint8_t *Data, size_t MaxSize) {
  size_t Size = Text.size() < MaxSize ? Text.size() : MaxSize;
  memcpy(Data, Text.data(), Size);
  return Size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *Data, size_t Size, size_t MaxSize,
                               unsigned Seed) {
  std::string Text(reinterpret_cast<const char *>(Data), Size);
  ByteMutator Bytes = [](const std::string &Old) {
    std::string New = Old;
    New.resize(Old.size() + 64);
    size_t Length = LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(New.data()),
                                     Old.size(), New.size());
    New.resize(Length);
    return New;
  };
  return put(agglom::fuzz::mutate(Text, Seed, Bytes), Data, MaxSize);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *Data1, size_t Size1,
                                 const uint8_t *Data2, size_t Size2,
                                 uint8_t *Out, size_t MaxOutSize,
                                 unsigned Seed) {
  std::string First(reinterpret_cast<const char *>(Data1), Size1);
  std::string Second(reinterpret_cast<const char *>(Data2), Size2);
  return put(agglom::fuzz::cross(First, Second, Seed), Out, MaxOutSize);
}

} // extern "C"
