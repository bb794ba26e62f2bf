// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which memory the body touches. Every dereference is traced back to where its
// pointer came from:
//
//   a[i].x          -> parameter a           must be named in a data clause
//   q = a + 3; *q   -> what was put in q     the same
//   s->p[i]         -> loaded from memory    a host address: refused, unless
//                                            a section is named through s->p
//   table[i]        -> an object of the file  must be named as well
//   local[i]        -> the unit's own        fine
//   local.p[i]      -> put there by the unit fine; s, too, may be its own
//
// In a function that a task calls, s is a parameter: then the calls decide
// whether it is the unit's own memory.
//
// The tracing ignores the order of statements: a local pointer stands for all
// that is ever assigned to it.

#include "Check.h"
#include "FixIts.h"
#include "Inference.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace agglom {

namespace {
struct Roots {
  llvm::SetVector<const ParmVarDecl *> Params;
  llvm::SetVector<const VarDecl *> Globals;
  std::vector<const Expr *> Held; ///< pointers in memory that sections name
  const Expr *Loaded = nullptr;   ///< a pointer that came out of memory
  /// Parameters whose memory a pointer came out of, and one such pointer.
  llvm::SetVector<const ParmVarDecl *> Via;
  const Expr *ViaAt = nullptr;
  llvm::SetVector<const VarDecl *> Locals; ///< objects of the function's own
  bool Const = false; ///< into constants of file scope, which the device has
};

/// Collects what is assigned to each local pointer or structure of a function.
class Sources : public RecursiveASTVisitor<Sources> {
public:
  llvm::DenseMap<const VarDecl *, std::vector<const Expr *>> Of;
  bool VisitVarDecl(VarDecl *V) {
    if (holdsPointers(V->getType()) && V->getInit())
      Of[V].push_back(V->getInit());
    return true;
  }
  static bool holdsPointers(QualType T) {
    return T->isPointerType() || T->isRecordType();
  }
  bool VisitBinaryOperator(BinaryOperator *B) {
    if (B->getOpcode() != BO_Assign || !holdsPointers(B->getType()))
      return true;
    if (auto *Ref = dyn_cast<DeclRefExpr>(B->getLHS()->IgnoreParenCasts()))
      if (auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
        Of[V].push_back(B->getRHS());
    return true;
  }
};

class Tracer {
  const Sources &S;
  Roots &Out;
  const Task &T;
  bool InTask;
  llvm::SmallPtrSet<const VarDecl *, 8> Seen;
  /// Where a pointer was loaded from counts as where it points to.
  bool Through = false;

public:
  Tracer(const Sources &S, Roots &Out, const Task &T, bool InTask)
      : S(S), Out(Out), T(T), InTask(InTask) {}

  /// The roots of the value of pointer expression \p E.
  void value(const Expr *E) {
    E = E->IgnoreParenCasts();
    if (E->getType()->isArrayType())
      return object(E); // decays to a pointer into that object
    if (!E->getType()->isPointerType())
      return; // an integer: null, or beyond what can be traced
    if (auto *Ref = dyn_cast<DeclRefExpr>(E))
      return variable(dyn_cast<VarDecl>(Ref->getDecl()));
    if (auto *Un = dyn_cast<UnaryOperator>(E)) {
      if (Un->getOpcode() == UO_AddrOf)
        return object(Un->getSubExpr());
      if (Un->isIncrementDecrementOp() || Un->getOpcode() == UO_Extension)
        return value(Un->getSubExpr());
      return loaded(E);
    }
    if (auto *Bin = dyn_cast<BinaryOperator>(E)) {
      if (Bin->isAssignmentOp() || Bin->getOpcode() == BO_Comma)
        return value(Bin->isCompoundAssignmentOp() ? Bin->getLHS()
                                                   : Bin->getRHS());
      value(Bin->getLHS());
      value(Bin->getRHS());
      return;
    }
    if (auto *Cond = dyn_cast<AbstractConditionalOperator>(E)) {
      value(Cond->getTrueExpr());
      value(Cond->getFalseExpr());
      return;
    }
    if (auto *Opaque = dyn_cast<OpaqueValueExpr>(E)) {
      if (Opaque->getSourceExpr())
        value(Opaque->getSourceExpr());
      return;
    }
    if (auto *Call = dyn_cast<CallExpr>(E)) {
      // A function that returns a pointer made it from one it was given.
      for (const Expr *A : Call->arguments())
        value(A);
      return;
    }
    if (isa<ArraySubscriptExpr, MemberExpr>(E))
      return loaded(E);
  }

