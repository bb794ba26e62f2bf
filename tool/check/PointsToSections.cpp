// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pointers in memory sections follow, and whether an access is of one of
// those. in(s->rows[0][0:n]) follows s, s->rows and s->rows[0], but not
// s->rows[1].

#include "PointsTo.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

Displacement Displacement::plus(const Displacement &O, int64_t Factor) const {
  Displacement Out = *this;
  Out.Constant += O.Constant * Factor;
  for (const auto &[P, N] : O.Of)
    if (!(Out.Of[P] += N * Factor))
      Out.Of.erase(P);
  return Out;
}

void PointsTo::nameSections() {
  for (const ParmVarDecl *P : Frames[0].Function->parameters())
    if (P->getType()->isPointerType())
      behind({variable(0, P), 0, false}, Displacement());
  for (const Section &S : T.Sections)
    if (S.Pointer.E)
      clauseBehind(S.Pointer.E);
}

unsigned PointsTo::behind(Target Holder, MaybeDisplacement At) {
  auto [It, New] = Regions[Holder.Region].Behind.try_emplace(Holder.Offset);
  if (New) {
    unsigned R = newRegion(Region::Host); // which moves the others
    Regions[Holder.Region].Behind[Holder.Offset].Region = R;
  }
  Region::Named &Known = Regions[Holder.Region].Behind[Holder.Offset];
  Known.At.push_back(std::move(At));
  return Known.Region;
}

/// What pointer \p E of a clause points to.
unsigned PointsTo::clauseBehind(const Expr *E) {
  E = E->IgnoreParenCasts();
  return behind(clausePlace(E), displacement(InClause, E));
}

Target PointsTo::clausePlace(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (auto *M = dyn_cast<MemberExpr>(E)) {
    Target Base = M->isArrow() ? Target{clauseBehind(M->getBase()), 0, false}
                               : clausePlace(M->getBase());
    auto *Field = dyn_cast<FieldDecl>(M->getMemberDecl());
    return Field ? at(Base, int64_t(Context.getFieldOffset(Field) / 8)) : Base;
  }
  if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
    const Expr *Base = Sub->getBase()->IgnoreParenCasts();
    return Base->getType()->isArrayType()
               ? clausePlace(Base)
               : Target{clauseBehind(Base), 0, false};
  }
  if (auto *Un = dyn_cast<UnaryOperator>(E); Un && Un->getOpcode() == UO_Deref)
    return {clauseBehind(Un->getSubExpr()), 0, false};
  const VarDecl *V = variableOf(E);
  // Clauses may stand on another declaration.
  if (auto *P = dyn_cast_or_null<ParmVarDecl>(V);
      P && P->getFunctionScopeIndex() < Frames[0].Function->getNumParams())
    V = Frames[0].Function->getParamDecl(P->getFunctionScopeIndex());
  return {V ? variable(0, V) : newRegion(Region::Host), 0, false};
}

//===----------------------------------------------------------------------===//
// Which element
//===----------------------------------------------------------------------===//

/// Where in its array lvalue \p E lies, members aside.
MaybeDisplacement PointsTo::displacement(unsigned Frame, const Expr *E) {
  E = E->IgnoreParens();
  if (isa<DeclRefExpr>(E))
    return Displacement();
  if (auto *M = dyn_cast<MemberExpr>(E))
    return M->isArrow() ? pointerDisplacement(Frame, M->getBase())
                        : displacement(Frame, M->getBase());
  if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
    MaybeDisplacement Base = pointerDisplacement(Frame, Sub->getBase());
    MaybeDisplacement By = scaled(Frame, Sub->getIdx(), Sub->getType());
    return Base && By ? MaybeDisplacement(Base->plus(*By, 1)) : std::nullopt;
  }
  if (auto *Un = dyn_cast<UnaryOperator>(E); Un && Un->getOpcode() == UO_Deref)
    return pointerDisplacement(Frame, Un->getSubExpr());
  return std::nullopt;
}

