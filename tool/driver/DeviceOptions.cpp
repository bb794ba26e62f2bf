// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the user's options apply to device code too. A task gives the same
// result on host and device only if both are compiled by the same rules for
// floating point, integers and layout. Options about the choice of host
// instructions do not apply.

#include "CommandLine.h"
#include "Compat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Option/Arg.h"
#include AGGLOM_CLANG_OPTIONS_H

using namespace llvm;
using namespace llvm::opt;
using namespace AGGLOM_CLANG_OPTIONS_NAMESPACE;

namespace agglom {

/// Options with the same meaning for device code, by name without "-f" and
/// "no-".
static bool governsDevice(StringRef Name) {
  if (!Name.consume_front("-f"))
    return false;
  Name.consume_front("no-");
  return is_contained<StringRef>(
      {// Floating point.
       "fp-contract=", "fp-model=", "fast-math", "finite-math-only",
       "unsafe-math-optimizations", "associative-math", "reciprocal-math",
       "signed-zeros", "honor-infinities", "honor-nans", "approx-func",
       // Integers, aliasing.
       "wrapv", "wrapv-pointer", "strict-overflow", "strict-aliasing",
       "delete-null-pointer-checks",
       // Types and layout.
       "signed-char", "unsigned-char", "short-enums", "ms-extensions",
       // What debug info calls files.
       "file-prefix-map=", "debug-prefix-map="},
      Name);
}

/// The C version for device code: at least C11, in which the kernel prelude is
/// written, without keywords that the user's version does not have.
static std::vector<std::string> deviceStandard(StringRef Std) {
  StringRef Year = Std;
  bool Strict = !Year.consume_front("gnu");
  if (Strict && !Year.consume_front("c") && !Year.consume_front("iso9899:"))
    return {"-std=gnu11"};
  std::vector<std::string> Out = {Strict ? "-std=c11" : "-std=gnu11"};
  if (is_contained<StringRef>({"89", "90", "1990", "199409"}, Year)) {
    Out.push_back("-Drestrict=agglom_restrict");
    if (Strict)
      Out.push_back("-Dinline=agglom_inline");
  } else if (!is_contained<StringRef>({"99", "9x", "1999", "199x"}, Year)) {
    Out = {("-std=" + Std).str()};
  }
  return Out;
}

std::vector<std::string> CommandLine::deviceOptions() const {
  // Device code is always optimised, for else each local is in memory.
  std::string Level = "-O3";
  std::vector<std::string> Standard = {"-std=gnu11"};
  std::vector<std::string> Out;
  for (const Arg *A : Args) {
    const Option &O = A->getOption();
    if (O.matches(options::OPT_O_Group)) {
      StringRef Spelled = Tokens[A->getIndex()];
      if (O.matches(options::OPT_Ofast)) {
        Level = "-O3";
        Out.push_back("-ffast-math");
      } else if (Spelled == "-O0" || Spelled == "-Og") {
        Level = "-O1";
      } else if (O.matches(options::OPT_O4)) {
        Level = "-O3";
      } else {
        Level = Spelled.str();
      }
    } else if (O.matches(options::OPT_std_EQ)) {
      Standard = deviceStandard(A->getValue());
    } else if (O.matches(options::OPT_ansi)) {
      Standard = deviceStandard("c89");
    } else if (governsDevice(O.getPrefixedName())) {
      tokensOf(*A, Out);
    }
  }
  Standard.push_back(Level);
  Out.insert(Out.begin(), Standard.begin(), Standard.end());
  return Out;
}

bool CommandLine::debugInfo() const {
  const Arg *A = Args.getLastArg(options::OPT_g_Group);
  return A && !A->getOption().matches(options::OPT_g0) &&
         !A->getOption().matches(options::OPT_ggdb0);
}

} // namespace agglom
