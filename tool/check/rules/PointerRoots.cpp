// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PointerRoots.h"
#include "PointerFacts.h"

using namespace clang;

namespace agglom {

void Tracer::value(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (E->getType()->isArrayType())
    return object(E); // decays to a pointer into that object
  if (!E->getType()->isPointerType())
    return; // an integer: null, or an address that is not traced
  if (auto *Ref = dyn_cast<DeclRefExpr>(E))
    return variable(dyn_cast<VarDecl>(Ref->getDecl()));
  if (auto *Un = dyn_cast<UnaryOperator>(E)) {
    if (Un->getOpcode() == UO_AddrOf)
      return object(Un->getSubExpr());
    if (Un->isIncrementDecrementOp() || Un->getOpcode() == UO_Extension)
      return value(Un->getSubExpr());
    return loaded(E);
  }
  if (auto *Bin = dyn_cast<BinaryOperator>(E)) {
    if (Bin->isAssignmentOp() || Bin->getOpcode() == BO_Comma)
      return value(Bin->isCompoundAssignmentOp() ? Bin->getLHS()
                                                 : Bin->getRHS());
    value(Bin->getLHS());
    value(Bin->getRHS());
    return;
  }
  if (auto *Cond = dyn_cast<AbstractConditionalOperator>(E)) {
    value(Cond->getTrueExpr());
    value(Cond->getFalseExpr());
    return;
  }
  if (auto *Opaque = dyn_cast<OpaqueValueExpr>(E)) {
    if (Opaque->getSourceExpr())
      value(Opaque->getSourceExpr());
    return;
  }
  if (auto *Call = dyn_cast<CallExpr>(E)) {
    // A returned pointer is derived from one of the pointer arguments.
    for (unsigned I = 0; I < Call->getNumArgs(); ++I)
      if (mayReturn(Call, I))
        value(Call->getArg(I));
    return;
  }
  if (isa<ArraySubscriptExpr, MemberExpr>(E))
    return loaded(E);
}

void Tracer::object(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (auto *M = dyn_cast<MemberExpr>(E))
    return M->isArrow() ? value(M->getBase()) : object(M->getBase());
  if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E))
    return value(Sub->getBase());
  if (auto *Un = dyn_cast<UnaryOperator>(E); Un && Un->getOpcode() == UO_Deref)
    return value(Un->getSubExpr());
  if (auto *Ref = dyn_cast<DeclRefExpr>(E))
    if (auto *V = dyn_cast<VarDecl>(Ref->getDecl())) {
      if (V->hasGlobalStorage())
        Out.Globals.insert(V->getCanonicalDecl());
      else
        Out.Locals.insert(V);
    }
}

const VarDecl *Tracer::behind(const VarDecl *V) const {
  for (unsigned Steps = 0; Steps < 8; ++Steps) {
    auto It = S.Of.find(V);
    if (isa<ParmVarDecl>(V) || It == S.Of.end() || It->second.size() != 1)
      return V;
    const VarDecl *Next = variableOf(It->second[0]->IgnoreParenCasts());
    if (!Next)
      return V;
    V = Next;
  }
  return V;
}

std::vector<const Section *> Tracer::through(const Expr *E) const {
  std::vector<const Section *> Found;
  for (const Section &Sec : T.Sections)
    if ((Sec.Pointer.Kind == SectionPointer::Held ||
         (Sec.Pointer.Kind == SectionPointer::Argument && !Sec.Param)) &&
        samePath(E, Sec.Pointer.E))
      Found.push_back(&Sec);
  return Found;
}

bool Tracer::samePath(const Expr *A, const Expr *B) const {
  A = A->IgnoreParenCasts();
  B = B->IgnoreParenCasts();
  if (auto *M = dyn_cast<MemberExpr>(A)) {
    auto *N = dyn_cast<MemberExpr>(B);
    return N && M->getMemberDecl() == N->getMemberDecl() &&
           (!InTask || samePath(M->getBase(), N->getBase()));
  }
  if (isa<ArraySubscriptExpr>(A) || isDeref(A))
    return (isa<ArraySubscriptExpr>(B) || isDeref(B)) &&
           samePath(inside(A), inside(B));
  const VarDecl *V = variableOf(A), *W = variableOf(B);
  if (!V || !W)
    return false;
  V = behind(V);
  auto *P = dyn_cast<ParmVarDecl>(V);
  auto *Q = dyn_cast<ParmVarDecl>(W);
  if (P && Q)
    return InTask && P->getFunctionScopeIndex() == Q->getFunctionScopeIndex();
  return V->getCanonicalDecl() == W->getCanonicalDecl();
}

bool Tracer::isDeref(const Expr *E) {
  auto *Un = dyn_cast<UnaryOperator>(E);
  return Un && Un->getOpcode() == UO_Deref;
}

const Expr *Tracer::inside(const Expr *E) {
  if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E))
    return Sub->getBase();
  return cast<UnaryOperator>(E)->getSubExpr();
}

void Tracer::variable(const VarDecl *V) {
  if (!V || !Seen.insert(V).second)
    return;
  if (auto *P = dyn_cast<ParmVarDecl>(V))
    Out.Params.insert(P);
  else if (V->hasGlobalStorage())
    Out.Globals.insert(V->getCanonicalDecl());
  if (auto It = S.Of.find(V); It != S.Of.end())
    for (const Expr *Source : It->second)
      value(Source);
}

void Tracer::loaded(const Expr *E) {
  const Expr *O = E;
  for (;;) {
    O = O->IgnoreParenCasts();
    if (auto *M = dyn_cast<MemberExpr>(O); M && !M->isArrow())
      O = M->getBase();
    else if (auto *Sub = dyn_cast<ArraySubscriptExpr>(O);
             Sub &&
             Sub->getBase()->IgnoreParenCasts()->getType()->isArrayType())
      O = Sub->getBase();
    else
      break;
  }
  if (!through(E).empty()) {
    Out.Held.push_back(E);
    return;
  }
  if (Through)
    return object(O);
  Roots Into;
  Tracer Memory(S, Into, T, InTask);
  Memory.Through = true;
  Memory.object(O);
  // The sources of structures that were copied into these objects, and of local
  // pointers that are reached through their address.
  for (size_t I = 0; I < Into.Locals.size(); ++I) {
    const VarDecl *V = Into.Locals[I];
    auto It = S.Of.find(V);
    if (V->getType()->isPointerType()) {
      variable(V);
      Roots Deeper; // **p where p points to V
      Tracer Pointed(S, Deeper, T, InTask);
      Pointed.Through = true;
      if (It != S.Of.end())
        for (const Expr *Source : It->second)
          Pointed.value(Source);
      Into.Locals.insert(Deeper.Locals.begin(), Deeper.Locals.end());
    } else if (It != S.Of.end()) {
      for (const Expr *Source : It->second)
        Memory.object(Source);
    }
  }
}

} // namespace agglom
