// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values and memory of host expressions, as far as they are certain. An integer
// is a constant plus variables that do not change. Memory is at a byte offset
// from a variable, or from the pointee of a pointer variable.

#ifndef AGGLOM_CHECK_HOSTPLACES_H
#define AGGLOM_CHECK_HOSTPLACES_H

#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace agglom {

/// Constant + the sum of integer variables, and of products of two, with
/// factors.
struct Linear {
  using Variable = const clang::VarDecl *;
  int64_t Constant = 0;
  // No zero factors.
  std::map<Variable, int64_t> Of;
  std::map<std::pair<Variable, Variable>, int64_t> Products;

  Linear plus(const Linear &O, int64_t Factor = 1) const;
  /// nullopt when there would be products of three.
  std::optional<Linear> times(const Linear &O) const;
  std::optional<int64_t> constant() const {
    return Of.empty() && Products.empty() ? std::optional<int64_t>(Constant)
                                          : std::nullopt;
  }
  bool has(Variable V) const;
  /// What \p V is multiplied by.
  Linear factorOf(Variable V) const;
  /// With \p V replaced by \p Value; nullopt when it is multiplied by itself.
  std::optional<Linear> with(Variable V, const Linear &Value) const;
  bool operator==(const Linear &O) const {
    return Constant == O.Constant && Of == O.Of && Products == O.Products;
  }
  /// Whether \p Holds for each variable.
  template <typename Fn> bool all(Fn Holds) const {
    for (const auto &Term : Of)
      if (!Holds(Term.first))
        return false;
    for (const auto &Term : Products)
      if (!Holds(Term.first.first) || !Holds(Term.first.second))
        return false;
    return true;
  }
};
using MaybeLinear = std::optional<Linear>;

MaybeLinear times(const MaybeLinear &L, int64_t Factor);
MaybeLinear times(const MaybeLinear &L, const MaybeLinear &R);

/// A place in memory: at an offset in a variable, behind a pointer variable, or
/// behind further pointers that are found from there.
struct Spot {
  const clang::VarDecl *Var = nullptr; ///< null: not known
  bool Behind = false;
  MaybeLinear Offset; ///< in bytes
  int64_t Size = 0;
  std::vector<int64_t> Path = {}; ///< offsets of the further pointers
  bool OfFirst = false; ///< the path is that of the first iterations of loops

  /// Whether the place is in the variable itself, behind no pointer.
  bool isOwn() const { return !Behind && Path.empty(); }
  Spot moved(const MaybeLinear &By) const;
  /// The place behind the pointer that is at this place.
  Spot pointee() const;
};

/// A loop around the place the walk is at.
struct OpenLoop {
  const clang::VarDecl *Var = nullptr; ///< the loop's variable, when known
  MaybeLinear First, Bound;            ///< Bound: exclusive, of a step of 1
  int64_t Step = 0;                    ///< 0: not known
  size_t Conditions = 0;               ///< around it
  bool Jumped = false; ///< an iteration or the loop may have ended early
  size_t Open = 0;     ///< blocks around it
};

class HostPlaces {
public:
  explicit HostPlaces(clang::ASTContext &Context) : Context(Context) {}

protected:
  clang::ASTContext &Context;
  std::set<const clang::VarDecl *> Changed;       ///< except in heads of loops
  std::set<const clang::VarDecl *> Counted;       ///< by the heads of loops
  std::set<const clang::VarDecl *> Taken;         ///< address taken
  std::map<const clang::VarDecl *, Linear> Known; ///< values from initialisers
  std::vector<OpenLoop> Loops;
  size_t Conditions = 0; ///< around the current place
  /// The call whose arguments replace parameters in clauses.
  const clang::CallExpr *Arguments = nullptr;

  /// Whether k % n counts as k: it does in some iteration over k.
  bool Cyclic = false;

  /// Fills Changed, Counted and Taken.
  void changes(const clang::Stmt *S, bool InHead = false);
  MaybeLinear linear(const clang::Expr *E);
  /// 0 when it is not a constant.
  int64_t sizeOf(clang::QualType T) const;
  /// Index * size; an index of 0 needs no size.
  MaybeLinear bytes(const clang::Expr *Index, clang::QualType Element);
  /// The pointee of the pointer at \p S, which in a loop is that of the first
  /// iteration.
  Spot behind(Spot S) const;
  /// The pointee of pointer \p E.
  Spot pointed(const clang::Expr *E);
  /// The object \p E.
  Spot placeOf(const clang::Expr *E);
  /// The place of member \p M in the structure at \p S.
  Spot memberOf(const Spot &S, const clang::MemberExpr *M) const;
  /// \p L in the first iteration of the loops from number \p From on; nullopt
  /// when it is not known, as under a condition inside such a loop, which may
  /// exclude that iteration.
  MaybeLinear atFirst(MaybeLinear L, size_t From) const;
  /// The variable of \p For, its first value, bound and step.
  OpenLoop headOf(const clang::ForStmt *For);

private:
  /// \p L reduced by a multiple of \p N to about 0.
  static MaybeLinear reduced(Linear L, const Linear &N);
  /// What \p Inc adds to \p Var; 0 when that is not known.
  int64_t stepOf(const clang::Expr *Inc, const clang::VarDecl *Var);
  const OpenLoop *loopOf(const clang::VarDecl *V) const;
};

} // namespace agglom

#endif // AGGLOM_CHECK_HOSTPLACES_H
