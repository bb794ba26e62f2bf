// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA driver API over machines (../machine.h): what its entry points
// (the other files) share. Driver.cpp has the frame of a call, Device.cpp the
// thread of each device, which does what streams hold when it likes.
//
// One lock guards everything here, and no machine is called with the lock of
// its own held but by who has taken that after the first.
#ifndef GPU_IN_SOFTWARE_DRIVER_H
#define GPU_IN_SOFTWARE_DRIVER_H

#include "Operation.h"
#include "Settings.h"
#include "testing.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <unordered_map>

extern "C" {
#include "device/cuda_driver.h"
// The prototypes, from the table that the runtime loads them by: a difference
// is a compile error.
#define GPU_IN_SOFTWARE_PROTOTYPE(NAME, SYMBOL, PARAMETERS)                    \
  ag_cu_result SYMBOL PARAMETERS;
AG_CUDA_CALLS(GPU_IN_SOFTWARE_PROTOTYPE)
#undef GPU_IN_SOFTWARE_PROTOTYPE
// More, for the tests of all this.
ag_cu_result cuDevicePrimaryCtxReset_v2(ag_cu_device Number);
ag_cu_result cuCtxSynchronize(void);
ag_cu_result cuStreamSynchronize(ag_cu_stream Stream);
}

namespace gpu_in_software::api {

/// Results and numbers that the runtime has no name for.
enum : ag_cu_result {
  InvalidDevice = 101,
  NoBinaryForGpu = 209,
  InvalidPtx = 218,
  InvalidHandle = 400,
  NotFound = 500,
  HostMemoryAlreadyRegistered = 712,
  HostMemoryNotRegistered = 713,
};
enum { LimitPrintfFifo = 1 };

/// A lock that is handed on in the order in which it was asked for: the thread
/// of a device asks again at once.
class Turn {
  std::mutex Inside;
  std::condition_variable Next;
  uint64_t Taken = 0, Serving = 0;

public:
  void lock();
  void unlock();
};

struct Device;

struct Stream {
  Device *Of;
  bool Blocking; // the legacy stream and this one wait for each other
  bool Destroyed = false;
  std::deque<OperationRef> Queue;
};

struct Event {
  Device *Of;
  bool Timing;
  OperationRef Last; // its latest record
};

struct LoadedModule {
  Device *Of;
  std::unique_ptr<Module> Code;
  std::map<int, ag_cu_function> Functions;
};

struct Function {
  Device *Of;
  std::shared_ptr<LoadedModule> In;
  int Index;
};

struct Link {
  Device *Of;
  std::vector<std::string> Texts;
  std::string Image; // once it is complete
  unsigned LogOptions = 0;
  int *Options = nullptr;
  void **Values = nullptr;
};

/// Objects by handle. No handle is given twice, so that one of what has been
/// destroyed is known.
template <class T> struct Table {
  const char *What;
  uintptr_t Tag; // of its handles, in the highest byte
  uintptr_t Last = 0;
  std::unordered_map<uintptr_t, std::shared_ptr<T>> Live = {};

  uintptr_t add(std::shared_ptr<T> Object) {
    uintptr_t Handle = Tag << 56 | (Last += 16);
    Live[Handle] = std::move(Object);
    return Handle;
  }
  bool was(uintptr_t Handle) const {
    uintptr_t Number = Handle & (UINTPTR_MAX >> 8);
    return Handle >> 56 == Tag && Number && Number <= Last && Number % 16 == 0;
  }
  size_t drop(const Device *Of) {
    size_t Before = Live.size();
    for (auto I = Live.begin(); I != Live.end();)
      I = I->second->Of == Of ? Live.erase(I) : std::next(I);
    return Before - Live.size();
  }
};

/// A device and its primary context.
struct Device {
  int Index = 0;
  unsigned Retained = 0;
  std::unique_ptr<Machine> Gpu; // while the context is active
  Turn Using;                   // guards the machine
  ag_cu_result Dead = 0;        // the sticky error
  bool Told = false;            // that it is dead
  std::list<std::shared_ptr<Stream>> Streams;
  std::shared_ptr<Stream> Legacy; // which NULL stands for
  std::map<Address, size_t> Memory, Freed;
  std::string Printed; // and not yet flushed
  bool HasPrinted = false;
  size_t PrintfBytes = 1 << 20;

