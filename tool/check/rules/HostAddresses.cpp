// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel must not access memory through a host address: a pointer that lies
// in memory, where no section names its pointee. The error says which clause
// would name it, in terms of the task:
//
//   static double get(double **r) { return r[1][1]; }
//   ... get(s->rows)                 add in(s->rows[1][lo:len])
//
// In the other direction, there is a warning where a kernel stores device
// addresses in memory that the host gets back.

#include "FixIts.h"
#include "Inference.h"
#include "PointerSpelling.h"
#include "Rules.h"
#include "SectionHull.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

namespace {
class HostAddressCheck {
  ParsedUnit &U;
  Task &T;
  PointsTo &P;
  std::set<std::tuple<unsigned, int64_t, std::string>> Reported;
  std::set<std::pair<const Expr *, std::string>> ReportedAt;
  std::set<const Expr *> Advised;
  std::optional<Inference> Inferred;

  /// The member of a list or tree node that links to the next node, where \p
  /// Loaded is such a pointer; else null.
  static const FieldDecl *link(const Expr *Loaded) {
    auto *M = dyn_cast<MemberExpr>(Loaded->IgnoreParenCasts());
    const RecordDecl *To =
        M && M->getType()->isPointerType()
            ? M->getType()->getPointeeType()->getAsRecordDecl()
            : nullptr;
    auto *Field = To ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
    return Field && Field->getParent()->getCanonicalDecl() ==
                        To->getCanonicalDecl()
               ? Field
               : nullptr;
  }

  /// The clause for all memory that is used behind a pointer in memory, which
  /// clauses call \p Name; "" where it is not known.
  std::string clauseFor(const PointsTo::Region &R, StringRef Name) {
    if (R.Frame || P.frames()[0].Function != T.Definition ||
        (T.From && T.From->Inner->Broken))
      return "";
    std::optional<Base> In = pointeeOf(U.Context, R.Loaded, T.Definition);
    if (!In)
      return "";
    if (!Inferred)
      Inferred = inferTask(U.Context, T, T.Definition);
    InferredSection S =
        inferIn(U.Context, *Inferred, *In,
                R.Loaded->getType()->getPointeeType(), Name, T.Declared);
    return isSure(U.Context, T, *Inferred, S) ? clauseOf(S) : "";
  }

  void report(unsigned Frame, const Expr *At, const PointsTo::Region &R) {
    Speller S(U.Context, T, P);
    QualType Type = R.Loaded->getType();
    MaybeText Name;
    if (Type->isPointerType() && !T.ForOthers &&
        !Type->getPointeeType()->isIncompleteType() &&
        !Type->getPointeeType()->isFunctionType())
      Name = S.object(R.Frame, R.Loaded);
    std::string Key = Name.value_or("");
    if (!Reported.insert({R.Holder, R.HolderOffset, Key}).second ||
        !ReportedAt.insert({At, Key}).second)
      return;
    T.Broken = true;
    const FieldDecl *Link = link(R.Loaded);
    if (!Name && Link)
      U.Report.report(At->getExprLoc(), diag::device_loaded_link)
          << Link << R.Loaded->getSourceRange();
    else if (!Name)
      U.Report.report(At->getExprLoc(), diag::device_loaded_pointer)
          << R.Loaded->getSourceRange();
    else if (S.Varies)
      U.Report.report(At->getExprLoc(), diag::device_loaded_pointers)
          << *Name << R.Loaded->getSourceRange();
    else if (std::string Clause = Link ? "" : clauseFor(R, *Name);
             !Clause.empty())
      U.Report.report(At->getExprLoc(), diag::device_loaded_known)
          << *Name << Clause << R.Loaded->getSourceRange()
          << addClause(U, T, Clause);
    else
      U.Report.report(At->getExprLoc(), diag::device_loaded_unnamed)
          << *Name << (Link != nullptr) << R.Loaded->getSourceRange();
    noteCalls(U, T, P, Frame);
  }

  /// Warns about p[i].next = &p[i + 1]: a kernel stores a device address, and
  /// the host gets it when it gets *p.
  void adviseStores(unsigned Frame) {
    if (P.frames()[Frame].Merged)
      return; // the frame stands for several calls
    auto of = [&](PointsTo::Region::KindTy Kind) {
      return [=](const Target &To) { return P.region(To.Region).Kind == Kind; };
    };
    for (const PointerFacts::Assignment &A :
         P.facts(P.frames()[Frame].Function).Assignments) {
      if (!A.From->getType()->isPointerType() ||
          llvm::none_of(P.place(Frame, A.To), of(PointsTo::Region::Host)) ||
          llvm::none_of(P.value(Frame, A.From), of(PointsTo::Region::Host)) ||
          !Advised.insert(A.To).second)
        continue;
      U.Report.report(A.To->getExprLoc(), diag::device_stored_pointer)
          << A.From->getSourceRange();
      noteCalls(U, T, P, Frame);
    }
  }

public:
  HostAddressCheck(ParsedUnit &U, Task &T, PointsTo &P) : U(U), T(T), P(P) {}

  bool run() {
    for (unsigned F : P.liveFrames())
      for (const Expr *At : P.facts(P.frames()[F].Function).Accesses)
        for (const Target &To : P.value(F, At))
          if (P.region(To.Region).Kind == PointsTo::Region::Unknown &&
              P.isLoaded(To.Region))
            report(F, At, P.region(To.Region));
    if (!ReportedAt.empty())
      return false;
    for (unsigned F : P.liveFrames())
      adviseStores(F);
    return true;
  }
};
} // namespace

bool checkHostAddresses(ParsedUnit &U, Task &T, PointsTo &P) {
  return HostAddressCheck(U, T, P).run();
}

} // namespace agglom
