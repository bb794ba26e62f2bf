// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which `device(cpu)` tasks are leaves: their units submit nothing, and wait
// for nothing that another thread does, as for a lock. So the runtime may run
// one in the call of a thread that holds a lock. What cannot be seen counts
// as what blocks.

#include "AstVisitor.h"
#include "DeviceLibrary.h"
#include "Rules.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace clang;

namespace agglom {

/// Functions of the C library, beside those that devices have, that end
/// whatever other threads do. An allocator's locks are its own.
static bool isKnownToEnd(StringRef Name) {
  static const std::set<StringRef> Known = {
      "malloc", "calloc",  "realloc", "free",         "aligned_alloc", "abort",
      "strlen", "strcmp",  "strncmp", "memcmp",       "memchr",        "strchr",
      "strcpy", "strncpy", "strcat",  "__assert_fail"};
  return Known.count(Name);
}

static bool endsByItself(const FunctionDecl *F) {
  const IdentifierInfo *II = F->getIdentifier();
  StringRef Name = II ? II->getName() : "";
  return F->hasAttr<ConstAttr>() || F->hasAttr<PureAttr>() ||
         (F->getBuiltinID() && Name.starts_with("__builtin_")) ||
         isKnownToEnd(Name) || isDeviceLibraryFunction(Name);
}

namespace {
class BlockingWalk : public AstVisitor<BlockingWalk> {
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
    if (!hasDirective(Body) && TraverseStmt(Body->getBody()))
      return true;
    Bad.insert(Body);
    return false;
  }

public:
  explicit BlockingWalk(const ParsedUnit &U) : U(U) {}

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
    if (F->hasBody(Body)) // of a weak one the linker may take another
      return !F->isWeak() && ends(Body);
    return endsByItself(F);
  }
  bool VisitAtomicExpr(AtomicExpr *) { return false; }
  bool VisitAsmStmt(AsmStmt *) { return false; }
  bool VisitOMPExecutableDirective(OMPExecutableDirective *) { return false; }
  bool VisitExpr(Expr *E) {
    return !E->getType()->isAtomicType() && !E->getType().isVolatileQualified();
  }
  bool VisitVarDecl(VarDecl *V) { return !V->hasAttr<CleanupAttr>(); }
};
} // namespace

void findLeaves(const ParsedUnit &U, CheckedUnit &C) {
  BlockingWalk Walk(U);
  for (const auto &T : U.M.Tasks)
    if (T->Device == DeviceKind::Cpu && T->Definition && !T->Broken &&
        Walk.isLeaf(T->Definition))
      C.Leaves.insert(T.get());
}

} // namespace agglom
