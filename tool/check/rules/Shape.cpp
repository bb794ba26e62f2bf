// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which mapping a body allows.
//
// Block mapping runs a unit on all threads of a block:
//
//   double m = 2 * x;              every thread, alike
//   #pragma agglom loop
//   for (int i = 0; i < n; i++)    iterations dealt out over the threads
//     a[i] *= m;
//   a[0] = m;                      one thread, between barriers
//
// A team is a block or a warp: a unit that a block can run, a warp can run too.
//
// Each statement outside the loops must change either only the unit's own
// variables (every thread executes it alike), or only memory (one thread
// executes it). A body with a statement that does both, or with a loop that
// writes the unit's own arrays, is run by one thread instead. That is always
// correct but slower, and -Wagglom-mapping reports it.

#include "AstVisitor.h"
#include "Rules.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

namespace {
/// Whether a function, and the functions it calls, do not change memory that
/// they get as pointers to const: a cast may take the const away.
class ConstCheck : public AstVisitor<ConstCheck> {
  llvm::SmallPtrSet<const FunctionDecl *, 8> Seen;

public:
  bool Kept = true;
  void enter(const FunctionDecl *F) {
    const FunctionDecl *Definition = nullptr;
    if (F && F->hasBody(Definition) && Seen.insert(Definition).second)
      TraverseStmt(Definition->getBody());
    else if (F && !Definition && isDeclaredElsewhere(F))
      Kept = false;
  }
  bool VisitCallExpr(CallExpr *Call) {
    enter(Call->getDirectCallee());
    return Kept;
  }
  bool VisitCastExpr(CastExpr *E) {
    QualType From = E->getSubExpr()->getType(), To = E->getType();
    if (!From->isPointerType())
      return true;
    bool WasConst = From->getPointeeType().isConstQualified();
    if (E->getCastKind() == CK_PointerToIntegral ||
        (WasConst && To->isPointerType() &&
         !To->getPointeeType().isConstQualified()))
      Kept = false;
    return Kept;
  }
};

bool keepsConst(const FunctionDecl *F) {
  ConstCheck C;
  C.enter(F);
  return C.Kept;
}

/// The side effects and reads of one expression or statement.
class Effects : public AstVisitor<Effects> {
public:
  llvm::SmallPtrSet<const Expr *, 4> Harmless; ///< addresses passed as const
  bool OwnLiteral = false;
  bool WritesLocal = false, WritesMemory = false, ReadsMemory = false;
  std::set<const VarDecl *> LocalsWritten;
  std::set<const VarDecl *> LocalAddresses; ///< handed to a call

  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) {
    return true;
  }
  void wrote(const Expr *Target) {
    if (const VarDecl *V = ownObject(Target)) {
      WritesLocal = true;
      LocalsWritten.insert(V);
    } else {
      WritesMemory = true;
    }
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->isAssignmentOp())
      wrote(E->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    if (E->getOpcode() == UO_AddrOf)
      tookAddress(E->getSubExpr());
    if (E->isIncrementDecrementOp())
      wrote(E->getSubExpr());
    else if (E->getOpcode() == UO_Deref)
      ReadsMemory = true;
    else if (E->getOpcode() == UO_AddrOf && !Harmless.count(E))
      if (const VarDecl *V = ownObject(E->getSubExpr()))
        LocalAddresses.insert(V);
    return true;
  }
  bool TraverseArraySubscriptExpr(ArraySubscriptExpr *E) {
    if (!ownObject(E))
      ReadsMemory = true;
    // Indexing an array does not count as taking its address.
    Expr *Base = E->getBase()->IgnoreParenImpCasts();
    TraverseStmt(Base->getType()->isArrayType() ? Base : E->getBase());
    return TraverseStmt(E->getIdx());
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *E) {
    if (E->getCastKind() == CK_ArrayToPointerDecay)
      tookAddress(E->getSubExpr());
    if (E->getCastKind() == CK_ArrayToPointerDecay &&
        !Harmless.count(E->IgnoreParenCasts()))
      if (const VarDecl *V = ownObject(E->getSubExpr()))
        LocalAddresses.insert(V);
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    ReadsMemory |= E->isArrow();
    return true;
  }
  /// An address that is converted to an integer may become a pointer again
  /// anywhere.
  bool VisitCastExpr(CastExpr *E) {
    WritesMemory |= E->getCastKind() == CK_PointerToIntegral;
    return true;
  }
  /// A compound literal whose address is taken: each thread has its own.
  void tookAddress(const Expr *E) {
    E = E->IgnoreParenCasts();
    while (auto *M = dyn_cast<MemberExpr>(E)) {
      if (M->isArrow())
        return;
      E = M->getBase()->IgnoreParenCasts();
    }
    OwnLiteral |= isa<CompoundLiteralExpr>(E);
  }
  bool VisitCallExpr(CallExpr *Call) {
    const FunctionDecl *F = Call->getDirectCallee();
    if (F && prints(F))
      WritesMemory = true; // printing is done once a unit, not once a thread
    for (unsigned I = 0; I < Call->getNumArgs(); ++I) {
      const Expr *Arg = Call->getArg(I);
      if (!Arg->getType()->isPointerType())
        continue;
      ReadsMemory = true;
      QualType Param = F && I < F->getNumParams()
                           ? F->getParamDecl(I)->getType()
                           : Arg->getType();
      if (Param->isPointerType() &&
          Param->getPointeeType().isConstQualified() && keepsConst(F)) {
        // The callee only reads it: each thread's own copy suffices.
        Harmless.insert(Arg->IgnoreParenCasts());
        continue;
      }
      const Expr *Plain = Arg->IgnoreParenCasts();
      if (auto *Un = dyn_cast<UnaryOperator>(Plain);
          Un && Un->getOpcode() == UO_AddrOf)
        wrote(Un->getSubExpr());
      else if (Plain->getType()->isArrayType())
        wrote(Plain);
      else
        WritesMemory = true;
    }
    return true;
  }

