// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostUnits.h"
#include "clang/AST/ASTContext.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace agglom {

/// A fix-it that inserts a wait on a line of its own before \p At.
static FixItHint waitBefore(const SourceManager &SM, SourceLocation At) {
  if (At.isInvalid() || At.isMacroID())
    return FixItHint();
  bool Invalid = false;
  FileID File = SM.getFileID(At);
  StringRef Text = SM.getBufferData(File, &Invalid);
  unsigned Offset = SM.getFileOffset(At);
  if (Invalid || Offset > Text.size())
    return FixItHint();
  auto lineOf = [&](size_t Position) {
    size_t Break = Text.substr(0, Position).rfind('\n');
    return Break == StringRef::npos ? 0 : Break + 1;
  };
  const std::string Pragma = "#pragma agglom wait\n";
  size_t Line = lineOf(Offset);
  if (!Text.slice(Line, Offset).trim().empty())
    return FixItHint::CreateInsertion(At, "\n" + Pragma);
  // The pragmas before a loop belong to it.
  while (Line) {
    size_t Previous = lineOf(Line - 1);
    StringRef Above = Text.slice(Previous, Line).ltrim();
    if (!Above.consume_front("#") || !Above.ltrim().starts_with("pragma"))
      break;
    Line = Previous;
  }
  return FixItHint::CreateInsertion(
      SM.getLocForStartOfFile(File).getLocWithOffset(Line), Pragma);
}

static FixItHint waitBefore(const SourceManager &SM, const Stmt *S) {
  while (auto *L = dyn_cast<LabelStmt>(S))
    S = L->getSubStmt();
  while (auto *Case = dyn_cast<SwitchCase>(S))
    S = Case->getSubStmt();
  return waitBefore(SM, S->getBeginLoc());
}

/// The place that the brackets of \p E count from: the object, or the pointee
/// of the pointer. \p OfParam gives the pointee of the pointer parameter with a
/// number.
Spot HostUnits::begins(const Expr *E,
                       llvm::function_ref<Spot(unsigned)> OfParam) const {
  E = E->IgnoreParenImpCasts();
  bool Pointer = E->getType()->isPointerType();
  if (auto *M = dyn_cast<MemberExpr>(E)) {
    Spot S = memberOf(begins(M->getBase(), OfParam), M);
    return Pointer ? S.pointee() : S;
  }
  auto *Ref = dyn_cast<DeclRefExpr>(E);
  auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  if (auto *P = dyn_cast_or_null<ParmVarDecl>(V))
    return Pointer ? OfParam(P->getFunctionScopeIndex()) : Spot();
  return V && V->hasGlobalStorage()
             ? Spot{V->getCanonicalDecl(), Pointer, Linear(), 0}
             : Spot();
}

/// The place where the memory of a section begins; without a variable when it
/// cannot be followed.
Spot HostUnits::begins(const Section &Sec,
                       llvm::function_ref<Spot(unsigned)> OfParam) const {
  if (Sec.gathers() || Sec.Dims.empty())
    return {};
  if (Sec.BaseExpr)
    return begins(Sec.BaseExpr, OfParam);
  if (Sec.Pointer.Kind == SectionPointer::Hidden)
    return {Sec.Pointer.Global, Sec.Pointer.Global->getType()->isPointerType(),
            Linear(), 0};
  return Sec.Pointer.E ? begins(Sec.Pointer.E, OfParam) : Spot();
}

