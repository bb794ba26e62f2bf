// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections of a `for` that leave out memory that an iteration certainly
// accesses. A chunk may be any run of iterations, so an error in one iteration
// suffices:
//
//   in(a[i])   ... a[i - 1] + a[i + 1]     in each iteration
//   in(a[i])   ... a[i * m + j]            in the first two, if j takes two
//   in(a[i])   ... a[index[i]]             unless index[i] were i for all i
//   in(a[i])   ... a[index[k]]             where k begins at start[i]
//   in(a[k])   ... a[i]                    in one of any two
//
// A condition on the loop's variable is taken to hold for some iterations.
// About accesses under other conditions nothing is reported.

#include "FixIts.h"
#include "SectionAdvice.h"
#include "Syntax.h"
#include "clang/AST/ASTContext.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/MathExtras.h"

using namespace clang;

namespace agglom {

namespace {
/// The bytes that a section names, in terms of the loop's variable.
struct Range {
  const Section *S;
  SectionHull H;
};

class LoopAdvisor {
  ParsedUnit &U;
  const Task &T;
  Inference &I;
  const Loop &L;
  Symbols &Names;
  const SymbolId Id; ///< the loop's variable

  std::optional<Range> rangeOf(const Section &S) {
    std::optional<SectionHull> H =
        hullOf(U.Context, Names, S, T.Definition, L.Canonical.Var);
    if (!H)
      return std::nullopt;
    return Range{&S, *H};
  }

  static Poly put(const Poly &P, SymbolId S, const Poly &Value) {
    Poly Factor, Rest;
    return P.split(S, Factor, Rest) ? Factor * Value + Rest : Poly::invalid();
  }

  /// Whether the access (for a \p Choice: it or an alternative) takes place in
  /// some iterations, and each fact about it is about inner loops, or a
  /// condition on the loop's variable.
  bool happens(const Access &A, bool Choice = false) const {
    if (!A.Known || A.Doubt || (Choice ? A.Guarded : A.Conditional))
      return false;
    for (size_t N = I.Body.RangeFacts;
         N < (Choice ? A.WhenFrom : A.Given.size()); ++N)
      if (const Poly &Fact = A.Given[N];
          !Fact.constant() && !Names.isDefinition(Fact) &&
          (!Names.isOfLoops(Fact) ||
           (!Names.hasCounter(Fact) && !Fact.mentions(Id))))
        return false;
    return true;
  }

  /// Whether \p A also takes place in the first and the last steps of all inner
  /// loops.
  bool reachesItsLimits(const Access &A) const {
    return happens(A) &&
           agglom::reachesItsLimits(
               Names, A, ArrayRef<Poly>(A.Given).drop_front(I.Body.RangeFacts));
  }

  /// \p P with \p Value in the place of each counter.
  Poly atStep(Poly P, int64_t Value) const {
    for (;;) {
      std::optional<SymbolId> Counter;
      for (const auto &[M, C] : P.terms())
        for (SymbolId S : M)
          if (Names[S].Counter)
            Counter = S;
      if (!Counter)
        return P;
      P = put(P, *Counter, Value);
    }
  }

  /// Facts that may be assumed: a loop has at least two iterations, and in an
  /// index j * n + i the factor n is not 0.
  std::vector<Poly> meant(const Access &A) const {
    std::vector<Poly> Out;
    for (size_t N = 0; N < A.Given.size(); ++N)
      for (const auto &[M, C] : A.Given[N].terms())
        if (M.size() == 1 && C < 0) {
          if (Names[M[0]].Counter)
            Out.push_back(put(A.Given[N], M[0], 1));
          else if (M[0] == Id && N < I.Body.RangeFacts && I.Body.First)
            Out.push_back(put(A.Given[N], Id,
                              *I.Body.First + Poly(L.Canonical.StepValue)));
        }
    for (const auto &[M, C] : A.From.terms())
      if (M.size() == 2 && Names[M[0]].Counter != Names[M[1]].Counter)
        if (SymbolId Other = M[Names[M[0]].Counter];
            Other != Id && !Names[Other].Bound)
          Out.push_back(Poly::symbol(Other) - Poly(1));
    return Out;
  }

