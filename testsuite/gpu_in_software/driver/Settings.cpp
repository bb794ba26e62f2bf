// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Settings.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>

extern "C" {
#include "device/cuda_driver.h"
}

extern char **environ;

namespace gpu_in_software::api {

/// A number with an optional K, M or G behind it.
static bool number(const std::string &Text, uint64_t Most, uint64_t &Out) {
  char *End = nullptr;
  if (Text.empty() || Text[0] < '0' || Text[0] > '9')
    return false;
  uint64_t Value = std::strtoull(Text.c_str(), &End, 0);
  const char *Suffixes = "KMG";
  const char *Suffix = *End ? std::strchr(Suffixes, *End) : nullptr;
  if (Suffix && !*++End)
    Value <<= 10 * (Suffix - Suffixes + 1);
  Out = Value;
  return !*End && Value <= Most;
}

using Parser = std::function<bool(const std::string &)>;

template <class T> static Parser within(uint64_t Least, uint64_t Most, T &Out) {
  return [=, &Out](const std::string &Text) {
    uint64_t Value = 0;
    bool Good = number(Text, Most, Value) && Value >= Least;
    if (Good)
      Out = static_cast<T>(Value);
    return Good;
  };
}

static Parser order(int Known, Order &Out) {
  return [=, &Out](const std::string &Text) {
    static const char *const Names[] = {"order", "reverse", "random", "warps"};
    static const Order Orders[] = {Order::InOrder, Order::Reverse,
                                   Order::Random, Order::WarpByWarp};
    int I = 0;
    while (I < Known && Text != Names[I])
      ++I;
    if (I < Known)
      Out = Orders[I];
    return I < Known;
  };
}

static std::vector<std::string> split(const std::string &Text, char At) {
  std::vector<std::string> Parts;
  for (size_t Begin = 0; Begin <= Text.size();) {
    size_t End = std::min(Text.find(At, Begin), Text.size());
    Parts.push_back(Text.substr(Begin, End - Begin));
    Begin = End + 1;
  }
  return Parts;
}

bool parseMishaps(const std::string &Text, std::vector<Mishap> &Into) {
  for (const std::string &One : split(Text, ',')) {
    std::vector<std::string> Part = split(One, ':');
    Mishap M;
    if (Part.size() < 3 || Part.size() > 4)
      return false;
    M.Call = Part[0];
#define GPU_IN_SOFTWARE_NAME(NAME, SYMBOL, PARAMETERS) #SYMBOL,
    static const std::set<std::string> Calls = {
        "any", "work", AG_CUDA_CALLS(GPU_IN_SOFTWARE_NAME)};
#undef GPU_IN_SOFTWARE_NAME
    if (!Calls.count(M.Call))
      return false;
    std::vector<std::string> Range = split(Part[1], '-');
    if (Range.size() > 2 || !within(1, UINT32_MAX, M.From)(Range[0]) ||
        !within(M.From, UINT32_MAX, M.To)(Range.back()))
      return false;
    M.Hang = Part[2] == "hang";
    M.Late = Part.size() == 4;
    if ((!M.Hang && !within(1, 99999, M.Result)(Part[2])) ||
        (M.Late && (M.Hang || Part[3] != "late")))
      return false;
    Into.push_back(M);
  }
  return true;
}

// Newer than what agglomcc makes machine code for, so that PTX is taken.
Settings::Settings() { Device.Major = 10; }

std::string Settings::set(const std::string &Name, const std::string &Value) {
  struct Known {
    const char *Name, *Wanted;
    Parser Parse;
  };
  const Known All[] = {
      {"SEED", "a number", within(0, UINT64_MAX, Device.Seed)},
      {"THREADS", "order, reverse, random or warps", order(4, Device.Threads)},
      {"BLOCKS", "order, reverse or random", order(3, Device.Blocks)},
      {"AT_ONCE", "how many blocks run at once, 1 to 65536",
       within(1, 65536, Device.BlocksAtOnce)},
      {"WEAK", "0 or 1", within(0, 1, Device.Weak)},
      {"UNINITIALISED", "0, 1 or 2", within(0, 2, Device.Uninitialised)},
      {"DEVICES", "how many there are, 0 to 16", within(0, 16, Devices)},
      {"MEMORY", "bytes of a device, at least 64K",
       within(1 << 16, UINT64_MAX, Device.MemoryBytes)},
      {"MULTIPROCESSORS", "how many a device has, 1 to 1024",
       within(1, 1024, Device.Multiprocessors)},
      {"CAPABILITY", "10 times the version, 50 to 199",
       [&](const std::string &T) {
         int Both = 0;
         bool Good = within(50, 199, Both)(T);
         Device.Major = Both / 10;
         Device.Minor = Both % 10;
         return Good;
       }},
      {"COMPUTE_MODE", "0 to 3, as CUcomputemode", within(0, 3, ComputeMode)},
      {"VERSION", "of the driver, as 12040", within(1000, 99990, Version)},
      {"LATE", "host calls or microseconds, at most 1000000",
       within(0, 1000000, Late)},
      {"EAGER", "0 or 1", within(0, 1, Eager)},
      {"STRICT", "0 or 1", within(0, 1, Strict)},
      {"CALLS", "0 or 1", within(0, 1, Count)},
      {"FAULT",
       "CALL|any|work:N[-M]:RESULT[:late] or CALL:N:hang, with commas between",
       [&](const std::string &T) { return parseMishaps(T, Mishaps); }},
  };
  for (const Known &K : All)
    if (Name == K.Name)
      return Value.empty() || K.Parse(Value)
                 ? ""
                 : "GPU_IN_SOFTWARE_" + Name + " must be " + K.Wanted +
                       ", not '" + Value + "'";
  return "there is no variable GPU_IN_SOFTWARE_" + Name;
}

std::string Settings::set(const std::string &Text) {
  std::string Wrong;
  Mishaps.clear();
  for (const std::string &One : split(Text, ' ')) {
    size_t Equals = std::min(One.find('='), One.size());
    if (Wrong.empty() && !One.empty())
      Wrong = set(One.substr(0, Equals),
                  One.substr(Equals).substr(Equals < One.size()));
  }
  // Occupancy promises that so many blocks run at once.
  Device.Multiprocessors =
      std::min(Device.Multiprocessors, Device.BlocksAtOnce);
  return Wrong;
}

std::string Settings::read() {
  static const std::string Prefix = "GPU_IN_SOFTWARE_";
  std::string All;
  for (char **E = environ; *E; ++E)
    if (!std::strncmp(*E, Prefix.c_str(), Prefix.size()))
      All += (*E + Prefix.size()) + std::string(" ");
  return set(All);
}

} // namespace gpu_in_software::api
