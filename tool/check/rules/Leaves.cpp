// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tasks are leaves: on a CPU their units submit nothing, wait for nothing
// that another thread does, as for a lock, and have no point at which a thread
// is cancelled. So the runtime may run one of a `device(cpu)` task in the call
// of a thread that holds a lock, and need not put cancellation off for any.
// What cannot be seen counts as what blocks.

#include "AstVisitor.h"
#include "DeviceLibrary.h"
#include "Rules.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/StmtOpenMP.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace agglom {

/// Functions of the C library, beside those that devices have, that end
/// whatever other threads do. An allocator's locks are its own. None is a point
/// of cancellation (POSIX 2.9.5.2).
static bool isKnownToEnd(StringRef Name) {
  static const std::set<StringRef> Known = {
      "malloc", "calloc",  "realloc", "free",         "aligned_alloc", "abort",
      "strlen", "strcmp",  "strncmp", "memcmp",       "memchr",        "strchr",
      "strcpy", "strncpy", "strcat",  "__assert_fail"};
  // A stream has a lock that its user can take.
  static const std::set<StringRef> Writes = {"printf", "__printf_chk", "puts",
                                             "putchar"};
  return Known.count(Name) ||
         (isDeviceLibraryFunction(Name) && !Writes.count(Name));
}

/// Whether \p F is another function than its name says.
static bool isAnother(const FunctionDecl *F) {
  return llvm::any_of(F->redecls(), [](const FunctionDecl *D) {
    return D->hasAttr<AsmLabelAttr>() || D->hasAttr<AliasAttr>() ||
           D->hasAttr<IFuncAttr>() || D->hasAttr<WeakRefAttr>();
  });
}

/// Whether a volatile object is in one of type \p T.
static bool hasVolatile(const ASTContext &C, QualType T) {
  T = C.getBaseElementType(T);
  const RecordDecl *R = T->getAsRecordDecl();
  return T.isVolatileQualified() ||
         (R && llvm::any_of(R->fields(), [&](const FieldDecl *F) {
            return hasVolatile(C, F->getType());
          }));
}

/// Whether \p F, of which no body is seen, ends by itself.
static bool endsByItself(const FunctionDecl *F) {
  const Builtin::Context &Builtins = F->getASTContext().BuiltinInfo;
  const IdentifierInfo *II = F->getIdentifier();
  StringRef Name = II ? II->getName() : "";
  unsigned ID = F->getBuiltinID();
  if (isAnother(F))
    return false;
  if (F->hasAttr<ConstAttr>() || F->hasAttr<PureAttr>())
    return true;
  if (Name.consume_front("__builtin_")) {
    if (ID >= Builtin::FirstTSBuiltin) // others are barriers, for example
      return Builtins.isConst(ID) || Builtins.isPure(ID);
    if (!Builtins.isLibFunction(ID))
      return !Name.contains("jmp");
    if (Name.consume_front("__")) // of _FORTIFY_SOURCE: __builtin___memcpy_chk
      Name.consume_back("_chk");
  }
  return isKnownToEnd(Name);
}

/// Whether the linker, or the compiler, may take another body than this one.
static bool mayBeReplaced(const FunctionDecl *Body) {
  return Body->isWeak() || Body->isMultiVersion() ||
         (Body->isInlined() && Body->isExternallyVisible() &&
          !Body->hasAttr<AlwaysInlineAttr>() &&
          !Body->isInlineDefinitionExternallyVisible());
}

/// Whether nothing comes of \p On, which stood on one statement, but that its
/// iterations may be run side by side in one thread.
static bool isSimd(ArrayRef<const OMPExecutableDirective *> On) {
  return llvm::all_of(On, [](const OMPExecutableDirective *D) {
    return isa<OMPSimdDirective>(D);
  });
}

namespace {
class LeafWalk : public AstVisitor<LeafWalk> {
  using Functions = llvm::SmallPtrSet<const FunctionDecl *, 16>;
  const ParsedUnit &U;
  Functions Good, Bad; ///< bodies, for all tasks
  Functions Seen;      ///< for the task at hand

  bool contains(const FunctionDecl *F, SourceLocation Loc) const {
    const SourceManager &SM = U.Context.getSourceManager();
    SourceRange R = F->getSourceRange();
    return SM.isPointWithin(SM.getFileLoc(Loc), SM.getFileLoc(R.getBegin()),
                            SM.getFileLoc(R.getEnd()));
  }

  bool hasDirective(const FunctionDecl *F) const {
    return llvm::any_of(U.M.Waits,
                        [&](const Wait &W) { return contains(F, W.Loc); }) ||
           llvm::any_of(
               U.M.SectionDirectives,
               [&](const SectionDirective &D) { return contains(F, D.Loc); }) ||
           llvm::any_of(U.M.HostLoops,
                        [&](const auto &H) { return contains(F, H->Loc); });
  }

  bool ends(const FunctionDecl *Body) {
    if (Bad.count(Body))
      return false;
    if (Good.count(Body) || !Seen.insert(Body).second)
      return true;
    // The sizes of variable arrays among the parameters are evaluated, too.
    if (!mayBeReplaced(Body) && !hasDirective(Body) &&
        llvm::all_of(Body->parameters(),
                     [&](ParmVarDecl *P) { return TraverseDecl(P); }) &&
        TraverseStmt(Body->getBody()))
      return true;
    Bad.insert(Body);
    return false;
  }

public:
  explicit LeafWalk(const ParsedUnit &U) : U(U) {}

  bool isLeaf(const FunctionDecl *Body) {
    Seen.clear();
    if (!ends(Body))
      return false;
    Good.insert(Seen.begin(), Seen.end());
    return true;
  }

  // A hook that returns false ends the walk.
  bool VisitCallExpr(CallExpr *Call) {
    const FunctionDecl *F = Call->getDirectCallee(), *Body = nullptr;
    if (!F || U.M.find(F))
      return false;
    return F->hasBody(Body) ? ends(Body) : endsByItself(F);
  }
  bool VisitAtomicExpr(AtomicExpr *) { return false; }
  bool VisitAsmStmt(AsmStmt *) { return false; }
  bool VisitStmt(Stmt *S) { // OpenMP's directives were taken out
    auto It = U.M.OpenMP.find(S);
    return It == U.M.OpenMP.end() || isSimd(It->second);
  }
  bool VisitExpr(Expr *E) {
    QualType T = E->getType();
    return !T->isAtomicType() && !hasVolatile(U.Context, T);
  }
  bool VisitVarDecl(VarDecl *V) { return !V->hasAttr<CleanupAttr>(); }
  // Nothing in it is evaluated; its message has no type.
  bool TraverseStaticAssertDecl(StaticAssertDecl *) { return true; }
};
} // namespace

void findLeaves(const ParsedUnit &U, CheckedUnit &C) {
  LeafWalk Walk(U);
  for (const auto &T : U.M.Tasks)
    if (T->Definition && !T->Broken && Walk.isLeaf(T->Definition))
      C.Leaves.insert(T.get());
}

} // namespace agglom
