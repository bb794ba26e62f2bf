// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions and objects under `declare` between units. For
//
//   #pragma agglom declare
//   double law(struct pt *p);
//
// the name in device code is law__agglom_0123456789abcdef in all units. The
// digits are a hash of the type and of the layouts of the structures it
// mentions. The unit that defines the function also defines a host object
// __agglom_declare_law__agglom_01..., which leads to its device code.
// Descriptors of the units that use the function point to that object. So the
// host's linker finds the definition, in archives and shared libraries too, and
// reports an error when there is none or when it has another type.

#include "Emit.h"
#include "clang/AST/RecordLayout.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace agglom {

namespace {
class TypeText {
  ASTContext &Context;
  PrintingPolicy Policy;
  llvm::SmallPtrSet<const RecordDecl *, 8> Seen;
  llvm::raw_string_ostream OS;

public:
  TypeText(ASTContext &Context, std::string &Out)
      : Context(Context), Policy(Context.getLangOpts()), OS(Out) {
    Policy.AnonymousTagLocations = false;
  }

  void add(QualType T) {
    T = T.getCanonicalType();
    T.print(OS, Policy);
    OS << ';';
    reach(T);
  }

private:
  /// The layouts of the structures that \p T is made of.
  void reach(QualType T) {
    if (const auto *P = T->getAs<PointerType>())
      return reach(P->getPointeeType());
    if (const auto *A = T->getAsArrayTypeUnsafe())
      return reach(A->getElementType());
    if (const auto *F = T->getAs<FunctionProtoType>()) {
      reach(F->getReturnType());
      for (QualType Param : F->param_types())
        reach(Param);
      return;
    }
    const RecordDecl *R = T->getAsRecordDecl();
    R = R ? R->getDefinition() : nullptr;
    if (!R || R->isInvalidDecl() || !Seen.insert(R).second)
      return;
    const ASTRecordLayout &L = Context.getASTRecordLayout(R);
    OS << '{' << L.getSize().getQuantity() << ':';
    for (const FieldDecl *F : R->fields()) {
      OS << F->getName() << '@' << L.getFieldOffset(F->getFieldIndex()) << ' ';
      F->getType().getCanonicalType().print(OS, Policy);
      OS << ';';
    }
    OS << '}';
    for (const FieldDecl *F : R->fields())
      reach(F->getType());
  }
};
} // namespace

std::string declaredSymbol(Emission &E, const ValueDecl *D) {
  std::string Text;
  {
    QualType T = D->getType();
    if (const auto *A = T->getAsArrayTypeUnsafe(); A && isa<VarDecl>(D)) {
      Text = "array of "; // a declaration may leave the size out
      T = A->getElementType();
    }
    TypeText(E.U.Context, Text).add(T);
  }
  uint64_t Hash = 14695981039346656037ULL; // FNV-1a
  for (unsigned char C : Text)
    Hash = (Hash ^ C) * 1099511628211ULL;
  std::string Digits = llvm::utohexstr(Hash, /*LowerCase=*/true);
  return D->getNameAsString() + "__agglom_" +
         std::string(16 - Digits.size(), '0') + Digits;
}

std::vector<const ValueDecl *> exportsOf(const Emission &E) {
  std::vector<const ValueDecl *> Out;
  for (const auto &T : E.U.M.DeclaredFunctions)
    if (T->Definition)
      Out.push_back(T->Definition);
  for (const DeclaredObject &O : E.U.M.DeclaredObjects) {
    const VarDecl *Defined = nullptr;
    if (O.Var->getAnyInitializer(Defined) && !llvm::is_contained(Out, Defined))
      Out.push_back(Defined);
  }
  return Out;
}

std::vector<const ValueDecl *> importsOf(const Emission &E) {
  llvm::SetVector<const ValueDecl *> Out;
  auto add = [&](const Task *T) {
    auto It = E.Checked.Closures.find(T);
    if (It == E.Checked.Closures.end())
      return;
    Out.insert(It->second.Imports.begin(), It->second.Imports.end());
    Out.insert(It->second.ImportedConsts.begin(),
               It->second.ImportedConsts.end());
  };
  for (const auto &T : E.U.M.Tasks)
    add(T.get());
  for (const auto &T : E.U.M.DeclaredFunctions)
    add(T.get());
  return {Out.begin(), Out.end()};
}

} // namespace agglom
