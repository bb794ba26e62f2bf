// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No kernel reads or writes through a pointer that is the host's: one that lies
// in memory, with no section that names what it points to. The error says which
// clause would name it, in the words of the task:
//
//   static double get(double **r) { return r[1][1]; }
//   ... get(s->rows)                 add in(s->rows[1][lo:len])
//
// And the other way round, a warning where a kernel leaves addresses of its own
// in memory that the host has, too.

#include "FixIts.h"
#include "Inference.h"
#include "PointsTo.h"
#include "SectionHull.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

namespace {
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
  std::string member(StringRef Name) const {
    if (Object || !Index.empty())
      return (pointee() + "." + Name).str();
    return (Base + "->" + Name).str();
  }
};
using MaybeText = std::optional<std::string>;

/// Writes what a frame does with pointers as the task could say it.
class Speller {
  ASTContext &Context;
  const Task &T;
  const PointsTo &P;
  unsigned Steps = 0;

public:
  /// An index is none that a clause can mention.
  bool Varies = false;

  Speller(ASTContext &Context, const Task &T, const PointsTo &P)
      : Context(Context), T(T), P(P) {}

  /// What \p E denotes.
  MaybeText object(unsigned Frame, const Expr *E) {
    E = E->IgnoreParenCasts();
    if (++Steps > 100)
      return std::nullopt;
    if (auto *M = dyn_cast<MemberExpr>(E))
      return member(Frame, M);
    if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
      std::optional<Spelling> Base = pointer(Frame, Sub->getBase());
      if (Base)
        Base = plus(*Base, index(Frame, Sub->getIdx()), "+");
      return Base ? MaybeText(Base->pointee()) : std::nullopt;
    }
    if (auto *Un = dyn_cast<UnaryOperator>(E);
        Un && Un->getOpcode() == UO_Deref) {
      std::optional<Spelling> Base = pointer(Frame, Un->getSubExpr());
      return Base ? MaybeText(Base->pointee()) : std::nullopt;
    }
    auto *Ref = dyn_cast<DeclRefExpr>(E);
    auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    if (!V)
      return std::nullopt;
    if (Frame == 0 && isa<ParmVarDecl>(V)) {
      unsigned I = cast<ParmVarDecl>(V)->getFunctionScopeIndex();
      if ((changes(Frame, V) && onlyValue(Frame, E).value_or(E)) ||
          I >= T.Declared->getNumParams() ||
          !T.Declared->getParamDecl(I)->getIdentifier())
        return std::nullopt;
      return T.Declared->getParamDecl(I)->getNameAsString();
    }
    if (V->hasGlobalStorage())
      return V->getNameAsString();
    auto [Of, From] = source(Frame, E);
    return From ? object(Of, From) : std::nullopt;
  }

  /// What pointer \p E points to.
  std::optional<Spelling> pointer(unsigned Frame, const Expr *E) {
    E = withoutCasts(E);
    if (!E || ++Steps > 100)
      return std::nullopt;
    if (E->getType()->isArrayType()) {
      MaybeText Array = object(Frame, E);
      return Array ? std::optional<Spelling>({*Array, "", false})
                   : std::nullopt;
    }
    if (auto *Un = dyn_cast<UnaryOperator>(E);
        Un && Un->getOpcode() == UO_AddrOf) {
      const Expr *Of = Un->getSubExpr()->IgnoreParens();
      if (auto *Sub = dyn_cast<ArraySubscriptExpr>(Of)) {
        std::optional<Spelling> Base = pointer(Frame, Sub->getBase());
        return Base ? plus(*Base, index(Frame, Sub->getIdx()), "+")
                    : std::nullopt;
      }
      MaybeText Object = object(Frame, Of);
      return Object ? std::optional<Spelling>({*Object, "", true})
                    : std::nullopt;
    }
    if (auto *Un = dyn_cast<UnaryOperator>(E);
        Un && Un->isIncrementDecrementOp())
      return Un->isPostfix() ? pointer(Frame, Un->getSubExpr())
                             : stepped(Frame, Un);
    if (std::optional<const Expr *> Value = onlyValue(Frame, E);
        Value && isStep(*Value)) {
      if (auto *Un = dyn_cast<UnaryOperator>(*Value))
        return stepped(Frame, Un);
      auto *B = cast<BinaryOperator>(*Value);
      return sum(Frame, B->getLHS(), B->getRHS(),
                 B->getOpcode() == BO_SubAssign);
    }
    if (auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp()) {
      const Expr *Base = B->getLHS(), *By = B->getRHS();
      if (!Base->getType()->isPointerType())
        std::swap(Base, By);
      return sum(Frame, Base, By, B->getOpcode() == BO_Sub);
    }
    if (const VarDecl *V = variableOf(E);
        V && V->getType()->isPointerType() && !V->hasGlobalStorage() &&
        !(Frame == 0 && isa<ParmVarDecl>(V))) {
      if (const Expr *Start = V->getInit();
          Start && !onlyValue(Frame, E) && onlySteps(Frame, V)) {
        std::optional<Spelling> Base = pointer(Frame, Start);
        Varies = true;
        return Base ? plus(*Base, "...", "+") : std::nullopt;
      }
      auto [Of, From] = source(Frame, E);
      return From ? pointer(Of, From) : std::nullopt;
    }
    MaybeText Pointer = object(Frame, E);
    return Pointer ? std::optional<Spelling>({*Pointer, "", false})
                   : std::nullopt;
  }