  /// The roots of the object an lvalue denotes.
  void object(const Expr *E) {
    E = E->IgnoreParenCasts();
    if (auto *M = dyn_cast<MemberExpr>(E))
      return M->isArrow() ? value(M->getBase()) : object(M->getBase());
    if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E))
      return value(Sub->getBase());
    if (auto *Un = dyn_cast<UnaryOperator>(E);
        Un && Un->getOpcode() == UO_Deref)
      return value(Un->getSubExpr());
    if (auto *Ref = dyn_cast<DeclRefExpr>(E))
      if (auto *V = dyn_cast<VarDecl>(Ref->getDecl())) {
        if (V->hasGlobalStorage()) {
          Out.Const = true;
          Out.Globals.insert(V->getCanonicalDecl());
        } else {
          Out.Locals.insert(V);
        }
      }
  }

  /// The variable a local pointer is another name of.
  const VarDecl *behind(const VarDecl *V) const {
    for (unsigned Steps = 0; Steps < 8; ++Steps) {
      auto It = S.Of.find(V);
      if (isa<ParmVarDecl>(V) || It == S.Of.end() || It->second.size() != 1)
        return V;
      const VarDecl *Next = variableOf(It->second[0]->IgnoreParenCasts());
      if (!Next)
        return V;
      V = Next;
    }
    return V;
  }

