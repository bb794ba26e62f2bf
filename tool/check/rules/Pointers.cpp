// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that clauses name the memory that the body accesses. Every dereference
// is traced back to the origin of its pointer:
//
//   a[i].x          -> parameter a           must be named in a data clause
//   q = a + 3; *q   -> the values of q         the same
//   s->p[i]         -> loaded from memory      \see HostAddresses.cpp
//   table[i]        -> an object of the file  must be named as well
//   local[i]        -> the unit's own        fine

#include "AstVisitor.h"
#include "FixIts.h"
#include "Inference.h"
#include "PointerRoots.h"
#include "PointsTo.h"
#include "Rules.h"
#include "SharedVariables.h"
#include "clang/AST/ASTContext.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace agglom {

namespace {
/// The dereferences, writes and calls of one function, on devices if it is
/// \p Of's.
class Accesses : public AstVisitor<Accesses> {
  const Task &Of;

public:
  explicit Accesses(const Task &Of) : Of(Of) {}

  std::vector<const Expr *> Dereferenced; ///< pointer expressions
  std::vector<const Expr *> Written;      ///< lvalues
  std::vector<const Expr *> Stored;       ///< pointers put into memory
  std::vector<const CallExpr *> Calls;
  llvm::SmallPtrSet<const ValueDecl *, 16> Mentioned;

  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) {
    return true;
  }
  bool TraverseForStmt(ForStmt *S) {
    return Of.isGivenItsEnds(S) ? TraverseStmt(S->getBody())
                                : AstVisitor<Accesses>::TraverseForStmt(S);
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
  /// The body that is judged: the task's or its variant's.
  const FunctionDecl *Root = nullptr;
  std::map<const FunctionDecl *, std::set<const ParmVarDecl *>> WrittenBy;
  std::set<const ParmVarDecl *> Reported;
  std::optional<Inference> Inferred;
  std::set<std::string> WrongWrites;
  /// At a write by a function that is defined elsewhere: its parameter.
  const ParmVarDecl *MayWrite = nullptr;

  static const FunctionDecl *definition(const CallExpr *Call) {
    const FunctionDecl *F = Call->getDirectCallee(), *Def = nullptr;
    if (F)
      F->hasBody(Def);
    return Def;
  }

  /// The parameters of \p F behind which \p F may write, also through functions
  /// that it calls.
  const std::set<const ParmVarDecl *> &writtenBy(const FunctionDecl *F) {
    auto [It, New] = WrittenBy.try_emplace(F);
    return New ? findWrittenBy(F) : It->second; // \see settle()
  }
  const std::set<const ParmVarDecl *> &findWrittenBy(const FunctionDecl *F) {
    Accesses A(T);
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
        // __sync_...() has integer parameters where pointers are passed.
        QualType To = F->getParamDecl(I)->getType();
        bool Writes = Def ? writtenBy(Def).count(Def->getParamDecl(I)) != 0
                          : !To->isPointerType() ||
                                !To->getPointeeType().isConstQualified();
        if (!Writes)
          continue;
        Roots R;
        Tracer(S, R, T, InTask).value(Arg);
        llvm::SaveAndRestore<const ParmVarDecl *> At(
            MayWrite, Def || F->getBuiltinID() ? nullptr : F->getParamDecl(I));
        Found(R, Arg);
      }
    }
  }

  /// The sections whose pointer is parameter \p P itself.
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
    if (T.From) {
      std::string Clause = clauseOfLoop(P);
      const VarDecl *Array = Clause.empty() ? nullptr : scratchArray(P);
      if (Array && countOf(T.From->In->getBody(), Array) ==
                       countOf(T.From->For, Array)) {
        Clause = "private(" + P->getNameAsString() + ")";
        U.Report.report(At->getExprLoc(), diag::loop_variable_known)
            << P << Clause << addClause(U, T, Clause);
      } else if (Array) {
        U.Report.report(At->getExprLoc(), diag::loop_variable_shared) << P;
      } else if (Clause.empty())
        U.Report.report(At->getExprLoc(), diag::for_missing_section)
            << P << P->getName() << At->getSourceRange();
      else
        U.Report.report(At->getExprLoc(), diag::for_missing_known_section)
            << P << Clause << At->getSourceRange() << addClause(U, T, Clause);
      U.Report.report(T.Loc, diag::note_loop_here);
      return;
    }
    const InferredSection *Known = inferred(P);
    if (Known && Known->Known && !Known->Doubtful) {
      std::string Clause =
          (spellingOf(Known->clause()) + "(" + Known->Text + ")").str();
      U.Report.report(At->getExprLoc(), diag::task_missing_known_section)
          << T.Definition << P << Clause << At->getSourceRange()
          << addClause(U, T, Clause);
    } else {
      U.Report.report(At->getExprLoc(), diag::task_missing_section)
          << T.Definition << P
          << T.Declared->getParamDecl(P->getFunctionScopeIndex())->getName()
          << At->getSourceRange();
      if (Known)
        U.Report.report(Known->WhyAt ? Known->WhyAt->getExprLoc()
                                     : At->getExprLoc(),
                        diag::note_not_inferred)
            << P << Known->Why;
    }
    U.Report.report(T.Loc, diag::note_pragma_here);
  }

  /// The inferred section behind a parameter, with the names of the declaration
  /// that has the pragma.
  const InferredSection *inferred(const ParmVarDecl *P) {
    if (T.From && T.From->Inner->Broken)
      return nullptr;
    if (!Inferred)
      Inferred = inferTask(U.Context, T, Root);
    return Inferred->of(P->getFunctionScopeIndex());
  }

  /// The clause for the memory that each iteration of a `for` uses, where it is
  /// certain; else "".
  std::string clauseOfLoop(const ParmVarDecl *P) {
    const InferredSection *S = inferred(P);
    return S && Inferred && isSure(U.Context, T, *Inferred, *S) ? clauseOf(*S)
                                                                : "";
  }

  /// The array of the function around the loop that is \p P in it, if each
  /// iteration writes the same elements of it and reads only what it wrote.
  const VarDecl *scratchArray(const ParmVarDecl *P) {
    const VarDecl *Array = T.From->Captured[P->getFunctionScopeIndex()];
    const InferredSection *S = inferred(P);
    if (!S || !Inferred || !Inferred->Body.Iteration)
      return nullptr;
    SymbolId Iteration = *Inferred->Body.Iteration;
    return Array->hasLocalStorage() &&
                   Array->getType()->isConstantArrayType() && S->Writes &&
                   !S->ReadsOld && !S->Lo.mentions(Iteration) &&
                   !S->Len.mentions(Iteration)
               ? Array
               : nullptr;
  }

  /// Reports a write of memory that all sections \p In name as input.
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
      Report << spokenName(T) << Name << At->getSourceRange();
      if (!Sec.Implicit)
        for (const FixItHint &Hint :
             moveSection(U, T, Sec, Reads ? "inout" : "out"))
          Report << Hint;
    }
    if (MayWrite)
      U.Report.report(MayWrite->getLocation(), diag::note_may_write)
          << cast<FunctionDecl>(MayWrite->getDeclContext());
    U.Report.report(Sec.Loc, notePlace(T));
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

  /// Computes writtenBy() for functions that call each other: repeated until
  /// the sets do not grow any more.
  void settle(const DeviceClosure &C) {
    if (C.Recursive.empty())
      return;
    for (size_t Before = 0, Now = 1; Now != Before;) {
      Before = Now;
      Now = 1;
      for (const FunctionDecl *F : C.Functions)
        Now += findWrittenBy(F).size();
    }
  }

