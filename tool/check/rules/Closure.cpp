// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device closure: starting from the task's body, every function it calls,
// every constant it reads. Whatever cannot become device code is reported at
// its own line, followed by the chain of calls that led there.

#include "AstVisitor.h"
#include "DeviceLibrary.h"
#include "FixIts.h"
#include "Inference.h"
#include "PointerFacts.h"
#include "Rules.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;

namespace agglom {

/// Whether __builtin_<Plain> is an operation that the device has with exact
/// results.
static bool isExactBuiltin(StringRef Plain) {
  static const std::set<StringRef> Exact = {
#define BUILTIN(Name, Arguments) #Name, #Name "f",
#define MEMORY(Name) #Name,
#define INTEGER(Name, Type) #Name,
#define CLASSIFY(Name) #Name,
#include "device_library.def"
  };
  return Exact.count(Plain);
}

namespace {
class ClosureWalk : public AstVisitor<ClosureWalk> {
  ParsedUnit &U;
  Task &T;
  const FunctionDecl *Body; ///< the task's or its variant's
  DeviceClosure &C;
  const FunctionDecl *Current = nullptr;
  /// How each function was reached: the caller and the place of the call.
  llvm::DenseMap<const FunctionDecl *,
                 std::pair<const FunctionDecl *, SourceLocation>>
      Via;
  bool ReportedType = false;
  bool InRowSize = false; ///< of a parameter

  /// Called after each error: notes the calls that make the code device code.
  void chain() {
    T.Broken = true;
    const FunctionDecl *F = Current;
    for (auto It = Via.find(F); It != Via.end(); It = Via.find(F)) {
      U.Report.report(It->second.second, diag::note_called_by_task)
          << F << spokenName(U.M, It->second.first);
      F = It->second.first;
    }
    if (T.ForOthers)
      U.Report.report(T.Loc, diag::note_declare_here);
    else if (isVariant())
      U.Report.report(T.VariantLoc, diag::note_variant_here);
    else if (Current != C.Functions[0])
      U.Report.report(T.Loc, notePlace(T));
  }

  bool isVariant() const { return Body == T.Variant; }

  bool fromSystem(const Decl *D) const {
    return U.Context.getSourceManager().isInSystemHeader(D->getLocation());
  }

  void checkType(QualType Type, SourceLocation Loc) {
    if (ReportedType || Type.isNull())
      return;
    QualType Base = U.Context.getBaseElementType(Type);
    if (Base->isSpecificBuiltinType(BuiltinType::LongDouble)) {
      ReportedType = true;
      U.Report.report(Loc, diag::device_long_double);
      chain();
    } else if (Base->isAnyComplexType() || Base->isConstantMatrixType() ||
               Base->isSpecificBuiltinType(BuiltinType::Float128) ||
               Base->isSpecificBuiltinType(BuiltinType::Float16) ||
               Base->isSpecificBuiltinType(BuiltinType::BFloat16)) {
      ReportedType = true;
      U.Report.report(Loc, diag::device_wide_type) << Base;
      chain();
    }
  }

  /// Whether the device's copy of \p V can hold device addresses for all
  /// addresses in the initial value of \p V: those of string literals, and of
  /// const objects that are defined before it.
  bool deviceAddresses(const VarDecl *V) {
    const VarDecl *Defined = V;
    const Expr *Init = V->getAnyInitializer(Defined);
    if (!Init || !holdsPointers(V->getType()))
      return true;
    HostAddress = nullptr;
    return deviceValue(Init, Defined);
  }
  const Expr *HostAddress = nullptr; ///< found by deviceAddresses()

  bool hostAddress(const Expr *E) {
    if (!HostAddress)
      HostAddress = E;
    return false;
  }

