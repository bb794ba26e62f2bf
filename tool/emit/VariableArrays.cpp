// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters of variable size, flattened for device code, which has no such
// types. For
//
//   void f(int n, int m, double A[n][m]) { A[i][j] = A[i + 1][0]; }
//
// the kernel text has
//
//   void f(int n, int m, double *A) {
//     const unsigned long long ag_size_A_0 = (m);
//     (A + (long long)(i) * (long long)(ag_size_A_0))[j] = ...; }
//
// The sizes are those at the entry of the function, as in C.

#include "Emit.h"

using namespace clang;

namespace agglom {

static bool isVariable(QualType T) {
  return !T.isNull() && T->isVariablyModifiedType();
}

/// Whether \p Of is an array, or a pointer to arrays, inside a parameter of
/// variable size. In device code it is a pointer to the innermost elements.
static bool isFlat(const Expr *Of) {
  Of = Of->IgnoreParenImpCasts();
  if (isVariable(Of->getType()))
    return true;
  if (auto *Sub = dyn_cast<ArraySubscriptExpr>(Of))
    return Sub->getType()->isArrayType() && isFlat(Sub->getBase());
  if (auto *Un = dyn_cast<UnaryOperator>(Of))
    return (Un->getOpcode() == UO_AddrOf ||
            (Un->getOpcode() == UO_Deref && Un->getType()->isArrayType())) &&
           isFlat(Un->getSubExpr());
  auto *Bin = dyn_cast<BinaryOperator>(Of);
  return Bin && Bin->isAdditiveOp() &&
         ((Bin->getLHS()->getType()->isPointerType() &&
           isFlat(Bin->getLHS())) ||
          (Bin->getRHS()->getType()->isPointerType() && isFlat(Bin->getRHS())));
}

/// Whether isFlat(Of), and the elements or pointees of \p Of are arrays
/// themselves.
static bool isFlatArrays(const Expr *Of) {
  QualType T = Of->getType();
  return (T->isArrayType() ||
          (T->isPointerType() && T->getPointeeType()->isArrayType())) &&
         isFlat(Of);
}

namespace {
class Flattening {
  Emission &E;
  Edits &Ed;
  llvm::DenseMap<const Expr *, std::string> Sizes; ///< by size expression
  std::string Entry;

  /// How many innermost elements an object of type \p T has.
  std::string elements(QualType T) {
    std::string S;
    ASTContext &C = E.U.Context;
    while (const ArrayType *A = C.getAsArrayType(T)) {
      if (auto *V = dyn_cast<VariableArrayType>(A))
        S += (S.empty() ? "" : " * ") + std::string("(long long)(") +
             sizeName(V) + ")";
      else if (auto *K = dyn_cast<ConstantArrayType>(A))
        S += (S.empty() ? "" : " * ") + std::to_string(K->getZExtSize()) + "LL";
      T = A->getElementType();
    }
    return S;
  }
  std::string sizeName(const VariableArrayType *V) const {
    auto It = Sizes.find(V->getSizeExpr());
    return It != Sizes.end() ? It->second : E.Text.text(V->getSizeExpr());
  }

public:
  Flattening(Emission &E, Edits &Ed) : E(E), Ed(Ed) {}

  void enter(const FunctionDecl *F) {
    ASTContext &C = E.U.Context;
    for (const ParmVarDecl *P : F->parameters()) {
      if (!isVariable(P->getType()))
        continue;
      unsigned N = 0;
      QualType T = P->getType()->getPointeeType();
      while (const ArrayType *A = C.getAsArrayType(T)) {
        if (auto *V = dyn_cast<VariableArrayType>(A)) {
          std::string Name =
              "ag_size_" + P->getNameAsString() + "_" + std::to_string(N++);
          Sizes[V->getSizeExpr()] = Name;
          Entry += " const unsigned long long " + Name + " = (" +
                   E.Text.text(V->getSizeExpr()) + ");";
        }
        T = A->getElementType();
      }
    }
    if (!Entry.empty())
      Ed.insert(E.Text.offset(F->getBody()->getBeginLoc()) + 1, Entry);
  }

