// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "settings.h"
#include <cstdlib>
#include <cstring>

extern char **environ;

namespace gpu_in_software {

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

template <class T>
static bool number(const std::string &Text, uint64_t Least, uint64_t Most,
                   T &Out) {
  uint64_t Value = 0;
  if (!number(Text, Most, Value) || Value < Least)
    return false;
  Out = static_cast<T>(Value);
  return true;
}

static bool order(const std::string &Text, bool Warps, Order &Out) {
  static const char *const Names[] = {"order", "reverse", "random", "warps"};
  static const Order Orders[] = {Order::InOrder, Order::Reverse, Order::Random,
                                 Order::WarpByWarp};
  for (int I = 0; I < 3 + Warps; ++I)
    if (Text == Names[I]) {
      Out = Orders[I];
      return true;
    }
  return false;
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
    std::vector<std::string> Range = split(Part[1], '-');
    if (Range.size() > 2 || !number(Range[0], 1, UINT32_MAX, M.From) ||
        !number(Range.back(), M.From, UINT32_MAX, M.To))
      return false;
    M.Hang = Part[2] == "hang";
    M.Late = Part.size() == 4;
    if ((!M.Hang && !number(Part[2], 1, 999, M.Result)) ||
        (M.Late && (M.Hang || Part[3] != "late")))
      return false;
    Into.push_back(M);
  }
  return true;
}

std::string Settings::read() {
  struct Known {
    const char *Name, *Wanted;
    bool (*Parse)(const std::string &, Settings &);
  };
  static const Known All[] = {
      {"SEED", "a number",
       [](const std::string &T, Settings &S) {
         return number(T, 0, UINT64_MAX, S.Device.Seed);
       }},
      {"THREADS", "order, reverse, random or warps",
       [](const std::string &T, Settings &S) {
         return order(T, true, S.Device.Threads);
       }},
      {"BLOCKS", "order, reverse or random",
       [](const std::string &T, Settings &S) {
         return order(T, false, S.Device.Blocks);
       }},
      {"AT_ONCE", "how many blocks run at once, 1 to 65536",
       [](const std::string &T, Settings &S) {
         return number(T, 1, 65536, S.Device.BlocksAtOnce);
       }},
      {"WEAK", "0 or 1",
       [](const std::string &T, Settings &S) {
         return number(T, 0, 1, S.Device.Weak);
       }},
      {"UNINITIALISED", "0 or 1",
       [](const std::string &T, Settings &S) {
         return number(T, 0, 1, S.Device.Uninitialised);
       }},
      {"DEVICES", "how many there are, 0 to 16",
       [](const std::string &T, Settings &S) {
         return number(T, 0, 16, S.Devices);
       }},
      {"MEMORY", "bytes of a device, at least 1M",
       [](const std::string &T, Settings &S) {
         return number(T, 1 << 20, UINT64_MAX, S.Device.MemoryBytes);
       }},
      {"MULTIPROCESSORS", "how many a device has, 1 to 1024",
       [](const std::string &T, Settings &S) {
         return number(T, 1, 1024, S.Device.Multiprocessors);
       }},
      {"CAPABILITY", "10 times the version, 50 to 199",
       [](const std::string &T, Settings &S) {
         unsigned Both = 0;
         bool Good = number(T, 50, 199, Both);
         S.Device.Major = static_cast<int>(Both / 10);
         S.Device.Minor = static_cast<int>(Both % 10);
         return Good;
       }},
      {"VERSION", "of the driver, as 12040",
       [](const std::string &T, Settings &S) {
         return number(T, 1000, 99990, S.Version);
       }},
      {"LATE", "host calls or microseconds, at most 1000000",
       [](const std::string &T, Settings &S) {
         return number(T, 0, 1000000, S.Late);
       }},
      {"STRICT", "0 or 1",
       [](const std::string &T, Settings &S) {
         return number(T, 0, 1, S.Strict);
       }},
      {"FAULT", "CALL:N[-M]:RESULT[:late] or CALL:N:hang, with commas between",
       [](const std::string &T, Settings &S) {
         return parseMishaps(T, S.Mishaps);
       }},
  };
  static const std::string Prefix = "GPU_IN_SOFTWARE_";
  for (char **E = environ; *E; ++E) {
    std::string Entry = *E;
    if (Entry.compare(0, Prefix.size(), Prefix))
      continue;
    size_t Equals = Entry.find('=');
    std::string Name = Entry.substr(Prefix.size(), Equals - Prefix.size());
    const Known *Found = nullptr;
    for (const Known &K : All)
      if (Name == K.Name)
        Found = &K;
    if (!Found)
      return "there is no variable " + Prefix + Name;
    std::string Value = Entry.substr(Equals + 1);
    if (!Value.empty() && !Found->Parse(Value, *this))
      return Prefix + Name + " must be " + Found->Wanted + ", not '" + Value +
             "'";
  }
  return "";
}

} // namespace gpu_in_software
