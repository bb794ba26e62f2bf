// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements and expressions for C and C++ alike.

#include "Cxx.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace agglom {

/// "(T)operand". Visits the operand.
void CxxRewriter::castTo(const Expr *Operand, QualType To) {
  // Of arrays of variable size only the elements are left; \see flattenArrays.
  if (To->isVariablyModifiedType()) {
    if (Operand->getType()->isVariablyModifiedType())
      return visit(Operand);
    To = Ctx.getPointerType(Ctx.getBaseElementType(To->getPointeeType()));
  }
  std::string Name = plainForm(Ctx, To).getAsString(E.Policy);
  const Expr *Written = Operand->IgnoreImplicit();
  bool Binds = isa<ParenExpr, DeclRefExpr, IntegerLiteral, FloatingLiteral,
                   CharacterLiteral, StringLiteral, MemberExpr, CallExpr,
                   ArraySubscriptExpr, UnaryOperator, CStyleCastExpr>(Written);
  Extent At = extent(Operand);
  Ed->openWrap(At, "(" + Name + (Binds ? ")" : ")("));
  visit(Operand);
  if (!Binds)
    Ed->closeWrap(At, ")");
}

const Stmt *CxxRewriter::parent(unsigned Up) const {
  return Parents.size() > Up + 1 ? Parents[Parents.size() - 2 - Up] : nullptr;
}

void CxxRewriter::children(const Stmt *S) {
  for (const Stmt *Child : S->children())
    visit(Child);
}

void CxxRewriter::visit(const Stmt *S) {
  if (!S)
    return;
  Parents.push_back(S);
  switch (S->getStmtClass()) {
  case Stmt::CompoundStmtClass:
    block(cast<CompoundStmt>(S));
    break;
  case Stmt::DeclStmtClass:
    declaration(cast<DeclStmt>(S));
    break;
  case Stmt::ForStmtClass:
    forLoop(cast<ForStmt>(S));
    break;
  case Stmt::CaseStmtClass:
    caseLabel(cast<CaseStmt>(S));
    break;
  case Stmt::DefaultStmtClass: {
    auto *D = cast<DefaultStmt>(S);
    label(D->getSubStmt(), E.Text.offset(D->getColonLoc()));
    visit(D->getSubStmt());
    break;
  }
  case Stmt::LabelStmtClass: {
    auto *L = cast<LabelStmt>(S);
    Extent Name = E.Text.extent(L->getIdentLoc());
    label(L->getSubStmt(), E.Text.buffer().find(':', Name.End));
    visit(L->getSubStmt());
    break;
  }
  case Stmt::ImplicitCastExprClass:
    implicitCast(cast<ImplicitCastExpr>(S));
    break;
  case Stmt::CStyleCastExprClass:
    explicitCast(cast<CStyleCastExpr>(S));
    break;
  case Stmt::UnaryExprOrTypeTraitExprClass:
    sizeOf(cast<UnaryExprOrTypeTraitExpr>(S));
    break;
  case Stmt::OffsetOfExprClass:
    type(cast<OffsetOfExpr>(S)->getTypeSourceInfo());
    children(S);
    break;
  case Stmt::GenericSelectionExprClass:
    chosen(cast<Expr>(S), cast<GenericSelectionExpr>(S)->getResultExpr());
    break;
  case Stmt::ChooseExprClass:
    chosen(cast<Expr>(S), cast<ChooseExpr>(S)->getChosenSubExpr());
    break;
  case Stmt::TypeTraitExprClass: // __builtin_types_compatible_p
    Ed->replaceInner(
        extent(S), cast<Expr>(S)->EvaluateKnownConstInt(Ctx) != 0 ? "1" : "0");
    break;
  case Stmt::CallExprClass:
    if (auto *C = cast<CallExpr>(S);
        C->getBuiltinCallee() == Builtin::BI__builtin_constant_p) {
      Expr::EvalResult Known;
      bool Yes = C->EvaluateAsInt(Known, Ctx) && Known.Val.getInt() != 0;
      Ed->replaceInner(extent(S), Yes ? "1" : "0");
      break;
    }
    children(S);
    break;
  case Stmt::CharacterLiteralClass: {
    auto *C = cast<CharacterLiteral>(S);
    if (C->getKind() == CharacterLiteralKind::UTF8)
      Ed->replaceInner(extent(S), "(" + C->getType().getAsString(E.Policy) +
                                      ")" + std::to_string(C->getValue()));
    break;
  }
  case Stmt::UnaryOperatorClass:
    increment(cast<UnaryOperator>(S));
    break;
  case Stmt::DeclRefExprClass:
    reference(cast<DeclRefExpr>(S));
    break;
  case Stmt::CompoundLiteralExprClass:
    compoundLiteral(cast<CompoundLiteralExpr>(S));
    break;
  case Stmt::InitListExprClass:
    list(cast<InitListExpr>(S));
    break;
  default:
    children(S);
    break;
  }
  Parents.pop_back();
}

