// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostWalker.h"
#include "clang/AST/ASTContext.h"
#include "llvm/Support/SaveAndRestore.h"
#include <utility>

using namespace clang;

namespace agglom {

void HostWalk::run(const FunctionDecl *F) {
  changes(F->getBody());
  visit(F->getBody());
  auto *Body = dyn_cast<CompoundStmt>(F->getBody());
  bool Returns =
      Body && !Body->body_empty() && isa<ReturnStmt>(Body->body_back());
  if (Summary && !Cautious && Jumps == Returns)
    leaveBehind();
}

void HostWalk::block(const CompoundStmt *C) {
  Blocks.push_back(nullptr);
  Open.push_back(C);
  for (const Stmt *Child : C->body()) {
    Blocks.back() = Child;
    if (Ended) {
      if (!isa<LabelStmt, SwitchCase>(Child))
        continue;
      Ended = false;
      HostWrites.clear();
      if (!Cautious)
        Live.clear(); // the jumps to this label are not followed
    }
    visit(Child);
  }
  for (const Stmt *Child : C->body())
    if (auto *D = dyn_cast<DeclStmt>(Child))
      for (const Decl *Each : D->decls())
        if (auto *A = Each->getAttr<CleanupAttr>();
            A && Functions.mayWait(A->getFunctionDecl()))
          waited();
  if (!Ended) // of the function's own, the parameters as well
    end(
        [&](const VarDecl *V) {
          return Blocks.size() == 1 || declaredIn(C, V);
        },
        C->getRBracLoc(), /*Jump=*/false);
  Blocks.pop_back();
  Open.pop_back();
  for (Pending &P : Live)
    if (P.Blocks > Blocks.size()) {
      P.Blocks = Blocks.size();
      P.In = Blocks.empty() ? nullptr : Blocks.back();
    }
}

bool HostWalk::declaredIn(const CompoundStmt *C, const VarDecl *V) {
  return llvm::any_of(C->body(), [&](const Stmt *Child) {
    auto *D = dyn_cast<DeclStmt>(Child);
    return D && llvm::is_contained(D->decls(), V);
  });
}

void HostWalk::leaveBlocks(size_t Stay, const Stmt *Jump) {
  end(
      [&](const VarDecl *V) {
        return llvm::any_of(
            llvm::ArrayRef(Open).drop_front(Stay),
            [&](const CompoundStmt *C) { return declaredIn(C, V); });
      },
      Jump->getBeginLoc(), /*Jump=*/true);
}

const HostLoop *HostWalk::hostLoopAt(const AttributedStmt *A) const {
  for (const auto &H : U.M.HostLoops)
    if (H->Attributed == A && !H->Unit->Broken)
      return H.get();
  return nullptr;
}

bool HostWalk::data(const AttributedStmt *A) {
  auto It = llvm::find_if(U.M.SectionDirectives, [&](const auto &D) {
    return D.Attributed == A && D.Info->Id == DirectiveId::Data;
  });
  if (It == U.M.SectionDirectives.end() || It->Broken)
    return false;
  std::set<const VarDecl *> Here = Resident;
  for (const Section &S : It->Sections) {
    const VarDecl *V = S.BaseExpr ? variableOf(S.BaseExpr) : nullptr;
    if (!V)
      return false;
    Here.insert(V);
  }
  std::vector<Pending> Outside = ResidentMemory;
  for (const Section &S : It->Sections)
    resides(S);
  Resident.swap(Here);
  updated();
  visit(It->block());
  updated();
  Resident.swap(Here);
  ResidentMemory.swap(Outside);
  waited();
  return true;
}

bool HostWalk::updatesDevice(const AttributedStmt *A) const {
  return llvm::any_of(U.M.SectionDirectives, [&](const auto &D) {
    return D.Attributed == A &&
           (D.Broken || llvm::any_of(D.Sections, [](const Section &S) {
              return S.Clause == ClauseId::UpdateDevice;
            }));
  });
}

void HostWalk::jump() {
  ++Jumps;
  Ended = true;
  for (OpenLoop &L : Loops)
    L.Jumped = true;
}

bool HostWalk::isWaited(unsigned WaitsBefore) const {
  return Cautious ? WaitAt <= Blocks.size() : Waits != WaitsBefore;
}

void HostWalk::choice(ArrayRef<const Stmt *> Ways, bool All, bool IsSwitch) {
  std::vector<Pending> Before = Live, After;
  unsigned First = Ids, WaitsBefore = Waits, JumpsBefore = Jumps + Breaks;
  bool EveryEnded = All;
  ++Conditions;
  llvm::SaveAndRestore<bool> Inside(InSwitch, InSwitch || IsSwitch);
  llvm::SaveAndRestore<size_t> Around(SwitchOpen,
                                      IsSwitch ? Open.size() : SwitchOpen);
  unsigned BreaksBefore = Breaks;
  size_t WaitedAt = std::exchange(WaitAt, SIZE_MAX);
  std::vector<HostWrite> Written = HostWrites;
  unsigned UpdatesBefore = Updates;
  for (const Stmt *Way : Ways) {
    HostWrites = Written;
    Live = Before;
    Ended = false;
    visit(Way);
    if (!Ended || Cautious)
      for (Pending &P : Live)
        if (P.Id >= First) {
          P.Perhaps = true;
          P.Conditions = Conditions - 1;
          After.push_back(P);
        }
    EveryEnded &= Ended;
  }
  --Conditions;
  HostWrites.clear(); // writes in one way are not sure
  if (Updates == UpdatesBefore)
    HostWrites = std::move(Written);
  if (IsSwitch)
    Breaks = BreaksBefore;
  Ended = EveryEnded;
  if (isWaited(WaitsBefore))
    Before.clear();
  WaitAt = std::min(WaitAt, WaitedAt);
  // Units that are perhaps pending may be so only on a way that ended.
  bool Jumped = !Cautious && Jumps + Breaks != JumpsBefore;
  llvm::erase_if(Before, [&](const Pending &P) {
    return Killed.count(P.Id) || (Jumped && P.Perhaps);
  });
  Live = std::move(Before);
  Live.insert(Live.end(), After.begin(), After.end());
}

void HostWalk::secondTurn(const Stmt *Body, const Expr *Cond, unsigned First) {
  OpenLoop Loop = Loops.back(), InFirst = Loop, InSecond = Loop;
  if (Summary || SecondBody || Ended || Loop.Jumped)
    return;
  if (Loop.Bound && Loop.First) {
    auto Turns = Loop.Bound->plus(*Loop.First, -1).constant();
    if (Turns && *Turns <= 1)
      return;
  }
  InFirst.Bound.reset();
  if (InSecond.First && Loop.Step)
    InSecond.First->Constant += Loop.Step;
  else
    InSecond.First.reset();
  std::vector<Pending> Now = Live, OfFirst;
  std::vector<HostWrite> Wrote = HostWrites;
  for (HostWrite &W : Wrote)
    leaves(W, InFirst);
  Loops.pop_back();
  for (Pending P : Live)
    if (P.Id >= First && !P.Perhaps && outlives(P.Var) && leaves(P, InFirst)) {
      P.Perhaps = true;
      P.Conditions = Conditions;
      P.Blocks = Blocks.size() + 1; // a wait stands inside the loop
      P.In = nullptr;
      OfFirst.push_back(P);
    }
  Loops.push_back(InSecond);
  if (!OfFirst.empty() || !Wrote.empty()) {
    llvm::SaveAndRestore<const Stmt *> Second(SecondBody, Body);
    llvm::SaveAndRestore<unsigned> SameWaits(Waits), SameUpdates(Updates),
        SameJumps(Jumps);
    llvm::SaveAndRestore<size_t> SameWaitAt(WaitAt);
    llvm::SaveAndRestore<std::set<unsigned>> SameKilled(Killed);
    llvm::SaveAndRestore<std::vector<HostWrite>> SameWrites(HostWrites);
    Live = std::move(OfFirst);
    HostWrites = std::move(Wrote);
    visit(Cond);
    visit(Body);
    OfSecond.clear();
  }
  Ended = false;
  Live = std::move(Now);
  Loops.back() = Loop;
}

void HostWalk::again(const Stmt *Body, unsigned First) {
  const size_t Deepest = 4; // each nested loop doubles the work
  if (Loops.size() > Deepest || !isa<CompoundStmt>(Body))
    return;
  for (Pending &P : Live)
    if (P.Id >= First) {
      P.Blocks = Blocks.size() + 1; // a wait may stand inside the loop
      P.In = nullptr;
    }
  Ended = false;
  visit(Body);
}

void HostWalk::loop(OpenLoop L, const Stmt *Body, const Expr *Cond,
                    const Expr *Inc, bool BodyFirst) {
  std::vector<Pending> Before = Live;
  unsigned First = Ids, WaitsBefore = Waits;
  L.Conditions = Conditions;
  L.Open = Open.size();
  llvm::SaveAndRestore<bool> Outside(InSwitch, false);
  Loops.push_back(L);
  size_t WaitedAt = std::exchange(WaitAt, SIZE_MAX);
  unsigned UpdatesBefore = Updates;
  if (!BodyFirst)
    visit(Cond);
  visit(Body);
  if (!Ended) {
    visit(Inc);
    if (BodyFirst)
      visit(Cond);
  }
  if (Cautious)
    again(Body, First);
  else if (!Cond || constantOf(Cond, Context) != 0) // do { } while (0)
    secondTurn(Body, BodyFirst ? nullptr : Cond, First);
  bool EndedInside = Ended && !Cautious;
  Ended = false;
  L = Loops.back();
  Loops.pop_back();
  leaveDealt(L, Body, First);
  if (Updates != UpdatesBefore)
    HostWrites.clear();
  for (HostWrite &Written : HostWrites)
    leaves(Written, L);
  std::vector<Pending> After;
  if (!EndedInside)
    for (Pending &P : Live)
      if (P.Id >= First && leaves(P, L))
        After.push_back(P);
  llvm::erase_if(OfSecond,
                 [&](Pending &P) { return P.Id >= First && !leaves(P, L); });
  if (isWaited(WaitsBefore))
    Before.clear();
  WaitAt = std::min(WaitAt, WaitedAt);
  llvm::erase_if(Before, [&](const Pending &P) { return Killed.count(P.Id); });
  Live = std::move(Before);
  Live.insert(Live.end(), After.begin(), After.end());
  bool Endless = !Cond || constantOf(Cond, Context).value_or(0) != 0;
  if (Endless && !isLeft(Body) && !Cautious)
    Ended = true; // unreachable
}

void HostWalk::visit(const Stmt *S) {
  if (!S || Ended)
    return;
  auto Region = U.M.OpenMP.find(S);
  if (Region == U.M.OpenMP.end())
    return statement(S);
  std::shared_ptr<const Team> Around = Here;
  unsigned First = Ids;
  for (const OMPExecutableDirective *D : Region->second)
    enter(*D, S);
  statement(S);
  if (Here != Around)
    leaveRegion(First);
  Here = std::move(Around);
}

void HostWalk::statement(const Stmt *S) {
  if (auto *E = dyn_cast<Expr>(S))
    return value(E);
  switch (S->getStmtClass()) {
  case Stmt::CompoundStmtClass:
    return block(cast<CompoundStmt>(S));
  case Stmt::DeclStmtClass:
    for (const Decl *D : cast<DeclStmt>(S)->decls())
      if (auto *V = dyn_cast<VarDecl>(D))
        declare(V);
    return;
  case Stmt::IfStmtClass: {
    auto *If = cast<IfStmt>(S);
    visit(If->getCond());
    if (std::optional<int64_t> Always = constantOf(If->getCond(), Context))
      return visit(*Always ? If->getThen() : If->getElse());
    return choice({If->getThen(), If->getElse()}, If->getElse());
  }
  case Stmt::SwitchStmtClass: {
    auto *Switch = cast<SwitchStmt>(S);
    visit(Switch->getCond());
    return choice({Switch->getBody()}, false, /*IsSwitch=*/true);
  }
  case Stmt::ForStmtClass: {
    auto *For = cast<ForStmt>(S);
    visit(For->getInit());
    OpenLoop Head = headOf(For);
    if (MaybeLinear N = Head.Bound && Head.First
                            ? MaybeLinear(Head.Bound->plus(*Head.First, -1))
                            : std::nullopt;
        N && N->constant() && N->Constant <= 0)
      return;
    return loop(Head, For->getBody(), For->getCond(), For->getInc(), false);
  }
  case Stmt::WhileStmtClass: {
    auto *While = cast<WhileStmt>(S);
    if (constantOf(While->getCond(), Context) == 0)
      return;
    return loop({}, While->getBody(), While->getCond(), nullptr, false);
  }
  case Stmt::DoStmtClass: {
    auto *Do = cast<DoStmt>(S);
    return loop({}, Do->getBody(), Do->getCond(), nullptr, true);
  }
  case Stmt::ReturnStmtClass:
    visit(cast<ReturnStmt>(S)->getRetValue());
    end([](const VarDecl *) { return true; }, S->getBeginLoc(),
        /*Jump=*/true);
    return jump();
  case Stmt::BreakStmtClass:
    leaveBlocks(InSwitch        ? SwitchOpen
                : Loops.empty() ? 0
                                : Loops.back().Open,
                S);
    if (!InSwitch)
      return jump();
    ++Breaks;
    Ended = true;
    return;
  case Stmt::ContinueStmtClass:
    leaveBlocks(Loops.empty() ? 0 : Loops.back().Open, S);
    return jump();
  case Stmt::GotoStmtClass: {
    size_t Left = Open.size();
    while (Left &&
           !contains(Open[Left - 1], cast<GotoStmt>(S)->getLabel()->getStmt()))
      --Left;
    leaveBlocks(Left, S);
    return jump();
  }
  case Stmt::IndirectGotoStmtClass:
    return jump();
  case Stmt::AttributedStmtClass:
    if (const HostLoop *H = hostLoopAt(cast<AttributedStmt>(S))) {
      if (!H->NoWait) {
        repeated(*H);
        return waited();
      }
      takesOver(*H, H->For);
      return submitted(*H);
    }
    if (data(cast<AttributedStmt>(S)))
      return;
    if (updatesDevice(cast<AttributedStmt>(S)))
      updated();
    if (HostFunctions::isWait(U, *cast<AttributedStmt>(S)))
      return waited();
    return visit(cast<AttributedStmt>(S)->getSubStmt());
  case Stmt::LabelStmtClass:
  case Stmt::CaseStmtClass:
  case Stmt::DefaultStmtClass:
  case Stmt::NullStmtClass:
    for (const Stmt *Child : S->children())
      if (Child && !isa<ConstantExpr>(Child))
        visit(Child);
    return;
  default: // inline assembly, OpenMP: not known
    updated();
    if (!Cautious)
      return waited();
    for (const Stmt *Child : S->children())
      visit(Child);
    return;
  }
}

void HostWalk::takesOver(const HostLoop &H, const Stmt *S) {
  if (!S)
    return;
  if (auto *Ref = dyn_cast<DeclRefExpr>(S))
    if (Ref->getType()->isArithmeticType() &&
        llvm::is_contained(H.Captured, Ref->getDecl()))
      access(placeOf(Ref), HostUse::Read, Ref);
  for (const Stmt *Child : S->children())
    takesOver(H, Child);
}

void HostWalk::declare(const VarDecl *V) {
  if (!V->hasInit() || !V->hasLocalStorage())
    return;
  visit(V->getInit());
  points(V, V->getInit());
  Level[V] = Loops.size();
  if (V->getType()->isIntegerType() && !Changed.count(V) && !Counted.count(V))
    if (MaybeLinear L = linear(V->getInit()))
      Known[V] = *L;
}

void walkHost(ParsedUnit &U, HostFunctions &Functions, const FunctionDecl *F,
              HostSummary *Summary) {
  HostWalk(U, Functions, Summary).run(F);
}

} // namespace agglom
