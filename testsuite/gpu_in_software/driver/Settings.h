// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the variables GPU_IN_SOFTWARE_... ask for.
#ifndef GPU_IN_SOFTWARE_SETTINGS_H
#define GPU_IN_SOFTWARE_SETTINGS_H

#include "../machine.h"
#include <string>
#include <vector>

namespace gpu_in_software::api {

/// Calls that are to go wrong: CALL|any|work:N[-M]:RESULT[:late] or
/// CALL:N:hang, where CALL is the name of an entry point, or any. Late: the
/// calls do what they are asked for, and the next one in a context answers the
/// result.
struct Mishap {
  std::string Call;
  uint64_t From = 1, To = 1, Seen = 0;
  int Result = 0;
  bool Late = false, Hang = false;
};

struct Settings {
  Options Device; // of the first one; others have other seeds
  int ComputeMode = 0;
  unsigned Devices = 1;
  uint64_t Late = 20;  // host calls or microseconds; more is rare
  bool Eager = false;  // a call does what it asks for before it returns
  bool Strict = false; // status 86 at the end after a misuse or a leak
  bool Count = false;  // says at the end how many calls there were
  int Version = 12040;
  std::vector<Mishap> Mishaps;

  Settings();
  /// From the environment, or from a text like "DEVICES=2 LATE=0".
  /// \returns what is wrong with it, as a sentence.
  std::string read();
  std::string set(const std::string &Text);

private:
  std::string set(const std::string &Name, const std::string &Value);
};

/// Adds what a text like "any:7:700:late,cuMemAlloc_v2:1:2" asks for.
bool parseMishaps(const std::string &Text, std::vector<Mishap> &Into);

} // namespace gpu_in_software::api

#endif // GPU_IN_SOFTWARE_SETTINGS_H
