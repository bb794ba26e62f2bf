// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostTeams.h"
#include "HostUnits.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/OpenMPClause.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/OpenMPKinds.h"

using namespace clang;

namespace agglom {

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static void addDeclared(const Stmt *S, std::set<const VarDecl *> &To) {
  if (!S)
    return;
  if (auto *D = dyn_cast<DeclStmt>(S))
    for (const Decl *Each : D->decls())
      if (auto *V = dyn_cast<VarDecl>(Each); V && V->hasLocalStorage())
        To.insert(V);
  for (const Stmt *Child : S->children())
    addDeclared(Child, To);
}

/// The variables of which the directive gives each thread another.
static void addCopies(const OMPExecutableDirective &D,
                      std::set<const VarDecl *> &To) {
  for (const OMPClause *C : D.clauses())
    if (isa<OMPPrivateClause, OMPFirstprivateClause, OMPLastprivateClause,
            OMPReductionClause, OMPInReductionClause, OMPLinearClause>(C))
      for (const Stmt *Named : C->children())
        if (auto *E = dyn_cast_or_null<Expr>(Named))
          if (const VarDecl *V = variableOf(E))
            To.insert(V);
}

/// Whether clauses say that the region has one thread.
static bool isAlone(const OMPExecutableDirective &D, const ASTContext &C) {
  for (const auto *If : D.getClausesOfKind<OMPIfClause>())
    if (constantOf(If->getCondition(), C) == 0)
      return true;
  for (const auto *N : D.getClausesOfKind<OMPNumThreadsClause>())
    if (constantOf(N->getNumThreads(), C) == 1)
      return true;
  return false;
}

/// The size of chunks that are dealt out in the same way each time; 0 for one a
/// thread, nullopt for others.
static std::optional<int64_t> staticChunk(const OMPExecutableDirective &D,
                                          const ASTContext &C) {
  if (isOpenMPTaskLoopDirective(D.getDirectiveKind()))
    return std::nullopt;
  for (const auto *Schedule : D.getClausesOfKind<OMPScheduleClause>()) {
    if (Schedule->getScheduleKind() != OMPC_SCHEDULE_static)
      return std::nullopt;
    if (const Expr *Size = Schedule->getChunkSize())
      return constantOf(Size, C);
  }
  return 0;
}

/// Whether other OpenMP tasks begin when this one has changed something.
static bool leadsOthers(const OMPExecutableDirective &D) {
  for (const auto *Depend : D.getClausesOfKind<OMPDependClause>())
    if (Depend->getDependencyKind() != OMPC_DEPEND_in)
      return true;
  return false;
}

void HostUnits::enter(const OMPExecutableDirective &D, const Stmt *S) {
  OpenMPDirectiveKind Kind = D.getDirectiveKind();
  auto New = std::make_shared<Team>(*Here);
  if (!D.hasAssociatedStmt() || Here->Who == Team::Unknown)
    return;
  New->Directive = &D;
  New->Id = Ids;
  New->Conditions = Conditions;
  auto become = [&](Team::Kind Who) {
    New->Who = Who;
    New->IsTask = New->HasOrder = false;
    New->Body = nullptr;
    New->Chunk.reset();
    addDeclared(S, New->Own);
    New->Copies.clear();
    addCopies(D, New->Copies);
    New->Own.insert(New->Copies.begin(), New->Copies.end());
  };
  bool Begins = isOpenMPParallelDirective(Kind);
  if (isOpenMPTargetExecutionDirective(Kind) || isOpenMPTeamsDirective(Kind) ||
      (Begins && Here->Inside)) {
    become(Team::Unknown);
    Here = std::move(New);
    return;
  }
  if (Begins) {
    if (isAlone(D, Context))
      return;
    New->Inside = true;
    become(Team::All);
  }
  if (isOpenMPTaskingDirective(Kind)) {
    bool Loop = isOpenMPTaskLoopDirective(Kind);
    become(Loop ? Team::Unknown : New->Inside ? Team::One : New->Who);
    New->IsTask = New->Who == Team::One;
    New->HasOrder = leadsOthers(D);
  } else if (!New->Inside) {
    return; // an orphan: who calls this function is not known
  } else if (isOpenMPLoopDirective(Kind)) {
    if (isOpenMPWorksharingDirective(Kind) ||
        Kind == llvm::omp::OMPD_parallel_loop || Kind == llvm::omp::OMPD_loop) {
      auto *Based = dyn_cast<OMPLoopBasedDirective>(&D);
      auto *A = dyn_cast<AttributedStmt>(S);
      auto *For = dyn_cast<ForStmt>(A ? A->getSubStmt() : S);
      bool Plain = Based && Based->getLoopsNumber() == 1 && For;
      become(Plain ? Team::Shared : Team::Unknown);
      New->Body = Plain ? For->getBody() : nullptr;
      New->Chunk = staticChunk(D, Context);
      if (Kind == llvm::omp::OMPD_parallel_loop || Kind == llvm::omp::OMPD_loop)
        New->Chunk.reset();
    }
  } else if (Kind == llvm::omp::OMPD_single ||
             Kind == llvm::omp::OMPD_section) {
    become(Team::One);
  } else if (Kind == llvm::omp::OMPD_master ||
             Kind == llvm::omp::OMPD_parallel_master ||
             ((Kind == llvm::omp::OMPD_masked ||
               Kind == llvm::omp::OMPD_parallel_masked) &&
              !D.hasClausesOfKind<OMPFilterClause>())) {
    become(Team::First);
  } else if (Kind == llvm::omp::OMPD_masked ||
             Kind == llvm::omp::OMPD_parallel_masked ||
             Kind == llvm::omp::OMPD_scope) {
    become(Team::Unknown);
  } else if (!Begins) {
    return; // critical, ordered, sections, simd, ...: the same threads
  }
  Here = std::move(New);
}

//===----------------------------------------------------------------------===//
// Memory of units of two threads
//===----------------------------------------------------------------------===//

static bool isOwn(const Pending &P, const VarDecl *V) {
  return P.By->Own.count(V) || V->getTLSKind() != VarDecl::TLS_None ||
         V->hasAttr<OMPThreadPrivateDeclAttr>();
}

/// The offset, where it means the same memory in each thread.
static MaybeLinear sharedOffset(const Pending &P) {
  bool Is =
      P.Offset && P.Offset->all([&](const VarDecl *V) { return !isOwn(P, V); });
  return Is ? P.Offset : std::nullopt;
}

static int64_t leastLength(const MaybeLinear &L) {
  return L ? std::max<int64_t>(L->constant().value_or(1), 1) : 1;
}

/// Whether for a number m of steps, fewer than \p Turns, the bytes from From +
/// m * Step to the length \p Of meet those from 0 to \p Other. \p BothWays: m
/// may be negative. \p WithSame: it may be 0.
static bool meetsAfter(int64_t From, int64_t Step, int64_t Of, int64_t Other,
                       int64_t Turns, bool BothWays, bool WithSame) {
  Step = std::abs(Step);
  if (!Step)
    return WithSame && From < Other && From + Of > 0;
  // Steps that lead into the open interval (-Of, Other).
  auto floorOf = [](int64_t A, int64_t B) {
    return A / B - (A % B && (A < 0) != (B < 0));
  };
  int64_t Lowest = floorOf(-Of - From, Step) + 1,
          Highest = -floorOf(From - Other, Step) - 1;
  Lowest = std::max<int64_t>(Lowest, BothWays ? 1 - Turns : !WithSame);
  Highest = std::min(Highest, Turns - 1);
  return Lowest <= Highest && (WithSame || Lowest || Highest);
}

/// Whether units would conflict if their offsets met.
static bool mayConflict(const Pending &A, const Pending &B) {
  return A.Var == B.Var && A.Behind == B.Behind && A.Path == B.Path &&
         (A.Written || B.Written) && !A.T->Independent && !B.T->Independent &&
         !isOwn(A, A.Var) && !isOwn(B, B.Var) && !A.Unsure && !B.Unsure &&
         !(A.Sec->Clause == ClauseId::Accumulate &&
           B.Sec->Clause == ClauseId::Accumulate);
}

/// Whether the places of \p A, one an iteration, meet \p B. \p WithFirst:
/// meeting it in the first iteration is enough.
static bool turnsMeet(const Turns &A, const Pending &B, bool WithFirst) {
  if (B.Whole)
    return true;
  MaybeLinear At = sharedOffset(B);
  if (!At)
    return false;
  Linear From = At->plus(A.Begin, -1); // from the first place to B
  int64_t Length = leastLength(B.Length);
  if (From.constant() &&
      (A.Step >= 0 ? meetsAfter(-From.Constant, A.Step, A.Length, Length,
                                A.number(), /*BothWays=*/false, WithFirst)
                   : meetsAfter(From.Constant, A.Step, Length, A.Length,
                                A.number(), /*BothWays=*/false, WithFirst)))
    return true;
  // x[0:n] meets the last of n iterations.
  if (!B.Length || !A.Bound || !A.First || A.Step <= 0)
    return false;
  Linear Last = A.Begin.plus(A.Bound->plus(*A.First, -1), A.Step);
  Last.Constant -= A.Step;
  Linear To = At->plus(*B.Length).plus(Last, -1);
  return To.constant() && To.Constant > 0 && From.constant() &&
         From.Constant <= 0 && A.number() > 1;
}

/// Whether a thread gets the same iterations of two loops.
static bool sameTurns(const Team &A, const Turns &Of, const Team &B,
                      const Turns &Others) {
  auto equal = [](const MaybeLinear &X, const MaybeLinear &Y) {
    return X && Y && *X == *Y;
  };
  return A.Chunk && A.Chunk == B.Chunk && equal(Of.First, Others.First) &&
         equal(Of.Bound, Others.Bound);
}

/// Whether units of two threads certainly use the same memory. \p Within: in
/// different iterations of one loop.
static bool conflict(const Pending &Old, const Pending &New, bool Within) {
  if (!mayConflict(Old, New))
    return false;
  if (Old.Whole && New.Whole)
    return true;
  if (Old.Dealt && New.Dealt) {
    const Turns &A = *Old.Dealt, &B = *New.Dealt;
    Linear From = B.Begin.plus(A.Begin, -1);
    if (!From.constant() || A.Step != B.Step)
      return false;
    return meetsAfter(From.Constant, A.Step, B.Length, A.Length,
                      std::max(A.number(), B.number()), /*BothWays=*/true,
                      Within ? !A.Step
                             : !sameTurns(*Old.By, A, *New.By, B) || !A.Step);
  }
  if (Within)
    return false;
  bool SameFirst = (Old.By->Who == Team::First && New.By->Chunk) ||
                   (New.By->Who == Team::First && Old.By->Chunk);
  if (Old.Dealt)
    return turnsMeet(*Old.Dealt, New, !SameFirst || !Old.Dealt->Step);
  if (New.Dealt)
    return turnsMeet(*New.Dealt, Old, !SameFirst || !New.Dealt->Step);
  if (Old.Whole || New.Whole)
    return true;
  MaybeLinear From = sharedOffset(Old), To = sharedOffset(New);
  if (!From || !To)
    return false;
  Linear Way = To->plus(*From, -1);
  return Way.constant() && Way.Constant < leastLength(Old.Length) &&
         Way.Constant + leastLength(New.Length) > 0;
}

static bool ofOtherThread(const Pending &A, const Pending &B) {
  const Team &X = *A.By, &Y = *B.By;
  if (X.Who == Team::Unknown || Y.Who == Team::Unknown)
    return false;
  if (X.Who == Team::First && Y.Who == Team::First)
    return false;
  return X.Who == Team::First || Y.Who == Team::First || X.Id != Y.Id ||
         X.Directive != Y.Directive;
}

void HostUnits::sayUnordered(const Pending &Unit, const Pending &Other,
                             bool Within) {
  if (!Unordered.insert(Unit.At).second)
    return;
  if (Within) {
    U.Report.report(Unit.At, diag::openmp_same_memory)
        << Unit.Var << spokenName(*Unit.T);
    return;
  }
  {
    auto Report = U.Report.report(Unit.At, diag::openmp_unordered);
    Report << Unit.Var << spokenName(*Unit.T) << spokenName(*Other.T);
  }
  note(Other);
}

void HostUnits::againstOthers(const Pending &Unit, bool Within) {
  if (Summary || Cautious)
    return;
  for (const Pending &P : Live)
    if (Within ? P.By == Unit.By && P.Dealt && conflict(P, Unit, true)
               : P.Id < Unit.Id && ofOtherThread(P, Unit) &&
                     !(P.Perhaps && Unit.Conditions > P.Conditions) &&
                     conflict(P, Unit, false))
      return sayUnordered(Unit, P,
                          Within || (Unit.By->IsTask && Unit.At == P.At));
}

//===----------------------------------------------------------------------===//
// Ends of loops and regions
//===----------------------------------------------------------------------===//

void HostUnits::leaveDealt(const OpenLoop &L, const Stmt *Body,
                           unsigned First) {
  bool IsShared = Here->Who == Team::Shared && Here->Body == Body;
  auto takes = [&](Pending &P) {
    if (P.Id < First || P.Dealt || !P.By->Inside)
      return false;
    // A loop around tasks: each may be another thread's.
    return P.By->IsTask || (IsShared && P.By == Here);
  };
  for (std::vector<Pending> *Units : {&Live, &OfSecond})
    for (Pending &P : *Units) {
      if (!takes(P))
        continue;
      P.Unsure |= P.Perhaps;
      MaybeLinear At = P.Offset ? P.Offset : P.Somewhere;
      if (!At || !L.Var || !L.First)
        continue;
      Turns T;
      Linear Factor = At->factorOf(L.Var);
      MaybeLinear Begin = At->with(L.Var, *L.First);
      if (!Begin || !Factor.constant() || (Factor.Constant && !L.Step) ||
          !Begin->all([&](const VarDecl *V) { return !isOwn(P, V); }))
        continue;
      T.Begin = *Begin;
      T.Step = Factor.Constant * L.Step;
      T.Length = leastLength(P.Length);
      T.First = L.First;
      T.Bound = L.Bound;
      P.Dealt = T;
    }
  if (Summary || Cautious)
    return;
  for (const Pending &P : Live)
    if (P.Id >= First && P.Dealt)
      againstOthers(P, /*Within=*/true);
}

void HostUnits::leaveRegion(unsigned First) {
  if (Summary || Cautious || !Here->Directive || Here->Id != First)
    return;
  auto isHere = [&](const Pending &P) {
    return P.Id >= First && P.By->Directive == Here->Directive;
  };
  for (std::vector<Pending> *Units : {&Live, &OfSecond})
    for (Pending &P : *Units)
      if (isHere(P) && Here->Who != Team::First)
        P.Unsure |= P.Perhaps || P.Conditions > Here->Conditions;
  for (const Pending &P : Live) {
    if (!isHere(P))
      continue;
    if (Here->HasOrder && Unordered.insert(P.At).second) {
      U.Report.report(P.At, diag::openmp_depend) << spokenName(*P.T);
      continue;
    }
    if (P.isOwn() && Here->Copies.count(P.Var) &&
        Unordered.insert(P.At).second) {
      U.Report.report(P.At, diag::openmp_copy)
          << P.Var << spokenName(*P.T) << P.Written;
      continue;
    }
    if (Here->Who == Team::All && P.Written && sharedOffset(P) &&
        mayConflict(P, P)) {
      sayUnordered(P, P, /*Within=*/true);
      continue;
    }
  }
  for (std::vector<Pending> *Units : {&Live, &OfSecond})
    for (const Pending &P : *Units)
      if (isHere(P) && Here->Who != Team::First)
        againstOthers(P, /*Within=*/false);
  llvm::erase_if(Live, [&](const Pending &P) {
    return isHere(P) && P.isOwn() && Here->Copies.count(P.Var);
  });
}

void HostUnits::repeated(const HostLoop &H) {
  if (Summary || Cautious || Here->Who != Team::All || !Here->Inside ||
      Conditions > Here->Conditions)
    return;
  auto report = [&](const VarDecl *V, bool Sums) {
    U.Report.report(H.Loc, diag::openmp_loop_repeated) << V << Sums;
    U.Report.report(Here->Directive->getBeginLoc(), diag::note_openmp_here);
  };
  for (const Reduction &R : H.Inner->Reductions) {
    auto *P = dyn_cast<ParmVarDecl>(R.Var);
    const VarDecl *V = P ? H.Captured[P->getFunctionScopeIndex()] : R.Var;
    if (!Here->Own.count(V))
      return report(V, /*Sums=*/true);
  }
  unsigned First = Ids;
  submitted(H);
  for (const Pending &P : Live)
    if (P.Id >= First && P.Written && sharedOffset(P) && mayConflict(P, P))
      return report(P.Var, /*Sums=*/false);
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

namespace {
class WaitsInTeams {
  ParsedUnit &U;
  const Task &T;

  void report(SourceLocation At, bool IsLoop) {
    U.Report.report(At, diag::openmp_wait_in_task) << IsLoop << spokenName(T);
  }

  void visitDirective(const AttributedStmt &A) {
    for (const auto &H : U.M.HostLoops)
      if (H->Attributed == &A && !H->NoWait)
        report(H->Loc, /*IsLoop=*/true);
    for (unsigned Index : carriedBy(A)) {
      if (Index >= U.Directives.size())
        continue;
      SourceLocation At = U.Directives[Index].Loc;
      for (const Wait &W : U.M.Waits)
        if (W.Loc == At && !W.Own)
          report(At, /*IsLoop=*/false);
    }
  }

public:
  WaitsInTeams(ParsedUnit &U, const Task &T) : U(U), T(T) {}

  /// \p Others: other threads than the task's may come here.
  void visit(const Stmt *S, bool Others) {
    if (!S)
      return;
    if (auto It = U.M.OpenMP.find(S); It != U.M.OpenMP.end())
      for (const OMPExecutableDirective *D : It->second) {
        OpenMPDirectiveKind Kind = D->getDirectiveKind();
        if (isOpenMPParallelDirective(Kind))
          Others = !isAlone(*D, U.Context);
        if (Kind == llvm::omp::OMPD_master ||
            Kind == llvm::omp::OMPD_parallel_master)
          Others = false;
      }
    if (auto *A = dyn_cast<AttributedStmt>(S); A && Others)
      visitDirective(*A);
    if (auto *C = dyn_cast<CallExpr>(S); C && Others)
      if (const FunctionDecl *F = C->getDirectCallee();
          F && F->getIdentifier() && F->getName() == "agglom_wait")
        report(C->getExprLoc(), /*IsLoop=*/false);
    for (const Stmt *Child : S->children())
      visit(Child, Others);
  }
};
} // namespace

void warnWaitsInTeams(ParsedUnit &U) {
  if (U.M.OpenMP.empty() || U.Cautious)
    return;
  for (const auto &T : U.M.Tasks)
    if (!T->Broken && !T->onDevice() && T->Definition && !T->From)
      WaitsInTeams(U, *T).visit(T->Definition->getBody(), false);
}

} // namespace agglom
