// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written function of clause 'variant', which becomes the kernel
// instead of the task's body: its form, and constructs that only it may use.

#include "DeviceLibrary.h"
#include "Rules.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace agglom {

/// Whether two parameters have the same type. Array sizes are expressions over
/// the parameters of each function: they are equal when they name the same
/// parameters.
static bool sameType(ASTContext &C, QualType A, QualType B) {
  if (!A->isVariablyModifiedType() || !B->isVariablyModifiedType())
    return C.hasSameType(A, B);
  if (A->isPointerType() && B->isPointerType())
    return sameType(C, A->getPointeeType(), B->getPointeeType());
  const ArrayType *X = C.getAsArrayType(A), *Y = C.getAsArrayType(B);
  if (!X || !Y || X->getTypeClass() != Y->getTypeClass())
    return false;
  if (auto *K = dyn_cast<ConstantArrayType>(X)) {
    if (K->getSize() != cast<ConstantArrayType>(Y)->getSize())
      return false;
  } else if (auto *V = dyn_cast<VariableArrayType>(X)) {
    const Expr *M = V->getSizeExpr();
    const Expr *N = cast<VariableArrayType>(Y)->getSizeExpr();
    llvm::FoldingSetNodeID IdM, IdN;
    if (M)
      M->Profile(IdM, C, /*Canonical=*/true);
    if (N)
      N->Profile(IdN, C, /*Canonical=*/true);
    if (IdM != IdN)
      return false;
  } else {
    return false;
  }
  return sameType(C, X->getElementType(), Y->getElementType());
}

/// \returns what is wrong with the form of \p F, or "".
static std::string wrongForm(const FunctionDecl *F, const Task &T) {
  if (!F->getReturnType()->isVoidType())
    return "it returns '" + F->getReturnType().getAsString() + "'";
  if (F->isVariadic())
    return "it takes variable arguments";
  if (!F->hasPrototype() || !F->getFunctionTypeLoc())
    return "its parameters are not spelt in its declaration";
  unsigned Has = F->getNumParams(), Wanted = T.Definition->getNumParams();
  if (Has != Wanted)
    return "it has " + std::to_string(Has) + ", and the task has " +
           std::to_string(Wanted);
  return "";
}

void checkVariant(ParsedUnit &U, Task &T) {
  T.Broken = true; // unless all is well
  const FunctionDecl *F = T.Variant;
  if (!F) {
    U.Report.report(T.VariantLoc, diag::variant_unknown)
        << T.VariantName << T.Definition;
    return;
  }
  if (U.M.find(F)) {
    U.Report.report(T.VariantLoc, diag::variant_task) << F << T.Definition;
    return;
  }
  std::string Wrong = wrongForm(F, T);
  if (!Wrong.empty()) {
    U.Report.report(F->getLocation(), diag::variant_signature)
        << F << T.Definition << Wrong;
    U.Report.report(T.VariantLoc, diag::note_variant_here);
    return;
  }
  bool Ok = true;
  for (unsigned I = 0; I < F->getNumParams(); ++I) {
    const ParmVarDecl *Has = F->getParamDecl(I);
    const ParmVarDecl *Wanted = T.Definition->getParamDecl(I);
    if (Has->getName().empty()) {
      U.Report.report(Has->getLocation(), diag::task_parameter_unnamed);
      Ok = false;
    } else if (!sameType(U.Context, Has->getType().getUnqualifiedType(),
                         Wanted->getType().getUnqualifiedType())) {
      U.Report.report(Has->getLocation(), diag::variant_parameter)
          << Has << F << Has->getType() << Wanted << Wanted->getType();
      U.Report.report(T.VariantLoc, diag::note_variant_here);
      Ok = false;
    }
  }
  T.Broken = !Ok;
}

bool isTeamFunction(const ASTContext &C, const FunctionDecl *F) {
  if (!F->getIdentifier() || !isTeamFunctionName(F->getName()))
    return false;
  PresumedLoc P = C.getSourceManager().getPresumedLoc(F->getLocation());
  return P.isValid() && StringRef(P.getFilename()).ends_with("agglom/device.h");
}

void checkSharedSize(ParsedUnit &U, Task &T, const DeviceClosure &C) {
  const uint64_t Most = 48 << 10;   // every device has it
  const uint64_t Scratch = 8 << 10; // of AG_DEFINE_REDUCTION
  uint64_t Bytes = 0;
  for (const std::string &Name : C.Library)
    if (isTeamReduction(Name))
      Bytes = Scratch;
  if (!C.Recursive.empty())
    Bytes += 4 << 10; // where the threads' stacks begin
  for (const VarDecl *V : C.Shared) {
    uint64_t Align = U.Context.getDeclAlign(V).getQuantity();
    Bytes = (Bytes + Align - 1) / Align * Align +
            U.Context.getTypeSizeInChars(V->getType()).getQuantity();
    if (Bytes <= Most)
      continue;
    U.Report.report(V->getLocation(), diag::shared_size)
        << V << T.Definition << std::to_string(Bytes) << std::to_string(Most);
    U.Report.report(T.VariantLoc, diag::note_variant_here);
    T.Broken = true;
    return;
  }
}

} // namespace agglom
