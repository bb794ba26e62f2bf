// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The clauses of '#pragma agglom for', parsed in the function made of its loop:
// some apply to the task, some to the loop in it, some to the directive itself.

#include "ClauseParser.h"
#include "Diagnostics.h"
#include "clang/AST/ASTContext.h"

#include <agglom/abi.h>

using namespace clang;

namespace agglom {

void addLoopVariables(const ForStmt *For, std::vector<VarDecl *> &Out) {
  for (; For; For = loopDirectlyIn(For->getBody()))
    if (auto *Init = dyn_cast_or_null<DeclStmt>(For->getInit()))
      for (Decl *D : const_cast<DeclStmt *>(Init)->decls())
        if (auto *V = dyn_cast<VarDecl>(D))
          Out.push_back(V);
}

namespace {
struct ScheduleName {
  unsigned Id;
  const char *Word;
  enum { None, Chunk, Ratio, Percent } Argument;
};
const ScheduleName Schedules[] = {
#define AGGLOM_SCHEDULE_KIND(Id, Spelling, Argument)                           \
  {AGGLOM_SCHEDULE_##Id, Spelling, ScheduleName::Argument},
#include "schedules.def"
    {AGGLOM_SCHEDULE_RUNTIME, "runtime", ScheduleName::None},
};

/// Whether \p E may have a valid value: for a chunk size 1 or more, for a
/// percentage 0 to 100, for a ratio a positive number.
bool mayBe(const Expr *E, bool Size, bool Percent, const ASTContext &Context) {
  Expr::EvalResult Value;
  if (E->getType()->isIntegerType()) {
    if (!E->EvaluateAsInt(Value, Context))
      return true;
    const llvm::APSInt &I = Value.Val.getInt();
    return Percent ? I >= 0 && I <= 100 : I >= 1;
  }
  llvm::APFloat F(0.0);
  if (Size || !E->getType()->isRealFloatingType())
    return false;
  if (!E->EvaluateAsFloat(F, Context))
    return true;
  double D = F.convertToDouble();
  return Percent ? D >= 0 && D <= 100 : D > 0 && F.isFinite();
}

std::string allSchedules() {
  std::string S;
  const char *Numbers[] = {"", "[, n]", "[, x]", "[, p]"};
  for (const ScheduleName &Each : llvm::drop_end(Schedules))
    S += std::string(Each.Word) + Numbers[Each.Argument] + ", ";
  return S.replace(S.size() - 2, 2, " or ") + std::end(Schedules)[-1].Word;
}
} // namespace

bool ClauseParser::schedule(const Clause &C, HostLoop &H) {
  size_t Comma = findTop(C.Argument, tok::comma);
  std::string Word = text(C.Argument.take_front(Comma));
  auto *It =
      llvm::find_if(Schedules, [&](const auto &S) { return S.Word == Word; });
  if (It == std::end(Schedules)) {
    Report.report(C.Argument.front().getLocation(), diag::schedule_unknown)
        << Word << allSchedules();
    return false;
  }
  H.Schedule = It->Id;
  if (Comma == C.Argument.size())
    return true;
  if (It->Argument == ScheduleName::None) {
    Report.report(C.Argument[Comma].getLocation(), diag::schedule_no_size)
        << Word;
    return false;
  }
  bool Size = It->Argument == ScheduleName::Chunk;
  auto Wrong = Size                                  ? diag::schedule_size
               : It->Argument == ScheduleName::Ratio ? diag::schedule_ratio
                                                     : diag::schedule_percent;
  ArrayRef<Token> Number = C.Argument.drop_front(Comma + 1);
  if (Number.empty()) {
    Report.report(C.Close, Wrong) << Word;
    return false;
  }
  Expr *E = expression(Number, C.Close, "schedule");
  if (!E)
    return false;
  if (!mayBe(E, Size, It->Argument == ScheduleName::Percent, S.Context) ||
      (H.Inner && mentions(E, startOf(H.Inner->For).Var))) {
    Report.report(E->getExprLoc(), Wrong) << Word;
    return false;
  }
  (Size ? H.ChunkSize : H.ScheduleRatio) = text(Number);
  H.ScheduleNumber = E;
  return true;
}

bool ClauseParser::parseFor(const Directive &D, HostLoop &H, FunctionDecl *F,
                            ArrayRef<VarDecl *> Counters) {
  Task &T = *H.Unit;
  Loop &L = *H.Inner;
  SmallVector<Clause, 8> Clauses;
  OfHostLoop = true;
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
