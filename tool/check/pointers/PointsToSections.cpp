// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which pointers in memory are named by sections, and whether an access goes
// through one of these pointers. in(s->rows[0][0:n]) names s, s->rows and
// s->rows[0], but not s->rows[1].

#include "PointsTo.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

void PointsTo::nameSections() {
  for (const ParmVarDecl *P : Frames[0].Function->parameters())
    if (P->getType()->isPointerType())
      behind({variable(0, P)});
  for (const Section &S : T.Sections)
    if (S.Pointer.E)
      clauseBehind(S.Pointer.E);
}

unsigned PointsTo::behind(Target Holder) {
  auto [It, New] = Regions[Holder.Region].Behind.try_emplace(Holder.Offset);
  if (New) {
    unsigned R = newRegion(Region::Host); // may move the other regions
    Regions[Holder.Region].Behind[Holder.Offset].Region = R;
  }
  Region::Named &Known = Regions[Holder.Region].Behind[Holder.Offset];
  Known.At.push_back(std::move(Holder.At));
  return Known.Region;
}

/// The region that pointer \p E of a clause points to; \p E lies in memory.
unsigned PointsTo::clauseBehind(const Expr *E) {
  unsigned R = behind(clausePlace(E));
  Regions[R].InSections = true;
  return R;
}

/// The target of pointer \p E of a clause.
Target PointsTo::clausePointer(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (E->getType()->isArrayType())
    return clausePlace(E);
  if (auto *Un = dyn_cast<UnaryOperator>(E); Un && Un->getOpcode() == UO_AddrOf)
    return clausePlace(Un->getSubExpr());
  if (auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp()) {
    const Expr *P = B->getLHS(), *I = B->getRHS();
    if (!P->getType()->isPointerType())
      std::swap(P, I);
    return moved(clausePointer(P),
                 scaled(InClause, I, P->getType()->getPointeeType()),
                 B->getOpcode() == BO_Sub ? -1 : 1);
  }
  return {clauseBehind(E)};
}

Target PointsTo::clausePlace(const Expr *E) {
  E = E->IgnoreParenCasts();
  if (auto *M = dyn_cast<MemberExpr>(E)) {
    Target Base =
        M->isArrow() ? clausePointer(M->getBase()) : clausePlace(M->getBase());
    auto *Field = dyn_cast<FieldDecl>(M->getMemberDecl());
    return Field ? at(Base, int64_t(Context.getFieldOffset(Field) / 8)) : Base;
  }
  if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E))
    return moved(clausePointer(Sub->getBase()),
                 scaled(InClause, Sub->getIdx(), Sub->getType()));
  if (auto *Un = dyn_cast<UnaryOperator>(E); Un && Un->getOpcode() == UO_Deref)
    return clausePointer(Un->getSubExpr());
  const VarDecl *V = variableOf(E);
  // Clauses may stand on another declaration.
  if (auto *P = dyn_cast_or_null<ParmVarDecl>(V);
      P && P->getFunctionScopeIndex() < Frames[0].Function->getNumParams())
    V = Frames[0].Function->getParamDecl(P->getFunctionScopeIndex());
  return {V ? variable(0, V) : newRegion(Region::Host)};
}

//===----------------------------------------------------------------------===//
// Which element
//===----------------------------------------------------------------------===//

MaybeDisplacement PointsTo::scaled(unsigned Frame, const Expr *Index,
                                   QualType Element) {
  MaybeDisplacement By = linear(Frame, Index);
  if (By && By->isZero())
    return By;
  MaybeDisplacement Size = sizeOf(Element);
  return By && Size
             ? MaybeDisplacement(Displacement().plus(*By, Size->Constant))
             : std::nullopt;
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
    // A frame may stand for calls with different integer arguments.
    if (Frame != 0 && Frame != InClause) {
      const auto &Numbers = Frames[Frame].Integers;
      unsigned I = P->getFunctionScopeIndex();
      return I < Numbers.size() ? Numbers[I] : std::nullopt;
    }
    Displacement Out;
    Out.Of[P->getFunctionScopeIndex()] = 1;
    return Out;
  }
  return V->hasLocalStorage() && V->getInit() ? linear(Frame, V->getInit())
                                              : std::nullopt;
}

} // namespace agglom