  /// Whether access \p N and all its alternatives are outside of \p Ranges.
  bool isMissed(size_t N, ArrayRef<Range> Ranges) {
    const Access &A = I.Body.All[N];
    return isMissed(A, Ranges) ||
           (A.Choices > 1 &&
            llvm::all_of(I.Body.choices(N), [&](const Access &Each) {
              return Each.In == A.In && happens(Each, true) &&
                     isMissed(Each, Ranges, Each.Given, std::nullopt,
                              std::nullopt, false);
            }));
  }

  /// Whether \p At is in \p S, and in no loop there: one might have steps in
  /// a single iteration.
  static bool isStraight(const Stmt *S, const Expr *At) {
    return S == At || (S && !isa<ForStmt, WhileStmt, DoStmt>(S) &&
                       llvm::any_of(S->children(), [&](const Stmt *Child) {
                         return isStraight(Child, At);
                       }));
  }

  /// Whether \p Ranges are the same in all iterations, and too few bytes for
  /// what \p A accesses in two that follow one another.
  bool moves(const Access &A, ArrayRef<Range> Ranges) const {
    uint64_t Named = 0;
    if (!isStraight(L.For->getBody(), A.At))
      return false;
    for (const Range &R : Ranges) {
      std::optional<int64_t> Bytes = (R.H.End - R.H.Begin).constant();
      if (R.H.Begin.mentions(Id) || !Bytes || *Bytes < 0)
        return false;
      Named = llvm::SaturatingAdd(Named, uint64_t(*Bytes));
    }
    for (size_t N = 0; N < A.Given.size(); ++N) {
      if (N >= I.Body.RangeFacts && A.Given[N].mentions(Id))
        return false; // perhaps only in one of them
      if (I.Body.First &&
          put(A.Given[N], Id, *I.Body.First + Poly(L.Canonical.StepValue))
                  .constant()
                  .value_or(0) < 0)
        return false; // there is one iteration only
    }
    Poly Factor, Rest;
    std::optional<int64_t> Size = A.Size.constant(), By;
    if (A.From.split(Id, Factor, Rest) && !Rest.mentions(Id))
      By = Factor.constant();
    auto magnitude = [](int64_t V) {
      return V < 0 ? -uint64_t(V) : uint64_t(V);
    };
    return Size && *Size > 0 && By && *By &&
           llvm::SaturatingMultiplyAdd<uint64_t>(
               magnitude(*By), magnitude(L.Canonical.StepValue), *Size) > Named;
  }

  bool isMissed(const Access &A, ArrayRef<Range> Ranges) {
    if (!happens(A))
      return false;
    if (moves(A, Ranges))
      return true;
    std::vector<Poly> Given = A.Given;
    llvm::append_range(Given, meant(A));
    std::vector<std::optional<Poly>> Iterations = {std::nullopt}; // any
    if (I.Body.First)
      for (int64_t Step : {int64_t(0), L.Canonical.StepValue})
        Iterations.push_back(*I.Body.First + Poly(Step));
    // Steps of inner loops: any step (nullopt), where the first and the last
    // step are known, and the first two steps.
    std::vector<std::optional<int64_t>> Steps = {std::nullopt};
    if (Names.hasCounter(A.From))
      llvm::append_range(Steps, std::initializer_list<int64_t>{0, 1});
    for (const std::optional<Poly> &At : Iterations)
      for (std::optional<int64_t> Step : Steps)
        if (isMissed(A, Ranges, Given, At, Step,
                     Step ? Names.isOfLoops(A.From) && Names.isOfLoops(A.Size)
                          : reachesItsLimits(A)))
          return true;
    return false;
  }

