// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PointerSpelling.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

MaybeText Speller::object(unsigned Frame, const Expr *E) {
  E = E->IgnoreParenCasts();
  if (++Steps > 100)
    return std::nullopt;
  if (auto *M = dyn_cast<MemberExpr>(E))
    return member(Frame, M);
  if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
    std::optional<Spelling> Base = pointer(Frame, Sub->getBase());
    if (Base)
      Base = plus(*Base, index(Frame, Sub->getIdx()), "+");
    return Base ? MaybeText(Base->pointee()) : std::nullopt;
  }
  if (auto *Un = dyn_cast<UnaryOperator>(E);
      Un && Un->getOpcode() == UO_Deref) {
    std::optional<Spelling> Base = pointer(Frame, Un->getSubExpr());
    return Base ? MaybeText(Base->pointee()) : std::nullopt;
  }
  auto *Ref = dyn_cast<DeclRefExpr>(E);
  auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (!V)
    return std::nullopt;
  if (Frame == 0 && isa<ParmVarDecl>(V)) {
    unsigned I = cast<ParmVarDecl>(V)->getFunctionScopeIndex();
    if ((changes(Frame, V) && onlyValue(Frame, E).value_or(E)) ||
        I >= T.Declared->getNumParams() ||
        !T.Declared->getParamDecl(I)->getIdentifier())
      return std::nullopt;
    return T.Declared->getParamDecl(I)->getNameAsString();
  }
  if (V->hasGlobalStorage())
    return V->getNameAsString();
  auto [Of, From] = source(Frame, E);
  return From ? object(Of, From) : std::nullopt;
}

std::optional<Spelling> Speller::pointer(unsigned Frame, const Expr *E) {
  E = withoutCasts(E);
  if (!E || ++Steps > 100)
    return std::nullopt;
  if (E->getType()->isArrayType()) {
    MaybeText Array = object(Frame, E);
    return Array ? std::optional<Spelling>({*Array, "", false}) : std::nullopt;
  }
  if (auto *Un = dyn_cast<UnaryOperator>(E);
      Un && Un->getOpcode() == UO_AddrOf) {
    const Expr *Of = Un->getSubExpr()->IgnoreParens();
    if (auto *Sub = dyn_cast<ArraySubscriptExpr>(Of)) {
      std::optional<Spelling> Base = pointer(Frame, Sub->getBase());
      return Base ? plus(*Base, index(Frame, Sub->getIdx()), "+")
                  : std::nullopt;
    }
    MaybeText Object = object(Frame, Of);
    return Object ? std::optional<Spelling>({*Object, "", true}) : std::nullopt;
  }
  if (auto *Un = dyn_cast<UnaryOperator>(E); Un && Un->isIncrementDecrementOp())
    return Un->isPostfix() ? pointer(Frame, Un->getSubExpr())
                           : stepped(Frame, Un);
  if (std::optional<const Expr *> Value = onlyValue(Frame, E);
      Value && isStep(*Value)) {
    if (auto *Un = dyn_cast<UnaryOperator>(*Value))
      return stepped(Frame, Un);
    auto *B = cast<BinaryOperator>(*Value);
    return sum(Frame, B->getLHS(), B->getRHS(), B->getOpcode() == BO_SubAssign);
  }
  if (auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp()) {
    const Expr *Base = B->getLHS(), *By = B->getRHS();
    if (!Base->getType()->isPointerType())
      std::swap(Base, By);
    return sum(Frame, Base, By, B->getOpcode() == BO_Sub);
  }
  if (const VarDecl *V = variableOf(E); V && V->getType()->isPointerType() &&
                                        !V->hasGlobalStorage() &&
                                        !(Frame == 0 && isa<ParmVarDecl>(V))) {
    if (const Expr *Start = V->getInit();
        Start && !onlyValue(Frame, E) && onlySteps(Frame, V)) {
      std::optional<Spelling> Base = pointer(Frame, Start);
      Varies = true;
      return Base ? plus(*Base, "...", "+") : std::nullopt;
    }
    auto [Of, From] = source(Frame, E);
    return From ? pointer(Of, From) : std::nullopt;
  }
  MaybeText Pointer = object(Frame, E);
  return Pointer ? std::optional<Spelling>({*Pointer, "", false})
                 : std::nullopt;
}

