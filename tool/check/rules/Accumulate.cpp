// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory under 'accumulate(op: ...)' may only be updated, and only with op, by
// the task and by every function that is given a pointer into it. Each such
// update becomes an atomic update.
//
// A function is checked for one pointer at a time, its root. A local pointer
// variable counts as derived from the root when any assignment to it is,
// whatever the order of statements.

#include "Rules.h"

using namespace clang;

namespace agglom {

namespace {
enum Misuse { Read, Changed, ValueUsed, Number, Stored, Passed };

/// One section of one task, and the functions its memory reaches.
struct Accumulation {
  ParsedUnit &U;
  CheckedUnit &C;
  Task &T;
  const Section &Sec;
  QualType Type; ///< of the accumulated numbers
  std::set<std::pair<const FunctionDecl *, const VarDecl *>> Seen;
  /// The calls that lead to the function at hand: caller, callee, place.
  struct Call {
    const FunctionDecl *Caller, *Callee;
    SourceLocation At;
  };
  std::vector<Call> Chain;
  bool Said = false; ///< whether the note about the clause was printed

  void chain() {
    T.Broken = true;
    for (auto It = Chain.rbegin(); It != Chain.rend(); ++It)
      U.Report.report(It->At, diag::note_accumulate_passed)
          << It->Callee << spokenName(U.M, It->Caller);
    if (!Said)
      U.Report.report(Sec.Loc, notePlace(T));
    Said = true;
  }
  std::string example() const {
    if (Sec.Op == "min")
      return "x = e < x ? e : x";
    if (Sec.Op == "max")
      return "x = e > x ? e : x";
    return "x " + Sec.Op + "= e";
  }
  void misuse(const Stmt *At, Misuse How, const NamedDecl *Function = nullptr) {
    auto *E = dyn_cast<Expr>(At);
    auto B = U.Report.report(E ? E->getExprLoc() : At->getBeginLoc(),
                             diag::accumulate_use);
    B << Sec.Op << Sec.Text << example() << How;
    if (Function)
      B << Function;
    else
      B << "";
    B << At->getSourceRange();
  }
};

/// The members on the way to the object \p E from the variable or pointer that
/// \p E begins at, without subscripts.
using Fields = SmallVector<const FieldDecl *, 4>;
void fieldsOf(const Expr *E, Fields &Out) {
  E = E->IgnoreParenCasts();
  if (auto *M = dyn_cast<MemberExpr>(E)) {
    if (!M->isArrow())
      fieldsOf(M->getBase(), Out);
    Out.push_back(dyn_cast<FieldDecl>(M->getMemberDecl()));
  } else if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
    if (Sub->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
      fieldsOf(Sub->getBase(), Out);
  }
}

/// Whether two objects in one structure, given by their members, are in
/// different members of it, so that they do not overlap.
bool areApart(const Fields &A, const Fields &B) {
  for (size_t I = 0; I < std::min(A.size(), B.size()); ++I) {
    if (!A[I] || !B[I] || A[I]->getParent() != B[I]->getParent())
      return false;
    if (A[I] != B[I])
      return !A[I]->getParent()->isUnion();
  }
  return false;
}

Fields fieldsOf(const Section &Sec) {
  Fields Out;
  if (Sec.BaseExpr)
    fieldsOf(Sec.BaseExpr, Out);
  return Out;
}

class FunctionUses {
  Accumulation &A;
  const FunctionDecl *F;
  const VarDecl *Root;
  const Fields Named = fieldsOf(A.Sec);
  llvm::SmallPtrSet<const VarDecl *, 8> Derived;

  // --- Which expressions lead to the memory ---

