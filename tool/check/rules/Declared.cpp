// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions and objects under `declare`, which device code of other units may
// use. A function is checked as if it were the body of a task whose pointers
// all come from callers. Errors are at its own line, whether some unit calls it
// or not.

#include "Rules.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace agglom {

static bool checkFunction(ParsedUnit &U, const Task &T) {
  const FunctionDecl *F = T.Declared;
  auto fail = [&](diag::Id D) {
    U.Report.report(F->getLocation(), D) << F;
    U.Report.report(T.Loc, diag::note_declare_here);
    return false;
  };
  if (U.M.find(F))
    return fail(diag::declare_task);
  if (F->isMain() || F->isVariadic() ||
      !F->getType()->getAs<FunctionProtoType>())
    return fail(diag::declare_form);
  if (F->getFormalLinkage() == Linkage::Internal || F->isInlineSpecified())
    return fail(diag::declare_local);
  if (!llvm::isASCII(F->getName()))
    return fail(diag::device_name);
  return true;
}

static bool holdsAddresses(ASTContext &Context, QualType Type) {
  Type = Context.getBaseElementType(Type);
  if (Type->isAnyPointerType())
    return true;
  if (const auto *R = Type->getAsRecordDecl())
    for (const FieldDecl *F : R->fields())
      if (holdsAddresses(Context, F->getType()))
        return true;
  return false;
}

static void checkObject(ParsedUnit &U, const DeclaredObject &O) {
  const VarDecl *V = O.Var;
  auto fail = [&](diag::Id D) {
    U.Report.report(V->getLocation(), D) << V;
    U.Report.report(O.Loc, diag::note_declare_here);
  };
  QualType Base = U.Context.getBaseElementType(V->getType());
  if (V->getTLSKind() != VarDecl::TLS_None || Base.isVolatileQualified())
    return fail(diag::device_volatile_global);
  if (!Base.isConstQualified())
    return fail(diag::declare_not_const);
  if (V->getFormalLinkage() == Linkage::Internal)
    return fail(diag::declare_local);
  if (Base->isSpecificBuiltinType(BuiltinType::LongDouble))
    return fail(diag::device_long_double);
  if (holdsAddresses(U.Context, V->getType()))
    return fail(diag::declare_addresses);
  if (!llvm::isASCII(V->getName()))
    return fail(diag::device_name);
}

void checkDeclared(ParsedUnit &U, CheckedUnit &Result) {
  for (const DeclaredObject &O : U.M.DeclaredObjects)
    checkObject(U, O);
  for (const auto &T : U.M.DeclaredFunctions) {
    if (!checkFunction(U, *T) || !T->Definition)
      continue;
    DeviceClosure C;
    checkClosure(U, *T, T->Definition, C);
    checkRecursion(U, Result, *T, C);
    checkPointers(U, *T, C);
    Result.Closures.emplace(T.get(), std::move(C));
  }
}

} // namespace agglom
