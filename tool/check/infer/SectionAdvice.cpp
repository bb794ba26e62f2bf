// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warnings about sections that name much more memory than the body accesses, or
// less, and about tasks that do the same small work however long their sections
// are.

#include "SectionAdvice.h"
#include "FixIts.h"
#include "Syntax.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

/// A smaller difference is not reported: it may be neighbours of a tile, or
/// padding.
static const int64_t LeastBytes = 64;

/// Whether \p Named elements are much more than \p Touched, whatever the
/// parameters are.
static bool muchMore(Symbols &Names, const Poly &Named, const Poly &Touched,
                     int64_t Size) {
  std::optional<int64_t> N = Named.constant(), T = Touched.constant();
  if (N && T)
    return *N >= 2 * *T && (*N - *T) * Size >= LeastBytes;
  return !N && Facts(Names, {}).nonNegative(Named - Touched - Touched);
}

namespace {
/// Whether a function may repeat work: it contains a loop or calls one.
class Repeats {
  std::map<const FunctionDecl *, bool> Seen;

public:
  bool in(const FunctionDecl *F) {
    const FunctionDecl *Body = nullptr;
    if (!F->hasBody(Body)) {
      // memset and the like repeat work, fmax and the like do not.
      return llvm::any_of(F->parameters(), [](const ParmVarDecl *P) {
        return P->getType()->isPointerType();
      });
    }
    if (auto [It, New] = Seen.try_emplace(Body, true); !New)
      return It->second; // true during the walk: a recursive call repeats
    bool Does = in(Body->getBody());
    return Seen[Body] = Does;
  }

private:
  bool in(const Stmt *S) {
    if (!S)
      return false;
    if (isa<ForStmt, WhileStmt, DoStmt, GotoStmt, IndirectGotoStmt>(S))
      return true;
    if (auto *C = dyn_cast<CallExpr>(S))
      if (const FunctionDecl *F = C->getDirectCallee(); !F || in(F))
        return true;
    for (const Stmt *Child : S->children())
      if (in(Child))
        return true;
    return false;
  }
};
} // namespace

/// Whether \p A takes place for all arguments: all facts about it are about
/// loops around it. \p Choice: it or an alternative does.
static bool happens(const Symbols &Names, const Access &A, bool Choice) {
  ArrayRef<Poly> Given = A.Given;
  return A.Known && !A.Doubt && !A.MayStop &&
         !(Choice ? A.Guarded : A.Conditional) &&
         llvm::all_of(Choice ? Given.take_front(A.WhenFrom) : Given,
                      [&](const Poly &Fact) {
                        return Fact.constant() || Names.isDefinition(Fact) ||
                               Names.hasCounter(Fact);
                      });
}

bool reachesItsLimits(const Symbols &Names, const Access &A,
                      ArrayRef<Poly> Given) {
  if (!Names.isOfLoops(A.From) || !Names.isOfLoops(A.Size))
    return false;
  std::map<SymbolId, unsigned> Ends; // number of upper ends of each counter
  for (const Poly &Fact : Given) {
    if (Names.isDefinition(Fact))
      continue;
    if (!Names.isOfLoops(Fact))
      return false;
    for (const auto &[M, C] : Fact.terms())
      for (SymbolId S : M) {
        if (!Names[S].Counter)
          continue;
        if (M.size() != 1 || (C != 1 && C != -1))
          return false;
        Ends[S] += C < 0;
      }
  }
  return llvm::all_of(Ends, [](const auto &End) { return End.second <= 1; });
}

bool isOutside(const Facts &F, const Poly &Begin, const Poly &End,
               ArrayRef<SectionHull> Named, bool Reached) {
  auto apart = [&](const Poly &First, const Poly &Behind) {
    return llvm::all_of(Named, [&](const SectionHull &H) {
      return F.nonNegative(H.Begin - Behind) || F.nonNegative(First - H.End);
    });
  };
  if (!Reached)
    return apart(Begin, End);
  return apart(Begin, Begin + Poly(1)) || apart(End - Poly(1), End);
}

