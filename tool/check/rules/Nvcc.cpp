// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What device code may hold for Clang and not for nvcc. The kernel text is C
// that is also C++ (emit/Cxx.h); this is what C++, or nvcc, has nothing for.

#include "DeviceLibrary.h"
#include "Rules.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/Builtins.h"

using namespace clang;

namespace agglom {

namespace {
class NvccCheck {
  ParsedUnit &U;
  Task &T;
  const FunctionDecl *Current = nullptr; ///< null: an object of the file
  std::set<std::string> Said;            ///< each thing once a function

  void refuse(SourceLocation Loc, const std::string &What) {
    if (!Said.insert(What).second)
      return;
    U.Report.report(Loc, diag::device_not_nvcc) << What;
    if (Current != T.Definition)
      U.Report.report(T.Loc,
                      T.ForOthers ? diag::note_declare_here : notePlace(T));
    T.Broken = true;
  }

  /// What nvcc does not know in a type, or "".
  std::string unknownIn(QualType Type, std::set<const RecordDecl *> &Seen) {
    if (Type.isNull())
      return "";
    Type = Type.getCanonicalType();
    if (Type->isVectorType())
      return "the vector type '" + Type.getUnqualifiedType().getAsString() +
             "'";
    if (Type->isAtomicType())
      return "'_Atomic'";
    if (Type->isBitIntType())
      return "'_BitInt'";
    if (Type->isPointerType())
      return unknownIn(Type->getPointeeType(), Seen);
    if (const ArrayType *A = U.Context.getAsArrayType(Type))
      return unknownIn(A->getElementType(), Seen);
    const RecordDecl *R = Type->getAsRecordDecl();
    if (!R || !Seen.insert(R).second)
      return "";
    for (const FieldDecl *F : R->fields())
      if (std::string What = unknownIn(F->getType(), Seen); !What.empty())
        return What;
    return "";
  }

  void checkType(QualType Type, SourceLocation Loc) {
    std::set<const RecordDecl *> Seen;
    if (std::string What = unknownIn(Type, Seen); !What.empty())
      refuse(Loc, What);
  }

  void checkVariable(const VarDecl *V) {
    checkType(V->getType(), V->getLocation());
    QualType Type = V->getType();
    if (Type->isConstantSizeType() && !Type->isIncompleteType() &&
        U.Context.getTypeSizeInChars(Type).isZero())
      refuse(V->getLocation(), "a variable of no bytes");
  }

  static bool isKnownBuiltin(StringRef Plain) {
    // Those of <agglom/kernel_nvcc.h>, and nvcc's own.
    static const std::set<StringRef> Known = {
#define BUILTIN(Name) #Name,
#include "nvcc_builtins.def"
    };
    return Known.count(Plain) || isDeviceText(Plain) ||
           isDeviceLibraryFunction(Plain) || isExactBuiltin(Plain);
  }

  void checkCall(const CallExpr *Call) {
    const FunctionDecl *F = Call->getDirectCallee();
    if (!F || !F->getBuiltinID() || !F->getIdentifier())
      return;
    StringRef Plain = F->getName();
    if (Plain.starts_with("__sync_") || Plain.starts_with("__atomic_"))
      return refuse(Call->getExprLoc(),
                    ("'" + Plain +
                     "' ('#pragma agglom atomic' is for both "
                     "compilers)")
                        .str());
    if (Plain.consume_front("__builtin_") && !isKnownBuiltin(Plain))
      refuse(Call->getExprLoc(), "'__builtin_" + Plain.str() + "'");
  }

  bool isVolatileRecord(QualType Type) {
    return Type.isVolatileQualified() && Type->isRecordType();
  }

  void walk(const Stmt *S) {
    if (!S)
      return;
    if (auto *E = dyn_cast<Expr>(S))
      checkType(E->getType(), E->getExprLoc());
    if (auto *A = dyn_cast<AtomicExpr>(S)) {
      refuse(A->getExprLoc(), "the '__atomic' builtins ('#pragma agglom "
                              "atomic' is for both compilers)");
    } else if (auto *Call = dyn_cast<CallExpr>(S)) {
      checkCall(Call);
    } else if (auto *Cast = dyn_cast<ImplicitCastExpr>(S)) {
      if (Cast->getCastKind() == CK_LValueToRValue &&
          isVolatileRecord(Cast->getSubExpr()->getType()))
        refuse(Cast->getExprLoc(), "the copy of a volatile structure");
    } else if (auto *B = dyn_cast<BinaryOperator>(S)) {
      if (B->isAssignmentOp() && isVolatileRecord(B->getLHS()->getType()))
        refuse(B->getOperatorLoc(), "the copy of a volatile structure");
    } else if (auto *D = dyn_cast<DeclStmt>(S)) {
      for (const Decl *Each : D->decls())
        if (auto *V = dyn_cast<VarDecl>(Each))
          checkVariable(V);
    }
    for (const Stmt *Child : S->children())
      walk(Child);
  }

public:
  NvccCheck(ParsedUnit &U, Task &T) : U(U), T(T) {}

  void run(const DeviceClosure &C) {
    for (const FunctionDecl *F : C.Functions) {
      Current = F;
      Said.clear();
      checkType(F->getReturnType(), F->getLocation());
      for (const ParmVarDecl *P : F->parameters())
        checkType(P->getType(), P->getLocation());
      walk(F->getBody());
    }
    Current = nullptr;
    for (const VarDecl *V : C.Consts) {
      Said.clear();
      checkVariable(V);
      walk(V->getAnyInitializer());
    }
  }
};
} // namespace

void checkForNvcc(ParsedUnit &U, Task &T, const DeviceClosure &C) {
  NvccCheck(U, T).run(C);
}

} // namespace agglom
