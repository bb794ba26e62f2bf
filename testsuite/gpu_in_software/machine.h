// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device that executes PTX, as the driver on top of it (driver/) sees it.
// Everything happens in the calling thread, a step at a time; the caller
// serialises all calls to one Machine. A mistake of the program under test is a
// Fault, never an exception or an abort.
#ifndef GPU_IN_SOFTWARE_MACHINE_H
#define GPU_IN_SOFTWARE_MACHINE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace gpu_in_software {

/// A device address. No such address is one of the host: the ranges are never
/// mapped there.
using Address = uint64_t;

/// What went wrong, as a CUresult of the driver API and a sentence with kernel,
/// instruction (line of the PTX), block, thread and address.
struct Fault {
  int Result = 0; // CUDA_SUCCESS
  std::string Text;
  explicit operator bool() const { return Result != 0; }
};

enum class Order { InOrder, Reverse, Random, WarpByWarp };

struct Options {
  uint64_t Seed = 1;
  /// Which thread of those that can go on does so.
  Order Threads = Order::Random;
  /// In which order blocks start (InOrder, Reverse, Random).
  Order Blocks = Order::InOrder;
  unsigned BlocksAtOnce = 4; // that are resident
  /// Stores become visible to other blocks late, until a fence.
  bool Weak = false;
  /// 1: a read of global or shared memory that was never written is a fault; 2:
  /// of local memory, too, which compilers read ahead at times.
  unsigned Uninitialised = 0;
  size_t MemoryBytes = size_t(1) << 30;
  unsigned Multiprocessors = 4;
  int Major = 9, Minor = 0;
  /// A kernel that executes more is a fault (702); 0: there is no bound.
  uint64_t MostInstructions = 0;
};

/// A kernel that runs; made by Machine::launch().
class Run {
public:
  virtual ~Run() = default;
  /// Executes about so many instructions more. True: the kernel is over
  /// (fault() says how).
  virtual bool step(uint64_t Instructions) = 0;
  virtual const Fault &fault() const = 0;
  /// Instructions executed until now.
  virtual uint64_t executed() const = 0;
};

struct KernelInfo {
  unsigned MaxThreads = 1024; // .maxntid, else the hardware's
  size_t LocalBytes = 0; // of a thread: .local variables and the stack that is
                         // known to be needed
  size_t SharedBytes = 0;
  size_t ParamBytes = 0;            // all parameters together
  std::vector<size_t> ParamOffsets; // of each parameter
  std::vector<size_t> ParamSizes;
};

/// Loaded PTX: its globals are in device memory until the module goes.
class Module {
public:
  virtual ~Module() = default;
  /// Index of an .entry; -1: there is none of this name.
  virtual int kernel(const std::string &Name) const = 0;
  virtual const KernelInfo &info(int Kernel) const = 0;
  /// Address and size of a global; false: there is none.
  virtual bool global(const std::string &Name, Address &At,
                      size_t &Bytes) const = 0;
};

struct Dim3 {
  unsigned X = 1, Y = 1, Z = 1;
};

class Machine {
public:
  static std::unique_ptr<Machine> create(const Options &O);
  virtual ~Machine() = default;

  // Memory. Fresh memory is poisoned and counts as never written.
  /// 0: there is not enough left. 256 bytes aligned.
  virtual Address allocate(size_t Bytes) = 0;
  /// False: At is not the beginning of an allocation.
  virtual bool release(Address At) = 0;
  virtual size_t used() const = 0;
  /// The allocation that holds all these bytes, without a message.
  virtual bool inside(Address At, size_t Bytes) const = 0;
  virtual Fault read(void *To, Address From, size_t Bytes) const = 0;
  virtual Fault write(Address To, const void *From, size_t Bytes) = 0;
  /// Copies within the device; what was never written stays so.
  virtual Fault move(Address To, Address From, size_t Bytes) = 0;
  virtual Fault fill(Address To, unsigned char Byte, size_t Bytes) = 0;

  /// Several texts are linked: one's .extern is another's .visible. On failure
  /// null, and Log has what ptxas would say, with the line.
  virtual std::unique_ptr<Module> load(const std::vector<std::string> &Texts,
                                       std::string &Log) = 0;

  /// Params: ParamBytes bytes, laid out as KernelInfo says; copied. A launch
  /// that the hardware refuses is a Fault with the driver's number and no Run.
  virtual std::unique_ptr<Run> launch(Module &M, int Kernel, Dim3 Grid,
                                      Dim3 Block, size_t DynamicShared,
                                      const void *Params, Fault &F) = 0;

  // Limits of a context.
  size_t StackBytes = 1024; // of a thread
  size_t PrintfBytes =
      size_t(1)
      << 20; // what kernels have printed beyond it until flush() is lost
  /// What kernels have printed since, in the order in which the device has
  /// taken it up.
  virtual std::string takeOutput() = 0;
};

} // namespace gpu_in_software

#endif // GPU_IN_SOFTWARE_MACHINE_H
