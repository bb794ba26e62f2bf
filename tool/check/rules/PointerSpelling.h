// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel does with pointers, in the words of the task:
//
//   static double get(double **r) { return r[1][1]; }
//   ... get(s->rows)                 is of s->rows[1]

#ifndef AGGLOM_CHECK_POINTERSPELLING_H
#define AGGLOM_CHECK_POINTERSPELLING_H

#include "PointsTo.h"
#include "Rules.h"

namespace agglom {

/// A pointer as a clause would spell it: its pointee is Base[Index], or *Base
/// without an index.
struct Spelling {
  std::string Base, Index;
  bool Object = false; ///< a pointer to the object Base

  std::string pointee() const {
    if (Object)
      return Base;
    return Base + "[" + (Index.empty() ? "0" : Index) + "]";
  }
  std::string member(llvm::StringRef Name) const {
    if (Object || !Index.empty())
      return (pointee() + "." + Name).str();
    return (Base + "->" + Name).str();
  }
};
using MaybeText = std::optional<std::string>;

/// Spells the pointers and objects of a frame with the names of the task.
class Speller {
  clang::ASTContext &Context;
  const Task &T;
  const PointsTo &P;
  unsigned Steps = 0;

public:
  /// Whether an index is not an expression that a clause can contain.
  bool Varies = false;

  Speller(clang::ASTContext &Context, const Task &T, const PointsTo &P)
      : Context(Context), T(T), P(P) {}

  /// The object that \p E denotes.
  MaybeText object(unsigned Frame, const clang::Expr *E);

  /// The pointee of pointer \p E.
  std::optional<Spelling> pointer(unsigned Frame, const clang::Expr *E);

private:
  std::optional<Spelling> sum(unsigned Frame, const clang::Expr *Base,
                              const clang::Expr *By, bool Sub);

  /// Whether \p E is p++, p += n or the like.
  static bool isStep(const clang::Expr *E);

  std::optional<Spelling> stepped(unsigned Frame,
                                  const clang::UnaryOperator *Un);

  /// The only value that variable \p E can have here, as an assignment or
  /// initialiser; null stands for the initial value of a parameter. nullopt
  /// when there are more.
  std::optional<const clang::Expr *> onlyValue(unsigned Frame,
                                               const clang::Expr *E) const;

  unsigned changes(unsigned Frame, const clang::VarDecl *V) const;

  /// \p E without casts; null where a cast changes the pointee type.
  static const clang::Expr *withoutCasts(const clang::Expr *E);

  /// Whether pointer \p V only changes by steps from element to element.
  bool onlySteps(unsigned Frame, const clang::VarDecl *V) const;

  /// The frame and the expression of the only value that variable \p E can
  /// have, or null.
  std::pair<unsigned, const clang::Expr *> source(unsigned Frame,
                                                  const clang::Expr *E);

  /// The place of structure \p E, or of the structure that it is a copy of.
  std::optional<Spelling> address(unsigned Frame, const clang::Expr *E);

  MaybeText member(unsigned Frame, const clang::MemberExpr *M);

  static std::optional<Spelling> plus(Spelling Base, const std::string &By,
                                      llvm::StringRef Sign);

  std::string index(unsigned Frame, const clang::Expr *E);
};

/// The notes about the calls that lead to \p Frame.
void noteCalls(ParsedUnit &U, const Task &T, const PointsTo &P, unsigned Frame);

} // namespace agglom

#endif // AGGLOM_CHECK_POINTERSPELLING_H