  /// The sections that go through the pointer in memory \p E.
  std::vector<const Section *> through(const Expr *E) const {
    std::vector<const Section *> Found;
    for (const Section &Sec : T.Sections)
      if ((Sec.Pointer.Kind == SectionPointer::Held ||
           (Sec.Pointer.Kind == SectionPointer::Argument && !Sec.Param)) &&
          samePath(E, Sec.Pointer.E))
        Found.push_back(&Sec);
    return Found;
  }

private:
  /// Whether two expressions name the same member, whatever the subscripts. In
  /// a function that the task calls, where the structure came from is not
  /// known: the member decides.
  bool samePath(const Expr *A, const Expr *B) const {
    A = A->IgnoreParenCasts();
    B = B->IgnoreParenCasts();
    if (auto *M = dyn_cast<MemberExpr>(A)) {
      auto *N = dyn_cast<MemberExpr>(B);
      return N && M->getMemberDecl() == N->getMemberDecl() &&
             (!InTask || samePath(M->getBase(), N->getBase()));
    }
    if (isa<ArraySubscriptExpr>(A) || isDeref(A))
      return (isa<ArraySubscriptExpr>(B) || isDeref(B)) &&
             samePath(inside(A), inside(B));
    const VarDecl *V = variableOf(A), *W = variableOf(B);
    if (!V || !W)
      return false;
    V = behind(V);
    auto *P = dyn_cast<ParmVarDecl>(V);
    auto *Q = dyn_cast<ParmVarDecl>(W);
    if (P && Q)
      return InTask && P->getFunctionScopeIndex() == Q->getFunctionScopeIndex();
    return V->getCanonicalDecl() == W->getCanonicalDecl();
  }
  static bool isDeref(const Expr *E) {
    auto *Un = dyn_cast<UnaryOperator>(E);
    return Un && Un->getOpcode() == UO_Deref;
  }
  static const Expr *inside(const Expr *E) {
    if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E))
      return Sub->getBase();
    return cast<UnaryOperator>(E)->getSubExpr();
  }

  void variable(const VarDecl *V) {
    if (!V || !Seen.insert(V).second)
      return;
    Out.Const |= V->hasGlobalStorage();
    if (auto *P = dyn_cast<ParmVarDecl>(V))
      Out.Params.insert(P);
    else if (V->hasGlobalStorage())
      Out.Globals.insert(V->getCanonicalDecl());
    if (auto It = S.Of.find(V); It != S.Of.end())
      for (const Expr *Source : It->second)
        value(Source);
  }
  /// A pointer read out of an object: fine when the object is one of the
  /// function's own, whose pointers the body itself put there, or a constant
  /// table, whose addresses are the device's own.
  void loaded(const Expr *E) {
    const Expr *O = E;
    for (;;) {
      O = O->IgnoreParenCasts();
      if (auto *M = dyn_cast<MemberExpr>(O); M && !M->isArrow())
        O = M->getBase();
      else if (auto *Sub = dyn_cast<ArraySubscriptExpr>(O);
               Sub &&
               Sub->getBase()->IgnoreParenCasts()->getType()->isArrayType())
        O = Sub->getBase();
      else
        break;
    }
    if (!through(E).empty()) {
      Out.Held.push_back(E);
      return;
    }
    if (Through)
      return object(O);
    Roots Into;
    Tracer Memory(S, Into, T, InTask);
    Memory.Through = true;
    Memory.object(O);
    // Structures that were copied there from elsewhere, and local pointers
    // that were reached through their address.
    for (size_t I = 0; I < Into.Locals.size(); ++I) {
      const VarDecl *V = Into.Locals[I];
      auto It = S.Of.find(V);
      if (V->getType()->isPointerType()) {
        variable(V);
        Roots Deeper; // **p where p points to V
        Tracer Pointed(S, Deeper, T, InTask);
        Pointed.Through = true;
        if (It != S.Of.end())
          for (const Expr *Source : It->second)
            Pointed.value(Source);
        Into.Locals.insert(Deeper.Locals.begin(), Deeper.Locals.end());
      } else if (isa<ParmVarDecl>(V)) {
        Into.Loaded = E; // with what the host put into it
      } else if (It != S.Of.end()) {
        for (const Expr *Source : It->second)
          Memory.object(Source);
      }
    }
    // A named object of the file holds what the host put into it.
    if (llvm::any_of(Into.Globals,
                     [&](const VarDecl *G) { return T.names(G); }))
      Into.Loaded = E;
    Out.Const |= Into.Const;
    if (Into.Loaded && !Out.Loaded)
      Out.Loaded = E;
    Out.Via.insert(Into.Params.begin(), Into.Params.end());
    if (!Into.Params.empty() && !Out.ViaAt)
      Out.ViaAt = E;
  }
};

/// The dereferences, writes and calls of one function.
class Accesses : public RecursiveASTVisitor<Accesses> {
public:
  std::vector<const Expr *> Dereferenced; ///< pointer expressions
  std::vector<const Expr *> Written;      ///< lvalues
  std::vector<const Expr *> Stored;       ///< pointers put into memory
  std::vector<const CallExpr *> Calls;
  llvm::SmallPtrSet<const ValueDecl *, 16> Mentioned;

  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *,
                                        DataRecursionQueue * = nullptr) {
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    Mentioned.insert(E->getDecl());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *E) {
    if (E->getOpcode() == UO_Deref)
      Dereferenced.push_back(E->getSubExpr());
    else if (E->isIncrementDecrementOp())
      Written.push_back(E->getSubExpr());
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *E) {
    Dereferenced.push_back(E->getBase());
    return true;
  }
  bool VisitMemberExpr(MemberExpr *E) {
    if (E->isArrow())
      Dereferenced.push_back(E->getBase());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *E) {
    if (E->isAssignmentOp())
      Written.push_back(E->getLHS());
    if (E->getOpcode() == BO_Assign && E->getType()->isPointerType() &&
        !isa<DeclRefExpr>(E->getLHS()->IgnoreParenCasts()))
      Stored.push_back(E->getRHS());
    return true;
  }
  bool VisitInitListExpr(InitListExpr *E) {
    // The semantic form has the values without their designators.
    if (E->getSemanticForm())
      E = E->getSemanticForm();
    for (const Expr *Init : E->inits())
      if (Init && Init->getType()->isPointerType())
        Stored.push_back(Init);
    return true;
  }
  bool VisitCallExpr(CallExpr *E) {
    Calls.push_back(E);
    return true;
  }
};