std::optional<Spelling> Speller::sum(unsigned Frame, const Expr *Base,
                                     const Expr *By, bool Sub) {
  std::optional<Spelling> Out = pointer(Frame, Base);
  return Out ? plus(*Out, index(Frame, By), Sub ? "-" : "+") : std::nullopt;
}

bool Speller::isStep(const Expr *E) {
  auto *Un = dyn_cast_or_null<UnaryOperator>(E);
  auto *B = dyn_cast_or_null<BinaryOperator>(E);
  return (Un && Un->isIncrementDecrementOp()) ||
         (B && B->isCompoundAssignmentOp());
}

std::optional<Spelling> Speller::stepped(unsigned Frame,
                                         const UnaryOperator *Un) {
  std::optional<Spelling> Out = pointer(Frame, Un->getSubExpr());
  return Out ? plus(*Out, "1", Un->isDecrementOp() ? "-" : "+") : std::nullopt;
}

std::optional<const Expr *> Speller::onlyValue(unsigned Frame,
                                               const Expr *E) const {
  auto *Use = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
  const PointerFacts::Values *Values =
      Use ? P.facts(P.frames()[Frame].Function).valuesAt(Use) : nullptr;
  return Values && Values->size() == 1
             ? std::optional<const Expr *>(Values->front())
             : std::nullopt;
}

unsigned Speller::changes(unsigned Frame, const VarDecl *V) const {
  return P.facts(P.frames()[Frame].Function).Changes.lookup(V);
}

const Expr *Speller::withoutCasts(const Expr *E) {
  for (;;) {
    E = E->IgnoreParenImpCasts();
    auto *Cast = dyn_cast<ExplicitCastExpr>(E);
    if (!Cast)
      return E;
    const Expr *Sub = Cast->getSubExpr();
    if (!Cast->getType()->isPointerType() || !Sub->getType()->isPointerType())
      return nullptr;
    QualType To = Cast->getType()->getPointeeType().getCanonicalType();
    QualType From = Sub->getType()->getPointeeType().getCanonicalType();
    if (!To->isVoidType() && !From->isVoidType() &&
        To.getUnqualifiedType() != From.getUnqualifiedType())
      return nullptr;
    E = Sub;
  }
}

bool Speller::onlySteps(unsigned Frame, const VarDecl *V) const {
  unsigned Found = 0;
  for (const PointerFacts::Assignment &A :
       P.facts(P.frames()[Frame].Function).Assignments)
    if (variableOf(A.To) == V) {
      auto *B = dyn_cast<BinaryOperator>(A.From);
      if (!isa<UnaryOperator>(A.From) &&
          !(B && B->isCompoundAssignmentOp() && variableOf(B->getLHS()) == V))
        return false;
      ++Found;
    }
  return Found && Found == changes(Frame, V);
}

std::pair<unsigned, const Expr *> Speller::source(unsigned Frame,
                                                  const Expr *E) {
  const PointsTo::Frame &F = P.frames()[Frame];
  const VarDecl *V = variableOf(E);
  unsigned Changes = changes(Frame, V);
  std::optional<const Expr *> Value = onlyValue(Frame, E);
  if (Value && *Value) {
    if (isStep(*Value))
      return {0, nullptr};
    auto *B = dyn_cast<BinaryOperator>(*Value);
    return {Frame, B && B->isAssignmentOp() ? B->getRHS() : *Value};
  }
  if (Value)
    Changes = 0;
  if (auto *Param = dyn_cast<ParmVarDecl>(V)) {
    unsigned I = Param->getFunctionScopeIndex();
    if (Changes || F.Merged || !F.Call || I >= F.Call->getNumArgs())
      return {0, nullptr};
    return {F.Caller, F.Call->getArg(I)};
  }
  if (V->getInit() || Changes != 1)
    return {Frame, Changes ? nullptr : V->getInit()};
  for (const PointerFacts::Assignment &A : P.facts(F.Function).Assignments)
    if (variableOf(A.To) == V)
      return {Frame, A.From};
  return {0, nullptr};
}

