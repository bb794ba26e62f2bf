// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PointsTo.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace agglom {

/// A function with more sets of arguments is looked at with all of them at
/// once, as are all functions in a kernel with more in all.
static constexpr unsigned MostFrames = 8, MostFramesInAll = 64;
/// In one region; beyond, offsets are not told apart.
static constexpr size_t MostOffsets = 256;

PointsTo::PointsTo(ParsedUnit &U, const Task &T, const DeviceClosure &C)
    : U(U), T(T), C(C), Context(U.Context) {
  Constants = newRegion(Region::Constant);
  for (const FunctionDecl *F : C.Functions) {
    auto [It, New] = Facts.try_emplace(F, Context);
    It->second.add(F->getBody());
    if (F == C.Functions[0])
      for (const Loop *L : T.Loops)
        if (L->SortKey)
          It->second.add(L->SortKey);
    It->second.order(F);
    Integers |= It->second.HasAddressesAsIntegers;
  }
  newFrame(C.Functions[0]);
  nameSections();
  // What is given goes down the calls, what is returned up.
  do {
    Changed = false;
    FrameIds.clear();
    for (unsigned F = 0; F < Frames.size(); ++F)
      apply(F);
    FrameIds.clear();
    for (unsigned F = Frames.size(); F-- > 0;)
      apply(F);
  } while (Changed);
}

unsigned PointsTo::newRegion(Region::KindTy Kind) {
  Regions.emplace_back();
  Regions.back().Kind = Kind;
  return Regions.size() - 1;
}

unsigned PointsTo::resultOf(unsigned Frame) {
  if (std::optional<unsigned> Known = Frames[Frame].ResultRegion)
    return *Known;
  unsigned R = newRegion(Region::Own);
  Frames[Frame].ResultRegion = R;
  return R;
}

unsigned PointsTo::newFrame(const FunctionDecl *F) {
  Frames.emplace_back();
  Frames.back().Function = F;
  Changed = true;
  return Frames.size() - 1;
}

unsigned PointsTo::variable(unsigned Frame, const VarDecl *V) {
  V = V->getCanonicalDecl();
  if (V->hasGlobalStorage()) {
    auto [It, New] = FileObjects.try_emplace(V, Constants);
    if (New && isBlockShared(V))
      It->second = newRegion(Region::Own);
    else if (New && T.names(V))
      It->second = newRegion(Region::Host);
    return It->second;
  }
  auto [It, New] = Frames[Frame].Variables.try_emplace(V, 0);
  if (New) {
    unsigned R = newRegion(Region::Own);
    Frames[Frame].Variables[V] = R;
    Regions[R].Received = Frame == 0 && isa<ParmVarDecl>(V);
    return R;
  }
  return It->second;
}

/// Where the value of \p E is kept.
unsigned PointsTo::literal(unsigned Frame, const Expr *E) {
  auto [It, New] = Frames[Frame].Literals.try_emplace(E, 0);
  if (New)
    return Frames[Frame].Literals[E] = newRegion(Region::Own);
  return It->second;
}

unsigned PointsTo::unknown(unsigned Frame, const Expr *E, Target From) {
  auto [It, New] =
      Unknowns.try_emplace({Frame, E, From.Region, From.Offset}, 0);
  if (New) {
    It->second = newRegion(Region::Unknown);
    Region &R = Regions.back();
    R.Loaded = E;
    R.Frame = Frame;
    R.Holder = From.Region;
    R.HolderOffset = From.Offset;
  }
  return It->second;
}

Target PointsTo::at(Target P, int64_t By) {
  if (P.Offset == Target::Anywhere)
    return P;
  P.Offset = By == Target::Anywhere || P.Offset + By < 0 ? Target::Anywhere
                                                         : P.Offset + By;
  std::set<int64_t> &Offsets = Regions[P.Region].Offsets;
  if (!Offsets.count(P.Offset) && Offsets.size() >= MostOffsets)
    P.Offset = Target::Anywhere;
  Offsets.insert(P.Offset);
  return P;
}