void HostUnits::submitted(const Task &T, const CallExpr *Call) {
  auto Argument = [&](unsigned Param) {
    return Param < Call->getNumArgs() ? pointed(Call->getArg(Param)) : Spot();
  };
  for (const Section &Sec : T.Sections) {
    Spot At = begins(Sec, Argument);
    if (!At.Var)
      continue;
    const SectionDim &D = Sec.Dims[0];
    int64_t Size = sizeOf(Sec.Element);
    Arguments = Call;
    bool FromStart = true; // the section begins at the first element
    for (const SectionDim &Each : Sec.Dims)
      if (Each.LoExpr) {
        MaybeLinear Lo = linear(Each.LoExpr);
        FromStart &= Lo && Lo->constant() == 0;
      }
    MaybeLinear From = FromStart ? MaybeLinear(Linear())
                       : Sec.Dims.size() == 1 && !Sec.gathers()
                           ? bytes(D.LoExpr, Sec.Element)
                           : std::nullopt;
    Linear One;
    One.Constant = Size;
    MaybeLinear Length = Sec.Dims.size() != 1 || D.Strided || !D.LenExpr
                             ? MaybeLinear(One)
                             : times(linear(D.LenExpr), Size);
    Arguments = nullptr;
    llvm::SaveAndRestore<bool> Some(Cyclic, true);
    add(T, Sec, At, From, Length, Call->getExprLoc(), begins(Sec, Argument));
    addPointer(T, Sec, Call->getExprLoc());
  }
}

/// \p L with each variable replaced by ValueOf(variable).
template <typename Callback>
static MaybeLinear inTermsOf(const MaybeLinear &L, Callback ValueOf) {
  if (!L)
    return L;
  Linear Out;
  Out.Constant = L->Constant;
  for (const auto &[V, N] : L->Of) {
    MaybeLinear Value = ValueOf(V);
    if (!Value)
      return Value;
    Out = Out.plus(*Value, N);
  }
  for (const auto &[Both, N] : L->Products) {
    MaybeLinear Value = times(ValueOf(Both.first), ValueOf(Both.second));
    if (!Value)
      return Value;
    Out = Out.plus(*Value, N);
  }
  return Out;
}

MaybeLinear HostUnits::atCall(const MaybeLinear &L, const CallExpr *Call) {
  return inTermsOf(L, [&](const VarDecl *V) {
    auto *P = dyn_cast<ParmVarDecl>(V);
    return P && P->getFunctionScopeIndex() < Call->getNumArgs()
               ? linear(Call->getArg(P->getFunctionScopeIndex()))
               : std::nullopt;
  });
}

void HostUnits::leaveBehind() {
  auto isParameter = [&](const VarDecl *V) {
    return isa<ParmVarDecl>(V) && !Changed.count(V) && !Counted.count(V);
  };
  auto overParameters = [&](MaybeLinear L) {
    return L && L->all(isParameter) ? L : std::nullopt;
  };
  for (const Pending &P : Live)
    if (!P.Perhaps && P.Path.empty() &&
        (P.Behind ? isParameter(P.Var) : P.Var->hasGlobalStorage())) {
      UnitUse Use = P;
      Use.Offset = overParameters(P.Offset);
      Use.Length = overParameters(P.Length);
      Summary->Left.push_back(std::move(Use));
    }
}

void HostUnits::submitted(const UnitUse &Left, const CallExpr *Call) {
  Spot At = {Left.Var, Left.Behind, Linear(), 0};
  if (auto *P = dyn_cast<ParmVarDecl>(Left.Var))
    At = P->getFunctionScopeIndex() < Call->getNumArgs()
             ? pointed(Call->getArg(P->getFunctionScopeIndex()))
             : Spot();
  if (!At.Var)
    return;
  At = original(At.moved(atCall(Left.Offset, Call)));
  Pending P = pending(*Left.T, *Left.Sec, Left.At);
  static_cast<Spot &>(P) = At;
  P.Length = atCall(Left.Length, Call);
  P.Written = Left.Written;
  P.Whole = isWhole(P);
  if (!SecondBody)
    useOfWritten(P);
  put(std::move(P));
}

