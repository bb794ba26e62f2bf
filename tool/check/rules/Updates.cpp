// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Updates.h"
#include "Rules.h"
#include "clang/AST/Attr.h"

using namespace clang;

namespace agglom {

const VarDecl *ownObject(const Expr *E) {
  for (;;) {
    E = E->IgnoreParenCasts();
    if (auto *M = dyn_cast<MemberExpr>(E); M && !M->isArrow()) {
      E = M->getBase();
    } else if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
      if (!Sub->getBase()->IgnoreParenCasts()->getType()->isArrayType())
        return nullptr;
      E = Sub->getBase();
    } else {
      break;
    }
  }
  const VarDecl *V = variableOf(E);
  return V && V->hasLocalStorage() ? V : nullptr;
}

static QualType plain(QualType T) {
  return T.getCanonicalType().getUnqualifiedType();
}

bool isUpdatable(QualType T, const ASTContext &C) {
  T = plain(T);
  if (T->isSpecificBuiltinType(BuiltinType::Float) ||
      T->isSpecificBuiltinType(BuiltinType::Double))
    return true;
  return T->isBuiltinType() && T->isIntegerType() && !T->isBooleanType() &&
         C.getTypeSize(T) <= 64;
}

QualType commonType(QualType A, QualType B, const ASTContext &C) {
  auto promoted = [&](QualType T) {
    if (auto *E = T->getAs<EnumType>())
      T = E->getDecl()->getIntegerType();
    T = plain(T);
    return C.isPromotableIntegerType(T) ? plain(C.getPromotedIntegerType(T))
                                        : T;
  };
  A = promoted(A);
  B = promoted(B);
  if (A == B)
    return A;
  if (A->isFloatingType() && B->isFloatingType())
    return C.getFloatingTypeOrder(A, B) > 0 ? A : B;
  if (A->isFloatingType() || B->isFloatingType())
    return A->isFloatingType() ? A : B;
  bool Signed = A->isSignedIntegerType();
  int Order = C.getIntegerTypeOrder(A, B);
  if (Signed == B->isSignedIntegerType())
    return Order > 0 ? A : B;
  QualType S = Signed ? A : B, Un = Signed ? B : A;
  if (C.getIntegerTypeOrder(Un, S) >= 0)
    return Un;
  return C.getTypeSize(S) > C.getTypeSize(Un)
             ? S
             : plain(C.getCorrespondingUnsignedType(S));
}

namespace {
/// Whether two expressions are written alike, apart from parentheses.
bool same(const Stmt *A, const Stmt *B, ASTContext &C) {
  if (!A || !B)
    return A == B;
  if (auto *E = dyn_cast<Expr>(A))
    A = E->IgnoreParenImpCasts();
  if (auto *E = dyn_cast<Expr>(B))
    B = E->IgnoreParenImpCasts();
  if (A->getStmtClass() != B->getStmtClass())
    return false;
  if (auto *R = dyn_cast<DeclRefExpr>(A))
    return R->getDecl() == cast<DeclRefExpr>(B)->getDecl();
  if (auto *M = dyn_cast<MemberExpr>(A)) {
    if (M->getMemberDecl() != cast<MemberExpr>(B)->getMemberDecl())
      return false;
  } else if (auto *Un = dyn_cast<UnaryOperator>(A)) {
    if (Un->getOpcode() != cast<UnaryOperator>(B)->getOpcode())
      return false;
  } else if (auto *Bin = dyn_cast<BinaryOperator>(A)) {
    if (Bin->getOpcode() != cast<BinaryOperator>(B)->getOpcode())
      return false;
  } else if (auto *Cast = dyn_cast<ExplicitCastExpr>(A)) {
    if (plain(Cast->getType()) != plain(cast<Expr>(B)->getType()))
      return false;
  } else if (!isa<ArraySubscriptExpr, ConditionalOperator, CallExpr>(A)) {
    llvm::FoldingSetNodeID IdA, IdB;
    A->Profile(IdA, C, /*Canonical=*/true);
    B->Profile(IdB, C, /*Canonical=*/true);
    return IdA == IdB;
  }
  auto ItB = B->child_begin(), EndB = B->child_end();
  for (const Stmt *Child : A->children()) {
    if (ItB == EndB || !same(Child, *ItB, C))
      return false;
    ++ItB;
  }
  return ItB == EndB;
}

class Recogniser {
  ASTContext &C;
  Update Up;

