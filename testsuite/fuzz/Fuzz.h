// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fuzzer of the front end. Its input is a C translation unit, always: what it
// keeps and what it finds can be given to agglomcc as it is. Only the lines
// '#pragma agglom ...' are changed, so that the C around them stays C.
//
//   Target.cpp      what must hold of any unit
//   Mutate.cpp      changes pragmas, knowing their grammar
//   LibFuzzer.cpp   the entry points for libFuzzer (AGGLOM_FUZZ=ON)
//   replay.cpp      a main() without libFuzzer: files and some mutations of
//   them dictionary.cpp  prints the words of pragmas/directives.def for
//   libFuzzer seeds.py        first inputs from the other tests and the manual
//   corpus/         first inputs with what those lack

#ifndef AGGLOM_FUZZ_FUZZ_H
#define AGGLOM_FUZZ_FUZZ_H

#include <cstdint>
#include <functional>
#include <string>

namespace agglom::fuzz {

/// Where agglom's own headers are; in a file that CMake writes.
extern const char IncludeDir[];

/// Runs the front end over a unit. \returns why that shows an error in it, or
/// an empty string.
std::string examine(const std::string &UnitText);

/// Changes some bytes, in a way that knows nothing about them.
using ByteMutator = std::function<std::string(const std::string &)>;

/// The unit with some pragmas changed; depends on nothing but the arguments.
std::string mutate(const std::string &UnitText, uint64_t Seed,
                   const ByteMutator &Bytes);

/// \p UnitText with pragmas of \p Donor at some places.
std::string cross(const std::string &UnitText, const std::string &Donor,
                  uint64_t Seed);

} // namespace agglom::fuzz

#endif // AGGLOM_FUZZ_FUZZ_H