std::optional<Spelling> Speller::address(unsigned Frame, const Expr *E) {
  E = E->IgnoreParenCasts();
  if (auto *Un = dyn_cast<UnaryOperator>(E); Un && Un->getOpcode() == UO_Deref)
    return pointer(Frame, Un->getSubExpr());
  if (const VarDecl *V = variableOf(E);
      V && !V->hasGlobalStorage() && !(Frame == 0 && isa<ParmVarDecl>(V))) {
    auto [Of, From] = source(Frame, E);
    return From && ++Steps < 100 ? address(Of, From) : std::nullopt;
  }
  MaybeText Object = object(Frame, E);
  return Object ? std::optional<Spelling>({*Object, "", true}) : std::nullopt;
}

MaybeText Speller::member(unsigned Frame, const MemberExpr *M) {
  std::string Name;
  for (;;) { // from inner to outer members, without unnamed ones
    std::string Part = M->getMemberDecl()->getNameAsString();
    if (!Part.empty())
      Name = Name.empty() ? Part : Part + "." + Name;
    auto *Outer = dyn_cast<MemberExpr>(M->getBase()->IgnoreParenImpCasts());
    if (M->isArrow() || !Outer)
      break;
    M = Outer;
  }
  if (M->isArrow()) {
    std::optional<Spelling> Base = pointer(Frame, M->getBase());
    return Base ? MaybeText(Base->member(Name)) : std::nullopt;
  }
  std::optional<Spelling> Base = address(Frame, M->getBase());
  return Base ? MaybeText(Base->member(Name)) : std::nullopt;
}

std::optional<Spelling> Speller::plus(Spelling Base, const std::string &By,
                                      StringRef Sign) {
  if (By == "0" || Base.Object)
    return By == "0" ? std::optional<Spelling>(Base) : std::nullopt;
  if (Base.Index.empty() && Sign == "+")
    Base.Index = By;
  else
    Base.Index =
        (Base.Index + (Base.Index.empty() ? "" : " ") + Sign + " " + By).str();
  return Base;
}

std::string Speller::index(unsigned Frame, const Expr *E) {
  E = E->IgnoreParenCasts();
  if (auto *Ref = dyn_cast<DeclRefExpr>(E);
      Ref && isa<EnumConstantDecl>(Ref->getDecl()))
    return Ref->getDecl()->getNameAsString();
  if (std::optional<int64_t> Value = constantOf(E, Context))
    return std::to_string(*Value);
  if (auto *B = dyn_cast<BinaryOperator>(E);
      B && (B->isAdditiveOp() || B->isMultiplicativeOp())) {
    auto operand = [&](const Expr *Of) {
      std::string Text = index(Frame, Of);
      return StringRef(Text).contains(' ') ? "(" + Text + ")" : Text;
    };
    std::string L = operand(B->getLHS());
    return L + " " + B->getOpcodeStr().str() + " " + operand(B->getRHS());
  }
  const VarDecl *V = variableOf(E);
  if (V && !V->hasGlobalStorage() && !(Frame == 0 && isa<ParmVarDecl>(V))) {
    if (auto [Of, From] = source(Frame, E); From && ++Steps < 100)
      return index(Of, From);
  } else if (MaybeText Text = object(Frame, E)) {
    return *Text;
  }
  Varies = true;
  return V ? V->getNameAsString() : "...";
}

void noteCalls(ParsedUnit &U, const Task &T, const PointsTo &P,
               unsigned Frame) {
  if (!Frame)
    return;
  for (unsigned I = Frame; I; I = P.frames()[I].Caller)
    U.Report.report(P.frames()[I].Call->getExprLoc(), diag::note_called_by_task)
        << P.frames()[I].Function
        << spokenName(U.M, P.frames()[P.frames()[I].Caller].Function);
  if (T.ForOthers)
    U.Report.report(T.Loc, diag::note_declare_here);
  else
    U.Report.report(T.Loc, notePlace(T));
}

} // namespace agglom