  bool deviceValue(const Expr *E, const VarDecl *Of) {
    E = E->IgnoreParens();
    if (auto *List = dyn_cast<InitListExpr>(E)) {
      for (const Expr *Each : List->inits())
        if (!deviceValue(Each, Of))
          return false;
      return true;
    }
    if (isa<ImplicitValueInitExpr, StringLiteral>(E))
      return true;
    if (auto *Cast = dyn_cast<CastExpr>(E)) {
      if (Cast->getCastKind() == CK_NullToPointer)
        return true;
      if (Cast->getCastKind() == CK_PointerToIntegral ||
          Cast->getCastKind() == CK_FunctionToPointerDecay)
        return hostAddress(E);
      if (Cast->getCastKind() == CK_ArrayToPointerDecay)
        return deviceObject(Cast->getSubExpr(), Of);
      if (Cast->getCastKind() == CK_IntegralToPointer)
        return E->isNullPointerConstant(U.Context,
                                        Expr::NPC_ValueDependentIsNotNull) ||
               hostAddress(E);
      return deviceValue(Cast->getSubExpr(), Of);
    }
    if (!E->getType()->isPointerType())
      return true; // arithmetic; conversions of addresses are handled above
    if (auto *Un = dyn_cast<UnaryOperator>(E);
        Un && Un->getOpcode() == UO_AddrOf)
      return deviceObject(Un->getSubExpr(), Of);
    if (auto *Bin = dyn_cast<BinaryOperator>(E))
      return deviceValue(Bin->getLHS(), Of) && deviceValue(Bin->getRHS(), Of);
    return hostAddress(E);
  }

  bool deviceObject(const Expr *E, const VarDecl *Of) {
    E = E->IgnoreParens();
    if (isa<StringLiteral>(E))
      return true;
    if (auto *M = dyn_cast<MemberExpr>(E); M && !M->isArrow())
      return deviceObject(M->getBase(), Of);
    if (auto *Sub = dyn_cast<ArraySubscriptExpr>(E))
      return deviceValue(Sub->getBase(), Of);
    auto *Ref = dyn_cast<DeclRefExpr>(E);
    auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
    const VarDecl *Defined = V;
    // Other errors about the object are reported by the closure.
    if (!V || !V->hasGlobalStorage() || !V->getAnyInitializer(Defined) ||
        !U.Context.getBaseElementType(V->getType()).isConstQualified() ||
        !U.Context.getSourceManager().isBeforeInTranslationUnit(
            Defined->getLocation(), Of->getLocation()))
      return hostAddress(E);
    return true;
  }

  void addCallee(const FunctionDecl *F, CallExpr *Call) {
    SourceLocation Loc = Call->getExprLoc();
    StringRef Name = F->getIdentifier() ? F->getName() : "";
    StringRef Plain = Name;
    Plain.consume_front("__builtin_");
    bool Fortified = Plain == "__printf_chk";
    if ((Plain == "printf" || Fortified) && Call->getNumArgs() > Fortified) {
      if (checkFormat(U, Call, Fortified, C)) {
        C.Library.insert(Plain.str());
        T.Prints = true;
      } else {
        chain();
      }
      return;
    }
    T.Prints |= Plain == "puts" || Plain == "putchar";
    // The device library defines __builtin_memcmp, too.
    if (Plain != Name &&
        (isDeviceText(Plain) || isDeviceLibraryFunction(Plain)) &&
        (!isExactBuiltin(Plain) || Plain == "memcmp")) {
      C.Library.insert(Plain.str());
      return;
    }
    if (unsigned Id = F->getBuiltinID();
        Id && !U.Context.BuiltinInfo.isPredefinedLibFunction(Id)) {
      checkBuiltin(F, Name, Loc);
      return;
    }
    if (Name == "alloca")
      return error(diag::device_alloca, Loc, F);
    if (Name.contains("setjmp") || Name.contains("longjmp"))
      return error(diag::device_setjmp, Loc, F);
    if (isTeamFunction(U.Context, F)) {
      if (!isVariant())
        return error(diag::variant_only, Loc, F);
      C.Library.insert(Name.str());
      return;
    }
    const FunctionDecl *Definition = nullptr;
    F->hasBody(Definition);
    if (isDeviceLibraryFunction(Name) && (!Definition || fromSystem(F))) {
      C.Library.insert(Name.str());
      return;
    }
    if (F->isVariadic())
      return error(diag::device_variadic, Loc, F);
    if (!Definition && U.M.findDeclared(F)) {
      C.Imports.insert(F->getCanonicalDecl());
      T.Prints = true; // perhaps: its body is in another unit
      return;
    }
    if (!Definition) {
      error(fromSystem(F) ? diag::device_library : diag::device_no_body, Loc,
            F);
      return;
    }
    if (!Definition->hasWrittenPrototype() && Definition->getNumParams())
      return error(diag::device_old_style, Loc, F);
    if (!mayBeNamed(F, Loc))
      return;
    if (!llvm::isASCII(Name))
      return error(diag::device_name, Loc, F);
    C.Calls[Current].insert(Definition);
    if (C.Functions.insert(Definition))
      Via[Definition] = {Current, Loc};
  }

