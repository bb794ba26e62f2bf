// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What host code's expressions say about values and memory, as far as that is
// sure: an integer is a constant plus variables that do not change, memory is
// so many bytes from a variable or from what a pointer variable points to.

#ifndef AGGLOM_CHECK_HOSTPLACES_H
#define AGGLOM_CHECK_HOSTPLACES_H

#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace agglom {

/// Constant + the sum of integer variables with factors.
struct Linear {
  int64_t Constant = 0;
  std::map<const clang::VarDecl *, int64_t> Of; ///< no zero factors

  Linear plus(const Linear &O, int64_t Factor = 1) const;
  std::optional<int64_t> constant() const {
    return Of.empty() ? std::optional<int64_t>(Constant) : std::nullopt;
  }
};
using MaybeLinear = std::optional<Linear>;

MaybeLinear times(const MaybeLinear &L, int64_t Factor);

/// Where memory is: at an offset in a variable, or behind a pointer variable,
/// or behind pointers that are found on from there.
struct Spot {
  const clang::VarDecl *Var = nullptr; ///< null: not known
  bool Behind = false;
  MaybeLinear Offset; ///< in bytes
  int64_t Size = 0;
  std::vector<int64_t> Path = {}; ///< where each of those pointers is

  /// Whether it is in the variable itself, behind no pointer.
  bool isOwn() const { return !Behind && Path.empty(); }
  Spot moved(const MaybeLinear &By) const;
  /// What is behind the pointer there.
  Spot pointee() const;
};

/// A loop around the place the walk is at.
struct OpenLoop {
  const clang::VarDecl *Var = nullptr; ///< what it counts, when that is known
  MaybeLinear First, Bound;            ///< Bound: exclusive, of a step of 1
  int64_t Step = 0;                    ///< 0: not known
  size_t Conditions = 0;               ///< around it
  bool Jumped = false; ///< an iteration may have ended, or the loop
  size_t Open = 0;     ///< blocks around it
};

class HostPlaces {
public:
  explicit HostPlaces(clang::ASTContext &Context) : Context(Context) {}

protected:
  clang::ASTContext &Context;
  std::set<const clang::VarDecl *> Changed; ///< but for the heads of loops
  std::set<const clang::VarDecl *> Counted; ///< by the heads of loops
  std::set<const clang::VarDecl *> Taken;   ///< their address
  std::map<const clang::VarDecl *, Linear> Known; ///< by their initialisers
  std::vector<OpenLoop> Loops;
  size_t Conditions = 0; ///< around the place
  /// The call whose arguments parameters stand for, in clauses.
  const clang::CallExpr *Arguments = nullptr;

  /// Fills the three sets.
  void changes(const clang::Stmt *S, bool InHead = false);
  MaybeLinear linear(const clang::Expr *E);
  /// 0 when it is not a constant.
  int64_t sizeOf(clang::QualType T) const;
  /// Index * size; an index of 0 needs no size.
  MaybeLinear bytes(const clang::Expr *Index, clang::QualType Element);
  /// What the pointer \p E points to.
  Spot pointed(const clang::Expr *E);
  /// The object \p E.
  Spot placeOf(const clang::Expr *E);
  /// Where the member \p M of what begins at \p S is.
  Spot memberOf(const Spot &S, const clang::MemberExpr *M) const;
  /// \p L where the loops from number \p From on are in their first iteration;
  /// nullopt when that is not known. A condition inside such a loop may be
  /// there for that iteration.
  MaybeLinear atFirst(MaybeLinear L, size_t From) const;
  /// What \p For counts, and from where to where.
  OpenLoop headOf(const clang::ForStmt *For);

private:
  /// What \p Inc adds to \p Var; 0 when that is not known.
  int64_t stepOf(const clang::Expr *Inc, const clang::VarDecl *Var);
  const OpenLoop *loopOf(const clang::VarDecl *V) const;
};

} // namespace agglom

#endif // AGGLOM_CHECK_HOSTPLACES_H
