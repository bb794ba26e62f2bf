// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Check.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/TypeLoc.h"

using namespace clang;

namespace agglom {

/// double A[n][m], with sizes that may be evaluated again where a unit runs.
static bool isArrayOfVariableSize(ParsedUnit &U, const ParmVarDecl *P) {
  QualType T = P->getType();
  if (!T->isPointerType())
    return false;
  T = T->getPointeeType();
  while (const ArrayType *A = U.Context.getAsArrayType(T)) {
    if (auto *VLA = dyn_cast<VariableArrayType>(A))
      if (!VLA->getSizeExpr() || VLA->getSizeExpr()->HasSideEffects(U.Context))
        return false;
    T = A->getElementType();
  }
  return !T->isVariablyModifiedType();
}

/// void f(struct s { int a; } *p)
static const TagDecl *definedAmongParameters(ParsedUnit &U,
                                             const FunctionDecl *F,
                                             const ParmVarDecl *P) {
  FunctionTypeLoc List = F->getFunctionTypeLoc();
  QualType T = U.Context.getBaseElementType(P->getOriginalType());
  while (T->isPointerType())
    T = U.Context.getBaseElementType(T->getPointeeType());
  const TagDecl *Tag = T->getAsTagDecl();
  Tag = Tag ? Tag->getDefinition() : nullptr;
  const SourceManager &SM = U.Context.getSourceManager();
  return Tag && List &&
                 SM.isBeforeInTranslationUnit(List.getLParenLoc(),
                                              Tag->getLocation()) &&
                 SM.isBeforeInTranslationUnit(Tag->getLocation(),
                                              List.getRParenLoc())
             ? Tag
             : nullptr;
}

static void checkParameters(ParsedUnit &U, Task &T, const FunctionDecl *F) {
  for (const ParmVarDecl *P : F->parameters()) {
    QualType Written = P->getOriginalType();
    if (const TagDecl *Tag = definedAmongParameters(U, F, P)) {
      U.Report.report(Tag->getLocation(), diag::task_parameter_defines) << P;
      T.Broken = true;
      continue;
    }
    bool Variable = P->getType()->isVariablyModifiedType() ||
                    Written->isVariablyModifiedType();
    if (Variable && !isArrayOfVariableSize(U, P)) {
      U.Report.report(P->getLocation(), diag::task_parameter_type)
          << P
          << "a variable-length type other than an array or a pointer to one, "
             "with sizes made of parameters";
      T.Broken = true;
    } else if (T.onDevice() && P->getType()->isFunctionPointerType()) {
      U.Report.report(P->getLocation(), diag::task_parameter_type)
          << P << "a function pointer type";
      T.Broken = true;
    } else if (P->getType().isVolatileQualified()) {
      U.Report.report(P->getLocation(), diag::task_parameter_type)
          << P << "a volatile type";
      T.Broken = true;
    }
    if (F->doesThisDeclarationHaveABody() && P->getName().empty()) {
      U.Report.report(P->getLocation(), diag::task_parameter_unnamed);
      T.Broken = true;
    }
  }
}

/// The pragma in the .c file and not in its header: other files would make
/// plain calls and nobody would know.
static void checkHeaders(ParsedUnit &U, const Task &T) {
  const SourceManager &SM = U.Context.getSourceManager();
  for (const FunctionDecl *F : T.Declared->redecls()) {
    if (F->isImplicit() || F == T.Declared || !carriedBy(*F).empty() ||
        F == T.Definition ||
        SM.isWrittenInSameFile(SM.getExpansionLoc(F->getLocation()),
                               SM.getExpansionLoc(T.Declared->getLocation())))
      continue;
    U.Report.report(F->getLocation(), diag::task_header) << F;
    U.Report.report(T.Loc, diag::note_pragma_here);
    return;
  }
}

void checkTaskForm(ParsedUnit &U, Task &T) {
  const FunctionDecl *F = T.Declared;
  auto fail = [&](diag::Id D, SourceLocation Loc) {
    U.Report.report(Loc, D) << F;
    T.Broken = true;
  };
  if (F->isMain())
    return fail(diag::task_main, F->getLocation());
  if (!F->getReturnType()->isVoidType())
    return fail(diag::task_returns,
                F->getReturnTypeSourceRange().isValid()
                    ? F->getReturnTypeSourceRange().getBegin()
                    : F->getLocation());
  if (F->isVariadic())
    return fail(diag::task_variadic, F->getLocation());
  if (!F->hasPrototype())
    return fail(diag::task_no_prototype, F->getLocation());
  if (!F->getFunctionTypeLoc())
    return fail(diag::task_declarator, F->getLocation());
  checkParameters(U, T, F);
  checkHeaders(U, T);
  if (T.Definition && T.Definition != F)
    checkParameters(U, T, T.Definition);
}

/// A task whose address is taken would be called without being submitted. The
/// loop over children is for speed: it goes through every function of every
/// header.
static void findAddressTaken(ParsedUnit &U, const Stmt *S) {
  if (!S)
    return;
  if (auto *E = dyn_cast<DeclRefExpr>(S)) {
    auto *F = dyn_cast<FunctionDecl>(E->getDecl());
    if (const Task *T = F ? U.M.find(F) : nullptr) {
      U.Report.report(E->getLocation(), diag::task_address) << F;
      U.Report.report(T->Loc, diag::note_pragma_here);
    }
    return;
  }
  if (auto *B = dyn_cast<BlockExpr>(S))
    return findAddressTaken(U, B->getBody());
  auto *Call = dyn_cast<CallExpr>(S);
  const Stmt *Callee =
      Call && Call->getDirectCallee() ? Call->getCallee() : nullptr;
  for (const Stmt *Child : S->children())
    if (!Child || Child != Callee)
      findAddressTaken(U, Child);
}

static void checkAddresses(ParsedUnit &U) {
  for (const DeclGroup &Group : U.Groups)
    for (const Decl *D : Group)
      if (auto *V = dyn_cast<VarDecl>(D))
        findAddressTaken(U, V->getInit());
      else if (auto *F = dyn_cast<FunctionDecl>(D);
               F && F->doesThisDeclarationHaveABody())
        findAddressTaken(U, F->getBody());
}

CheckedUnit checkUnit(ParsedUnit &U) {
  CheckedUnit Result;
  checkAtomics(U, Result);
  checkDeclared(U, Result);
  checkDataBlocks(U);
  if (!U.M.Tasks.empty())
    checkAddresses(U);
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
      }
      continue;
    }
    DeviceClosure C;
    checkClosure(U, *T, T->Definition, C);
    checkRecursion(U, Result, *T, C);
    checkNoHostLoop(U, *T, C);
    checkPointers(U, *T, C);
    if (T->Variant) { // which the kernel is made of
      DeviceClosure V;
      checkClosure(U, *T, T->Variant, V);
      checkRecursion(U, Result, *T, V);
      checkPointers(U, *T, V);
      checkSharedSize(U, *T, V);
      V.FunctionNames.insert(C.FunctionNames.begin(), C.FunctionNames.end());
      C = std::move(V);
    }
    if (U.M.ForNvcc)
      checkForNvcc(U, *T, C);
    checkLoops(U, *T);
    if (T->From)
      checkHostLoop(U, *T);
    if (!T->Broken && !U.CI.getDiagnostics().getIgnoreAllWarnings())
      advise(U, *T);
    if (!T->Broken) {
      chooseMapping(U, Result, *T);
      findOverwrites(U, *T);
      warnDependences(U, *T);
    }
    Result.Closures.emplace(T.get(), std::move(C));
  }
  if (!U.M.Tasks.empty() && !U.CI.getDiagnostics().getIgnoreAllWarnings() &&
      !U.CI.getDiagnostics().hasErrorOccurred())
    warnUnwaited(U, Result);
  return Result;
}

} // namespace agglom
