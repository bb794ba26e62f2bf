// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings about tasks that are legal and, provably, not what was meant.

#include "FixIts.h"
#include "Inference.h"
#include "Rules.h"
#include "SectionAdvice.h"
#include "SharedVariables.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

namespace {
class Advisor {
  ParsedUnit &U;
  Task &T;
  Inference I;

public:
  Advisor(ParsedUnit &U, Task &T)
      : U(U), T(T), I(inferTask(U.Context, T, T.Definition)) {}

  void run() {
    for (const Loop *L : T.Loops)
      for (const Reduction &R : L->Reductions)
        reduction(L->For->getBody(), R, *L, false);
    if (!I.Body.Obstacle.empty())
      return;
    if (T.From)
      return adviseLoop(U, T, I);
    if (I.Body.Stray) // the stray pointer may point into any section
      return shortSections({});
    bool Wide = false;
    std::set<Base> Done;
    for (const Section &S : T.Sections)
      if (std::optional<Base> In = behindParameter(S);
          In && I.of(S.Param->getFunctionScopeIndex()) && namedOnce(*In)) {
        Done.insert(*In);
        Wide |= section(S, *In);
      }
    shortSections(std::move(Done));
    if (!Wide && !T.Variant)
      warnSmallTask(U, T);
  }

private:
  /// Warns about short sections, except those whose base is in \p Done.
  void shortSections(std::set<Base> Done) {
    for (const Section &S : T.Sections)
      if (std::optional<Base> In = baseOf(U.Context, S, T.Definition);
          In && Done.insert(*In).second) {
        std::optional<InferredSection> Touched;
        std::optional<SectionHull> H =
            hullOf(U.Context, I.Body.Names, S, T.Definition);
        // The section's brackets count from the begin of the memory.
        if (H && H->Start.isZero() && S.BaseExpr && S.Dims.size() == 1 &&
            (S.BaseExpr->getType()->isPointerType() ||
             S.BaseExpr->getType()->isArrayType()))
          Touched = inferIn(U.Context, I, *In, S.Element, S.Base, T.Declared);
        warnShortSections(U, T, I, *In, Touched ? &*Touched : nullptr);
      }
  }

  /// The memory that \p S names a part of, where it is behind a parameter.
  std::optional<Base> behindParameter(const Section &S) const {
    if (!S.Param)
      return std::nullopt;
    return Base{T.Definition->getParamDecl(S.Param->getFunctionScopeIndex()),
                true};
  }

  bool namedOnce(const Base &In) const {
    return llvm::count_if(T.Sections, [&](const Section &S) {
             return baseOf(U.Context, S, T.Definition) == In;
           }) == 1;
  }

  /// The first access to \p In, in the order of evaluation.
  const Access *first(const Base &In) const {
    for (const Access &A : I.Body.All)
      if (A.In == In)
        return &A;
    return nullptr;
  }

  /// \returns whether the section is too wide.
  bool section(const Section &S, const Base &In) {
    const InferredSection *Known = I.of(S.Param->getFunctionScopeIndex());
    const Access *First = first(In);
    if (S.Clause == ClauseId::Out && First && !First->Write &&
        !First->Conditional) {
      {
        auto Report = U.Report.report(S.Loc, diag::task_reads_out);
        Report << S.Param;
        for (const FixItHint &Hint : moveSection(U, T, S, "inout"))
          Report << Hint;
      }
      U.Report.report(First->At->getExprLoc(), diag::note_read_here);
    }
    // A variant may use the memory in another way.
    if (S.Clause == ClauseId::InOut && !Known->Writes && !T.Variant) {
      auto Report = U.Report.report(S.Loc, diag::task_never_writes);
      Report << S.Param;
      for (const FixItHint &Hint : moveSection(U, T, S, "in"))
        Report << Hint;
    }
    if ((S.ofParameter() && narrow(S, In)) ||
        warnShortSections(U, T, I, In, Known))
      return true;
    return !T.Variant && S.ofParameter() && warnWideSection(U, T, I, S, *Known);
  }

  static bool isKnown(const Access &A, const Base &In) {
    return A.In == In && A.Known && !A.Doubt;
  }