private:
  std::optional<Spelling> sum(unsigned Frame, const Expr *Base, const Expr *By,
                              bool Sub) {
    std::optional<Spelling> Out = pointer(Frame, Base);
    return Out ? plus(*Out, index(Frame, By), Sub ? "-" : "+") : std::nullopt;
  }

  /// Whether it is p++, p += n or the like.
  static bool isStep(const Expr *E) {
    auto *Un = dyn_cast_or_null<UnaryOperator>(E);
    auto *B = dyn_cast_or_null<BinaryOperator>(E);
    return (Un && Un->isIncrementDecrementOp()) ||
           (B && B->isCompoundAssignmentOp());
  }

  std::optional<Spelling> stepped(unsigned Frame, const UnaryOperator *Un) {
    std::optional<Spelling> Out = pointer(Frame, Un->getSubExpr());
    return Out ? plus(*Out, "1", Un->isDecrementOp() ? "-" : "+")
               : std::nullopt;
  }

  /// The value that variable \p E has here, if there is one only: an
  /// assignment, or null for what a parameter has at first.
  std::optional<const Expr *> onlyValue(unsigned Frame, const Expr *E) const {
    auto *Use = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
    const PointerFacts::Values *Values =
        Use ? P.facts(P.frames()[Frame].Function).valuesAt(Use) : nullptr;
    return Values && Values->size() == 1
               ? std::optional<const Expr *>(Values->front())
               : std::nullopt;
  }

  unsigned changes(unsigned Frame, const VarDecl *V) const {
    return P.facts(P.frames()[Frame].Function).Changes.lookup(V);
  }

  /// Null where a pointer becomes one to something else.
  static const Expr *withoutCasts(const Expr *E) {
    for (;;) {
      E = E->IgnoreParenImpCasts();
      auto *Cast = dyn_cast<ExplicitCastExpr>(E);
      if (!Cast)
        return E;
      const Expr *Sub = Cast->getSubExpr();
      if (!Cast->getType()->isPointerType() || !Sub->getType()->isPointerType())
        return nullptr;
      QualType To = Cast->getType()->getPointeeType().getCanonicalType();
      QualType From = Sub->getType()->getPointeeType().getCanonicalType();
      if (!To->isVoidType() && !From->isVoidType() &&
          To.getUnqualifiedType() != From.getUnqualifiedType())
        return nullptr;
      E = Sub;
    }
  }

  /// Whether pointer \p V only goes from element to element.
  bool onlySteps(unsigned Frame, const VarDecl *V) const {
    unsigned Found = 0;
    for (const PointerFacts::Assignment &A :
         P.facts(P.frames()[Frame].Function).Assignments)
      if (variableOf(A.To) == V) {
        auto *B = dyn_cast<BinaryOperator>(A.From);
        if (!isa<UnaryOperator>(A.From) &&
            !(B && B->isCompoundAssignmentOp() && variableOf(B->getLHS()) == V))
          return false;
        ++Found;
      }
    return Found && Found == changes(Frame, V);
  }

  /// The only value that the variable \p E can have, and in which frame; or
  /// null.
  std::pair<unsigned, const Expr *> source(unsigned Frame, const Expr *E) {
    const PointsTo::Frame &F = P.frames()[Frame];
    const VarDecl *V = variableOf(E);
    unsigned Changes = changes(Frame, V);
    std::optional<const Expr *> Value = onlyValue(Frame, E);
    if (Value && *Value) {
      if (isStep(*Value))
        return {0, nullptr};
      auto *B = dyn_cast<BinaryOperator>(*Value);
      return {Frame, B && B->isAssignmentOp() ? B->getRHS() : *Value};
    }
    if (Value)
      Changes = 0;
    if (auto *Param = dyn_cast<ParmVarDecl>(V)) {
      unsigned I = Param->getFunctionScopeIndex();
      if (Changes || F.Merged || !F.Call || I >= F.Call->getNumArgs())
        return {0, nullptr};
      return {F.Caller, F.Call->getArg(I)};
    }
    if (V->getInit() || Changes != 1)
      return {Frame, Changes ? nullptr : V->getInit()};
    for (const PointerFacts::Assignment &A : P.facts(F.Function).Assignments)
      if (variableOf(A.To) == V)
        return {Frame, A.From};
    return {0, nullptr};
  }

  /// Where structure \p E is, or the one that it is a copy of.
  std::optional<Spelling> address(unsigned Frame, const Expr *E) {
    E = E->IgnoreParenCasts();
    if (auto *Un = dyn_cast<UnaryOperator>(E);
        Un && Un->getOpcode() == UO_Deref)
      return pointer(Frame, Un->getSubExpr());
    if (const VarDecl *V = variableOf(E);
        V && !V->hasGlobalStorage() && !(Frame == 0 && isa<ParmVarDecl>(V))) {
      auto [Of, From] = source(Frame, E);
      return From && ++Steps < 100 ? address(Of, From) : std::nullopt;
    }
    MaybeText Object = object(Frame, E);
    return Object ? std::optional<Spelling>({*Object, "", true}) : std::nullopt;
  }

  MaybeText member(unsigned Frame, const MemberExpr *M) {
    std::string Name;
    for (;;) { // out of structures without a name
      std::string Part = M->getMemberDecl()->getNameAsString();
      if (!Part.empty())
        Name = Name.empty() ? Part : Part + "." + Name;
      auto *Outer = dyn_cast<MemberExpr>(M->getBase()->IgnoreParenImpCasts());
      if (M->isArrow() || !Outer)
        break;
      M = Outer;
    }
    if (M->isArrow()) {
      std::optional<Spelling> Base = pointer(Frame, M->getBase());
      return Base ? MaybeText(Base->member(Name)) : std::nullopt;
    }
    std::optional<Spelling> Base = address(Frame, M->getBase());
    return Base ? MaybeText(Base->member(Name)) : std::nullopt;
  }

  static std::optional<Spelling> plus(Spelling Base, const std::string &By,
                                      StringRef Sign) {
    if (By == "0" || Base.Object)
      return By == "0" ? std::optional<Spelling>(Base) : std::nullopt;
    if (Base.Index.empty() && Sign == "+")
      Base.Index = By;
    else
      Base.Index =
          (Base.Index + (Base.Index.empty() ? "" : " ") + Sign + " " + By)
              .str();
    return Base;
  }

  std::string index(unsigned Frame, const Expr *E) {
    E = E->IgnoreParenCasts();
    if (auto *Ref = dyn_cast<DeclRefExpr>(E);
        Ref && isa<EnumConstantDecl>(Ref->getDecl()))
      return Ref->getDecl()->getNameAsString();
    if (std::optional<int64_t> Value = constantOf(E, Context))
      return std::to_string(*Value);
    if (auto *B = dyn_cast<BinaryOperator>(E);
        B && (B->isAdditiveOp() || B->isMultiplicativeOp())) {
      auto operand = [&](const Expr *Of) {
        std::string Text = index(Frame, Of);
        return StringRef(Text).contains(' ') ? "(" + Text + ")" : Text;
      };
      std::string L = operand(B->getLHS());
      return L + " " + B->getOpcodeStr().str() + " " + operand(B->getRHS());
    }
    const VarDecl *V = variableOf(E);
    if (V && !V->hasGlobalStorage() && !(Frame == 0 && isa<ParmVarDecl>(V))) {
      if (auto [Of, From] = source(Frame, E); From && ++Steps < 100)
        return index(Of, From);
    } else if (MaybeText Text = object(Frame, E)) {
      return *Text;
    }
    Varies = true;
    return V ? V->getNameAsString() : "...";
  }
};

