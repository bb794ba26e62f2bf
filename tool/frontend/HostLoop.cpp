// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of the model's host loops, and their names in messages.

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

std::string unnamedKind(QualType T) {
  const TagDecl *Tag = T->getAsTagDecl();
  if (!Tag || Tag->getIdentifier() || Tag->getTypedefNameForAnonDecl())
    return "";
  return Tag->isEnum() ? "enumeration" : Tag->isUnion() ? "union" : "structure";
}

QualType capturedType(ASTContext &C, const VarDecl *V) {
  QualType T = V->getType();
  if (T->isArrayType())
    T = C.getArrayDecayedType(T);
  if (!T->isVariablyModifiedType())
    T = T.getCanonicalType();
  // An enumeration without a name cannot be named; its values are numbers.
  if (auto *Enum = T->getAs<EnumType>(); Enum && !unnamedKind(T).empty())
    if (const EnumDecl *D = Enum->getDecl()->getDefinition())
      T = D->getIntegerType();
  return T.getUnqualifiedType();
}

} // namespace agglom
