// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostWalker.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

void HostWalk::object(const Expr *E) {
  E = E->IgnoreParens();
  if (isa<DeclRefExpr>(E))
    return;
  if (auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
    value(A->getBase());
    return value(A->getIdx());
  }
  if (auto *M = dyn_cast<MemberExpr>(E))
    return M->isArrow() ? value(M->getBase()) : object(M->getBase());
  if (auto *Un = dyn_cast<UnaryOperator>(E); Un && Un->getOpcode() == UO_Deref)
    return value(Un->getSubExpr());
  for (const Stmt *Child : E->children())
    visit(Child);
}

void HostWalk::stored(const Expr *Target, const Expr *E) {
  object(Target);
  access(placeOf(Target), HostUse::Write, E);
  QualType T = Target->getType();
  auto *M = dyn_cast<MemberExpr>(Target->IgnoreParens());
  auto *Field = M ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
  if (const VarDecl *V = variableOf(Target); V && !T->isRecordType()) {
    forget([V](const VarDecl *Other) { return Other == V; });
  } else if (T->isPointerType() || T->isRecordType() || T->isCharType() ||
             (Field && Field->getParent()->isUnion())) {
    forgetPaths(); // bytes of a pointer, perhaps
    if (!M)        // *where = q
      forget([&](const VarDecl *V) {
        return V->hasGlobalStorage() || Taken.count(V);
      });
  }
}

void HostWalk::unused(const Expr *E) {
  auto *Cast = dyn_cast<ImplicitCastExpr>(E->IgnoreParens());
  if (Cast && Cast->getCastKind() == CK_LValueToRValue &&
      !Cast->getSubExpr()->getType().isVolatileQualified())
    return object(Cast->getSubExpr());
  value(E);
}

void HostWalk::value(const Expr *E) {
  E = E->IgnoreParens();
  if (isa<UnaryExprOrTypeTraitExpr, OffsetOfExpr>(E))
    return;
  if (auto *G = dyn_cast<GenericSelectionExpr>(E))
    return value(G->getResultExpr());
  if (auto *C = dyn_cast<ChooseExpr>(E))
    return value(C->getChosenSubExpr());
  if (auto *Cast = dyn_cast<CastExpr>(E)) {
    const Expr *Sub = Cast->getSubExpr();
    if (Cast->getCastKind() == CK_ArrayToPointerDecay)
      return object(Sub);
    if (Cast->getCastKind() == CK_ToVoid)
      return unused(Sub);
    if (Cast->getCastKind() != CK_LValueToRValue)
      return value(Sub);
    object(Sub);
    return access(placeOf(Sub), HostUse::Read, Sub);
  }
  if (auto *Un = dyn_cast<UnaryOperator>(E)) {
    if (Un->getOpcode() == UO_AddrOf)
      return object(Un->getSubExpr());
    if (Un->isIncrementDecrementOp())
      return stored(Un->getSubExpr(), Un);
    return value(Un->getSubExpr());
  }
  if (auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->isAssignmentOp()) {
      value(B->getRHS());
      if (const VarDecl *V = variableOf(B->getLHS());
          V && B->getOpcode() == BO_Assign)
        points(V, B->getRHS());
      return stored(B->getLHS(), B->getLHS());
    }
    value(B->getLHS());
    if (B->isLogicalOp()) {
      std::optional<int64_t> Left = constantOf(B->getLHS(), Context);
      if (Left && (*Left != 0) == (B->getOpcode() == BO_LOr))
        return;
      return choice({B->getRHS()}, false);
    }
    return value(B->getRHS());
  }
  if (auto *C = dyn_cast<AbstractConditionalOperator>(E)) {
    visit(C->getCond());
    if (std::optional<int64_t> Always = constantOf(C->getCond(), Context))
      return visit(*Always ? C->getTrueExpr() : C->getFalseExpr());
    return choice({C->getTrueExpr(), C->getFalseExpr()}, true);
  }
  if (auto *Call = dyn_cast<CallExpr>(E))
    return call(Call);
  if (auto *Block = dyn_cast<StmtExpr>(E))
    return visit(Block->getSubStmt());
  if (isa<AtomicExpr>(E) && !Cautious)
    waited(); // as above
  for (const Stmt *Child : E->children())
    visit(Child);
}

