// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SectionHull.h"
#include "Check.h"

using namespace clang;

namespace agglom {

/// A bound beyond that is none: products of it would not be exact.
static constexpr unsigned MostBits = 48;

std::optional<Poly> boundOf(ASTContext &C, Symbols &Names, const Expr *E,
                            const VarDecl *Variable) {
  E = E->IgnoreParenCasts();
  if (std::optional<int64_t> N = constantOf(E, C, MostBits))
    return Poly(*N);
  if (auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    if (!V || !V->getType()->isIntegerType() ||
        (V != Variable && !isa<ParmVarDecl>(V)))
      return std::nullopt;
    return Poly::symbol(
        Names.named(V->getNameAsString(),
                    V->getType()->isUnsignedIntegerOrEnumerationType(),
                    C.getTypeSize(V->getType()) <= 32));
  }
  auto *B = dyn_cast<BinaryOperator>(E);
  if (!B || (!B->isAdditiveOp() && B->getOpcode() != BO_Mul))
    return std::nullopt;
  std::optional<Poly> L = boundOf(C, Names, B->getLHS(), Variable),
                      R = boundOf(C, Names, B->getRHS(), Variable);
  if (!L || !R)
    return std::nullopt;
  Poly Out = B->getOpcode() == BO_Add   ? *L + *R
             : B->getOpcode() == BO_Sub ? *L - *R
                                        : *L * *R;
  return Out.valid() ? std::optional<Poly>(Out) : std::nullopt;
}

static std::optional<Poly> sizeOf(ASTContext &C, Symbols &Names,
                                  QualType Type) {
  if (auto *A = C.getAsVariableArrayType(Type)) {
    std::optional<Poly> Count, Size = sizeOf(C, Names, A->getElementType());
    if (A->getSizeExpr())
      Count = boundOf(C, Names, A->getSizeExpr());
    if (!Count || !Size)
      return std::nullopt;
    return *Count * *Size;
  }
  if (auto *A = C.getAsConstantArrayType(Type);
      A && Type->isVariablyModifiedType()) {
    std::optional<Poly> Size = sizeOf(C, Names, A->getElementType());
    if (!Size)
      return std::nullopt;
    return Poly(A->getSize().getZExtValue()) * *Size;
  }
  if (Type->isIncompleteType() || Type->isVariablyModifiedType())
    return std::nullopt;
  return Poly(C.getTypeSizeInChars(Type).getQuantity());
}

std::optional<SectionHull> hullOf(ASTContext &C, Symbols &Names,
                                  const Section &S, const VarDecl *Variable) {
  if (S.gathers() || S.Pointer.Kind == SectionPointer::Held || S.Dims.empty())
    return std::nullopt;
  SectionHull H{0, 0};
  Poly Innermost;
  for (const SectionDim &D : S.Dims) {
    auto number = [&](const Expr *E, int64_t Otherwise) {
      return E ? boundOf(C, Names, E, Variable) : Poly(Otherwise);
    };
    std::optional<Poly> Lo = number(D.LoExpr, 0), Len = number(D.LenExpr, 1),
                        Step = number(D.StepExpr, 1),
                        Size = sizeOf(C, Names, D.Element);
    if (!Lo || !Len || !Step || !Size)
      return std::nullopt;
    H.Begin = H.Begin + *Lo * *Size;
    H.End = H.End + (*Lo + (*Len - Poly(1)) * *Step) * *Size;
    Innermost = *Size;
  }
  H.End = H.End + Innermost;
  return H.Begin.valid() && H.End.valid() ? std::optional<SectionHull>(H)
                                          : std::nullopt;
}

} // namespace agglom
