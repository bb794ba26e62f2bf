// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "testing.h"
#include "Driver.h"
#include <cstring>

using namespace gpu_in_software::api;

static const char *set(const char *Text) {
  static std::string Wrong;
  Driver &D = driver();
  D.Configured = true;
  return (Wrong = D.Wanted.set(Text)).c_str();
}

const char *gpu_in_software_reset(const char *Text) {
  Driver &D = driver();
  std::unique_lock<std::mutex> Held(D.Lock);
  for (Device &Each : D.Devices) {
    if (Each.Gpu)
      Each.destroy(Held);
    Each.Retained = 0;
  }
  forgetContexts();
  D.Host.clear();
  D.Wanted = Settings();
  D.Each = nullptr;
  D.Hang = false;
  D.Pending = 0;
  D.Seen = gpu_in_software_counts();
  D.Calls.clear();
  return set(Text);
}

const char *gpu_in_software_set(const char *Text) {
  std::lock_guard<std::mutex> Held(driver().Lock);
  return set(Text);
}

gpu_in_software_counts gpu_in_software_seen() {
  Driver &D = driver();
  std::lock_guard<std::mutex> Held(D.Lock);
  gpu_in_software_counts S = D.Seen;
  auto Count = [](size_t N) { return static_cast<unsigned>(N); };
  for (const Device &Each : D.Devices) {
    S.retained += Each.Retained;
    S.memory += Count(Each.Memory.size());
  }
  for (const auto &H : D.Host)
    ++(H.second.Registered ? S.registered : S.host_memory);
  S.pushed = Count(pushedContexts());
  S.streams = Count(D.Streams.Live.size());
  S.events = Count(D.Events.Live.size());
  S.modules = Count(D.Modules.Live.size());
  S.links = Count(D.Links.Live.size());
  return S;
}

unsigned gpu_in_software_calls(const char *Symbol) {
  std::lock_guard<std::mutex> Held(driver().Lock);
  for (const auto &Each : driver().Calls)
    if (!std::strcmp(Each.first, Symbol))
      return Each.second;
  return 0;
}

void gpu_in_software_each(void (*Visit)(const char *)) {
  driver().Each = Visit;
}
