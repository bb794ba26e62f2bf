// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is asked about the model's host loops, and how they are spoken of.

#include "Model.h"
#include "clang/AST/ASTContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace agglom {

std::string localConstants(const HostLoop &H) {
  std::string S;
  for (const EnumConstantDecl *K : H.Constants)
    S += (S.empty() ? "" : ", ") + K->getNameAsString() + " = " +
         llvm::toString(K->getInitVal(), 10);
  return S.empty() ? S : "enum { " + S + " }; ";
}

std::string privateVariables(const HostLoop &H) {
  std::string S;
  llvm::raw_string_ostream OS(S);
  for (const VarDecl *V : H.Private) {
    const ASTContext &C = V->getASTContext();
    V->getType().getCanonicalType().getUnqualifiedType().print(
        OS, PrintingPolicy(C.getLangOpts()), V->getName());
    OS << "; ";
  }
  return OS.str();
}

std::string spokenName(const Model &M, const FunctionDecl *F) {
  const Task *T = M.find(F);
  return T && T->From ? "a loop of '" + T->From->In->getNameAsString() + "'"
                      : "'" + F->getNameAsString() + "'";
}

std::string spokenName(const Task &T) {
  return T.From ? "the loop" : "task '" + T.Declared->getNameAsString() + "'";
}

QualType capturedType(ASTContext &C, const VarDecl *V) {
  QualType T = V->getType();
  if (T->isArrayType())
    T = C.getArrayDecayedType(T);
  if (!T->isVariablyModifiedType())
    T = T.getCanonicalType();
  return T.getUnqualifiedType();
}

} // namespace agglom
