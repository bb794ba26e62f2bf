// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the walker follows calls: the body of the function is executed, and only
// once for equal arguments.

#include "Walker.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace agglom {

static const size_t MostCalls = 16;

/// \returns whether \p F is a library function that is known here.
bool Walker::libraryCall(const FunctionDecl *F, const std::vector<Values> &Args,
                         const CallExpr *E) {
  StringRef Name = libraryName(F);
  auto Size = [&](unsigned I) {
    return Args[I].size() == 1 && Args[I][0].Kind == Value::Integer
               ? Args[I][0].P
               : Poly::invalid();
  };
  if ((Name == "memcpy" || Name == "memmove") && Args.size() >= 3) {
    access(Args[1], Size(2), false, E->getArg(1));
    access(Args[0], Size(2), true, E->getArg(0));
  } else if (Name == "memset" && Args.size() >= 3) {
    access(Args[0], Size(2), true, E->getArg(0));
  } else if (Name == "memcmp" && Args.size() >= 3) {
    access(Args[0], Size(2), false, E->getArg(0));
    access(Args[1], Size(2), false, E->getArg(1));
  } else if (Name == "strncpy" && Args.size() >= 3) {
    anything(Args[1], E->getArg(1), /*Write=*/false, E);
    access(Args[0], Size(2), true, E->getArg(0));
  } else {
    return false;
  }
  return true;
}

/// Whether the function does not read what its argument \p I points to.
static bool onlyWrites(const FunctionDecl *F, unsigned I) {
  StringRef Name = libraryName(F);
  if (I == 0)
    return Name == "strcpy" || Name == "stpcpy" || Name == "stpncpy";
  return (I == 1 &&
          (Name == "frexp" || Name == "frexpf" || Name == "modf" ||
           Name == "modff" || Name == "lgamma_r" || Name == "lgammaf_r")) ||
         (I == 2 && (Name == "remquo" || Name == "remquof")) ||
         Name == "sincos" || Name == "sincosf";
}

/// Records that the call may access any memory in the bases of \p Pointer.
void Walker::anything(const Values &Pointer, const Expr *At, bool Write,
                      const CallExpr *E) {
  for (Value V : Pointer) {
    V.P = Poly::invalid();
    V.Why = E;
    access({V}, Poly::invalid(), Write, At);
  }
}

static bool isTracked(QualType T) {
  return T->isIntegerType() || T->isPointerType();
}

static bool sameValues(const Values &A, const Values &B) {
  auto same = [](const Value &X, const Value &Y) {
    return X.Kind == Y.Kind && X.In == Y.In && X.When == Y.When &&
           (X.Kind == Value::Unknown || X.P == Y.P);
  };
  return std::equal(A.begin(), A.end(), B.begin(), B.end(), same);
}

/// Whether another call with equal arguments has the result \p V: no symbol in
/// \p V was created during the call, from \p Mark on.
static bool isOfArguments(const Values &V, SymbolId Mark) {
  auto fits = [&](const Poly &P) {
    for (const auto &[M, C] : P.terms())
      if (!M.empty() && M.back() >= Mark)
        return false;
    return true;
  };
  return llvm::all_of(V, [&](const Value &X) {
    return fits(X.P) && llvm::all_of(X.When, fits);
  });
}

/// An earlier call of \p F in this loop with the same arguments, at a place
/// where no other facts were known. A repeated call makes no other accesses.
const Walker::FinishedCall *
Walker::finished(const FunctionDecl *F, const std::vector<Values> &Args) const {
  for (const FinishedCall &C : Finished) {
    const WalkState &At = C.Entry;
    if (C.Function != F || (Recording && !C.Recorded) || At.Guards > S.Guards ||
        At.Opaque.size() > S.Opaque.size() ||
        At.Facts.size() > S.Facts.size() ||
        !std::equal(At.Facts.begin(), At.Facts.end(), S.Facts.begin()) ||
        !std::equal(At.Opaque.begin(), At.Opaque.end(), S.Opaque.begin(),
                    [](const OpaqueGuard &A, const OpaqueGuard &B) {
                      return A.Condition == B.Condition && A.About == B.About;
                    }) ||
        !std::equal(Args.begin(), Args.end(), C.Args.begin(), C.Args.end(),
                    sameValues))
      continue;
    if (llvm::all_of(At.Written, [&](const Cell &W) {
          return llvm::is_contained(S.Written, W);
        }))
      return &C;
  }
  return nullptr;
}

