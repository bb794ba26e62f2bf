// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SharedVariables.h"
#include "Syntax.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

unsigned countOf(const Stmt *S, const VarDecl *V) {
  if (!S)
    return 0;
  auto *Ref = dyn_cast<DeclRefExpr>(S);
  unsigned N = Ref && Ref->getDecl() == V;
  for (const Stmt *Child : S->children())
    N += countOf(Child, V);
  return N;
}

static bool same(const Expr *A, const Expr *B) {
  A = A->IgnoreParenImpCasts();
  B = B->IgnoreParenImpCasts();
  if (A->getStmtClass() != B->getStmtClass())
    return false;
  if (variableOf(A) || variableOf(B))
    return variableOf(A) == variableOf(B);
  if (auto *L = dyn_cast<IntegerLiteral>(A))
    return L->getValue() == cast<IntegerLiteral>(B)->getValue();
  if (auto *L = dyn_cast<FloatingLiteral>(A))
    return L->getValue().bitwiseIsEqual(cast<FloatingLiteral>(B)->getValue());
  if (auto *M = dyn_cast<MemberExpr>(A))
    if (M->getMemberDecl() != cast<MemberExpr>(B)->getMemberDecl())
      return false;
  if (auto *O = dyn_cast<BinaryOperator>(A))
    if (O->getOpcode() != cast<BinaryOperator>(B)->getOpcode())
      return false;
  if (auto *O = dyn_cast<UnaryOperator>(A))
    if (O->getOpcode() != cast<UnaryOperator>(B)->getOpcode())
      return false;
  if (!isa<MemberExpr, BinaryOperator, UnaryOperator, ArraySubscriptExpr>(A))
    return false;
  auto I = A->child_begin(), J = B->child_begin();
  for (; I != A->child_end() && J != B->child_end(); ++I, ++J) {
    auto *X = dyn_cast_or_null<Expr>(*I), *Y = dyn_cast_or_null<Expr>(*J);
    if (!X || !Y || !same(X, Y))
      return false;
  }
  return I == A->child_end() && J == B->child_end();
}

/// 'a < b ? a : b' and the like: "min" or "max" of \p V and \p Other.
static std::string extremum(const Expr *Condition, const Expr *IfTrue,
                            const Expr *IfFalse, const VarDecl *V) {
  auto *C = dyn_cast<BinaryOperator>(Condition->IgnoreParenImpCasts());
  if (!C || !C->isRelationalOp())
    return "";
  bool Less = C->getOpcode() == BO_LT || C->getOpcode() == BO_LE;
  const Expr *L = C->getLHS(), *R = C->getRHS();
  if (variableOf(L) != V && variableOf(R) != V)
    return "";
  const Expr *Other = variableOf(L) == V ? R : L;
  if (countOf(Other, V))
    return "";
  // The condition must compare exactly the two chosen values.
  if (same(IfTrue, L) && same(IfFalse, R))
    return Less ? "min" : "max";
  if (same(IfTrue, R) && same(IfFalse, L))
    return Less ? "max" : "min";
  return "";
}

std::string updateOperator(const Stmt *S, const VarDecl *V, unsigned &Used) {
  Used = countOf(S, V);
  if (auto *If = dyn_cast<IfStmt>(S)) {
    // if (e > v) v = e;
    const Stmt *Then = If->getThen();
    if (auto *Block = dyn_cast<CompoundStmt>(Then); Block && Block->size() == 1)
      Then = Block->body_front();
    auto *Set = dyn_cast<BinaryOperator>(Then);
    if (If->getElse() || !Set || Set->getOpcode() != BO_Assign ||
        variableOf(Set->getLHS()) != V || Used != 2)
      return "";
    return extremum(If->getCond(), Set->getRHS(), Set->getLHS(), V);
  }
  auto *E = dyn_cast<Expr>(S);
  if (!E)
    return "";
  E = E->IgnoreParenImpCasts();
  if (auto *Un = dyn_cast<UnaryOperator>(E))
    return Un->isIncrementDecrementOp() && variableOf(Un->getSubExpr()) == V
               ? "+"
               : "";
  auto *B = dyn_cast<BinaryOperator>(E);
  if (!B || !B->isAssignmentOp() || variableOf(B->getLHS()) != V)
    return "";
  auto Name = [](BinaryOperatorKind Op) -> std::string {
    switch (Op) {
    case BO_Add:
    case BO_Sub:
      return "+";
    case BO_Mul:
      return "*";
    case BO_And:
      return "&";
    case BO_Or:
      return "|";
    case BO_Xor:
      return "^";
    case BO_LAnd:
      return "&&";
    case BO_LOr:
      return "||";
    default:
      return "";
    }
  };
  if (B->isCompoundAssignmentOp())
    return Used == 1 ? Name(BinaryOperator::getOpForCompoundAssignment(
                           B->getOpcode()))
                     : "";
  const Expr *R = B->getRHS()->IgnoreParenImpCasts();
  if (auto *Choice = dyn_cast<ConditionalOperator>(R))
    return Used == 3 ? extremum(Choice->getCond(), Choice->getTrueExpr(),
                                Choice->getFalseExpr(), V)
                     : "";
  if (auto *Call = dyn_cast<CallExpr>(R)) {
    const FunctionDecl *F = Call->getDirectCallee();
    if (!F || !F->getIdentifier() || Call->getNumArgs() != 2 || Used != 2 ||
        (variableOf(Call->getArg(0)) != V && variableOf(Call->getArg(1)) != V))
      return "";
    StringRef Name = F->getName();
    Name.consume_front("__builtin_");
    return Name == "fmin" || Name == "fminf"   ? "min"
           : Name == "fmax" || Name == "fmaxf" ? "max"
                                               : "";
  }
  auto *Sum = dyn_cast<BinaryOperator>(R);
  if (!Sum || Used != 2)
    return "";
  bool Left = variableOf(Sum->getLHS()) == V,
       Right = variableOf(Sum->getRHS()) == V;
  if (Left == Right || (Right && Sum->getOpcode() == BO_Sub))
    return "";
  return Name(Sum->getOpcode());
}

