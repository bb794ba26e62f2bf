// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the body of a unit reaches by address although the user's text names it
// directly. Objects of the file that a section names become hidden arguments.
// Of a large structure that the task takes by value, the unit's function gets
// the address in the argument structure: device compilers copy a value element
// by element, which for 30 kB takes them minutes:
//
//   #pragma agglom task in(hits) out(x[0:1])
//   void f(struct big b, int n, double *x) { x[0] = b.v[n] + hits; }
//
// has the kernel text
//
//   void f__agglom_unit(const struct big *ag_at_b, int n, double *x,
//                       int *ag_g_hits) {
//     x[0] = (*ag_at_b).v[n] + (*ag_g_hits); }
//
// Where the body may change the structure, or takes an address in it, the
// function declares a copy of the same name: struct big b = *ag_at_b;

#include "Emit.h"

using namespace clang;

namespace agglom {

/// A copy of at most so many bytes costs too little to be avoided.
static const int64_t LargeBytes = 128;

static bool isLarge(const ParmVarDecl *P) {
  const ASTContext &C = P->getASTContext();
  return P->getType()->isRecordType() && P->getIdentifier() &&
         C.getTypeSizeInChars(P->getType()).getQuantity() > LargeBytes;
}

static std::string addressName(const ParmVarDecl *P) {
  return "ag_at_" + P->getNameAsString();
}

/// "struct big *ag_at_b"
static std::string pointerTo(Emission &E, const ParmVarDecl *P) {
  QualType T = P->getType().getCanonicalType().getUnqualifiedType();
  return E.declare(E.U.Context.getPointerType(T), addressName(P));
}

/// The reference to parameter \p P, when \p E is \p P or a part of it that is
/// reached without a pointer; else null. \p Inside gets the subscripts on the
/// way.
static const DeclRefExpr *partOf(const Expr *E, const ParmVarDecl *P,
                                 SmallVectorImpl<const Stmt *> &Inside) {
  for (;;) {
    E = E->IgnoreParens();
    if (auto *Ref = dyn_cast<DeclRefExpr>(E))
      return Ref->getDecl() == P ? Ref : nullptr;
    if (auto *M = dyn_cast<MemberExpr>(E); M && !M->isArrow()) {
      E = M->getBase();
      continue;
    }
    auto *Sub = dyn_cast<ArraySubscriptExpr>(E);
    auto *Decay =
        Sub ? dyn_cast<ImplicitCastExpr>(Sub->getBase()->IgnoreParens())
            : nullptr;
    if (!Decay || Decay->getCastKind() != CK_ArrayToPointerDecay)
      return nullptr;
    Inside.push_back(Sub->getIdx());
    E = Decay->getSubExpr();
  }
}

/// Whether \p S only reads values in \p P.
static bool onlyReads(const Stmt *S, const ParmVarDecl *P) {
  if (!S)
    return true;
  if (auto *Ref = dyn_cast<DeclRefExpr>(S))
    return Ref->getDecl() != P;
  if (isa<UnaryExprOrTypeTraitExpr>(S))
    return true;
  if (auto *Cast = dyn_cast<ImplicitCastExpr>(S);
      Cast && Cast->getCastKind() == CK_LValueToRValue) {
    SmallVector<const Stmt *, 4> Inside;
    if (partOf(Cast->getSubExpr(), P, Inside))
      return llvm::all_of(Inside,
                          [&](const Stmt *Each) { return onlyReads(Each, P); });
  }
  return llvm::all_of(S->children(),
                      [&](const Stmt *Child) { return onlyReads(Child, P); });
}

/// The text for a use of the object or parameter \p V.
static std::string use(const VarDecl *V) {
  if (auto *P = dyn_cast<ParmVarDecl>(V))
    return "(*" + addressName(P) + ")";
  return V->getType()->isPointerType() ? hiddenName(V)
                                       : "(*" + hiddenName(V) + ")";
}

static bool namesIt(const QualType T, const VarDecl *V) {
  if (const auto *P = T->getAs<PointerType>())
    return namesIt(P->getPointeeType(), V);
  const ArrayType *A = V->getASTContext().getAsArrayType(T);
  auto *Variable = dyn_cast_or_null<VariableArrayType>(A);
  return A && ((Variable && mentions(Variable->getSizeExpr(), V)) ||
               namesIt(A->getElementType(), V));
}

void findByAddress(Emission &E, const Task &T) {
  const FunctionDecl *F = T.kernelBody();
  std::map<const VarDecl *, std::string> &Uses = E.ByAddress[F];
  for (const VarDecl *G : T.globals())
    Uses[G] = use(G);
  for (const ParmVarDecl *P : F->parameters()) {
    auto needsCopy = [&] {
      return !onlyReads(F->getBody(), P) ||
             llvm::any_of(T.Loops, [&](const Loop *L) { return L->owns(P); }) ||
             llvm::any_of(F->parameters(), [&](const ParmVarDecl *Other) {
               return namesIt(Other->getType(), P);
             });
    };
    if (isLarge(P) && !needsCopy())
      Uses[P] = use(P);
  }
}

static void hostNames(Emission &E, const Task &T, const Stmt *S, Edits &Ed) {
  if (!S)
    return;
  if (auto *Ref = dyn_cast<DeclRefExpr>(S))
    if (auto *V = dyn_cast<VarDecl>(Ref->getDecl());
        V && V->hasGlobalStorage() && T.names(V))
      Ed.replaceInner(E.Text.extent(Ref->getSourceRange()),
                      use(V->getCanonicalDecl()));
  for (const Stmt *Child : S->children())
    hostNames(E, T, Child, Ed);
}

Edits hostNames(Emission &E, const Task &T) {
  Edits Ed;
  if (!T.globals().empty())
    hostNames(E, T, T.Definition->getBody(), Ed);
  return Ed;
}

std::string byAddressEntry(Emission &E, const FunctionDecl *F, const Task *T) {
  std::string S;
  auto It = E.ByAddress.find(F);
  if (It == E.ByAddress.end())
    return S;
  for (const ParmVarDecl *P : F->parameters()) {
    if (T && isLarge(P) && !It->second.count(P))
      S += " " + E.declare(P->getType(), P->getName()) + " = *" +
           addressName(P) + ";";
    if (!T && It->second.count(P))
      S += " const " + pointerTo(E, P) + " = &" + P->getNameAsString() + ";";
  }
  // The kernel may call this body as a function, too, or use it for another
  // task: there the object has no hidden argument.
  for (const auto &[V, Text] : It->second)
    if (!isa<ParmVarDecl>(V) && !(T && T->names(V)))
      S += " " + hiddenParameter(E, V) + " = " +
           (V->getType()->isPointerType() ? "" : "&") + V->getNameAsString() +
           ";";
  return S;
}

std::string unitParameterList(Emission &E, const FunctionDecl *F) {
  if (llvm::none_of(F->parameters(), isLarge))
    return flatParameterList(E, F);
  std::string S;
  for (const ParmVarDecl *P : F->parameters())
    S += (S.empty() ? "" : ", ") +
         (isLarge(P) ? "const " + pointerTo(E, P)
                     : E.declare(storedType(E, P), P->getName()));
  return S;
}

std::string unitValues(const Task &T, StringRef Prefix) {
  std::string S;
  for (unsigned I = 0; I < T.Declared->getNumParams(); ++I)
    S += (I ? ", " : "") +
         std::string(isLarge(T.kernelBody()->getParamDecl(I)) ? "&" : "") +
         Prefix.str() + argumentField(T, I);
  return S;
}

} // namespace agglom
