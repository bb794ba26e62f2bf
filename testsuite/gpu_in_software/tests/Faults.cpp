// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device refuses: texts, links, launches and accesses.

#include "Test.h"
#include <algorithm>

using namespace test;

namespace {

/// The log of a text that is not to load.
std::string refused(const std::vector<std::string> &Texts) {
  auto M = Machine::create(Options());
  std::string Log;
  std::vector<std::string> All;
  for (const std::string &T : Texts)
    All.push_back(Head + T);
  auto Mod = M->load(All, Log);
  CHECK(!Mod);
  CHECK(M->used() == 0);
  return Log;
}
std::string refused(const std::string &Text) {
  return refused(std::vector<std::string>{Text});
}
/// Of a kernel with these instructions, which begin at line 21 of the text.
std::string refusedBody(const std::string &Body) {
  return refused(kernel("k", Body));
}

void texts() {
  CHECK(holds(refusedBody("frob.u32 %r1, %r2;"), "line 21"));
  CHECK(holds(refusedBody("frob.u32 %r1, %r2;"),
              "unknown instruction 'frob.u32'"));
  CHECK(holds(refusedBody("add.ftz.u32 %r1, %r2, 3;"), "'add.ftz.u32'"));
  CHECK(holds(refusedBody("add.rn.rz.f32 %f1, %f2, %f3;"), "'add.rn.rz.f32'"));
  CHECK(holds(refusedBody("add.u32 %r1, %r2;"), "operands"));
  CHECK(holds(refusedBody("add.u32 %r1, %d2, 3;"), "'%d2' does not fit"));
  CHECK(holds(refusedBody("add.u32 %r1, %nope, 3;"), "'%nope'"));
  CHECK(holds(refusedBody("add.u32 3, %r1, 3;"), "result"));
  CHECK(holds(refusedBody("mov.b64 %d1, nothing;"), "'nothing'"));
  CHECK(holds(refusedBody("bra nowhere;"), "label 'nowhere'"));
  CHECK(holds(refusedBody("x: x: ret;"), "label 'x' stands twice"));
  CHECK(holds(refusedBody(".reg .b32 %t;"), "'%t' is declared twice"));
  CHECK(holds(refusedBody("@%r1 bra x; x:"), "predicate"));
  CHECK(holds(refusedBody("call nothing;"), "'nothing' is no function"));
  CHECK(holds(refusedBody("ld.param.u64 %d1, [k_0+8];"), "beyond the end"));
  CHECK(holds(refusedBody("ld.param.u32 %r1, [k_0+2];"), "misaligned"));
  CHECK(holds(refusedBody("ld.global.v2.b32 {%r1}, [%p0];"), "vector"));
  CHECK(holds(refusedBody("add.f32 %f1, %f2, 1;"), "integer"));
  CHECK(holds(refusedBody("nothing;"), "unknown instruction"));
  CHECK(holds(refusedBody(".what 3;"), "unknown directive '.what'"));
  CHECK(holds(refused(".visible .entry k() {"), "has no end"));
  CHECK(holds(refused(".global .b32 x[2] = {1, 2, 3};"), "more initialisers"));
  CHECK(holds(refused(".global .b32 x = y;"), "unknown name 'y'"));
  CHECK(holds(refused(".global .b64 x[99999999999999];"), "too large"));
  CHECK(holds(refused(".shared .b64 x[8000];" + kernel("k", "mov.u64 %d1, x;")),
              "too much shared data"));
  CHECK(holds(
      refused(".func f(.param .b32 a) { ret; }" + kernel("k", "call f, ();")),
      "parameters"));
  std::string Log;
  auto M = Machine::create(Options());
  CHECK(!M->load({""}, Log) && holds(Log, ".version"));
  CHECK(!M->load({}, Log) || true);
}

/// No text, however broken, is more than an error or a fault.
void brokenTexts() {
  const std::string Good =
      std::string(Head) +
      ".extern .shared .align 16 .b8 dyn[];\n.global .align 8 .u64 t[3] = "
      "{generic(t)+8, 0xFF(t), -1};\n.func (.param .b32 r) f(.param .b64 a) {\n"
      ".local .align 8 .b8 depot[16];\n.reg .b64 %x;\nmov.u64 %x, depot;\n"
      "st.local.u32 [%x+4], 5;\nst.param.b32 [r+0], 7;\nret;\n}\n" +
      kernel("k", "{ .reg .b32 tmp; .param .b64 p; .param .b32 r;\n"
                  "st.param.b64 [p], %p1;\ncall.uni (r), f, (p);\n"
                  "ld.param.b32 tmp, [r]; }\nmov.b64 {%r1, %r2}, %p0;\n"
                  "L: .branchtargets A, B;\nbrx.idx %t, L;\nA: bar.sync 0;\n"
                  "B: atom.global.add.u32 %r3, [%p0], 1;\n"
                  "@!%q1 st.global.v2.u32 [%o], {%r1, %r2};\n"
                  "shfl.sync.up.b32 %r4|%q1, %r1, 1, 0, -1;");
  Options O;
  O.MostInstructions = 5000;
  O.MemoryBytes = 1 << 24;
  auto M = Machine::create(O);
  std::string Log;
  CHECK(M->load({Good}, Log));
  const char *Pieces[] = {"{",    "}",  "(",  ")",     "[",    "]",   ";",
                          ",",    ".",  "%",  "@",     "0x",   "<9>", "<",
                          "-",    "\"", "/*", ".v4",   ".b64", "%p0", "k",
                          "f",    "0f", ":",  "9e999", "!",    "|",   ".param",
                          ".reg", "\0", "%t", "_"};
  uint64_t State = 11;
  auto draw = [&](size_t N) {
    State = State * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(State >> 33) % N;
  };
  unsigned Loaded = 0;
  for (unsigned I = 0; I < 3000; ++I) {
    std::string Text = Good;
    for (size_t N = draw(3) + 1; N; --N) {
      size_t At = draw(Text.size());
      switch (draw(3)) {
      case 0:
        Text.erase(At, draw(12));
        break;
      case 1:
        Text.insert(At, Pieces[draw(sizeof Pieces / sizeof *Pieces)]);
        break;
      default:
        Text[At] = static_cast<char>(draw(256));
      }
    }
    if (I % 8 == 0)
      Text.resize(draw(Text.size()));
    auto Mod = M->load({Text}, Log);
    if (!Mod)
      continue;
    // And what loads all the same can be run.
    ++Loaded;
    int Kernel = Mod->kernel("k");
    uint64_t Params[64] = {};
    Fault F;
    if (Kernel < 0 || Mod->info(Kernel).ParamBytes > sizeof Params)
      continue;
    if (auto R = M->launch(*Mod, Kernel, {2}, {33}, 16, Params, F))
      while (!R->step(1000))
        ;
  }
  CHECK(Loaded > 0 && Loaded < 2500);
  CHECK(M->used() == 0);
}

void linking() {
  const std::string Uses =
      ".extern .func (.param .b64 r) twice(.param .b64 a);\n"
      ".extern .global .align 8 .u64 shared_word;\n"
      ".func (.param .b64 r) own(.param .b64 a) { .reg .b64 %x; "
      "ld.param.b64 %x, [a]; add.s64 %x, %x, 1; st.param.b64 [r], %x; ret; "
      "}\n" +
      kernel("k", "{ .param .b64 a, r; st.param.b64 [a], %p1;\n"
                  "call (r), twice, (a);\nld.param.b64 %d1, [r];\n"
                  "call (r), own, (a);\nld.param.b64 %d2, [r]; }\n"
                  "ld.global.u64 %d3, [shared_word];\nadd.s64 %d1, %d1, %d3;\n"
                  "mad.lo.s64 %d1, %d2, 1000, %d1;\nst.global.u64 [%o], %d1;");
  const std::string Defines =
      ".visible .global .align 8 .u64 shared_word = 500;\n"
      ".func (.param .b64 r) own(.param .b64 a) { .reg .b64 %x; "
      "ld.param.b64 %x, [a]; st.param.b64 [r], %x; ret; }\n"
      ".visible .func (.param .b64 r) twice(.param .b64 a) { .reg .b64 %x; "
      ".param .b64 b, s; ld.param.b64 %x, [a]; st.param.b64 [b], %x;\n"
      "call (s), own, (b); ld.param.b64 %x, [s]; add.s64 %x, %x, %x;\n"
      "st.param.b64 [r], %x; ret; }\n";
  for (bool Turned : {false, true}) {
    auto M = Machine::create(Options());
    std::string Log;
    std::vector<std::string> Texts = {Head + Uses, Head + Defines};
    if (Turned)
      std::swap(Texts[0], Texts[1]);
    auto Mod = M->load(Texts, Log);
    CHECK(Mod);
    if (!Mod)
      return;
    Address To = M->allocate(8);
    uint64_t Params[4] = {To, 20, 0, 0}, Got = 0;
    Fault F;
    auto R = M->launch(*Mod, Mod->kernel("k"), {}, {}, 0, Params, F);
    while (!R->step(1000))
      ;
    CHECK(!R->fault());
    CHECK(!M->read(&Got, To, 8) && Got == 21540);
    Address At;
    size_t Bytes;
    CHECK(Mod->global("shared_word", At, Bytes) && Bytes == 8);
    CHECK(!Mod->global("own", At, Bytes));
    Mod.reset();
    CHECK(M->used() == 8);
  }
  CHECK(holds(refused({Uses}), "twice"));
  CHECK(holds(refused({Uses, Defines, Defines}), "in two of the texts"));
  // A weak one gives way.
  Rig R(".weak .global .u32 w = 1;\n" +
        kernel("k", "ld.global.u32 %r1, [w]; st.global.u32 [%o], %r1;"));
  Address To = R.M->allocate(8);
  CHECK(!R.launch("k", {1}, {1}, {To, 0, 0, 0}));
  CHECK(R.get<uint32_t>(To, 1)[0] == 1);
  CHECK(R.Mod->kernel("nothing") == -1);
}

/// Variables, initialisers and where they lie.
void variables() {
  Rig R(".global .align 4 .b8 bytes[8] = {1, 2, 255};\n"
        ".global .align 8 .u64 links[3] = {generic(bytes)+4, bytes, 7};\n"
        ".global .f32 f = 0f3FC00000;\n.const .align 4 .u32 c[2] = {11, 12};\n"
        ".global .align 1 .b8 split[4] = {0xFF(links), 0xFF00(links), "
        "0xFF0000(links), 9};\n.shared .align 8 .b64 s;\n" +
        kernel("k", "ld.global.u64 %d1, [links];\nld.global.u64 %d2, "
                    "[links+8];\nsub.s64 %d1, %d1, %d2;\nst.global.u64 [%p0], "
                    "%d1;\nld.u8 %h1, [%d2+2];\nst.global.u8 [%p0+8], %h1;\n"
                    "ld.const.u32 %r1, [c+4];\nst.global.u32 [%p0+12], %r1;\n"
                    "mov.u64 %d3, c;\nld.const.u32 %r1, [%d3];\n"
                    "ld.global.f32 %f1, [f];\nst.global.f32 [%p0+16], %f1;\n"
                    "isspacep.shared %q1, %d2;\nselp.u32 %r2, 1, 0, %q1;\n"
                    "mov.u64 %d4, s;\ncvta.shared.u64 %d4, %d4;\n"
                    "isspacep.shared %q1, %d4;\nselp.u32 %r3, 1, 0, %q1;\n"
                    "st.u64 [%d4], %d3;\nld.shared.u64 %d5, [s];\n"
                    "setp.eq.u64 %q2, %d5, %d3;\nselp.u32 %r4, 1, 0, %q2;\n"
                    "st.global.v2.u32 [%p0+24], {%r2, %r3};\n"
                    "st.global.u32 [%p0+20], %r4;\n"
                    "mov.u64 %d6, links;\nst.global.u64 [%p0+32], %d6;"));
  Address To = R.M->allocate(40);
  CHECK(!R.launch("k", {1}, {1}, {To, 0, 0, 0}));
  auto Out = R.get<unsigned char>(To, 40);
  uint32_t W[10];
  memcpy(W, Out.data(), 40);
  CHECK(W[0] == 4 && W[1] == 0 && Out[8] == 255 && W[3] == 12);
  CHECK(W[4] == 0x3FC00000 && W[5] == 1 && W[6] == 0 && W[7] == 1);
  Address Links, Split;
  size_t Bytes;
  CHECK(R.Mod->global("links", Links, Bytes) && Bytes == 24);
  CHECK(R.Mod->global("split", Split, Bytes) && Bytes == 4);
  uint64_t Seen;
  memcpy(&Seen, &Out[32], 8);
  CHECK(Seen == Links);
  auto Parts = R.get<unsigned char>(Split, 4);
  CHECK(Parts[0] == (Links & 255) && Parts[1] == (Links >> 8 & 255) &&
        Parts[2] == (Links >> 16 & 255) && Parts[3] == 9);
  const KernelInfo &I = R.Mod->info(R.Mod->kernel("k"));
  CHECK(I.ParamBytes == 32 && I.ParamOffsets.size() == 4 &&
        I.ParamOffsets[3] == 24 && I.ParamSizes[3] == 8);
  CHECK(I.SharedBytes == 8 && I.MaxThreads == 1024);
}

Fault refusal(Rig &R, Dim3 Grid, Dim3 Block, size_t Shared = 0,
              const char *Kernel = "k") {
  return R.launch(Kernel, Grid, Block, {0, 0, 0, 0}, Shared);
}
void launches() {
  Rig R(kernel("k", "") + kernel("m", "", ".maxntid 64, 1, 1") +
        kernel("r", "", ".reqntid 32, 2, 1"));
  CHECK(!refusal(R, {1, 2, 3}, {4, 5, 6}));
  CHECK(!refusal(R, {1}, {1024}));
  for (Dim3 D : {Dim3{0, 1, 1}, Dim3{1, 0, 1}, Dim3{1, 1, 0}}) {
    CHECK(refusal(R, D, {1}).Result == 1);
    CHECK(refusal(R, {1}, D).Result == 1);
  }
  CHECK(refusal(R, {1}, {1025}).Result == 1);
  CHECK(refusal(R, {1}, {512, 4}).Result == 1);
  CHECK(refusal(R, {1}, {1, 1, 65}).Result == 1);
  CHECK(refusal(R, {1, 65536}, {1}).Result == 1);
  CHECK(refusal(R, {1}, {1}, 228 * 1024).Result == 1);
  CHECK(!refusal(R, {1}, {1}, 48 * 1024));
  CHECK(!refusal(R, {1}, {64}, 0, "m") &&
        refusal(R, {1}, {65}, 0, "m").Result == 1);
  CHECK(!refusal(R, {1}, {32, 2}, 0, "r") &&
        refusal(R, {1}, {64}, 0, "r").Result == 1);
  CHECK(R.Mod->info(R.Mod->kernel("m")).MaxThreads == 64);
}

/// Runs one thread; the text of its fault.
std::string fault(const std::string &Body, int Result,
                  const std::vector<uint64_t> &More = {0, 0, 0},
                  const std::string &Before = "", Options O = Options()) {
  Rig R(Before + kernel("k", Body), O);
  Address To = R.M->allocate(80);
  Fault F = R.launch("k", {2}, {2}, {To, More[0], More[1], More[2]});
  if (F.Result != Result)
    printf("# result %d, not %d: %s %s\n", F.Result, Result, Body.c_str(),
           F.Text.c_str());
  CHECK(F.Result == Result);
  return F.Text;
}

void accesses() {
  int OnHost = 5;
  uint64_t Host = reinterpret_cast<uint64_t>(&OnHost);
  std::string T = fault("ld.global.u32 %r1, [%p1];", 700, {Host, 0, 0});
  CHECK(holds(T, "kernel 'k', line 21 (ld.global.u32 %r1, [%p1]), block (0, 0, "
                 "0), thread ("));
  CHECK(holds(T, "reads 4 bytes") && holds(T, "an address of the host"));
  CHECK(holds(fault("st.u32 [%p1], %r1;", 700, {Host, 0, 0}), "of the host"));
  CHECK(holds(fault("ld.u64 %d1, [%p1];", 700), "a null pointer"));
  CHECK(holds(fault("ld.global.u32 %r1, [%p0+80];", 700),
              "0 bytes behind an allocation of 80 bytes"));
  CHECK(holds(fault("st.global.u32 [%p0+-4], 0;", 700),
              "4 bytes before an allocation of 80 bytes"));
  CHECK(holds(fault("ld.global.u64 %d1, [%p0+76];", 700), "near the end"));
  CHECK(holds(fault("atom.global.add.u32 %r1, [%p0+400], 1;", 700),
              "updates 4 bytes"));
  CHECK(holds(fault("ld.global.u32 %r1, [%p0+2];", 716), "misaligned"));
  CHECK(
      holds(fault("ld.global.v2.u32 {%r1, %r2}, [%p0+4];", 716), "misaligned"));
  CHECK(holds(fault("st.shared.u32 [%p0], 0;", 717), "shared memory"));
  CHECK(holds(fault("ld.local.u32 %r1, [%p0];", 717), "local memory"));
  CHECK(holds(fault("mov.u64 %d1, s; cvta.shared.u64 %d1, %d1;"
                    "ld.global.u32 %r1, [%d1];",
                    717, {0, 0, 0}, ".shared .b32 s;"),
              "generic address of shared memory"));
  CHECK(holds(fault("mov.u64 %d1, s; ld.shared.u32 %r1, [%d1+4];", 700,
                    {0, 0, 0}, ".shared .b32 s;"),
              "shared memory of 4 bytes"));
  CHECK(holds(fault("mov.u64 %d1, 0; ld.shared.u32 %r1, [%d1];", 700),
              "shared memory"));
  CHECK(holds(fault(".local .b64 v; mov.u64 %d1, v; ld.local.u32 %r1, "
                    "[%d1+4096];",
                    700),
              "in use"));
  CHECK(holds(fault(".local .b64 v; mov.u64 %d1, v; cvta.local.u64 %d1, %d1; "
                    "atom.add.u32 %r1, [%d1], 1;",
                    717),
              "no atomics"));
  CHECK(holds(fault("ld.const.u32 %r1, [%p0];", 717), "constant memory"));
  CHECK(holds(fault("mov.u64 %d1, k_0; cvta.param.u64 %d1, %d1; st.u32 [%d1], "
                    "0;",
                    700),
              "only be read"));
  CHECK(holds(fault("mov.u64 %d1, k_0; ld.param.u32 %r1, [%d1+32];", 700),
              "parameters of 32 bytes"));
  // Freed memory, and that of another machine.
  Rig R(kernel("k", "ld.global.u32 %r1, [%p0];"));
  Address To = R.M->allocate(64);
  CHECK(!R.launch("k", {1}, {1}, {To, 0, 0, 0}));
  CHECK(R.M->release(To) && !R.M->release(To) && !R.M->release(To + 4));
  Fault F = R.launch("k", {1}, {1}, {To, 0, 0, 0});
  CHECK(F.Result == 700 && holds(F.Text, "in freed memory"));
  auto Other = Machine::create(Options());
  F = R.launch("k", {1}, {1}, {Other->allocate(64), 0, 0, 0});
  CHECK(F.Result == 700 && holds(F.Text, "no address of this device"));
}

void otherFaults() {
  CHECK(holds(fault("trap;", 719), "trap"));
  CHECK(holds(fault("mov.u64 %d1, %p0; call %d1, (), proto;\n"
                    "proto: .callprototype _ ();",
                    718),
              "no address of a function"));
  CHECK(holds(fault("mov.u64 %d1, f; { .param .b32 a; call %d1, (a), proto; }\n"
                    "proto: .callprototype _ (.param .b32 _);",
                    718, {0, 0, 0}, ".func f() { ret; }\n"),
              "function 'f'"));
  CHECK(holds(fault("L: .branchtargets A, B; mov.u32 %r1, 2; brx.idx %r1, L; "
                    "A: B:",
                    718),
              "beyond the 2 branch targets"));
  CHECK(holds(fault("call f;", 714, {0, 0, 0},
                    ".func f() { .local .b8 v[40]; call f; ret; }\n"),
              "stack of"));
  Options O;
  O.MostInstructions = 5000;
  CHECK(holds(fault("x: add.u32 %r1, %r1, 1; bra x;", 702, {0, 0, 0}, "", O),
              "instructions"));
  // Reads of what was never written, in each space.
  O = Options();
  O.Uninitialised = 2;
  CHECK(holds(fault("ld.global.u32 %r1, [%p0];", 719, {0, 0, 0}, "", O),
              "never written"));
  CHECK(holds(
      fault("ld.shared.u32 %r1, [s];", 719, {0, 0, 0}, ".shared .b32 s;", O),
      "never written"));
  CHECK(holds(
      fault(".local .b32 v; ld.local.u32 %r1, [v];", 719, {0, 0, 0}, "", O),
      "never written"));
  O.Uninitialised = 1;
  fault(".local .b32 v; ld.local.u32 %r1, [v];", 0, {0, 0, 0}, "", O);
  O.Uninitialised = 2;
  fault(".local .b32 v; st.local.u32 [v], 1; ld.local.u32 %r1, [v];\n"
        "st.shared.u32 [s], 1; ld.shared.u32 %r1, [s]; st.u8 [%p0], %h1;\n"
        "ld.u32 %r1, [%p0]; ld.global.u32 %r1, [w];",
        0, {0, 0, 0}, ".shared .b32 s; .global .b32 w;", O);
  // ld.global.nc of what the kernel writes, before or behind.
  CHECK(holds(
      fault("ld.global.nc.u32 %r1, [%p0]; st.global.u32 [%p0], %r1;", 719),
      "was read by ld.global.nc"));
  CHECK(
      holds(fault("st.global.u8 [%p0+3], 1; ld.global.nc.u32 %r1, [%p0];", 719),
            "has written it"));
  fault("st.global.u32 [%p0+4], 1; ld.global.nc.u32 %r1, [%p0];", 0);
}

/// Fresh memory holds no zeros; the host's accesses are checked, too.
void host() {
  Options O;
  O.MemoryBytes = 1 << 20;
  auto M = Machine::create(O);
  Address A = M->allocate(1000), B = M->allocate(1000);
  CHECK(A % 256 == 0 && B >= A + 1256 && M->used() == 2000);
  std::vector<unsigned char> V(1000, 1), W(1000);
  CHECK(!M->read(W.data(), A, 1000) && W[0] && W[999] && W[0] == W[999]);
  CHECK(!M->write(A, V.data(), 1000) && !M->move(B, A, 1000) &&
        !M->read(W.data(), B, 1000) && W == V);
  CHECK(!M->fill(B + 10, 7, 980) && !M->read(W.data(), B, 1000) && W[9] == 1 &&
        W[10] == 7 && W[989] == 7 && W[990] == 1);
  CHECK(M->inside(A, 1000) && !M->inside(A, 1001) && M->inside(A + 999, 1) &&
        !M->inside(A + 1000, 1) && !M->inside(A - 1, 1));
  CHECK(M->read(W.data(), A + 1, 1000).Result == 1);
  CHECK(M->write(A + 1, W.data(), 1000).Result == 1);
  CHECK(M->move(A + 1, B, 1000).Result == 1 &&
        M->move(A, B + 1, 1000).Result == 1);
  CHECK(M->fill(A, 0, 1001).Result == 1);
  CHECK(!M->allocate(1 << 20) && !M->allocate(0));
  CHECK(M->release(A) && M->release(B) && M->used() == 0);
  // Addresses come again late.
  std::vector<Address> Last;
  for (unsigned I = 0; I < 2000; ++I) {
    Address At = M->allocate(1 << 18);
    CHECK(At && std::find(Last.begin(), Last.end(), At) == Last.end());
    M->read(W.data(), At, 1000);
    CHECK(W[0] == W[999] && W[0] == 0xFB);
    M->fill(At, 0, 1000);
    Last.push_back(At);
    if (Last.size() > 2)
      M->release(Last.front()), Last.erase(Last.begin());
  }
}

const Case Cases[] = {
    {"texts", texts},        {"broken texts", brokenTexts},
    {"linking", linking},    {"variables", variables},
    {"launches", launches},  {"accesses", accesses},
    {"faults", otherFaults}, {"memory and the host", host},
};

} // namespace

int main() { return runAll(Cases); }
