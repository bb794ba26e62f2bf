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

/// A pointer or an lvalue as a clause would have it. Base[Index] is what a
/// pointer points to; without an index, *Base.
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

/// Writes what a frame does with pointers as the task could say it.
class Speller {
  clang::ASTContext &Context;
  const Task &T;
  const PointsTo &P;
  unsigned Steps = 0;

public:
  /// An index is none that a clause can mention.
  bool Varies = false;

  Speller(clang::ASTContext &Context, const Task &T, const PointsTo &P)
      : Context(Context), T(T), P(P) {}

  /// What \p E denotes.
  MaybeText object(unsigned Frame, const clang::Expr *E);

  /// What pointer \p E points to.
  std::optional<Spelling> pointer(unsigned Frame, const clang::Expr *E);

private:
  std::optional<Spelling> sum(unsigned Frame, const clang::Expr *Base,
                              const clang::Expr *By, bool Sub);

  /// Whether it is p++, p += n or the like.
  static bool isStep(const clang::Expr *E);

  std::optional<Spelling> stepped(unsigned Frame,
                                  const clang::UnaryOperator *Un);

  /// The value that variable \p E has here, if there is one only: an
  /// assignment, or null for what a parameter has at first.
  std::optional<const clang::Expr *> onlyValue(unsigned Frame,
                                               const clang::Expr *E) const;

  unsigned changes(unsigned Frame, const clang::VarDecl *V) const;

  /// Null where a pointer becomes one to something else.
  static const clang::Expr *withoutCasts(const clang::Expr *E);

  /// Whether pointer \p V only goes from element to element.
  bool onlySteps(unsigned Frame, const clang::VarDecl *V) const;

  /// The only value that the variable \p E can have, and in which frame; or
  /// null.
  std::pair<unsigned, const clang::Expr *> source(unsigned Frame,
                                                  const clang::Expr *E);

  /// Where structure \p E is, or the one that it is a copy of.
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