  void checkBuiltin(const FunctionDecl *F, StringRef Name, SourceLocation Loc) {
    StringRef Plain = Name;
    // A builtin of the host's processor or calling convention.
    if (U.Context.BuiltinInfo.isTSBuiltin(F->getBuiltinID()))
      return error(diag::device_builtin, Loc, F);
    if (!Plain.consume_front("__builtin_"))
      return;
    if (isHostBuiltin(Plain))
      return error(diag::device_builtin, Loc, F);
    if (Plain.starts_with("alloca"))
      return error(diag::device_alloca, Loc, F);
    if (Plain.starts_with("va_"))
      return error(diag::device_variadic, Loc, F);
    if (Plain.contains("setjmp") || Plain.contains("longjmp"))
      return error(diag::device_setjmp, Loc, F);
    if (F->isVariadic() && Plain.contains("printf"))
      return error(diag::device_variadic, Loc, F);
    // A builtin that expands to a library call is refused: the device has no
    // library for it. A call by the plain name is replaced by a device
    // function.
    if (U.Context.BuiltinInfo.isLibFunction(F->getBuiltinID()) &&
        !isExactBuiltin(Plain))
      error(diag::device_library, Loc, F);
  }

  static bool isHostBuiltin(StringRef Plain) {
    return Plain.contains("return_address") || Plain.contains("return_addr") ||
           Plain.contains("frame_address") || Plain.starts_with("eh_") ||
           Plain.starts_with("cpu_") || Plain.starts_with("dwarf_") ||
           Plain.starts_with("unwind") || Plain.starts_with("apply") ||
           Plain == "thread_pointer" || Plain == "readcyclecounter" ||
           Plain == "call_with_static_chain" || Plain == "debugtrap" ||
           Plain.ends_with("_dump_struct");
  }

  void error(diag::Id D, SourceLocation Loc, const NamedDecl *Named) {
    U.Report.report(Loc, D) << Named;
    if ((D == diag::device_no_body || D == diag::device_row_size) &&
        !fromSystem(Named))
      U.Report.report(Named->getLocation(), diag::note_declared) << Named;
    if (D == diag::device_const_pointer && HostAddress)
      U.Report.report(HostAddress->getExprLoc(), diag::note_host_address);
    chain();
  }

  /// Reports \p V, which is neither const nor named in a clause; once, so that
  /// clauses missing for other variables are reported, too.
  void variable(const VarDecl *V, SourceLocation Loc) {
    if (InRowSize)
      return error(diag::device_row_size, Loc, V);
    T.Broken = true;
    if (!Variables.insert(V->getCanonicalDecl()).second)
      return;
    bool MayBeNamed = Current == Body && !T.ForOthers && !fromSystem(V);
    {
      auto Report = U.Report.report(Loc, diag::device_global);
      bool MayBeConst = !MayBeNamed && V->getAnyInitializer() && !fromSystem(V);
      Report << V << (MayBeConst ? 2 : MayBeNamed);
      FixItHint Add;
      Report << (MayBeNamed ? clauseFor(V, Add) : "");
      if (!Add.isNull())
        Report << Add;
    }
    if (!fromSystem(V))
      U.Report.report(V->getLocation(), diag::note_declared) << V;
    chain();
  }
  std::set<const VarDecl *> Variables; ///< already reported
  std::optional<Inference> Inferred;

  /// The clause that names \p V as the body uses it. \p Add becomes a fix-it
  /// where the clause is certain.
  std::string clauseFor(const VarDecl *V, FixItHint &Add) {
    const bool Judged = !isVariant() && !(T.From && T.From->Inner->Broken) &&
                        U.Context.getSourceManager().isBeforeInTranslationUnit(
                            V->getLocation(), T.Loc);
    InferredSection S;
    if (Judged) {
      if (!Inferred)
        Inferred = inferTask(U.Context, T, T.Definition);
      S = inferVariable(U.Context, *Inferred, V, T.Declared);
      bool Whole = !V->getType()->isPointerType() &&
                   !V->getType()->isArrayType() && !S.Writes;
      if (Whole ? S.Known : isSure(U.Context, T, *Inferred, S)) {
        Add = addClause(U, T, clauseOf(S));
        return clauseOf(S);
      }
    }
    // For a `for`, a written section of the whole array would make each chunk
    // wait for the one before.
    std::string Item = V->getNameAsString();
    if (auto *A = U.Context.getAsConstantArrayType(V->getType());
        A && !(T.From && S.Writes))
      Item += "[0:" + std::to_string(A->getSize().getZExtValue()) + "]";
    else if (V->getType()->isPointerType() || V->getType()->isArrayType())
      Item += "[lo:len]";
    return (spellingOf(S.clause()) + "(" + Item + ")").str();
  }

