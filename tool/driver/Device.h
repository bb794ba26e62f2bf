// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From kernel text to device code.
//
//   x.agglom.cu --clang or nvcc--> PTX for the oldest architecture
//               --ptxas or nvcc--> machine code for each architecture asked for
//
// PTX is always in the object: a driver can compile it for any later GPU.
// Machine code only saves that time at the program's start, so an architecture
// the toolkit at hand does not know is left out.

#ifndef AGGLOM_DRIVER_DEVICE_H
#define AGGLOM_DRIVER_DEVICE_H

#include "CommandLine.h"
#include "Process.h"
#include "Toolchain.h"
#include <functional>

namespace agglom {

struct DeviceJob {
  const CommandLine &CL;
  const Toolchain &Tools;
  TempFiles &Temps;
  std::string Source; ///< the user's file, for messages
  std::string Text;   ///< path of x.agglom.cu
  /// The path for a result, by extension ("ptx", "sm_80.cubin").
  std::function<std::string(llvm::StringRef)> FileFor;
  bool NeedsMaths = false;
  bool PTXOnly = false;
};

/// Compiles and returns the images; prints the commands under -v and -###, and
/// in a dry run does no more. Returns false after a message on an error.
bool compileDevice(const DeviceJob &Job, std::vector<Image> &Images);

} // namespace agglom

#endif // AGGLOM_DRIVER_DEVICE_H