Values Walker::called(const FunctionDecl *F, std::vector<Values> Args,
                      const CallExpr *E) {
  bool Result = isTracked(E->getType());
  // The called function changes no tracked variable of the caller.
  if (!Recording && !Result)
    return {Value::unknown(E)};
  if (const FinishedCall *C = finished(F, Args)) {
    for (const Cell &W : C->Wrote)
      written(W);
    return Result ? C->Result : Values{Value::unknown(E)};
  }
  auto Vars = std::exchange(S.Vars, {});
  FinishedCall C{F, Args, S, Recording, {}, {}};
  S.Vars = std::move(Vars);
  SymbolId Mark = Out.Names.size();
  C.Result = inlined(F, std::move(Args), E);
  if (stopped() || S.Dead || (Result && !isOfArguments(C.Result, Mark)))
    return C.Result;
  for (const Cell &W : S.Written)
    if (!llvm::is_contained(C.Entry.Written, W))
      C.Wrote.push_back(W);
  Finished.push_back(std::move(C));
  return Finished.back().Result;
}

Values Walker::inlined(const FunctionDecl *F, std::vector<Values> Args,
                       const CallExpr *E) {
  // The called function does not see the caller's variables.
  auto Vars = std::exchange(S.Vars, {});
  WalkState Before = S;
  for (unsigned I = 0; I < F->getNumParams(); ++I) {
    const ParmVarDecl *P = F->getParamDecl(I);
    if (isTracked(P->getType()))
      S.Vars[P] = I < Args.size() ? Args[I] : Values{Value::unknown(E)};
  }
  takenBy(F->getBody(), Untracked);
  for (unsigned I = 0; I < F->getNumParams(); ++I)
    if (Untracked.count(F->getParamDecl(I)))
      S.Vars.erase(F->getParamDecl(I));
  Frames.push_back({F, S.Facts.size(), {}, {}});
  std::vector<Target> Outer;
  std::swap(Outer, Targets);
  exec(F->getBody());
  std::swap(Outer, Targets);
  Frame Done = std::move(Frames.back());
  Frames.pop_back();
  if (!S.Dead)
    Done.Returns.push_back(S);
  for (WalkState &W : Done.Returns)
    W.Dead = false;
  join(Done.Returns, Before);
  S.Vars = std::move(Vars);
  S.Guards = Before.Guards;
  S.Opaque = Before.Opaque;
  if (stopped() || Done.Results.empty())
    return {Value::unknown(E)};
  Values All;
  for (Values &V : Done.Results)
    All.insert(All.end(), V.begin(), V.end());
  return limited(std::move(All), E);
}

Values Walker::call(const CallExpr *E) {
  std::vector<Values> Args;
  for (const Expr *A : E->arguments())
    Args.push_back(eval(A));
  const FunctionDecl *F = E->getDirectCallee(), *Definition = nullptr;
  if (!F) {
    eval(E->getCallee());
    obstacle("it calls through a pointer", E->getExprLoc());
    return {Value::unknown(E)};
  }
  if (libraryCall(F, Args, E))
    return Args[0];
  if (F->hasBody(Definition) && !F->isVariadic()) {
    bool Recursive = false;
    for (const Frame &Each : Frames)
      Recursive |= Each.Function == Definition;
    if (!Recursive && Frames.size() < MostCalls)
      return called(Definition, std::move(Args), E);
  }
  for (unsigned I = 0; I < Args.size(); ++I) {
    QualType T = E->getArg(I)->getType();
    if (!T->isPointerType() || T->getPointeeType()->isFunctionType())
      continue;
    QualType Param = I < F->getNumParams() ? F->getParamDecl(I)->getType() : T;
    if (!onlyWrites(F, I))
      anything(Args[I], E->getArg(I), /*Write=*/false, E);
    if (!Param->isPointerType() || !Param->getPointeeType().isConstQualified())
      anything(Args[I], E->getArg(I), /*Write=*/true, E);
  }
  return ofType(E->getType(), E);
}

} // namespace agglom
