// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recursion in device code. Its depth is not known here: in the kernel text
// each function that may call itself checks the stack at its entry, and ends
// the kernel before the stack overflows. Reported here is what that check
// cannot prevent: a cycle without an end, and a function whose variables alone
// are too large.

#include "Rules.h"
#include "include/agglom/launch.h"
#include "clang/AST/ASTContext.h"
#include "clang/Analysis/CFG.h"

using namespace clang;

namespace agglom {

namespace {
class RecursionCheck {
  ParsedUnit &U;
  CheckedUnit &Result;
  Task &T;
  DeviceClosure &C;
  using Functions = llvm::SetVector<const FunctionDecl *>;
  std::map<const FunctionDecl *, uint64_t> Deepest, Above;

  const Functions &callees(const FunctionDecl *F) const {
    static const Functions None;
    auto It = C.Calls.find(F);
    return It == C.Calls.end() ? None : It->second;
  }

  /// The functions that \p F reaches by one call or more.
  Functions reachedFrom(const FunctionDecl *F) const {
    Functions Reached = callees(F);
    for (size_t I = 0; I < Reached.size(); ++I)
      for (const FunctionDecl *Next : callees(Reached[I]))
        Reached.insert(Next);
    return Reached;
  }

  /// "'even' calls 'odd', which calls 'even'", the shortest way round.
  std::string cycle(const FunctionDecl *F) const {
    std::map<const FunctionDecl *, const FunctionDecl *> From;
    std::vector<const FunctionDecl *> Queue = {F};
    for (size_t I = 0; I < Queue.size() && !From.count(F); ++I)
      for (const FunctionDecl *Next : callees(Queue[I]))
        if (From.try_emplace(Next, Queue[I]).second)
          Queue.push_back(Next);
    std::string S;
    for (const FunctionDecl *At = F;; At = From[At]) {
      const FunctionDecl *Caller = From[At];
      std::string Called = Caller == At ? std::string("itself")
                                        : "'" + At->getNameAsString() + "'";
      S = "calls " + Called + (S.empty() ? "" : ", which " + S);
      if (Caller == F)
        return "'" + F->getNameAsString() + "' " + S;
    }
  }

  /// Whether a path through \p F reaches its end without calling functions of
  /// \p Cycle other than those in \p Ending.
  bool ends(const FunctionDecl *F, const Functions &Cycle,
            const Functions &Ending) const {
    std::unique_ptr<CFG> Graph =
        CFG::buildCFG(F, F->getBody(), &U.Context, CFG::BuildOptions());
    if (!Graph)
      return true; // not known
    llvm::SetVector<const CFGBlock *> Reached;
    Reached.insert(&Graph->getEntry());
    for (size_t I = 0; I < Reached.size(); ++I) {
      bool Stops = false;
      for (const CFGElement &E : *Reached[I])
        if (auto S = E.getAs<CFGStmt>())
          if (auto *Call = dyn_cast<CallExpr>(S->getStmt())) {
            const FunctionDecl *Callee = Call->getDirectCallee(),
                               *Def = nullptr;
            Stops |= Callee && Callee->hasBody(Def) && Cycle.contains(Def) &&
                     !Ending.contains(Def);
          }
      if (Stops)
        continue;
      for (const CFGBlock::AdjacentBlock &Next : Reached[I]->succs())
        if (const CFGBlock *B = Next.getReachableBlock())
          Reached.insert(B);
    }
    return Reached.contains(&Graph->getExit());
  }

  const FunctionDecl *endless(const Functions &Cycle) const {
    Functions Ending;
    for (bool More = true; More;) {
      More = false;
      for (const FunctionDecl *F : Cycle)
        if (!Ending.contains(F) && ends(F, Cycle, Ending))
          More = Ending.insert(F);
    }
    for (const FunctionDecl *F : Cycle)
      if (!Ending.contains(F))
        return F;
    return nullptr;
  }

  /// An estimate of the stack frame of \p F: its variables, and saved
  /// registers.
  uint64_t frame(const FunctionDecl *F) const {
    uint64_t Bytes = 128;
    for (const Decl *D : F->decls())
      if (auto *V = dyn_cast<VarDecl>(D); V && V->hasLocalStorage())
        Bytes += U.Context.getTypeSizeInChars(V->getType()).getQuantity();
    return Bytes;
  }