MaybeDisplacement PointsTo::pointerDisplacement(unsigned Frame, const Expr *E) {
  E = E->IgnoreParens();
  if (auto *Cast = dyn_cast<CastExpr>(E)) {
    if (Cast->getCastKind() == CK_ArrayToPointerDecay)
      return displacement(Frame, Cast->getSubExpr());
    if (Cast->getCastKind() == CK_NoOp || Cast->getCastKind() == CK_BitCast)
      return pointerDisplacement(Frame, Cast->getSubExpr());
    if (Cast->getCastKind() != CK_LValueToRValue)
      return std::nullopt;
    if (Frame != InClause &&
        llvm::any_of(value(Frame, Cast),
                     [](const Target &P) { return P.Moved; }))
      return std::nullopt;
    return Displacement();
  }
  if (auto *Un = dyn_cast<UnaryOperator>(E); Un && Un->getOpcode() == UO_AddrOf)
    return displacement(Frame, Un->getSubExpr());
  auto *B = dyn_cast<BinaryOperator>(E);
  if (!B || !B->isAdditiveOp())
    return std::nullopt;
  const Expr *P = B->getLHS(), *I = B->getRHS();
  if (!P->getType()->isPointerType())
    std::swap(P, I);
  if (!P->getType()->isPointerType() || !I->getType()->isIntegerType())
    return std::nullopt;
  MaybeDisplacement Base = pointerDisplacement(Frame, P);
  MaybeDisplacement By = scaled(Frame, I, P->getType()->getPointeeType());
  return Base && By ? MaybeDisplacement(
                          Base->plus(*By, B->getOpcode() == BO_Sub ? -1 : 1))
                    : std::nullopt;
}

MaybeDisplacement PointsTo::scaled(unsigned Frame, const Expr *Index,
                                   QualType Element) {
  MaybeDisplacement By = linear(Frame, Index);
  if (By && By->Of.empty() && !By->Constant)
    return By;
  if (!By || Element->isIncompleteType() || Element->isFunctionType() ||
      Element->isVariablyModifiedType())
    return std::nullopt;
  return Displacement().plus(*By,
                             Context.getTypeSizeInChars(Element).getQuantity());
}

MaybeDisplacement PointsTo::linear(unsigned Frame, const Expr *E) {
  E = E->IgnoreParens();
  if (std::optional<int64_t> Value = constantOf(E, Context, 32)) {
    Displacement Out;
    Out.Constant = *Value;
    return Out;
  }
  if (!E->getType()->isIntegerType() ||
      Context.getTypeSize(E->getType()) < Context.getTypeSize(Context.IntTy))
    return std::nullopt;
  if (auto *Cast = dyn_cast<CastExpr>(E))
    return Cast->getCastKind() == CK_IntegralCast ||
                   Cast->getCastKind() == CK_LValueToRValue
               ? linear(Frame, Cast->getSubExpr())
               : std::nullopt;
  if (auto *B = dyn_cast<BinaryOperator>(E)) {
    if (!B->isAdditiveOp())
      return std::nullopt;
    MaybeDisplacement L = linear(Frame, B->getLHS());
    MaybeDisplacement R = linear(Frame, B->getRHS());
    return L && R ? MaybeDisplacement(
                        L->plus(*R, B->getOpcode() == BO_Sub ? -1 : 1))
                  : std::nullopt;
  }
  const VarDecl *V = variableOf(E);
  if (!V ||
      (Frame != InClause && facts(Frames[Frame].Function).Changes.count(V)))
    return std::nullopt;
  if (auto *P = dyn_cast<ParmVarDecl>(V)) {
    // A frame may stand for calls with other numbers.
    if (Frame != 0 && Frame != InClause)
      return std::nullopt;
    Displacement Out;
    Out.Of[P->getFunctionScopeIndex()] = 1;
    return Out;
  }
  return V->hasLocalStorage() && V->getInit() ? linear(Frame, V->getInit())
                                              : std::nullopt;
}

bool PointsTo::surelyAnother(unsigned Frame, const Expr *E,
                             const Region::Named &Known) {
  MaybeDisplacement Here = displacement(Frame, E);
  return Here && llvm::all_of(Known.At, [&](const MaybeDisplacement &At) {
           if (!At)
             return false;
           Displacement Distance = Here->plus(*At, -1);
           return Distance.Of.empty() && Distance.Constant;
         });
}

} // namespace agglom