void CxxRewriter::block(const CompoundStmt *S) {
  unsigned Outer = Anchor;
  Edits *OuterEdits = AnchorEdits;
  AnchorEdits = Ed;
  for (const Stmt *Child : S->body()) {
    const Stmt *First = Child;
    while (auto *A = dyn_cast<AttributedStmt>(First))
      First = A->getSubStmt();
    Anchor = extent(First).Begin;
    while (auto *C = dyn_cast<SwitchCase>(First))
      First = C->getSubStmt();
    while (auto *L = dyn_cast<LabelStmt>(First))
      First = L->getSubStmt();
    if (auto *D = dyn_cast<DeclStmt>(First); D && isJumpedOver(D, S))
      JumpedOver.insert(D);
    visit(Child);
  }
  Anchor = Outer;
  AnchorEdits = OuterEdits;
}

static void
findGotos(const Stmt *S,
          llvm::function_ref<void(const LabelDecl *, const GotoStmt *)> Found) {
  if (!S)
    return;
  if (auto *G = dyn_cast<GotoStmt>(S))
    Found(G->getLabel(), G);
  for (const Stmt *Child : S->children())
    findGotos(Child, Found);
}

/// Calls \p Label for labels and cases in \p S that can be reached from outside
/// of it, and tells whether one of the calls said so.
static bool hasTarget(const Stmt *S, bool InSwitch,
                      llvm::function_ref<bool(const LabelDecl *)> Reached) {
  if (!S)
    return false;
  if (isa<SwitchCase>(S) && !InSwitch)
    return true;
  if (auto *L = dyn_cast<LabelStmt>(S); L && Reached(L->getDecl()))
    return true;
  InSwitch |= isa<SwitchStmt>(S);
  for (const Stmt *Child : S->children())
    if (hasTarget(Child, InSwitch, Reached))
      return true;
  return false;
}

/// C++ refuses a jump forward over a declaration with an initial value.
bool CxxRewriter::isJumpedOver(const DeclStmt *D, const CompoundStmt *In) {
  bool Initialises = false;
  for (const Decl *Each : D->decls())
    if (auto *V = dyn_cast<VarDecl>(Each))
      Initialises |= V->hasInit() && V->hasLocalStorage();
  if (!Initialises)
    return false;
  unsigned Here = extent(D).End, End = extent(In).End;
  auto Reached = [&](const LabelDecl *L) {
    auto It = Gotos.find(L);
    return It != Gotos.end() && llvm::any_of(It->second, [&](unsigned From) {
             return From < Here || From >= End;
           });
  };
  bool After = false;
  for (const Stmt *Child : In->body()) {
    if (After && hasTarget(Child, false, Reached))
      return true;
    After |= extent(Child).End >= Here;
  }
  return false;
}

/// "T x = 1, *y = 0;" becomes "T x; x = 1; T *y; y = 0;". What was const is
/// no more: only the initialisation ever wrote it.
void CxxRewriter::split(const DeclStmt *S) {
  std::string Text;
  for (const Decl *D : S->decls()) {
    auto *V = cast<VarDecl>(D);
    // For what moves in front.
    piece(extent(S), [&] { type(V->getTypeSourceInfo()); });
    QualType T = V->getType();
    std::string Declaration, Name = V->getNameAsString();
    llvm::raw_string_ostream OS(Declaration);
    QualType Plain = plainForm(Ctx, T.getUnqualifiedType());
    if (const auto *A = Ctx.getAsConstantArrayType(Plain))
      Plain = Ctx.getConstantArrayType(A->getElementType().getUnqualifiedType(),
                                       A->getSize(), nullptr,
                                       ArraySizeModifier::Normal, 0);
    Plain.print(OS, E.Policy, Name);
    for (const auto *A : V->specific_attrs<AlignedAttr>())
      OS << " __attribute__((aligned(" << A->getAlignment(Ctx) / 8 << ")))";
    Text += Declaration + "; ";
    const Expr *Init = V->getInit();
    if (!Init)
      continue;
    if (T->isArrayType()) {
      std::string Holder, Address;
      std::string Set = literalSetting(T, Init, Holder, Address);
      Text += Holder + Set + "; __builtin_memcpy(" + Name + ", " + Address +
              ", sizeof " + Name + "); ";
    } else if (auto *L = dyn_cast<InitListExpr>(Init->IgnoreParens());
               L && !T->isScalarType()) {
      Text += Name + " = (" + plainForm(Ctx, T).getAsString(E.Policy) + ")" +
              renderedList(L) + "; ";
    } else {
      Text += Name + " = " + renderedElement(Init, T) + "; ";
    }
  }
  Text.pop_back();
  Ed->replaceInner(extent(S), Text);
}

