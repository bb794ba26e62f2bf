// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C that C++ would read otherwise, or not at all, rewritten to what both read
// alike: the kernel text is C for Clang and C++ for nvcc. The edits are made
// from the syntax tree and collected in Emission::Device.
//
//   enum colour c = 2;      unsigned int c = 2;       enumerations are integers
//   int *p = untyped;       int *p = (int *)untyped;
//   {.b = 1, .a = n}        {(short)(n), 1}
//   f(&(struct pt){1, 2})   f(&(*(ag_l = (struct pt){1, 2}, &ag_l)))
//
// Identifiers that C++ reserves are renamed at the end, in the whole text
// (CxxNames.cpp).

#ifndef AGGLOM_EMIT_CXX_H
#define AGGLOM_EMIT_CXX_H

#include "Emit.h"
#include "clang/AST/TypeLoc.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace agglom {

class CxxRewriter {
  Emission &E;
  clang::ASTContext &Ctx;
  Edits *Ed;
  /// Where a type or a variable that an expression needs can be declared: the
  /// beginning of the statement of a block, or of the file-scope declaration.
  unsigned Anchor = 0;
  Edits *AnchorEdits = nullptr;
  /// Tags met where they may be referred to but not defined: a function's head.
  bool DefinedElsewhere = false;
  /// Initialisers of objects with static storage: constants only.
  bool Static = false;
  unsigned Unnamed = 0, Literals = 0;
  const clang::FunctionDecl *In = nullptr;
  std::vector<const clang::Stmt *> Parents;
  llvm::DenseSet<unsigned> Done; ///< specifiers several declarators share
  llvm::DenseMap<const clang::LabelDecl *, std::vector<unsigned>> Gotos;
  llvm::DenseSet<const clang::Stmt *> JumpedOver;

  Extent extent(const clang::Stmt *S) const {
    return E.Text.extent(S->getSourceRange());
  }
  void declareBefore(std::string Text) {
    AnchorEdits->insertBefore(Anchor, std::move(Text));
  }
  void castTo(const clang::Expr *Operand, clang::QualType To);
  const clang::Stmt *parent(unsigned Up = 0) const;
  std::string piece(Extent At, llvm::function_ref<void()> Visit);

  // Types (CxxTypes.cpp).
  void type(const clang::TypeSourceInfo *T);
  void type(clang::TypeLoc T);
  std::string apart(std::string Word, unsigned Next) const;
  void tag(const clang::TagDecl *D, clang::SourceLocation Keyword,
           clang::SourceLocation Name);
  std::string enumeration(const clang::EnumDecl *D);
  void record(const clang::RecordDecl *R);
  bool constMember(const clang::FieldDecl *F);
  void members(const clang::RecordDecl *R);
  void typeGroup(llvm::ArrayRef<const clang::Decl *> Group);
  void brackets(clang::ArrayTypeLoc A);
  void typeOf(clang::SourceRange At, clang::QualType T);

  // Statements and expressions (Cxx.cpp).
  void visit(const clang::Stmt *S);
  void children(const clang::Stmt *S);
  void block(const clang::CompoundStmt *S);
  void declaration(const clang::DeclStmt *S);
  void variable(const clang::VarDecl *V);
  void split(const clang::DeclStmt *S);
  bool isJumpedOver(const clang::DeclStmt *S, const clang::CompoundStmt *In);
  void caseLabel(const clang::CaseStmt *S);
  void forLoop(const clang::ForStmt *S);
  void label(const clang::Stmt *Sub, unsigned Colon);
  void implicitCast(const clang::ImplicitCastExpr *C);
  void explicitCast(const clang::CStyleCastExpr *C);
  void sizeOf(const clang::UnaryExprOrTypeTraitExpr *S);
  void chosen(const clang::Expr *Whole, const clang::Expr *Part);
  void increment(const clang::UnaryOperator *U);
  void reference(const clang::DeclRefExpr *R);

  // Block-shared objects (CxxShared.cpp).
  void sharedObject(const clang::VarDecl *V);
  void sharedReference(const clang::DeclRefExpr *R, const clang::VarDecl *V);

  // Initialisers (CxxInit.cpp).
  void initialiser(const clang::Expr *Init);
  void list(const clang::InitListExpr *L);
  void element(const clang::Expr *Init);
  std::string rendered(const clang::Expr *Ex);
  std::string renderedList(const clang::InitListExpr *L);
  std::string renderedElement(const clang::Expr *Init, clang::QualType T);
  void compoundLiteral(const clang::CompoundLiteralExpr *L);
  std::string literalSetting(clang::QualType T, const clang::Expr *Init,
                             std::string &Declaration, std::string &Address);

public:
  explicit CxxRewriter(Emission &E) : E(E), Ctx(E.U.Context), Ed(&E.Device) {}
  /// The text of file-scope declarations of types, which stand in \p At.
  std::string types(llvm::ArrayRef<const clang::Decl *> Group, Extent At);
  void function(const clang::FunctionDecl *F);
  /// Those in an expression of a clause, which is evaluated in \p Of.
  void references(const clang::Stmt *S, const clang::FunctionDecl *Of);
  void constant(const clang::VarDecl *V);
};

/// The finished kernel text with the user's identifiers out of the way of C++,
/// of CUDA and of the macros of their headers. (CxxNames.cpp)
std::string withCxxNames(Emission &E, llvm::StringRef Text);

} // namespace agglom

#endif // AGGLOM_EMIT_CXX_H
