// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which checks there are, and in which order.

#include "Check.h"
#include "HostFunctions.h"
#include "clang/Frontend/CompilerInstance.h"

namespace agglom {

CheckedUnit checkUnit(ParsedUnit &U) {
  CheckedUnit Result;
  checkAtomics(U, Result);
  checkDeclared(U, Result);
  checkDataBlocks(U);
  checkTaskAddresses(U);
  for (const auto &T : U.M.Tasks) {
    checkTaskForm(U, *T);
    if (!T->Broken && !T->VariantName.empty() && T->Definition)
      checkVariant(U, *T);
    if (!T->Broken)
      checkAccumulate(U, Result, *T);
    if (T->Broken || !T->Definition)
      continue;
    if (!T->onDevice()) {
      if (T->From) {
        checkLoops(U, *T);
        checkHostLoop(U, *T);
        if (!T->Broken)
          warnDependences(U, *T);
      }
      continue;
    }
    DeviceClosure C;
    if (T->From) // the loop's head defines the iterations
      checkLoops(U, *T);
    checkClosure(U, *T, T->Definition, C);
    checkRecursion(U, Result, *T, C);
    checkNoHostLoop(U, *T, C);
    checkPointers(U, *T, C);
    if (T->Variant) { // the kernel is made of the variant
      DeviceClosure V;
      checkClosure(U, *T, T->Variant, V);
      checkRecursion(U, Result, *T, V);
      checkPointers(U, *T, V);
      checkSharedSize(U, *T, V);
      for (const auto &Each : C.FunctionNames)
        V.FunctionNames.insert(Each);
      C = std::move(V);
    }
    if (T->From)
      checkHostLoop(U, *T);
    else
      checkLoops(U, *T);
    if (!T->Broken && !U.CI.getDiagnostics().getIgnoreAllWarnings())
      advise(U, *T);
    if (!T->Broken) {
      chooseMapping(U, Result, *T);
      findOverwrites(U, *T);
      warnDependences(U, *T);
    }
    Result.Closures.emplace(T.get(), std::move(C));
  }
  findLeaves(U, Result);
  if (!U.M.Tasks.empty() && !U.CI.getDiagnostics().getIgnoreAllWarnings() &&
      !U.CI.getDiagnostics().hasErrorOccurred())
    warnUnwaited(U, Result);
  return Result;
}

} // namespace agglom