void CxxRewriter::declaration(const DeclStmt *S) {
  if (JumpedOver.count(S) && llvm::all_of(S->decls(), [](const Decl *D) {
        auto *V = dyn_cast<VarDecl>(D);
        return V && V->hasLocalStorage();
      }))
    return split(S);
  if (S->isSingleDecl()) {
    const Decl *D = S->getSingleDecl();
    auto *V = dyn_cast<VarDecl>(D);
    // The kernel text has the function or the object at file scope, static.
    if (isa<FunctionDecl, StaticAssertDecl>(D) || (V && V->isLocalExternDecl()))
      return Ed->replaceInner(extent(S), ";");
  }
  bool TagsOnly =
      llvm::all_of(S->decls(), [](const Decl *D) { return isa<TagDecl>(D); });
  for (const Decl *D : S->decls()) {
    if (auto *Enum = dyn_cast<EnumDecl>(D)) {
      if (TagsOnly && Done.insert(E.Text.offset(Enum->getBeginLoc())).second)
        Ed->replaceInner(E.Text.extent(Enum->getSourceRange()),
                         enumeration(Enum));
    } else if (auto *R = dyn_cast<RecordDecl>(D)) {
      if (TagsOnly && R->isThisDeclarationADefinition() &&
          Done.insert(E.Text.offset(R->getBeginLoc())).second)
        record(R);
    } else if (auto *T = dyn_cast<TypedefDecl>(D)) {
      type(T->getTypeSourceInfo());
    } else if (auto *V = dyn_cast<VarDecl>(D)) {
      variable(V);
    }
  }
}

void CxxRewriter::variable(const VarDecl *V) {
  TypeLoc Type = V->getTypeSourceInfo()->getTypeLoc();
  if (AutoTypeLoc Auto = Type.getContainedAutoTypeLoc())
    typeOf(Auto.getLocalSourceRange(),
           V->getType()->getContainedDeducedType()->getDeducedType());
  else
    type(Type);
  if (isBlockShared(V))
    return sharedObject(V);
  if (V->getStorageClass() == SC_Auto) // another word in C++
    if (Extent Word = E.Text.word(E.Text.extent(V->getSourceRange()), "auto");
        Word.End && Done.insert(Word.Begin).second)
      Ed->replaceInner(Word, "");
  bool Outer = Static;
  Static = V->isStaticLocal();
  if (V->hasInit())
    initialiser(V->getInit());
  else if (Ctx.getBaseElementType(V->getType()).isConstQualified())
    Ed->insertBefore(E.Text.extent(V->getSourceRange()).End,
                     V->getType()->isScalarType() ? " = 0" : " = {}");
  Static = Outer;
}

/// Before C23 and C++23 neither a declaration nor '}' follows a label.
void CxxRewriter::label(const Stmt *Sub, unsigned Colon) {
  if (isa<DeclStmt>(Sub) || Sub->getBeginLoc().isInvalid() ||
      extent(Sub).Begin <= Colon || E.Text.text(extent(Sub)).starts_with("}"))
    Ed->insertBefore(Colon + 1, ";");
}

/// A case that the type of the switch does not have converts to it in C.
void CxxRewriter::caseLabel(const CaseStmt *S) {
  for (const Expr *Value : {S->getLHS(), S->getRHS()}) {
    if (!Value)
      continue;
    const Expr *Written = Value;
    if (auto *C = dyn_cast<ConstantExpr>(Written))
      Written = C->getSubExpr();
    Expr::EvalResult Before, After;
    const Expr *Plain = Written->IgnoreImpCasts();
    if (Plain != Written && Plain->EvaluateAsInt(Before, Ctx) &&
        Written->EvaluateAsInt(After, Ctx) &&
        !llvm::APSInt::isSameValue(Before.Val.getInt(), After.Val.getInt()))
      castTo(Plain, Written->getType());
    else
      visit(Value);
  }
  label(S->getSubStmt(), E.Text.offset(S->getColonLoc()));
  visit(S->getSubStmt());
}

