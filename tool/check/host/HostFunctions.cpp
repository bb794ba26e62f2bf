// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostFunctions.h"
#include "HostTeams.h"
#include "HostWalk.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

/// Whether \p F contains a '#pragma agglom for' with nowait.
static bool leavesLoops(const Model &M, const FunctionDecl *F) {
  return llvm::any_of(M.HostLoops,
                      [&](const auto &H) { return H->In == F && H->NoWait; });
}

/// Whether \p F may contain one in a region of OpenMP.
static bool mayRepeatLoops(const Model &M, const FunctionDecl *F) {
  return !M.OpenMP.empty() &&
         llvm::any_of(M.HostLoops, [&](const auto &H) { return H->In == F; });
}

SmallVector<LibraryUse, 2> libraryUses(StringRef Name) {
  static const std::pair<StringRef, LibraryUse> Table[] = {
      {"free", {0, HostUse::Free}},       {"realloc", {0, HostUse::Free}},
      {"memcpy", {0, HostUse::Write}},    {"memcpy", {1, HostUse::Read}},
      {"memmove", {0, HostUse::Write}},   {"memmove", {1, HostUse::Read}},
      {"memset", {0, HostUse::Write}},    {"memcmp", {0, HostUse::Read}},
      {"memcmp", {1, HostUse::Read}},     {"fwrite", {0, HostUse::Read}},
      {"fread", {0, HostUse::Write}},     {"puts", {0, HostUse::Read}},
      {"fputs", {0, HostUse::Read}},      {"strlen", {0, HostUse::Read}},
      {"agglom_free", {0, HostUse::Free}}};
  if (Name.consume_front("__builtin_"))
    if (Name.consume_front("__"))
      Name.consume_back("_chk");
  SmallVector<LibraryUse, 2> Out;
  for (const auto &[Of, Use] : Table)
    if (Of == Name)
      Out.push_back(Use);
  return Out;
}

bool mayTellThread(StringRef Name) {
  return llvm::any_of(std::initializer_list<StringRef>{"pthread_", "thrd_",
                                                       "cnd_", "mtx_", "sem_"},
                      [&](StringRef Of) { return Name.starts_with(Of); });
}

static bool holdsJump(const Stmt *S, bool Inside) {
  if (!S)
    return false;
  Inside |= isa<ForStmt, WhileStmt, DoStmt, SwitchStmt>(S);
  return isa<GotoStmt, IndirectGotoStmt>(S) || (isa<BreakStmt>(S) && !Inside) ||
         llvm::any_of(S->children(), [&](const Stmt *Child) {
           return holdsJump(Child, Inside);
         });
}

bool isLeft(const Stmt *Body) { return holdsJump(Body, false); }

bool HostFunctions::isWait(const ParsedUnit &U, const AttributedStmt &S) {
  for (unsigned Index : carriedBy(S))
    if (Index >= U.Directives.size() || !U.Directives[Index].Info ||
        (U.Directives[Index].Info->Id != DirectiveId::Loop &&
         U.Directives[Index].Info->Id != DirectiveId::Atomic))
      return true;
  return false;
}

bool HostFunctions::isLibrary(const FunctionDecl *F) const {
  return F->getBuiltinID() ||
         (F->getIdentifier() && F->getName().starts_with("agglom_")) ||
         U.Context.getSourceManager().isInSystemHeader(F->getLocation());
}

bool HostFunctions::mayWait(const FunctionDecl *F) {
  if (U.M.find(F))
    return false;
  StringRef Name = F->getIdentifier() ? F->getName() : "";
  if (Name.starts_with("agglom_"))
    return Name != "agglom_free" && Name != "agglom_alloc";
  if (isLibrary(F))
    return false;
  const FunctionDecl *Definition = nullptr;
  if (!F->hasBody(Definition))
    return !U.Cautious; // code without pragmas does not wait
  auto [It, New] = Waiting.try_emplace(Definition, false);
  if (New) { // in a circle of calls: what the others say
    bool May = mayWait(Definition->getBody());
    return Waiting[Definition] = May;
  }
  return It->second;
}

bool HostFunctions::mayWait(const Stmt *S) {
  if (!S)
    return false;
  if (auto *A = dyn_cast<AttributedStmt>(S); A && isWait(U, *A))
    return true;
  if (isa<AsmStmt>(S))
    return true;
  if (auto *C = dyn_cast<CallExpr>(S)) {
    const FunctionDecl *F = C->getDirectCallee();
    if (F ? mayWait(F) : !U.Cautious)
      return true;
    for (const Expr *A : C->arguments())
      if (A->getType()->isFunctionPointerType() && !U.Cautious)
        return true;
  }
  for (const Stmt *Child : S->children())
    if (mayWait(Child))
      return true;
  return false;
}

const HostSummary &HostFunctions::summaryOf(const FunctionDecl *F) {
  const FunctionDecl *Definition = nullptr;
  static const HostSummary None;
  if (!F->hasBody(Definition))
    return None;
  auto [It, New] = Summaries.try_emplace(Definition);
  if (New) {
    HostSummary Found;
    walkHost(U, *this, Definition, &Found);
    return Summaries[Definition] = std::move(Found);
  }
  return It->second;
}

bool HostFunctions::maySubmit(const FunctionDecl *F) {
  if (U.M.find(F))
    return true;
  const FunctionDecl *Definition = nullptr;
  if (isLibrary(F) || !F->hasBody(Definition))
    return false;
  auto [It, New] = Submitting.try_emplace(Definition, false);
  if (New) { // in a circle of calls: what the others say
    bool May = leavesLoops(U.M, Definition) || maySubmit(Definition->getBody());
    return Submitting[Definition] = May;
  }
  return It->second;
}

bool HostFunctions::maySubmit(const Stmt *S) {
  if (!S)
    return false;
  if (auto *Ref = dyn_cast<DeclRefExpr>(S))
    if (auto *F = dyn_cast<FunctionDecl>(Ref->getDecl()))
      return maySubmit(F);
  return llvm::any_of(S->children(),
                      [&](const Stmt *Child) { return maySubmit(Child); });
}

void warnUnwaited(ParsedUnit &U, const CheckedUnit &Checked) {
  std::set<const FunctionDecl *> OnDevice; // there a call is a plain call
  for (const auto &[T, C] : Checked.Closures)
    for (const FunctionDecl *F : C.Functions)
      OnDevice.insert(F->getCanonicalDecl());
  warnWaitsInTeams(U);
  HostFunctions Functions(U);
  const SourceManager &SM = U.Context.getSourceManager();
  for (const DeclGroup &Group : U.Groups)
    for (const Decl *D : Group)
      if (auto *F = dyn_cast<FunctionDecl>(D);
          F && F->doesThisDeclarationHaveABody() &&
          !SM.isInSystemHeader(F->getLocation()) &&
          !OnDevice.count(F->getCanonicalDecl()) && !U.M.findDeclared(F) &&
          (Functions.maySubmit(F->getBody()) || leavesLoops(U.M, F) ||
           mayRepeatLoops(U.M, F)))
        walkHost(U, Functions, F, nullptr);
}

} // namespace agglom