/// The operator of all updates of \p V that are statements, whose values nobody
/// uses. \p Used counts the mentions of \p V in them, \p Fits is whether all
/// have the same operator.
static std::string onlyUpdated(const Stmt *S, const VarDecl *V, unsigned &Used,
                               bool &Fits) {
  if (!S || !Fits)
    return "";
  unsigned N = 0;
  std::string Op = updateOperator(S, V, N);
  if (!Op.empty()) {
    Used += N;
    return Op;
  }
  if (isa<Expr>(S))
    return "";
  const Stmt *Condition = nullptr;
  if (auto *If = dyn_cast<IfStmt>(S))
    Condition = If->getCond();
  else if (auto *For = dyn_cast<ForStmt>(S))
    Condition = For->getCond();
  else if (auto *While = dyn_cast<WhileStmt>(S))
    Condition = While->getCond();
  else if (auto *Do = dyn_cast<DoStmt>(S))
    Condition = Do->getCond();
  for (const Stmt *Child : S->children()) {
    if (Child == Condition)
      continue;
    std::string Inner = onlyUpdated(Child, V, Used, Fits);
    if (Inner.empty())
      continue;
    Fits &= Op.empty() || Op == Inner;
    Op = Inner;
  }
  return Op;
}

/// Whether a reduction in parts may give another result than the serial loop:
/// numbers are converted on the way, or their order matters.
static bool dependsOnOrder(const Stmt *S, const VarDecl *V, StringRef Op) {
  if (!S)
    return false;
  bool Orders = Op == "min" || Op == "max";
  if (auto *B = dyn_cast<CompoundAssignOperator>(S);
      B && variableOf(B->getLHS()) == V && V->getType()->isIntegerType() &&
      B->getComputationResultType()->isFloatingType())
    return true;
  if (auto *Cast = dyn_cast<CastExpr>(S))
    switch (Cast->getCastKind()) {
    case CK_FloatingToIntegral:
      if (V->getType()->isIntegerType())
        return true;
      break;
    case CK_IntegralCast:
    case CK_FloatingCast:
    case CK_IntegralToFloating:
      if (Orders)
        return true;
      break;
    default:
      break;
    }
  if (isa<ConditionalOperator>(S) && Orders && V->getType()->isFloatingType())
    return true; // the order decides about NaN
  return llvm::any_of(S->children(), [&](const Stmt *Child) {
    return dependsOnOrder(Child, V, Op);
  });
}

/// Whether no update of \p V in \p S dependsOnOrder().
static bool isExact(const Stmt *S, const VarDecl *V, StringRef Op) {
  if (!S)
    return true;
  unsigned Used = 0;
  if (!updateOperator(S, V, Used).empty())
    return !dependsOnOrder(S, V, Op);
  return llvm::all_of(S->children(),
                      [&](const Stmt *Child) { return isExact(Child, V, Op); });
}

std::string reductionOf(const Stmt *Body, const VarDecl *V) {
  QualType T = V->getType();
  if (!T->isArithmeticType() || V->hasGlobalStorage())
    return "";
  unsigned Used = 0;
  bool Fits = true;
  std::string Op = onlyUpdated(Body, V, Used, Fits);
  if (Op.empty() || !Fits || Used != countOf(Body, V) || !isExact(Body, V, Op))
    return "";
  bool Bits = Op == "&" || Op == "|" || Op == "^",
       Logic = Op == "&&" || Op == "||";
  // A value without updates must not become 0 or 1.
  if (T->isBooleanType() ? !Logic && Op != "&" && Op != "|"
                         : Logic || (Bits && !T->isIntegerType()))
    return "";
  return Op;
}

//===----------------------------------------------------------------------===//
// Private variables
//===----------------------------------------------------------------------===//

