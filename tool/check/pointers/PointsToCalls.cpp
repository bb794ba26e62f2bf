// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How pointers flow through calls: a function has a frame for each set of
// arguments, and another frame for each element that a call asks for.

#include "PointsTo.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

/// Whether \p Call copies memory from its second argument to its first.
static bool copiesMemory(const CallExpr *Call) {
  StringRef Name = libraryName(Call->getDirectCallee());
  return Call->getNumArgs() >= 3 &&
         (Name == "memcpy" || Name == "memmove" || Name == "mempcpy");
}

Targets PointsTo::libraryResult(unsigned Frame, const CallExpr *Call) {
  if (copiesMemory(Call))
    return moved(value(Frame, Call->getArg(0)), std::nullopt);
  const FunctionDecl *F = Call->getDirectCallee();
  if (!F)
    return {};
  // A function without a body here returns a pointer that it was given, or else
  // one that it loads from memory behind its arguments.
  QualType Result = Call->getType();
  Targets Same, Loaded;
  for (unsigned I = 0; I < Call->getNumArgs(); ++I) {
    const Expr *Arg = Call->getArg(I);
    if (!mayReturn(Call, I))
      continue;
    Targets Given = value(Frame, Arg);
    bool Fits = !Arg->getType()->isPointerType() || !Result->isPointerType() ||
                !isDeclaredElsewhere(F) ||
                Context.hasSameUnqualifiedType(Arg->getType()->getPointeeType(),
                                               Result->getPointeeType());
    if (Fits) {
      Same.insert(moved(Given, std::nullopt));
      continue;
    }
    Loaded.insert(load(Frame, Call, anywhere(Given)));
  }
  return Same.empty() ? Loaded : Same;
}

Targets PointsTo::result(unsigned Frame, const CallExpr *Call) {
  const FunctionDecl *F = definitionOf(Call);
  return F && Facts.count(F) ? Frames[frameOf(Frame, Call, F)].Result
                             : libraryResult(Frame, Call);
}

/// Whether memory that a section names may be reached through pointers at \p P.
bool PointsTo::leadsOn(const Target &P) const {
  const Region &R = Regions[P.Region];
  return !R.Behind.empty() || !R.Copies.empty();
}

unsigned PointsTo::newFrame(const FunctionDecl *F) {
  Frames.emplace_back();
  Frames.back().Function = F;
  Changed = true;
  return Frames.size() - 1;
}

unsigned PointsTo::newFrame(unsigned Frame, const CallExpr *Call,
                            const FunctionDecl *F) {
  unsigned Id = newFrame(F);
  Frames[Id].Call = Call;
  Frames[Id].Caller = Frame;
  return Id;
}

/// The frame of a call that passes elements or indexes of pointers: a function
/// is analysed for each of them.
std::optional<unsigned> PointsTo::elementFrame(unsigned Frame,
                                               const CallExpr *Call,
                                               const FunctionDecl *F,
                                               const Arguments &Args) {
  bool LeadsOn = false, Displaced = false, Chosen = false;
  for (const Targets &Arg : Args)
    for (const Target &P : Arg)
      if (leadsOn(P)) {
        LeadsOn = true;
        Displaced |= P.At && !P.At->isZero();
      }
  if (!LeadsOn)
    return std::nullopt;
  std::vector<MaybeDisplacement> Numbers;
  if (ChoosesElements.count(F))
    for (const Expr *Arg : Call->arguments()) {
      Numbers.push_back(Arg->getType()->isIntegerType() ? linear(Frame, Arg)
                                                        : std::nullopt);
      Chosen |= Numbers.back().has_value();
    }
  if (!Displaced && !Chosen)
    return std::nullopt;
  auto [It, New] = Known.try_emplace({F, Args, Numbers}, 0);
  if (!New)
    return It->second;
  if (!ElementFrames.take(F)) {
    Known.erase(It);
    return std::nullopt;
  }
  unsigned Id = It->second = newFrame(Frame, Call, F);
  Frames[Id].Integers = std::move(Numbers);
  give(Id, Args);
  return Id;
}

unsigned PointsTo::frameOf(unsigned Frame, const CallExpr *Call,
                           const FunctionDecl *F) {
  if (auto It = FrameIds.find({Frame, Call}); It != FrameIds.end())
    return It->second;
  Arguments Args;
  for (unsigned I = 0; I < F->getNumParams() && I < Call->getNumArgs(); ++I) {
    const Expr *Arg = Call->getArg(I);
    Args.push_back(Arg->getType()->isRecordType() ? place(Frame, Arg)
                                                  : value(Frame, Arg));
  }
  bool Single = C.Recursive.count(F);
  if (!Single)
    if (auto Id = elementFrame(Frame, Call, F, Args))
      return FrameIds[{Frame, Call}] = *Id;
  for (Targets &Arg : Args) {
    Targets Elsewhere;
    for (const Target &P : Arg)
      Elsewhere.insert(P.At && P.At->isZero() ? P : moved(P, std::nullopt));
    Arg = std::move(Elsewhere);
  }
  unsigned Id;
  auto It = Known.find({F, Args, {}});
  if (!Single && It != Known.end()) {
    Id = It->second;
  } else if (!Single && OwnFrames.take(F)) {
    Id = newFrame(Frame, Call, F);
    Known[{F, Args, {}}] = Id;
    give(Id, Args);
  } else {
    auto [Merged, New] = MergedFrames.try_emplace(F, 0);
    if (New) {
      Merged->second = newFrame(Frame, Call, F);
      Frames[Merged->second].Merged = true;
    }
    Id = Merged->second;
    give(Id, Args);
  }
  return FrameIds[{Frame, Call}] = Id;
}

