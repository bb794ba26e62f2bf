// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostUnits.h"
#include "clang/AST/ASTContext.h"
#include "llvm/Support/SaveAndRestore.h"
#include <utility>

using namespace clang;

namespace agglom {

namespace {
class HostWalk : HostUnits {
  HostFunctions &Functions;
  bool InSwitch = false;                  ///< 'break' ends a switch
  unsigned Breaks = 0;                    ///< of this switch
  std::vector<const CompoundStmt *> Open; ///< blocks around, outermost first
  size_t SwitchOpen = 0;                  ///< those around this switch

public:
  HostWalk(ParsedUnit &U, HostFunctions &Functions, HostSummary *Summary)
      : HostUnits(U, Summary), Functions(Functions) {}

  void run(const FunctionDecl *F) {
    changes(F->getBody());
    visit(F->getBody());
    auto *Body = dyn_cast<CompoundStmt>(F->getBody());
    bool Returns =
        Body && !Body->body_empty() && isa<ReturnStmt>(Body->body_back());
    if (Summary && !Cautious && Jumps == Returns)
      leaveBehind();
  }

private:
  //===--------------------------------------------------------------------===//
  // Statements
  //===--------------------------------------------------------------------===//

  void block(const CompoundStmt *C) {
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
          Live.clear(); // who comes here from elsewhere is not known
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

  static bool declaredIn(const CompoundStmt *C, const VarDecl *V) {
    return llvm::any_of(C->body(), [&](const Stmt *Child) {
      auto *D = dyn_cast<DeclStmt>(Child);
      return D && llvm::is_contained(D->decls(), V);
    });
  }

  /// A jump out of all open blocks but the first \p Stay ends their variables.
  void leaveBlocks(size_t Stay, const Stmt *Jump) {
    end(
        [&](const VarDecl *V) {
          return llvm::any_of(
              llvm::ArrayRef(Open).drop_front(Stay),
              [&](const CompoundStmt *C) { return declaredIn(C, V); });
        },
        Jump->getBeginLoc(), /*Jump=*/true);
  }

  /// A loop under `for` that nobody waits for.
  const HostLoop *unwaited(const AttributedStmt *A) const {
    for (const auto &H : U.M.HostLoops)
      if (H->Attributed == A && H->NoWait && !H->Unit->Broken)
        return H.get();
    return nullptr;
  }

  /// `data` waits at its end; in it other rules hold for what it names.
  /// \returns false when that is not known.
  bool data(const AttributedStmt *A) {
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

  bool updatesDevice(const AttributedStmt *A) const {
    return llvm::any_of(U.M.SectionDirectives, [&](const auto &D) {
      return D.Attributed == A &&
             (D.Broken || llvm::any_of(D.Sections, [](const Section &S) {
                return S.Clause == ClauseId::UpdateDevice;
              }));
    });
  }

  void jump() {
    ++Jumps;
    Ended = true;
    for (OpenLoop &L : Loops)
      L.Jumped = true;
  }

  /// Whether a wait inside the current statement is on each way through it:
  /// one is taken to be; one that is proposed is when it goes before it.
  bool isWaited(unsigned WaitsBefore) const {
    return Cautious ? WaitAt <= Blocks.size() : Waits != WaitsBefore;
  }

  /// One of \p Ways is taken, or perhaps none.
  void choice(ArrayRef<const Stmt *> Ways, bool All, bool IsSwitch = false) {
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
    HostWrites.clear(); // of those in a way it is not known
    if (Updates == UpdatesBefore)
      HostWrites = std::move(Written);
    if (IsSwitch)
      Breaks = BreaksBefore;
    Ended = EveryEnded;
    if (isWaited(WaitsBefore))
      Before.clear();
    WaitAt = std::min(WaitAt, WaitedAt);
    // A way that ends here may be the one on which they are there.
    bool Jumped = !Cautious && Jumps + Breaks != JumpsBefore;
    llvm::erase_if(Before, [&](const Pending &P) {
      return Killed.count(P.Id) || (Jumped && P.Perhaps);
    });
    Live = std::move(Before);
    Live.insert(Live.end(), After.begin(), After.end());
  }

  /// The second iteration of the innermost loop, which surely meets what the
  /// first one submitted,
  ///
  ///   for (t...) { q.k = t; f(&q); }
  ///
  /// unless the loop has but one. What stands under conditions in it is none
  /// of this: 'if (t == 0)' is for the first iteration.
  void secondTurn(const Stmt *Body, const Expr *Cond, unsigned First) {
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
    std::vector<Pending> Here = Live, OfFirst;
    std::vector<HostWrite> Wrote = HostWrites;
    for (HostWrite &W : Wrote)
      leaves(W, InFirst);
    Loops.pop_back();
    for (Pending P : Live)
      if (P.Id >= First && !P.Perhaps && outlives(P.Var) &&
          leaves(P, InFirst)) {
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
    }
    Ended = false;
    Live = std::move(Here);
    Loops.back() = Loop;
  }

  /// The next iteration of a loop, which may meet what this one submitted.
  void again(const Stmt *Body, unsigned First) {
    const size_t Deepest = 4; // each loop doubles what is to be walked
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

  void loop(OpenLoop L, const Stmt *Body, const Expr *Cond, const Expr *Inc,
            bool BodyFirst) {
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
    if (Updates != UpdatesBefore)
      HostWrites.clear();
    for (HostWrite &Written : HostWrites)
      leaves(Written, L);
    std::vector<Pending> After;
    if (!EndedInside)
      for (Pending &P : Live)
        if (P.Id >= First && leaves(P, L))
          After.push_back(P);
    if (isWaited(WaitsBefore))
      Before.clear();
    WaitAt = std::min(WaitAt, WaitedAt);
    llvm::erase_if(Before,
                   [&](const Pending &P) { return Killed.count(P.Id); });
    Live = std::move(Before);
    Live.insert(Live.end(), After.begin(), After.end());
    bool Endless = !Cond || constantOf(Cond, Context).value_or(0) != 0;
    if (Endless && !isLeft(Body) && !Cautious)
      Ended = true; // nobody comes here
  }

  void visit(const Stmt *S) {
    if (!S || Ended)
      return;
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
      while (Left && !contains(Open[Left - 1],
                               cast<GotoStmt>(S)->getLabel()->getStmt()))
        --Left;
      leaveBlocks(Left, S);
      return jump();
    }
    case Stmt::IndirectGotoStmtClass:
      return jump();
    case Stmt::AttributedStmtClass:
      if (const HostLoop *H = unwaited(cast<AttributedStmt>(S))) {
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

  /// The values that a loop which nobody waits for begins with are read here.
  void takesOver(const HostLoop &H, const Stmt *S) {
    if (!S)
      return;
    if (auto *Ref = dyn_cast<DeclRefExpr>(S))
      if (Ref->getType()->isArithmeticType() &&
          llvm::is_contained(H.Captured, Ref->getDecl()))
        access(placeOf(Ref), HostUse::Read, Ref);
    for (const Stmt *Child : S->children())
      takesOver(H, Child);
  }

  void declare(const VarDecl *V) {
    if (!V->hasInit() || !V->hasLocalStorage())
      return;
    visit(V->getInit());
    points(V, V->getInit());
    Level[V] = Loops.size();
    if (V->getType()->isIntegerType() && !Changed.count(V) && !Counted.count(V))
      if (MaybeLinear L = linear(V->getInit()))
        Known[V] = *L;
  }

  //===--------------------------------------------------------------------===//
  // Expressions
  //===--------------------------------------------------------------------===//

  /// Evaluates what leads to the object \p E, not its value.
  void object(const Expr *E) {
    E = E->IgnoreParens();
    if (isa<DeclRefExpr>(E))
      return;
    if (auto *A = dyn_cast<ArraySubscriptExpr>(E)) {
      value(A->getBase());
      return value(A->getIdx());
    }
    if (auto *M = dyn_cast<MemberExpr>(E))
      return M->isArrow() ? value(M->getBase()) : object(M->getBase());
    if (auto *Un = dyn_cast<UnaryOperator>(E);
        Un && Un->getOpcode() == UO_Deref)
      return value(Un->getSubExpr());
    for (const Stmt *Child : E->children())
      visit(Child);
  }

  void stored(const Expr *Target, const Expr *E) {
    object(Target);
    access(placeOf(Target), HostUse::Write, E);
    QualType T = Target->getType();
    auto *M = dyn_cast<MemberExpr>(Target->IgnoreParens());
    auto *Field = M ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
    if (const VarDecl *V = variableOf(Target); V && !T->isRecordType()) {
      forget([V](const VarDecl *Other) { return Other == V; });
    } else if (T->isPointerType() || T->isRecordType() || T->isCharType() ||
               (Field && Field->getParent()->isUnion())) {
      forgetPaths(); // bytes of a pointer, perhaps
      if (!M)        // *where = q
        forget([&](const VarDecl *V) {
          return V->hasGlobalStorage() || Taken.count(V);
        });
    }
  }

  /// What is cast to void: only volatile objects are read then.
  void unused(const Expr *E) {
    auto *Cast = dyn_cast<ImplicitCastExpr>(E->IgnoreParens());
    if (Cast && Cast->getCastKind() == CK_LValueToRValue &&
        !Cast->getSubExpr()->getType().isVolatileQualified())
      return object(Cast->getSubExpr());
    value(E);
  }

  void value(const Expr *E) {
    E = E->IgnoreParens();
    if (isa<UnaryExprOrTypeTraitExpr, OffsetOfExpr>(E))
      return;
    if (auto *G = dyn_cast<GenericSelectionExpr>(E))
      return value(G->getResultExpr());
    if (auto *C = dyn_cast<ChooseExpr>(E))
      return value(C->getChosenSubExpr());
    if (auto *Cast = dyn_cast<CastExpr>(E)) {
      const Expr *Sub = Cast->getSubExpr();
      if (Cast->getCastKind() == CK_ArrayToPointerDecay)
        return object(Sub);
      if (Cast->getCastKind() == CK_ToVoid)
        return unused(Sub);
      if (Cast->getCastKind() != CK_LValueToRValue)
        return value(Sub);
      object(Sub);
      return access(placeOf(Sub), HostUse::Read, Sub);
    }
    if (auto *Un = dyn_cast<UnaryOperator>(E)) {
      if (Un->getOpcode() == UO_AddrOf)
        return object(Un->getSubExpr());
      if (Un->isIncrementDecrementOp())
        return stored(Un->getSubExpr(), Un);
      return value(Un->getSubExpr());
    }
    if (auto *B = dyn_cast<BinaryOperator>(E)) {
      if (B->isAssignmentOp()) {
        value(B->getRHS());
        if (const VarDecl *V = variableOf(B->getLHS());
            V && B->getOpcode() == BO_Assign)
          points(V, B->getRHS());
        return stored(B->getLHS(), B->getLHS());
      }
      value(B->getLHS());
      if (B->isLogicalOp()) {
        std::optional<int64_t> Left = constantOf(B->getLHS(), Context);
        if (Left && (*Left != 0) == (B->getOpcode() == BO_LOr))
          return;
        return choice({B->getRHS()}, false);
      }
      return value(B->getRHS());
    }
    if (auto *C = dyn_cast<AbstractConditionalOperator>(E)) {
      visit(C->getCond());
      if (std::optional<int64_t> Always = constantOf(C->getCond(), Context))
        return visit(*Always ? C->getTrueExpr() : C->getFalseExpr());
      return choice({C->getTrueExpr(), C->getFalseExpr()}, true);
    }
    if (auto *Call = dyn_cast<CallExpr>(E))
      return call(Call);
    if (auto *Block = dyn_cast<StmtExpr>(E))
      return visit(Block->getSubStmt());
    if (isa<AtomicExpr>(E) && !Cautious)
      waited(); // as above
    for (const Stmt *Child : E->children())
      visit(Child);
  }

  void call(const CallExpr *C) {
    const FunctionDecl *F = C->getDirectCallee();
    if (!F)
      value(C->getCallee());
    for (const Expr *A : C->arguments())
      value(A);
    if (!F || Functions.mayWait(F)) {
      updated();
      if (Cautious && !F)
        return unknown(C);
      waited();
      return F ? leftBehind(F, C) : void();
    }
    if (const Task *T = U.M.find(F)) {
      if (T->Broken)
        return waited();
      for (const Section &S : T->Sections)
        for (const SectionDim &D : S.Dims)
          for (const Expr *E : {D.LoExpr, D.LenExpr, D.StepExpr})
            bound(E, C);
      return submitted(*T, C);
    }
    if (F->isNoReturn())
      return jump();
    for (const Expr *A : C->arguments())
      if (!Cautious && (A->getType()->isFunctionPointerType() ||
                        A->getType()->isBlockPointerType())) {
        updated(); // what it calls is not known
        return waited();
      }
    if (Functions.isLibrary(F))
      return library(F, C);
    if (Cautious && !F->hasBody())
      return unknown(C);
    for (const ParameterUse &Use : Functions.summaryOf(F).Uses)
      if (Use.Index < C->getNumArgs()) {
        const Expr *A = C->getArg(Use.Index);
        Spot S = pointed(A);
        S = S.moved(atCall(Use.Offset, C));
        S.Size = Use.Size;
        access(S, Use.Use, A);
      }
    for (GlobalUse Use : Functions.summaryOf(F).Globals) {
      Use.At.Offset = atCall(Use.At.Offset, C);
      access(Use.At, Use.Use, C);
    }
    // It may have set them.
    forget([](const VarDecl *V) { return V->hasGlobalStorage(); });
    forgetPaths();
    Moved = true;
    leftBehind(F, C);
  }

  /// What the bounds of sections read at file scope is read by the call.
  void bound(const Stmt *S, const CallExpr *C) {
    if (!S)
      return;
    if (auto *Ref = dyn_cast<DeclRefExpr>(S))
      if (auto *V = dyn_cast<VarDecl>(Ref->getDecl());
          V && V->hasGlobalStorage() && V->getType()->isArithmeticType())
        access(placeOf(Ref), HostUse::Read, C);
    for (const Stmt *Child : S->children())
      bound(Child, C);
  }

  void leftBehind(const FunctionDecl *F, const CallExpr *C) {
    if (!Cautious && Functions.maySubmit(F))
      for (const UnitUse &Left : Functions.summaryOf(F).Left)
        submitted(Left, C);
  }

  /// It may use all that it is given a pointer to.
  void unknown(const CallExpr *C) {
    for (const Expr *A : C->arguments())
      if (QualType T = A->getType()->getPointeeType(); !T.isNull()) {
        Spot S = pointed(A);
        S.Offset.reset();
        access(S, T.isConstQualified() ? HostUse::Read : HostUse::Write,
               A->IgnoreParenImpCasts());
      }
  }

  void library(const FunctionDecl *F, const CallExpr *C) {
    if (!F->getIdentifier())
      return;
    if (!Cautious && mayTellThread(F->getName()))
      return waited();
    SmallVector<LibraryUse, 2> Uses = libraryUses(F->getName());
    for (const LibraryUse &K : Uses)
      if (K.Argument < C->getNumArgs()) {
        const Expr *A = C->getArg(K.Argument);
        Spot S = pointed(A);
        S.Size = 1;
        // Only memory behind a pointer can be freed, from its begin.
        if (K.Use != HostUse::Free || !S.isOwn())
          access(S, K.Use, A->IgnoreParenImpCasts());
      }
    for (const Expr *A : C->arguments()) // it may set what is there
      if (QualType T = A->getType()->getPointeeType();
          !T.isNull() && !T.isConstQualified())
        forgetPaths();
    if (Cautious && Uses.empty())
      unknown(C);
  }
};
} // namespace

void walkHost(ParsedUnit &U, HostFunctions &Functions, const FunctionDecl *F,
              HostSummary *Summary) {
  HostWalk(U, Functions, Summary).run(F);
}

} // namespace agglom
