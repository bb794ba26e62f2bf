// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the walker follows loops: one iteration is executed, with what variables
// have gained in any number of iterations before it.

#include "Walker.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace clang;

namespace agglom {

/// What a variable gains in one iteration of a loop.
struct Walker::Gain {
  enum KindTy { Lost, Linear, Bounded } Kind = Lost;
  Poly Step;        ///< Linear
  int64_t Most = 0; ///< Bounded: from 0 to this, a multiple of Unit
  int64_t Unit = 1;
};

/// Executes one iteration without the condition; S is then the state at the
/// next one.
void Walker::runBody(const LoopParts &L) {
  WalkState Before = S;
  exec(L.Body);
  std::vector<WalkState> Ways = std::move(Targets.back().Continues);
  Targets.back().Continues.clear();
  for (WalkState &W : Ways)
    W.Dead = false;
  Ways.push_back(S);
  join(Ways, Before);
  if (L.Inc && !S.Dead)
    eval(L.Inc);
}

/// What each variable gains in one iteration, whatever its value is at the
/// begin.
std::map<const VarDecl *, Walker::Gain>
Walker::gains(const LoopParts &L, const std::set<const VarDecl *> &Changed) {
  WalkState Entry = S;
  bool WasRecording = Recording;
  Recording = false;
  size_t Returns = Frames.back().Returns.size();
  size_t Results = Frames.back().Results.size();
  SymbolId Mark = Out.Names.size();
  std::map<const VarDecl *, Poly> Start;
  for (const VarDecl *V : Changed) {
    auto It = S.Vars.find(V);
    if (It == S.Vars.end())
      continue;
    Values &Of = It->second;
    bool Pointer = V->getType()->isPointerType();
    if (Pointer && (Of.size() != 1 || Of[0].Kind != Value::Pointer)) {
      Of = {Value::unknown(nullptr)};
      continue;
    }
    Poly P = Poly::symbol(Out.Names.bound());
    Start[V] = P;
    Of = {Pointer ? Value::pointer(Of[0].In, P) : Value::integer(P)};
  }
  Targets.push_back({false, {}, {}, {}});
  if (!L.BodyFirst && L.Cond)
    condition(L.Cond);
  runBody(L);
  if (L.BodyFirst && L.Cond && !S.Dead)
    condition(L.Cond);
  Targets.pop_back();
  Frames.back().Returns.resize(Returns);
  Frames.back().Results.resize(Results);

  std::map<const VarDecl *, Gain> Found;
  for (const VarDecl *V : Changed) {
    auto From = Start.find(V);
    auto To = S.Vars.find(V);
    Gain G;
    if (From != Start.end() && To != S.Vars.end() && !S.Dead) {
      bool Linear = true, Bounded = true;
      for (size_t I = 0; I < To->second.size(); ++I) {
        const Value &End = To->second[I];
        Poly Step = End.P - From->second;
        bool Known =
            End.Kind != Value::Unknown && Step.valid() &&
            (End.Kind != Value::Pointer || End.In == Entry.Vars[V][0].In);
        if (Known)
          for (const auto &[M, C] : Step.terms())
            for (SymbolId Id : M)
              Known &= !(Out.Names[Id].Bound && Id >= Mark);
        std::optional<int64_t> C = Known ? Step.constant() : std::nullopt;
        Linear &= Known && (!I || Step == G.Step);
        Bounded &= C && *C >= 0;
        G.Step = Step;
        if (C) {
          G.Most = std::max(G.Most, *C);
          G.Unit = I ? std::gcd(G.Unit, *C) : *C;
        }
      }
      if (Linear)
        G.Kind = Gain::Linear;
      else if (Bounded && G.Unit > 0)
        G.Kind = Gain::Bounded;
    }
    Found[V] = G;
  }
  S = std::move(Entry);
  Recording = WasRecording;
  return Found;
}

/// \p Ways gets the facts about iteration \p K for each way in which the
/// condition can be true. \p Shift: the condition was evaluated at the end of
/// the iteration before.
/// \returns false when the condition does not limit the iterations exactly.
bool Walker::advancing(const Condition &C, SymbolId K, bool Shift,
                       std::vector<Condition::Way> &Ways) {
  Ways = C.True;
  if (C.NotZero) {
    // i != n: the loop is taken to end, so i approaches n from the side it
    // begins at.
    Poly Factor, Rest;
    if (!C.NotZero->split(K, Factor, Rest))
      return false;
    std::optional<int64_t> D = Factor.constant();
    if (!D || !*D)
      return false;
    int64_t Unit = *D < 0 ? -*D : *D;
    if (!C.NotZero->divisible(Unit))
      return false;
    Ways = {{(*D < 0 ? *C.NotZero : -*C.NotZero) - Poly(Unit)}};
  }
  if (!Shift)
    return !C.Opaque;
  for (Condition::Way &Way : Ways)
    for (Poly &P : Way) {
      Poly Factor, Rest;
      P = P.split(K, Factor, Rest) ? P - Factor : Poly(0);
    }
  return !C.Opaque;
}

void Walker::leave(const LoopParts &L, const WalkState &Entry, SymbolId K,
                   const std::map<const VarDecl *, Gain> &Gains,
                   const std::vector<Condition::Way> &Ways, bool Certain,
                   WalkedLoop &Walked, const WalkState *End) {
  bool Left = !Targets.back().Breaks.empty();
  S = Entry;
  // Exact is the number of iterations when the condition allows more than
  // Least: it is known for one bound that divides evenly. Otherwise T stands
  // for the number, between Least and what the facts in Limits say.
  const Poly Least(L.BodyFirst ? 1 : 0);
  std::optional<Poly> Exact;
  std::vector<Poly> Limits;
  Condition::Way More, Fewer;
  if (Ways.size() == 1)
    for (const Poly &Fact : Ways[0]) {
      Poly Factor, Rest;
      if (!Fact.split(K, Factor, Rest) || !Factor.constant() ||
          *Factor.constant() >= 0)
        continue;
      int64_t Each = -*Factor.constant();
      More = {Rest - Least * Each};
      Fewer = {Least * Each - Rest - Poly(1)};
      if (!possible(Fewer))
        Limits.push_back(Fact);
      if (Rest.divisible(Each) && Ways[0].size() == 1 && Certain && !Left)
        Exact = (Each == 1 ? Rest : Rest.divided(Each)) + Poly(1);
    }
  if (Exact && !possible(More))
    Exact = Least;
  bool Either = Exact && possible(More) && possible(Fewer);
  Poly T = Exact ? *Exact : Poly::symbol(Out.Names.bound(true));
  if (!Exact)
    for (const Poly &Fact : Limits) {
      Poly Factor, Rest;
      Fact.split(K, Factor, Rest);
      S.Facts.push_back(Rest + Factor * T - Factor);
      if (Ways[0].size() == 1 && Certain && !Left)
        S.Facts.push_back(-Rest - Factor * T - Poly(1));
    }
  Walked.Iterations = Exact;
  for (const auto &[V, G] : Gains) {
    auto It = S.Vars.find(V);
    if (It == S.Vars.end())
      continue;
    bool Known = G.Kind != Gain::Lost;
    if (Left && Known)
      for (const WalkState &B : Targets.back().Breaks) {
        // Not yet changed in the iteration that break leaves?
        auto At = B.Vars.find(V);
        Known &= G.Kind == Gain::Linear && It->second.size() == 1 &&
                 At != B.Vars.end() && At->second.size() == 1 &&
                 At->second[0].P == It->second[0].P + G.Step * Poly::symbol(K);
      }
    if (!Known) {
      It->second = {Value::unknown(L.Cond)};
      continue;
    }
    Values Otherwise; // the values without more than Least iterations
    for (Value &Each : It->second) {
      if (Each.Kind == Value::Unknown)
        continue;
      if (G.Kind == Gain::Linear) {
        if (Either) {
          Each.Perhaps = true;
          Otherwise.push_back(Each);
          Otherwise.back().P = Each.P + G.Step * Least;
          llvm::append_range(Otherwise.back().When, Fewer);
          llvm::append_range(Each.When, More);
        }
        Each.P = Each.P + G.Step * T;
      } else {
        Poly Count = Poly::symbol(Out.Names.bound(true));
        if (!Either)
          S.Facts.push_back(T * Poly(G.Most / G.Unit) - Count);
        Each.P = Each.P + Count * Poly(G.Unit);
      }
    }
    if (!Otherwise.empty()) {
      llvm::append_range(It->second, Otherwise);
      It->second = limited(std::move(It->second), L.Cond);
    }
  }
  // Adjacent cells that the iterations write make up one cell.
  if (End && Exact && !Left)
    for (size_t I = Entry.Written.size(); I < End->Written.size(); ++I) {
      const Cell &C = End->Written[I];
      Poly Factor, Rest;
      if (C.From.split(K, Factor, Rest) && Factor == C.Size &&
          !C.Size.mentions(K))
        S.Written.push_back({C.In, Rest, C.Size * *Exact});
    }
  if (!L.BodyFirst && L.Cond && !Left) {
    bool WasRecording = Recording;
    Recording = false;
    condition(L.Cond); // the last evaluation, for its side effects
    Recording = WasRecording;
  }
}

/// Whether each loop in \p S runs all iterations that its condition allows, and
/// each iteration to its end.
static bool runsToItsEnd(const Stmt *S) {
  if (!S)
    return true;
  if (isa<SwitchStmt, BreakStmt, ContinueStmt, GotoStmt, IndirectGotoStmt,
          ReturnStmt, AsmStmt, StmtExpr>(S))
    return false;
  auto compares = [](const Expr *Cond) {
    auto *B = dyn_cast_or_null<BinaryOperator>(Cond);
    return B && B->isRelationalOp();
  };
  if (auto *For = dyn_cast<ForStmt>(S); For && !compares(For->getCond()))
    return false;
  if (auto *While = dyn_cast<WhileStmt>(S);
      While && !compares(While->getCond()))
    return false;
  if (auto *Do = dyn_cast<DoStmt>(S); Do && !compares(Do->getCond()))
    return false;
  return llvm::all_of(S->children(), runsToItsEnd);
}

void Walker::loop(const LoopParts &L) {
  bool Stops = !runsToItsEnd(L.Whole);
  MayStop += Stops;
  loopInOrder(L);
  MayStop -= Stops;
}

void Walker::loopInOrder(const LoopParts &L) {
  std::vector<FinishedCall> Outer;
  std::swap(Outer, Finished);
  std::set<const VarDecl *> Changed;
  changedBy(L.Cond, Changed);
  changedBy(L.Body, Changed);
  changedBy(L.Inc, Changed);
  std::map<const VarDecl *, Gain> Gains = gains(L, Changed);
  if (stopped())
    return;

  WalkState Entry = S;
  SymbolId K = Out.Names.counter();
  for (const auto &[V, G] : Gains) {
    auto It = S.Vars.find(V);
    if (It == S.Vars.end())
      continue;
    if (G.Kind == Gain::Lost) {
      It->second = {Value::unknown(L.Cond)};
      continue;
    }
    for (Value &Each : It->second) {
      if (Each.Kind == Value::Unknown)
        continue;
      if (G.Kind == Gain::Linear) {
        Each.P = Each.P + G.Step * Poly::symbol(K);
      } else {
        Poly Count = Poly::symbol(Out.Names.bound(true));
        S.Facts.push_back(Poly::symbol(K) * Poly(G.Most / G.Unit) - Count);
        Each.P = Each.P + Count * Poly(G.Unit);
      }
    }
  }
  WalkedLoop Walked;
  Walked.For = dyn_cast<ForStmt>(L.Whole);
  Walked.Counter = K;
  Walked.Begin = Out.All.size();
  Walked.InCallee = Frames.size() > 1;
  size_t Returns = Frames.back().Returns.size();
  Targets.push_back({false, {}, {}, {}});
  std::vector<Condition::Way> Ways = {{}};
  bool Certain = false; // whether only the condition ends the loop
  if (L.BodyFirst) {
    bool WasRecording = Recording;
    Recording = false;
    WalkState Start = S;
    runBody(L);
    Condition C;
    if (!S.Dead)
      C = condition(L.Cond);
    Certain = advancing(C, K, /*Shift=*/true, Ways);
    S = std::move(Start);
    Recording = WasRecording;
    Targets.back().Breaks.clear();
    Frames.back().Returns.resize(Returns);
  } else if (L.Cond) {
    Condition C = condition(L.Cond);
    Certain = advancing(C, K, /*Shift=*/false, Ways);
  }
  WalkState Start = S;
  bool First = true, Complete = false;
  WalkState End;
  for (const Condition::Way &Way : Ways) {
    S = Start;
    if (!possible(Way))
      continue;
    S.Facts.insert(S.Facts.end(), Way.begin(), Way.end());
    runBody(L);
    if (L.BodyFirst && L.Cond && !S.Dead)
      condition(L.Cond);
    Complete = First && !S.Dead && Ways.size() == 1;
    End = S;
    First = false;
    if (stopped())
      break;
  }
  Walked.End = Out.All.size();
  bool Returned = Frames.back().Returns.size() > Returns;
  leave(L, Entry, K, Gains, Ways, Certain, Walked,
        Complete && !Returned ? &End : nullptr);
  S.Guards = Entry.Guards + Returned;
  Targets.pop_back();
  if (Recording && Walked.For)
    Out.Loops.push_back(std::move(Walked));
  std::swap(Outer, Finished);
}

} // namespace agglom
