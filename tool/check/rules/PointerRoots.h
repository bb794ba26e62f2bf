// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a pointer comes from: parameters, file-scope objects, the function's
// own objects, or memory. The tracing ignores the order of statements: a local
// pointer stands for all values that are ever assigned to it.

#ifndef AGGLOM_CHECK_POINTERROOTS_H
#define AGGLOM_CHECK_POINTERROOTS_H

#include "AstVisitor.h"
#include "Rules.h"

namespace agglom {

/// The objects and pointers that a pointer's value may come from.
struct Roots {
  llvm::SetVector<const clang::ParmVarDecl *> Params;
  llvm::SetVector<const clang::VarDecl *> Globals;
  std::vector<const clang::Expr *>
      Held; ///< pointers in memory that sections name
  llvm::SetVector<const clang::VarDecl *>
      Locals; ///< objects of the function's own
};

/// Collects what is assigned to each local pointer or structure of a function.
class Sources : public AstVisitor<Sources> {
public:
  llvm::DenseMap<const clang::VarDecl *, std::vector<const clang::Expr *>> Of;
  bool VisitVarDecl(clang::VarDecl *V) {
    if (holdsPointers(V->getType()) && V->getInit())
      Of[V].push_back(V->getInit());
    return true;
  }
  static bool holdsPointers(clang::QualType T) {
    return T->isPointerType() || T->isRecordType();
  }
  bool VisitBinaryOperator(clang::BinaryOperator *B) {
    if (B->getOpcode() != clang::BO_Assign || !holdsPointers(B->getType()))
      return true;
    if (auto *Ref =
            llvm::dyn_cast<clang::DeclRefExpr>(B->getLHS()->IgnoreParenCasts()))
      if (auto *V = llvm::dyn_cast<clang::VarDecl>(Ref->getDecl()))
        Of[V].push_back(B->getRHS());
    return true;
  }
};

/// Follows expressions of one function back to their roots.
class Tracer {
  const Sources &S;
  Roots &Out;
  const Task &T;
  bool InTask;
  llvm::SmallPtrSet<const clang::VarDecl *, 8> Seen;
  /// When set, an object that a pointer is loaded from counts as its pointee.
  bool Through = false;

public:
  Tracer(const Sources &S, Roots &Out, const Task &T, bool InTask)
      : S(S), Out(Out), T(T), InTask(InTask) {}

  /// The roots of the value of pointer expression \p E.
  void value(const clang::Expr *E);

  /// The roots of the object an lvalue denotes.
  void object(const clang::Expr *E);

  /// The variable that the local pointer \p V is an alias of.
  const clang::VarDecl *behind(const clang::VarDecl *V) const;

  /// The sections whose memory is reached through \p E, a pointer in memory.
  std::vector<const Section *> through(const clang::Expr *E) const;

private:
  /// Whether two expressions name the same member, whatever the subscripts are.
  /// In a function that the task calls, the origin of the structure is not
  /// known: only the members are compared.
  bool samePath(const clang::Expr *A, const clang::Expr *B) const;
  static bool isDeref(const clang::Expr *E);
  static const clang::Expr *inside(const clang::Expr *E);

  void variable(const clang::VarDecl *V);
  /// Traces a pointer that is loaded from an object: a pointer that a section
  /// names, or, when the object is the function's own, one that the body stored
  /// there.
  void loaded(const clang::Expr *E);
};

} // namespace agglom

#endif // AGGLOM_CHECK_POINTERROOTS_H
