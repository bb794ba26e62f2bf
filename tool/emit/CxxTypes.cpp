// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types for C and C++ alike. In C++ a structure defined in another one belongs
// to it, and a type cannot be defined in an expression or a parameter: such
// definitions move in front of the declaration they stand in, those without a
// name with a name of ours. Enumerations become integers, which is what C
// takes them for; their enumerators stay.

#include "CompatClang.h"
#include "Cxx.h"
#include "clang/AST/Attr.h"

using namespace clang;

namespace agglom {

static bool mentionsEnum(QualType T) {
  T = T.getCanonicalType();
  for (;;) {
    const Type *Ty = T.getTypePtr();
    if (isa<EnumType>(Ty))
      return true;
    if (auto *P = dyn_cast<PointerType>(Ty)) {
      T = P->getPointeeType();
    } else if (auto *A = dyn_cast<ArrayType>(Ty)) {
      T = A->getElementType();
    } else if (auto *F = dyn_cast<FunctionProtoType>(Ty)) {
      for (QualType Param : F->param_types())
        if (mentionsEnum(Param))
          return true;
      T = F->getReturnType();
    } else {
      return false;
    }
  }
}

QualType withoutEnums(ASTContext &Ctx, QualType T) {
  if (!mentionsEnum(T))
    return T;
  SplitQualType S = T.getCanonicalType().split();
  QualType R(S.Ty, 0);
  if (auto *En = dyn_cast<EnumType>(S.Ty)) {
    R = En->getDecl()->getIntegerType();
    if (R.isNull())
      R = Ctx.UnsignedIntTy; // declared only: nothing can be done with it
    R = R.getCanonicalType();
  } else if (auto *P = dyn_cast<PointerType>(S.Ty)) {
    R = Ctx.getPointerType(withoutEnums(Ctx, P->getPointeeType()));
  } else if (auto *C = dyn_cast<ConstantArrayType>(S.Ty)) {
    R = Ctx.getConstantArrayType(withoutEnums(Ctx, C->getElementType()),
                                 C->getSize(), nullptr,
                                 ArraySizeModifier::Normal, 0);
  } else if (auto *I = dyn_cast<IncompleteArrayType>(S.Ty)) {
    R = Ctx.getIncompleteArrayType(withoutEnums(Ctx, I->getElementType()),
                                   ArraySizeModifier::Normal, 0);
  } else if (auto *F = dyn_cast<FunctionProtoType>(S.Ty)) {
    SmallVector<QualType, 8> Params;
    for (QualType Param : F->param_types())
      Params.push_back(withoutEnums(Ctx, Param));
    R = Ctx.getFunctionType(withoutEnums(Ctx, F->getReturnType()), Params,
                            F->getExtProtoInfo());
  }
  return Ctx.getQualifiedType(R, S.Quals);
}

QualType plainForm(ASTContext &Ctx, QualType T) {
  T = withoutEnums(Ctx, T);
  return T->isArrayType() ? T : T.getUnqualifiedType();
}

void CxxRewriter::type(const TypeSourceInfo *T) {
  if (T)
    type(T->getTypeLoc());
}

void CxxRewriter::type(TypeLoc T) {
  while (T) {
    if (compat::TagUse Use = compat::tagUse(T); Use.Tag)
      return tag(Use.Tag, Use.Keyword, Use.Name);
    if (auto A = T.getAs<ArrayTypeLoc>()) {
      brackets(A);
    } else if (auto F = T.getAs<FunctionProtoTypeLoc>()) {
      for (const ParmVarDecl *P : F.getParams())
        if (P)
          type(P->getTypeSourceInfo());
    } else if (auto Of = T.getAs<TypeOfExprTypeLoc>()) {
      return typeOf(Of.getLocalSourceRange(), Of.getType());
    } else if (auto Of = T.getAs<TypeOfTypeLoc>()) {
      return typeOf(Of.getLocalSourceRange(), Of.getType());
    } else if (auto Auto = T.getAs<AutoTypeLoc>()) {
      return typeOf(Auto.getLocalSourceRange(), Auto.getType());
    }
    T = T.getNextTypeLoc();
  }
}

/// typeof, in all its spellings, names the type instead: the type of an
/// expression may be another one in C++.
void CxxRewriter::typeOf(SourceRange At, QualType T) {
  Extent Where = E.Text.extent(At);
  if (!Done.insert(Where.Begin).second)
    return;
  T = withoutEnums(Ctx, T.getCanonicalType());
  // C++ has a name for that of nullptr in a header only.
  Ed->replaceInner(
      Where, "__typeof__(" +
                 (T->isNullPtrType() ? "nullptr" : T.getAsString(E.Policy)) +
                 ")");
}

/// [static 4], [restrict] and [*] are C's alone; none changes the type.
void CxxRewriter::brackets(ArrayTypeLoc A) {
  const Expr *Size = A.getSizeExpr();
  const ArrayType *Type = A.getTypePtr();
  unsigned Left = E.Text.offset(A.getLBracketLoc()) + 1;
  unsigned Right = E.Text.offset(A.getRBracketLoc());
  if (!Done.insert(Left).second)
    return;
  bool Decorated = Type->getSizeModifier() != ArraySizeModifier::Normal ||
                   Type->getIndexTypeCVRQualifiers();
  if (Size) {
    if (Decorated)
      Ed->replaceInner({Left, extent(Size).Begin}, "");
    visit(Size);
  } else if (Decorated) {
    Ed->replaceInner({Left, Right}, "");
  }
}

/// The edited text of \p At, for use at another place.
std::string CxxRewriter::piece(Extent At, llvm::function_ref<void()> Visit) {
  Edits Own, *Outer = Ed;
  Ed = &Own;
  Visit();
  Ed = Outer;
  std::string Out;
  if (auto Where = Own.apply(E.Text.buffer(), At, Out); Where && !E.Overlap)
    E.Overlap = Where;
  return Out;
}

/// \p Word in the place of braces, which need no blank before the name at
/// \p Next: struct{int a;}x.
std::string CxxRewriter::apart(std::string Word, unsigned Next) const {
  StringRef Text = E.Text.buffer();
  if (Next < Text.size() && isAsciiIdentifierContinue(Text[Next], true))
    Word += ' ';
  return Word;
}

void CxxRewriter::tag(const TagDecl *D, SourceLocation Keyword,
                      SourceLocation Name) {
  if (Keyword.isInvalid())
    return; // a name that needs no keyword: bool, size_t
  unsigned Begin = E.Text.offset(Keyword);
  if (!Done.insert(Begin).second)
    return;
  const TagDecl *Def = D->getDefinition();
  bool DefinedHere = Def && E.Text.offset(Def->getBeginLoc()) == Begin &&
                     Def->getBraceRange().isValid();
  Extent At;
  if (DefinedHere) {
    At = E.Text.extent(Def->getSourceRange());
    At.End = E.Text.pastAttributes(At.End);
  } else {
    At = E.Text.extent({Keyword, Name});
  }
  if (auto *Enum = dyn_cast<EnumDecl>(Def ? Def : D)) {
    if (DefinedHere && !DefinedElsewhere)
      declareBefore(enumeration(Enum) + "; ");
    QualType T = plainForm(Ctx, compat::typeOf(Ctx, Enum));
    Ed->replaceInner(At, apart(T.getAsString(E.Policy), At.End));
    return;
  }
  if (!DefinedHere)
    return;
  auto *R = cast<RecordDecl>(Def);
  // In its place it can stay at the beginning of a declaration that is not in
  // something else, and under a typedef, which gives it its name.
  bool Nested = R->getLexicalDeclContext()->isRecord();
  bool First = !Parents.empty() && isa<DeclStmt>(Parents.back()) &&
               extent(Parents.back()).Begin == Begin;
  if (R->getTypedefNameForAnonDecl() || (First && !Nested))
    return record(R);
  std::string Text = piece(At, [&] { record(R); });
  if (!DefinedElsewhere)
    declareBefore(Text + "; ");
  Ed->replaceInner(
      At, apart((R->isUnion() ? "union " : "struct ") + R->getNameAsString(),
                At.End));
}

/// "enum { RED = -3, GREEN }": no name, so that it can be no C++ type.
std::string CxxRewriter::enumeration(const EnumDecl *D) {
  Extent At = E.Text.extent(D->getSourceRange());
  return piece(At, [&] {
    if (D->getIdentifier())
      Ed->replaceInner(E.Text.extent(D->getLocation()), "");
    for (const EnumConstantDecl *C : D->enumerators())
      if (C->getInitExpr())
        visit(C->getInitExpr());
  });
}

/// The definition of a structure or union, in its place.
void CxxRewriter::record(const RecordDecl *R) {
  unsigned Brace = E.Text.offset(R->getBraceRange().getBegin());
  if (!R->getIdentifier() && !R->getTypedefNameForAnonDecl() &&
      !R->isAnonymousStructOrUnion()) {
    std::string Name = "ag_type_" + std::to_string(++Unnamed);
    const_cast<RecordDecl *>(R)->setDeclName(&Ctx.Idents.get(Name));
    Ed->replaceInner({Brace, Brace}, " " + Name + " ");
  }
  members(R);
  // Without members it has no size in C, and one of a byte in C++.
  if (R->field_empty())
    Ed->insertBefore(Brace + 1, " char ag_none[0]; ");
}

/// A const member: declares again, without const, what its declaration does.
/// For objects with such members C++ wants an initial value; a program that
/// has been checked does not notice that they could be written.
bool CxxRewriter::constMember(const FieldDecl *F) {
  if (!Ctx.getBaseElementType(F->getType()).isConstQualified() ||
      F->getType()->isIncompleteArrayType())
    return false;
  unsigned Begin = E.Text.offset(F->getBeginLoc());
  auto *Base = Ctx.getBaseElementType(F->getType())->getAsTagDecl();
  if (Base && Base->getDefinition() &&
      E.Text.extent(F->getSourceRange())
          .contains(E.Text.offset(Base->getDefinition()->getBeginLoc())))
    return false; // defined in this declaration
  std::string Text;
  unsigned End = Begin;
  for (const FieldDecl *Each : F->getParent()->fields()) {
    if (E.Text.offset(Each->getBeginLoc()) != Begin)
      continue;
    Qualifiers Quals;
    QualType T = Ctx.getUnqualifiedArrayType(Each->getType(), Quals);
    Quals.removeConst();
    T = withoutEnums(Ctx, Ctx.getQualifiedType(T, Quals));
    Text += Text.empty() ? "" : "; ";
    llvm::raw_string_ostream OS(Text);
    T.print(OS, E.Policy, Each->getName());
    if (Each->isBitField())
      OS << " : " << compat::bitWidth(Each, Ctx);
    for (const auto *A : Each->specific_attrs<AlignedAttr>())
      OS << " __attribute__((aligned(" << A->getAlignment(Ctx) / 8 << ")))";
    End = E.Text.pastAttributes(E.Text.extent(Each->getSourceRange()).End);
  }
  if (Done.insert(Begin).second)
    Ed->replaceInner({Begin, End}, Text);
  return true;
}

void CxxRewriter::members(const RecordDecl *R) {
  std::set<StringRef> Names;
  for (const Decl *D : R->decls()) {
    if (auto *A = dyn_cast<StaticAssertDecl>(D)) {
      Ed->replaceInner(E.Text.extent(A->getSourceRange()), "");
    } else if (auto *Inner = dyn_cast<RecordDecl>(D)) {
      if (Inner->isAnonymousStructOrUnion() &&
          Inner->isThisDeclarationADefinition())
        record(Inner);
    } else if (auto *F = dyn_cast<FieldDecl>(D)) {
      if (F->isAnonymousStructOrUnion() || constMember(F))
        continue;
      // In C++ a member hides the type of its name in the members after it.
      TypeLoc Base = F->getTypeSourceInfo()->getTypeLoc();
      while (TypeLoc Next = Base.getNextTypeLoc())
        Base = Next;
      if (auto Typedef = Base.getAs<TypedefTypeLoc>();
          Typedef && Names.count(compat::typedefOf(Typedef)->getName()))
        typeOf(Base.getSourceRange(), Base.getType());
      else
        type(F->getTypeSourceInfo());
      if (F->getBitWidth())
        visit(F->getBitWidth());
      Names.insert(F->getName());
    }
  }
}

std::string CxxRewriter::types(ArrayRef<const Decl *> Group, Extent At) {
  // A function's head or an object may define a type: that stands there, and
  // is edited there, once more.
  llvm::DenseSet<unsigned> Outer = Done;
  std::string Text = piece(At, [&] {
    Anchor = At.Begin;
    AnchorEdits = Ed;
    typeGroup(Group);
  });
  Done = std::move(Outer);
  return Text;
}

void CxxRewriter::typeGroup(ArrayRef<const Decl *> Group) {
  // Tags first: a typedef of the group mentions them.
  for (const Decl *D : Group) {
    auto *Tag = dyn_cast<TagDecl>(D);
    if (!Tag || D->isImplicit())
      continue;
    unsigned At = E.Text.offset(Tag->getBeginLoc());
    bool Alone = llvm::none_of(Group, [](const Decl *Other) {
      return !isa<TagDecl>(Other) && !Other->isImplicit();
    });
    if (auto *Enum = dyn_cast<EnumDecl>(Tag)) {
      if (!Alone)
        continue; // the declarators' specifier: see tag()
      if (!Done.insert(At).second)
        continue;
      Extent All = E.Text.extent(Enum->getSourceRange());
      Ed->replaceInner(All, Enum->isThisDeclarationADefinition()
                                ? enumeration(Enum)
                                : std::string());
    } else if (auto *R = cast<RecordDecl>(Tag);
               R->isThisDeclarationADefinition() &&
               !R->getLexicalDeclContext()->isRecord() &&
               Done.insert(At).second) {
      record(R);
    }
  }
  for (const Decl *D : Group)
    if (auto *Typedef = dyn_cast<TypedefDecl>(D))
      type(Typedef->getTypeSourceInfo());
}

} // namespace agglom