/// A new Pending at the current place of the walk.
Pending HostUnits::pending(const Task &T, const Section &Sec,
                           SourceLocation Place) {
  Pending P;
  P.Id = Ids++;
  P.At = Place;
  P.T = &T;
  P.Sec = &Sec;
  P.Blocks = Blocks.size();
  P.Loops = Loops.size();
  P.Conditions = Conditions;
  P.In = Blocks.empty() ? nullptr : Blocks.back();
  P.By = Here;
  return P;
}

void HostUnits::put(Pending P) {
  if (Here->Who == Team::First)
    againstOthers(P, /*Within=*/false);
  (SecondBody ? OfSecond : Live).push_back(std::move(P));
}

/// Adds a file-scope pointer that a section names: where CPUs run the unit, the
/// unit reads the pointer itself.
void HostUnits::addPointer(const Task &T, const Section &Sec,
                           SourceLocation Place) {
  const VarDecl *V = Sec.Pointer.Global;
  if (SecondBody || Sec.Pointer.Kind != SectionPointer::Hidden ||
      !V->getType()->isPointerType())
    return;
  Pending P = pending(T, Sec, Place);
  P.Var = V;
  P.Offset = Linear();
  P.Length = Linear();
  P.Length->Constant = sizeOf(V->getType());
  P.Whole = true;
  Live.push_back(std::move(P));
}

void HostUnits::add(const Task &T, const Section &Sec, Spot At,
                    const MaybeLinear &From, MaybeLinear Length,
                    SourceLocation Place, const Spot &Somewhere) {
  At = original(At.moved(From));
  if (!sizeOf(Sec.Element) ||
      (Length && Length->constant() && Length->Constant <= 0))
    return;
  Pending P = pending(T, Sec, Place);
  static_cast<Spot &>(P) = At;
  P.Length = Length;
  P.Written = Sec.writes();
  P.Whole = isWhole(P);
  P.Somewhere = Somewhere.moved(From).Offset;
  useOfWritten(P);
  put(std::move(P));
}

void HostUnits::resides(const Section &Sec) {
  const VarDecl *V = variableOf(Sec.BaseExpr);
  if (!V || Sec.gathers() || Sec.Implicit || Sec.Dims.size() != 1 ||
      Sec.Dims[0].Strided)
    return;
  const SectionDim &D = Sec.Dims[0];
  Pending P;
  P.Var = V;
  P.Behind = V->getType()->isPointerType();
  P.Offset = D.LoExpr ? bytes(D.LoExpr, D.Element) : MaybeLinear(Linear());
  P.Length = Linear();
  P.Length->Constant = sizeOf(P.Behind || D.LoExpr ? D.Element : V->getType());
  if (D.LenExpr)
    P.Length = times(linear(D.LenExpr), sizeOf(D.Element));
  P.Loops = Loops.size();
  P.Conditions = Conditions;
  P.Whole = isWhole(P);
  ResidentMemory.push_back(std::move(P));
}

void HostUnits::updated() {
  HostWrites.clear();
  ++Updates;
}

void HostUnits::leaves(HostWrite &W, const OpenLoop &L) const {
  MaybeLinear &Offset = W.At.Offset;
  if (Offset && L.Var && Offset->has(L.Var))
    Offset =
        L.First && !L.Jumped ? Offset->with(L.Var, *L.First) : std::nullopt;
  if (Offset && !outlives(*Offset))
    Offset.reset();
}

/// Warns when a unit on a device would read resident memory from before a write
/// of the host.
void HostUnits::useOfWritten(const Pending &P) {
  if (Summary || Cautious || !P.T->onDevice() || !P.Sec->reads())
    return;
  for (const HostWrite &W : HostWrites)
    if (meets(P, W.At, HostUse::Write) && Told.insert(W.E).second) {
      U.Report.report(W.E->getExprLoc(), diag::used_without_update)
          << P.Var << spokenName(*P.T) << W.E->getSourceRange();
      note(P);
    }
  llvm::erase_if(HostWrites,
                 [&](const HostWrite &W) { return Told.count(W.E); });
}

