// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each instruction that computes a value: the cases, and that none is left
// out.

#include "Compare.h"

using namespace test;

namespace {

/// No instruction that computes was forgotten above.
void complete() {
  machine::Table T;
  machine::addIntegers(T);
  machine::addFloats(T);
  machine::addConversions(T);
  std::set<std::string> Without; // flags
  for (const std::string &Name : Tested) {
    std::string Key;
    size_t At = 0;
    while (At < Name.size()) {
      size_t Dot = std::min(Name.find('.', At), Name.size());
      std::string Part = Name.substr(At, Dot - At);
      static const std::set<std::string> Flags = {
          "ftz", "sat", "rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"};
      if (!Flags.count(Part))
        Key += (Key.empty() ? "" : ".") + Part;
      At = Dot + 1;
    }
    Without.insert(Key);
  }
  for (const auto &Row : T)
    if (!Tested.count(Row.first) && !Without.count(Row.first)) {
      printf("# not tested: %s\n", Row.first.c_str());
      Good = false;
    }
}

const Case Cases[] = {
    {"integer arithmetic", arithmetic},
    {"bits", bitwise},
    {"comparisons", comparisons},
    {"floating-point arithmetic", floats},
    {"approximations", approximations},
    {"conversions", conversions},
    {"ways to round", directions},
    {"carries", carries},
    {"no instruction is left out", complete},
};

} // namespace

int main() { return runAll(Cases); }