  /// Retained for the first time, or again after it was destroyed.
  void activate();
  /// Destroys the context. \returns how many things were left in it.
  size_t destroy(std::unique_lock<std::mutex> &Held);
  void die(ag_cu_result Result, const std::string &Text);
  void flush();
  OperationRef enqueue(Stream &S, std::unique_ptr<Operation> O);
  /// Until all is done that has been asked for.
  void drain(std::unique_lock<std::mutex> &Held);
  /// Eager: does what can be done, in this thread.
  void settle(std::unique_lock<std::mutex> &Held);

  // Its thread's.
  bool Running = false;
  bool Busy = false;    // at the machine
  bool Discard = false; // all operations, please
  uint64_t NextDue = UINT64_MAX;
  std::condition_variable Work;
  Random Dice{0}, Pieces{0}; // the latter without the lock
  std::shared_ptr<Stream> Favourite;
  uint64_t Stay = 0;

  void work();
  std::shared_ptr<Stream> choose(uint64_t &Due);
  void step(const std::shared_ptr<Stream> &S,
            std::unique_lock<std::mutex> &Held);
  void complete(const std::shared_ptr<Stream> &S);
  void discard(std::unique_lock<std::mutex> &Held);
};

/// Memory of the host that copies reach late.
struct Pinned {
  Device *Of;
  size_t Bytes;
  bool Registered; // it is the program's
};

/// What the process has of all this; never destroyed.
struct Driver {
  std::mutex Lock;
  std::atomic<bool> Forked{false}; // this is a child, where nothing works
  bool Initialised = false, Hang = false;
  bool Configured = false; // settings are known
  Settings Wanted;
  Device Devices[16];
  Table<Stream> Streams{"stream", 0x51};
  Table<Event> Events{"event", 0x52};
  Table<LoadedModule> Modules{"module", 0x53};
  Table<Function> Functions{"function", 0x54};
  Table<Link> Links{"link", 0x55};
  std::map<uintptr_t, Pinned> Host;
  ag_cu_result Pending = 0; // a late fault: what the next call answers
  uint64_t Ticks = 0;       // calls
  uint64_t Work = 0;        // of these, those that do not ask()
  int Pushing = 0;          // threads that wait
  std::condition_variable Done;
  gpu_in_software_counts Seen = {};       // what is counted
  std::map<const char *, unsigned> Calls; // each has one name
  std::atomic<void (*)(const char *)> Each{nullptr};

  /// In ticks: a call and a microsecond count the same.
  uint64_t time() const;
  void wake();
};
Driver &driver();

/// Says something on standard error.
void say(const std::string &Text);
std::string format(const char *Format, ...)
    __attribute__((format(printf, 1, 2)));

enum class Needs { Nothing, Init, Context };

/// The frame of each entry point: takes the lock, and finds out whether the
/// call fails already for its context or because it is meant to.
class Call {
  const char *Name;

public:
  std::unique_lock<std::mutex> Held;
  ag_cu_result Result = AG_CU_SUCCESS;
  Device *Here = nullptr; // the current context

  Call(const char *Name, Needs N);
  ~Call();
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;
  bool failed() const { return Result != AG_CU_SUCCESS; }
  /// Notes that the program has used the API wrongly.
  ag_cu_result misuse(ag_cu_result Answer, const std::string &What);
  /// False, after that, when a pointer to store to is null.
  bool stores(const void *To);
  /// False, after that, when there is no such device.
  bool exists(ag_cu_device Number);

  template <class T, class H>
  bool find(Table<T> &In, H Handle, std::shared_ptr<T> &Out) {
    auto Key = reinterpret_cast<uintptr_t>(Handle);
    auto I = In.Live.find(Key);
    if (I != In.Live.end())
      Out = I->second;
    else
      misuse(InvalidHandle, format(In.was(Key) ? "the %s 0x%zx is destroyed"
                                               : "0x%2$zx is no %1$s",
                                   In.What, static_cast<size_t>(Key)));
    return !failed();
  }
  /// NULL is the legacy stream of the current context.
  bool find(ag_cu_stream Handle, std::shared_ptr<Stream> &Out);
  /// Whether these bytes lie in one allocation of the device.
  bool onDevice(const Device &D, Address At, size_t Bytes, const char *What);
  /// Whether they are the host's; and what they lie in, if copies reach them
  /// late.
  bool onHost(uintptr_t At, size_t Bytes, const Pinned *&In);
  /// Waits for an operation; the result is then that of the context.
  ag_cu_result await(Device &D, OperationRef O);
};

/// The context that is current for this thread, or null.
Device *current();
std::vector<Device *> &contextStack();
/// Of all threads.
size_t pushedContexts();
void forgetContexts();

} // namespace gpu_in_software::api

#endif // GPU_IN_SOFTWARE_DRIVER_H