  /// Warns of what is too large for a device thread (CUDA C++ Programming
  /// Guide, "Technical Specifications per Compute Capability").
  void checkSize(const VarDecl *V) {
    constexpr uint64_t KiB = 1024, Most = 512 * KiB;
    QualType Type = V->getType();
    if (!V->hasLocalStorage() || isa<ParmVarDecl>(V) || isBlockShared(V) ||
        Type->isIncompleteType() || Type->isVariablyModifiedType())
      return;
    uint64_t Size = U.Context.getTypeSizeInChars(Type).getQuantity();
    if (Size > Most && !T.Broken)
      U.Report.report(V->getLocation(), diag::device_large_local)
          << V << Size / KiB;
  }

  /// Device code computes the row size W of double A[n][W].
  void rowSizes(QualType Type) {
    llvm::SaveAndRestore<bool> In(InRowSize, true);
    if (Type->isPointerType())
      Type = Type->getPointeeType();
    while (const ArrayType *A = U.Context.getAsArrayType(Type)) {
      if (auto *V = dyn_cast<VariableArrayType>(A))
        TraverseStmt(V->getSizeExpr());
      Type = A->getElementType();
    }
  }

public:
  ClosureWalk(ParsedUnit &U, Task &T, const FunctionDecl *Body,
              DeviceClosure &C)
      : U(U), T(T), Body(Body), C(C) {}

  void run() {
    C.Functions.insert(Body);
    size_t DoneConsts = 0;
    for (size_t I = 0; I < C.Functions.size(); ++I) {
      Current = C.Functions[I];
      ReportedType = false;
      for (const ParmVarDecl *P : Current->parameters()) {
        checkType(P->getType(), P->getLocation());
        mayBeNamed(P, P->getLocation());
        rowSizes(P->getType());
      }
      checkType(Current->getReturnType(), Current->getLocation());
      TraverseStmt(Current->getBody());
      for (const SectionDirective &D : U.M.SectionDirectives)
        if (D.In == Current) {
          U.Report.report(D.Loc, diag::host_directive_on_device)
              << D.Info->Spelling << spokenName(U.M, Current);
          chain();
        }
      if (Current == Body && !isVariant())
        for (const Loop *L : T.Loops)
          if (L->SortKey)
            TraverseStmt(const_cast<Expr *>(L->SortKey));
      for (; DoneConsts < C.Consts.size(); ++DoneConsts)
        if (const Expr *Init = C.Consts[DoneConsts]->getAnyInitializer())
          TraverseStmt(const_cast<Expr *>(Init));
    }
  }

  bool TraverseCallExpr(CallExpr *Call) {
    VisitExpr(Call);
    if (const FunctionDecl *F = Call->getDirectCallee()) {
      addCallee(F, Call);
    } else {
      U.Report.report(Call->getExprLoc(), diag::device_function_pointer)
          << Call->getSourceRange();
      chain();
    }
    for (Expr *A : Call->arguments())
      TraverseStmt(A);
    return true;
  }

  bool TraverseForStmt(ForStmt *S) {
    return T.isGivenItsEnds(S) ? TraverseStmt(S->getBody())
                               : AstVisitor<ClosureWalk>::TraverseForStmt(S);
  }

  /// The message of a static assertion is an expression without a type.
  bool TraverseStaticAssertDecl(StaticAssertDecl *S) {
    return TraverseStmt(S->getAssertExpr());
  }

  bool VisitExpr(Expr *E) {
    checkType(E->getType(), E->getExprLoc());
    // The message of a static assertion has no type.
    if (!E->getType().isNull() && E->getType()->isVariablyModifiedType() &&
        !isFlattened(E)) {
      U.Report.report(E->getExprLoc(), diag::device_vla_use)
          << E->getType() << E->getSourceRange();
      chain();
      return false;
    }
    return true;
  }

  /// Whether emit/VariableArrays.cpp rewrites \p E.
  static bool isFlattened(const Expr *E) {
    if (isa<ParenExpr, ImplicitCastExpr, ArraySubscriptExpr>(E))
      return true;
    if (isa<DeclRefExpr>(E)) // a local array's declaration was refused already
      return true;
    if (auto *Un = dyn_cast<UnaryOperator>(E))
      return Un->getOpcode() == UO_Deref || Un->getOpcode() == UO_AddrOf;
    auto *Bin = dyn_cast<BinaryOperator>(E);
    return Bin && Bin->isAdditiveOp();
  }