  /// Whether \p A is outside of \p Ranges in iteration \p At, at step \p Step
  /// of all inner loops; nullopt means any iteration, any step.
  bool isMissed(const Access &A, ArrayRef<Range> Ranges, ArrayRef<Poly> Given,
                const std::optional<Poly> &At, std::optional<int64_t> Step,
                bool Reached) {
    auto there = [&](Poly P) {
      if (Step)
        P = atStep(P, *Step);
      return At ? put(P, Id, *At) : P;
    };
    std::vector<Poly> Known;
    for (const Poly &Fact : Given) {
      Poly P = there(Fact);
      if (std::optional<int64_t> C = P.constant()) {
        if (*C < 0)
          return false; // no access there
      } else if ((Step && entersLate(Fact)) || (At && selects(Fact, A))) {
        return false; // perhaps
      }
      if (P.valid())
        Known.push_back(P);
    }
    for (const Poly &Fact : A.Meant)
      if (Poly P = there(Fact); P.valid())
        Known.push_back(P);
    Facts F(Names, Known);
    F.Rough = false;
    if (F.nonNegative(Poly(-1)))
      return false; // the loop has no iterations
    std::optional<Poly> Begin = F.limit(there(A.From), false),
                        End = F.limit(there(A.From + A.Size), true);
    if (!Begin || !End)
      return false;
    SmallVector<SectionHull, 4> Moved;
    for (const Range &R : Ranges)
      Moved.push_back({there(R.H.Begin), there(R.H.End), R.H.Start});
    return isOutside(F, *Begin, *End, Moved, Reached);
  }

  /// Whether \p Fact is a condition on the iterations that make access \p A.
  /// Another number may decide which ones, as in i < m.
  bool selects(const Poly &Fact, const Access &A) const {
    return Fact.mentions(Id) && !Names.hasCounter(Fact) &&
           !Names.isDefinition(Fact) &&
           llvm::is_contained(
               ArrayRef<Poly>(A.Given).drop_front(I.Body.RangeFacts), Fact);
  }

  /// Whether \p Fact excludes the first steps of an inner loop.
  bool entersLate(const Poly &Fact) const {
    return !Names.isDefinition(Fact) &&
           llvm::any_of(Fact.terms(), [&](const Poly::Term &Term) {
             return Term.second > 0 &&
                    llvm::any_of(Term.first,
                                 [&](SymbolId S) { return Names[S].Counter; });
           });
  }

  //===--- What to write --------------------------------------------------===//

  /// "i > 0" for i - 1 >= 0.
  std::string condition(const Poly &Fact) const {
    Poly Factor, Rest;
    if (!Fact.split(Id, Factor, Rest))
      return "";
    const std::string Name = Names[Id].Text;
    if (Factor == Poly(1))
      return Name + " > " + Names.text(-Rest - Poly(1), false);
    if (Factor == Poly(-1))
      return Name + " < " + Names.text(Rest + Poly(1), false);
    return "";
  }

  /// One end of the elements that an iteration accesses: the end of the
  /// accesses in all iterations, moved by at most one access under a condition.
  std::string end(const Base &In, const Poly &Start, int64_t Size, bool Upper,
                  Poly &Always) {
    std::optional<Poly> Out;
    std::optional<std::pair<Poly, Poly>> Under; // a guard, the end under it
    for (bool Guarded : {false, true})
      for (const Access &A : I.Body.All) {
        if (!(A.In == In) || I.Body.guards(A).empty() == Guarded)
          continue;
        if (!reachesItsLimits(A) || I.Body.guards(A).size() > 1)
          return "";
        Facts F(Names, A.Given);
        F.Rough = false;
        std::optional<Poly> End =
            F.limit(Upper ? A.From + A.Size : A.From, Upper);
        if (!End || !(*End - Start).divisible(Size))
          return "";
        End = (*End - Start).divided(Size);
        const Poly Spare = !Out ? Poly(0) : Upper ? *End - *Out : *Out - *End;
        if (!Guarded && (!Out || F.nonNegative(Spare)))
          Out = End;
        else if (!Out)
          return "";
        else if (F.nonNegative(-Spare))
          continue;
        else if (!Guarded || Under || !F.nonNegative(Spare))
          return "";
        else
          Under = {I.Body.guards(A).front(), *End};
      }
    if (!Out)
      return "";
    Always = *Out;
    if (!Under)
      return Names.text(*Out, false);
    std::string If = condition(Under->first);
    Always = Poly::invalid();
    return If.empty() ? ""
                      : "(" + If + " ? " + Names.text(Under->second, false) +
                            " : " + Names.text(*Out, false) + ")";
  }

