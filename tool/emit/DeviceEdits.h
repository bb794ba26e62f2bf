// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel text is the user's text, except for constructs that device code
// spells in another way or cannot have. The edits are made from the syntax tree
// and collected in Emission::Device.
//
//   hits + 1                          (*ag_g_hits) + 1      see ByAddress.cpp
//   _Generic(x, int: f, float: g)(x)  (f)(x)         only f is in the kernel
//   struct s { int a; } f(void)       struct s f(void)      with the types
//   extern int f(int);                ;         in a function: f is static
//   _Static_assert(...);              ;              the host has been asked
//   __typeof__(counter) c;            __typeof__(int) c;    in types, heads
//
// Block-shared objects of hand-written device functions: for
//
//   AGGLOM_SHARED double tile[256];   (static __thread ... double tile[256];)
//   tile[i] = x[i];
//
// the kernel text has
//
//   AG_SHARED ... double ag_shared_tile[256];
//   (*(double (*)[256])&ag_shared_tile)[i] = x[i];
//
// Clang's NVPTX target keeps such an object in an address space of its own; the
// cast converts its address to the address space of the user's pointers.

#ifndef AGGLOM_EMIT_DEVICEEDITS_H
#define AGGLOM_EMIT_DEVICEEDITS_H

#include "AstVisitor.h"
#include "Emit.h"
#include "llvm/ADT/DenseSet.h"

namespace agglom {

class DeviceEdits : public AstVisitor<DeviceEdits> {
  Emission &E;
  const clang::FunctionDecl *In = nullptr; ///< null outside of bodies
  unsigned Unnamed = 0;
  /// Offsets of the edits made so far: several declarators share specifiers,
  /// and initialiser lists are visited twice.
  llvm::DenseSet<unsigned> Done;

  bool first(Extent At) { return Done.insert(At.Begin).second; }
  void name(const clang::RecordDecl *R);
  bool choose(const clang::Expr *Whole, clang::Expr *Part);
  void sharedObject(const clang::VarDecl *V);

public:
  explicit DeviceEdits(Emission &E) : E(E) {}

  void function(const clang::FunctionDecl *F);
  void constant(const clang::VarDecl *V);
  /// An expression of a clause; the function \p Of evaluates it.
  void expression(const clang::Expr *Ex, const clang::FunctionDecl *Of);
  /// The text of file-scope declarations of types, which stand in \p At.
  std::string types(llvm::ArrayRef<const clang::Decl *> Group, Extent At);
  /// As types(), for one type \p D defined at \p At in a function's head or in
  /// the declaration of an object. The text at \p At then only names the type.
  std::string typeApart(const clang::TagDecl *D, Extent At);

  bool VisitDeclRefExpr(clang::DeclRefExpr *R);
  bool VisitDeclStmt(clang::DeclStmt *S);
  bool VisitVarDecl(clang::VarDecl *V);
  bool VisitStaticAssertDecl(clang::StaticAssertDecl *A);
  bool VisitTypeOfExprTypeLoc(clang::TypeOfExprTypeLoc T);
  bool TraverseGenericSelectionExpr(clang::GenericSelectionExpr *S);
  bool TraverseChooseExpr(clang::ChooseExpr *S);
};

} // namespace agglom

#endif // AGGLOM_EMIT_DEVICEEDITS_H