  void target(const Expr *E) {
    Up.Target = E;
    Up.Type = plain(E->getType());
  }
  void value(const Expr *E) {
    Up.Value = E;
    if (!E) {
      Up.ValueType = C.IntTy;
      return;
    }
    const Expr *Written = E->IgnoreParenImpCasts();
    QualType T = C.isPromotableBitField(const_cast<Expr *>(Written));
    Up.ValueType = plain(T.isNull() ? Written->getType() : T);
    if (auto *Enum = Up.ValueType->getAs<EnumType>())
      Up.ValueType = plain(Enum->getDecl()->getIntegerType());
  }
  bool isTarget(const Expr *E) const { return same(E, Up.Target, C); }

  /// \p E without casts to the target's type: the assignment converts anyway.
  const Expr *assigned(const Expr *E) const {
    for (;;) {
      E = E->IgnoreParenImpCasts();
      auto *Cast = dyn_cast<CStyleCastExpr>(E);
      if (!Cast || plain(Cast->getType()) != Up.Type)
        return E;
      E = Cast->getSubExpr();
    }
  }

  static StringRef nameOf(bool Old) { return Old ? "ag_old" : "ag_value"; }

  /// Whether \p E is x REL e or e REL x. Sets the text of the comparison, \p
  /// Value to e, and \p ValueLess to whether the comparison holds for a value
  /// less than x.
  bool comparison(const Expr *E, std::string &Text, bool &ValueLess,
                  const Expr *&Value) const {
    auto *B = dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts());
    if (!B || !B->isRelationalOp())
      return false;
    bool Left = isTarget(B->getLHS()), Right = isTarget(B->getRHS());
    if (Left == Right)
      return false;
    bool Less = B->getOpcode() == BO_LT || B->getOpcode() == BO_LE;
    ValueLess = Less != Left;
    Value = Left ? B->getRHS() : B->getLHS();
    Text = (nameOf(Left) + " " + B->getOpcodeStr() + " " + nameOf(!Left)).str();
    return true;
  }
  /// Whether the compared and the assigned value are written alike, apart from
  /// a cast that the assignment makes anyway. The update computes the value
  /// once.
  bool repeated(const Expr *Compared, const Expr *Assigned) {
    if (!same(Compared, Assigned, C))
      Assigned = assigned(Assigned);
    if (!same(Compared, Assigned, C))
      return false;
    Up.Repeats = Assigned->HasSideEffects(C, /*IncludePossibleEffects=*/true);
    value(Assigned);
    return true;
  }

  bool conditional(const ConditionalOperator *Cond) {
    std::string Text;
    bool ValueLess;
    const Expr *Value;
    if (!comparison(Cond->getCond(), Text, ValueLess, Value))
      return false;
    bool OldIfTrue = isTarget(assigned(Cond->getTrueExpr()));
    bool OldIfFalse = isTarget(assigned(Cond->getFalseExpr()));
    if (OldIfTrue == OldIfFalse ||
        !repeated(Value,
                  OldIfTrue ? Cond->getFalseExpr() : Cond->getTrueExpr()))
      return false;
    Up.Op = ValueLess != OldIfTrue ? "min" : "max";
    Up.Next =
        (Text + " ? " + nameOf(OldIfTrue) + " : " + nameOf(OldIfFalse)).str();
    return true;
  }

  bool call(const CallExpr *Call) {
    const FunctionDecl *F = Call->getDirectCallee();
    if (!F || !F->getIdentifier() || Call->getNumArgs() != 2)
      return false;
    StringRef Name = F->getName();
    Name.consume_front("__builtin_");
    if (Name != "fmin" && Name != "fmax" && Name != "fminf" && Name != "fmaxf")
      return false;
    bool First = isTarget(Call->getArg(0)), Second = isTarget(Call->getArg(1));
    if (First == Second)
      return false;
    value(Call->getArg(First ? 1 : 0));
    Up.Op = Name.substr(1, 3).str();
    Up.Next = ("__builtin_" + Name + "(" + nameOf(First) + ", " +
               nameOf(!First) + ")")
                  .str();
    return true;
  }

  bool assignment(const BinaryOperator *B) {
    target(B->getLHS());
    if (Up.Target->HasSideEffects(C))
      return false;
    const Expr *Right = assigned(B->getRHS());
    if (auto *Cond = dyn_cast<ConditionalOperator>(Right))
      return conditional(Cond);
    if (auto *Call = dyn_cast<CallExpr>(Right))
      return call(Call);
    auto *Op = dyn_cast<BinaryOperator>(Right);
    if (!Op || !(Op->isMultiplicativeOp() || Op->isAdditiveOp() ||
                 Op->isShiftOp() || Op->isBitwiseOp()))
      return false;
    bool Left = isTarget(Op->getLHS());
    if (!Left && !isTarget(Op->getRHS()))
      return false;
    value(Left ? Op->getRHS() : Op->getLHS());
    Up.Op = Op->getOpcodeStr().str();
    bool OldFirst =
        Left || !(Op->getOpcode() == BO_Sub || Op->isShiftOp() ||
                  Op->getOpcode() == BO_Div || Op->getOpcode() == BO_Rem);
    Up.Next =
        (nameOf(OldFirst) + " " + Op->getOpcodeStr() + " " + nameOf(!OldFirst))
            .str();
    return true;
  }