  std::string better(const Range &R, const Base &In) {
    const Section &S = *R.S;
    QualType T = S.BaseExpr->getType();
    if (I.Body.Stray || (!T->isPointerType() && !T->isArrayType()))
      return ""; // a stray pointer may access it, or it is a member: in(s->n)
    bool Guarded = false;
    for (const Access &A : I.Body.All)
      if (A.In == In) {
        if (!reachesItsLimits(A))
          return "";
        Guarded |= !I.Body.guards(A).empty();
      }
    const InferredSection *Known =
        S.ofParameter() ? I.of(S.Param->getFunctionScopeIndex()) : nullptr;
    if (!Guarded && Known)
      return Known->Known && Known->Assumption.empty() ? Known->Text : "";
    if (S.Dims.size() != 1 || S.Element->isVariablyModifiedType())
      return "";
    int64_t Size = U.Context.getTypeSizeInChars(S.Element).getQuantity();
    Poly First, Last;
    std::string Lo = end(In, R.H.Start, Size, false, First),
                Hi = end(In, R.H.Start, Size, true, Last);
    if (Lo.empty() || Hi.empty())
      return "";
    std::string Len = First.valid() && Last.valid()
                          ? Names.text(Last - First, false)
                          : Hi + " - " + (First.valid() ? "(" + Lo + ")" : Lo);
    return S.Base + "[" + Lo + ":" + Len + "]";
  }

  //===--- Elements that memory selects -----------------------------------===//

  static bool isLoad(const Expr *E) {
    E = E->IgnoreParenImpCasts();
    auto *Un = dyn_cast<UnaryOperator>(E);
    return isa<ArraySubscriptExpr, MemberExpr>(E) ||
           (Un && Un->getOpcode() == UO_Deref);
  }

  /// Whether \p E uses a variable of the body whose first value depends on the
  /// loop's: the counter of an inner loop.
  bool usesInner(const Stmt *E) const {
    auto *Ref = dyn_cast<DeclRefExpr>(E);
    auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    return (V && V->hasLocalStorage() &&
            ((V->getInit() && mentions(V->getInit(), L.Canonical.Var)) ||
             isBegunAt(L.For->getBody(), V))) ||
           llvm::any_of(E->children(), [&](const Stmt *Child) {
             return Child && usesInner(Child);
           });
  }
  /// Whether an inner loop, for (V = ...; ...), does so.
  bool isBegunAt(const Stmt *S, const VarDecl *V) const {
    auto *For = dyn_cast<ForStmt>(S);
    auto *B = For ? dyn_cast_or_null<BinaryOperator>(For->getInit()) : nullptr;
    return (B && B->getOpcode() == BO_Assign && variableOf(B->getLHS()) == V &&
            mentions(B->getRHS(), L.Canonical.Var)) ||
           llvm::any_of(S->children(), [&](const Stmt *Child) {
             return Child && isBegunAt(Child, V);
           });
  }