  static Effects of(const Stmt *S) {
    Effects E;
    if (S)
      E.TraverseStmt(const_cast<Stmt *>(S));
    return E;
  }
};

/// Walks the statements that every thread of a block executes alike.
class ShapeWalk {
  ParsedUnit &U;
  const CheckedUnit &Checked;
  Task &T;
  std::string Reason; ///< why block mapping is not possible; "" = it is
  bool SequentialReads = false; ///< memory is read outside the loops
  bool AnythingBetween = false; ///< control flow around, or code after, loops
  unsigned LoopsSeen = 0;

  bool no(std::string Why) {
    if (Reason.empty())
      Reason = std::move(Why);
    return false;
  }
  static std::string lineOf(ParsedUnit &U, SourceLocation Loc) {
    PresumedLoc P = U.Context.getSourceManager().getPresumedLoc(Loc);
    return P.isValid() ? "line " + std::to_string(P.getLine()) : "a line";
  }

  /// Checks an expression that every thread evaluates: it must not write
  /// memory.
  bool replicated(const Stmt *S) {
    if (!S)
      return true;
    Effects E = Effects::of(S);
    SequentialReads |= E.ReadsMemory;
    if (E.WritesMemory)
      return no(lineOf(U, S->getBeginLoc()) +
                " both steers the unit and writes memory");
    return ownAddress(E, S);
  }

  /// Checks that no address of the unit's own variables is taken: every thread
  /// has its own copy of them.
  bool ownAddress(const Effects &E, const Stmt *S) {
    if (E.OwnLiteral)
      return no(lineOf(U, S->getBeginLoc()) + " uses a compound literal");
    if (E.LocalAddresses.empty())
      return true;
    return no(lineOf(U, S->getBeginLoc()) + " takes the address of '" +
              (*E.LocalAddresses.begin())->getNameAsString() +
              "', which belongs to the whole unit");
  }

  bool parallel(const Loop &L) {
    ++LoopsSeen;
    for (size_t I = 0; I <= L.Nest.size(); ++I) {
      Effects Head = Effects::of(L.level(I).First);
      Effects Bound = Effects::of(L.level(I).Bound);
      if (Head.WritesLocal || Head.WritesMemory || Bound.WritesMemory)
        return no("the head of the loop at " + lineOf(U, L.Loc) +
                  " has side effects");
      SequentialReads |= Head.ReadsMemory || Bound.ReadsMemory;
    }
    // Variables declared inside the loop belong to one iteration.
    struct Locals : AstVisitor<Locals> {
      std::set<const VarDecl *> In;
      bool VisitVarDecl(VarDecl *V) {
        In.insert(V);
        return true;
      }
    } Own;
    Own.TraverseStmt(const_cast<ForStmt *>(L.For));
    Effects Body = Effects::of(L.body());
    auto isOwn = [&](const VarDecl *V) { return Own.In.count(V) || L.owns(V); };
    const char *Cure =
        "', which belongs to the whole unit: declare it inside the loop, or "
        "name it in private(...)";
    for (const VarDecl *V : Body.LocalsWritten)
      if (!isOwn(V))
        return no("it writes '" + V->getNameAsString() + Cure);
    for (const VarDecl *V : Body.LocalAddresses)
      if (!isOwn(V))
        return no("it takes the address of '" + V->getNameAsString() + Cure);
    return true;
  }