  /// Whether the value of \p E points into the accumulated memory.
  bool derived(const Expr *E) const {
    E = E->IgnoreParenCasts();
    if (E->getType()->isArrayType())
      return denotes(E);
    if (!E->getType()->isPointerType())
      return false;
    if (const VarDecl *V = variableOf(E))
      return Derived.count(V->getCanonicalDecl());
    if (auto *Un = dyn_cast<UnaryOperator>(E)) {
      if (Un->getOpcode() == UO_AddrOf)
        return denotes(Un->getSubExpr());
      return (Un->isIncrementDecrementOp() ||
              Un->getOpcode() == UO_Extension) &&
             derived(Un->getSubExpr());
    }
    if (auto *Bin = dyn_cast<BinaryOperator>(E)) {
      if (Bin->getOpcode() == BO_Assign || Bin->getOpcode() == BO_Comma)
        return derived(Bin->getRHS());
      return derived(Bin->getLHS()) || derived(Bin->getRHS());
    }
    if (auto *Cond = dyn_cast<AbstractConditionalOperator>(E))
      return derived(Cond->getTrueExpr()) || derived(Cond->getFalseExpr());
    if (auto *Opaque = dyn_cast<OpaqueValueExpr>(E))
      return Opaque->getSourceExpr() && derived(Opaque->getSourceExpr());
    if (auto *Call = dyn_cast<CallExpr>(E))
      return llvm::any_of(Call->arguments(),
                          [&](const Expr *Arg) { return derived(Arg); });
    if (auto *Block = dyn_cast<StmtExpr>(E)) {
      auto *Last = dyn_cast_or_null<Expr>(
          Block->getSubStmt()->body_empty() ? nullptr
                                            : Block->getSubStmt()->body_back());
      return Last && derived(Last);
    }
    return false;
  }
  /// Whether the lvalue \p E lies in the accumulated memory.
  bool denotes(const Expr *E) const {
    E = E->IgnoreParenCasts();
    Fields Mine;
    fieldsOf(E, Mine);
    if (areApart(Mine, Named))
      return false;
    if (auto *M = dyn_cast<MemberExpr>(E))
      return M->isArrow() ? derived(M->getBase()) : denotes(M->getBase());
    if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E))
      return derived(Sub->getBase());
    if (auto *Un = dyn_cast<UnaryOperator>(E))
      return Un->getOpcode() == UO_Deref && derived(Un->getSubExpr());
    if (auto *Cond = dyn_cast<AbstractConditionalOperator>(E))
      return denotes(Cond->getTrueExpr()) || denotes(Cond->getFalseExpr());
    if (const VarDecl *V = variableOf(E)) // an object at file scope
      return isGlobal() && V->getCanonicalDecl() == Root &&
             !V->getType()->isPointerType();
    return false;
  }

  bool isGlobal() const { return !isa<ParmVarDecl>(Root); }

  using Sources = std::vector<std::pair<const VarDecl *, const Expr *>>;
  static void gather(const Stmt *S, Sources &Out) {
    if (!S)
      return;
    if (auto *D = dyn_cast<DeclStmt>(S)) {
      for (const Decl *Each : D->decls())
        if (auto *V = dyn_cast<VarDecl>(Each); V && V->getInit())
          if (V->getType()->isPointerType())
            Out.push_back({V, V->getInit()});
    } else if (auto *B = dyn_cast<BinaryOperator>(S)) {
      if (B->getOpcode() == BO_Assign && B->getType()->isPointerType())
        if (const VarDecl *V = variableOf(B->getLHS()))
          Out.push_back({V->getCanonicalDecl(), B->getRHS()});
    }
    for (const Stmt *Child : S->children())
      gather(Child, Out);
  }

  // --- What is done with them ---

  static bool isPointerVariable(const Expr *E) {
    const VarDecl *V = variableOf(E);
    return V && V->hasLocalStorage();
  }

  void update(Update Up) {
    const Section &Sec = A.Sec;
    Reporter &R = A.U.Report;
    auto at = [&](diag::Id D) {
      return R.report(Up.Target->getExprLoc(), D) << Up.Whole->getSourceRange();
    };
    Up.In = F;
    Up.Accumulates = true;
    if (Up.Type != A.Type) {
      at(diag::accumulate_retyped) << Sec.Op << Sec.Text << Up.Type << A.Type;
      A.chain();
    } else if (Up.Op != Sec.Op && !(Sec.Op == "+" && Up.Op == "-" &&
                                    Up.Next == "ag_old - ag_value")) {
      A.misuse(Up.Whole, Changed);
      A.chain();
    } else if (!checkUpdate(A.U, Up)) {
      A.chain();
    } else if ((Sec.Op == "+" || Sec.Op == "*") && Up.Type->isIntegerType() &&
               Up.ValueType->isFloatingType()) {
      // Each update drops a fraction, so the result depends on the order.
      at(diag::accumulate_fraction) << Up.ValueType << Up.Type;
      A.chain();
    } else if ((Sec.Op == "min" || Sec.Op == "max") &&
               Up.Type->isSignedIntegerType() &&
               commonType(Up.Type, Up.ValueType, A.U.Context)
                   ->isUnsignedIntegerType()) {
      at(diag::accumulate_unsigned) << Up.Type << Up.ValueType;
      A.chain();
    } else {
      A.C.add(Up);
    }
  }