std::vector<unsigned> PointsTo::liveFrames() const {
  llvm::SetVector<unsigned, std::vector<unsigned>> Live;
  Live.insert(0);
  for (unsigned I = 0; I < Live.size(); ++I)
    for (const CallExpr *Call : facts(Frames[Live[I]].Function).Calls)
      if (auto It = FrameIds.find({Live[I], Call}); It != FrameIds.end())
        Live.insert(It->second);
  return Live.takeVector();
}

/// Finds the functions whose integer arguments may select the pointer they
/// load.
void PointsTo::findChoosers() {
  for (const FunctionDecl *F : C.Functions)
    if (facts(F).IndexesPointers)
      ChoosesElements.insert(F);
  for (size_t Before = ~size_t(0); Before != ChoosesElements.size();) {
    Before = ChoosesElements.size();
    for (const auto &[F, Callees] : C.Calls)
      if (llvm::any_of(Callees, [&](const FunctionDecl *Callee) {
            return ChoosesElements.count(Callee);
          }))
        ChoosesElements.insert(F);
  }
}

void PointsTo::give(unsigned Frame, const Arguments &Args) {
  for (unsigned I = 0; I < Args.size(); ++I) {
    const ParmVarDecl *P = Frames[Frame].Function->getParamDecl(I);
    Targets To = {{variable(Frame, P)}};
    if (P->getType()->isRecordType())
      copy(To, Args[I], Context.getTypeSizeInChars(P->getType()).getQuantity());
    else
      store(To, Args[I]);
  }
}

/// The operand that \p A stores, or combines with the stored value; null for
/// loads and for the forms that take this operand by address.
static const Expr *writtenBy(const AtomicExpr *A) {
  switch (A->getOp()) {
  case AtomicExpr::AO__atomic_load:
  case AtomicExpr::AO__atomic_store:
  case AtomicExpr::AO__atomic_exchange:
  case AtomicExpr::AO__atomic_compare_exchange:
    return nullptr;
  case AtomicExpr::AO__c11_atomic_init:
    return A->getVal1();
  default:
    break;
  }
  // Operands: pointer, order, value; for compare-exchange then order, value.
  if (A->isCmpXChg())
    return A->getVal2();
  return A->getNumSubExprs() > 2 ? A->getVal1() : nullptr;
}

void PointsTo::applyAtomic(unsigned Frame, const AtomicExpr *A) {
  Targets At = value(Frame, A->getPtr());
  QualType Type = A->getPtr()->getType()->getPointeeType();
  int64_t Size = Type->isIncompleteType()
                     ? -1
                     : Context.getTypeSizeInChars(Type).getQuantity();
  auto copyTo = [&](const Expr *To) { copy(value(Frame, To), At, Size); };
  auto copyFrom = [&](const Expr *From) { copy(At, value(Frame, From), Size); };
  if (const Expr *Written = writtenBy(A))
    store(At, value(Frame, Written));
  if (A->isCmpXChg())
    copyTo(A->getVal1()); // *expected gets the current value
  switch (A->getOp()) {
  case AtomicExpr::AO__atomic_load:
    copyTo(A->getVal1());
    break;
  case AtomicExpr::AO__atomic_exchange:
    copyTo(A->getVal2());
    [[fallthrough]];
  case AtomicExpr::AO__atomic_store:
    copyFrom(A->getVal1());
    break;
  case AtomicExpr::AO__atomic_compare_exchange:
    copyFrom(A->getVal2());
    break;
  default:
    break;
  }
}

void PointsTo::apply(unsigned Frame) {
  const PointerFacts &F = facts(Frames[Frame].Function);
  for (const VarDecl *V : F.Initialised)
    initialise(
        Frame,
        {F.follows(V) ? literal(Frame, V->getInit()) : variable(Frame, V)},
        V->getInit());
  for (const CompoundLiteralExpr *E : F.Literals)
    initialise(Frame, {literal(Frame, E)}, E->getInitializer());
  for (const PointerFacts::Assignment &A : F.Assignments) {
    const VarDecl *V = variableOf(A.To);
    assign(Frame,
           V && F.follows(V) ? Targets{{literal(Frame, A.Whole)}}
                             : place(Frame, A.To),
           A.From);
  }
  for (const CallExpr *Call : F.Calls) {
    const FunctionDecl *Callee = definitionOf(Call);
    if (Callee && Facts.count(Callee))
      frameOf(Frame, Call, Callee);
    else if (copiesMemory(Call))
      copy(value(Frame, Call->getArg(0)), value(Frame, Call->getArg(1)),
           constantOf(Call->getArg(2), Context, 32).value_or(-1));
  }
  for (const AtomicExpr *A : F.Atomics)
    applyAtomic(Frame, A);
  for (const Expr *E : F.Returned) {
    if (E->getType()->isRecordType()) {
      assign(Frame, {{resultOf(Frame)}}, E);
      continue;
    }
    Targets What = value(Frame, E); // may add to Frames: evaluated first
    Changed |= Frames[Frame].Result.insert(What);
  }
}

} // namespace agglom