  bool isAtomic(const Stmt *S) const {
    return llvm::any_of(Checked.Updates, [&](const Update &Up) {
      return Up.Whole == S && !ownObject(Up.Target);
    });
  }

  bool statement(const Stmt *S) {
    if (!S || isa<NullStmt>(S))
      return true;
    if (auto *A = dyn_cast<AttributedStmt>(S)) {
      for (const Loop *L : T.Loops)
        if (L->Attributed == A && !L->Inner)
          return parallel(*L);
      return statement(A->getSubStmt());
    }
    if (LoopsSeen)
      AnythingBetween = true;
    if (auto *C = dyn_cast<CompoundStmt>(S)) {
      for (const Stmt *Child : C->body())
        if (!statement(Child))
          return false;
      return true;
    }
    if (auto *D = dyn_cast<DeclStmt>(S)) {
      for (const Decl *Each : D->decls())
        if (auto *V = dyn_cast<VarDecl>(Each))
          if (!replicated(V->getInit()))
            return false;
      return true;
    }
    if (isa<IfStmt>(S) && isAtomic(S)) {
      // One statement, which writes memory.
      AnythingBetween = SequentialReads = true;
      if (Effects::of(S).WritesLocal)
        return no(lineOf(U, S->getBeginLoc()) +
                  " changes both memory and the unit's own variables");
      T.Once.push_back(S);
      return ownAddress(Effects::of(S), S);
    }
    if (auto *If = dyn_cast<IfStmt>(S)) {
      AnythingBetween = true;
      return replicated(If->getCond()) && statement(If->getThen()) &&
             statement(If->getElse());
    }
    if (auto *For = dyn_cast<ForStmt>(S)) {
      AnythingBetween = true;
      // No barrier can be put into the head of a 'for'.
      if (isa_and_nonnull<Expr>(For->getInit()) && !replicated(For->getInit()))
        return false;
      return statement(For->getInit()) && replicated(For->getCond()) &&
             replicated(For->getInc()) && statement(For->getBody());
    }
    if (auto *While = dyn_cast<WhileStmt>(S)) {
      AnythingBetween = true;
      return replicated(While->getCond()) && statement(While->getBody());
    }
    if (auto *Do = dyn_cast<DoStmt>(S)) {
      AnythingBetween = true;
      return replicated(Do->getCond()) && statement(Do->getBody());
    }
    if (isa<BreakStmt, ContinueStmt>(S))
      return true;
    if (auto *Return = dyn_cast<ReturnStmt>(S)) {
      AnythingBetween = true;
      return replicated(Return->getRetValue());
    }
    if (auto *E = dyn_cast<Expr>(S)) {
      Effects Of = Effects::of(E);
      SequentialReads |= Of.ReadsMemory;
      if (Of.WritesMemory && Of.WritesLocal)
        return no(lineOf(U, S->getBeginLoc()) +
                  " changes both memory and the unit's own variables");
      if (Of.WritesMemory) {
        AnythingBetween = true;
        T.Once.push_back(S);
      }
      return ownAddress(Of, S);
    }
    return no("the statement at " + lineOf(U, S->getBeginLoc()) +
              " can only be run by one thread");
  }

public:
  ShapeWalk(ParsedUnit &U, const CheckedUnit &Checked, Task &T)
      : U(U), Checked(Checked), T(T) {}