  /// Whether \p E depends on the loop's variable only through numbers in
  /// memory, as at[i] * w + 1 does. \p Load becomes such a load. \p Of:
  /// variables that were followed already.
  bool isLoaded(const Expr *E, const Expr *&Load,
                std::set<const VarDecl *> &Of) const {
    E = E->IgnoreParenCasts();
    if (isLoad(E)) {
      if (mentions(E, L.Canonical.Var) || (!Load && usesInner(E)))
        Load = E;
      return true;
    }
    if (auto *Ref = dyn_cast<DeclRefExpr>(E)) {
      auto *V = dyn_cast<VarDecl>(Ref->getDecl());
      if (!V)
        return true; // an enumerator
      if (V == L.Canonical.Var)
        return false;
      if (!V->hasLocalStorage() || isa<ParmVarDecl>(V) || !Of.insert(V).second)
        return true;
      return (!V->getInit() || isLoaded(V->getInit(), Load, Of)) &&
             isSetTo(L.For->getBody(), V, Load, Of);
    }
    if (auto *Call = dyn_cast<CallExpr>(E); Call && !Call->getBuiltinCallee())
      return false;
    if (!isa<BinaryOperator, UnaryOperator, ConditionalOperator, IntegerLiteral,
             CallExpr>(E))
      return false;
    auto ofCall = [&](const Stmt *Child) {
      return isa<CallExpr>(E) && Child == cast<CallExpr>(E)->getCallee();
    };
    return llvm::all_of(E->children(), [&](const Stmt *Child) {
      auto *Sub = dyn_cast_or_null<Expr>(Child);
      return ofCall(Child) || (Sub && isLoaded(Sub, Load, Of));
    });
  }

  /// Whether all values that \p S assigns to \p V are isLoaded().
  bool isSetTo(const Stmt *S, const VarDecl *V, const Expr *&Load,
               std::set<const VarDecl *> &Of) const {
    if (!S)
      return true;
    auto *B = dyn_cast<BinaryOperator>(S);
    auto *Un = dyn_cast<UnaryOperator>(S);
    if (B && B->isAssignmentOp() && variableOf(B->getLHS()) == V &&
        !isLoaded(B->getRHS(), Load, Of))
      return false;
    if (Un && Un->getOpcode() == UO_AddrOf && variableOf(Un->getSubExpr()) == V)
      return false;
    return llvm::all_of(S->children(), [&](const Stmt *Child) {
      return isSetTo(Child, V, Load, Of);
    });
  }

  /// The subscripts of \p A, the outermost first, if only numbers in memory
  /// decide which element it is, one of which \p Load becomes; else none.
  SmallVector<const Expr *, 2> selectors(const Access &A,
                                         const Expr *&Load) const {
    SmallVector<const Expr *, 2> Out;
    const Expr *E = A.At->IgnoreParens();
    while (auto *M = dyn_cast<MemberExpr>(E)) {
      if (M->isArrow())
        break;
      E = M->getBase()->IgnoreParens();
    }
    while (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
      Out.insert(Out.begin(), Sub->getIdx()->IgnoreParenImpCasts());
      std::set<const VarDecl *> Of;
      if (!isLoaded(Sub->getIdx(), Load, Of))
        return {};
      E = Sub->getBase()->IgnoreParenImpCasts();
      if (!E->getType()->isArrayType())
        break;
    }
    return A.Known || !Load ? SmallVector<const Expr *, 2>() : Out;
  }

  /// Whether a clause may contain \p S: it names nothing that the body
  /// declares.
  bool sayable(const Stmt *S) const {
    if (isa<CallExpr>(S))
      return false;
    if (auto *Ref = dyn_cast<DeclRefExpr>(S))
      if (auto *V = dyn_cast<VarDecl>(Ref->getDecl());
          V && V != L.Canonical.Var && !isa<ParmVarDecl>(V) &&
          (!V->hasGlobalStorage() || V->isStaticLocal()))
        return false;
    return llvm::all_of(S->children(), [&](const Stmt *Child) {
      return !Child || sayable(Child);
    });
  }

  std::string text(const Expr *E) const {
    return Lexer::getSourceText(
               CharSourceRange::getTokenRange(E->getSourceRange()),
               U.Context.getSourceManager(), U.Context.getLangOpts())
        .str();
  }