/// In C the body may declare the loop variable's name again.
void CxxRewriter::forLoop(const ForStmt *S) {
  auto *Body = dyn_cast<CompoundStmt>(S->getBody());
  auto *Head = dyn_cast_or_null<DeclStmt>(S->getInit());
  bool Again = false;
  if (Body && Head)
    for (const Decl *H : Head->decls())
      for (const Stmt *Child : Body->body())
        if (auto *D = dyn_cast<DeclStmt>(Child))
          for (const Decl *Each : D->decls())
            if (auto *A = dyn_cast<NamedDecl>(H),
                *B = dyn_cast<NamedDecl>(Each);
                A && B && A->getIdentifier() &&
                A->getIdentifier() == B->getIdentifier())
              Again = true;
  visit(S->getInit());
  visit(S->getCond());
  visit(S->getInc());
  if (Again)
    Ed->openWrap(extent(Body), "{ ");
  visit(Body ? Body : S->getBody());
  if (Again)
    Ed->closeWrap(extent(Body), " }");
}

static bool isStringLiteral(const Expr *Ex) {
  return isa<StringLiteral>(Ex->IgnoreParens());
}

/// Whether C++, too, converts a pointer to \p From to a pointer to \p To.
static bool pointsAlike(ASTContext &Ctx, QualType From, QualType To) {
  Qualifiers Had = Ctx.getCanonicalType(From).getQualifiers();
  Qualifiers Has = Ctx.getCanonicalType(To).getQualifiers();
  if ((Had.getCVRQualifiers() & ~Has.getCVRQualifiers()) != 0)
    return false;
  return To->isVoidType() || Ctx.hasSameUnqualifiedType(From, To);
}

void CxxRewriter::implicitCast(const ImplicitCastExpr *C) {
  const Expr *Sub = C->getSubExpr();
  QualType To = C->getType(), From = Sub->getType();
  bool Explicit = false;
  switch (C->getCastKind()) {
  case CK_BitCast:
  case CK_NoOp:
    if (To->isPointerType() && From->isPointerType() && !C->isLValue()) {
      QualType A = withoutEnums(Ctx, From->getPointeeType());
      QualType B = withoutEnums(Ctx, To->getPointeeType());
      Explicit = !pointsAlike(Ctx, A, B);
    }
    break;
  case CK_NullToPointer:
    Explicit = !To->isVoidPointerType() && !To->isNullPtrType() &&
               !From->isNullPtrType() &&
               !isa<IntegerLiteral>(Sub->IgnoreParenImpCasts());
    break;
  case CK_IntegralToPointer:
    Explicit = true;
    break;
  case CK_PointerToIntegral:
    Explicit = true;
    break;
  case CK_ArrayToPointerDecay:
    if (isStringLiteral(Sub) && !To->getPointeeType().isConstQualified()) {
      // Its characters are const in C++.
      const Stmt *User = parent();
      if (auto *Next = dyn_cast_or_null<ImplicitCastExpr>(User);
          Next && Next->getType()->isPointerType() &&
          Next->getType()->getPointeeType().isConstQualified() &&
          Next->getCastKind() == CK_NoOp)
        break;
      Explicit = !isa_and_nonnull<ArraySubscriptExpr, CStyleCastExpr>(User);
    }
    break;
  default:
    break;
  }
  if (!Explicit)
    return children(C);
  if (C->getCastKind() == CK_PointerToIntegral &&
      Ctx.getTypeSize(To) < Ctx.getTypeSize(From)) {
    Ed->openWrap(extent(C),
                 "(" + plainForm(Ctx, To).getAsString(E.Policy) + ")");
    To = Ctx.UnsignedLongTy;
  }
  castTo(Sub, To);
}

void CxxRewriter::explicitCast(const CStyleCastExpr *C) {
  type(C->getTypeInfoAsWritten());
  const Expr *Sub = C->getSubExpr();
  unsigned Operand = extent(Sub).Begin;
  if (C->getCastKind() == CK_ToUnion) {
    auto *R = C->getType()->getAsRecordDecl();
    const FieldDecl *Field = nullptr;
    for (const FieldDecl *F : R->fields())
      if (Ctx.hasSameUnqualifiedType(F->getType(), Sub->getType())) {
        Field = F;
        break;
      }
    if (Field) {
      Ed->openWrap(extent(C), "(");
      Ed->replaceInner({Operand, Operand},
                       "{." + Field->getNameAsString() + " = ");
      visit(Sub);
      Ed->closeWrap(extent(C), "})");
      return;
    }
  } else if (C->getCastKind() == CK_PointerToIntegral &&
             Ctx.getTypeSize(C->getType()) < Ctx.getTypeSize(Sub->getType())) {
    Ed->openWrap({Operand, extent(Sub).End}, "(unsigned long)");
  }
  visit(Sub);
}

