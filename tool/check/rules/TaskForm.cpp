// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Rules.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/TypeLoc.h"

using namespace clang;

namespace agglom {

/// Whether \p P is double A[n][m] or the like, with sizes that may be evaluated
/// again where a unit runs.
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

/// The type that the parameter list itself defines, as in void f(struct s { int
/// a; } *p); else null.
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

/// Reports a pragma in the .c file that is missing in its header: other files
/// would make plain calls, without a warning.
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

/// "f(int n, double *x)" of a function whose parameters are declared behind the
/// parentheses.
static std::string prototypeOf(const FunctionDecl *F) {
  PrintingPolicy Policy(F->getASTContext().getLangOpts());
  std::string S;
  for (const ParmVarDecl *P : F->parameters()) {
    std::string Declared = P->getNameAsString();
    P->getOriginalType().getAsStringInternal(Declared, Policy);
    S += (S.empty() ? "" : ", ") + Declared;
  }
  return F->getNameAsString() + "(" + S + ")";
}

void checkTaskForm(ParsedUnit &U, Task &T) {
  const FunctionDecl *F = T.Declared;
  auto fail = [&](diag::Id D, SourceLocation Loc) {
    U.Report.report(Loc, D) << F;
    T.Broken = true;
  };
  if (F->isMain())
    return fail(diag::task_main, F->getLocation());
  if (!F->getReturnType()->isVoidType()) {
    T.Broken = true;
    std::string Result = "result";
    U.Context.getPointerType(F->getReturnType().getUnqualifiedType())
        .getAsStringInternal(Result, PrintingPolicy(U.Context.getLangOpts()));
    U.Report.report(F->getReturnTypeSourceRange().isValid()
                        ? F->getReturnTypeSourceRange().getBegin()
                        : F->getLocation(),
                    diag::task_returns)
        << F << Result;
    return;
  }
  if (F->isVariadic())
    return fail(diag::task_variadic, F->getLocation());
  if (!F->hasPrototype()) {
    T.Broken = true;
    if (F->param_empty())
      U.Report.report(F->getLocation(), diag::task_no_prototype)
          << F->getName();
    else
      U.Report.report(F->getLocation(), diag::task_old_style) << prototypeOf(F);
    return;
  }
  if (!F->getFunctionTypeLoc())
    return fail(diag::task_declarator, F->getLocation());
  checkParameters(U, T, F);
  checkHeaders(U, T);
  if (T.Definition && T.Definition != F)
    checkParameters(U, T, T.Definition);
}

} // namespace agglom
