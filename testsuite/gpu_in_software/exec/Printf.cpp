// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vprintf and __assertfail.

#include "Table.h"
#include <algorithm>

namespace gpu_in_software::machine {

namespace {

/// What the caller passes as the parameter of this number.
uint64_t argument(Thread &X, const CallSite &Site, size_t Number) {
  const Passed &P = Site.In[Number];
  uint64_t V = 0;
  memcpy(&V, X.passed(P), std::min(P.Bytes, 8u));
  return V;
}

std::string text(Thread &X, const Inst *I, Address At) {
  std::string S;
  while (char C = static_cast<char>(readGeneric(X, I, At++, 1)))
    S += C;
  return S;
}

/// The arguments lie one behind another, each aligned to its size.
class Arguments {
public:
  Arguments(Thread &X, const Inst *I, Address At) : X(X), I(I), At(At) {}
  uint64_t next(unsigned Bytes) {
    At = (At + Bytes - 1) / Bytes * Bytes;
    uint64_t V = readGeneric(X, I, At, Bytes);
    At += Bytes;
    ++Count;
    return V;
  }
  int Count = 0;

private:
  Thread &X;
  const Inst *I;
  Address At;
};

/// One conversion of a format, from '%' on.
std::string converted(Thread &X, const Inst *I, std::string Spec,
                      Arguments &From) {
  for (size_t Star; (Star = Spec.find('*')) != std::string::npos;)
    Spec.replace(Star, 1, std::to_string(static_cast<int32_t>(From.next(4))));
  char Kind = Spec.back();
  // Of a length only its size counts: l and ll, j, z and t are 8 bytes.
  std::string Flags;
  bool Long = false;
  unsigned Halves = 0;
  for (char C : Spec.substr(0, Spec.size() - 1)) {
    Long |= strchr("ljztLq", C) != nullptr;
    Halves += C == 'h';
    if (!strchr("ljztLqh", C))
      Flags += C;
  }
  char Out[512];
  if (strchr("dicouxX", Kind)) {
    uint64_t V = From.next(Long && Kind != 'c' ? 8 : 4);
    bool Signed = Kind == 'd' || Kind == 'i';
    if (!Long && Signed)
      V = static_cast<uint64_t>(static_cast<int32_t>(V));
    if (Halves)
      V = Signed ? static_cast<uint64_t>(Halves > 1 ? int8_t(V) : int16_t(V))
          : Halves > 1 ? uint8_t(V)
                       : uint16_t(V);
    if (Kind == 'c')
      snprintf(Out, sizeof Out, (Flags + 'c').c_str(), static_cast<int>(V));
    else
      snprintf(Out, sizeof Out, (Flags + "ll" + Kind).c_str(),
               static_cast<long long>(V));
    return Out;
  }
  if (strchr("eEfFgGaA", Kind)) {
    double V = get<double>(From.next(8));
    snprintf(Out, sizeof Out, (Flags + Kind).c_str(), V);
    return Out;
  }
  uint64_t V = From.next(8);
  if (Kind == 'p') {
    snprintf(Out, sizeof Out, (Flags + 'p').c_str(),
             reinterpret_cast<void *>(V));
    return Out;
  }
  std::string S = text(X, I, V);
  std::string Result(S.size() + 512, 0);
  int N = snprintf(&Result[0], Result.size(), (Flags + 's').c_str(), S.c_str());
  Result.resize(static_cast<size_t>(std::max(0, N)));
  return Result;
}

const Inst *print(Thread &X, const Inst *I) {
  const CallSite &Site = X.Function->Calls[I->More];
  if (Site.In.size() != 2)
    fault(I, InvalidPc, "vprintf has two parameters");
  std::string Format = text(X, I, argument(X, Site, 0)), Result;
  Arguments From(X, I, argument(X, Site, 1));
  for (size_t At = 0; At < Format.size();) {
    if (Format[At] != '%') {
      Result += Format[At++];
      continue;
    }
    size_t End = Format.find_first_of("diouxXcspeEfFgGaA%", At + 1);
    if (End == std::string::npos) { // no conversion: as it stands
      Result += Format.substr(At);
      break;
    }
    if (Format[End] == '%')
      Result += '%';
    else
      Result += converted(X, I, Format.substr(At, End + 1 - At), From);
    At = End + 1;
  }
  Output &To = X.Run->Printed;
  if (To.Text.size() + Result.size() <= To.Limit)
    To.Text += Result;
  ++X.Run->Changes;
  if (!Site.Out.empty()) {
    const Passed &P = Site.Out[0];
    uint64_t V = static_cast<uint32_t>(From.Count);
    memcpy(X.passed(P), &V, std::min(P.Bytes, 8u));
  }
  X.PC = I + 1;
  return nullptr;
}

/// __assertfail(text, file, line, function, size of a character)
const Inst *assertFail(Thread &X, const Inst *I) {
  const CallSite &Site = X.Function->Calls[I->More];
  if (Site.In.size() != 5)
    fault(I, InvalidPc, "__assertfail has five parameters");
  auto part = [&](size_t N) { return text(X, I, argument(X, Site, N)); };
  auto triple = [](const unsigned *Id) {
    return "[" + std::to_string(Id[0]) + "," + std::to_string(Id[1]) + "," +
           std::to_string(Id[2]) + "]";
  };
  std::string Message =
      part(1) + ":" +
      std::to_string(static_cast<uint32_t>(argument(X, Site, 2))) + ": " +
      part(3) + ": block: " + triple(X.In->Id) + ", thread: " + triple(X.Id) +
      " Assertion `" + part(0) + "` failed.";
  X.Run->Printed.Text += Message + "\n";
  fault(I, AssertFailed, Message);
}

} // namespace

/// What is part of every device.
Handler builtin(const std::string &Name) {
  return Name == "vprintf"        ? print
         : Name == "__assertfail" ? assertFail
                                  : nullptr;
}

} // namespace gpu_in_software::machine
