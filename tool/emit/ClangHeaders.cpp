// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang's own headers in a text that another compiler gets: gcc, or another
// Clang. Their declarations are written for the Clang that they belong to, with
// attributes, built-in functions and types that other compilers do not know. A
// program uses few of these declarations, so the unused ones are removed. Of
// <immintrin.h>, _urdmsr() goes, and _mm_add_pd() stays where the user calls
// it.
//
// A declaration is used when the user's text, another header, or a declaration
// that is itself used mentions it.
//
// In the declarations that stay, "no-evex512" and "evex512" are removed from
// target attributes, for no other compiler knows them. Clang 18 to 21 have the
// former in the attributes of all intrinsics narrower than 512 bits.

#include "AstVisitor.h"
#include "Emit.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/HeaderSearchOptions.h"

using namespace clang;

namespace agglom {

namespace {
/// The declarations that a declaration mentions.
class Mentions : public AstVisitor<Mentions> {
  std::vector<const Decl *> &Out;

public:
  explicit Mentions(std::vector<const Decl *> &Out) : Out(Out) {}

  bool VisitDeclRefExpr(DeclRefExpr *Ref) {
    const ValueDecl *D = Ref->getDecl();
    if (auto *K = dyn_cast<EnumConstantDecl>(D))
      Out.push_back(cast<EnumDecl>(K->getDeclContext()));
    else
      Out.push_back(D);
    return true;
  }
  bool VisitTypeLoc(TypeLoc TL) {
    if (auto *T = dyn_cast<TypedefType>(TL.getTypePtr()))
      Out.push_back(T->getDecl());
    else if (auto *Tag = dyn_cast<TagType>(TL.getTypePtr()))
      Out.push_back(Tag->getDecl());
    return true;
  }
};

class HeadersOfClang {
  Emission &E;
  std::string Folder; ///< Clang's headers
  std::map<const Decl *, size_t> GroupOf;
  std::vector<bool> Used;

  bool isClangs(const DeclGroup &Group) const {
    if (Group.empty())
      return false;
    PresumedLoc P = E.U.Context.getSourceManager().getPresumedLoc(
        Group.front()->getLocation());
    return P.isValid() && StringRef(P.getFilename()).starts_with(Folder) &&
           llvm::all_of(Group, [](const Decl *D) {
             return isa<FunctionDecl, TypedefDecl, TagDecl>(D);
           });
  }

  void mark(const DeclGroup &Group) {
    std::vector<const Decl *> Open;
    auto look = [&](const DeclGroup &G) {
      Mentions M(Open);
      for (Decl *D : G)
        M.TraverseDecl(D);
    };
    look(Group);
    while (!Open.empty()) {
      const Decl *D = Open.back();
      Open.pop_back();
      for (const Decl *Each : D->redecls()) {
        auto It = GroupOf.find(Each);
        if (It == GroupOf.end() || Used[It->second])
          continue;
        Used[It->second] = true;
        look(E.U.Groups[It->second]);
      }
    }
  }

  /// The extent of a group, its ';' included; empty when the extent is not
  /// certain.
  Extent extentOf(const DeclGroup &Group) const {
    Extent At = {UINT_MAX, 0};
    bool HasBody = false;
    for (const Decl *D : Group) {
      Extent X = E.Text.extent(D->getSourceRange());
      At.Begin = std::min(At.Begin, X.Begin);
      At.End = std::max(At.End, X.End);
      auto *F = dyn_cast<FunctionDecl>(D);
      HasBody |= F && F->doesThisDeclarationHaveABody();
    }
    // The source range of a declaration leaves out an attribute in front of it.
    StringRef Before = E.Text.buffer().take_front(At.Begin).rtrim();
    if (Before.ends_with(")"))
      return {};
    if (!HasBody)
      At.End = E.Text.pastSemicolon(At.End);
    return At;
  }

  void dropWishes(Extent At, Edits &Ed) const {
    for (StringRef Wish : {",no-evex512", ",evex512"})
      for (size_t I = E.Text.buffer().find(Wish, At.Begin); I < At.End;
           I = E.Text.buffer().find(Wish, I + 1))
        Ed.replace({unsigned(I), unsigned(I + Wish.size())}, "");
  }

public:
  explicit HeadersOfClang(Emission &E)
      : E(E), Folder(E.U.CI.getHeaderSearchOpts().ResourceDir + "/include/") {}

  void adapt(Edits &Ed) {
    const std::vector<DeclGroup> &Groups = E.U.Groups;
    Used.assign(Groups.size(), true);
    for (size_t I = 0; I != Groups.size(); ++I)
      if (isClangs(Groups[I])) {
        Used[I] = false;
        for (const Decl *D : Groups[I])
          GroupOf[D] = I;
      }
    if (GroupOf.empty())
      return;
    for (size_t I = 0; I != Groups.size(); ++I)
      if (Used[I] && (Groups[I].empty() || !GroupOf.count(Groups[I].front())))
        mark(Groups[I]);
    for (size_t I = 0; I != Groups.size(); ++I)
      if (!Groups[I].empty() && GroupOf.count(Groups[I].front()))
        if (Extent At = extentOf(Groups[I]); At.End) {
          if (Used[I])
            dropWishes(At, Ed);
          else
            Ed.cut(At, "");
        }
  }
};
} // namespace

void adaptClangHeaders(Emission &E, Edits &Ed) { HeadersOfClang(E).adapt(Ed); }

} // namespace agglom