  bool indirect(const Access &A, ArrayRef<Range> Ranges) {
    const Expr *Load = nullptr;
    SmallVector<const Expr *, 2> Brackets = selectors(A, Load);
    // What inner loops select may lie among several elements of an iteration.
    bool Inner = Load && !mentions(Load, L.Canonical.Var);
    if (Brackets.empty() || !llvm::all_of(Ranges, [&](const Range &R) {
          return R.H.Begin.mentions(Id) && R.H.End.mentions(Id) &&
                 !(Inner && (R.H.End - R.H.Begin).constant() !=
                                U.Context.getTypeSizeInChars(R.S->Element)
                                    .getQuantity());
        }))
      return false;
    const Section &S = *Ranges.front().S;
    const Expr *Index = Brackets.front();
    auto *Ref = dyn_cast<DeclRefExpr>(Index);
    std::set<const VarDecl *> Changed;
    changedBy(L.For->getBody(), Changed);
    if (auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
        V && V->getInit() && !Changed.count(V))
      Index = V->getInit()->IgnoreParenImpCasts();
    // An element under a condition may not exist, so no clause names it.
    std::string Clause;
    if (S.Dims.size() == 1 && Brackets.size() == 1 && !A.InCallee &&
        !A.Conditional && sayable(Index) && !Index->getBeginLoc().isMacroID())
      Clause = S.Base + "[" + text(Index) + "]";
    for (const Access &Other : I.Body.All) // one clause cannot name both
      if (Other.In == A.In && !Other.Known && text(Other.At) != text(A.At))
        Clause.clear();
    for (const Access &Other : I.Body.All)
      if (Other.In == A.In && Other.Known && !Clause.empty()) {
        Clause = S.Text + ", " + Clause;
        break;
      }
    auto Report = U.Report.report(S.Loc, diag::for_section_indirect);
    std::string All = S.Base + "[0:n]";
    if (auto *Known = U.Context.getAsConstantArrayType(A.In.Var->getType());
        Known && S.Base == A.In.Var->getName())
      All = S.Base + "[0:" + std::to_string(Known->getSize().getZExtValue()) +
            "]";
    Report << S.Text << text(A.At) << Clause << All << !Clause.empty();
    if (!Clause.empty())
      Report << replaceSection(U, T, S, Clause);
    return true;
  }

  void judge(const Base &In, ArrayRef<Range> Ranges) {
    const Section &S = *llvm::find_if(Ranges, [](const Range &R) {
                          return !R.S->Implicit;
                        })->S;
    for (size_t N = 0; N < I.Body.All.size(); ++N) {
      const Access &A = I.Body.All[N];
      if (!(A.In == In))
        continue;
      if (isMissed(N, Ranges)) {
        std::string Text = Ranges.size() == 1 ? better(Ranges[0], In) : "";
        if (StringRef Short = Text; Short.consume_back(":1]"))
          Text = (Short + "]").str();
        auto Report = U.Report.report(S.Loc, diag::for_section_short);
        Report << S.Text << !Text.empty() << Text;
        if (!Text.empty())
          Report << replaceSection(U, T, S, Text);
      } else if (!indirect(A, Ranges)) {
        continue;
      }
      U.Report.report(A.At->getExprLoc(), diag::note_access_here);
      return;
    }
  }

public:
  LoopAdvisor(ParsedUnit &U, const Task &T, Inference &I, SymbolId Iteration)
      : U(U), T(T), I(I), L(*T.From->Inner), Names(I.Body.Names),
        Id(Iteration) {}

  void run() {
    std::set<Base> Done;
    for (const Section &S : T.Sections) {
      std::optional<Base> In = baseOf(U.Context, S, T.Definition);
      if (!In || S.Implicit || !Done.insert(*In).second)
        continue;
      std::vector<Range> Ranges;
      bool All = true;
      for (const Section &Other : T.Sections)
        if (baseOf(U.Context, Other, T.Definition) == In) {
          std::optional<Range> R = rangeOf(Other);
          All &= R.has_value();
          if (R)
            Ranges.push_back(*R);
        }
      if (All)
        judge(*In, Ranges);
    }
  }
};
} // namespace

void adviseLoop(ParsedUnit &U, const Task &T, Inference &I) {
  if (I.Body.Iteration && !mayGoRound(T.From->Inner->Canonical, U.Context))
    LoopAdvisor(U, T, I, *I.Body.Iteration).run();
}

} // namespace agglom
