// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memory a function touches. Its body is executed once with symbols for
// the values of its parameters, the functions it calls included:
//
//   a branch    both ways; what its condition says is a fact on each
//   a loop      twice: the first pass finds what each variable gains in an
//               iteration, the second executes iteration k, where a variable
//               that gains d has its first value plus k * d
//   p[e], *p    an access at a byte offset from a parameter or an object
//
// What cannot be followed makes a value unknown; nothing is guessed.

#ifndef AGGLOM_CHECK_ACCESSES_H
#define AGGLOM_CHECK_ACCESSES_H

#include "Symbolic.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include <map>
#include <set>

namespace agglom {

struct Loop;

/// What a pointer points into: the memory behind a pointer (a parameter, a
/// file-scope variable, a member), or an object (a local or file-scope
/// variable, a structure passed by value).
struct Base {
  const clang::VarDecl *Var = nullptr;
  bool Behind = false; ///< behind the pointer Var, not Var itself
  /// The pointers that lead on from there, by the byte where each is found:
  /// s->p[0] is in {s, true, {offset of p}}.
  std::vector<int64_t> Path = {};
  bool operator==(const Base &O) const {
    return Var == O.Var && Behind == O.Behind && Path == O.Path;
  }
  bool operator<(const Base &O) const {
    return std::tie(Var, Behind, Path) < std::tie(O.Var, O.Behind, O.Path);
  }
  /// Whether it is the file-scope variable itself.
  bool isGlobal() const {
    return Var && !Behind && Path.empty() && Var->hasGlobalStorage();
  }
};
/// What is behind the pointer at byte \p Offset of \p Holder.
Base behind(Base Holder, int64_t Offset);
/// The members that lead to \p E from what \p E is afterwards, back to the
/// first pointer: ".n", "->m.n", or "". nullopt when one has no name.
std::optional<std::string> membersTo(const clang::Expr *&E);

/// One of the values an expression may have.
struct Value {
  enum KindTy { Unknown, Integer, Pointer } Kind = Unknown;
  Base In;                ///< of a pointer
  Poly P;                 ///< the integer, or the offset in bytes
  std::vector<Poly> When; ///< facts that hold when it is this one
  bool Perhaps = false;   ///< they are not all that decides on it
  /// Facts that hold in a program without errors: each index of an array of
  /// arrays stays in its row.
  std::vector<Poly> Meant;
  const clang::Expr *Why = nullptr; ///< what made it unknown

  static Value unknown(const clang::Expr *Why) {
    Value V;
    V.Why = Why;
    return V;
  }
  static Value integer(Poly P) {
    Value V;
    V.Kind = Integer;
    V.P = std::move(P);
    return V;
  }
  static Value pointer(Base In, Poly Offset) {
    Value V;
    V.Kind = Pointer;
    V.In = std::move(In);
    V.P = std::move(Offset);
    return V;
  }
};
using Values = std::vector<Value>; ///< never empty

struct Access {
  Base In;
  bool Write = false;
  bool Known = false; ///< From and Size are
  Poly From, Size;    ///< in bytes
  std::vector<Poly> Given;
  std::vector<Poly> Meant; ///< see Value
  const clang::Expr *At = nullptr;
  const clang::Expr *Why = nullptr;   ///< why it is not known
  bool Conditional = false;           ///< in a branch that may not be taken
  const clang::Expr *Doubt = nullptr; ///< a condition over its subscript that
                                      ///< was not understood
  bool OfOwnWrite = false; ///< reads what the function surely wrote before
  bool Wide = false;       ///< its subscript is computed in 64 bits
  bool InCallee = false;
  bool MayStop = false; ///< a loop around it may end before its condition says
  /// Of a pointer that has one of several values there is an access for each,
  /// one behind the other: this many, this one the first of them. Exactly one
  /// takes place, when those before WhenFrom in Given hold and it is not
  /// Guarded.
  size_t Choices = 1;
  size_t WhenFrom = 0;
  bool Guarded = false;
};

/// A for loop as it was executed.
struct WalkedLoop {
  const clang::ForStmt *For = nullptr;
  SymbolId Counter = 0;           ///< of its iterations
  size_t Begin = 0, End = 0;      ///< its accesses
  std::optional<Poly> Iterations; ///< when known
  bool InCallee = false;
};

struct BodyAccesses {
  Symbols Names;
  std::vector<Access> All;       ///< in the order of evaluation
  std::vector<WalkedLoop> Loops; ///< inner ones first
  /// What could not be followed at all; then All is not complete.
  std::string Obstacle;
  clang::SourceLocation ObstacleAt;
  /// A dereferenced pointer whose origin is not known.
  const clang::Expr *Stray = nullptr;

  /// Of accessesOfIteration(): the loop's variable, how many facts about its
  /// range each access begins with, and its first value where that is known.
  std::optional<SymbolId> Iteration;
  size_t RangeFacts = 0;
  std::optional<Poly> First;
  /// The conditions on the loop's variable under which \p A takes place: what
  /// is given besides its range, the loops around and what values are.
  std::vector<Poly> guards(const Access &A) const;
  /// The access number \p N and those that may take place instead of it.
  llvm::ArrayRef<Access> choices(size_t N) const {
    return llvm::ArrayRef<Access>(All).slice(N, All[N].Choices);
  }
};

/// \p Body is executed; parameters are called as in \p Names, another
/// declaration of it or itself. Numbers and pointers in memory (s->n, s->p, a
/// file-scope n) have a name as long as \p Body writes none of them.
BodyAccesses accessesOf(clang::ASTContext &Context,
                        const clang::FunctionDecl *Body,
                        const clang::FunctionDecl *Names);

/// One iteration of \p L, the loop of a `for` that is all of \p Body. Then an
/// access is not Conditional when the loop's variable alone decides on it.
BodyAccesses accessesOfIteration(clang::ASTContext &Context,
                                 const clang::FunctionDecl *Body,
                                 const Loop &L);

} // namespace agglom

#endif // AGGLOM_CHECK_ACCESSES_H
