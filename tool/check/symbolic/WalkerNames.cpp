// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the walker names values in memory. A number that a clause can name, s->n,
// has a symbol; a pointer, s->p, leads to a base of its own. Both hold as long
// as no executed statement writes them, which is known only at the end.

#include "PointerFacts.h"
#include "Walker.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace agglom {

Base behind(Base Holder, int64_t Offset) {
  if (!Holder.Behind && Holder.Path.empty() && !Offset &&
      Holder.Var->getType()->isPointerType())
    return {Holder.Var, true};
  Holder.Path.push_back(Offset);
  return Holder;
}

std::optional<std::string> membersTo(const Expr *&E) {
  std::string Path;
  while (auto *M = dyn_cast<MemberExpr>(E)) {
    if (M->getMemberDecl()->getName().empty())
      return std::nullopt;
    Path = (M->isArrow() ? "->" : ".") + M->getMemberDecl()->getName().str() +
           Path;
    E = M->getBase()->IgnoreParenImpCasts();
    if (M->isArrow())
      break;
  }
  return Path;
}

/// Longer chains of pointers are taken to be linked lists.
static const size_t MostPointers = 3;

/// Whether \p In is memory of the caller: in or behind a parameter, or in or
/// behind a variable at file scope.
bool Walker::isNameable(const Base &In) const {
  if (!In.Var || Frames.empty())
    return false;
  if (In.Var->hasGlobalStorage())
    return In.Var->getTLSKind() == VarDecl::TLS_None;
  return isa<ParmVarDecl>(In.Var) &&
         In.Var->getDeclContext() == Frames.front().Function;
}

/// The name that the object \p E in \p In has before the function: n, s.n,
/// s->m.n.
std::string Walker::nameOf(const Base &In, const Expr *E) {
  if (!In.Path.empty())
    return "";
  std::optional<std::string> Members = membersTo(E);
  if (!Members)
    return "";
  const std::string &Path = *Members;
  // The path must begin at the parameter itself: p->n, not p[1].n.
  if (StringRef(Path).starts_with("->") != In.Behind)
    return "";
  if (In.Behind) {
    bool Saved = std::exchange(Recording, false);
    Values Start = E->isGLValue() ? load(place(E), E) : eval(E);
    Recording = Saved;
    if (Start.size() != 1 || Start[0].Kind != Value::Pointer ||
        !Start[0].P.isZero())
      return "";
  } else if (!isa<DeclRefExpr>(E)) {
    return "";
  }
  if (auto *P = dyn_cast<ParmVarDecl>(In.Var)) {
    StringRef Name = Names->getParamDecl(P->getFunctionScopeIndex())->getName();
    return Name.empty() ? "" : Name.str() + Path;
  }
  // A file-scope variable must be visible to the clause, too.
  const SourceManager &SM = Context.getSourceManager();
  StringRef Name = In.Var->getName();
  if (In.Var->isStaticLocal() ||
      !SM.isBeforeInTranslationUnit(In.Var->getLocation(),
                                    Names->getLocation()) ||
      llvm::any_of(Names->parameters(),
                   [&](const ParmVarDecl *P) { return P->getName() == Name; }))
    return "";
  return Name.str() + Path;
}

Values Walker::byName(const Place &P, const Expr *E) {
  QualType T = E->getType();
  if (P.At.size() != 1 || P.At[0].Kind != Value::Pointer ||
      !isNameable(P.At[0].In) || T.isVolatileQualified() ||
      E->refersToBitField())
    return {};
  const Base &In = P.At[0].In;
  std::optional<int64_t> Offset =
      P.At[0].P.valid() ? P.At[0].P.constant() : std::nullopt;
  if (!Offset)
    return {};
  bool Pointer = T->isPointerType() && !T->getPointeeType()->isFunctionType();
  if (!Pointer && (!T->isIntegerType() || T->isBooleanType() ||
                   Context.getIntWidth(T) < 32))
    return {};
  NamedValue N{In, *Offset, Context.getTypeSizeInChars(T).getQuantity(),
               Pointer};
  if (Changing.count(N))
    return {};
  if (Pointer) {
    if (In.Path.size() == MostPointers)
      return {};
    Named.insert(N);
    return {Value::pointer(behind(In, *Offset), 0)};
  }
  std::string Name = nameOf(In, E);
  if (Name.empty())
    return {};
  Named.insert(N);
  return {Value::integer(Poly::symbol(
      Out.Names.named(Name, T->isUnsignedIntegerOrEnumerationType(),
                      Context.getIntWidth(T) <= 32)))};
}

//===----------------------------------------------------------------------===//
// What is written after all
//===----------------------------------------------------------------------===//

/// The type of the object that \p W writes; for an argument of a call, the type
/// of the memory it points to.
static QualType writtenType(const Access &W) {
  const Expr *E = W.At->IgnoreParens();
  QualType T = E->getType();
  if (E->isGLValue() && !T->isArrayType())
    return T;
  T = E->IgnoreParenImpCasts()->getType();
  return T->isPointerType() ? T->getPointeeType() : T;
}

static bool mayChange(const NamedValue &N, const Access &W) {
  if (!W.Write)
    return false;
  if (W.In == N.In) {
    std::optional<int64_t> From = W.Known ? W.From.constant() : std::nullopt,
                           Size = W.Known ? W.Size.constant() : std::nullopt;
    return !From || !Size ||
           (*From < N.Offset + N.Size && N.Offset < *From + *Size);
  }
  // A write through another base may reach the same structure. It is taken not
  // to change numbers.
  bool Own = !W.In.Behind && W.In.Path.empty() && !W.In.isGlobal();
  return N.Pointer && !Own && holdsPointers(writtenType(W));
}

bool Walker::findChanging(std::set<NamedValue> &Written) const {
  size_t Before = Written.size();
  for (const NamedValue &N : Named)
    if (llvm::any_of(Out.All, [&](const Access &W) { return mayChange(N, W); }))
      Written.insert(N);
  return Written.size() > Before;
}

} // namespace agglom