  void walk(const Stmt *S) {
    if (!S || replaceSize(S))
      return;
    // A wrap is opened before the children of \p S are walked, and closed
    // after.
    Extent Whole, Factor;
    std::string After;
    if (auto *Sub = dyn_cast<ArraySubscriptExpr>(S); Sub && isFlatArrays(Sub)) {
      const Expr *Base = Sub->getBase(), *Index = Sub->getIdx();
      Whole = E.Text.extent(Base->getSourceRange());
      unsigned First = E.Text.offset(Index->getBeginLoc());
      unsigned Last = E.Text.extent(Index->getSourceRange()).End;
      Ed.openWrap(Whole, "(");
      Ed.replaceInner({Whole.End, First}, " + (long long)(");
      Ed.replaceInner({Last, E.Text.offset(Sub->getRBracketLoc()) + 1},
                      ") * " + elements(Sub->getType()) + ")");
    } else if (auto *Un = dyn_cast<UnaryOperator>(S);
               Un && ((Un->getOpcode() == UO_Deref && isFlatArrays(Un)) ||
                      (Un->getOpcode() == UO_AddrOf &&
                       isFlatArrays(Un->getSubExpr())))) {
      unsigned At = E.Text.offset(Un->getOperatorLoc());
      Ed.replaceInner({At, At + 1}, " ");
    } else if (auto *Bin = dyn_cast<BinaryOperator>(S);
               Bin && Bin->isAdditiveOp() && isFlatArrays(Bin)) {
      const Expr *N = Bin->getRHS();
      QualType Pointer = Bin->getLHS()->getType();
      if (!Pointer->isPointerType()) {
        N = Bin->getLHS();
        Pointer = Bin->getRHS()->getType();
      }
      Factor = E.Text.extent(N->getSourceRange());
      Ed.openWrap(Factor, "(long long)(");
      After = ") * " + elements(Pointer->getPointeeType());
    } else if (auto *Bin = dyn_cast<BinaryOperator>(S);
               Bin && Bin->getOpcode() == BO_Sub &&
               isFlatArrays(Bin->getLHS())) {
      Factor = E.Text.extent(Bin->getSourceRange());
      Ed.openWrap(Factor, "((");
      After =
          ") / (" + elements(Bin->getLHS()->getType()->getPointeeType()) + "))";
    }
    for (const Stmt *Child : S->children())
      walk(Child);
    if (!After.empty())
      Ed.closeWrap(Factor, After);
  }

private:
  bool replaceSize(const Stmt *S) {
    auto *Size = dyn_cast<UnaryExprOrTypeTraitExpr>(S);
    if (!Size || Size->getKind() != UETT_SizeOf)
      return false;
    QualType T = Size->getTypeOfArgument();
    bool Flat = !Size->isArgumentType() && T->isArrayType() &&
                isFlat(Size->getArgumentExpr());
    if ((!isVariable(T) && !Flat) || T->isPointerType())
      return false;
    ASTContext &C = E.U.Context;
    Ed.replace(
        E.Text.extent(Size->getSourceRange()),
        "((unsigned long)(" + elements(T) + ") * " +
            std::to_string(
                C.getTypeSizeInChars(C.getBaseElementType(T)).getQuantity()) +
            "UL)");
    return true;
  }
};
} // namespace

bool hasVariableArrays(const FunctionDecl *F) {
  return llvm::any_of(F->parameters(), [](const ParmVarDecl *P) {
    return isVariable(P->getType());
  });
}

void flattenArrays(Emission &E, const FunctionDecl *F, const Stmt *In,
                   Edits &Ed) {
  if (!hasVariableArrays(F))
    return;
  Flattening Flat(E, Ed);
  Flat.enter(F);
  Flat.walk(In);
}

std::string flatParameterList(Emission &E, const FunctionDecl *F) {
  if (!hasVariableArrays(F))
    return parameterList(E, F, Dialect::Gpu);
  std::string S;
  for (const ParmVarDecl *P : F->parameters())
    S += (S.empty() ? "" : ", ") + E.declare(storedType(E, P), P->getName());
  return S;
}

} // namespace agglom
