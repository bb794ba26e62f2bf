// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The walk through a function of the host: statements (HostWalk.cpp), and what
// expressions and calls do (HostValues.cpp).

#ifndef AGGLOM_CHECK_HOSTWALKER_H
#define AGGLOM_CHECK_HOSTWALKER_H

#include "HostUnits.h"

namespace agglom {

class HostWalk : HostUnits {
  HostFunctions &Functions;
  bool InSwitch = false; ///< 'break' ends a switch
  unsigned Breaks = 0;   ///< of this switch
  std::vector<const clang::CompoundStmt *>
      Open;              ///< blocks around, outermost first
  size_t SwitchOpen = 0; ///< those around this switch

public:
  HostWalk(ParsedUnit &U, HostFunctions &Functions, HostSummary *Summary)
      : HostUnits(U, Summary), Functions(Functions) {}

  void run(const clang::FunctionDecl *F);

private:
  //===--------------------------------------------------------------------===//
  // Statements
  //===--------------------------------------------------------------------===//

  void block(const clang::CompoundStmt *C);

  static bool declaredIn(const clang::CompoundStmt *C, const clang::VarDecl *V);

  /// A jump out of all open blocks but the first \p Stay ends their variables.
  void leaveBlocks(size_t Stay, const clang::Stmt *Jump);

  /// A loop under `for` that nobody waits for.
  const HostLoop *unwaited(const clang::AttributedStmt *A) const;

  /// `data` waits at its end; in it other rules hold for what it names.
  /// \returns false when that is not known.
  bool data(const clang::AttributedStmt *A);

  bool updatesDevice(const clang::AttributedStmt *A) const;

  void jump();

  /// Whether a wait inside the current statement is on each way through it:
  /// one is taken to be; one that is proposed is when it goes before it.
  bool isWaited(unsigned WaitsBefore) const;

  /// One of \p Ways is taken, or perhaps none.
  void choice(llvm::ArrayRef<const clang::Stmt *> Ways, bool All,
              bool IsSwitch = false);

  /// The second iteration of the innermost loop, which surely meets what the
  /// first one submitted,
  ///
  ///   for (t...) { q.k = t; f(&q); }
  ///
  /// unless the loop has but one. What stands under conditions in it is none
  /// of this: 'if (t == 0)' is for the first iteration.
  void secondTurn(const clang::Stmt *Body, const clang::Expr *Cond,
                  unsigned First);

  /// The next iteration of a loop, which may meet what this one submitted.
  void again(const clang::Stmt *Body, unsigned First);

  void loop(OpenLoop L, const clang::Stmt *Body, const clang::Expr *Cond,
            const clang::Expr *Inc, bool BodyFirst);

  void visit(const clang::Stmt *S);

  /// The values that a loop which nobody waits for begins with are read here.
  void takesOver(const HostLoop &H, const clang::Stmt *S);

  void declare(const clang::VarDecl *V);

  //===--------------------------------------------------------------------===//
  // Expressions
  //===--------------------------------------------------------------------===//

  /// Evaluates what leads to the object \p E, not its value.
  void object(const clang::Expr *E);

  void stored(const clang::Expr *Target, const clang::Expr *E);

  /// What is cast to void: only volatile objects are read then.
  void unused(const clang::Expr *E);

  void value(const clang::Expr *E);

  void call(const clang::CallExpr *C);

  /// What the bounds of sections read at file scope is read by the call.
  void bound(const clang::Stmt *S, const clang::CallExpr *C);

  void leftBehind(const clang::FunctionDecl *F, const clang::CallExpr *C);

  /// It may use all that it is given a pointer to.
  void unknown(const clang::CallExpr *C);

  void library(const clang::FunctionDecl *F, const clang::CallExpr *C);
};

} // namespace agglom

#endif // AGGLOM_CHECK_HOSTWALKER_H