  /// Walks the subexpressions of lvalue \p E, not \p E itself.
  void address(const Expr *E) {
    for (const Stmt *Child : E->children())
      walk(Child, false);
  }

  void call(const CallExpr *Call) {
    const FunctionDecl *Callee = Call->getDirectCallee(), *Body = nullptr;
    if (Callee)
      Callee->hasBody(Body);
    auto enter = [&](const VarDecl *There) {
      A.Chain.push_back({F, Body, Call->getExprLoc()});
      FunctionUses(A, Body, There).run();
      A.Chain.pop_back();
    };
    if (Body && isGlobal()) // the callee may use the object by its name
      enter(Root);
    for (unsigned I = 0; I < Call->getNumArgs(); ++I) {
      const Expr *Arg = Call->getArg(I);
      walk(Arg, false);
      if (!derived(Arg))
        continue;
      if (!Body || I >= Body->getNumParams()) {
        A.misuse(Arg, Passed, Callee);
        A.chain();
        continue;
      }
      enter(Body->getParamDecl(I));
    }
  }

  void misuse(const Stmt *At, Misuse How) {
    A.misuse(At, How);
    A.chain();
  }

  void assignment(const BinaryOperator *B) {
    if (denotes(B->getLHS())) {
      misuse(B, B->isCompoundAssignmentOp() ? ValueUsed : Changed);
      return;
    }
    if (B->getOpcode() == BO_Assign && B->getType()->isPointerType() &&
        derived(B->getRHS()) && !isPointerVariable(B->getLHS()))
      misuse(B, Stored);
    walk(B->getLHS(), false);
    walk(B->getRHS(), false);
  }

  /// \p Discarded: \p S is a statement, or an expression whose value is not
  /// used.
  void walk(const Stmt *S, bool Discarded) {
    if (!S || isa<UnaryExprOrTypeTraitExpr>(S))
      return;
    if (Discarded)
      if (auto Up = asUpdate(S, A.U.Context); Up && denotes(Up->Target)) {
        update(*Up);
        address(Up->Target->IgnoreParens());
        return walk(Up->Value, false);
      }
    if (auto *P = dyn_cast<ParenExpr>(S))
      return walk(P->getSubExpr(), Discarded);
    if (auto *Cast = dyn_cast<CastExpr>(S)) {
      const Expr *Sub = Cast->getSubExpr();
      if (Cast->getCastKind() == CK_LValueToRValue && denotes(Sub))
        misuse(Sub, Read);
      else if (Cast->getCastKind() == CK_PointerToIntegral && derived(Sub))
        misuse(Cast, Number);
      return walk(Sub, Cast->getCastKind() == CK_ToVoid);
    }
    if (auto *Un = dyn_cast<UnaryOperator>(S)) {
      if (Un->isIncrementDecrementOp() && denotes(Un->getSubExpr()))
        misuse(Un, ValueUsed);
      return walk(Un->getSubExpr(), false);
    }
    if (auto *B = dyn_cast<BinaryOperator>(S)) {
      if (B->isAssignmentOp())
        return assignment(B);
      walk(B->getLHS(), B->getOpcode() == BO_Comma);
      return walk(B->getRHS(), B->getOpcode() == BO_Comma && Discarded);
    }
    if (auto *Call = dyn_cast<CallExpr>(S))
      return call(Call);
    if (isa<InitListExpr, AtomicExpr>(S))
      for (const Stmt *Child : S->children())
        if (auto *E = dyn_cast_or_null<Expr>(Child);
            E && E->getType()->isPointerType() && derived(E))
          misuse(E, isa<InitListExpr>(S) ? Stored : Changed);
    if (auto *Block = dyn_cast<StmtExpr>(S)) {
      for (const Stmt *Child : Block->getSubStmt()->body())
        walk(Child, Discarded || Child != Block->getSubStmt()->body_back());
      return;
    }
    if (auto *D = dyn_cast<DeclStmt>(S)) {
      for (const Decl *Each : D->decls())
        if (auto *V = dyn_cast<VarDecl>(Each))
          walk(V->getInit(), false);
      return;
    }
    if (auto *For = dyn_cast<ForStmt>(S)) {
      walk(For->getInit(), true);
      walk(For->getCond(), false);
      walk(For->getInc(), true);
      return walk(For->getBody(), true);
    }
    // In other statements, an expression is a condition or the like when it is
    // in that place, and else a statement of its own.
    const Stmt *Condition = nullptr;
    if (auto *If = dyn_cast<IfStmt>(S))
      Condition = If->getCond();
    else if (auto *While = dyn_cast<WhileStmt>(S))
      Condition = While->getCond();
    else if (auto *Do = dyn_cast<DoStmt>(S))
      Condition = Do->getCond();
    else if (auto *Switch = dyn_cast<SwitchStmt>(S))
      Condition = Switch->getCond();
    bool Statements = !isa<Expr>(S) && !isa<ReturnStmt>(S);
    for (const Stmt *Child : S->children())
      walk(Child, Statements && Child != Condition);
  }

public:
  FunctionUses(Accumulation &A, const FunctionDecl *F, const VarDecl *Root)
      : A(A), F(F), Root(Root) {}

