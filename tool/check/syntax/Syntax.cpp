// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Syntax.h"
#include "PragmaHandler.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"

using namespace clang;

namespace agglom {

const VarDecl *variableOf(const Expr *E) {
  if (!E)
    return nullptr;
  auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

std::optional<int64_t> constantOf(const Expr *E, const ASTContext &C,
                                  unsigned Bits) {
  Expr::EvalResult Value;
  if (!E || E->isValueDependent() || !E->EvaluateAsInt(Value, C) ||
      !Value.Val.getInt().isRepresentableByInt64() ||
      !llvm::isIntN(Bits, Value.Val.getInt().getExtValue()))
    return std::nullopt;
  return Value.Val.getInt().getExtValue();
}

static const VarDecl *named(const Expr *E) {
  auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
  return Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
}

void changedBy(const Stmt *St, std::set<const VarDecl *> &Found) {
  if (!St)
    return;
  const Expr *Target = nullptr;
  if (auto *B = dyn_cast<BinaryOperator>(St); B && B->isAssignmentOp())
    Target = B->getLHS();
  else if (auto *Un = dyn_cast<UnaryOperator>(St);
           Un && Un->isIncrementDecrementOp())
    Target = Un->getSubExpr();
  if (Target)
    if (const VarDecl *V = named(Target))
      Found.insert(V);
  for (const Stmt *Child : St->children())
    changedBy(Child, Found);
}

void takenBy(const Stmt *St, std::set<const VarDecl *> &Found) {
  if (!St)
    return;
  if (auto *Un = dyn_cast<UnaryOperator>(St);
      Un && Un->getOpcode() == UO_AddrOf)
    if (const VarDecl *V = named(Un->getSubExpr()))
      Found.insert(V);
  for (const Stmt *Child : St->children())
    takenBy(Child, Found);
}

StringRef libraryName(const FunctionDecl *F) {
  StringRef Name = F && F->getIdentifier() ? F->getName() : "";
  Name.consume_front("__builtin_");
  if (Name.consume_back("_chk"))
    Name.consume_front("__");
  return Name;
}

bool isBlockShared(const VarDecl *V) {
  return V->isStaticLocal() && V->getTLSKind() != VarDecl::TLS_None &&
         V->hasAttr<UnusedAttr>();
}

bool isDeclaredElsewhere(const FunctionDecl *F) {
  return !F->hasBody() && llvm::any_of(F->redecls(), [](const FunctionDecl *R) {
    return !carriedBy(*R).empty();
  });
}

} // namespace agglom
