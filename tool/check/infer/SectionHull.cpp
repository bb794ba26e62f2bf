// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SectionHull.h"
#include "Syntax.h"

using namespace clang;

namespace agglom {

/// Larger bounds are not followed: their products would not be exact.
static constexpr unsigned MostBits = 48;

/// The name that the walker gives \p E (WalkerNames.cpp): n, s.n, s->m.n. Empty
/// when it has none.
static std::string nameOf(const Expr *E, const VarDecl *Variable) {
  std::optional<std::string> Path = membersTo(E);
  auto *Ref = dyn_cast<DeclRefExpr>(E);
  auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!Path || !V ||
      (V != Variable && !isa<ParmVarDecl>(V) && !V->hasGlobalStorage()))
    return "";
  return V->getNameAsString() + *Path;
}

std::optional<Poly> boundOf(ASTContext &C, Symbols &Names, const Expr *E,
                            const VarDecl *Variable) {
  E = E->IgnoreParenCasts();
  if (std::optional<int64_t> N = constantOf(E, C, MostBits))
    return Poly(*N);
  std::string Name = nameOf(E, Variable);
  if (!Name.empty()) {
    QualType T = E->getType();
    if (!T->isIntegerType() || T.isVolatileQualified())
      return std::nullopt;
    return Poly::symbol(Names.named(
        Name, T->isUnsignedIntegerOrEnumerationType(), C.getTypeSize(T) <= 32));
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

namespace {
/// The place where an object or section begins.
struct Origin {
  Base In;
  Poly Offset;
};

class Origins {
  ASTContext &C;
  Symbols &Names;
  const FunctionDecl *F; ///< parameters are those of this declaration
  const VarDecl *Variable;

  std::optional<Origin> moved(std::optional<Origin> P, const Expr *Index,
                              QualType Element) {
    std::optional<Poly> I = boundOf(C, Names, Index, Variable),
                        Size = sizeOf(C, Names, Element);
    if (!P || !I || !Size)
      return std::nullopt;
    P->Offset = P->Offset + *I * *Size;
    return P;
  }

public:
  Origins(ASTContext &C, Symbols &Names, const FunctionDecl *F,
          const VarDecl *Variable)
      : C(C), Names(Names), F(F), Variable(Variable) {}

  std::optional<Origin> object(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    if (auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      auto *V = dyn_cast<VarDecl>(Ref->getDecl());
      if (auto *P = dyn_cast_or_null<ParmVarDecl>(V))
        return Origin{{F->getParamDecl(P->getFunctionScopeIndex()), false}, 0};
      if (!V || !V->hasGlobalStorage())
        return std::nullopt;
      return Origin{{V->getCanonicalDecl(), false}, 0};
    }
    if (auto *M = dyn_cast<MemberExpr>(E)) {
      auto *Field = dyn_cast<FieldDecl>(M->getMemberDecl());
      std::optional<Origin> P =
          M->isArrow() ? pointee(M->getBase()) : object(M->getBase());
      if (!P || !Field)
        return std::nullopt;
      P->Offset = P->Offset + Poly(C.getFieldOffset(Field) / 8);
      return P;
    }
    if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E))
      return moved(pointee(Sub->getBase()), Sub->getIdx(), Sub->getType());
    auto *Un = dyn_cast<UnaryOperator>(E);
    return Un && Un->getOpcode() == UO_Deref ? pointee(Un->getSubExpr())
                                             : std::nullopt;
  }

  /// The begin of a pointer's pointee, or of an array.
  std::optional<Origin> pointee(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    std::optional<Origin> At = object(E);
    if (!At || !E->getType()->isPointerType())
      return At;
    std::optional<int64_t> Offset =
        At->Offset.valid() ? At->Offset.constant() : std::nullopt;
    if (!Offset)
      return std::nullopt;
    return Origin{behind(At->In, *Offset), 0};
  }

  std::optional<Origin> of(const Section &S) {
    if (S.Pointer.Kind == SectionPointer::Host)
      return std::nullopt;
    if (S.BaseExpr)
      return S.BaseExpr->getType()->isPointerType() ? pointee(S.BaseExpr)
                                                    : object(S.BaseExpr);
    if (S.Pointer.E) // *s, because of s->p[0:n]
      return pointee(S.Pointer.E);
    if (S.Pointer.Kind == SectionPointer::Hidden)
      return Origin{{S.Pointer.Global, false}, 0};
    return std::nullopt;
  }
};
} // namespace

std::optional<Base> baseOf(ASTContext &C, const Section &S,
                           const FunctionDecl *F) {
  Symbols Any;
  std::optional<Origin> P = Origins(C, Any, F, nullptr).of(S);
  return P ? std::optional<Base>(P->In) : std::nullopt;
}

std::optional<Base> pointeeOf(ASTContext &C, const Expr *E,
                              const FunctionDecl *F) {
  Symbols Any;
  std::optional<Origin> P = Origins(C, Any, F, nullptr).pointee(E);
  return P ? std::optional<Base>(P->In) : std::nullopt;
}

std::optional<SectionHull> hullOf(ASTContext &C, Symbols &Names,
                                  const Section &S, const FunctionDecl *F,
                                  const VarDecl *Variable) {
  std::optional<Origin> Start = Origins(C, Names, F, Variable).of(S);
  if (!Start || S.gathers() || S.Dims.empty())
    return std::nullopt;
  SectionHull H{Start->Offset, Start->Offset, Start->Offset};
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