  /// The number of elements that are touched from byte \p Start on; nullopt
  /// when it is not a constant.
  std::optional<int64_t> reachedBehind(const Base &In, const Poly &Start,
                                       int64_t Size) {
    int64_t Most = 0;
    for (const Access &A : I.Body.All) {
      if (!isKnown(A, In))
        continue;
      Facts F(I.Body.Names, A.Given);
      F.Rough = false;
      std::optional<Poly> End = F.limit(A.From + A.Size, true);
      if (!End)
        return std::nullopt;
      if (std::optional<int64_t> C = (*End - Start).constant())
        Most = std::max(Most, (*C + Size - 1) / Size);
      else if (!F.nonNegative(Start - *End))
        return std::nullopt;
    }
    return Most;
  }

  /// Warns when the section's lower end is surely above all touched elements:
  /// the habit to write b[n] for b[0:n].
  bool narrow(const Section &S, const Base &In) {
    if (!StringRef(S.Text).ends_with("]") || StringRef(S.Text).contains(':'))
      return false;
    auto [Name, Rest] = StringRef(S.Text).split('[');
    StringRef Index = Rest.drop_back();
    const ParmVarDecl *Length = nullptr;
    for (const ParmVarDecl *P : T.Declared->parameters())
      if (P->getName() == Index)
        Length = P;
    if (!Length)
      return false;
    int64_t Size = U.Context.getTypeSizeInChars(S.Element).getQuantity();
    Poly Start =
        Poly::symbol(I.Body.Names.named(
            Index.str(),
            Length->getType()->isUnsignedIntegerOrEnumerationType(), true)) *
        Poly(Size);
    for (const Access &A : I.Body.All) {
      if (!isKnown(A, In) || A.Conditional)
        continue;
      Facts F(I.Body.Names, A.Given);
      std::optional<Poly> Lo = F.limit(A.From, false);
      if (!Lo || !Lo->constant() || !F.nonNegative(Start - *Lo - Poly(Size)))
        continue;
      std::optional<int64_t> Behind = reachedBehind(In, Start, Size);
      if (!Behind)
        return false;
      std::string Better =
          (Name + "[0:" + Index +
           (*Behind ? " + " + std::to_string(*Behind) : "") + "]")
              .str();
      SourceLocation End = S.Loc;
      U.Report.report(End, diag::section_single_element)
          << S.Text << Better << replaceSection(U, T, S, Better);
      U.Report.report(A.At->getExprLoc(), diag::note_access_here);
      return true;
    }
    return false;
  }

  /// Whether \p Op with this value as an operand always gives this value:
  /// `found = 1` for ||.
  bool absorbs(StringRef Op, const Expr *Value) const {
    std::optional<int64_t> C = constantOf(Value, U.Context);
    return C && ((Op == "||" && *C == 1) || (Op == "&&" && *C == 0) ||
                 (Op == "&" && *C == 0) || (Op == "|" && *C == -1));
  }

  /// Warns about assignments to a reduction variable that do not update it by
  /// its operator: t = x[i] for max, s += x for *. Below a condition on the
  /// variable (\p Judged) an assignment may be an update in another form.
  void reduction(const Stmt *S, const Reduction &R, const Loop &L,
                 bool Judged) {
    if (!S)
      return;
    unsigned Used;
    std::string Op = updateOperator(S, R.Var, Used);
    if (!Op.empty()) {
      // For truth values & is as good as &&.
      if (Op != R.Op && !Judged && !StringRef(R.Op).starts_with(Op))
        U.Report.report(S->getBeginLoc(), diag::reduction_other_operator)
            << R.Var << R.Op << Op;
      return;
    }
    if (auto *B = dyn_cast<BinaryOperator>(S);
        B && B->getOpcode() == BO_Assign && variableOf(B->getLHS()) == R.Var &&
        !mentions(B->getRHS(), R.Var) && !Judged &&
        !absorbs(R.Op, B->getRHS())) {
      U.Report.report(B->getOperatorLoc(), diag::reduction_overwritten)
          << R.Var << R.Op;
      U.Report.report(L.Loc, diag::note_loop_here);
      return;
    }
    if (auto *If = dyn_cast<IfStmt>(S))
      Judged |= mentions(If->getCond(), R.Var);
    for (const Stmt *Child : S->children())
      reduction(Child, R, L, Judged);
  }
};
} // namespace

void advise(ParsedUnit &U, Task &T) { Advisor(U, T).run(); }

} // namespace agglom
