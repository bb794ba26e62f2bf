// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device's thread: which operation is next, and when.

#include "Driver.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <thread>

namespace gpu_in_software::api {

static uint64_t now() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

void Turn::lock() {
  std::unique_lock<std::mutex> L(Inside);
  uint64_t Mine = Taken++;
  Next.wait(L, [&] { return Serving == Mine; });
}

void Turn::unlock() {
  std::lock_guard<std::mutex> L(Inside);
  ++Serving;
  Next.notify_all();
}

uint64_t Driver::time() const { return Ticks + now() / 1000; }

void Driver::wake() {
  for (Device &D : Devices)
    if (D.Running && (Pushing || D.NextDue != UINT64_MAX) &&
        (Pushing || time() >= D.NextDue))
      D.Work.notify_one();
}

// --- Operations -------------------------------------------------------------

void Copy::stage() {
  Staged.resize(Width * Rows);
  for (size_t I = 0; I < Rows; ++I)
    std::memcpy(&Staged[I * Width],
                reinterpret_cast<const void *>(From.At + I * From.Pitch),
                Width);
  From = {false, reinterpret_cast<uintptr_t>(Staged.data()), Width};
}

bool Copy::step(Machine &M, Random &R, bool, Fault &F) {
  for (uint64_t Left = magnitude(R, 6, 22); Left && Row < Rows;) {
    size_t N = std::min<uint64_t>(Width - Column, Left);
    uint64_t Out = To.At + Row * To.Pitch + Column;
    uint64_t In = From.At + Row * From.Pitch + Column;
    if (!From.OnDevice)
      F = M.write(Out, reinterpret_cast<const void *>(In), N);
    else if (!To.OnDevice)
      F = M.read(reinterpret_cast<void *>(Out), In, N);
    else
      F = M.move(Out, In, N);
    if (F)
      return true;
    Left -= N;
    Column += N;
    if (Column == Width) {
      Column = 0;
      ++Row;
    }
  }
  return Row == Rows;
}

bool Copy::reaches(uintptr_t At, size_t Bytes) const {
  for (const Side *S : {&To, &From})
    if (!S->OnDevice && S->At < At + Bytes && At < S->At + span(*S))
      return true;
  return false;
}

bool Fill::step(Machine &M, Random &, bool, Fault &F) {
  F = M.fill(To, Byte, Bytes);
  return true;
}

bool Kernel::step(Machine &M, Random &R, bool Alone, Fault &F) {
  if (!Running)
    Running = M.launch(*In->Code, Index, Grid, Block, Shared, Params.data(), F);
  if (!Running)
    return true;
  bool Over = Running->step(Alone ? 1 << 14 : magnitude(R, 6, 14));
  if (Over) {
    F = Running->fault();
    Running.reset();
  }
  return Over;
}

// --- The thread -------------------------------------------------------------

OperationRef Device::enqueue(Stream &S, std::unique_ptr<Operation> O) {
  OperationRef Op = std::move(O);
  uint64_t Late = driver().Wanted.Late;
  // Half of them at once, and one in 32 really late.
  if (Late && !driver().Wanted.Eager && Dice.below(2))
    Op->Late = Dice.below(16) ? Dice.below(Late + 1) : 8 * Late;
  for (const std::shared_ptr<Stream> &Other : Streams) {
    bool Implied = S.Blocking && Other->Blocking &&
                   (&S == Legacy.get()) != (Other == Legacy);
    if (Implied && !Other->Queue.empty())
      Op->After.push_back(Other->Queue.back());
  }
  S.Queue.push_back(Op);
  Work.notify_one();
  return Op;
}

/// A stream whose next operation can go on or, if there is none, when one can.
std::shared_ptr<Stream> Device::choose(uint64_t &Due) {
  Driver &D = driver();
  std::vector<std::shared_ptr<Stream>> Ready;
  Due = UINT64_MAX;
  if (D.Hang)
    return nullptr;
  uint64_t Time = D.time();
  for (const std::shared_ptr<Stream> &S : Streams) {
    if (S->Queue.empty())
      continue;
    Operation &O = *S->Queue.front();
    auto &A = O.After;
    A.erase(std::remove_if(A.begin(), A.end(),
                           [](const OperationRef &R) { return R->Done; }),
            A.end());
    if (!A.empty())
      continue;
    if (!O.Due)
      O.Due = Time + O.Late;
    if (O.Begun || O.Due <= Time || D.Pushing)
      Ready.push_back(S);
    else
      Due = std::min(Due, O.Due);
  }
  if (Ready.empty())
    return nullptr;
  // One stream gets far ahead of the others now and then.
  if (Stay && std::find(Ready.begin(), Ready.end(), Favourite) != Ready.end()) {
    --Stay;
    return Favourite;
  }
  Stay = Dice.below(4) ? 0 : magnitude(Dice, 0, 6);
  return Favourite = Ready[Dice.below(Ready.size())];
}

void Device::complete(const std::shared_ptr<Stream> &S) {
  Operation &O = *S->Queue.front();
  O.Done = true;
  O.Ns = now();
  S->Queue.pop_front();
  if (S->Destroyed && S->Queue.empty())
    Streams.remove(S);
  driver().Done.notify_all();
  for (Device &Other : driver().Devices) // which may wait for an event
    Other.Work.notify_one();
}

void Device::step(const std::shared_ptr<Stream> &S,
                  std::unique_lock<std::mutex> &Held) {
  OperationRef O = S->Queue.front();
  bool Over = true, Alone = Streams.size() == 1;
  Fault F;
  std::string Said;
  O->Begun = true;
  if (O->works()) {
    Busy = true;
    Held.unlock();
    {
      std::lock_guard<Turn> L(Using);
      Over = O->step(*Gpu, Pieces, Alone, F);
      Said = Gpu->takeOutput();
      if (Over)
        O->drop();
    }
    Held.lock();
    Busy = false;
  }
  // It is a ring: what is new overwrites what is old.
  HasPrinted |= !Said.empty();
  Printed += Said;
  if (Printed.size() > PrintfBytes) {
    size_t Line = Printed.find('\n', Printed.size() - PrintfBytes - 1);
    Printed.erase(0, Line == std::string::npos ? Printed.size() : Line + 1);
  }
  if (F && !Dead)
    die(F.Result, F.Text);
  if (!Dead && !Discard && Over)
    complete(S);
}

/// Nothing of what is asked for is done any more.
void Device::discard(std::unique_lock<std::mutex> &Held) {
  std::vector<OperationRef> Gone;
  for (auto S = Streams.begin(); S != Streams.end();) {
    for (const OperationRef &O : (*S)->Queue) {
      O->Done = true;
      O->Ns = now();
      Gone.push_back(O);
    }
    (*S)->Queue.clear();
    S = (*S)->Destroyed ? Streams.erase(S) : std::next(S);
  }
  Busy = true;
  Held.unlock();
  {
    std::lock_guard<Turn> L(Using);
    for (const OperationRef &O : Gone)
      O->drop();
  }
  Held.lock();
  Busy = Discard = false;
  driver().Done.notify_all();
  for (Device &Other : driver().Devices)
    Other.Work.notify_one();
}

void Device::work() {
  std::unique_lock<std::mutex> Held(driver().Lock);
  for (;;) {
    if (driver().Wanted.Eager && !Discard) {
      Work.wait(Held);
      continue;
    }
    bool Any = false;
    for (const std::shared_ptr<Stream> &S : Streams)
      Any |= !S->Queue.empty();
    if (Discard || (Dead && Any)) {
      discard(Held);
      continue;
    }
    uint64_t Due = UINT64_MAX;
    if (std::shared_ptr<Stream> S = choose(Due)) {
      step(S, Held);
      continue;
    }
    NextDue = Due;
    uint64_t Time = driver().time();
    if (Due == UINT64_MAX)
      Work.wait(Held);
    else if (Time < Due)
      Work.wait_for(Held, std::chrono::microseconds(Due - Time));
    NextDue = UINT64_MAX;
  }
}

// --- The context ------------------------------------------------------------

void Device::activate() {
  Options O = driver().Wanted.Device;
  O.Seed += static_cast<uint64_t>(Index);
  Gpu = Machine::create(O);
  Gpu->PrintfBytes = SIZE_MAX; // what does not fit is lost here
  Dice = Random(O.Seed);
  Pieces = Random(~O.Seed);
  Dead = 0;
  Told = HasPrinted = false;
  PrintfBytes = 1 << 20;
  Legacy = std::make_shared<Stream>(Stream{this, true, false, {}});
  Streams.push_back(Legacy);
  if (!Running && !driver().Wanted.Eager) {
    std::thread([this] { work(); }).detach();
    Running = true;
  }
}

size_t Device::destroy(std::unique_lock<std::mutex> &Held) {
  Driver &D = driver();
  if (!Dead && !D.Hang)
    drain(Held);
  Discard = Running;
  Work.notify_one();
  D.Done.wait(Held, [&] { return !Discard && !Busy; });
  if (!Running)
    discard(Held);
  flush();
  size_t Left = D.Streams.drop(this) + D.Events.drop(this) +
                D.Modules.drop(this) + D.Links.drop(this) + Memory.size();
  D.Functions.drop(this);
  for (auto I = D.Host.begin(); I != D.Host.end();)
    if (I->second.Of == this) {
      ++Left;
      if (!I->second.Registered)
        munmap(reinterpret_cast<void *>(I->first), I->second.Bytes);
      I = D.Host.erase(I);
    } else {
      ++I;
    }
  Streams.clear();
  Legacy = Favourite = nullptr;
  Memory.clear();
  Freed.clear();
  Gpu.reset();
  return Dead ? 0 : Left;
}

void Device::die(ag_cu_result Result, const std::string &Text) {
  Dead = Result;
  say(Text);
  driver().Done.notify_all();
  Work.notify_one();
}

void Device::flush() {
  std::fwrite(Printed.data(), 1, Printed.size(), stdout);
  Printed.clear();
}

void Device::drain(std::unique_lock<std::mutex> &Held) {
  Driver &D = driver();
  std::vector<OperationRef> All;
  for (const std::shared_ptr<Stream> &S : Streams)
    if (!S->Queue.empty())
      All.push_back(S->Queue.back());
  ++D.Pushing;
  D.wake();
  settle(Held);
  D.Done.wait(Held, [&] {
    return Dead || std::all_of(All.begin(), All.end(),
                               [](const OperationRef &O) { return O->Done; });
  });
  --D.Pushing;
}

void Device::settle(std::unique_lock<std::mutex> &Held) {
  uint64_t Due;
  while (driver().Wanted.Eager && !Dead) {
    if (Busy)
      driver().Done.wait(Held, [&] { return !Busy; });
    else if (std::shared_ptr<Stream> S = choose(Due))
      step(S, Held);
    else
      break;
  }
}

} // namespace gpu_in_software::api
