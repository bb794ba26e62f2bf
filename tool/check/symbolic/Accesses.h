// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memory a function touches. Its body, and the functions it calls, are
// executed once, with symbols for the values of its parameters:
//
//   a branch    both ways; the condition, or its negation, is a fact on each
//   a loop      twice: the first pass finds what each variable gains in an
//               iteration, the second executes iteration k, where a variable
//               that gains d has its first value plus k * d
//   p[e], *p    an access at a byte offset from a parameter or an object
//
// A value that cannot be followed is unknown; nothing is guessed.

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
  /// The pointers that lead on from there, by the byte offset of each: s->p[0]
  /// is in {s, true, {offset of p}}.
  std::vector<int64_t> Path = {};
  bool operator==(const Base &O) const {
    return Var == O.Var && Behind == O.Behind && Path == O.Path;
  }
  bool operator<(const Base &O) const {
    return std::tie(Var, Behind, Path) < std::tie(O.Var, O.Behind, O.Path);
  }
  /// Whether the base is a file-scope variable itself, not memory behind it.
  bool isGlobal() const {
    return Var && !Behind && Path.empty() && Var->hasGlobalStorage();
  }
};
/// The memory behind the pointer at byte \p Offset of \p Holder.
Base behind(Base Holder, int64_t Offset);
/// The members on the way to \p E, back to the first pointer: ".n", "->m.n", or
/// "". \p E becomes the expression that they begin at. nullopt when a member
/// has no name.
std::optional<std::string> membersTo(const clang::Expr *&E);

/// One of the values an expression may have.
struct Value {
  enum KindTy { Unknown, Integer, Pointer } Kind = Unknown;
  Base In;                ///< of a pointer
  Poly P;                 ///< the integer, or the offset in bytes
  std::vector<Poly> When; ///< facts that hold for this value
  bool Perhaps = false;   ///< When is not the full condition
  /// Facts that hold in a program without errors: each index of an array of
  /// arrays is within its row.
  std::vector<Poly> Meant;
  const clang::Expr *Why = nullptr; ///< the cause of Unknown

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
  bool Known = false; ///< From and Size are known
  Poly From, Size;    ///< in bytes
  std::vector<Poly> Given;
  std::vector<Poly> Meant; ///< see Value
  const clang::Expr *At = nullptr;
  const clang::Expr *Why = nullptr;   ///< cause of !Known
  bool Conditional = false;           ///< in a branch that may not be taken
  const clang::Expr *Doubt = nullptr; ///< a condition over its subscript that
                                      ///< was not understood
  bool OfOwnWrite = false; ///< reads memory that the function surely wrote
  bool Wide = false;       ///< the subscript is computed in 64 bits
  bool InCallee = false;
  bool MayStop = false; ///< a loop around it may end before its condition says
  /// A pointer with several possible values has an access for each, side by
  /// side. Choices is their number in the first of them, and 0 in the others.
  /// Exactly one takes place, when the facts before WhenFrom in Given hold and
  /// Guarded is false.
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

  /// Set by accessesOfIteration(): the loop's variable, how many facts about
  /// its range begin each access's Given, and the variable's first value where
  /// it is known.
  std::optional<SymbolId> Iteration;
  size_t RangeFacts = 0;
  std::optional<Poly> First;
  /// The conditions under which \p A takes place, without the facts about the
  /// loop variable's range, about counters of inner loops, and definitions of
  /// symbols.
  std::vector<Poly> guards(const Access &A) const;
  /// Access number \p N and its alternatives: \see Access::Choices
  llvm::ArrayRef<Access> choices(size_t N) const {
    return llvm::ArrayRef<Access>(All).slice(N, All[N].Choices);
  }
};

/// The accesses of \p Body, with the parameter names of \p Names, a declaration
/// of the same function. Numbers and pointers in memory (s->n, s->p, a
/// file-scope n) have a name as long as \p Body does not write them.
BodyAccesses accessesOf(clang::ASTContext &Context,
                        const clang::FunctionDecl *Body,
                        const clang::FunctionDecl *Names);

/// The accesses of one iteration of \p L, the only loop in \p Body, which was
/// made of a `for`. An access is not Conditional when only the loop's variable
/// decides whether it takes place.
BodyAccesses accessesOfIteration(clang::ASTContext &Context,
                                 const clang::FunctionDecl *Body,
                                 const Loop &L);

} // namespace agglom

#endif // AGGLOM_CHECK_ACCESSES_H
