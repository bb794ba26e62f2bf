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
  unsigned Breaks = 0;   ///< number in this switch
  std::vector<const clang::CompoundStmt *>
      Open;              ///< blocks around, outermost first
  size_t SwitchOpen = 0; ///< blocks around this switch

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

  /// The '#pragma agglom for' at \p A; else null.
  const HostLoop *hostLoopAt(const clang::AttributedStmt *A) const;

  /// Walks a block under `data`, which waits at its end. In it other rules hold
  /// for the memory that `data` names.
  /// \returns false when that memory is not known.
  bool data(const clang::AttributedStmt *A);

  bool updatesDevice(const clang::AttributedStmt *A) const;

  void jump();

  /// Whether the current statement waits on each path. A wait in the code is
  /// taken to be on each path; a proposed wait is when it goes before the
  /// statement.
  bool isWaited(unsigned WaitsBefore) const;

  /// Walks statements of which one is executed, or perhaps none unless \p All.
  void choice(llvm::ArrayRef<const clang::Stmt *> Ways, bool All,
              bool IsSwitch = false);

  /// Walks the second iteration of the innermost loop, which surely meets the
  /// units that the first one submitted,
  ///
  ///   for (t...) { q.k = t; f(&q); }
  ///
  /// unless the loop has only one iteration. Units submitted under conditions
  /// do not count: 'if (t == 0)' holds in the first iteration alone.
  void secondTurn(const clang::Stmt *Body, const clang::Expr *Cond,
                  unsigned First);

  /// Walks the next iteration of a loop, which may meet units of this one.
  void again(const clang::Stmt *Body, unsigned First);

  void loop(OpenLoop L, const clang::Stmt *Body, const clang::Expr *Cond,
            const clang::Expr *Inc, bool BodyFirst);

  void visit(const clang::Stmt *S);
  void statement(const clang::Stmt *S);

  /// The values that a `for` with nowait captures are read here.
  void takesOver(const HostLoop &H, const clang::Stmt *S);

  void declare(const clang::VarDecl *V);

  //===--------------------------------------------------------------------===//
  // Expressions
  //===--------------------------------------------------------------------===//

  /// Visits the expressions that lead to object \p E, not the load of \p E.
  void object(const clang::Expr *E);

  void stored(const clang::Expr *Target, const clang::Expr *E);

  /// Visits an expression cast to void: only volatile objects are read then.
  void unused(const clang::Expr *E);

  void value(const clang::Expr *E);

  void call(const clang::CallExpr *C);

  /// Reads, at the call, file-scope variables in the bounds of sections.
  void bound(const clang::Stmt *S, const clang::CallExpr *C);

  void leftBehind(const clang::FunctionDecl *F, const clang::CallExpr *C);

  /// The called function may use all memory that it gets pointers to.
  void unknown(const clang::CallExpr *C);

  void library(const clang::FunctionDecl *F, const clang::CallExpr *C);
};

} // namespace agglom

#endif // AGGLOM_CHECK_HOSTWALKER_H
