// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fuzz.h"
#include "Invocation.h"
#include "Steps.h"
#include "clang/Frontend/FrontendActions.h"

using namespace clang;

namespace agglom::fuzz {

static bool parses(std::vector<std::string> Args, const std::string &Text) {
  Unit U;
  U.Args = std::move(Args);
  U.StdinText = Text;
  SyntaxOnlyAction Action;
  return runAction(U, Talk::Silent, Action);
}

std::string examine(const std::string &UnitText) {
  Unit U;
  U.Args = {AGGLOM_CLANG_PATH,
            "-fsyntax-only",
            "-Wall",
            "-I",
            IncludeDir,
            "-x",
            "c",
            "-"};
  U.StdinText = UnitText;
  Fault Failure;
  bool Accepted = check(U, Failure);

  Preprocessed P = preprocess(U);
  if (Accepted && !P.Ok)
    return "check() accepts a unit that preprocess() does not";
  if (!P.Ok || !P.Annotated)
    return "";

  Translation T = translate(U, P.Text);
  if (!Accepted)
    return T.Ok ? "translate() accepts a unit that check() refuses" : "";
  if (!T.Ok)
    return "check() accepts a unit that translate() does not: " + T.Error +
           T.Failure.Said;

  // What was made of the unit is C.
  std::string Images = packImages(T, {});
  if (!parses(
          {AGGLOM_CLANG_PATH, "-fsyntax-only", "-w", "-x", "cpp-output", "-"},
          T.HostText + Images))
    return "the host text does not compile";
  if (!T.DeviceText.empty() &&
      !parses({AGGLOM_CLANG_PATH, "--target=nvptx64-nvidia-cuda", "-nogpulib",
               "-fsyntax-only", "-x", "c", "-ffreestanding", "-nostdlibinc",
               "-w", "-std=gnu11", "-I", IncludeDir, "-DAG_MATHS_LIBDEVICE",
               "-"},
              T.DeviceText))
    return "the kernel text does not compile";
  return "";
}

} // namespace agglom::fuzz