  /// An estimate of the stack that a call of \p F uses until it calls a
  /// function that checks the stack itself.
  uint64_t depth(const FunctionDecl *F) {
    auto [It, New] = Deepest.try_emplace(F, 0);
    if (!New)
      return It->second;
    uint64_t Most = 0;
    for (const FunctionDecl *Next : callees(F))
      if (!C.Recursive.contains(Next))
        Most = std::max(Most, depth(Next));
    return Deepest[F] = frame(F) + Most;
  }

  /// An estimate of the stack in use when \p F calls its first function that
  /// checks the stack; 0 when \p F leads to none.
  uint64_t above(const FunctionDecl *F) {
    auto [It, New] = Above.try_emplace(F, 0);
    if (!New)
      return It->second;
    uint64_t Most = 0;
    bool Leads = false;
    for (const FunctionDecl *Next : callees(F)) {
      bool Recursive = C.Recursive.contains(Next);
      uint64_t Bytes = Recursive ? 0 : above(Next);
      Leads |= Recursive || Bytes;
      Most = std::max(Most, Bytes);
    }
    return Above[F] = Leads ? frame(F) + Most : 0;
  }

  void error(const FunctionDecl *F) {
    T.Broken = true;
    if (T.ForOthers)
      U.Report.report(T.Loc, diag::note_declare_here);
    else if (F != T.Definition)
      U.Report.report(T.Loc, notePlace(T));
  }

  void judge(const Functions &Cycle) {
    const FunctionDecl *First = Cycle[0];
    if (T.ForOthers) {
      U.Report.report(First->getLocation(), diag::device_recursion_declared)
          << cycle(First);
      return error(First);
    }
    if (T.Variant && Cycle.contains(T.Variant)) {
      U.Report.report(T.Variant->getLocation(), diag::device_recursion_variant)
          << T.Variant;
      return error(T.Variant);
    }
    if (const FunctionDecl *Body = C.Functions[0];
        Cycle.contains(Body) && !T.globals().empty()) {
      // The unit reaches the object through a hidden argument, but a recursive
      // call has none.
      U.Report.report(Body->getLocation(), diag::device_global_helper)
          << T.globals()[0];
      return error(Body);
    }
    if (const FunctionDecl *F = endless(Cycle)) {
      U.Report.report(F->getLocation(), diag::device_recursion_endless) << F;
      return error(F);
    }
    for (const FunctionDecl *F : Cycle)
      if (depth(F) > AGGLOM_STACK_RESERVE) {
        U.Report.report(F->getLocation(), diag::device_recursion_frame)
            << cycle(F) << std::to_string(depth(F))
            << std::to_string(AGGLOM_STACK_RESERVE);
        return error(F);
      }
    if (Result.RecursionSaid.insert(First).second)
      U.Report.report(First->getLocation(), diag::device_recursion)
          << cycle(First) << std::to_string(AGGLOM_STACK_BYTES);
  }

public:
  RecursionCheck(ParsedUnit &U, CheckedUnit &Result, Task &T, DeviceClosure &C)
      : U(U), Result(Result), T(T), C(C) {}

  void run() {
    std::map<const FunctionDecl *, Functions> Reached;
    for (const FunctionDecl *F : C.Functions) {
      Functions From = reachedFrom(F);
      if (From.contains(F)) {
        C.Recursive.insert(F);
        Reached.emplace(F, std::move(From));
      }
    }
    if (T.Variant && C.Functions[0] != T.Variant)
      return; // the task's own body stays on the host
    llvm::SmallPtrSet<const FunctionDecl *, 8> Done;
    for (const FunctionDecl *F : C.Recursive) {
      if (!Done.insert(F).second)
        continue;
      Functions Cycle;
      Cycle.insert(F);
      for (const FunctionDecl *Other : C.Recursive)
        if (Other != F && Reached[F].contains(Other) &&
            Reached[Other].contains(F)) {
          Cycle.insert(Other);
          Done.insert(Other);
        }
      judge(Cycle);
    }
    const FunctionDecl *Body = C.Functions[0];
    if (!T.Broken && !C.Recursive.contains(Body) &&
        above(Body) > AGGLOM_STACK_RESERVE) {
      U.Report.report(Body->getLocation(), diag::device_recursion_callers)
          << spokenName(U.M, Body) << std::to_string(above(Body))
          << std::to_string(AGGLOM_STACK_RESERVE);
      error(Body);
    }
  }
};
} // namespace

void checkRecursion(ParsedUnit &U, CheckedUnit &Result, Task &T,
                    DeviceClosure &C) {
  RecursionCheck(U, Result, T, C).run();
}

} // namespace agglom
