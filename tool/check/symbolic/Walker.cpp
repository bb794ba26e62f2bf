// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Walker.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace clang;

namespace agglom {

void Walker::obstacle(const char *Text, SourceLocation At) {
  if (!Out.Obstacle.empty())
    return;
  Out.Obstacle = Text;
  Out.ObstacleAt = At;
}

/// Work is counted in units. Evaluating an expression is one unit; copying a
/// variable or a fact, or looking at a fact twice, takes about as long.
static const size_t MostWork = 100000;

void Walker::spend(size_t Units) {
  Work += Units;
  if (Work > MostWork)
    obstacle("it is too long to be followed", {});
}

void Walker::enter(const FunctionDecl *Body, const FunctionDecl *Declared) {
  Names = Declared;
  takenBy(Body->getBody(), Untracked);
  for (unsigned I = 0; I < Body->getNumParams(); ++I) {
    const ParmVarDecl *P = Body->getParamDecl(I);
    if (Untracked.count(P))
      continue;
    if (P->getType()->isPointerType()) {
      S.Vars[P] = {Value::pointer({P, true}, 0)};
    } else if (P->getType()->isIntegerType()) {
      std::string Name = Names->getParamDecl(I)->getNameAsString();
      if (Name.empty())
        Name = "<" + std::to_string(I) + ">";
      S.Vars[P] = {Value::integer(Poly::symbol(Out.Names.named(
          Name, P->getType()->isUnsignedIntegerOrEnumerationType(),
          Context.getTypeSize(P->getType()) <= 32)))};
    }
  }
  // An array has no negative number of elements: 'int A[][w]'.
  for (const ParmVarDecl *P : Body->parameters()) {
    QualType T = P->getType();
    if (T->isPointerType())
      T = T->getPointeeType();
    while (const ArrayType *A = Context.getAsArrayType(T)) {
      auto *VLA = dyn_cast<VariableArrayType>(A);
      const VarDecl *N = VLA ? variableOf(VLA->getSizeExpr()) : nullptr;
      auto It = N ? S.Vars.find(N) : S.Vars.end();
      if (It != S.Vars.end() && It->second.size() == 1)
        for (const auto &[M, C] : It->second[0].P.terms())
          if (M.size() == 1 && C == 1)
            Out.Names.setNonNegative(M.front());
      T = A->getElementType();
    }
  }
  Frames.push_back({Body, 0, {}, {}});
}

void Walker::run(const FunctionDecl *Body, const FunctionDecl *Declared) {
  enter(Body, Declared);
  exec(Body->getBody());
}

void Walker::runIteration(const FunctionDecl *Body, const Loop &L) {
  enter(Body, Body);
  const CanonicalFor &C = L.Canonical;
  Recording = false;
  for (const Stmt *St : Body->getBody()->children())
    if (auto *Local = dyn_cast<DeclStmt>(St))
      exec(Local); // of private(...)
  Values First = eval(C.First), Bound = eval(C.Bound);
  Recording = true;
  std::set<const VarDecl *> Changed;
  changedBy(C.For->getBody(), Changed);
  for (const VarDecl *V : Changed)
    if (S.Vars.count(V))
      S.Vars[V] = {Value::unknown(nullptr)};
  Iteration =
      Out.Names.named(C.Var->getNameAsString(),
                      C.Var->getType()->isUnsignedIntegerOrEnumerationType(),
                      Context.getTypeSize(C.Var->getType()) <= 32);
  const Poly I = Poly::symbol(*Iteration);
  S.Vars[C.Var] = {Value::integer(I)};
  auto between = [&](const Values &From, const Values &To, int64_t Least) {
    if (From.size() == 1 && To.size() == 1 && From[0].Kind == Value::Integer &&
        To[0].Kind == Value::Integer)
      S.Facts.push_back(To[0].P - From[0].P - Poly(Least));
  };
  const Values Var = {Value::integer(I)};
  bool Strict = C.Compare != BO_LE && C.Compare != BO_GE;
  between(C.Down ? Var : First, C.Down ? First : Var, 0);
  between(C.Down ? Bound : Var, C.Down ? Var : Bound, Strict);
  Out.Iteration = Iteration;
  Out.RangeFacts = S.Facts.size();
  if (First.size() == 1 && First[0].Kind == Value::Integer)
    Out.First = First[0].P;
  exec(C.For->getBody());
}

//===----------------------------------------------------------------------===//
// Joining ways
//===----------------------------------------------------------------------===//

void Walker::join(std::vector<WalkState> &Ways, const WalkState &Before) {
  size_t All = Ways.size();
  llvm::erase_if(Ways, [](const WalkState &W) { return W.Dead; });
  if (Ways.empty()) {
    S = Before;
    S.Dead = true;
    return;
  }
  if (Ways.size() == 1) {
    S = std::move(Ways.front());
    if (!Iteration)
      S.Guards = Before.Guards + (All > 1);
    if (All == 1)
      S.Opaque = Before.Opaque;
    return;
  }
  WalkState Joined;
  const WalkState &First = Ways.front();
  size_t Common = First.Facts.size();
  for (const WalkState &W : Ways) {
    Common = std::min(Common, W.Facts.size());
    for (size_t I = 0; I < Common; ++I)
      if (W.Facts[I] != First.Facts[I])
        Common = I;
  }
  Joined.Facts.assign(First.Facts.begin(), First.Facts.begin() + Common);
  for (const auto &[V, Of] : First.Vars) {
    bool Everywhere = true, Same = true;
    Values Union;
    for (const WalkState &W : Ways) {
      auto It = W.Vars.find(V);
      if (It == W.Vars.end()) {
        Everywhere = false;
        break;
      }
      for (const Value &Each : It->second) {
        Same &= It->second.size() == 1 && Of.size() == 1 &&
                Each.Kind == Of[0].Kind && Each.In == Of[0].In &&
                (Each.Kind == Value::Unknown || Each.P == Of[0].P);
        Union.push_back(Each);
        Union.back().When.insert(Union.back().When.end(),
                                 W.Facts.begin() + Common, W.Facts.end());
        Union.back().Perhaps |= W.Guards != Before.Guards;
      }
    }
    if (Everywhere)
      Joined.Vars[V] = Same ? Of : limited(Union, nullptr);
  }
  for (const Cell &C : First.Written)
    if (llvm::all_of(Ways, [&](const WalkState &W) {
          return llvm::is_contained(W.Written, C);
        }))
      Joined.Written.push_back(C);
  Joined.Guards = Before.Guards + (Ways.size() < All);
  Joined.Opaque = Before.Opaque;
  S = std::move(Joined);
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void Walker::declare(const VarDecl *V) {
  if (!V->hasLocalStorage())
    return;
  bool Tracked =
      (V->getType()->isIntegerType() || V->getType()->isPointerType()) &&
      !Untracked.count(V) && !V->getType().isVolatileQualified();
  Values Init = {Value::unknown(V->getInit())};
  if (V->getInit())
    Init = eval(V->getInit());
  if (Tracked)
    S.Vars[V] = limited(std::move(Init), V->getInit());
  else if (V->getInit())
    S.Written.push_back({{V, false}, 0, sizeOf(V->getType())});
}

void Walker::branch(const IfStmt *If) {
  Condition C = condition(If->getCond());
  WalkState Before = S;
  std::vector<std::pair<bool, Condition::Way>> Possible;
  for (bool IsTrue : {true, false})
    for (const Condition::Way &Way : IsTrue ? C.True : C.False)
      if (possible(Way))
        Possible.emplace_back(IsTrue, Way);
  std::vector<WalkState> Ways;
  for (const auto &[IsTrue, Way] : Possible) {
    S = Before;
    assume(Way, C, If->getCond());
    if (Possible.size() == 1)
      S.Guards = Before.Guards; // no other way
    if (IsTrue)
      exec(If->getThen());
    else if (If->getElse())
      exec(If->getElse());
    Ways.push_back(S);
  }
  join(Ways, Before);
}

/// The ways that have left the statements around this place, other than by its
/// end.
unsigned Walker::waysOut() const {
  size_t Ways = Frames.back().Returns.size() + Skipped;
  for (const Target &T : Targets)
    Ways += T.Continues.size();
  return Ways;
}

static bool hasDefault(const SwitchStmt *Switch) {
  for (const SwitchCase *C = Switch->getSwitchCaseList(); C;
       C = C->getNextSwitchCase())
    if (isa<DefaultStmt>(C))
      return true;
  return false;
}

void Walker::choose(const SwitchStmt *Switch) {
  eval(Switch->getCond());
  std::set<const VarDecl *> Changed;
  changedBy(Switch->getBody(), Changed);
  for (const VarDecl *V : Changed)
    if (S.Vars.count(V))
      S.Vars[V] = {Value::unknown(Switch->getCond())};
  WalkState After = S;
  unsigned Before = waysOut();
  OpaqueGuard G{Switch->getCond(), {}};
  mentioned(Switch->getCond(), G.About);
  S.Opaque.push_back(G);
  ++S.Guards;
  Targets.push_back({true, {}, {}, S});
  S.Dead = true; // until the first case
  exec(Switch->getBody());
  bool Passed =
      !S.Dead || !Targets.back().Breaks.empty() || !hasDefault(Switch);
  Targets.pop_back();
  S = std::move(After);
  S.Dead = !Passed;
  if (waysOut() != Before) { // a case may have ended the function or iteration
    ++S.Guards;
    S.Opaque.push_back(std::move(G));
  }
}

void Walker::exec(const Stmt *St) {
  if (!St || stopped())
    return;
  if (auto *Case = dyn_cast<SwitchCase>(St)) {
    for (size_t I = Targets.size(); I-- > 0;)
      if (Targets[I].IsSwitch) {
        S = Targets[I].Entry;
        break;
      }
    return exec(Case->getSubStmt());
  }
  if (auto *Block = dyn_cast<CompoundStmt>(St)) {
    for (const Stmt *Each : Block->body())
      exec(Each);
    return;
  }
  if (isa<LabelStmt, GotoStmt, IndirectGotoStmt, AsmStmt>(St))
    return obstacle("it holds a goto, a label or assembly", St->getBeginLoc());
  if (S.Dead) {
    // Only a case label makes the state live again.
    if (!isa<Expr>(St))
      for (const Stmt *Child : St->children())
        if (S.Dead)
          exec(Child);
    return;
  }
  if (auto *E = dyn_cast<Expr>(St)) {
    eval(E);
    return;
  }
  if (auto *D = dyn_cast<DeclStmt>(St)) {
    for (const Decl *Each : D->decls())
      if (auto *V = dyn_cast<VarDecl>(Each))
        declare(V);
    return;
  }
  if (auto *A = dyn_cast<AttributedStmt>(St))
    return exec(A->getSubStmt());
  if (auto *If = dyn_cast<IfStmt>(St))
    return branch(If);
  if (auto *Switch = dyn_cast<SwitchStmt>(St))
    return choose(Switch);
  if (auto *For = dyn_cast<ForStmt>(St)) {
    exec(For->getInit());
    return loop({For, For->getBody(), For->getCond(), For->getInc(), false});
  }
  if (auto *While = dyn_cast<WhileStmt>(St))
    return loop({While, While->getBody(), While->getCond(), nullptr, false});
  if (auto *Do = dyn_cast<DoStmt>(St))
    return loop({Do, Do->getBody(), Do->getCond(), nullptr, true});
  if (auto *Return = dyn_cast<ReturnStmt>(St)) {
    if (Return->getRetValue()) {
      Values V = eval(Return->getRetValue());
      for (Value &Each : V) {
        Each.Perhaps = true;
        if (S.Facts.size() > Frames.back().Facts)
          Each.When.insert(Each.When.end(),
                           S.Facts.begin() + Frames.back().Facts,
                           S.Facts.end());
      }
      Frames.back().Results.push_back(std::move(V));
    }
    Frames.back().Returns.push_back(S);
    S.Dead = true;
    return;
  }
  if (isa<BreakStmt>(St)) {
    if (!Targets.empty())
      Targets.back().Breaks.push_back(S);
    S.Dead = true;
    return;
  }
  if (isa<ContinueStmt>(St)) {
    auto Loop = llvm::find_if(llvm::reverse(Targets),
                              [](const Target &T) { return !T.IsSwitch; });
    if (Loop != Targets.rend())
      Loop->Continues.push_back(S);
    else
      ++Skipped; // of runIteration()
    S.Dead = true;
    return;
  }
  if (!isa<NullStmt>(St))
    obstacle("it holds a statement that is not followed", St->getBeginLoc());
}

std::vector<Poly> BodyAccesses::guards(const Access &A) const {
  std::vector<Poly> Out;
  for (size_t N = RangeFacts; N < A.Given.size(); ++N)
    if (!Names.hasCounter(A.Given[N]) && !Names.isDefinition(A.Given[N]))
      Out.push_back(A.Given[N]);
  return Out;
}

/// Repeats \p Run until no value that it read by name is written in the body.
template <typename Fn>
static BodyAccesses executed(ASTContext &Context, Fn Run) {
  std::set<NamedValue> Written;
  for (;;) {
    BodyAccesses Out;
    Walker W(Context, Out, Written);
    Run(W);
    if (!W.findChanging(Written))
      return Out;
  }
}

BodyAccesses accessesOf(ASTContext &Context, const FunctionDecl *Body,
                        const FunctionDecl *Names) {
  return executed(Context, [&](Walker &W) { W.run(Body, Names); });
}

BodyAccesses accessesOfIteration(ASTContext &Context, const FunctionDecl *Body,
                                 const Loop &L) {
  return executed(Context, [&](Walker &W) { W.runIteration(Body, L); });
}

} // namespace agglom
