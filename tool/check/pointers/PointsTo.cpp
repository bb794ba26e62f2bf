// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PointsTo.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;

namespace agglom {

/// Offsets in one region; further ones are not told apart.
static constexpr size_t MostOffsets = 256;

PointsTo::PointsTo(ParsedUnit &U, const Task &T, const DeviceClosure &C)
    : U(U), T(T), C(C), Context(U.Context) {
  Constants = newRegion(Region::Constant);
  Others = newRegion(Region::Elsewhere);
  for (const FunctionDecl *F : C.Functions) {
    bool Made = F == C.Functions[0] && T.From && T.From->Inner;
    auto [It, New] =
        Facts.try_emplace(F, Context, Made ? T.From->Inner->For : nullptr);
    It->second.add(F->getBody());
    if (F == C.Functions[0])
      for (const Loop *L : T.Loops)
        if (L->SortKey)
          It->second.add(L->SortKey);
    It->second.order(F);
    AsIntegers |= It->second.HasAddressesAsIntegers;
  }
  findChoosers();
  newFrame(C.Functions[0]);
  nameSections();
  // Arguments flow down the calls in the first loop, results flow up in the
  // second.
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

unsigned PointsTo::variable(unsigned Frame, const VarDecl *V) {
  V = V->getCanonicalDecl();
  if (V->hasGlobalStorage()) {
    auto [It, New] = FileObjects.try_emplace(V, Constants);
    if (New && isBlockShared(V)) {
      It->second = newRegion(Region::Own);
    } else if (New && T.names(V)) {
      It->second = newRegion(Region::Host);
      Regions.back().InSections = true;
    }
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

/// The region for the value of \p E, a compound literal or a value of a
/// followed pointer.
unsigned PointsTo::literal(unsigned Frame, const Expr *E) {
  auto [It, New] = Frames[Frame].Literals.try_emplace(E, 0);
  if (New)
    return Frames[Frame].Literals[E] = newRegion(Region::Own);
  return It->second;
}

unsigned PointsTo::unknown(unsigned Frame, const Expr *E, const Target &From,
                           bool ByElement) {
  auto [It, New] =
      Unknowns.try_emplace({Frame, E, From.Region, From.Offset}, 0);
  if (New) {
    It->second = newRegion(Region::Unknown);
    Region &R = Regions.back();
    R.Loaded = E;
    R.Frame = Frame;
    R.Holder = From.Region;
    R.HolderOffset = From.Offset;
    R.ByElement = ByElement;
  }
  return It->second;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Displacement Displacement::plus(const Displacement &O, int64_t Factor) const {
  Displacement Out = *this;
  Out.Constant += O.Constant * Factor;
  for (const auto &[P, N] : O.Of)
    if (!(Out.Of[P] += N * Factor))
      Out.Of.erase(P);
  return Out;
}

MaybeDisplacement plus(const MaybeDisplacement &L, const MaybeDisplacement &R,
                       int64_t Factor) {
  return L && R ? MaybeDisplacement(L->plus(*R, Factor)) : std::nullopt;
}

bool Target::mayBe(const Target &O) const {
  if (Offset == Anywhere || O.Offset == Anywhere)
    return true;
  if (MaybeDisplacement By = plus(At, O.At, -1); By && By->Of.empty())
    return Offset + By->Constant == O.Offset;
  return Offset == O.Offset;
}

bool Targets::insert(const Target &P) {
  auto It = llvm::lower_bound(All, P, [](const Target &A, const Target &B) {
    return std::tie(A.Region, A.Offset) < std::tie(B.Region, B.Offset);
  });
  if (It == All.end() || It->Region != P.Region || It->Offset != P.Offset) {
    All.insert(It, P);
    return true;
  }
  if (!It->At || It->At == P.At)
    return false;
  It->At = std::nullopt;
  return true;
}

bool Targets::insert(const Targets &Others) {
  bool More = false;
  for (const Target &P : Others)
    More |= insert(P);
  return More;
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
  if (P.Offset == Target::Anywhere)
    P.At = std::nullopt;
  return P;
}

Target PointsTo::moved(Target P, const MaybeDisplacement &By, int64_t Sign) {
  P.At = plus(P.At, By, Sign);
  return P;
}

Targets PointsTo::moved(const Targets &Of, const MaybeDisplacement &By,
                        int64_t Sign) {
  Targets Out;
  for (const Target &P : Of)
    Out.insert(moved(P, By, Sign));
  return Out;
}

Targets PointsTo::anywhere(const Targets &Of) {
  Targets Out;
  for (const Target &P : Of)
    Out.insert(at(P, Target::Anywhere));
  return Out;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// The size of \p Type as a displacement, if it is constant.
MaybeDisplacement PointsTo::sizeOf(QualType Type) const {
  if (Type->isIncompleteType() || Type->isFunctionType() ||
      Type->isVariablyModifiedType())
    return std::nullopt;
  Displacement Out;
  Out.Constant = Context.getTypeSizeInChars(Type).getQuantity();
  return Out;
}

static bool isBytes(QualType Pointee) {
  return Pointee->isVoidType() || Pointee->isCharType() ||
         Pointee->isStdByteType();
}

/// p + i: another element, or, where bytes are counted, another member.
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
  int64_t Sign = B->getOpcode() == BO_Sub ? -1 : 1;
  if (!isBytes(P->getType()->getPointeeType()))
    return moved(Base, scaled(Frame, I, P->getType()->getPointeeType()), Sign);
  // (char *)s + offsetof(struct s, p)
  QualType Whole = P->IgnoreParenCasts()->getType();
  if (!By || !Whole->isPointerType() ||
      !Whole->getPointeeType()->isRecordType())
    return anywhere(Base);
  Targets Out;
  for (const Target &From : Base)
    Out.insert(at(From, Sign * *By));
  return Out;
}

Targets PointsTo::stepped(unsigned Frame, const UnaryOperator *Un) {
  const Expr *Of = Un->getSubExpr();
  Targets Before = load(Frame, Of, place(Frame, Of));
  QualType Type = Un->getType();
  if (!Type->isPointerType() || isBytes(Type->getPointeeType()))
    return anywhere(Before);
  return moved(Before, sizeOf(Type->getPointeeType()),
               Un->isDecrementOp() ? -1 : 1);
}

Targets PointsTo::assigned(unsigned Frame, const Expr *E) {
  auto *Un = dyn_cast<UnaryOperator>(E);
  return Un && Un->isIncrementDecrementOp() ? stepped(Frame, Un)
                                            : value(Frame, E);
}

/// The targets of an integer that may hold an address. When an integer from
/// host memory is added to a device address, it is taken as an offset.
Targets PointsTo::integerValue(unsigned Frame, const BinaryOperator *B) {
  if (B->isComparisonOp() || B->isLogicalOp())
    return {};
  return integerResult(B, value(Frame, B->getLHS()), value(Frame, B->getRHS()));
}

/// As integerValue(), from the values of the operands; also for compound
/// assignments.
Targets PointsTo::integerResult(const BinaryOperator *B, Targets L,
                                const Targets &R) {
  auto isKnown = [&](const Target &P) {
    return Regions[P.Region].Kind != Region::Unknown &&
           Regions[P.Region].Kind != Region::Elsewhere;
  };
  bool InL = llvm::any_of(L, isKnown), InR = llvm::any_of(R, isKnown);
  BinaryOperatorKind Op = B->getOpcode();
  if (B->isCompoundAssignmentOp())
    Op = BinaryOperator::getOpForCompoundAssignment(Op);
  bool Sub = Op == BO_Sub;
  if (Sub && InL && InR)
    return {}; // a distance
  if (!Sub)
    L.insert(R);
  Targets Out;
  for (const Target &P : L)
    if (isKnown(P) || !(InL || InR))
      Out.insert(P);
  return BinaryOperator::isBitwiseOp(Op) ? moved(Out, std::nullopt)
                                         : anywhere(Out);
}

Targets PointsTo::value(unsigned Frame, const Expr *E) {
  E = E->IgnoreParens();
  if (!E->getType()->isPointerType() && !E->getType()->isAtomicType() &&
      !(AsIntegers && E->getType()->isIntegerType()))
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
    if (Un->isPostfix())
      return load(Frame, Un->getSubExpr(), place(Frame, Un->getSubExpr()));
    if (Un->isIncrementDecrementOp())
      return stepped(Frame, Un);
    return value(Frame, Un->getSubExpr());
  }
  if (auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->isCompoundAssignmentOp()) {
      Targets Before = load(Frame, B->getLHS(), place(Frame, B->getLHS()));
      QualType Type = B->getType();
      if (!Type->isPointerType())
        return integerResult(B, Before, value(Frame, B->getRHS()));
      if (isBytes(Type->getPointeeType()))
        return anywhere(Before);
      return moved(Before, scaled(Frame, B->getRHS(), Type->getPointeeType()),
                   B->getOpcode() == BO_SubAssign ? -1 : 1);
    }
    if (B->isAssignmentOp() || B->getOpcode() == BO_Comma)
      return value(Frame, B->getRHS());
    return E->getType()->isPointerType() ? pointerSum(Frame, B)
                                         : integerValue(Frame, B);
  }
  if (isa<MemberExpr>(E)) // of a call's result: no lvalue before Clang 20
    return load(Frame, E, place(Frame, E));
  if (auto *Both = dyn_cast<AbstractConditionalOperator>(E)) {
    Targets Out = value(Frame, Both->getTrueExpr());
    Out.insert(value(Frame, Both->getFalseExpr()));
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

/// The objects that lvalue \p E denotes, or that the structure \p E comes from.
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
      return {{variable(Frame, V)}};
    Targets Out;
    for (const Expr *Value : *Values)
      Out.insert({Value ? literal(Frame, Value) : variable(Frame, V)});
    return Out;
  }
  if (auto *M = dyn_cast<MemberExpr>(E)) {
    auto *Field = dyn_cast<FieldDecl>(M->getMemberDecl());
    int64_t By = Field && !Field->getParent()->isInvalidDecl()
                     ? int64_t(Context.getFieldOffset(Field) / 8)
                     : 0;
    Targets Out;
    for (const Target &P :
         M->isArrow() ? value(Frame, M->getBase()) : place(Frame, M->getBase()))
      Out.insert(at(P, By));
    return Out;
  }
  if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
    Targets Base = value(Frame, Sub->getBase());
    return moved(Base, scaled(Frame, Sub->getIdx(), Sub->getType()));
  }
  if (auto *Un = dyn_cast<UnaryOperator>(E))
    return Un->getOpcode() == UO_Deref ? value(Frame, Un->getSubExpr())
                                       : Targets();
  if (isa<CompoundLiteralExpr>(E))
    return {{literal(Frame, E)}};
  if (isa<StringLiteral, PredefinedExpr>(E))
    return {{Constants}};
  if (auto *Cast = dyn_cast<CastExpr>(E))
    return place(Frame, Cast->getSubExpr());
  if (auto *B = dyn_cast<BinaryOperator>(E))
    return place(Frame, B->getOpcode() == BO_Comma ? B->getRHS() : B->getLHS());
  if (auto *Both = dyn_cast<AbstractConditionalOperator>(E)) {
    Targets Out = place(Frame, Both->getTrueExpr());
    Out.insert(place(Frame, Both->getFalseExpr()));
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
    return {{resultOf(Callee)}};
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
  Targets Out, Seen;
  if (mayHoldAddress(Context, E->getType()))
    for (const Target &P : From)
      load(Frame, E, P, Seen, Out);
  return Out;
}

void PointsTo::load(unsigned Frame, const Expr *E, Target From, Targets &Seen,
                    Targets &Out) {
  bool Again = llvm::any_of(Seen, [&](const Target &P) {
    return P.Region == From.Region && P.Offset == From.Offset;
  });
  if (!Seen.insert(From))
    return;
  if (Again)
    From.At = std::nullopt; // ends the recursion through copies of copies
  switch (Regions[From.Region].Kind) {
  case Region::Unknown: // each access is an error
  case Region::Elsewhere:
    return;
  case Region::Constant:
    if (E->getType()->isPointerType())
      Out.insert({Constants});
    return;
  case Region::Host:
    return fromHost(Frame, E, From, Out);
  case Region::Own:
    break;
  }
  for (const auto &[Where, What] : Regions[From.Region].Stored)
    if (From.mayBe({From.Region, Where.first, Where.second}))
      Out.insert(What);
  if (!Regions[From.Region].Copies.empty())
    loadCopies(Frame, E, From, Seen, Out);
  if (Regions[From.Region].Received)
    fromHost(Frame, E, From, Out);
}

bool PointsTo::isLoaded(unsigned R) {
  const Region Was = Regions[R];
  if (!Was.ByElement)
    return true;
  return llvm::any_of(load(Was.Frame, Was.Loaded, place(Was.Frame, Was.Loaded)),
                      [&](const Target &P) { return P.Region == R; });
}

void PointsTo::loadCopies(unsigned Frame, const Expr *E, const Target &From,
                          Targets &Seen, Targets &Out) {
  const std::map<Region::CopyPlaces, Region::Copy> Copies =
      Regions[From.Region].Copies;
  for (const auto &[Places, Elements] : Copies) {
    const auto &[Offset, Size, Source, SourceOffset] = Places;
    Target There = {Source, SourceOffset, Elements.From};
    if (From.Offset == Target::Anywhere || Offset == Target::Anywhere ||
        SourceOffset == Target::Anywhere) {
      load(Frame, E, at(There, Target::Anywhere), Seen, Out);
      continue;
    }
    // The distance from the begin of the copy.
    int64_t By = From.Offset - Offset;
    MaybeDisplacement Beyond = plus(From.At, Elements.To, -1);
    int64_t Sure = By + (Beyond && Beyond->Of.empty() ? Beyond->Constant : 0);
    if (Sure < 0 || (Size >= 0 && Sure >= Size))
      continue;
    There =
        SourceOffset + By < 0 ? at(There, Sure) : moved(at(There, By), Beyond);
    load(Frame, E, There, Seen, Out);
  }
}

void PointsTo::fromHost(unsigned Frame, const Expr *E, const Target &From,
                        Targets &Out) {
  bool Found = false, Near = false, Sure = false;
  for (const auto &[Offset, Known] : Regions[From.Region].Behind) {
    Near |= Offset == From.Offset;
    if (llvm::any_of(Known.At, [&, O = Offset](const MaybeDisplacement &At) {
          return From.mayBe({From.Region, O, At});
        })) {
      Out.insert({Known.Region});
      Found = true;
      Sure |= From.Offset == Offset &&
              llvm::any_of(Known.At, [&](const MaybeDisplacement &At) {
                MaybeDisplacement By = plus(From.At, At, -1);
                return By && By->isZero();
              });
    }
  }
  if (Found && !Sure)
    Out.insert({Others});
  if (!Found)
    Out.insert({unknown(Frame, E, From, Near)});
}

void PointsTo::store(const Targets &To, const Targets &What) {
  for (const Target &P : To)
    if (Regions[P.Region].Kind == Region::Own)
      Changed |= Regions[P.Region].Stored[{P.Offset, P.At}].insert(What);
}

void PointsTo::copy(const Targets &To, const Targets &From, int64_t Size) {
  auto merge = [&](MaybeDisplacement &Known, const MaybeDisplacement &More) {
    if (Known && !(Known == More)) {
      Known = std::nullopt;
      Changed = true;
    }
  };
  for (const Target &P : To) {
    if (Regions[P.Region].Kind != Region::Own)
      continue;
    for (const Target &Q : From) {
      if (Regions[Q.Region].Kind == Region::Unknown ||
          (P.Region == Q.Region && P.Offset == Q.Offset))
        continue;
      auto [It, New] = Regions[P.Region].Copies.try_emplace(
          {P.Offset, Size, Q.Region, Q.Offset}, Region::Copy{P.At, Q.At});
      Changed |= New;
      merge(It->second.To, P.At);
      merge(It->second.From, Q.At);
    }
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
    store(To, assigned(Frame, From));
}

void PointsTo::initialise(unsigned Frame, const Target &To, const Expr *Init) {
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
    const auto *Array = Context.getAsArrayType(List->getType());
    MaybeDisplacement Size =
        Array ? sizeOf(Array->getElementType()) : MaybeDisplacement();
    Target Element = To;
    for (const Expr *Each : List->inits()) {
      initialise(Frame, Element, Each);
      Element = moved(Element, Size);
    }
    return initialise(Frame, moved(To, std::nullopt), List->getArrayFiller());
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

} // namespace agglom
