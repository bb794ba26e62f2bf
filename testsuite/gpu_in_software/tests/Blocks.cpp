// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that wait for one another, and what they see of each other's stores.

#include "Threads.h"

namespace test {

/// Block i waits for the flag of block i - 1, with all that make one wait.
void chains() {
  everyOrder([](Options O) {
    O.Blocks = Order::InOrder; // a block must not wait for a later one
    O.BlocksAtOnce = 1 + O.Seed % 5;
    Rig R(kernel("chain",
                 "setp.ne.u32 %q1, %t, 0; setp.eq.u32 %q2, %c, 0; mad.wide.u32 "
                 "%d1, %c, 4, %p1;\nor.pred %q3, %q1, %q2; @%q3 bra go;\nx: "
                 "ld.volatile.global.u32 %r1, [%d1+-4]; setp.ne.u32 %q4, %r1, "
                 "7; @%q4 bra x;\ngo: membar.gl; bar.sync 0;\nmad.wide.u32 "
                 "%d2, %c, 8, %p0; mov.u64 %d3, 1; @%q2 bra first;\n"
                 "ld.global.u64 %d3, [%d2+-8];\nfirst: bar.sync 0; @%q1 bra "
                 "end;\nmad.lo.u64 %d3, %d3, 3, 1; st.global.u64 [%d2], %d3;\n"
                 "end: membar.gl; bar.sync 0; @%q1 exit; "
                 "st.volatile.global.u32 [%d1], 7;"),
          O);
    const unsigned N = 30;
    Address To = R.M->allocate(N * 8), Flags = R.M->allocate(N * 4);
    R.M->fill(Flags, 0, N * 4);
    Fault F = R.launch("chain", {N}, {64}, {To, Flags, 0, 0});
    CHECK(!F);
    auto Out = R.get<uint64_t>(To, N);
    uint64_t Want = 1;
    for (unsigned I = 0; I < N; ++I) {
      Want = Want * 3 + 1;
      CHECK(Out[I] == Want);
    }
  });
  // Later blocks first: those that are resident wait for ever.
  Options O;
  O.Blocks = Order::Reverse;
  O.BlocksAtOnce = 2;
  Rig R(kernel("k", "mad.wide.u32 %d1, %c, 4, %p0; setp.eq.u32 %q1, %c, 0; "
                    "@%q1 bra y; x: ld.volatile.global.u32 %r1, [%d1+-4]; "
                    "setp.eq.u32 %q2, %r1, 0; @%q2 bra x; y: "
                    "st.volatile.global.u32 [%d1], 1;"),
        O);
  Address To = R.zeros(40);
  Fault F = R.launch("k", {10}, {1}, {To, 0, 0, 0});
  CHECK(F.Result == 702 && holds(F.Text, "8 blocks have not started"));
}

/// Block 0 stores data and then a flag; block 1 waits for it and reads the
/// data. How many seeds of a hundred see old data. Before: what block 1 does
/// first.
unsigned oldData(const std::string &Writer, const std::string &Reader,
                 bool Weak = true,
                 const std::string &Before =
                     "ld.global.u32 %r9, [%p0+4];") { // the data's line
  unsigned Old = 0;
  for (unsigned Seed = 1; Seed <= 100; ++Seed) {
    Options O;
    O.Seed = Seed;
    O.Weak = Weak;
    O.MemoryBytes = 1 << 20;
    Rig R(kernel("k", "setp.eq.u32 %q1, %c, 1; @%q1 bra read;\n"
                      "st.global.u32 [%p0], 5;\n" +
                          Writer +
                          "\nret;\n"
                          "read: " +
                          Before +
                          "\nx: ld.volatile.global.u32 %r1, [%p0+256];\n"
                          "setp.eq.u32 %q2, %r1, 0; @%q2 bra x;\n" +
                          Reader +
                          "\nld.global.u32 %r2, [%p0]; st.global.u32 "
                          "[%p0+512], %r2;"),
          O);
    Address To = R.zeros(1024);
    CHECK(!R.launch("k", {2}, {1}, {To, 0, 0, 0}));
    uint32_t Seen = R.get<uint32_t>(To + 512, 1)[0];
    CHECK(Seen == 0 || Seen == 5);
    Old += Seen == 0;
  }
  return Old;
}
void weakMemory() {
  const std::string Flag = "st.volatile.global.u32 [%p0+256], 1;";
  const std::string Fence = "membar.gl;";
  CHECK(oldData(Fence + Flag, Fence) == 0);
  CHECK(oldData("fence.acq_rel.gpu;" + Flag, "fence.acq_rel.gpu;") == 0);
  CHECK(oldData("membar.sys;" + Flag, "membar.sys;") == 0);
  CHECK(oldData("st.release.gpu.global.u32 [%p0+256], 1;",
                "ld.acquire.gpu.global.u32 %r3, [%p0+256];") == 0);
  CHECK(oldData("atom.release.gpu.global.exch.b32 %r3, [%p0+256], 1;", Fence) ==
        0);
  unsigned NoFenceAtAll = oldData(Flag, "");
  unsigned NotByWriter = oldData(Flag, Fence);
  unsigned NotByReader = oldData(Fence + Flag, "");
  unsigned TooNarrow = oldData("membar.cta;" + Flag, "membar.cta;");
  unsigned Late = oldData(Flag + Fence, Fence);
  unsigned Atomic = oldData("atom.global.exch.b32 %r3, [%p0+256], 1;", Fence);
  printf("# old data in %u %u %u %u %u %u of 100\n", NoFenceAtAll, NotByWriter,
         NotByReader, TooNarrow, Late, Atomic);
  CHECK(NoFenceAtAll && NotByWriter && NotByReader && TooNarrow && Late &&
        Atomic);
  CHECK(oldData(Flag, "", false) == 0);
  // Also of lines that the reader has never looked at.
  CHECK(oldData(Fence + Flag, "", true, "") > 0);
  CHECK(oldData(Fence + Flag, Fence, true, "") == 0);
  // A fence of one thread does not send off what another has stored, unless
  // they have met before: at a barrier, or by a flag with fences of the block.
  enum { Never, AtBarrier, AndStoredAgain, ByFence };
  for (int Met : {Never, AtBarrier, AndStoredAgain, ByFence}) {
    bool Barrier = Met == AtBarrier || Met == AndStoredAgain;
    unsigned Old = 0;
    for (unsigned Seed = 1; Seed <= 60; ++Seed) {
      Options O;
      O.Seed = Seed;
      O.Weak = true;
      O.MemoryBytes = 1 << 20;
      Rig R(".shared .b32 s;\n" +
                kernel("k",
                       "setp.eq.u32 %q1, %c, 1; @%q1 bra read;\nsetp.eq.u32 "
                       "%q2, %t, 0; @%q2 bra flag;\nst.global.u32 [%p0], 5;\n" +
                           std::string(Met == ByFence ? "membar.cta;" : "") +
                           "st.volatile.shared.u32 [s], 1; " +
                           (Barrier ? "barrier.sync 0;" : "") +
                           // in the same eight bytes
                           (Met == AndStoredAgain ? "st.global.u32 [%p0+4], 6;"
                                                  : "") +
                           "ret;\nflag: ld.volatile.shared.u32 %r1, [s]; "
                           "setp.ne.u32 %q2, %r1, 1; @%q2 bra flag;\n" +
                           (Barrier ? "barrier.sync 0;" : "") +
                           "membar.gl; st.volatile.global.u32 [%p0+256], 1; "
                           "ret;\nread: setp.ne.u32 %q2, %t, 0; @%q2 exit;\nx: "
                           "ld.volatile.global.u32 %r1, [%p0+256]; "
                           "setp.ne.u32 %q2, %r1, 1; @%q2 bra x;\nmembar.gl; "
                           "ld.global.u32 %r2, [%p0]; st.global.u32 [%p0+512], "
                           "%r2;"),
            O);
      Address To = R.zeros(1024);
      Fault F = R.launch("k", {2}, {2}, {To, 0, 0, 0});
      CHECK(!F);
      if (F)
        printf("# %s\n", F.Text.c_str());
      Old += R.get<uint32_t>(To + 512, 1)[0] == 0;
    }
    CHECK(Met == Never ? Old > 0 : Old == 0);
  }
}

/// However late stores are and however old loads: of one place nobody sees a
/// value and then one from before it, nor anything else than what it has
/// stored itself and nobody has since.
void coherence() {
  const std::string Count = // in one place, while others read it
      "setp.ne.u32 %q1, %c, 0; @%q1 bra read;\nmov.u32 %r1, 0; w: add.u32 "
      "%r1, %r1, 1; st.global.u32 [%p0], %r1; setp.lt.u32 %q1, %r1, 300; @%q1 "
      "bra w; ret;\nread: mov.u32 %r2, 0; mov.u32 %r5, 0; l: ld.global.u32 "
      "%r3, [%p0]; setp.lt.u32 %q2, %r3, %r2; @%q2 st.global.u32 [%p1], 1; "
      "mov.u32 %r2, %r3; add.u32 %r5, %r5, 1;";
  const std::string Own = // beside those of others
      "mad.wide.u32 %d1, %i, 4, %p0; mov.u32 %r5, 0; l: add.u32 %r5, %r5, 1; "
      "st.global.u32 [%d1], %r5; ld.global.u32 %r3, [%d1]; setp.ne.u32 %q2, "
      "%r3, %r5; @%q2 st.global.u32 [%p1], 1;";
  for (const std::string &Body : {Count, Own})
    for (const char *Between :
         {"", "membar.cta;", "ld.volatile.global.u32 %r2, [%p0];",
          "atom.global.add.u32 %r7, [%p0+16], 1;"})
      for (unsigned Seed = 1; Seed <= 50; ++Seed) {
        Options O;
        O.Seed = Seed;
        O.Weak = true;
        Rig R(kernel("k", Body + Between +
                              " setp.lt.u32 %q3, %r5, 200; @%q3 bra l;"),
              O);
        Address Of = R.zeros(256), Wrong = R.zeros(4);
        CHECK(!R.launch("k", {4}, {1}, {Of, Wrong, 0, 0}));
        CHECK(R.get<uint32_t>(Wrong, 1)[0] == 0);
      }
}

/// Blocks that look at a flag rest until it changes.
void resting() {
  Options O;
  O.BlocksAtOnce = 256;
  Rig R(kernel("k", "mad.wide.u32 %d1, %c, 4, %p0; x: "
                    "ld.volatile.global.u32 %r1, [%d1]; setp.eq.u32 %q2, %r1, "
                    "0; @%q2 bra x; st.volatile.global.u32 [%d1+4], 1;"),
        O);
  Address To = R.zeros(4 * 257);
  const uint32_t One = 1;
  R.M->write(To, &One, 4);
  CHECK(!R.launch("k", {256}, {1}, {To, 0, 0, 0}));
  CHECK(R.get<uint32_t>(To, 257)[256] == 1);
  // 4,608 that compute, and each look of a block; 20 times as many, else.
  CHECK(R.Executed < 30000);
  printf("# %llu instructions\n", (unsigned long long)R.Executed);
}

/// What looks like waiting and is not: reads of a flag, and updates, that find
/// what was there before.
void notWaiting() {
  for (const char *Body :
       {"ld.volatile.global.u32 %r2, [%p0];", "red.global.max.u32 [%p0], 0;",
        "mad.wide.u32 %d1, %r1, 4, %p0; ld.volatile.global.u32 %r2, [%d1];"})
    for (Order O1 : {Order::InOrder, Order::Random}) {
      Options O;
      O.Threads = O1;
      Rig R(kernel("k", "mov.u32 %r1, 0; x: " + std::string(Body) +
                            " add.u32 %r1, %r1, 1; setp.lt.u32 %q1, %r1, "
                            "10000; @%q1 bra x; st.global.u32 [%p1], 5;"),
            O);
      Address Of = R.zeros(40000), To = R.zeros(4);
      CHECK(!R.launch("k", {1}, {1}, {Of, To, 0, 0}));
      CHECK(R.get<uint32_t>(To, 1)[0] == 5);
    }
}

} // namespace test
