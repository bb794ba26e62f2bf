// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function does with pointers, as a list without order: what it puts
// where, what it calls, through which pointers it reads and writes. Only of
// local pointers it is known which of their values arrives at a use.

#ifndef AGGLOM_CHECK_POINTERFACTS_H
#define AGGLOM_CHECK_POINTERFACTS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <vector>

namespace agglom {

struct PointerFacts {
  struct Assignment {
    const clang::Expr *To, *From;
    const clang::Expr *Whole; ///< From, where that is p += n or ++p
  };
  std::vector<Assignment> Assignments;
  std::vector<const clang::VarDecl *> Initialised;
  std::vector<const clang::CompoundLiteralExpr *> Literals;
  std::vector<const clang::Expr *> Returned;
  std::vector<const clang::CallExpr *> Calls;
  std::vector<const clang::AtomicExpr *> Atomics;
  /// Of one pointer with another one, and their differences.
  std::vector<const clang::BinaryOperator *> Comparisons;
  /// Pointers through which memory is read or written. An address that is only
  /// computed, &s->next->v, is none.
  std::vector<const clang::Expr *> Accesses;
  /// How often the function changes a variable, its declaration aside. An
  /// address that is taken counts.
  llvm::DenseMap<const clang::VarDecl *, unsigned> Changes;
  /// Integers are made of pointers, or pointers of integers, or they share a
  /// union.
  bool HasAddressesAsIntegers = false;
  /// Which of several pointers, or structures that hold some, is computed.
  bool IndexesPointers = false;

  explicit PointerFacts(const clang::ASTContext &Context) : Context(Context) {}
  /// Adds what is evaluated in \p S.
  void add(const clang::Stmt *S);
  /// Follows the local pointers of \p F, all of which was added.
  /// (PointerOrder.cpp)
  void order(const clang::FunctionDecl *F);

  /// The values of a variable, each known by its assignment or initialiser;
  /// null: what a parameter has at first.
  using Values = llvm::SetVector<const clang::Expr *>;
  /// Those that \p Use may have, or null when the variable is not followed.
  const Values *valuesAt(const clang::DeclRefExpr *Use) const;
  bool follows(const clang::VarDecl *V) const { return Followed.count(V); }

private:
  const clang::ASTContext &Context;
  std::vector<const clang::Stmt *> Work;
  llvm::SmallPtrSet<const clang::VarDecl *, 8> Taken; ///< their address
  llvm::DenseMap<const clang::VarDecl *, Values> Followed;
  llvm::DenseMap<const clang::DeclRefExpr *, Values> Arriving;

  void visit(const clang::Stmt *S);
  void visitExpr(const clang::Expr *E);
  void addressOf(const clang::Expr *E);
  void call(const clang::CallExpr *Call);
  void changed(const clang::Expr *E);
};

/// Whether objects of type \p T are pointers, or have some in them.
bool holdsPointers(clang::QualType T);

/// Whether values of type \p T may hold an address, also as an integer.
bool mayHoldAddress(const clang::ASTContext &C, clang::QualType T);

/// Whether what \p Call returns may point to where its argument \p I does:
/// functions of the C library that return a pointer got it as the first one.
bool mayReturn(const clang::CallExpr *Call, unsigned I);

/// The definition of what \p Call calls, or null.
const clang::FunctionDecl *definitionOf(const clang::CallExpr *Call);

} // namespace agglom

#endif // AGGLOM_CHECK_POINTERFACTS_H