class HostAddressCheck {
  ParsedUnit &U;
  Task &T;
  PointsTo P;
  std::set<std::tuple<unsigned, int64_t, std::string>> Reported;
  std::set<std::pair<const Expr *, std::string>> ReportedAt;
  std::set<const Expr *> Advised;
  std::optional<Inference> Inferred;

  /// The calls that lead to \p Frame.
  void chain(unsigned Frame) {
    if (!Frame)
      return;
    for (unsigned I = Frame; I; I = P.frames()[I].Caller)
      U.Report.report(P.frames()[I].Call->getExprLoc(),
                      diag::note_called_by_task)
          << P.frames()[I].Function
          << spokenName(U.M, P.frames()[P.frames()[I].Caller].Function);
    if (T.ForOthers)
      U.Report.report(T.Loc, diag::note_declare_here);
    else
      U.Report.report(T.Loc, notePlace(T));
  }

  /// The member that links a list or tree, if the pointer is one; or null.
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

  /// What names all that is used behind a pointer in memory, \p Name; "" where
  /// that is not known.
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
    chain(Frame);
  }

  /// p[i].next = &p[i + 1]: on a device that is an address of the device's,
  /// and the host gets it when it gets *p.
  void adviseStores(unsigned Frame) {
    if (P.frames()[Frame].Merged)
      return; // of which call, nobody knows
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
      chain(Frame);
    }
  }

public:
  HostAddressCheck(ParsedUnit &U, Task &T, const DeviceClosure &C)
      : U(U), T(T), P(U, T, C) {}

  bool run() {
    for (unsigned F : P.liveFrames())
      for (const Expr *At : P.facts(P.frames()[F].Function).Accesses)
        for (const Target &To : P.value(F, At))
          if (P.region(To.Region).Kind == PointsTo::Region::Unknown &&
              P.isLoaded(To.Region))
            report(F, At, P.region(To.Region));
    if (ReportedAt.empty())
      for (unsigned F : P.liveFrames())
        adviseStores(F);
    return ReportedAt.empty();
  }
};
} // namespace

bool checkHostAddresses(ParsedUnit &U, Task &T, const DeviceClosure &C) {
  return HostAddressCheck(U, T, C).run();
}

} // namespace agglom