class PointerCheck {
  ParsedUnit &U;
  Task &T;
  std::map<const FunctionDecl *, std::set<const ParmVarDecl *>> WrittenBy;
  std::set<const ParmVarDecl *> Reported;
  std::optional<Inference> Inferred;
  std::set<std::string> WrongWrites;

  static const FunctionDecl *definition(const CallExpr *Call) {
    const FunctionDecl *F = Call->getDirectCallee(), *Def = nullptr;
    if (F)
      F->hasBody(Def);
    return Def;
  }

  /// The parameters of \p F whose memory \p F may write, also through others.
  const std::set<const ParmVarDecl *> &writtenBy(const FunctionDecl *F) {
    auto [It, New] = WrittenBy.try_emplace(F);
    if (!New)
      return It->second; // also cuts recursion, which is refused elsewhere
    Accesses A;
    Sources S;
    A.TraverseStmt(F->getBody());
    S.TraverseStmt(F->getBody());
    std::set<const ParmVarDecl *> Out;
    eachWrite(A, S, /*InTask=*/false, [&](const Roots &R, const Expr *) {
      Out.insert(R.Params.begin(), R.Params.end());
    });
    return WrittenBy[F] = Out;
  }

  template <typename Fn>
  void eachWrite(const Accesses &A, const Sources &S, bool InTask, Fn Found) {
    for (const Expr *E : A.Written) {
      Roots R;
      Tracer(S, R, T, InTask).object(E);
      Found(R, E);
    }
    for (const CallExpr *Call : A.Calls) {
      const FunctionDecl *F = Call->getDirectCallee();
      if (!F)
        continue;
      const FunctionDecl *Def = definition(Call);
      for (unsigned I = 0; I < Call->getNumArgs(); ++I) {
        const Expr *Arg = Call->getArg(I);
        if (!Arg->getType()->isPointerType() || I >= F->getNumParams())
          continue;
        bool Writes = Def ? writtenBy(Def).count(Def->getParamDecl(I)) != 0
                          : !F->getParamDecl(I)
                                 ->getType()
                                 ->getPointeeType()
                                 .isConstQualified();
        if (!Writes)
          continue;
        Roots R;
        Tracer(S, R, T, InTask).value(Arg);
        Found(R, Arg);
      }
    }
  }

  /// The sections behind parameter \p P itself.
  std::vector<const Section *> sectionsOf(const ParmVarDecl *P) const {
    // Clauses may stand on another declaration: compare positions.
    return sectionsWhere([&](const Section &S) {
      return S.Param &&
             S.Param->getFunctionScopeIndex() == P->getFunctionScopeIndex();
    });
  }

  void mustBeNamed(const ParmVarDecl *P, const Expr *At) {
    if (!sectionsOf(P).empty() || !Reported.insert(P).second)
      return;
    T.Broken = true;
    const InferredSection *Known = inferred(P);
    if (Known && Known->Known) {
      std::string Clause =
          (spellingOf(Known->clause()) + "(" + Known->Text + ")").str();
      U.Report.report(At->getExprLoc(), diag::task_missing_known_section)
          << T.Definition << P << Clause << At->getSourceRange()
          << addClause(U, T, Clause);
    } else {
      U.Report.report(At->getExprLoc(), diag::task_missing_section)
          << T.Definition << P << P->getName() << At->getSourceRange();
      if (Known)
        U.Report.report(Known->WhyAt ? Known->WhyAt->getExprLoc()
                                     : At->getExprLoc(),
                        diag::note_not_inferred)
            << P << Known->Why;
    }
    U.Report.report(T.Loc, diag::note_pragma_here);
  }

