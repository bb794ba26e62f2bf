// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Types.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace agglom {

TypeCollector::TypeCollector(Emission &E) : E(E) {
  for (const DeclGroup &Group : E.U.Groups) {
    Extent At;
    bool TypesOnly = true, First = true;
    for (const Decl *D : Group) {
      if (D->isImplicit() || D->getBeginLoc().isInvalid())
        continue;
      Extent One = E.Text.extent(D->getSourceRange());
      At.Begin = First ? One.Begin : std::min(At.Begin, One.Begin);
      At.End = First ? One.End : std::max(At.End, One.End);
      First = false;
      TypesOnly &= isa<TypeDecl>(D);
      if (auto *F = dyn_cast<FunctionDecl>(D);
          F && F->doesThisDeclarationHaveABody())
        FunctionBodies.push_back(E.Text.extent(F->getBody()->getSourceRange()));
    }
    if (!First)
      Groups.push_back({At, TypesOnly});
  }
}

void TypeCollector::addDeclaration(const TypeDecl *D) {
  if (D->isImplicit() || D->getLocation().isInvalid())
    return;
  Extent Own = E.Text.extent(D->getSourceRange());
  for (const Extent &Body : FunctionBodies)
    if (Body.contains(Own.Begin))
      return; // goes with that function's text
  Extent Chunk = {Own.Begin, E.Text.pastSemicolon(Own.End)};
  for (const auto &[At, TypesOnly] : Groups)
    if (At.contains(Own.Begin)) {
      if (TypesOnly)
        Chunk = {At.Begin, E.Text.pastSemicolon(At.End)};
      else // struct s {...} object; : only the type
        Chunk = {Own.Begin, Own.End};
      break;
    }
  Chunks.try_emplace(Chunk.Begin, Chunk, D->getBeginLoc());
}

void TypeCollector::need(QualType T) {
  while (!T.isNull() && Seen.insert(T.getAsOpaquePtr()).second) {
    const Type *Ty = T.getTypePtr();
    if (auto *Typedef = dyn_cast<TypedefType>(Ty))
      addDeclaration(Typedef->getDecl());
    QualType Next = T.getSingleStepDesugaredType(E.U.Context);
    if (Next != T) {
      T = Next;
      continue;
    }
    if (auto *P = dyn_cast<PointerType>(Ty)) {
      T = P->getPointeeType();
    } else if (auto *A = dyn_cast<ArrayType>(Ty)) {
      T = A->getElementType();
    } else if (auto *F = dyn_cast<FunctionProtoType>(Ty)) {
      for (QualType Param : F->param_types())
        need(Param);
      T = F->getReturnType();
    } else if (auto *V = dyn_cast<VectorType>(Ty)) {
      T = V->getElementType();
    } else if (auto *A = dyn_cast<AtomicType>(Ty)) {
      T = A->getValueType();
    } else if (const auto *Tag = Ty->getAsTagDecl()) {
      return need(Tag);
    } else {
      return;
    }
  }
}

void TypeCollector::need(const TagDecl *Tag) {
  const TagDecl *Def = Tag->getDefinition();
  addDeclaration(Def ? Def : Tag);
  if (auto *Record = dyn_cast_or_null<RecordDecl>(Def))
    for (const FieldDecl *Field : Record->fields())
      need(Field->getType());
}

namespace {
class TypeWalk : public RecursiveASTVisitor<TypeWalk> {
  TypeCollector &C;

public:
  explicit TypeWalk(TypeCollector &C) : C(C) {}
  bool VisitTypeLoc(TypeLoc TL) {
    C.need(TL.getType());
    return true;
  }
  bool VisitExpr(Expr *Ex) {
    C.need(Ex->getType());
    if (auto *Ref = dyn_cast<DeclRefExpr>(Ex))
      if (auto *K = dyn_cast<EnumConstantDecl>(Ref->getDecl()))
        C.need(cast<EnumDecl>(K->getDeclContext()));
    return true;
  }
  bool VisitValueDecl(ValueDecl *D) {
    C.need(D->getType());
    return true;
  }
};
} // namespace

void TypeCollector::needFor(const FunctionDecl *F) {
  TypeWalk(*this).TraverseDecl(const_cast<FunctionDecl *>(F));
}

void TypeCollector::needFor(const VarDecl *V) {
  TypeWalk(*this).TraverseDecl(const_cast<VarDecl *>(V));
}

std::string TypeCollector::text() const {
  std::string S;
  unsigned Past = 0;
  for (const auto &[Begin, Chunk] : Chunks) {
    if (Begin < Past)
      continue; // inside the one before
    Past = Chunk.first.End;
    S += E.Text.lineMarker(Chunk.second);
    StringRef Text = E.Text.text(Chunk.first);
    S += Text;
    if (!Text.ends_with(";"))
      S += ";";
    S += "\n";
  }
  return S;
}

} // namespace agglom
