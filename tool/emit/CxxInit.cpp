// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initialisers for C and C++ alike: values in the order of the members, no
// implicit conversion that C++ calls narrowing, and objects without a name as
// variables.

#include "Cxx.h"

using namespace clang;

namespace agglom {

static const InitListExpr *written(const InitListExpr *L) {
  if (const InitListExpr *Syntactic = L->getSyntacticForm())
    return Syntactic;
  return L;
}

static const InitListExpr *semantic(const InitListExpr *L) {
  if (const InitListExpr *Form = L->getSemanticForm())
    return Form;
  return L;
}

/// An initialiser of an array that C++ would not take: one of another character
/// type, or without room for its final zero.
static bool isOddString(ASTContext &Ctx, const StringLiteral *S) {
  const auto *A = Ctx.getAsConstantArrayType(S->getType());
  return A && (S->getCharByteWidth() > 1 ||
               A->getSize().getZExtValue() <= S->getLength());
}

/// Clang marks the elements of a list that must be constant.
static const Expr *bare(const Expr *Init) {
  if (auto *C = dyn_cast_or_null<ConstantExpr>(Init))
    return C->getSubExpr();
  return Init;
}

static bool needsRendering(ASTContext &Ctx, const InitListExpr *L) {
  for (const Expr *Each : written(L)->inits()) {
    const Expr *Init = bare(Each);
    if (!Init)
      continue;
    if (isa<DesignatedInitExpr>(Init))
      return true;
    if (auto *S = dyn_cast<StringLiteral>(Init->IgnoreParens());
        S && isOddString(Ctx, S))
      return true;
    if (auto *Inner = dyn_cast<InitListExpr>(Init);
        Inner && needsRendering(Ctx, Inner))
      return true;
  }
  return false;
}

static std::string numbers(ASTContext &Ctx, const StringLiteral *S) {
  const auto *A = Ctx.getAsConstantArrayType(S->getType());
  uint64_t Room = A ? A->getSize().getZExtValue() : S->getLength();
  std::string Out;
  for (uint64_t I = 0; I < Room && I < S->getLength(); ++I) {
    uint32_t Unit = S->getCodeUnit(I);
    bool Signed = S->getCharByteWidth() == 1 && Ctx.getLangOpts().CharIsSigned;
    Out += (I ? ", " : "") +
           (Signed ? std::to_string(static_cast<signed char>(Unit))
                   : std::to_string(Unit));
  }
  return "{" + Out + "}";
}

/// Whether braces around \p C need it written out: C++ takes there only
/// conversions that keep every value.
static bool isNarrowing(ASTContext &Ctx, const ImplicitCastExpr *C) {
  QualType From = C->getSubExpr()->getType(), To = C->getType();
  if (To->isBooleanType())
    return true;
  Expr::EvalResult Value;
  // const objects are no constants in C: only literals get past here.
  bool Known =
      C->getSubExpr()->EvaluateAsRValue(Value, Ctx) && !Value.HasSideEffects;
  switch (C->getCastKind()) {
  case CK_IntegralCast: {
    bool Was = From->isSignedIntegerOrEnumerationType();
    bool Is = To->isSignedIntegerOrEnumerationType();
    uint64_t Had = Ctx.getIntWidth(From), Has = Ctx.getIntWidth(To);
    if (Known && Value.Val.isInt()) {
      llvm::APSInt V = Value.Val.getInt(), Changed = V;
      Changed = Changed.extOrTrunc(Has);
      Changed.setIsSigned(Is);
      return !llvm::APSInt::isSameValue(V, Changed);
    }
    return Was == Is ? Has < Had : Was || Has <= Had;
  }
  case CK_FloatingCast:
    return Ctx.getFloatingTypeOrder(From, To) > 0 && !Known;
  case CK_IntegralToFloating:
    return !Known || !Value.Val.isInt() ||
           llvm::APSInt(Value.Val.getInt().extend(128), false)
                   .getSignificantBits() > 24;
  case CK_FloatingToIntegral:
    return true;
  default:
    return false;
  }
}

/// The initialiser of a variable.
void CxxRewriter::initialiser(const Expr *Init) {
  const Expr *Plain = Init->IgnoreParens();
  if (auto *L = dyn_cast<InitListExpr>(Plain)) {
    list(L);
  } else if (auto *S = dyn_cast<StringLiteral>(Plain)) {
    if (isOddString(Ctx, S))
      Ed->replaceInner(extent(Init), numbers(Ctx, S));
  } else if (auto *C = dyn_cast<CompoundLiteralExpr>(Plain);
             C && isa<InitListExpr>(C->getInitializer())) {
    // T x[] = (T[]){...}
    Ed->replaceInner(extent(Init),
                     renderedList(cast<InitListExpr>(C->getInitializer())));
  } else {
    visit(Init);
  }
}

void CxxRewriter::list(const InitListExpr *L) {
  if (needsRendering(Ctx, L)) {
    Ed->replaceInner(extent(L), renderedList(semantic(L)));
    return;
  }
  for (const Expr *Init : written(L)->inits())
    if (Init)
      element(Init);
}

void CxxRewriter::element(const Expr *Init) {
  Init = bare(Init);
  if (auto *C = dyn_cast<ImplicitCastExpr>(Init); C && isNarrowing(Ctx, C))
    return castTo(C->getSubExpr(), C->getType());
  if (auto *L = dyn_cast<InitListExpr>(Init)) {
    for (const Expr *Each : written(L)->inits())
      if (Each)
        element(Each);
    return;
  }
  if (auto *C = dyn_cast<ImplicitCastExpr>(Init); C && Static)
    if (auto *Lit = dyn_cast<CompoundLiteralExpr>(C->getSubExpr()))
      if (auto *L = dyn_cast<InitListExpr>(Lit->getInitializer())) {
        Ed->replaceInner(extent(Init), renderedList(semantic(L)));
        return;
      }
  visit(Init);
}

/// The edited text of \p Ex, on one line.
std::string CxxRewriter::rendered(const Expr *Ex) {
  return E.Text.oneLine(piece(extent(Ex), [&] { visit(Ex); }));
}

std::string CxxRewriter::renderedElement(const Expr *Init, QualType T) {
  Init = bare(Init);
  if (!Init || isa<ImplicitValueInitExpr>(Init))
    return T->isScalarType() ? "0" : "{}";
  if (auto *L = dyn_cast<InitListExpr>(Init))
    return renderedList(semantic(L));
  if (auto *S = dyn_cast<StringLiteral>(Init->IgnoreParens());
      S && T->isArrayType())
    return isOddString(Ctx, S) ? numbers(Ctx, S) : E.Text.text(Init);
  return E.Text.oneLine(piece(extent(Init), [&] { element(Init); }));
}

/// A list in its semantic form: one value for each element, in order.
std::string CxxRewriter::renderedList(const InitListExpr *L) {
  L = semantic(L);
  if (L->isTransparent())
    return renderedElement(L->getInit(0), L->getType());
  QualType T = L->getType();
  std::vector<std::string> Values;
  size_t Last = 0; // past the last one that is not just zero
  auto add = [&](const Expr *Init, QualType Type) {
    Init = bare(Init);
    Values.push_back(renderedElement(Init, Type));
    if (Init && !isa<ImplicitValueInitExpr>(Init))
      Last = Values.size();
  };
  if (const auto *A = Ctx.getAsArrayType(T)) {
    QualType Element = A->getElementType();
    for (unsigned I = 0; I < L->getNumInits(); ++I) {
      const Expr *Init = L->getInit(I);
      add(Init ? Init : L->getArrayFiller(), Element);
    }
  } else if (const auto *R = T->getAsRecordDecl()) {
    if (R->isUnion()) {
      const FieldDecl *Field = L->getInitializedFieldInUnion();
      if (Field && L->getNumInits()) {
        const FieldDecl *First = nullptr;
        for (const FieldDecl *F : R->fields())
          if (!F->isUnnamedBitField()) {
            First = F;
            break;
          }
        std::string Value = renderedElement(L->getInit(0), Field->getType());
        if (Field != First && Field->getIdentifier())
          Value = "." + Field->getNameAsString() + " = " + Value;
        Values.push_back(Value);
        Last = 1;
      }
    } else {
      unsigned I = 0;
      for (const FieldDecl *F : R->fields()) {
        if (F->isUnnamedBitField())
          continue;
        if (I >= L->getNumInits())
          break;
        add(L->getInit(I++), F->getType());
      }
    }
  } else if (L->getNumInits()) {
    add(L->getInit(0), T);
  }
  std::string Out;
  for (size_t I = 0; I < Last; ++I)
    Out += (I ? ", " : "") + Values[I];
  return "{" + Out + "}";
}

/// "ag_l = {...}" for an object of type \p T, with \p Declaration of ag_l and
/// \p Address of the object in it. Arrays are put into a structure, for they
/// cannot be assigned.
std::string CxxRewriter::literalSetting(QualType T, const Expr *Init,
                                        std::string &Declaration,
                                        std::string &Address) {
  std::string Name = "ag_literal_" + std::to_string(++Literals);
  QualType Plain = plainForm(Ctx, T);
  llvm::raw_string_ostream OS(Declaration);
  const Expr *Value = Init->IgnoreParens();
  auto *L = dyn_cast<InitListExpr>(Value);
  if (const auto *A = Ctx.getAsConstantArrayType(Plain)) {
    QualType Element = A->getElementType();
    Plain = Ctx.getConstantArrayType(Ctx.getBaseElementType(Element) == Element
                                         ? Element.getUnqualifiedType()
                                         : Element,
                                     A->getSize(), nullptr,
                                     ArraySizeModifier::Normal, 0);
    OS << "struct " << Name << " { ";
    Plain.print(OS, E.Policy, "v");
    OS << "; } " << Name << "; ";
    Address = Name + ".v";
    return Name + " = (struct " + Name + "){" +
           (L ? renderedList(L) : renderedElement(Value, T)) + "}";
  }
  Plain.print(OS, E.Policy, Name);
  OS << "; ";
  Address = "&" + Name;
  if (T->isScalarType())
    return Name + " = " +
           renderedElement(L && L->getNumInits() ? L->getInit(0)
                           : L                   ? nullptr
                                                 : Value,
                           T);
  return Name + " = (" + Plain.getAsString(E.Policy) + ")" +
         (L ? renderedList(L) : "(" + rendered(Value) + ")");
}

/// A value stays what it is; where the object itself is needed, C++ has only a
/// temporary that would be gone: it becomes a variable of the block.
void CxxRewriter::compoundLiteral(const CompoundLiteralExpr *L) {
  bool Value = false;
  for (unsigned Up = 0; const Stmt *User = parent(Up); ++Up) {
    if (auto *M = dyn_cast<MemberExpr>(User); M && !M->isArrow())
      continue;
    if (isa<ParenExpr>(User))
      continue;
    auto *C = dyn_cast<ImplicitCastExpr>(User);
    Value = C && C->getCastKind() == CK_LValueToRValue;
    break;
  }
  if (Value || Static || L->isFileScope()) {
    type(L->getTypeSourceInfo());
    auto *List = dyn_cast<InitListExpr>(L->getInitializer());
    if (!List)
      return visit(L->getInitializer());
    return list(List);
  }
  // For definitions that move in front.
  piece(extent(L), [&] { type(L->getTypeSourceInfo()); });
  std::string Declaration, Address;
  std::string Set =
      literalSetting(L->getType(), L->getInitializer(), Declaration, Address);
  declareBefore(Declaration);
  if (L->getType()->isArrayType())
    Address = "&" + Address;
  Ed->replaceInner(extent(L), "(*(" + Set + ", " + Address + "))");
}

} // namespace agglom
