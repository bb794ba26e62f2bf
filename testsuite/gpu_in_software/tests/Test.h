// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of the machine share: cases that report as TAP, which
// testsuite/run reads, and a machine with a text in it.
#ifndef GPU_IN_SOFTWARE_TESTS_TEST_H
#define GPU_IN_SOFTWARE_TESTS_TEST_H

#include "../machine.h"
#include <cstdio>
#include <cstring>
#include <functional>

namespace test {

using namespace gpu_in_software;

struct Case {
  const char *Name;
  void (*Body)();
};

inline bool Good;

#define CHECK(...)                                                             \
  do {                                                                         \
    if (!(__VA_ARGS__)) {                                                      \
      printf("# %s:%d: %s\n", __FILE__, __LINE__, #__VA_ARGS__);               \
      ::test::Good = false;                                                    \
    }                                                                          \
  } while (0)

/// That a text holds another one.
inline bool holds(const std::string &Text, const std::string &Part) {
  if (Text.find(Part) != std::string::npos)
    return true;
  printf("# '%s' is not in: %s\n", Part.c_str(), Text.c_str());
  return false;
}

template <size_t N> int runAll(const Case (&Cases)[N]) {
  printf("1..%zu\n", N);
  bool All = true;
  for (size_t I = 0; I < N; ++I) {
    Good = true;
    Cases[I].Body();
    All &= Good;
    printf("%s %zu - %s\n", Good ? "ok" : "not ok", I + 1, Cases[I].Name);
    fflush(stdout);
  }
  return All ? 0 : 1;
}

inline const char Head[] = ".version 7.8\n.target sm_90\n.address_size 64\n";

/// A kernel that begins with its parameters in %p0 to %p3, %tid.x in %t,
/// %ctaid.x in %c, its number in %i, and 8 i + p0 in %o.
inline std::string kernel(const std::string &Name, const std::string &Body,
                          const std::string &Bounds = "") {
  std::string Text = ".visible .entry " + Name + "(";
  for (char P = '0'; P < '4'; ++P)
    Text += std::string(P > '0' ? ", " : "") + ".param .u64 " + Name + "_" + P;
  Text += ") " + Bounds +
          "\n{\n.reg .b64 %p<4>, %o, %d<20>;\n.reg .b32 %t, %c, %n, %i, "
          "%r<20>;\n.reg .b16 %h<8>;\n.reg .f32 %f<8>;\n.reg .f64 %g<8>;\n"
          ".reg .pred %q<8>;\nmov.u32 %t, %tid.x;\nmov.u32 %c, %ctaid.x;\n"
          "mov.u32 %n, %ntid.x;\nmad.lo.u32 %i, %c, %n, %t;\n";
  for (char P = '0'; P < '4'; ++P)
    Text +=
        std::string("ld.param.u64 %p") + P + ", [" + Name + "_" + P + "];\n";
  return Text + "mad.wide.u32 %o, %i, 8, %p0;\n" + Body + "\nret;\n}\n";
}

/// A machine, a text, and launches of its kernels whose parameters are all
/// 64 bits.
class Rig {
public:
  explicit Rig(const std::string &Text, const Options &O = Options())
      : M(Machine::create(O)), Mod(M->load({Head + Text}, Log)) {
    if (!Mod)
      printf("# %s\n", Log.c_str());
  }
  template <class T> Address put(const std::vector<T> &V) {
    Address At = M->allocate(V.size() * sizeof(T));
    if (M->write(At, V.data(), V.size() * sizeof(T)))
      return 0;
    return At;
  }
  Address zeros(size_t Bytes) {
    Address At = M->allocate(Bytes);
    CHECK(!M->fill(At, 0, Bytes));
    return At;
  }
  template <class T> std::vector<T> get(Address At, size_t N) {
    std::vector<T> V(N);
    Fault F = M->read(V.data(), At, N * sizeof(T));
    CHECK(!F);
    return V;
  }
  Fault launch(const char *Kernel, Dim3 Grid, Dim3 Block,
               const std::vector<uint64_t> &Params, size_t Shared = 0) {
    Fault F;
    CHECK(Mod != nullptr);
    if (!Mod)
      return {999, Log};
    auto R = M->launch(*Mod, Mod->kernel(Kernel), Grid, Block, Shared,
                       Params.data(), F);
    if (!R)
      return F;
    while (!R->step(100000))
      ;
    Executed += R->executed();
    return R->fault();
  }

  std::string Log;
  std::unique_ptr<Machine> M;
  std::unique_ptr<Module> Mod;
  uint64_t Executed = 0;
};

} // namespace test

#endif // GPU_IN_SOFTWARE_TESTS_TEST_H