  void run() {
    if (!A.Seen.insert({F, Root}).second)
      return;
    if (Root->getType()->isPointerType())
      Derived.insert(Root);
    Sources Given;
    gather(F->getBody(), Given);
    for (bool More = true; More;) {
      More = false;
      for (const auto &[V, E] : Given)
        if (!Derived.count(V) && derived(E))
          More = Derived.insert(V).second;
    }
    walk(F->getBody(), true);
  }
};

/// The parameter of the definition or the file-scope object that leads to the
/// memory; null when the pointer is a member of something.
const VarDecl *rootOf(const Task &T, const Section &Sec) {
  if (Sec.Pointer.Kind == SectionPointer::Hidden)
    return Sec.Pointer.Global->getCanonicalDecl();
  const FunctionDecl *F = T.Definition ? T.Definition : T.Declared;
  return Sec.Param ? F->getParamDecl(Sec.Param->getFunctionScopeIndex())
                   : nullptr;
}

/// Checks that the element type fits the operator, and that no other clause
/// names the memory.
bool checkClause(ParsedUnit &U, Task &T, const Section &Sec, QualType Type) {
  const VarDecl *Root = rootOf(T, Sec);
  if (!Root) {
    U.Report.report(Sec.Loc, diag::accumulate_base)
        << Sec.Base << (T.From != nullptr);
    return false;
  }
  bool Bits = Sec.Op == "&" || Sec.Op == "|" || Sec.Op == "^";
  if (!isUpdatable(Type, U.Context) || (Bits && !Type->isIntegerType())) {
    U.Report.report(Sec.Loc, diag::accumulate_element) << Sec.Op << Type;
    return false;
  }
  for (const Section &Other : T.Sections)
    if (rootOf(T, Other) == Root && !areApart(fieldsOf(Sec), fieldsOf(Other)) &&
        (Other.Clause != ClauseId::Accumulate || Other.Op != Sec.Op)) {
      U.Report.report(Sec.Loc, diag::accumulate_shared) << Root;
      U.Report.report(Other.Loc, diag::note_other_clause);
      return false;
    }
  return true;
}
} // namespace

QualType accumulatedType(const Section &Sec, const ASTContext &C) {
  return C.getBaseElementType(Sec.Element)
      .getCanonicalType()
      .getUnqualifiedType();
}

void checkAccumulate(ParsedUnit &U, CheckedUnit &C, Task &T) {
  for (const Section &Sec : T.Sections) {
    if (Sec.Clause != ClauseId::Accumulate)
      continue;
    QualType Type = accumulatedType(Sec, U.Context);
    if (!checkClause(U, T, Sec, Type)) {
      T.Broken = true;
      return;
    }
    if (!T.Definition)
      continue;
    Accumulation A{U, C, T, Sec, Type, {}, {}, false};
    FunctionUses(A, T.Definition, rootOf(T, Sec)).run();
    if (!T.Variant)
      continue;
    const VarDecl *Root = rootOf(T, Sec);
    if (Sec.Param)
      Root = T.Variant->getParamDecl(Sec.Param->getFunctionScopeIndex());
    FunctionUses(A, T.Variant, Root).run();
  }
}

} // namespace agglom