Targets PointsTo::moved(const Targets &Of, int64_t By) {
  Targets Out;
  for (Target P : Of) {
    P.Moved = true;
    Out.insert(at(P, By));
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

static bool isBytes(QualType Pointee) {
  return Pointee->isVoidType() || Pointee->isCharType() ||
         Pointee->isStdByteType();
}

/// p + i: where in memory does not matter, unless bytes are counted.
Targets PointsTo::pointerSum(unsigned Frame, const BinaryOperator *B) {
  const Expr *P = B->getLHS(), *I = B->getRHS();
  if (!P->getType()->isPointerType())
    std::swap(P, I);
  if (!P->getType()->isPointerType())
    return {};
  Targets Base = value(Frame, P);
  std::optional<int64_t> By = constantOf(I, Context, 32);
  if (By == 0)
    return Base;
  if (!isBytes(P->getType()->getPointeeType()))
    return moved(Base, 0);
  // (char *)s + offsetof(struct s, p)
  QualType Whole = P->IgnoreParenCasts()->getType();
  if (!By || !Whole->isPointerType() ||
      !Whole->getPointeeType()->isRecordType())
    return moved(Base, Target::Anywhere);
  Targets Out;
  for (Target From : Base)
    Out.insert(at(From, B->getOpcode() == BO_Sub ? -*By : *By));
  return Out;
}

/// An integer that may hold an address: what a host integer adds to one of the
/// device's is an offset.
Targets PointsTo::integerValue(unsigned Frame, const BinaryOperator *B) {
  if (B->isComparisonOp() || B->isLogicalOp())
    return {};
  Targets L = value(Frame, B->getLHS()), R = value(Frame, B->getRHS());
  auto isKnown = [&](const Target &P) {
    return Regions[P.Region].Kind != Region::Unknown;
  };
  bool InL = llvm::any_of(L, isKnown), InR = llvm::any_of(R, isKnown);
  bool Sub = B->getOpcode() == BO_Sub;
  if (Sub && InL && InR)
    return {}; // a distance
  if (!Sub)
    L.insert(R.begin(), R.end());
  Targets Out;
  for (const Target &P : L)
    if (isKnown(P) || !(InL || InR))
      Out.insert(P);
  return B->isBitwiseOp() ? Out : moved(Out, Target::Anywhere);
}

Targets PointsTo::value(unsigned Frame, const Expr *E) {
  E = E->IgnoreParens();
  if (!E->getType()->isPointerType() && !E->getType()->isAtomicType() &&
      !(Integers && E->getType()->isIntegerType()))
    return {};
  if (auto *Full = dyn_cast<FullExpr>(E))
    return value(Frame, Full->getSubExpr());
  if (auto *Cast = dyn_cast<CastExpr>(E)) {
    const Expr *Sub = Cast->getSubExpr();
    switch (Cast->getCastKind()) {
    case CK_LValueToRValue:
      return load(Frame, Sub, place(Frame, Sub));
    case CK_ArrayToPointerDecay:
      return place(Frame, Sub);
    case CK_NullToPointer:
    case CK_FunctionToPointerDecay:
    case CK_BuiltinFnToFnPtr:
    case CK_PointerToBoolean:
    case CK_IntegralToBoolean:
      return {};
    default:
      return value(Frame, Sub);
    }
  }
  if (auto *Un = dyn_cast<UnaryOperator>(E)) {
    if (Un->getOpcode() == UO_AddrOf)
      return place(Frame, Un->getSubExpr());
    if (Un->isIncrementDecrementOp())
      return moved(
          load(Frame, Un->getSubExpr(), place(Frame, Un->getSubExpr())),
          Un->getType()->isPointerType() &&
                  !isBytes(Un->getType()->getPointeeType())
              ? 0
              : Target::Anywhere);
    return value(Frame, Un->getSubExpr());
  }
  if (auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->isCompoundAssignmentOp())
      return moved(load(Frame, B->getLHS(), place(Frame, B->getLHS())),
                   B->getType()->isPointerType() &&
                           !isBytes(B->getType()->getPointeeType())
                       ? 0
                       : Target::Anywhere);
    if (B->isAssignmentOp() || B->getOpcode() == BO_Comma)
      return value(Frame, B->getRHS());
    return E->getType()->isPointerType() ? pointerSum(Frame, B)
                                         : integerValue(Frame, B);
  }
  if (auto *Both = dyn_cast<AbstractConditionalOperator>(E)) {
    Targets Out = value(Frame, Both->getTrueExpr());
    Targets Other = value(Frame, Both->getFalseExpr());
    Out.insert(Other.begin(), Other.end());
    return Out;
  }
  if (auto *Opaque = dyn_cast<OpaqueValueExpr>(E))
    return Opaque->getSourceExpr() ? value(Frame, Opaque->getSourceExpr())
                                   : Targets();
  if (auto *Call = dyn_cast<CallExpr>(E))
    return result(Frame, Call);
  if (auto *Atomic = dyn_cast<AtomicExpr>(E))
    return load(Frame, E, value(Frame, Atomic->getPtr()));
  if (auto *Block = dyn_cast<StmtExpr>(E)) {
    auto *Last = dyn_cast_or_null<Expr>(Block->getSubStmt()->body_back());
    return Last ? value(Frame, Last) : Targets();
  }
  return {};
}

/// The object an lvalue denotes, or the one that a structure comes from.
Targets PointsTo::place(unsigned Frame, const Expr *E) {
  E = E->IgnoreParens();
  if (auto *Full = dyn_cast<FullExpr>(E))
    return place(Frame, Full->getSubExpr());
  if (auto *Made = dyn_cast<MaterializeTemporaryExpr>(E))
    return place(Frame, Made->getSubExpr());
  if (auto *Ref = dyn_cast<DeclRefExpr>(E)) {
    auto *V = dyn_cast<VarDecl>(Ref->getDecl());
    if (!V)
      return {};
    const PointerFacts::Values *Values =
        facts(Frames[Frame].Function).valuesAt(Ref);
    if (!Values)
      return {{variable(Frame, V), 0, false}};
    Targets Out;
    for (const Expr *Value : *Values)
      Out.insert(
          {Value ? literal(Frame, Value) : variable(Frame, V), 0, false});
    return Out;
  }
  if (auto *M = dyn_cast<MemberExpr>(E)) {
    auto *Field = dyn_cast<FieldDecl>(M->getMemberDecl());
    int64_t By = Field && !Field->getParent()->isInvalidDecl()
                     ? int64_t(Context.getFieldOffset(Field) / 8)
                     : 0;
    Targets Out;
    for (Target P :
         M->isArrow() ? value(Frame, M->getBase()) : place(Frame, M->getBase()))
      Out.insert(at(P, By));
    return Out;
  }
  if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
    Targets Base = value(Frame, Sub->getBase());
    return constantOf(Sub->getIdx(), Context, 32) == 0 ? Base : moved(Base, 0);
  }
  if (auto *Un = dyn_cast<UnaryOperator>(E))
    return Un->getOpcode() == UO_Deref ? value(Frame, Un->getSubExpr())
                                       : Targets();
  if (isa<CompoundLiteralExpr>(E))
    return {{literal(Frame, E), 0, false}};
  if (isa<StringLiteral, PredefinedExpr>(E))
    return {{Constants, 0, false}};
  if (auto *Cast = dyn_cast<CastExpr>(E))
    return place(Frame, Cast->getSubExpr());
  if (auto *B = dyn_cast<BinaryOperator>(E))
    return place(Frame, B->getOpcode() == BO_Comma ? B->getRHS() : B->getLHS());
  if (auto *Both = dyn_cast<AbstractConditionalOperator>(E)) {
    Targets Out = place(Frame, Both->getTrueExpr());
    Targets Other = place(Frame, Both->getFalseExpr());
    Out.insert(Other.begin(), Other.end());
    return Out;
  }
  if (auto *Opaque = dyn_cast<OpaqueValueExpr>(E))
    return Opaque->getSourceExpr() ? place(Frame, Opaque->getSourceExpr())
                                   : Targets();
  if (auto *Call = dyn_cast<CallExpr>(E)) {
    const FunctionDecl *F = definitionOf(Call);
    if (!F || !Facts.count(F))
      return {};
    unsigned Callee = frameOf(Frame, Call, F);
    return {{resultOf(Callee), 0, false}};
  }
  if (auto *Block = dyn_cast<StmtExpr>(E)) {
    auto *Last = dyn_cast_or_null<Expr>(Block->getSubStmt()->body_back());
    return Last ? place(Frame, Last) : Targets();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Targets PointsTo::load(unsigned Frame, const Expr *E, const Targets &From) {
  Targets Out;
  std::set<std::pair<unsigned, int64_t>> Seen;
  if (mayHoldAddress(Context, E->getType()))
    for (const Target &P : From)
      load({Frame, E, true}, P, Seen, Out);
  return Out;
}

void PointsTo::load(Loading How, Target From,
                    std::set<std::pair<unsigned, int64_t>> &Seen,
                    Targets &Out) {
  if (!Seen.insert({From.Region, From.Offset}).second)
    return;
  const Region &R = Regions[From.Region];
  switch (R.Kind) {
  case Region::Unknown:
    return; // which is refused as it is
  case Region::Constant:
    if (How.E->getType()->isPointerType())
      Out.insert({Constants, 0, false});
    return;
  case Region::Host:
    return fromHost(How, From, Out);
  case Region::Own:
    break;
  }
  for (const auto &[Offset, What] : R.Stored)
    if (Offset == From.Offset || Offset == Target::Anywhere ||
        From.Offset == Target::Anywhere)
      Out.insert(What.begin(), What.end());
  bool Received = R.Received;
  const std::set<Region::Copy> Copies = R.Copies;
  How.Direct &= Received;
  for (const Region::Copy &C : Copies) {
    bool Exact = From.Offset != Target::Anywhere &&
                 C.Offset != Target::Anywhere &&
                 C.From.Offset != Target::Anywhere;
    if (Exact && (From.Offset < C.Offset ||
                  (C.Size >= 0 && From.Offset >= C.Offset + C.Size)))
      continue;
    load({How.Frame, How.E, false},
         at(C.From, Exact ? From.Offset - C.Offset : Target::Anywhere), Seen,
         Out);
  }
  if (Received)
    fromHost(How, From, Out);
}

void PointsTo::fromHost(const Loading &How, Target From, Targets &Out) {
  const auto &Behind = Regions[From.Region].Behind;
  if (From.Offset == Target::Anywhere && !Behind.empty()) {
    for (const auto &[Offset, Known] : Behind)
      Out.insert({Known.Region, 0, false});
    return;
  }
  auto It = Behind.find(From.Offset);
  if (It != Behind.end() &&
      !(How.Direct && surelyAnother(How.Frame, How.E, It->second)))
    Out.insert({It->second.Region, 0, false});
  else
    Out.insert({unknown(How.Frame, How.E, From), 0, false});
}

void PointsTo::store(const Targets &To, const Targets &What) {
  for (const Target &P : To) {
    if (Regions[P.Region].Kind != Region::Own)
      continue;
    Targets &Held = Regions[P.Region].Stored[P.Offset];
    size_t Before = Held.size();
    Held.insert(What.begin(), What.end());
    Changed |= Held.size() != Before;
  }
}

void PointsTo::copy(const Targets &To, const Targets &From, int64_t Size) {
  for (const Target &P : To) {
    if (Regions[P.Region].Kind != Region::Own)
      continue;
    for (const Target &Q : From)
      if (Regions[Q.Region].Kind != Region::Unknown &&
          (P.Region != Q.Region || P.Offset != Q.Offset))
        Changed |= Regions[P.Region].Copies.insert({P.Offset, Size, Q}).second;
  }
}

void PointsTo::assign(unsigned Frame, const Targets &To, const Expr *From) {
  QualType Type = From->getType();
  if (Type->isRecordType() || Type->isArrayType())
    copy(To, place(Frame, From),
         Type->isIncompleteType()
             ? -1
             : Context.getTypeSizeInChars(Type).getQuantity());
  else
    store(To, value(Frame, From));
}

void PointsTo::initialise(unsigned Frame, Target To, const Expr *Init) {
  if (!Init || !mayHoldAddress(Context, Init->getType()) ||
      isa<ImplicitValueInitExpr>(Init))
    return;
  if (auto *Update = dyn_cast<DesignatedInitUpdateExpr>(Init)) {
    initialise(Frame, To, Update->getBase());
    return initialise(Frame, To, Update->getUpdater());
  }
  auto *List = dyn_cast<InitListExpr>(Init->IgnoreParens());
  if (!List)
    return assign(Frame, {To}, Init);
  if (List->getSemanticForm())
    List = List->getSemanticForm();
  const RecordDecl *Record = List->getType()->getAsRecordDecl();
  if (!Record) {
    for (const Expr *Each : List->inits())
      initialise(Frame, To, Each);
    return initialise(Frame, To, List->getArrayFiller());
  }
  if (Record->isUnion()) {
    if (List->getNumInits())
      initialise(Frame, To, List->getInit(0));
    return;
  }
  unsigned I = 0;
  for (const FieldDecl *Field : Record->fields()) {
    if (Field->isUnnamedBitField())
      continue;
    if (I == List->getNumInits())
      break;
    initialise(Frame, at(To, int64_t(Context.getFieldOffset(Field) / 8)),
               List->getInit(I++));
  }
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Whether \p Call copies memory from its second argument to its first.
static bool copiesMemory(const CallExpr *Call) {
  const FunctionDecl *F = Call->getDirectCallee();
  StringRef Name = F && F->getIdentifier() ? F->getName() : "";
  Name.consume_front("__builtin_");
  Name.consume_front("__");
  Name.consume_back("_chk");
  return Call->getNumArgs() >= 3 &&
         (Name == "memcpy" || Name == "memmove" || Name == "mempcpy");
}

Targets PointsTo::libraryResult(unsigned Frame, const CallExpr *Call) {
  if (copiesMemory(Call))
    return moved(value(Frame, Call->getArg(0)), 0);
  const FunctionDecl *F = Call->getDirectCallee();
  if (!F)
    return {};
  // One made elsewhere returns a pointer that it was given, or else one that
  // it loads from behind those.
  QualType Result = Call->getType();
  Targets Same, Loaded;
  for (const Expr *Arg : Call->arguments()) {
    Targets Given = value(Frame, Arg);
    bool Fits = !Arg->getType()->isPointerType() || !Result->isPointerType() ||
                !isDeclaredElsewhere(F) ||
                Context.hasSameUnqualifiedType(Arg->getType()->getPointeeType(),
                                               Result->getPointeeType());
    if (Fits) {
      Given = moved(Given, 0);
      Same.insert(Given.begin(), Given.end());
      continue;
    }
    Given = load(Frame, Call, moved(Given, Target::Anywhere));
    Loaded.insert(Given.begin(), Given.end());
  }
  return Same.empty() ? Loaded : Same;
}

Targets PointsTo::result(unsigned Frame, const CallExpr *Call) {
  const FunctionDecl *F = definitionOf(Call);
  return F && Facts.count(F) ? Frames[frameOf(Frame, Call, F)].Result
                             : libraryResult(Frame, Call);
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
  unsigned Id;
  auto It = Known.find({F, Args});
  if (!Single && It != Known.end()) {
    Id = It->second;
  } else if (!Single && FrameCount[F] < MostFrames &&
             Frames.size() < MostFramesInAll) {
    Id = newFrame(F);
    ++FrameCount[F];
    Frames[Id].Call = Call;
    Frames[Id].Caller = Frame;
    Known[{F, Args}] = Id;
    give(Id, Args);
  } else {
    auto [Merged, New] = MergedFrames.try_emplace(F, 0);
    if (New) {
      Merged->second = newFrame(F);
      Frames[Merged->second].Merged = true;
      Frames[Merged->second].Call = Call;
      Frames[Merged->second].Caller = Frame;
    }
    Id = Merged->second;
    give(Id, Args);
  }
  return FrameIds[{Frame, Call}] = Id;
}

void PointsTo::give(unsigned Frame, const Arguments &Args) {
  for (unsigned I = 0; I < Args.size(); ++I) {
    const ParmVarDecl *P = Frames[Frame].Function->getParamDecl(I);
    Targets To = {{variable(Frame, P), 0, false}};
    if (P->getType()->isRecordType())
      copy(To, Args[I], Context.getTypeSizeInChars(P->getType()).getQuantity());
    else
      store(To, Args[I]);
  }
}

void PointsTo::apply(unsigned Frame) {
  const PointerFacts &F = facts(Frames[Frame].Function);
  for (const VarDecl *V : F.Initialised)
    initialise(
        Frame,
        {F.follows(V) ? literal(Frame, V->getInit()) : variable(Frame, V), 0,
         false},
        V->getInit());
  for (const CompoundLiteralExpr *E : F.Literals)
    initialise(Frame, {literal(Frame, E), 0, false}, E->getInitializer());
  for (const PointerFacts::Assignment &A : F.Assignments) {
    const VarDecl *V = variableOf(A.To);
    assign(Frame,
           V && F.follows(V) ? Targets{{literal(Frame, A.Whole), 0, false}}
                             : place(Frame, A.To),
           A.From);
  }
  for (const CallExpr *Call : F.Calls) {
    const FunctionDecl *Callee = definitionOf(Call);
    if (Callee && Facts.count(Callee))
      frameOf(Frame, Call, Callee);
    else if (copiesMemory(Call))
      copy(value(Frame, Call->getArg(0)), value(Frame, Call->getArg(1)), -1);
  }
  for (const Expr *E : F.Returned) {
    if (E->getType()->isRecordType()) {
      assign(Frame, {{resultOf(Frame), 0, false}}, E);
      continue;
    }
    Targets What = value(Frame, E);
    Targets &Result = Frames[Frame].Result;
    size_t Before = Result.size();
    Result.insert(What.begin(), What.end());
    Changed |= Result.size() != Before;
  }
}

} // namespace agglom
