// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads and what they do together, under each order and with weak memory.

#include "Threads.h"
#include <algorithm>
#include <set>

using namespace test;

namespace {

void specialRegisters() {
  Rig R(kernel("k", "mov.u32 %r1, %tid.y; mov.u32 %r2, %tid.z;\n"
                    "mov.u32 %r3, %ntid.x; mov.u32 %r4, %ntid.y;\n"
                    "mov.u32 %r5, %ctaid.y; mov.u32 %r6, %ctaid.z;\n"
                    "mov.u32 %r7, %nctaid.x; mov.u32 %r8, %nctaid.y;\n"
                    // the number of the thread in the grid
                    "mad.lo.u32 %r6, %r6, %r8, %r5; mad.lo.u32 %r6, %r6, %r7, "
                    "%c;\nmov.u32 %r9, %ntid.z; mul.lo.u32 %r10, %r3, %r4;\n"
                    "mad.lo.u32 %r6, %r6, %r9, %r2; mad.lo.u32 %r6, %r6, %r4, "
                    "%r1;\nmad.lo.u32 %r6, %r6, %r3, %t;\n"
                    "mad.wide.u32 %d1, %r6, 16, %p0;\nst.global.u32 [%d1], %r6;"
                    "\nmov.u32 %r1, %laneid; st.global.u32 [%d1+4], %r1;\n"
                    "mov.u32 %r1, %lanemask_lt; st.global.u32 [%d1+8], %r1;\n"
                    "add.u32 %r1, %warpid, 100; st.global.u32 [%d1+12], %r1;"));
  const size_t N = size_t(3) * 2 * 4 * 5 * 2 * 7;
  Address To = R.M->allocate(N * 16);
  CHECK(!R.launch("k", {3, 2, 4}, {5, 2, 7}, {To, 0, 0, 0}));
  auto Out = R.get<uint32_t>(To, N * 4);
  for (size_t I = 0; I < N; ++I) {
    uint32_t T = static_cast<uint32_t>(I % 70), L = T % 32;
    CHECK(Out[4 * I] == I && Out[4 * I + 1] == L);
    CHECK(Out[4 * I + 2] == (1u << L) - 1 && Out[4 * I + 3] == 100 + T / 32);
  }
}

/// Sums over a block by halves, with a barrier between the steps.
std::string halves() {
  return ".shared .align 8 .b64 s[256];\n" +
         kernel(
             "sum",
             "mov.u64 %d1, s; mad.wide.u32 %d1, %t, 8, %d1;\ncvt.u64.u32 %d2, "
             "%i; st.shared.u64 [%d1], %d2; bar.sync 0;\nmov.u32 %r1, 128;\n"
             "again: setp.ge.u32 %q1, %t, %r1; @%q1 bra over;\nmad.wide.u32 "
             "%d3, "
             "%r1, 8, %d1;\nld.shared.u64 %d4, [%d3]; ld.shared.u64 %d5, "
             "[%d1];\n"
             "add.s64 %d5, %d5, %d4; st.shared.u64 [%d1], %d5;\nover: bar.sync "
             "0;"
             "\nshr.u32 %r1, %r1, 1; setp.ne.u32 %q1, %r1, 0; @%q1 bra again;\n"
             "ld.shared.u64 %d6, [s]; st.global.u64 [%o], %d6;");
}
void barriers() {
  everyOrder([](const Options &O) {
    Rig R(halves(), O);
    const unsigned Blocks = 7;
    Address To = R.M->allocate(Blocks * 256 * 8);
    CHECK(!R.launch("sum", {Blocks}, {256}, {To, 0, 0, 0}));
    auto Out = R.get<uint64_t>(To, Blocks * 256);
    for (uint64_t I = 0; I < Out.size(); ++I)
      CHECK(Out[I] == 256 * 255 / 2 + 256 * 256 * (I / 256));
    // Some threads leave: the others meet without them. A barrier with a count:
    // only one warp hands something on to another.
    Rig S(".shared .b32 s;\n" +
              kernel("leave", "setp.ge.u32 %q1, %t, 40; @%q1 exit; bar.sync 3; "
                              "st.global.u64 [%o], 1;") +
              kernel("hand",
                     "setp.ge.u32 %q1, %t, 64; @%q1 exit; setp.eq.u32 %q2, %t, "
                     "0; @%q2 st.shared.u32 [s], 77;\nbar.sync 1, 64; "
                     "ld.shared.u32 %r1, [s]; cvt.u64.u32 %d1, %r1; "
                     "st.global.u64 [%o], %d1;"),
          O);
    To = S.M->allocate(96 * 8);
    CHECK(!S.launch("leave", {1}, {64}, {To, 0, 0, 0}));
    CHECK(S.get<uint64_t>(To, 40)[39] == 1);
    CHECK(!S.launch("hand", {1}, {96}, {To, 0, 0, 0}));
    CHECK(S.get<uint64_t>(To, 64)[50] == 77);
  });
}

/// The text of the fault of a block of 64 threads.
std::string faultOf(const std::string &Body, int Result,
                    const std::string &Before = "", unsigned Threads = 64) {
  std::string Text;
  for (Order T :
       {Order::InOrder, Order::Reverse, Order::WarpByWarp, Order::Random}) {
    Options O;
    O.Threads = T;
    Rig R(Before + kernel("k", Body), O);
    Address To = R.M->allocate(4096);
    R.M->fill(To, 0, 4096);
    Fault F = R.launch("k", {2}, {Threads}, {To, 0, 0, 0});
    if (F.Result != Result)
      printf("# result %d, not %d: %s\n", F.Result, Result, F.Text.c_str());
    CHECK(F.Result == Result);
    Text = F.Text;
  }
  return Text;
}

void wrongBarriers() {
  CHECK(
      holds(faultOf("setp.lt.u32 %q1, %t, 32; @%q1 bra x; bar.sync 0; ret; x: "
                    "bar.sync 1;",
                    702),
            "wait for one another for ever"));
  CHECK(holds(faultOf("setp.lt.u32 %q1, %t, 7; @%q1 bra x; bar.sync 0; ret; x: "
                      "bar.sync 0;",
                      719),
              "threads of one warp meet at different instructions"));
  faultOf("setp.lt.u32 %q1, %t, 7; @%q1 bra x; barrier.sync 0; ret; x: "
          "barrier.sync 0;",
          0);
  CHECK(holds(faultOf("bar.sync 1, 96;", 702), "for ever"));
  CHECK(holds(faultOf("bar.sync 1, 33;", 719), "no whole warps"));
  CHECK(holds(faultOf("mov.u32 %r1, 16; bar.sync %r1;", 719), "barrier 16"));
  CHECK(holds(faultOf("setp.lt.u32 %q1, %t, 32; selp.u32 %r1, 64, 96, %q1; "
                      "bar.sync 0, %r1;",
                      719),
              "another number"));
  // Masks.
  CHECK(holds(faultOf("bar.warp.sync 0xFFFFFFFE;", 719), "the thread itself"));
  CHECK(holds(faultOf("setp.eq.u32 %q1, %t, 3; @%q1 exit; bar.warp.sync "
                      "0xFFFFFFFF;",
                      719),
              "over"));
  CHECK(holds(faultOf("and.b32 %r1, %t, 1; setp.eq.u32 %q1, %r1, 1; @%q1 bra x;"
                      "\nbar.warp.sync 0xFFFFFFFF; ret; x: shfl.sync.up.b32 "
                      "%r2, %r1, 1, 0, 0xFFFFFFFF;",
                      719),
              "another mask or for another operation"));
  CHECK(holds(faultOf("setp.lt.u32 %q1, %t, 1; @%q1 bra x; bar.warp.sync -1; "
                      "ret; x: bar.sync 0;",
                      702, "", 32),
              "for ever"));
  // The last warp of a block may be a part of one.
  faultOf("bar.warp.sync 0xFFFFFFFF;", 0, "", 40);
  // Nobody will set the flag; and nobody can, for no other block may start.
  CHECK(holds(faultOf("x: ld.volatile.global.u32 %r1, [%p0+64]; setp.eq.u32 "
                      "%q1, %r1, 0; @%q1 bra x;",
                      702),
              "that nobody makes"));
  CHECK(holds(faultOf("x: atom.global.cas.b32 %r1, [%p0+64], 1, 2; setp.ne.u32 "
                      "%q1, %r1, 1; @%q1 bra x;",
                      702),
              "that nobody makes"));
}

void collectives() {
  // Results of 32 lanes, with the lanes of Mask.
  everyOrder([](const Options &O) {
    const uint32_t Mask = 0x7FFF0FF3;
    auto run = [&](const std::string &Body) {
      Rig R(kernel("k", "mov.u32 %r1, 1; shl.b32 %r1, %r1, %t; and.b32 %r1, "
                        "%r1, 0x7FFF0FF3;\nsetp.eq.u32 %q1, %r1, 0; @%q1 exit;"
                        "\nmul.lo.u32 %r2, %t, 10; and.b32 %r3, %t, 4; "
                        "setp.ne.u32 %q2, %r3, 0; setp.ge.u32 %q4, %t, 0;\n" +
                            Body +
                            "\ncvt.u64.u32 %d1, %r5; selp.u64 %d2, 1, 0,"
                            " %q3;\nshl.b64 %d2, %d2, 40; or.b64 %d1, "
                            "%d1, %d2; st.global.u64 [%o], %d1;"),
            O);
      Address To = R.M->allocate(256);
      Fault F = R.launch("k", {1}, {32}, {To, 0, 0, 0});
      CHECK(!F);
      if (F)
        printf("# %s: %s\n", Body.c_str(), F.Text.c_str());
      return R.get<uint64_t>(To, 32);
    };
    auto expect = [&](const char *Body, auto Value, bool Flag) {
      auto Out = run(Body);
      for (unsigned L = 0; L < 32; ++L) {
        if (!(Mask >> L & 1))
          continue;
        bool P = false;
        uint32_t V = 0;
        Value(L, V, P);
        CHECK(static_cast<uint32_t>(Out[L]) == V);
        CHECK(!Flag || (Out[L] >> 40 & 1) == P);
      }
    };
    auto of = [&](unsigned From) {
      return Mask >> From & 1 ? From * 10 : 0xFBFBFBFB;
    };
    expect(
        "shfl.sync.up.b32 %r5|%q3, %r2, 3, 0, 0x7FFF0FF3;",
        [&](unsigned L, uint32_t &V, bool &P) {
          P = L >= 3;
          V = of(P ? L - 3 : L);
        },
        true);
    expect(
        "shfl.sync.down.b32 %r5|%q3, %r2, 5, 0x181F, 0x7FFF0FF3;",
        [&](unsigned L, uint32_t &V, bool &P) {
          P = L % 8 + 5 < 8; // segments of 8
          V = of(P ? L + 5 : L);
        },
        true);
    expect(
        "shfl.sync.bfly.b32 %r5|%q3, %r2, 9, 31, 0x7FFF0FF3;",
        [&](unsigned L, uint32_t &V, bool &P) {
          P = true;
          V = of(L ^ 9);
        },
        true);
    expect(
        "shfl.sync.idx.b32 %r5|%q3, %r2, 17, 0x0C1F, 0x7FFF0FF3;",
        [&](unsigned L, uint32_t &V, bool &P) {
          // Of segments of 20, the one of bits 2 and 3 of the lane.
          unsigned From = (L & 12) | (17 & ~12u & 31);
          P = From <= 31;
          V = of(From);
        },
        true);
    auto constant = [&](const char *Body, uint32_t Want, bool Flag = false) {
      expect(
          Body, [&](unsigned, uint32_t &V, bool &P) { V = Want, P = Flag; },
          Flag);
    };
    uint32_t Fours = Mask & 0xF0F0F0F0;
    constant("vote.sync.ballot.b32 %r5, %q2, 0x7FFF0FF3;", Fours);
    constant("vote.sync.ballot.b32 %r5, !%q2, 0x7FFF0FF3;", Mask & ~Fours);
    constant("vote.sync.any.pred %q5, %q2, 0x7FFF0FF3; selp.u32 %r5, 1, 0, "
             "%q5;",
             1);
    constant("vote.sync.all.pred %q5, %q2, 0x7FFF0FF3; selp.u32 %r5, 1, 0, "
             "%q5;",
             0);
    constant("vote.sync.all.pred %q5, %q4, 0x7FFF0FF3; selp.u32 %r5, 1, 0, "
             "%q5;",
             1);
    constant("vote.sync.uni.pred %q5, %q2, 0x7FFF0FF3; selp.u32 %r5, 1, 0, "
             "%q5;",
             0);
    expect(
        "activemask.b32 %r5;",
        [&](unsigned L, uint32_t &V, bool &) { V = 1u << L; }, false);
  });
}

void atomics() {
  struct {
    const char *Op;
    unsigned Bytes;
    uint64_t Begin, B, C, End;
  } Ops[] = {
      {"add.u32", 4, 0xFFFFFFFF, 2, 0, 1},
      {"add.s32", 4, 5, 0xFFFFFFFF, 0, 4},
      {"add.u64", 8, ~uint64_t(0), 2, 0, 1},
      {"min.u32", 4, 5, 0xFFFFFFFF, 0, 5},
      {"min.s32", 4, 5, 0xFFFFFFFF, 0, 0xFFFFFFFF},
      {"max.u32", 4, 5, 0xFFFFFFFF, 0, 0xFFFFFFFF},
      {"max.s32", 4, 5, 0xFFFFFFFF, 0, 5},
      {"min.u64", 8, 5, ~uint64_t(0), 0, 5},
      {"min.s64", 8, 5, ~uint64_t(0), 0, ~uint64_t(0)},
      {"max.u64", 8, 5, ~uint64_t(0), 0, ~uint64_t(0)},
      {"max.s64", 8, 5, ~uint64_t(0), 0, 5},
      {"and.b32", 4, 0xC, 0xA, 0, 0x8},
      {"or.b32", 4, 0xC, 0xA, 0, 0xE},
      {"xor.b32", 4, 0xC, 0xA, 0, 0x6},
      {"and.b64", 8, 0xC, 0xA, 0, 0x8},
      {"or.b64", 8, 0xC, 0xA, 0, 0xE},
      {"xor.b64", 8, 0xC, 0xA, 0, 0x6},
      {"exch.b32", 4, 1, 2, 0, 2},
      {"exch.b64", 8, 1, uint64_t(2) << 40, 0, uint64_t(2) << 40},
      {"cas.b32", 4, 1, 1, 9, 9},
      {"cas.b32", 4, 1, 2, 9, 1},
      {"cas.b64", 8, 1, 1, 9, 9},
      {"cas.b16", 2, 0x1234, 0x1234, 9, 9},
      {"inc.u32", 4, 7, 7, 0, 0},
      {"inc.u32", 4, 6, 7, 0, 7},
      {"dec.u32", 4, 0, 7, 0, 7},
      {"dec.u32", 4, 9, 7, 0, 7},
      {"dec.u32", 4, 3, 7, 0, 2},
      {"add.f32", 4, 0x3F800000, 0x3FC00000, 0, 0x40200000},
      {"add.f64", 8, 0x3FF0000000000000, 0x3FF8000000000000, 0,
       0x4004000000000000},
  };
  for (const char *Space : {"", ".global", ".shared"})
    for (const auto &Op : Ops) {
      std::string Bits = ".b" + std::to_string(8 * Op.Bytes);
      bool Shared = !strcmp(Space, ".shared"), Cas = !strncmp(Op.Op, "cas", 3);
      std::string At = Shared ? "s" : "%p0";
      std::string Body = "{ .reg " + Bits + " %a, %b, %v, %w;\nld.param" +
                         Bits + " %b, [k_1]; ld.param" + Bits +
                         " %v, [k_2]; ld.global" + Bits + " %w, [%p0];\n" +
                         (Shared ? "st.shared" + Bits + " [s], %w;\n" : "") +
                         "atom.relaxed.gpu" + Space + "." + Op.Op + " %a, [" +
                         At + "], %b" + (Cas ? ", %v" : "") + ";\n" +
                         (Shared ? "ld.shared" + Bits + " %w, [s]; st.global" +
                                       Bits + " [%p0], %w;\n"
                                 : "") +
                         "st.global" + Bits + " [%p0+8], %a;\n}";
      Rig R(".shared .align 8 .b64 s;\n" + kernel("k", Body));
      std::vector<uint64_t> Words = {Op.Begin, 0};
      Address To = R.put(Words);
      Fault F = R.launch("k", {1}, {1}, {To, Op.B, Op.C, 0});
      CHECK(!F);
      auto Out = R.get<uint64_t>(To, 2);
      if (Out[0] != Op.End || Out[1] != Op.Begin)
        printf("# atom%s.%s: %llx %llx %s\n", Space, Op.Op,
               static_cast<unsigned long long>(Out[0]),
               static_cast<unsigned long long>(Out[1]), F.Text.c_str());
      CHECK(Out[0] == Op.End && Out[1] == Op.Begin);
    }
  // No update of many threads is lost, by one instruction or by a lock.
  everyOrder([](const Options &O) {
    Rig R(kernel("add", "red.global.add.f64 [%p0], 0d3FF0000000000000;\n"
                        "atom.global.add.u32 %r1, [%p0+8], 3;\n"
                        "red.global.inc.u32 [%p0+24], 1000000;") +
              kernel("lock",
                     "x: atom.acquire.gpu.global.cas.b32 %r1, [%p0+12], 0, 1; "
                     "setp.ne.u32 %q1, %r1, 0; @%q1 bra x;\nld.global.u32 %r2, "
                     "[%p0+16]; add.u32 %r2, %r2, 1; st.global.u32 [%p0+16], "
                     "%r2;\nmembar.gl; atom.global.exch.b32 %r1, [%p0+12], 0;"),
          O);
    std::vector<uint64_t> Words(4);
    Address To = R.put(Words);
    CHECK(!R.launch("add", {6}, {64}, {To, 0, 0, 0}));
    CHECK(!R.launch("lock", {6}, {16}, {To, 0, 0, 0}));
    double Sum;
    auto Out = R.get<uint64_t>(To, 4);
    memcpy(&Sum, &Out[0], 8);
    CHECK(Sum == 384 && (Out[1] & 0xFFFFFFFF) == 3 * 384 && Out[3] == 384);
    CHECK(Out[2] == 96);
  });
}

void calls() {
  const std::string Text =
      ".func (.param .b64 r) fib(.param .b64 n) {\n.reg .b64 %x<6>; .reg .pred "
      "%p; .local .align 8 .b64 keep;\nld.param.b64 %x1, [n]; setp.lt.u64 %p, "
      "%x1, 2; @%p bra small;\nst.local.u64 [keep], %x1;\n{ .param .b64 a, b; "
      "sub.s64 %x2, %x1, 1; st.param.b64 [a], %x2; call.uni (b), fib, (a); "
      "ld.param.b64 %x3, [b]; }\nld.local.u64 %x1, [keep];\n{ .param .b64 a, "
      "b; "
      "sub.s64 %x2, %x1, 2; st.param.b64 [a], %x2; call.uni (b), fib, (a); "
      "ld.param.b64 %x4, [b]; }\nadd.s64 %x1, %x3, %x4;\nsmall: st.param.b64 "
      "[r], %x1; ret;\n}\n"
      ".func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 v[16]) {\n"
      ".reg .b64 %x<4>; mov.u64 %x3, v; ld.param.v2.b64 {%x1, %x2}, [v]; "
      "ld.param.b64 %x1, [%x3]; ld.local.b64 %x2, [%x3+8];\nst.param.v2.b64 "
      "[r], {%x2, %x1}; ret;\n}\n"
      ".func (.param .b64 r) plus(.param .b64 a) { .reg .b64 %x; ld.param.b64 "
      "%x, [a]; add.s64 %x, %x, 9; st.param.b64 [r], %x; ret; }\n"
      ".func (.param .b64 r) times(.param .b64 a) { .reg .b64 %x; ld.param.b64 "
      "%x, [a]; mul.lo.s64 %x, %x, 9; st.param.b64 [r], %x; ret; }\n"
      ".global .align 8 .u64 both[2] = {plus, times};\n" +
      kernel("recursive",
             "{ .param .b64 a, b; cvt.u64.u32 %d1, %t; st.param.b64 [a], %d1; "
             "call.uni (b), fib, (a); ld.param.b64 %d1, [b]; }\nst.global.u64 "
             "[%o], %d1;") +
      kernel("values",
             "cvt.u64.u32 %d1, %t; add.u64 %d2, %d1, 100;\n{ .param .align 8 "
             ".b8 a[16]; .param .align 8 .b8 b[16]; st.param.b64 [a+0], %d1; "
             "st.param.b64 [a+8], %d2;\ncall (b), swap, (a); ld.param.b64 %d3, "
             "[b+0]; ld.param.b64 %d4, [b+8]; }\nmad.lo.s64 %d3, %d3, 1000, "
             "%d4; st.global.u64 [%o], %d3;") +
      kernel("indirect",
             "and.b32 %r1, %t, 1; mov.u64 %d1, both; mad.wide.u32 %d1, %r1, 8, "
             "%d1; ld.global.u64 %d1, [%d1];\n{ .param .b64 a, b; cvt.u64.u32 "
             "%d2, %t; st.param.b64 [a], %d2; proto: .callprototype (.param "
             ".b64 _) _ (.param .b64 _);\ncall (b), %d1, (a), proto; "
             "ld.param.b64 %d2, [b]; }\nst.global.u64 [%o], %d2;") +
      kernel("table",
             "T: .branchtargets A, B, C; and.b32 %r1, %t, 3; setp.gt.u32 %q1, "
             "%r1, 2; @%q1 bra D; brx.idx %r1, T;\nA: mov.u64 %d1, 10; bra E; "
             "B: mov.u64 %d1, 11; bra E; C: mov.u64 %d1, 12; bra E;\nD: "
             "mov.u64 %d1, 13;\nE: st.global.u64 [%o], %d1;");
  everyOrder([&](const Options &O) {
    Rig R(Text, O);
    const unsigned N = 12;
    Address To = R.M->allocate(N * 8);
    auto of = [&](const char *Name) {
      Fault F = R.launch(Name, {1}, {N}, {To, 0, 0, 0});
      if (F)
        printf("# %s\n", F.Text.c_str());
      CHECK(!F);
      return R.get<uint64_t>(To, N);
    };
    auto Fib = of("recursive"), Values = of("values"), Both = of("indirect"),
         Table = of("table");
    for (uint64_t I = 0, A = 0, B = 1; I < N; ++I, B += A, A = B - A) {
      CHECK(Fib[I] == A && Values[I] == (I + 100) * 1000 + I);
      CHECK(Both[I] == (I % 2 ? I * 9 : I + 9) && Table[I] == 10 + I % 4);
    }
  });
}

void printing() {
  std::string Format = "%d %5.2f|%s|%c %llu %x %% %-4u|%*d\n";
  auto bytes = [](const std::string &Name, const std::string &Text) {
    std::string S = ".global .align 1 .b8 " + Name + "[" +
                    std::to_string(Text.size() + 1) + "] = {";
    for (char C : Text)
      S += std::to_string(static_cast<int>(C)) + ", ";
    return S + "0};\n";
  };
  const std::string Text =
      ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
      ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, "
      ".param .b64 d, .param .b64 e);\n" +
      bytes("format", Format) + bytes("word", "word") +
      bytes("claim", "x > 0") + bytes("file", "f.c") + bytes("name", "fn") +
      kernel("say",
             ".local .align 8 .b8 buf[80]; mov.u64 %d1, buf; cvta.local.u64 "
             "%d1, %d1; neg.s32 %r1, %i;\nst.u32 [%d1], %r1; mov.f64 %g1, "
             "0d400921FB54442D18; st.f64 [%d1+8], %g1; mov.u64 %d2, word; "
             "st.u64 [%d1+16], %d2;\nst.u32 [%d1+24], 65; st.u64 [%d1+32], -1; "
             "st.u32 [%d1+40], 255; st.u32 [%d1+44], 7; st.u32 [%d1+48], 3; "
             "st.u32 [%d1+52], 8;\n{ .param .b64 a, b; .param .b32 r; mov.u64 "
             "%d3, format; st.param.b64 [a], %d3; st.param.b64 [b], %d1; "
             "call.uni (r), vprintf, (a, b); ld.param.b32 %r2, [r]; }\n"
             "cvt.u64.u32 %d4, %r2; st.global.u64 [%o], %d4;") +
      kernel(
          "claim_it",
          "setp.ne.u32 %q1, %t, 5; @%q1 exit;\n{ .param .b64 a, b, d, e; "
          ".param .b32 c; mov.u64 %d1, claim; st.param.b64 [a], %d1; mov.u64 "
          "%d1, file; st.param.b64 [b], %d1; st.param.b32 [c], 12;\nmov.u64 "
          "%d1, name; st.param.b64 [d], %d1; st.param.b64 [e], 1; call.uni "
          "__assertfail, (a, b, c, d, e); }");
  Options O;
  O.Threads = Order::InOrder;
  Rig R(Text, O);
  Address To = R.M->allocate(8 * 64);
  CHECK(!R.launch("say", {1}, {3}, {To, 0, 0, 0}));
  std::string Want;
  for (int I = 0; I < 3; ++I)
    Want += (I ? "-" : "") + std::to_string(I) +
            "  3.14|word|A 18446744073709551615 ff % 7   |  8\n";
  CHECK(R.M->takeOutput() == Want && R.M->takeOutput().empty());
  CHECK(R.get<uint64_t>(To, 1)[0] == 9);
  R.M->PrintfBytes = 100;
  CHECK(!R.launch("say", {1}, {3}, {To, 0, 0, 0}));
  CHECK(R.M->takeOutput() == Want.substr(0, Want.rfind('\n', 99) + 1));
  Fault F = R.launch("claim_it", {1}, {8}, {To, 0, 0, 0});
  CHECK(F.Result == 710 && holds(F.Text, "f.c:12: fn: block: [0,0,0], thread: "
                                         "[5,0,0] Assertion `x > 0` failed."));
  CHECK(holds(R.M->takeOutput(), "Assertion"));
}

/// A kernel goes on step by step; two of them side by side.
void steps() {
  Rig R(kernel("k", "mov.u32 %r1, 0; x: add.u32 %r1, %r1, 1; setp.lt.u32 %q1, "
                    "%r1, 10000; @%q1 bra x; st.global.u64 [%o], %p1;"));
  Address A = R.M->allocate(8), B = R.M->allocate(8);
  uint64_t Pa[4] = {A, 1, 0, 0}, Pb[4] = {B, 2, 0, 0};
  Fault F;
  auto Ra = R.M->launch(*R.Mod, 0, {}, {}, 0, Pa, F);
  auto Rb = R.M->launch(*R.Mod, 0, {}, {}, 0, Pb, F);
  CHECK(!Ra->step(1000) && Ra->executed() >= 1000 && Ra->executed() < 2000);
  CHECK(!Rb->step(1000) && !Ra->step(1000));
  while (!Ra->step(700) || !Rb->step(900))
    ;
  CHECK(Ra->executed() > 30000 && Ra->executed() < 31000);
  CHECK(Ra->step(1) && !Ra->fault());
  CHECK(R.get<uint64_t>(A, 1)[0] == 1 && R.get<uint64_t>(B, 1)[0] == 2);
}

/// The same seed, the same order; others, others.
void seeds() {
  std::set<std::vector<uint64_t>> Seen;
  for (unsigned Seed = 0; Seed < 20; ++Seed) {
    std::vector<uint64_t> First;
    for (unsigned Again = 0; Again < 2; ++Again) {
      Options O;
      O.Seed = Seed % 10;
      O.Blocks = Order::Random;
      Rig R(kernel("k", "atom.global.add.u32 %r1, [%p1], 1; cvt.u64.u32 %d1, "
                        "%r1; st.global.u64 [%o], %d1;"),
            O);
      Address To = R.M->allocate(8 * 96), Count = R.M->allocate(4);
      R.M->fill(Count, 0, 4);
      CHECK(!R.launch("k", {6}, {16}, {To, Count, 0, 0}));
      auto Out = R.get<uint64_t>(To, 96);
      Seen.insert(Out);
      if (Again)
        CHECK(Out == First);
      First = Out;
      std::sort(Out.begin(), Out.end());
      CHECK(Out[0] == 0 && Out[95] == 95);
    }
  }
  CHECK(Seen.size() == 10);
}

const Case Cases[] = {
    {"special registers", specialRegisters},
    {"barriers", barriers},
    {"wrong barriers and masks", wrongBarriers},
    {"collectives", collectives},
    {"atomics", atomics},
    {"chains of blocks", chains},
    {"weak memory", weakMemory},
    {"coherence", coherence},
    {"bounded memory", boundedMemory},
    {"resting", resting},
    {"what does not wait", notWaiting},
    {"calls", calls},
    {"printing", printing},
    {"steps", steps},
    {"seeds", seeds},
};

} // namespace

int main() { return runAll(Cases); }