/// \p L with the parameters of the loop's function replaced by the variables of
/// the user's function that they stand for.
MaybeLinear HostUnits::inHost(const MaybeLinear &L, const HostLoop &H) const {
  return inTermsOf(L, [&](const VarDecl *V) -> MaybeLinear {
    auto *P = dyn_cast<ParmVarDecl>(V);
    const VarDecl *Host = P ? H.Captured[P->getFunctionScopeIndex()] : V;
    if (Changed.count(Host) || Counted.count(Host))
      return std::nullopt;
    if (auto It = Known.find(Host); It != Known.end())
      return It->second;
    Linear One;
    One.Of[Host] = 1;
    return One;
  });
}

void HostUnits::submitted(const HostLoop &H) {
  const CanonicalFor &C = H.Inner->Canonical;
  OpenLoop L;
  L.Var = C.Var;
  L.First = inHost(linear(C.First), H);
  if (C.Compare == BO_LT && C.StepValue == 1)
    L.Bound = inHost(linear(C.Bound), H);
  for (const Section &Sec : H.Unit->Sections) {
    Spot At = begins(Sec, [&](unsigned Param) {
      const VarDecl *V = H.Captured[Param];
      return Spot{V, !V->getType()->isArrayType(), Linear(), 0};
    });
    if (!At.Var)
      continue;
    const SectionDim &D = Sec.Dims[0];
    int64_t Size = sizeOf(Sec.Element);
    bool Plain = Sec.Dims.size() == 1 && !D.Strided;
    MaybeLinear From = Plain ? bytes(D.LoExpr, Sec.Element) : std::nullopt;
    // The loop's variable stays; parameters become the user's variables.
    if (From && From->factorOf(C.Var).constant()) {
      auto It = From->Of.find(C.Var);
      int64_t Factor = It == From->Of.end() ? 0 : It->second;
      From->Of.erase(C.Var);
      From = inHost(From, H);
      if (From && Factor)
        From->Of[C.Var] = Factor;
    } else {
      From.reset();
    }
    Linear One;
    One.Constant = Size;
    add(*H.Unit, Sec, At, From,
        Plain && D.LenExpr ? inHost(times(linear(D.LenExpr), Size), H)
                           : MaybeLinear(One),
        H.Loc);
    if (!Live.empty() && Live.back().Sec == &Sec && !leaves(Live.back(), L))
      Live.pop_back();
    addPointer(*H.Unit, Sec, H.Loc);
  }
}

void HostUnits::end(llvm::function_ref<bool(const VarDecl *)> Which,
                    SourceLocation At, bool Jump) {
  if (Summary)
    return;
  for (const Pending &P : Live)
    if (P.isOwn() && P.Var->hasLocalStorage() && !Resident.count(P.Var) &&
        !(P.Perhaps && Conditions > P.Conditions) && Which(P.Var)) {
      {
        auto Report = U.Report.report(At, diag::ends_before_wait);
        Report << P.Var << spokenName(*P.T) << P.Written;
        FixItHint Hint;
        if (!Jump)
          Hint = waitBefore(Context.getSourceManager(), At);
        else if (!Blocks.empty() && Blocks.back() != P.In)
          Hint = waitBefore(Context.getSourceManager(), Blocks.back());
        if (!Hint.isNull())
          Report << Hint;
      }
      note(P);
      return waited();
    }
}

bool HostUnits::isWhole(const Pending &P) const {
  int64_t Size = P.isOwn() ? sizeOf(P.Var->getType()) : 0;
  return Size && P.Offset && P.Offset->constant() && P.Offset->Constant <= 0 &&
         P.Length && P.Length->constant() &&
         P.Offset->Constant + P.Length->Constant >= Size;
}

void HostUnits::waited() {
  Live.clear();
  OfSecond.clear();
  ++Waits;
}