void HostWalk::call(const CallExpr *C) {
  const FunctionDecl *F = C->getDirectCallee();
  if (!F)
    value(C->getCallee());
  for (const Expr *A : C->arguments())
    value(A);
  if (!F || Functions.mayWait(F)) {
    updated();
    if (Cautious && !F)
      return unknown(C);
    waited();
    return F ? leftBehind(F, C) : void();
  }
  if (const Task *T = U.M.find(F)) {
    if (T->Broken)
      return waited();
    for (const Section &S : T->Sections)
      for (const SectionDim &D : S.Dims)
        for (const Expr *E : {D.LoExpr, D.LenExpr, D.StepExpr})
          bound(E, C);
    return submitted(*T, C);
  }
  if (F->isNoReturn())
    return jump();
  for (const Expr *A : C->arguments())
    if (!Cautious && (A->getType()->isFunctionPointerType() ||
                      A->getType()->isBlockPointerType())) {
      updated(); // F may call any function
      return waited();
    }
  if (Functions.isLibrary(F))
    return library(F, C);
  if (Cautious && !F->hasBody())
    return unknown(C);
  for (const ParameterUse &Use : Functions.summaryOf(F).Uses)
    if (Use.Index < C->getNumArgs()) {
      const Expr *A = C->getArg(Use.Index);
      Spot S = pointed(A);
      S = S.moved(atCall(Use.Offset, C));
      S.Size = Use.Size;
      access(S, Use.Use, A);
    }
  for (GlobalUse Use : Functions.summaryOf(F).Globals) {
    Use.At.Offset = atCall(Use.At.Offset, C);
    access(Use.At, Use.Use, C);
  }
  // The function may have assigned file-scope pointers.
  forget([](const VarDecl *V) { return V->hasGlobalStorage(); });
  forgetPaths();
  Moved = true;
  leftBehind(F, C);
}

void HostWalk::bound(const Stmt *S, const CallExpr *C) {
  if (!S)
    return;
  if (auto *Ref = dyn_cast<DeclRefExpr>(S))
    if (auto *V = dyn_cast<VarDecl>(Ref->getDecl());
        V && V->hasGlobalStorage() && V->getType()->isArithmeticType())
      access(placeOf(Ref), HostUse::Read, C);
  for (const Stmt *Child : S->children())
    bound(Child, C);
}

void HostWalk::leftBehind(const FunctionDecl *F, const CallExpr *C) {
  if (!Cautious && Functions.maySubmit(F))
    for (const UnitUse &Left : Functions.summaryOf(F).Left)
      submitted(Left, C);
}

void HostWalk::unknown(const CallExpr *C) {
  for (const Expr *A : C->arguments())
    if (QualType T = A->getType()->getPointeeType(); !T.isNull()) {
      Spot S = pointed(A);
      S.Offset.reset();
      access(S, T.isConstQualified() ? HostUse::Read : HostUse::Write,
             A->IgnoreParenImpCasts());
    }
}

void HostWalk::library(const FunctionDecl *F, const CallExpr *C) {
  if (!F->getIdentifier())
    return;
  if (!Cautious && mayTellThread(F->getName()))
    return waited();
  SmallVector<LibraryUse, 2> Uses = libraryUses(F->getName());
  for (const LibraryUse &K : Uses)
    if (K.Argument < C->getNumArgs()) {
      const Expr *A = C->getArg(K.Argument);
      Spot S = pointed(A);
      S.Size = 1;
      // Only memory behind a pointer can be freed, from its begin.
      if (K.Use != HostUse::Free || !S.isOwn())
        access(S, K.Use, A->IgnoreParenImpCasts());
    }
  for (const Expr *A : C->arguments()) // the memory may hold pointers
    if (QualType T = A->getType()->getPointeeType();
        !T.isNull() && !T.isConstQualified())
      forgetPaths();
  if (Cautious && Uses.empty())
    unknown(C);
}

} // namespace agglom
