// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is remembered of weak memory is bounded, however much a launch touches.

#include "Threads.h"
#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <new>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
    __has_feature(memory_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#endif

#ifdef SANITIZED

void test::boundedMemory() {
  printf("# skipped: sanitizers have an operator new of their own\n");
}

#else

static size_t Now, Peak; // bytes that are allocated

// Instead of those of the library, for this whole program.
void *operator new(size_t Bytes) {
  void *P = std::malloc(Bytes ? Bytes : 1);
  if (!P)
    throw std::bad_alloc();
  Now += malloc_usable_size(P);
  Peak = std::max(Peak, Now);
  return P;
}
void operator delete(void *P) noexcept {
  Now -= P ? malloc_usable_size(P) : 0;
  std::free(P);
}
void operator delete(void *P, size_t) noexcept { operator delete(P); }

namespace test {

/// The most that a launch needs which does something so many times, each time
/// so many bytes behind the last one: at %d1, with %r1 that counts.
static size_t most(unsigned Times, unsigned Distance, const char *What) {
  Options O;
  O.Weak = true;
  O.MemoryBytes = 1 << 25;
  Rig R(
      kernel("k", "mov.u64 %d1, %p0; mov.u32 %r1, 0; l: " + std::string(What) +
                      " add.u64 %d1, %d1, %p1; add.u32 %r1, %r1, 1; cvt.u32."
                      "u64 %r3, %p2; setp.lt.u32 %q1, %r1, %r3; @%q1 bra l;"),
      O);
  Address To = R.zeros(size_t(Times) * Distance + 4);
  size_t Before = Now;
  Peak = Now;
  CHECK(!R.launch("k", {1}, {1}, {To, Distance, Times, 0}));
  return Peak - Before;
}

void boundedMemory() {
  const size_t Slack = 1 << 20; // of tables that grow by doubling
  for (const char *What :
       {"st.global.u32 [%d1], %r1;", "ld.global.u32 %r2, [%d1];"})
    CHECK(most(300000, 32, What) < most(100000, 32, What) + Slack);
  const char *Again = "st.global.u32 [%d1], %r1; membar.gl;";
  CHECK(most(100000, 0, Again) < most(10000, 0, Again) + Slack);
}

} // namespace test

#endif