bool warnShortSections(ParsedUnit &U, const Task &T, Inference &I,
                       const Base &In, const InferredSection *Touched) {
  Symbols &Names = I.Body.Names;
  const Section *First = nullptr; // not implicit
  SmallVector<SectionHull, 4> Named;
  for (const Section &S : T.Sections) {
    if (!(baseOf(U.Context, S, T.Definition) == In))
      continue;
    std::optional<SectionHull> H = hullOf(U.Context, Names, S, T.Definition);
    if (!H)
      return false;
    Named.push_back(*H);
    if (!S.Implicit && !First)
      First = &S;
  }
  if (!First)
    return false;
  auto isMissed = [&](const Access &A, bool Choice) {
    if (!(A.In == In) || !happens(Names, A, Choice))
      return false;
    std::vector<Poly> Known = A.Given;
    llvm::append_range(Known, A.Meant);
    Facts F(Names, Known);
    F.Rough = false;
    std::optional<Poly> Begin = F.limit(A.From, false),
                        End = F.limit(A.From + A.Size, true);
    return Begin && End &&
           isOutside(F, *Begin, *End, Named,
                     !Choice && reachesItsLimits(Names, A, A.Given));
  };
  for (size_t N = 0; N < I.Body.All.size(); ++N) {
    const Access &A = I.Body.All[N];
    if (!isMissed(A, false) &&
        !(A.Choices > 1 &&
          llvm::all_of(I.Body.choices(N), [&](const Access &Each) {
            return isMissed(Each, true);
          })))
      continue;
    bool Knows = Touched && Touched->Known && Touched->Assumption.empty() &&
                 Named.size() == 1;
    {
      auto Report = U.Report.report(First->Loc, diag::section_short);
      Report << First->Text << Knows << (Knows ? Touched->Text : "");
      if (Knows)
        Report << replaceSection(U, T, *First, Touched->Text);
    }
    U.Report.report(A.At->getExprLoc(), diag::note_access_here);
    return true;
  }
  return false;
}

bool warnWideSection(ParsedUnit &U, const Task &T, Inference &I,
                     const Section &S, const InferredSection &Touched) {
  if (!S.plain() || !S.Dims[0].LenExpr || !Touched.Known ||
      !Touched.Assumption.empty())
    return false;
  Symbols &Names = I.Body.Names;
  std::optional<Poly> Named = boundOf(U.Context, Names, S.Dims[0].LenExpr);
  if (!Named || Names.hasBound(Touched.Len))
    return false;
  FixItHint Cure = replaceSection(U, T, S, Touched.Text);
  bool Few = Touched.Len.constant() && !Named->constant();
  if (Few && !Repeats().in(T.Definition)) {
    U.Report.report(S.Loc, diag::task_small)
        << spokenName(T) << S.Text << true << Touched.Text << Cure;
    return true;
  }
  // A length parameter is hardly meant to be at most 8, but it may be always
  // 50.
  bool VeryFew = Few && *Touched.Len.constant() <= 8;
  if (!VeryFew &&
      !muchMore(Names, *Named, Touched.Len,
                U.Context.getTypeSizeInChars(S.Element).getQuantity()))
    return false;
  U.Report.report(S.Loc, diag::section_wide) << S.Text << Touched.Text << Cure;
  return true;
}

void warnSmallTask(ParsedUnit &U, const Task &T) {
  for (const Section &S : T.Sections) {
    if (!S.Param || !S.writes() || S.gathers())
      continue;
    bool Grows = false;
    for (const SectionDim &D : S.Dims)
      Grows |= D.LenExpr && !constantOf(D.LenExpr, U.Context);
    if (!Grows)
      continue;
    if (Repeats().in(T.Definition))
      return;
    U.Report.report(S.Loc, diag::task_small)
        << spokenName(T) << S.Text << false;
    return;
  }
}

} // namespace agglom
