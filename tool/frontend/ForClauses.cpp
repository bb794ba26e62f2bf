// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clauses of '#pragma agglom for', parsed in the function made of its loop:
// some are the task's, some the loop's, some its own.

#include "ClauseParser.h"
#include "Diagnostics.h"
#include "clang/AST/ASTContext.h"

using namespace clang;

namespace agglom {

void addLoopVariables(const ForStmt *For, std::vector<VarDecl *> &Out) {
  for (; For; For = loopDirectlyIn(For->getBody()))
    if (auto *Init = dyn_cast_or_null<DeclStmt>(For->getInit()))
      for (Decl *D : const_cast<DeclStmt *>(Init)->decls())
        if (auto *V = dyn_cast<VarDecl>(D))
          Out.push_back(V);
}

bool ClauseParser::schedule(const Clause &C, HostLoop &H) {
  static const char *const Known[] = {"auto", "static", "dynamic", "runtime"};
  static const char *const Later[] = {
      "logfit",     "concord",      "hdss",           "oracle",
      "static_pcf", "guided_sizes", "guided_runtime", "clustered_guided"};
  size_t Comma = findTop(C.Argument, tok::comma);
  std::string Word = text(C.Argument.take_front(Comma));
  auto *It = llvm::find(Known, Word);
  if (It == std::end(Known)) {
    Report.report(C.Argument.front().getLocation(),
                  llvm::is_contained(Later, Word) ? diag::schedule_later
                                                  : diag::schedule_unknown)
        << Word;
    return false;
  }
  H.Schedule = static_cast<ScheduleKind>(It - Known);
  if (Comma == C.Argument.size())
    return true;
  if (H.Schedule != ScheduleKind::Static &&
      H.Schedule != ScheduleKind::Dynamic) {
    Report.report(C.Argument[Comma].getLocation(), diag::schedule_no_size)
        << Word;
    return false;
  }
  ArrayRef<Token> Size = C.Argument.drop_front(Comma + 1);
  Expr *E = Size.empty() ? nullptr : expression(Size, C.Close, "schedule");
  Expr::EvalResult Value;
  if (Size.empty() ||
      (E && (!E->getType()->isIntegerType() ||
             (E->EvaluateAsInt(Value, S.Context) && Value.Val.getInt() < 1)))) {
    Report.report(Size.empty() ? C.Close : E->getExprLoc(),
                  diag::schedule_size);
    return false;
  }
  if (E && H.Inner && mentions(E, loopVariable(H.Inner->For))) {
    Report.report(E->getExprLoc(), diag::schedule_size);
    return false;
  }
  H.ChunkSize = text(Size);
  return E != nullptr;
}

const VarDecl *loopVariable(const ForStmt *For) {
  if (auto *Init = dyn_cast_or_null<DeclStmt>(For->getInit()))
    return Init->isSingleDecl() ? dyn_cast<VarDecl>(Init->getSingleDecl())
                                : nullptr;
  if (auto *B = dyn_cast_or_null<BinaryOperator>(For->getInit());
      B && B->getOpcode() == BO_Assign)
    if (auto *Ref = dyn_cast<DeclRefExpr>(B->getLHS()->IgnoreParens()))
      return dyn_cast<VarDecl>(Ref->getDecl());
  return nullptr;
}

bool ClauseParser::parseFor(const Directive &D, HostLoop &H, FunctionDecl *F,
                            ArrayRef<VarDecl *> Counters) {
  Task &T = *H.Unit;
  Loop &L = *H.Inner;
  SmallVector<Clause, 8> Clauses;
  bool Ok = split(D, Clauses);
  std::vector<NamedDecl *> Visible(Counters.begin(), Counters.end());
  for (Decl *Local : F->decls())
    if (auto *Enum = dyn_cast<EnumDecl>(Local))
      for (EnumConstantDecl *K : Enum->enumerators())
        if (llvm::any_of(H.Constants, [&](const EnumConstantDecl *Other) {
              return Other->getIdentifier() == K->getIdentifier();
            }))
          Visible.push_back(K);
  for (Decl *Local : F->decls())
    if (auto *V = dyn_cast<VarDecl>(Local);
        V && !isa<ParmVarDecl>(V) &&
        llvm::any_of(H.Private, [&](const VarDecl *Other) {
          return Other->getIdentifier() == V->getIdentifier();
        }))
      Visible.push_back(V);
  ClauseScope In(P, S, F, Visible);
  for (const Clause &C : Clauses)
    switch (C.Info->Id) {
    case ClauseId::In:
    case ClauseId::Out:
    case ClauseId::InOut:
    case ClauseId::Accumulate:
    case ClauseId::Device:
    case ClauseId::Name:
      Ok &= taskClause(C, T);
      break;
    case ClauseId::Reduction:
    case ClauseId::Private:
    case ClauseId::Collapse:
      Ok &= loopClause(C, L);
      break;
    case ClauseId::Schedule:
      Ok &= schedule(C, H);
      break;
    case ClauseId::Cost:
      H.Cost = integer(C);
      H.CostText = text(C.Argument);
      Ok &= H.Cost != nullptr;
      break;
    case ClauseId::NoWait:
      H.NoWait = true;
      break;
    default:
      llvm_unreachable("a clause of another directive");
    }
  if (H.NoWait && !L.Reductions.empty()) {
    for (const Clause &C : Clauses)
      if (C.Info->Id == ClauseId::NoWait)
        Report.report(C.Name.getLocation(), diag::for_nowait_reduction);
    Ok = false;
  }
  return Ok;
}

} // namespace agglom
