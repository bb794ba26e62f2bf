// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeviceEdits.h"

using namespace clang;

namespace agglom {

static std::string sharedName(const VarDecl *V) {
  return "ag_shared_" + V->getNameAsString();
}

void DeviceEdits::function(const FunctionDecl *F) {
  if (const TypeSourceInfo *T = F->getTypeSourceInfo())
    TraverseTypeLoc(T->getTypeLoc());
  In = F;
  TraverseStmt(F->getBody());
  In = nullptr;
}

void DeviceEdits::constant(const VarDecl *V) {
  if (const Expr *Init = V->getAnyInitializer())
    TraverseStmt(const_cast<Expr *>(Init));
}

void DeviceEdits::expression(const Expr *Ex, const FunctionDecl *Of) {
  In = Of;
  TraverseStmt(const_cast<Expr *>(Ex));
  In = nullptr;
}

std::string DeviceEdits::types(ArrayRef<const Decl *> Group, Extent At) {
  for (const Decl *D : Group)
    TraverseDecl(const_cast<Decl *>(D));
  Edits Ed;
  Ed.addInner(E.Device, At);
  return E.edited(Ed, At);
}

std::string DeviceEdits::typeApart(const TagDecl *D, Extent At) {
  if (auto *R = dyn_cast<RecordDecl>(D))
    name(R);
  const Decl *Whole = D;
  std::string Text = types(Whole, At);
  std::string Name = D->getIdentifier()
                         ? (D->getKindName() + " " + D->getName()).str()
                         : E.plainType(cast<EnumDecl>(D)->getIntegerType());
  // Braces need no blank before a declarator: struct{int a;}x.
  StringRef Buffer = E.Text.buffer();
  if (At.End < Buffer.size() &&
      isAsciiIdentifierContinue(Buffer[At.End], /*AllowDollar=*/true))
    Name += ' ';
  E.Device.cut(At, Name);
  return Text;
}

/// Gives an unnamed structure a name, by which the kernel text can refer to it.
void DeviceEdits::name(const RecordDecl *R) {
  if (R->getIdentifier() || R->getTypedefNameForAnonDecl())
    return;
  std::string Name = "ag_type_" + std::to_string(++Unnamed);
  unsigned Brace = E.Text.offset(R->getBraceRange().getBegin());
  bool Apart = isWhitespace(E.Text.buffer()[Brace - 1]);
  E.Device.replaceInner({Brace, Brace}, (Apart ? "" : " ") + Name + " ");
  const_cast<RecordDecl *>(R)->setDeclName(&E.U.Context.Idents.get(Name));
}

/// Replaces names of objects that are reached through an address: block-shared
/// objects, and those in E.ByAddress.
bool DeviceEdits::VisitDeclRefExpr(DeclRefExpr *R) {
  auto *V = dyn_cast<VarDecl>(R->getDecl());
  if (!V)
    return true;
  Extent At = E.Text.extent(R->getSourceRange());
  if (isBlockShared(V)) {
    QualType Pointer = E.U.Context.getPointerType(V->getType());
    if (first(At))
      E.Device.replaceInner(At, "(*(" + E.declare(Pointer, "") + ")&" +
                                    sharedName(V) + ")");
    return true;
  }
  auto It = E.ByAddress.find(In);
  if (It == E.ByAddress.end())
    return true;
  auto Name = It->second.find(V->getCanonicalDecl());
  if (Name != It->second.end() && first(At))
    E.Device.replaceInner(At, Name->second);
  return true;
}

/// Removes local declarations of functions and extern objects: the kernel text
/// declares them at file scope, or reaches the object through an address.
bool DeviceEdits::VisitDeclStmt(DeclStmt *S) {
  bool Elsewhere =
      S->decl_begin() != S->decl_end() &&
      llvm::all_of(S->decls(), [](const Decl *D) {
        auto *V = dyn_cast<VarDecl>(D);
        return isa<FunctionDecl>(D) || (V && V->isLocalExternDecl());
      });
  if (Extent At = E.Text.extent(S->getSourceRange()); Elsewhere && first(At))
    E.Device.cut(At, ";");
  return true;
}

bool DeviceEdits::VisitVarDecl(VarDecl *V) {
  if (isBlockShared(V))
    sharedObject(V);
  return true;
}

void DeviceEdits::sharedObject(const VarDecl *V) {
  Extent At = E.Text.extent(V->getSourceRange());
  if (first(At)) {
    if (auto *R =
            E.U.Context.getBaseElementType(V->getType())->getAsRecordDecl())
      name(R);
    for (const char *Word : {"static", "__thread", "_Thread_local"})
      if (Extent Here = E.Text.word(At, Word); Here.End)
        E.Device.replaceInner(Here,
                              Word == StringRef("static") ? "AG_SHARED" : "");
  }
  E.Device.replaceInner(E.Text.extent(V->getLocation()), sharedName(V));
}

/// Removes static assertions: one may be about a type that device code does not
/// have, or has with another size, such as long double.
bool DeviceEdits::VisitStaticAssertDecl(StaticAssertDecl *A) {
  if (Extent At = E.Text.extent(A->getSourceRange()); first(At))
    E.Device.cut(At, "");
  return true;
}

/// Whether \p S names a function or an object with static storage.
static bool namesStatic(const Stmt *S) {
  if (!S)
    return false;
  if (auto *Ref = dyn_cast<DeclRefExpr>(S)) {
    auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    return isa<FunctionDecl>(Ref->getDecl()) || (V && V->hasGlobalStorage());
  }
  return llvm::any_of(S->children(), namesStatic);
}

/// Replaces `__typeof__(counter)` by the type itself: in the kernel text types
/// and heads of functions stand before all objects.
bool DeviceEdits::VisitTypeOfExprTypeLoc(TypeOfExprTypeLoc T) {
  Extent At = E.Text.extent(T.getLocalSourceRange());
  if (!In && namesStatic(T.getUnderlyingExpr()) && first(At))
    E.Device.cut(At,
                 "__typeof__(" +
                     withoutEnums(E.U.Context, T.getType().getCanonicalType())
                         .getAsString(E.Policy) +
                     ")");
  return true;
}

/// Keeps only \p Part, the chosen operand of a _Generic or
/// __builtin_choose_expr: the other operands may name functions that only the
/// host has.
bool DeviceEdits::choose(const Expr *Whole, Expr *Part) {
  Extent All = E.Text.extent(Whole->getSourceRange());
  Extent Inner = E.Text.extent(Part->getSourceRange());
  if (first(All)) {
    E.Device.replaceInner({All.Begin, Inner.Begin}, "(");
    E.Device.replaceInner({Inner.End, All.End}, ")");
  }
  return TraverseStmt(Part);
}

bool DeviceEdits::TraverseGenericSelectionExpr(GenericSelectionExpr *S) {
  return choose(S, S->getResultExpr());
}

bool DeviceEdits::TraverseChooseExpr(ChooseExpr *S) {
  return choose(S, S->getChosenSubExpr());
}

} // namespace agglom