/// Whether each use of \p V is in a `for` whose head sets \p V first.
static bool onlyCounts(const Stmt *S, const VarDecl *V) {
  if (!S)
    return true;
  if (auto *For = dyn_cast<ForStmt>(S)) {
    LoopStart Start = startOf(For);
    if (Start.Var == V && Start.First && !mentions(Start.First, V))
      return true;
  }
  auto *Ref = dyn_cast<DeclRefExpr>(S);
  return !(Ref && Ref->getDecl() == V) &&
         llvm::all_of(S->children(),
                      [&](const Stmt *Child) { return onlyCounts(Child, V); });
}

/// Whether each way through \p S assigns \p V before it uses it. \p Assigned:
/// whether it has been assigned, before \p S and then behind it.
static bool assignsBeforeUse(const Stmt *S, const VarDecl *V, bool &Assigned) {
  if (Assigned || !S || !mentions(S, V))
    return true;
  auto inside = [&](const Stmt *Body, std::initializer_list<const Stmt *> Head,
                    bool &AssignedThere) {
    return llvm::none_of(Head,
                         [&](const Stmt *H) { return H && mentions(H, V); }) &&
           assignsBeforeUse(Body, V, AssignedThere);
  };
  bool Perhaps = false; // a body that may not be executed
  if (auto *B = dyn_cast<BinaryOperator>(S)) {
    Assigned = B->getOpcode() == BO_Assign && variableOf(B->getLHS()) == V &&
               !mentions(B->getRHS(), V);
    return Assigned;
  }
  if (auto *Block = dyn_cast<CompoundStmt>(S))
    return llvm::all_of(Block->body(), [&](const Stmt *Each) {
      return assignsBeforeUse(Each, V, Assigned);
    });
  if (auto *If = dyn_cast<IfStmt>(S)) {
    bool Then = false, Else = false;
    if (!inside(If->getThen(), {If->getCond()}, Then) ||
        !assignsBeforeUse(If->getElse(), V, Else))
      return false;
    Assigned = Then && Else;
    return true;
  }
  if (auto *For = dyn_cast<ForStmt>(S))
    return onlyCounts(For, V) ||
           inside(For->getBody(),
                  {For->getInit(), For->getCond(), For->getInc()}, Perhaps);
  if (auto *While = dyn_cast<WhileStmt>(S))
    return inside(While->getBody(), {While->getCond()}, Perhaps);
  if (auto *Do = dyn_cast<DoStmt>(S))
    return inside(Do->getBody(), {Do->getCond()}, Perhaps);
  return false;
}

/// Whether \p Body uses \p V, and each time a value that it has assigned.
static bool setsFirst(const Stmt *Body, const VarDecl *V) {
  bool Assigned = false;
  return mentions(Body, V) && assignsBeforeUse(Body, V, Assigned);
}

/// Whether \p S, outside of \p Except, uses a value of \p V that was not
/// assigned right before.
static bool usesValue(const Stmt *S, const VarDecl *V, const Stmt *Except) {
  if (!S || S == Except)
    return false;
  if (auto *For = dyn_cast<ForStmt>(S))
    if (onlyCounts(For, V) || setsFirst(For->getBody(), V))
      return false;
  if (auto *B = dyn_cast<BinaryOperator>(S);
      B && B->getOpcode() == BO_Assign && variableOf(B->getLHS()) == V)
    return usesValue(B->getRHS(), V, Except);
  auto *Ref = dyn_cast<DeclRefExpr>(S);
  return (Ref && Ref->getDecl() == V) ||
         llvm::any_of(S->children(), [&](const Stmt *Child) {
           return usesValue(Child, V, Except);
         });
}

/// \p V as the variable of the function around the loop.
static const VarDecl *outside(const Task &T, const VarDecl *V) {
  auto *P = dyn_cast<ParmVarDecl>(V);
  return !T.From ? V
         : P     ? T.From->Captured[P->getFunctionScopeIndex()]
                 : nullptr;
}

static bool jumps(const Stmt *S) {
  return S && (isa<GotoStmt, IndirectGotoStmt, LabelStmt>(S) ||
               llvm::any_of(S->children(), jumps));
}

std::string clauseForShared(const Task &T, const Loop &L, const VarDecl *V) {
  const Stmt *Body = L.For->getBody();
  const VarDecl *Host = outside(T, V);
  const Stmt *Around = (T.From ? T.From->In : T.Definition)->getBody();
  if (!Host || !Host->hasLocalStorage() || Host->hasAttr<CleanupAttr>() ||
      Host->getStorageClass() == SC_Register || jumps(Body))
    return "";
  std::set<const VarDecl *> Taken; // others may look at it, or set it
  takenBy(Around, Taken);
  takenBy(Body, Taken);
  if (Taken.count(Host) || Taken.count(V))
    return "";
  if ((onlyCounts(Body, V) || setsFirst(Body, V)) &&
      !usesValue(Around, Host, T.From ? T.From->For : L.For))
    return "private(" + V->getNameAsString() + ")";
  std::string Op = T.From && T.From->NoWait ? "" : reductionOf(Body, V);
  return Op.empty() ? ""
                    : "reduction(" + Op + ": " + V->getNameAsString() + ")";
}

} // namespace agglom