  /// What the body says about the memory behind a parameter, with the names of
  /// the declaration that has the pragma.
  const InferredSection *inferred(const ParmVarDecl *P) {
    if (!Inferred)
      Inferred = inferSections(U.Context, T.Definition, T.Declared);
    return Inferred->of(P->getFunctionScopeIndex());
  }

  /// A write of memory that \p In name as input only.
  void mustNotBeWritten(const std::vector<const Section *> &In,
                        const std::string &Name, const Expr *At,
                        const ParmVarDecl *P = nullptr) {
    if (In.empty() ||
        llvm::any_of(In, [](const Section *S) { return S->writes(); }) ||
        !WrongWrites.insert(Name).second)
      return;
    const Section &Sec = *In.front();
    const InferredSection *Known = P ? inferred(P) : nullptr;
    bool Reads = !Known || Known->ReadsOld || !Known->Writes;
    {
      auto Report = U.Report.report(At->getExprLoc(), diag::task_writes_in);
      Report << T.Definition << Name << At->getSourceRange();
      if (!Sec.Implicit)
        for (const FixItHint &Hint :
             moveSection(U, T, Sec, Reads ? "inout" : "out"))
          Report << Hint;
    }
    U.Report.report(Sec.Loc, diag::note_pragma_here);
    T.Broken = true;
  }

  template <typename Fn>
  std::vector<const Section *> sectionsWhere(Fn Matches) const {
    std::vector<const Section *> Out;
    for (const Section &S : T.Sections)
      if (Matches(S))
        Out.push_back(&S);
    return Out;
  }

  bool mustNotBeLoaded(const Roots &R, const Expr *At, bool IsTask) {
    const Expr *Loaded = R.Loaded ? R.Loaded : IsTask ? R.ViaAt : nullptr;
    if (Loaded)
      reportLoaded({At, Loaded});
    return !Loaded;
  }

  /// Where a function uses a pointer, and where it loaded it.
  struct Use {
    const Expr *At, *Loaded;
  };
  void reportLoaded(Use Where) {
    U.Report.report(Where.At->getExprLoc(), diag::device_loaded_pointer)
        << Where.Loaded->getSourceRange();
    T.Broken = true;
  }

  /// The parameters of \p F that must point to memory of the unit's own, since
  /// \p F uses pointers that lie there.
  using Uses = std::map<const ParmVarDecl *, Use>;
  std::map<const FunctionDecl *, Uses> MustBeOwn;
  const Uses &mustBeOwn(const FunctionDecl *F) {
    auto [It, New] = MustBeOwn.try_emplace(F);
    if (!New)
      return It->second; // also cuts recursion
    Accesses A;
    Sources S;
    A.TraverseStmt(F->getBody());
    S.TraverseStmt(F->getBody());
    Uses Out;
    auto use = [&](const Expr *E) {
      Roots R;
      Tracer(S, R, T, /*InTask=*/false).value(E);
      for (const ParmVarDecl *P : R.Via)
        Out.insert({P, {E, R.ViaAt}});
    };
    for (const Expr *E : A.Dereferenced)
      use(E);
    for (const CallExpr *Call : A.Calls) {
      for (const Expr *Arg : Call->arguments())
        if (Arg->getType()->isPointerType())
          use(Arg);
      eachOwnArgument(Call, S, [&](const ParmVarDecl *P, Use Where) {
        Out.insert({P, Where});
      });
    }
    return MustBeOwn[F] = Out;
  }
  /// The parameters that \p Call hands to one that must be the unit's own.
  template <typename Fn>
  void eachOwnArgument(const CallExpr *Call, const Sources &S, Fn Found) {
    const FunctionDecl *Def = definition(Call);
    if (!Def)
      return;
    const Uses Wanted = mustBeOwn(Def);
    for (unsigned I = 0; I < Def->getNumParams(); ++I) {
      auto It = Wanted.find(Def->getParamDecl(I));
      if (It == Wanted.end() || I >= Call->getNumArgs())
        continue;
      Roots R;
      Tracer(S, R, T, /*InTask=*/false).value(Call->getArg(I));
      for (const ParmVarDecl *P : R.Params)
        Found(P, It->second);
    }
  }

public:
  PointerCheck(ParsedUnit &U, Task &T) : U(U), T(T) {}