public:
  PointerCheck(ParsedUnit &U, Task &T) : U(U), T(T) {}

  void run(const DeviceClosure &C) {
    Root = C.Functions[0];
    PointsTo P(U, T, C);
    if (!checkHostAddresses(U, T, P))
      return;
    settle(C);
    for (const FunctionDecl *F : C.Functions) {
      bool IsTask = F == Root && !T.ForOthers;
      Accesses A(T);
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
        if (IsTask)
          for (const ParmVarDecl *P : R.Params)
            mustBeNamed(P, E);
      }
      for (const CallExpr *Call : A.Calls) {
        for (const Expr *Arg : Call->arguments()) {
          if (!Arg->getType()->isPointerType())
            continue;
          Roots R;
          Tracer(S, R, T, IsTask).value(Arg);
          if (IsTask)
            for (const ParmVarDecl *P : R.Params)
              mustBeNamed(P, Arg);
        }
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
      if (IsTask && !T.Variant)
        findUnused(F, A, C);
    }
    if (!T.Broken)
      checkPointerRelations(U, T, P);
  }

private:
  void findUnused(const FunctionDecl *F, const Accesses &A,
                  const DeviceClosure &C) {
    for (const Section &Sec : T.Sections) {
      const ValueDecl *V = Sec.Pointer.Global;
      if (Sec.Param)
        V = F->getParamDecl(Sec.Param->getFunctionScopeIndex());
      auto mentions = [&](const Accesses &In) {
        return llvm::any_of(In.Mentioned, [&](const ValueDecl *M) {
          return M->getCanonicalDecl() == V->getCanonicalDecl();
        });
      };
      auto inCallee = [&](const FunctionDecl *Callee) {
        Accesses There(T);
        There.TraverseStmt(Callee->getBody());
        return mentions(There);
      };
      // A clause may name s only because another names s->p.
      if (V && !Sec.Implicit && !mentions(A) &&
          !(Sec.Pointer.Global && llvm::any_of(C.Functions, inCallee)))
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