  bool conditionally(const IfStmt *If) {
    const Stmt *Then = If->getThen();
    if (auto *Block = dyn_cast<CompoundStmt>(Then))
      Then = Block->size() == 1 ? Block->body_front() : nullptr;
    auto *E = dyn_cast_or_null<Expr>(Then);
    auto *B = dyn_cast_or_null<BinaryOperator>(E ? E->IgnoreParens() : nullptr);
    if (If->getElse() || If->getInit() || !B || B->getOpcode() != BO_Assign)
      return false;
    target(B->getLHS());
    std::string Text;
    bool ValueLess;
    const Expr *Value;
    if (Up.Target->HasSideEffects(C) ||
        !comparison(If->getCond(), Text, ValueLess, Value) ||
        !repeated(Value, B->getRHS()))
      return false;
    Up.Op = ValueLess ? "min" : "max";
    // A target that is not assigned keeps ag_old, without a conversion.
    Up.Next = Text + " ? (" + Up.Type.getAsString(C.getPrintingPolicy()) +
              ")ag_value : ag_old";
    return true;
  }

public:
  explicit Recogniser(ASTContext &C) : C(C) {}

  std::optional<Update> run(const Stmt *S) {
    bool Is = false;
    if (auto *If = dyn_cast<IfStmt>(S)) {
      Up.Whole = If;
      Is = conditionally(If);
    } else if (auto *E = dyn_cast<Expr>(S)) {
      E = E->IgnoreParens();
      Up.Whole = E;
      if (auto *Un = dyn_cast<UnaryOperator>(E)) {
        Is = Un->isIncrementDecrementOp();
        if (Is) {
          target(Un->getSubExpr());
          value(nullptr);
          Up.Op = Un->isIncrementOp() ? "+" : "-";
          Up.Next = "ag_old " + Up.Op + " ag_value";
        }
      } else if (auto *B = dyn_cast<BinaryOperator>(E)) {
        if (B->isCompoundAssignmentOp()) {
          Is = true;
          target(B->getLHS());
          value(B->getRHS());
          Up.Op = B->getOpcodeStr().drop_back().str();
          Up.Next = "ag_old " + Up.Op + " ag_value";
        } else {
          Is = B->getOpcode() == BO_Assign && assignment(B);
        }
      }
    }
    if (!Is)
      return std::nullopt;
    return Up;
  }
};

/// Whether the object that \p E denotes may be misaligned for its type.
bool isPacked(const Expr *E) {
  for (E = E->IgnoreParens();;) {
    if (auto *M = dyn_cast<MemberExpr>(E)) {
      auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
      if (F &&
          (F->hasAttr<PackedAttr>() || F->getParent()->hasAttr<PackedAttr>() ||
           F->getParent()->hasAttr<MaxFieldAlignmentAttr>()))
        return true;
      if (M->isArrow())
        return false;
      E = M->getBase()->IgnoreParens();
    } else if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
      E = Sub->getBase()->IgnoreParenImpCasts();
      if (!E->getType()->isArrayType())
        return false;
    } else {
      return false;
    }
  }
}
} // namespace

std::optional<Update> asUpdate(const Stmt *S, ASTContext &C) {
  return Recogniser(C).run(S);
}

bool checkUpdate(ParsedUnit &U, const Update &Up) {
  const Expr *E = Up.Target;
  auto B = [&](const Expr *At, diag::Id D) {
    return U.Report.report(At->getExprLoc(), D) << At->getSourceRange();
  };
  if (E->refersToBitField())
    B(E, diag::update_bit_field);
  else if (!isUpdatable(Up.Type, U.Context))
    B(E, diag::update_type) << E->getType();
  else if (isPacked(E))
    B(E, diag::update_packed);
  else if (Up.Value && !Up.ValueType->isIntegerType() &&
           !Up.ValueType->isRealFloatingType())
    B(Up.Value, diag::update_value_type) << Up.ValueType;
  else if (Up.Repeats)
    B(Up.Value, diag::update_twice);
  else
    return true;
  return false;
}

void checkAtomics(ParsedUnit &U, CheckedUnit &C) {
  for (const Atomic &A : U.M.Atomics) {
    std::optional<Update> Up = asUpdate(A.Attributed->getSubStmt(), U.Context);
    if (!Up) {
      U.Report.report(A.Loc, diag::atomic_form);
      continue;
    }
    Up->In = A.In;
    if (checkUpdate(U, *Up))
      C.add(*Up);
  }
}

} // namespace agglom