  void run(const DeviceClosure &C) {
    for (const FunctionDecl *F : C.Functions) {
      bool IsTask = F == T.Definition && !T.ForOthers;
      Accesses A;
      Sources S;
      A.TraverseStmt(F->getBody());
      S.TraverseStmt(F->getBody());
      if (IsTask)
        for (const Loop *L : T.Loops)
          if (L->SortKey)
            A.TraverseStmt(const_cast<Expr *>(L->SortKey));
      for (const Expr *E : A.Dereferenced) {
        Roots R;
        Tracer(S, R, T, IsTask).value(E);
        if (!mustNotBeLoaded(R, E, F == T.Definition))
          return;
        if (IsTask)
          for (const ParmVarDecl *P : R.Params)
            mustBeNamed(P, E);
      }
      bool Refused = false;
      for (const CallExpr *Call : A.Calls) {
        for (const Expr *Arg : Call->arguments()) {
          if (!Arg->getType()->isPointerType())
            continue;
          Roots R;
          Tracer(S, R, T, IsTask).value(Arg);
          if (!mustNotBeLoaded(R, Arg, F == T.Definition))
            return;
          if (IsTask)
            for (const ParmVarDecl *P : R.Params)
              mustBeNamed(P, Arg);
        }
        if (IsTask)
          eachOwnArgument(Call, S, [&](const ParmVarDecl *, Use Where) {
            if (!Refused)
              reportLoaded(Where);
            Refused = true;
          });
        if (Refused)
          return;
      }
      if (IsTask)
        for (const Expr *E : A.Stored) {
          Roots R;
          Tracer(S, R, T, IsTask).value(E);
          for (const ParmVarDecl *P : R.Params)
            mustBeNamed(P, E);
        }
      eachWrite(A, S, IsTask, [&](const Roots &R, const Expr *At) {
        for (const Expr *E : R.Held) {
          auto In = Tracer(S, const_cast<Roots &>(R), T, IsTask).through(E);
          mustNotBeWritten(In, "'" + In.front()->Pointer.Text + "'", At);
        }
        if (!IsTask)
          return;
        for (const ParmVarDecl *P : R.Params)
          mustNotBeWritten(sectionsOf(P), "'" + P->getNameAsString() + "'", At,
                           P);
        for (const VarDecl *G : R.Globals)
          mustNotBeWritten(sectionsWhere([&](const Section &Sec) {
                             return Sec.Pointer.Global == G;
                           }),
                           "'" + G->getNameAsString() + "'", At);
      });
      if (IsTask)
        findUnused(F, A);
    }
  }

private:
  void findUnused(const FunctionDecl *F, const Accesses &A) {
    for (const Section &Sec : T.Sections) {
      const ValueDecl *V = Sec.Pointer.Global;
      if (Sec.Param)
        V = F->getParamDecl(Sec.Param->getFunctionScopeIndex());
      // A clause may name s for the sake of s->p.
      if (V && !Sec.Implicit &&
          llvm::none_of(A.Mentioned, [&](const ValueDecl *M) {
            return M->getCanonicalDecl() == V->getCanonicalDecl();
          }))
        U.Report.report(Sec.Loc, diag::task_unused_section)
            << spellingOf(Sec.Clause) << V << removeSection(U, T, Sec);
    }
  }
};
} // namespace

void checkPointers(ParsedUnit &U, Task &T, const DeviceClosure &C) {
  PointerCheck(U, T).run(C);
}

} // namespace agglom
