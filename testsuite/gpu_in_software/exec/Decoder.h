// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef GPU_IN_SOFTWARE_EXEC_DECODER_H
#define GPU_IN_SOFTWARE_EXEC_DECODER_H

#include "Code.h"
#include <functional>

namespace gpu_in_software::machine {

/// What a name of the module means.
struct Symbol {
  enum Kind { Nothing, Data, Routine } Is = Nothing;
  uint64_t Value = 0; // address within its space
  Space In = Space::Global;
  Code *Called = nullptr;
  const Function *Head = nullptr;
};
using Scope = std::function<Symbol(const std::string &)>;

/// Where parameters, results and variables of a function lie: fills in
/// FrameBytes, Params and Returns of To, and per variable its offset in the
/// frame, in the kernel's parameters or in shared memory.
std::vector<uint32_t> layOut(const Function &F, Code &To);

/// Fills in the rest of To. Throws a SyntaxError for what it does not know.
void decode(const Function &F, const std::vector<uint32_t> &Offsets,
            const Scope &Lookup, Code &To);

} // namespace gpu_in_software::machine

#endif // GPU_IN_SOFTWARE_EXEC_DECODER_H
