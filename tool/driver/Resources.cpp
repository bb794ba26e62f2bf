// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What 'ptxas -v' says of each kernel, for -fagglom-report:
//
//   ptxas info    : Compiling entry function 'f' for 'sm_80'
//   ptxas info    : Function properties for f
//       0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//   ptxas info    : Used 18 registers, 400 bytes cmem[0], 16 bytes smem
//
// Numbers are found by the words behind them, in the output of any version.

#include "Device.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace agglom {

Resources Resources::unknown(StringRef Arch, StringRef Why) {
  Resources R;
  R.Arch = Arch.str();
  R.Unknown = Why.str();
  return R;
}

std::string Resources::text() const {
  if (!Unknown.empty())
    return Arch + ": registers and shared memory unknown: " + Unknown;
  std::string Out = Arch + ": " + std::to_string(Registers) + " registers, " +
                    std::to_string(Shared) + " bytes of shared memory, " +
                    std::to_string(Stack) + " bytes of stack, ";
  if (!SpillStores && !SpillLoads)
    return Out + "no spills";
  return Out + std::to_string(SpillStores) + " bytes of spill stores, " +
         std::to_string(SpillLoads) + " bytes of spill loads";
}

/// The number in front of \p Words in \p Line.
static bool number(StringRef Line, StringRef Words, unsigned &Value) {
  size_t At = Line.find(Words);
  if (At == StringRef::npos)
    return false;
  StringRef Before = Line.take_front(At).rtrim();
  StringRef Digits =
      Before.drop_front(Before.find_last_not_of("0123456789") + 1);
  return !Digits.getAsInteger(10, Value);
}

/// The text between the first two quotes of \p Line.
static StringRef quoted(StringRef Line) {
  return Line.split('\'').second.split('\'').first;
}

std::vector<Resources> parseResources(StringRef Said, StringRef Arch) {
  std::vector<Resources> Out;
  SmallVector<StringRef, 64> Lines;
  Said.split(Lines, '\n');
  bool OfEntry = false; // the lines are about the last entry of Out
  for (StringRef Line : Lines) {
    if (Line.contains("Compiling entry function")) {
      Resources R;
      R.Arch = Arch.str();
      R.Kernel = quoted(Line).str();
      R.Unknown = "ptxas did not tell";
      Out.push_back(R);
      OfEntry = true;
    } else if (Line.contains("Function properties for")) {
      OfEntry = !Out.empty() && Line.rtrim().ends_with(" " + Out.back().Kernel);
    } else if (OfEntry) {
      Resources &R = Out.back();
      number(Line, "bytes stack frame", R.Stack);
      number(Line, "bytes spill stores", R.SpillStores);
      number(Line, "bytes spill loads", R.SpillLoads);
      number(Line, "bytes smem", R.Shared);
      if (number(Line, "registers", R.Registers))
        R.Unknown.clear();
    }
  }
  return Out;
}

} // namespace agglom