void HostUnits::forget(llvm::function_ref<bool(const VarDecl *)> Which) {
  if (Cautious)
    return;
  llvm::erase_if(HostWrites, [&](const HostWrite &W) {
    return W.At.Behind && Which(W.At.Var);
  });
  llvm::erase_if(Live, [&](const Pending &P) {
    if (!P.Behind || !Which(P.Var))
      return false;
    Killed.insert(P.Id);
    return true;
  });
}

void HostUnits::forgetPaths() {
  if (Cautious)
    return;
  llvm::erase_if(HostWrites,
                 [](const HostWrite &W) { return !W.At.Path.empty(); });
  llvm::erase_if(Live, [&](const Pending &P) {
    if (P.Path.empty())
      return false;
    Killed.insert(P.Id);
    return true;
  });
}

void HostUnits::points(const VarDecl *V, const Expr *E) {
  if (!V->getType()->isPointerType())
    return;
  Spot S = original(pointed(E));
  auto isSteady = [&](const VarDecl *Of) {
    return !Changed.count(Of) && !Counted.count(Of) && Of->hasLocalStorage();
  };
  // Where all must be sure: a pointer that is never given another value.
  bool Sure = S.Offset && S.Path.empty() && isSteady(V) &&
              (S.isOwn() || isSteady(S.Var));
  if (S.Var && S.Var != V && (Cautious || Sure))
    Aliases[V] = S;
}

/// \p S in terms of the variable that units' sections name, not of an alias.
Spot HostUnits::original(Spot S) const {
  auto It = S.Behind ? Aliases.find(S.Var) : Aliases.end();
  if (It == Aliases.end())
    return S;
  Spot Of =
      It->second.moved(S.Path.empty() && !Cautious ? S.Offset : std::nullopt);
  if (!Cautious && !S.Path.empty())
    return S;
  Of.Size = S.Size;
  return Of;
}

bool HostUnits::meets(const Pending &P, const Spot &S, HostUse Use) const {
  if (P.Var != S.Var || P.Behind != S.Behind || P.Path != S.Path)
    return false;
  if (Cautious) {
    bool Sure = P.Offset && P.Offset->constant() && P.Length &&
                P.Length->constant() && S.Offset && S.Offset->constant() &&
                S.Size && Use != HostUse::Free;
    return !Sure ||
           (S.Offset->Constant < P.Offset->Constant + P.Length->Constant &&
            P.Offset->Constant < S.Offset->Constant + S.Size);
  }
  if (P.Perhaps && Conditions > P.Conditions)
    return false;
  if (Use == HostUse::Free || P.Whole)
    return true;
  MaybeLinear At = atFirst(S.Offset, P.Loops);
  if (!At || !P.Offset || !S.Size)
    return false;
  // Before is the distance from the begin of the section to the access; After
  // is the distance from there to the end of the section.
  Linear Before = At->plus(*P.Offset, -1);
  if (Before.constant()) {
    if (Before.Constant == 0)
      return true;
    if (P.Length && P.Length->constant())
      return Before.Constant < P.Length->Constant &&
             Before.Constant + S.Size > 0;
  }
  if (!P.Length)
    return false;
  Linear After = P.Length->plus(Before, -1);
  return After.constant() == S.Size;
}

