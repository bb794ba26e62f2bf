// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From kernel text to device code.
//
//   x.agglom.cu --clang--> PTX for the oldest architecture
//               --ptxas--> machine code for each architecture asked for
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
  bool Linked = false; ///< the runtime links it with other units' device code
};

/// The resources that a kernel uses on one architecture, as ptxas reports them.
struct Resources {
  std::string Arch;
  std::string Kernel;  ///< "": all kernels
  std::string Unknown; ///< why nothing is known; "" when these are:
  unsigned Registers = 0, Shared = 0, Stack = 0;
  unsigned SpillStores = 0, SpillLoads = 0; ///< bytes

  static Resources unknown(llvm::StringRef Arch, llvm::StringRef Why);
  std::string text() const; ///< a line of the report
};

/// Reads the resources of each kernel from the output of 'ptxas -v'.
std::vector<Resources> parseResources(llvm::StringRef Said,
                                      llvm::StringRef Arch);

/// Compiles the device code to \p Images. Prints the commands under -v and
/// -###, and in a dry run does no more. Returns false after a message on an
/// error. \p Used is filled in for -fagglom-report. When the compiler refuses
/// the generated text, its message goes to \p Failure instead.
bool compileDevice(const DeviceJob &Job, std::vector<Image> &Images,
                   std::vector<Resources> &Used, Fault &Failure);

} // namespace agglom

#endif // AGGLOM_DRIVER_DEVICE_H
