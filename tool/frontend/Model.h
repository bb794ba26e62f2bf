// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the pragmas of a unit say, tied to Clang's AST. Filled by the clause
// parser, judged by check/, written out by emit/. Pointers belong to the
// ASTContext of the parse.

#ifndef AGGLOM_FRONTEND_MODEL_H
#define AGGLOM_FRONTEND_MODEL_H

#include "PragmaTable.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include <memory>
#include <string>
#include <vector>

namespace agglom {

/// p[lo:len] in a data clause.
struct Section {
  ClauseId Clause = ClauseId::In; ///< In, Out or InOut
  std::string Text;               ///< "a[0:na]"
  clang::SourceLocation Loc;
  const clang::ParmVarDecl *Param = nullptr;
  clang::QualType Element;
  std::string Lo = "0", Len;            ///< the user's expressions
  const clang::Expr *LenExpr = nullptr; ///< null when the length is 1
  bool Overwrites = false; ///< the body provably writes every element

  bool reads() const { return Clause != ClauseId::Out; }
  bool writes() const { return Clause != ClauseId::In; }
};

struct Reduction {
  std::string Op; ///< "+", "*", "min", "max", "&", "|", "^", "&&", "||"
  const clang::VarDecl *Var = nullptr;
};

/// A canonical for loop, taken apart.
struct CanonicalFor {
  const clang::VarDecl *Var = nullptr;
  bool DeclaredHere = false; ///< for (int i = ...): else i lives outside
  const clang::Expr *First = nullptr;
  const clang::Expr *Bound = nullptr;
  clang::QualType CompareType; ///< type in which variable and bound compare
  clang::BinaryOperatorKind Compare = clang::BO_LT; ///< variable on the left
  bool Down = false;                                ///< the step is negative
  const clang::Expr *Step = nullptr;                ///< null: 1
  int64_t StepValue = 1; ///< its value, negative when Down
};

struct Loop {
  clang::SourceLocation Loc; ///< of the pragma
  const clang::AttributedStmt *Attributed = nullptr;
  const clang::ForStmt *For = nullptr;
  const clang::FunctionDecl *In = nullptr;
  std::vector<Reduction> Reductions;
  CanonicalFor Canonical;
  bool Inner = false; ///< inside another parallel loop: runs in one thread
  bool Broken = false;
};

struct Wait {
  clang::SourceLocation Loc;
};

/// '#pragma agglom atomic' and the statement under it.
struct Atomic {
  clang::SourceLocation Loc;
  const clang::AttributedStmt *Attributed = nullptr;
  const clang::FunctionDecl *In = nullptr;
};

enum class DeviceKind { Any, Cpu, Gpu };
enum class Mapping { Thread, Block };

struct Task {
  clang::SourceLocation Loc; ///< of the pragma
  /// The declaration under the pragma; clauses use its parameter names.
  const clang::FunctionDecl *Declared = nullptr;
  /// The definition in this unit, or null.
  const clang::FunctionDecl *Definition = nullptr;
  std::string Name;
  DeviceKind Device = DeviceKind::Any;
  bool Independent = false;
  std::vector<Section> Sections;
  std::string Priority, Cost; ///< the user's expressions, or empty
  unsigned MaxUnits = 0;
  std::vector<Loop *> Loops; ///< in the definition's body, source order
  bool Broken = false; ///< its clauses had errors; do not judge it further

  // Found by check/.
  Mapping Map = Mapping::Thread;
  bool Splittable = false;
  std::string MapReason;
  /// Block mapping: statements outside loops that write memory.
  std::vector<const clang::Stmt *> Once;

  bool onDevice() const { return Device != DeviceKind::Cpu; }
};

struct Model {
  std::vector<std::unique_ptr<Task>> Tasks;
  std::vector<std::unique_ptr<Loop>> Loops;
  std::vector<Wait> Waits;
  std::vector<Atomic> Atomics;

  Task *find(const clang::FunctionDecl *F) const {
    for (const auto &T : Tasks)
      if (T->Declared->getCanonicalDecl() == F->getCanonicalDecl())
        return T.get();
    return nullptr;
  }
};

} // namespace agglom

#endif // AGGLOM_FRONTEND_MODEL_H