  void run() {
    T.Once.clear();
    markInner();
    T.Map = Mapping::Thread;
    T.Splittable = false;
    if (T.Variant)
      return handWritten();
    if (T.Loops.empty()) {
      T.MapReason = "no '#pragma agglom loop' in it: one unit a thread";
      return;
    }
    MapChoice Wanted;
    if (!choice(Wanted))
      return;
    if (Wanted == MapChoice::Thread) {
      T.MapReason = "map(thread): one unit a thread";
      return;
    }
    bool Ok = statement(T.Definition->getBody());
    if (Ok && !LoopsSeen)
      Ok = no("the loop is not reached by the unit's own statements");
    if (!Ok) {
      T.Once.clear();
      T.MapReason = Reason;
      if (Wanted == MapChoice::Auto) {
        U.Report.report(T.Loops.front()->Loc, diag::mapping_thread) << Reason;
      } else {
        U.Report.report(Asking->MapLoc, diag::map_impossible)
            << (Wanted == MapChoice::Warp ? "warp" : "block") << Reason;
        T.Broken = true;
      }
      return;
    }
    uint64_t Most = 0;
    bool Known = true, Reduces = false;
    for (const Loop *L : T.Loops) {
      if (L->Inner)
        continue;
      Reduces |= !L->Reductions.empty();
      std::optional<uint64_t> Trips = constantTrips(*L);
      Known &= Trips.has_value();
      Most = std::max(Most, Trips.value_or(0));
    }
    if (Wanted == MapChoice::Warp) {
      T.Map = Mapping::Warp;
      T.MapReason = "map(warp): iterations dealt out over a warp";
      return;
    }
    if (Wanted == MapChoice::Auto && Known && Most <= SmallTrips) {
      T.Map = Mapping::Warp;
      T.MapReason = "at most " + std::to_string(Most) +
                    " iterations, dealt out over a warp";
      return;
    }
    T.Map = Mapping::Block;
    // Several blocks may share a unit when nothing in it is ordered: one loop,
    // nothing after it, and no memory read before it that another block may
    // already have changed.
    T.Splittable = LoopsSeen == 1 && !AnythingBetween && !SequentialReads &&
                   !Reduces && T.Once.empty();
    T.MapReason = Wanted == MapChoice::Block
                      ? "map(block): iterations dealt out over a block"
                      : "iterations dealt out over a block";
    if (Wanted == MapChoice::Auto && !Known) {
      T.Map = Mapping::BlockOrWarp;
      T.MapReason += " or a warp, as measured at run time";
    }
    if (T.Splittable)
      T.MapReason += "; long units over several blocks";
  }

private:
  /// Constant loops of so few iterations leave most of a block idle.
  enum { SmallTrips = 64 };
  const Loop *Asking = nullptr; ///< the first loop with `map`

  void handWritten() {
    std::string Name = T.Variant->getNameAsString();
    for (const Loop *L : T.Loops)
      if (!L->Inner &&
          (L->Map == MapChoice::Thread || L->Map == MapChoice::Warp)) {
        U.Report.report(L->MapLoc, diag::variant_map)
            << (L->Map == MapChoice::Warp ? "warp" : "thread") << T.Variant;
        U.Report.report(T.VariantLoc, diag::note_variant_here);
        T.Broken = true;
      }
    T.Map = Mapping::Block;
    T.MapReason = "hand-written device function '" + Name + "', run by a block";
  }

  /// The mapping that the loops' clauses ask for.
  bool choice(MapChoice &Wanted) {
    Wanted = MapChoice::Auto;
    for (const Loop *L : T.Loops) {
      if (L->Map == MapChoice::Auto)
        continue;
      if (L->Inner) {
        if (L->Map == MapChoice::Thread)
          continue;
        U.Report.report(L->MapLoc, diag::map_inner);
        return !(T.Broken = true);
      }
      if (Asking && L->Map != Wanted) {
        U.Report.report(L->MapLoc, diag::map_conflict);
        U.Report.report(Asking->Loc, diag::note_loop_here);
        return !(T.Broken = true);
      }
      Asking = L;
      Wanted = L->Map;
    }
    return true;
  }

  /// The number of iterations of a loop, where it is constant.
  std::optional<uint64_t> constantTrips(const Loop &L) const {
    uint64_t Product = 1;
    for (size_t I = 0; I <= L.Nest.size(); ++I) {
      const CanonicalFor &C = L.level(I);
      std::optional<int64_t> From = constantOf(C.First, U.Context, 40);
      std::optional<int64_t> To = constantOf(C.Bound, U.Context, 40);
      if (!From || !To)
        return std::nullopt;
      int64_t Way = *To - *From;
      Way = C.Down ? -Way : Way;
      Way += C.Compare == BO_LE || C.Compare == BO_GE;
      uint64_t Step = std::abs(C.StepValue);
      uint64_t Trips = Way <= 0 ? 0 : (uint64_t(Way) + Step - 1) / Step;
      if (C.Compare == BO_NE && Way < 0)
        return std::nullopt; // wraps
      if (Trips && Product > UINT64_MAX / Trips)
        return std::nullopt;
      Product *= Trips;
    }
    return Product;
  }

  void markInner() {
    for (Loop *L : T.Loops)
      for (const Loop *Outer : T.Loops)
        if (L != Outer && contains(Outer->For->getBody(), L->Attributed))
          L->Inner = true;
  }
};
} // namespace

void chooseMapping(ParsedUnit &U, const CheckedUnit &Checked, Task &T) {
  ShapeWalk(U, Checked, T).run();
}

} // namespace agglom