void HostUnits::access(Spot S, HostUse Use, const Expr *E) {
  S = original(S);
  if (!S.Var)
    return;
  if (Summary) {
    auto *Param = dyn_cast<ParmVarDecl>(S.Var);
    // Sure: on each path, and to memory as it was named at the call.
    bool Sure = !Conditions && !Ended && !Jumps;
    if (!S.isOwn())
      Sure &=
          !Changed.count(S.Var) && !Counted.count(S.Var) && (Param || !Moved);
    if (!Sure && !Cautious)
      return;
    S.Offset = Cautious ? std::nullopt : atFirst(S.Offset, 0);
    if (Param && S.Behind && S.Path.empty())
      Summary->Uses.push_back(
          {Param->getFunctionScopeIndex(), S.Offset, S.Size, Use});
    else if (S.Var->hasGlobalStorage())
      Summary->Globals.push_back({S, Use});
    return;
  }
  if (Use == HostUse::Write &&
      llvm::any_of(ResidentMemory,
                   [&](const Pending &P) { return meets(P, S, Use); }))
    HostWrites.push_back({S, E});
  for (const Pending &P : Live)
    if ((P.Written || Use != HostUse::Read) && meets(P, S, Use) &&
        (report(P, Use, E) || !Cautious)) {
      WaitAt = std::min(WaitAt, P.Blocks);
      waited(); // as if the proposed wait were there
      return;
    }
}

bool HostUnits::report(const Pending &P, HostUse Use, const Expr *E) {
  if (Resident.count(P.Var)) {
    if (Use == HostUse::Read) {
      U.Report.report(E->getExprLoc(), diag::used_before_update)
          << P.Var << spokenName(*P.T) << E->getSourceRange();
      note(P);
    }
    return false;
  }
  FixItHint Hint;
  if (P.Blocks && P.Blocks <= Blocks.size() && Blocks[P.Blocks - 1] != P.In)
    Hint = waitBefore(Context.getSourceManager(), Blocks[P.Blocks - 1]);
  // Behind a loop's body its condition is evaluated again.
  auto *Body = dyn_cast_or_null<CompoundStmt>(SecondBody);
  bool AtEnd = SecondBody && P.Blocks > Blocks.size();
  if (AtEnd && Body)
    Hint = waitBefore(Context.getSourceManager(), Body->getRBracLoc());
  if (Cautious && Hint.isNull())
    return false;
  if (Cautious && !Proposed.insert(Hint.RemoveRange.getBegin()).second)
    return true; // proposed already, in an earlier iteration
  {
    auto Report = U.Report.report(E->getExprLoc(), diag::used_before_wait);
    Report << P.Var << static_cast<int>(Use) << spokenName(*P.T) << P.Written
           << AtEnd << E->getSourceRange();
    if (!Hint.isNull())
      Report << Hint;
  }
  note(P);
  return !Hint.isNull();
}

void HostUnits::note(const Pending &P) {
  U.Report.report(P.At, P.T->From    ? diag::note_loop_submitted
                        : SecondBody ? diag::note_submitted_in_turn
                                     : diag::note_submitted_here)
      << spellingOf(P.Sec->Clause) << P.Sec->Text;
}

bool HostUnits::outlives(const VarDecl *V) const {
  auto It = Level.find(V);
  return It == Level.end() || It->second <= Loops.size();
}

bool HostUnits::outlives(const Linear &L) const {
  return L.all([&](const VarDecl *V) { return outlives(V); });
}

bool HostUnits::leaves(Pending &P, const OpenLoop &L) {
  P.Loops = std::min(P.Loops, Loops.size());
  if (P.Offset && !outlives(*P.Offset))
    P.Offset.reset();
  if (P.Length && (!outlives(*P.Length) || P.Length->has(L.Var)))
    P.Length.reset();
  if (!P.Offset || !L.Var || !P.Offset->has(L.Var))
    return true;
  if (!L.First || L.Jumped || P.Perhaps) {
    P.Offset.reset();
    return true;
  }
  Linear Step = P.Offset->factorOf(L.Var);
  bool All = L.Bound && P.Length && *P.Length == Step && !P.OfFirst;
  if (Cautious && !All) { // any of the loop's iterations
    P.Offset.reset();
    return true;
  }
  P.Offset = P.Offset->with(L.Var, *L.First);
  if (All)
    P.Length = L.Bound->plus(*L.First, -1).times(Step);
  P.Whole = isWhole(P);
  return !P.Length || !P.Length->constant() || P.Length->Constant > 0;
}

} // namespace agglom
