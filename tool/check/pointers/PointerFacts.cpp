// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PointerFacts.h"
#include "Syntax.h"

using namespace clang;

namespace agglom {

bool mayHoldAddress(const ASTContext &C, QualType T) {
  T = C.getBaseElementType(T);
  if (const auto *Atomic = T->getAs<AtomicType>())
    T = Atomic->getValueType();
  if (T->isPointerType() || T->isRecordType())
    return true;
  return T->isIntegerType() && !T->isIncompleteType() &&
         C.getTypeSize(T) >= C.getTypeSize(C.VoidPtrTy);
}

const FunctionDecl *definitionOf(const CallExpr *Call) {
  const FunctionDecl *F = Call->getDirectCallee(), *Definition = nullptr;
  if (F)
    F->hasBody(Definition);
  return Definition;
}

bool mayReturn(const CallExpr *Call, unsigned I) {
  const FunctionDecl *F = Call->getDirectCallee();
  if (I == 0 || !F || definitionOf(Call) || isDeclaredElsewhere(F))
    return true;
  static const StringRef First[] = {"memchr",  "memcpy",  "memmove", "mempcpy",
                                    "memset",  "stpcpy",  "stpncpy", "strcat",
                                    "strchr",  "strcpy",  "strncat", "strncpy",
                                    "strpbrk", "strrchr", "strstr"};
  return !llvm::is_contained(First, libraryName(F));
}

void PointerFacts::add(const Stmt *S) {
  Work.push_back(S);
  while (!Work.empty()) {
    const Stmt *Next = Work.back();
    Work.pop_back();
    size_t Before = Work.size();
    if (Next)
      visit(Next);
    // The source order is kept, so that errors come in that order.
    std::reverse(Work.begin() + Before, Work.end());
  }
}

void PointerFacts::changed(const Expr *E) {
  if (const VarDecl *V = variableOf(E))
    ++Changes[V];
}

/// Whether a jump may lead into \p S.
static bool hasLabel(const Stmt *S) {
  return S && (isa<LabelStmt, SwitchCase>(S) ||
               llvm::any_of(S->children(), hasLabel));
}

void PointerFacts::visit(const Stmt *S) {
  if (auto *Decls = dyn_cast<DeclStmt>(S)) {
    for (const Decl *D : Decls->decls())
      if (auto *V = dyn_cast<VarDecl>(D); V && V->getInit()) {
        if (!V->hasGlobalStorage() && mayHoldAddress(Context, V->getType()))
          Initialised.push_back(V);
        Work.push_back(V->getInit());
      }
    return;
  }
  if (auto *Return = dyn_cast<ReturnStmt>(S)) {
    const Expr *E = Return->getRetValue();
    if (E && mayHoldAddress(Context, E->getType()))
      Returned.push_back(E);
  }
  if (auto *E = dyn_cast<Expr>(S))
    return visitExpr(E);
  if (S == Given) {
    Work.insert(Work.end(), {Given->getBody(), Given->getInc()});
    return;
  }
  // A branch that is never executed does not count.
  if (auto *If = dyn_cast<IfStmt>(S);
      If && !hasLabel(If->getThen()) && !hasLabel(If->getElse()))
    if (auto Always = constantOf(If->getCond(), Context))
      return Work.push_back(*Always ? If->getThen() : If->getElse());
  Work.insert(Work.end(), S->child_begin(), S->child_end());
}

bool holdsPointers(QualType T) {
  T = QualType(T->getBaseElementTypeUnsafe(), 0);
  const RecordDecl *Record = T->getAsRecordDecl();
  return T->isPointerType() ||
         (Record && llvm::any_of(Record->fields(), [](const FieldDecl *F) {
            return holdsPointers(F->getType());
          }));
}

/// Whether \p M is an integer beside a pointer in a union.
static bool isPunned(const ASTContext &C, const MemberExpr *M) {
  auto *Field = dyn_cast<FieldDecl>(M->getMemberDecl());
  auto type = [&](const FieldDecl *F) {
    return C.getBaseElementType(F->getType());
  };
  return Field && Field->getParent()->isUnion() &&
         type(Field)->isIntegerType() && mayHoldAddress(C, type(Field)) &&
         llvm::any_of(Field->getParent()->fields(), [&](const FieldDecl *F) {
           return type(F)->isPointerType();
         });
}

/// Visits lvalue \p E, whose value is not read: only the pointers on the way to
/// the object are read.
void PointerFacts::addressOf(const Expr *E) {
  for (;;) {
    E = E->IgnoreParens();
    if (auto *M = dyn_cast<MemberExpr>(E)) {
      HasAddressesAsIntegers |= isPunned(Context, M);
      if (M->isArrow())
        return Work.push_back(M->getBase());
      E = M->getBase();
    } else if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
      IndexesPointers |= holdsPointers(Sub->getType());
      Work.push_back(Sub->getBase());
      return Work.push_back(Sub->getIdx());
    } else if (auto *Un = dyn_cast<UnaryOperator>(E);
               Un && Un->getOpcode() == UO_Deref) {
      return Work.push_back(Un->getSubExpr());
    } else {
      return Work.push_back(E);
    }
  }
}

