// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Types.h"
#include "AstVisitor.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace agglom {

TypeCollector::TypeCollector(Emission &E) : E(E) {
  for (const DeclGroup &Declared : E.U.Groups) {
    Extent At;
    bool TypesOnly = true, First = true;
    for (const Decl *D : Declared) {
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
      Groups.push_back({At, TypesOnly, {Declared.begin(), Declared.end()}});
  }
}

void TypeCollector::addDeclaration(const TypeDecl *D) {
  if (D->isImplicit() || D->getLocation().isInvalid())
    return;
  Extent Own = E.Text.extent(D->getSourceRange());
  for (const Extent &Body : FunctionBodies)
    if (Body.contains(Own.Begin))
      return; // emitted with that function's body
  Own.End = E.Text.pastAttributes(Own.End);
  Extent Chunk = {Own.Begin, E.Text.pastSemicolon(Own.End)};
  std::vector<const Decl *> Decls = {D};
  bool Apart = false;
  for (const Group &G : Groups)
    if (G.At.contains(Own.Begin)) {
      if (G.TypesOnly) {
        Chunk = {G.At.Begin, E.Text.pastSemicolon(G.At.End)};
        Decls = G.Decls;
      } else { // struct s {...} object; : the type alone
        Chunk = {Own.Begin, Own.End};
        Apart = true;
      }
      break;
    }
  unsigned Pack = 0;
  if (auto *Tag = dyn_cast<TagDecl>(D)) {
    Records.insert(Tag);
    if (auto *A = Tag->getAttr<MaxFieldAlignmentAttr>())
      Pack = A->getAlignment() / 8;
  }
  auto [It, New] = Chunks.try_emplace(Chunk.Begin);
  if (New) {
    It->second.At = Chunk;
    It->second.Loc = D->getBeginLoc();
    It->second.Decls = Decls;
    It->second.Apart = Apart;
  }
  It->second.Pack = std::max(It->second.Pack, Pack);
}

void TypeCollector::need(QualType T) {
  while (!T.isNull() && Seen.insert(T.getAsOpaquePtr()).second) {
    const Type *Ty = T.getTypePtr();
    if (auto *Typedef = dyn_cast<TypedefType>(Ty)) {
      addDeclaration(Typedef->getDecl());
      walk(Typedef->getDecl());
    }
    QualType Next = T.getSingleStepDesugaredType(E.U.Context);
    if (Next != T) {
      T = Next;
      continue;
    }
    if (auto *V = dyn_cast<VectorType>(Ty))
      T = V->getElementType();
    else if (auto *A = dyn_cast<AtomicType>(Ty))
      T = A->getValueType();
    else if (const auto *Tag = Ty->getAsTagDecl())
      return need(Tag);
    else
      T = derivedFrom(Ty, [&](QualType Param) { need(Param); });
  }
}

namespace {
class TypeWalk : public AstVisitor<TypeWalk> {
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

void TypeCollector::need(const TagDecl *Tag) {
  const TagDecl *Def = Tag->getDefinition();
  addDeclaration(Def ? Def : Tag);
  if (Def)
    walk(Def);
}

/// What the text of a type mentions: its members' types, enumerators in array
/// sizes and bit-field widths, types under sizeof.
void TypeCollector::walk(const Decl *D) {
  if (Seen.insert(D).second)
    TypeWalk(*this).TraverseDecl(const_cast<Decl *>(D));
}

void TypeCollector::needFor(const FunctionDecl *F) {
  TypeWalk(*this).TraverseDecl(const_cast<FunctionDecl *>(F));
}

void TypeCollector::needFor(const VarDecl *V) {
  TypeWalk(*this).TraverseDecl(const_cast<VarDecl *>(V));
}

void TypeCollector::edit(DeviceEdits &Ed) {
  unsigned Past = 0;
  for (auto &[Begin, C] : Chunks) {
    if (Begin < Past)
      continue;
    Past = C.At.End;
    C.Text = C.Apart ? Ed.typeApart(cast<TagDecl>(C.Decls[0]), C.At)
                     : Ed.types(C.Decls, C.At);
  }
}

std::string TypeCollector::text() const {
  std::string S;
  unsigned Past = 0;
  for (const auto &[Begin, C] : Chunks) {
    if (Begin < Past)
      continue; // inside the chunk before
    Past = C.At.End;
    if (C.Pack)
      S += "#pragma pack(push, " + std::to_string(C.Pack) + ")\n";
    S += E.Text.lineMarker(C.Loc);
    S += C.Text;
    if (C.Text.empty() || C.Text.back() != ';')
      S += ";";
    S += "\n";
    if (C.Pack)
      S += "#pragma pack(pop)\n";
  }
  return S + layouts();
}

/// Assertions that host and device agree on the layout of every structure that
/// has a name at file scope.
std::string TypeCollector::layouts() const {
  std::string S;
  for (const TagDecl *Tag : Records) {
    auto *R = dyn_cast<RecordDecl>(Tag);
    if (!R || !R->isCompleteDefinition() || R->isInvalidDecl() ||
        R->isAnonymousStructOrUnion() || R->getParentFunctionOrMethod())
      continue;
    std::string Name;
    if (R->getIdentifier())
      Name = (R->isUnion() ? "union " : "struct ") + R->getNameAsString();
    else if (const TypedefNameDecl *T = R->getTypedefNameForAnonDecl())
      Name = T->getNameAsString();
    else
      continue;
    const ASTRecordLayout &L = E.U.Context.getASTRecordLayout(R);
    S += "AG_SAME_LAYOUT(" + Name + ", " +
         std::to_string(L.getSize().getQuantity()) + ");\n";
    for (const FieldDecl *F : R->fields())
      if (F->getIdentifier() && !F->isBitField())
        S += "AG_SAME_OFFSET(" + Name + ", " + F->getNameAsString() + ", " +
             std::to_string(L.getFieldOffset(F->getFieldIndex()) / 8) + ");\n";
  }
  return S;
}

} // namespace agglom