  /// Whether \p D has no name that generated code reserves.
  bool mayBeNamed(const NamedDecl *D, SourceLocation Loc) {
    const IdentifierInfo *II = D->getIdentifier();
    if (!II ||
        !(II->getName().starts_with("ag_") || II->getName().starts_with("AG_")))
      return true;
    error(diag::device_reserved, Loc, D);
    return false;
  }

  bool VisitDeclRefExpr(DeclRefExpr *E) {
    if (!E->getDecl()->isFunctionOrFunctionTemplate() &&
        !isa<ParmVarDecl>(E->getDecl()) &&
        !mayBeNamed(E->getDecl(), E->getLocation()))
      return true;
    if (auto *F = dyn_cast<FunctionDecl>(E->getDecl())) {
      error(diag::device_function_address, E->getLocation(), F);
      return true;
    }
    auto *V = dyn_cast<VarDecl>(E->getDecl());
    if (!V || !V->hasGlobalStorage() || V->isStaticLocal())
      return true;
    if (T.names(V) && !InRowSize) { // reached through a hidden argument
      if (Current != Body)
        error(diag::device_global_helper, E->getLocation(), V);
      return true;
    }
    if (V->getTLSKind() != VarDecl::TLS_None ||
        U.Context.getBaseElementType(V->getType()).isVolatileQualified()) {
      error(diag::device_volatile_global, E->getLocation(), V);
    } else if (!U.Context.getBaseElementType(V->getType()).isConstQualified()) {
      variable(V, E->getLocation());
    } else if (!V->getAnyInitializer() && !V->getActingDefinition() &&
               U.M.isDeclared(V)) {
      C.ImportedConsts.insert(V->getCanonicalDecl());
    } else if (!V->getAnyInitializer() && !V->getActingDefinition()) {
      error(diag::device_const_no_value, E->getLocation(), V);
    } else if (!deviceAddresses(V)) {
      error(diag::device_const_pointer, E->getLocation(), V);
    } else if (!llvm::isASCII(V->getName())) {
      error(diag::device_name, E->getLocation(), V);
    } else {
      const VarDecl *Defined = V;
      if (!V->getAnyInitializer(Defined)) // a tentative definition: zero
        Defined = V->getActingDefinition();
      C.Consts.insert(Defined);
    }
    return true;
  }

  bool VisitVarDecl(VarDecl *V) {
    if (isBlockShared(V)) {
      if (!isVariant())
        error(diag::variant_only, V->getLocation(), V);
      else if (V->hasInit())
        error(diag::shared_initial, V->getLocation(), V);
      C.Shared.insert(V);
    } else if (V->isStaticLocal() &&
               !U.Context.getBaseElementType(V->getType()).isConstQualified()) {
      error(diag::device_static_local, V->getLocation(), V);
    } else if (V->isStaticLocal() && !deviceAddresses(V)) {
      error(diag::device_const_pointer, V->getLocation(), V);
    } else if (V->getType()->isVariableArrayType() && !isa<ParmVarDecl>(V)) {
      error(diag::device_vla, V->getLocation(), V);
    } else if (V->getType()->isVariablyModifiedType() && !isa<ParmVarDecl>(V)) {
      U.Report.report(V->getLocation(), diag::device_vla_use) << V->getType();
      chain();
    }
    checkType(V->getType(), V->getLocation());
    checkSize(V);
    return true;
  }

  bool VisitPredefinedExpr(PredefinedExpr *E) {
    C.FunctionNames.insert({E, Current});
    return true;
  }

  bool VisitAsmStmt(AsmStmt *A) {
    U.Report.report(A->getAsmLoc(), diag::device_asm);
    chain();
    return true;
  }
  bool VisitAddrLabelExpr(AddrLabelExpr *E) {
    U.Report.report(E->getExprLoc(), diag::device_blocks)
        << "the address of a label";
    chain();
    return true;
  }
  bool VisitVAArgExpr(VAArgExpr *E) {
    U.Report.report(E->getExprLoc(), diag::device_blocks)
        << "a variable argument";
    chain();
    return true;
  }
  bool VisitBlockExpr(BlockExpr *E) {
    U.Report.report(E->getExprLoc(), diag::device_blocks) << "a block";
    chain();
    return true;
  }
};
} // namespace

void checkClosure(ParsedUnit &U, Task &T, const FunctionDecl *Body,
                  DeviceClosure &C) {
  ClosureWalk(U, T, Body, C).run();
}

} // namespace agglom