/// An expression may have another type, and so another size, in C++: 'a', a
/// comparison, an enumerator. What is an lvalue has not.
void CxxRewriter::sizeOf(const UnaryExprOrTypeTraitExpr *S) {
  if (S->isArgumentType())
    return type(S->getArgumentTypeInfo());
  const Expr *Of = S->getArgumentExpr();
  if (Of->isLValue() || !Of->getType()->isArithmeticType())
    return visit(Of);
  std::string Name = E.plainType(Of->getType());
  const char *Word = S->getKind() == UETT_SizeOf ? "sizeof" : "__alignof__";
  Ed->replaceInner(extent(S), std::string(Word) + "(" + Name + ")");
}

/// Only \p Part of a selection made at compile time stays.
void CxxRewriter::chosen(const Expr *Whole, const Expr *Part) {
  Extent All = extent(Whole), Inner = extent(Part);
  Ed->replaceInner({All.Begin, Inner.Begin}, "(");
  visit(Part);
  Ed->replaceInner({Inner.End, All.End}, ")");
}

/// C++ has no ++ and -- for bool.
void CxxRewriter::increment(const UnaryOperator *U) {
  if (U->getOpcode() == UO_Extension || !U->isIncrementDecrementOp() ||
      !U->getType()->isBooleanType())
    return children(U);
  const Expr *Object = U->getSubExpr();
  const Stmt *User = parent();
  bool Used = isa_and_nonnull<Expr>(User);
  std::string Text = rendered(Object);
  if (U->isIncrementOp() && U->isPostfix() && Used)
    Text = "(" + Text + " ? 1 : (" + Text + " = 1, 0))";
  else if (U->isIncrementOp())
    Text = "(" + Text + " = 1)";
  else if (U->isPostfix() && Used)
    Text = "((" + Text + " ^= 1) ^ 1)";
  else
    Text = "(" + Text + " ^= 1)";
  Ed->replaceInner(extent(U), Text);
}

/// Enumerators have C's type where C++ would give them a wider one. Shared
/// objects are reached through their address, as are those of E.ByAddress.
void CxxRewriter::reference(const DeclRefExpr *R) {
  if (auto *V = dyn_cast<VarDecl>(R->getDecl()); V && isBlockShared(V))
    return sharedReference(R, V);
  if (auto It = E.ByAddress.find(In); It != E.ByAddress.end())
    if (auto *V = dyn_cast<VarDecl>(R->getDecl()))
      if (auto Name = It->second.find(V->getCanonicalDecl());
          Name != It->second.end())
        return Ed->replaceInner(extent(R), Name->second);
  auto *C = dyn_cast<EnumConstantDecl>(R->getDecl());
  if (!C || R->getType()->isEnumeralType())
    return;
  auto *Enum = cast<EnumDecl>(C->getDeclContext());
  if (Enum->isFixed())
    return;
  for (const EnumConstantDecl *Each : Enum->enumerators())
    if (!Each->getInitVal().isRepresentableByInt64() ||
        !llvm::isInt<32>(Each->getInitVal().getExtValue())) {
      Ed->openWrap(extent(R), "((" + R->getType().getAsString(E.Policy) + ")");
      Ed->closeWrap(extent(R), ")");
      return;
    }
}

void CxxRewriter::function(const FunctionDecl *F) {
  Gotos.clear();
  findGotos(F->getBody(), [&](const LabelDecl *L, const GotoStmt *G) {
    Gotos[L].push_back(extent(G).Begin);
  });
  DefinedElsewhere = true;
  if (F->getTypeSourceInfo())
    type(F->getTypeSourceInfo());
  DefinedElsewhere = false;
  In = F;
  visit(F->getBody());
  In = nullptr;
}

void CxxRewriter::references(const Stmt *S, const FunctionDecl *Of) {
  In = Of;
  if (auto *Ref = dyn_cast<DeclRefExpr>(S))
    reference(Ref);
  for (const Stmt *Child : S->children())
    if (Child)
      references(Child, Of);
  In = nullptr;
}

void CxxRewriter::constant(const VarDecl *V) {
  DefinedElsewhere = Static = true;
  type(V->getTypeSourceInfo());
  if (const Expr *Init = V->getAnyInitializer())
    initialiser(Init);
  DefinedElsewhere = Static = false;
}

} // namespace agglom