/// Functions that do not look at the memory behind their arguments.
static bool onlyTakesAddresses(const FunctionDecl *F) {
  StringRef Name = F->getIdentifier() ? F->getName() : "";
  return Name.consume_front("__builtin_") &&
         (Name == "assume_aligned" || Name == "constant_p" ||
          Name == "prefetch" || Name.starts_with("expect") ||
          Name.ends_with("object_size"));
}

void PointerFacts::call(const CallExpr *Call) {
  Calls.push_back(Call);
  const FunctionDecl *F = Call->getDirectCallee();
  if (F && !definitionOf(Call) && !onlyTakesAddresses(F))
    for (unsigned I = 0; I < Call->getNumArgs(); ++I) {
      const Expr *Arg = Call->getArg(I);
      // printf("%p", p) reads no memory behind p.
      if (Arg->getType()->isPointerType() &&
          (I < F->getNumParams() ||
           Arg->getType()->getPointeeType()->isAnyCharacterType()))
        Accesses.push_back(Arg);
    }
  Work.insert(Work.end(), Call->child_begin(), Call->child_end());
}

/// Whether the result depends on where two objects are.
static bool relatesPointers(const ASTContext &C, const BinaryOperator *B) {
  if (!B->isComparisonOp() && B->getOpcode() != BO_Sub)
    return false;
  return llvm::all_of(
      std::initializer_list<const Expr *>{B->getLHS(), B->getRHS()},
      [&](const Expr *E) {
        return E->getType()->isPointerType() &&
               !E->isNullPointerConstant(const_cast<ASTContext &>(C),
                                         Expr::NPC_ValueDependentIsNull);
      });
}

void PointerFacts::visitExpr(const Expr *E) {
  if (isa<UnaryExprOrTypeTraitExpr, OffsetOfExpr>(E))
    return; // not evaluated
  if (auto *B = dyn_cast<BinaryOperator>(E); B && B->isLogicalOp())
    if (auto Left = constantOf(B->getLHS(), Context);
        Left && (*Left != 0) == (B->getOpcode() == BO_LOr))
      return;
  if (auto *C = dyn_cast<ConditionalOperator>(E))
    if (auto Always = constantOf(C->getCond(), Context))
      return Work.push_back(*Always ? C->getTrueExpr() : C->getFalseExpr());
  if (const Expr *Chosen = E->IgnoreParens(); Chosen != E)
    return Work.push_back(Chosen); // also of _Generic
  if (auto *List = dyn_cast<InitListExpr>(E)) {
    // The semantic form has the values without their designators.
    if (List->getSemanticForm())
      List = List->getSemanticForm();
    Work.insert(Work.end(), List->begin(), List->end());
    if (List->hasArrayFiller())
      Work.push_back(List->getArrayFiller());
    return;
  }
  if (auto *Opaque = dyn_cast<OpaqueValueExpr>(E))
    return Work.push_back(Opaque->getSourceExpr());
  if (auto *Call = dyn_cast<CallExpr>(E))
    return call(Call);
  if (auto *Cast = dyn_cast<CastExpr>(E)) {
    if (Cast->getCastKind() == CK_ArrayToPointerDecay)
      return addressOf(Cast->getSubExpr());
    HasAddressesAsIntegers |= Cast->getCastKind() == CK_PointerToIntegral ||
                              Cast->getCastKind() == CK_IntegralToPointer;
  } else if (auto *Un = dyn_cast<UnaryOperator>(E)) {
    if (Un->getOpcode() == UO_AddrOf) {
      changed(Un->getSubExpr());
      if (const VarDecl *V = variableOf(Un->getSubExpr()))
        Taken.insert(V);
      return addressOf(Un->getSubExpr());
    }
    if (Un->getOpcode() == UO_Deref)
      Accesses.push_back(Un->getSubExpr());
    if (Un->isIncrementDecrementOp()) {
      changed(Un->getSubExpr());
      if (mayHoldAddress(Context, Un->getType()))
        Assignments.push_back({Un->getSubExpr(), Un, Un});
    }
  } else if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E)) {
    Accesses.push_back(Sub->getBase());
    IndexesPointers |= holdsPointers(Sub->getType());
  } else if (auto *M = dyn_cast<MemberExpr>(E)) {
    if (M->isArrow())
      Accesses.push_back(M->getBase());
    HasAddressesAsIntegers |= isPunned(Context, M);
  } else if (auto *B = dyn_cast<BinaryOperator>(E)) {
    if (relatesPointers(Context, B))
      Comparisons.push_back(B);
    if (B->isAdditiveOp() && B->getType()->isPointerType())
      IndexesPointers |= holdsPointers(B->getType()->getPointeeType());
    if (B->isAssignmentOp()) {
      changed(B->getLHS());
      if (mayHoldAddress(Context, B->getType()))
        Assignments.push_back(
            {B->getLHS(), B->isCompoundAssignmentOp() ? B : B->getRHS(), B});
    }
  } else if (auto *Literal = dyn_cast<CompoundLiteralExpr>(E)) {
    if (mayHoldAddress(Context, Literal->getType()))
      Literals.push_back(Literal);
  } else if (auto *Atomic = dyn_cast<AtomicExpr>(E)) {
    Accesses.push_back(Atomic->getPtr());
    Atomics.push_back(Atomic);
  }
  Work.insert(Work.end(), E->child_begin(), E->child_end());
}

} // namespace agglom
