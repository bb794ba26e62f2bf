// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ClauseParser.h"
#include "Brackets.h"
#include "CompatClang.h"
#include "Diagnostics.h"
#include "clang/AST/ASTContext.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Scope.h"
#include <set>

using namespace clang;

namespace agglom {

ClauseScope::ClauseScope(Parser &P, Sema &S, const FunctionDecl *F,
                         ArrayRef<NamedDecl *> Visible)
    : P(P), S(S),
      Unevaluated(S, Sema::ExpressionEvaluationContext::Unevaluated) {
  P.EnterScope(Scope::FnScope | Scope::DeclScope);
  S.ActOnReenterFunctionContext(P.getCurScope(), const_cast<FunctionDecl *>(F));
  // One scope stands for all blocks: of equal names the innermost is visible.
  P.EnterScope(Scope::DeclScope);
  std::set<std::pair<const IdentifierInfo *, bool>> Names;
  for (NamedDecl *V : llvm::reverse(Visible))
    if (V->getIdentifier() &&
        Names.insert({V->getIdentifier(), isa<TagDecl>(V)}).second)
      S.PushOnScopeChains(V, P.getCurScope(), /*AddToContext=*/false);
}

ClauseScope::~ClauseScope() {
  P.ExitScope();
  S.ActOnExitFunctionContext();
  P.ExitScope();
}

std::string ClauseParser::text(ArrayRef<Token> Tokens) {
  return spell(P.getPreprocessor(), Tokens);
}

bool ClauseParser::split(const Directive &D, SmallVectorImpl<Clause> &Out) {
  ArrayRef<Token> Rest = D.Tokens;
  bool Ok = true;
  Current = &D;
  while (!Rest.empty()) {
    if (Rest.front().is(tok::comma) && !Out.empty()) {
      Rest = Rest.drop_front();
      if (Rest.empty())
        break;
    }
    Clause C;
    C.Name = Rest.front();
    if (!C.Name.is(tok::identifier) &&
        !tok::getKeywordSpelling(C.Name.getKind())) {
      Report.report(C.Name.getLocation(), diag::expected_clause)
          << D.Info->Spelling;
      return false;
    }
    std::string Spelling = P.getPreprocessor().getSpelling(C.Name);
    Rest = Rest.drop_front();
    bool HasArgument = !Rest.empty() && Rest.front().is(tok::l_paren);
    if (HasArgument) {
      Token Open = Rest.front();
      size_t Close = findTop(Rest, tok::r_paren, 1);
      // findTop counts from inside the parenthesis.
      if (Close == Rest.size()) {
        Report.report(D.End, diag::clause_not_closed)
            << Spelling << missingBracket(P.getPreprocessor(), D);
        Report.report(Open.getLocation(), diag::clause_opened_here);
        return false;
      }
      C.Argument = Rest.slice(1, Close - 1);
      C.Close = Rest[Close].getLocation();
      Rest = Rest.drop_front(Close + 1);
    }
    C.Info = findClause(D.Info->Id, Spelling);
    SourceLocation At = C.Name.getLocation();
    if (!C.Info) {
      StringRef Near = suggestClause(D.Info->Id, Spelling);
      const ClauseInfo *Other = findClauseAnywhere(Spelling);
      if (Other)
        Report.report(At, diag::clause_elsewhere)
            << Spelling << D.Info->Spelling << spellingOf(Other->Directive);
      else if (Near.empty())
        Report.report(At, diag::unknown_clause) << Spelling << D.Info->Spelling;
      else
        Report.report(At, diag::unknown_clause_suggest)
            << Spelling << D.Info->Spelling << Near
            << FixItHint::CreateReplacement(At, Near);
      Ok = false;
      continue;
    }
    bool Wants = C.Info->Argument != ArgumentForm::None;
    if (Wants != HasArgument) {
      Report.report(At, Wants ? diag::clause_takes_argument
                              : diag::clause_takes_no_argument)
          << Spelling;
      Ok = false;
      continue;
    }
    if (Wants && C.Argument.empty()) {
      StringRef What;
      switch (C.Info->Argument) {
      case ArgumentForm::Sections:
        What = "write the memory it names, p[lo:len]";
        break;
      case ArgumentForm::OpVars:
        What = "write an operator and variables, +: sum";
        break;
      case ArgumentForm::OpSections:
        What = "write an operator and sections, +: x[0:n]";
        break;
      case ArgumentForm::Name:
        What = "write a name";
        break;
      case ArgumentForm::KindFunction:
        What = "write a kind of device and a function, cuda: f";
        break;
      case ArgumentForm::Choice:
        What = C.Info->Id == ClauseId::Map ? "write auto, thread, warp or block"
                                           : "write any, cpu or gpu";
        break;
      case ArgumentForm::Vars:
        What = "write variables, private(a, b)";
        break;
      case ArgumentForm::Schedule:
        What = "write auto, static, dynamic or runtime";
        break;
      default:
        What = "write an expression";
      }
      Report.report(C.Close, diag::clause_empty) << Spelling << What;
      Ok = false;
      continue;
    }
    if (C.Info->Argument != ArgumentForm::Sections &&
        C.Info->Argument != ArgumentForm::Vars &&
        C.Info->Argument != ArgumentForm::OpVars &&
        C.Info->Argument != ArgumentForm::OpSections)
      for (const Clause &Earlier : Out)
        if (Earlier.Info == C.Info) {
          Report.report(At, diag::clause_twice) << Spelling;
          Ok = false;
        }
    Out.push_back(C);
  }
  return Ok;
}

/// Whether \p St certainly changes something. Clang's HasSideEffects() looks
/// at nothing that a macro has made.
static bool hasSideEffects(const Stmt *St, const ASTContext &C) {
  if (!St || isa<UnaryExprOrTypeTraitExpr>(St))
    return false;
  if (const auto *G = dyn_cast<GenericSelectionExpr>(St))
    return hasSideEffects(G->getResultExpr(), C);
  const auto *E = dyn_cast<Expr>(St);
  const auto *U = dyn_cast<UnaryOperator>(St);
  const auto *B = dyn_cast<BinaryOperator>(St);
  if ((U && U->isIncrementDecrementOp()) || (B && B->isAssignmentOp()) ||
      (E && E->HasSideEffects(C, /*IncludePossibleEffects=*/false)))
    return true;
  return any_of(St->children(),
                [&](const Stmt *Child) { return hasSideEffects(Child, C); });
}

/// What a clause names is in use, if nothing else names it: the call evaluates
/// the clause. Clang does not take it for that, outside of functions.
static void markUsed(Stmt *St, ASTContext &C) {
  if (auto *Ref = dyn_cast<DeclRefExpr>(St))
    Ref->getDecl()->markUsed(C);
  for (Stmt *Child : St->children())
    if (Child)
      markUsed(Child, C);
}

Expr *ClauseParser::expression(ArrayRef<Token> Tokens, SourceLocation End,
                               StringRef ClauseName) {
  // Clang needs the body of a function around the statements of ({ ... }).
  for (size_t I = 1; I < Tokens.size(); ++I)
    if (Tokens[I].is(tok::l_brace) && Tokens[I - 1].is(tok::l_paren)) {
      Report.report(Tokens[I - 1].getLocation(), diag::clause_statements)
          << ClauseName;
      return nullptr;
    }
  // The stream: the tokens of the expression, an end-of-file at which the
  // parser stops, and the parser's current token, which it finds again
  // afterwards.
  SmallVector<Token, 16> Stream(Tokens.begin(), Tokens.end());
  Token Eof;
  Eof.startToken();
  Eof.setKind(tok::eof);
  Eof.setLocation(End);
  Eof.setEofData(Stream.data());
  Stream.push_back(Eof);
  Stream.push_back(P.getCurToken());
  P.getPreprocessor().EnterTokenStream(Stream, /*DisableMacroExpansion=*/true,
                                       /*IsReinject=*/true);
  P.ConsumeAnyToken(/*ConsumeCodeCompletionTok=*/true);
  ExprResult R = compat::correctTypos(S, P.ParseExpression());
  bool Ok = R.isUsable() && !R.get()->containsErrors(); // Clang's are reported
  if (P.getCurToken().isNot(tok::eof)) {
    if (Ok)
      Report.report(P.getCurToken().getLocation(), diag::clause_extra_token)
          << P.getPreprocessor().getSpelling(P.getCurToken()) << ClauseName;
    Ok = false;
    while (P.getCurToken().isNot(tok::eof))
      P.ConsumeAnyToken();
  }
  P.ConsumeAnyToken();
  if (!Ok)
    return nullptr;
  if (hasSideEffects(R.get(), S.Context)) {
    Report.report(R.get()->getExprLoc(), diag::clause_side_effect)
        << R.get()->getSourceRange();
    return nullptr;
  }
  markUsed(R.get(), S.Context);
  return R.get();
}

Expr *ClauseParser::integer(const Clause &C) {
  Expr *E = expression(C.Argument, C.Close, C.Info->Spelling);
  if (!E)
    return nullptr;
  if (!E->getType()->isIntegerType()) {
    Report.report(E->getExprLoc(), diag::clause_not_integer)
        << C.Info->Spelling << E->getType() << E->getSourceRange();
    return nullptr;
  }
  return E;
}

bool ClauseParser::accumulate(const Clause &C, Task &T) {
  static const char *const Known[] = {"+", "*", "min", "max", "&", "|", "^"};
  size_t Colon = findTop(C.Argument, tok::colon);
  std::string Op = text(C.Argument.take_front(Colon));
  if (Colon == C.Argument.size() || !llvm::is_contained(Known, Op)) {
    Report.report(C.Argument.front().getLocation(), diag::accumulate_operator);
    return false;
  }
  size_t First = T.Sections.size();
  bool Ok = sections(C, C.Argument.drop_front(Colon + 1), /*InHost=*/false,
                     T.Sections);
  for (size_t I = First; I < T.Sections.size(); ++I)
    if (T.Sections[I].Clause == ClauseId::Accumulate)
      T.Sections[I].Op = Op;
  return Ok;
}

/// The function may be defined after the task: ParseAction looks the function
/// up.
bool ClauseParser::variant(const Clause &C, Task &T) {
  ArrayRef<Token> A = C.Argument;
  if (A.size() != 3 || !A[0].is(tok::identifier) || !A[1].is(tok::colon) ||
      !A[2].is(tok::identifier)) {
    Report.report(A.front().getLocation(), diag::variant_form);
    return false;
  }
  std::string Kind = text(A.take_front());
  if (Kind != "cuda") {
    Report.report(A.front().getLocation(), diag::variant_kind) << Kind;
    return false;
  }
  T.VariantName = text(A.drop_front(2));
  T.VariantLoc = A[2].getLocation();
  return true;
}

/// A clause of a task, or a clause of a 'for' that applies to the made task.
bool ClauseParser::taskClause(const Clause &C, Task &T) {
  switch (C.Info->Id) {
  case ClauseId::In:
  case ClauseId::Out:
  case ClauseId::InOut:
    return sections(C, C.Argument, /*InHost=*/false, T.Sections);
  case ClauseId::Accumulate:
    return accumulate(C, T);
  case ClauseId::Variant:
    return variant(C, T);
  case ClauseId::Independent:
    T.Independent = true;
    return true;
  case ClauseId::Priority: {
    const Expr *E = integer(C);
    T.Priority = text(C.Argument);
    T.PriorityVaries = E && !E->isIntegerConstantExpr(S.Context);
    return E != nullptr;
  }
  case ClauseId::Cost:
    T.Cost = text(C.Argument);
    return integer(C) != nullptr;
  case ClauseId::MaxUnits: {
    Expr *E = integer(C);
    Expr::EvalResult Value;
    if (!E)
      return false;
    if (!E->EvaluateAsInt(Value, S.Context) ||
        Value.Val.getInt().isNegative() ||
        Value.Val.getInt().getActiveBits() > 32 ||
        Value.Val.getInt().isZero()) {
      Report.report(E->getExprLoc(), diag::clause_not_constant)
          << C.Info->Spelling << E->getSourceRange();
      return false;
    }
    T.MaxUnits = Value.Val.getInt().getZExtValue();
    return true;
  }
  case ClauseId::Device: {
    std::string Word = text(C.Argument);
    if (Word == "any")
      T.Device = DeviceKind::Any;
    else if (Word == "cpu")
      T.Device = DeviceKind::Cpu;
    else if (Word == "gpu")
      T.Device = DeviceKind::Gpu;
    else {
      Report.report(C.Argument.front().getLocation(), diag::choice_unknown)
          << Word;
      return false;
    }
    return true;
  }
  case ClauseId::Name:
    if (C.Argument.size() != 1 || !C.Argument[0].is(tok::identifier)) {
      Report.report(C.Argument.front().getLocation(),
                    diag::name_not_identifier);
      return false;
    }
    T.Name = text(C.Argument);
    return true;
  default:
    llvm_unreachable("a clause of another directive");
  }
}

bool ClauseParser::parseTask(const Directive &D, Task &T) {
  SmallVector<Clause, 8> Clauses;
  bool Ok = split(D, Clauses);
  ClauseScope In(P, S, T.Declared, {});
  for (const Clause &C : Clauses)
    Ok &= taskClause(C, T);
  if (T.Device == DeviceKind::Cpu)
    for (const Clause &C : Clauses)
      if (C.Info->Id == ClauseId::MaxUnits || C.Info->Id == ClauseId::Variant) {
        Report.report(C.Name.getLocation(), diag::cpu_task_clause)
            << C.Info->Spelling;
        Ok = false;
      }
  return Ok;
}

bool ClauseParser::reduction(const Clause &C, Loop &L) {
  size_t Colon = findTop(C.Argument, tok::colon);
  std::string Op = text(C.Argument.take_front(Colon));
  static const char *const Known[] = {"+", "*", "min", "max", "&",
                                      "|", "^", "&&",  "||"};
  if (Colon == C.Argument.size() || !llvm::is_contained(Known, Op)) {
    Report.report(C.Argument.front().getLocation(), diag::reduction_operator);
    return false;
  }
  return variables(
      C, C.Argument.drop_front(Colon + 1),
      [&](ArrayRef<Token> Item, const VarDecl *V) {
        if (!V || V->hasGlobalStorage() || !V->getType()->isArithmeticType() ||
            V->getType()->isAnyComplexType() ||
            V->getType().isConstQualified()) {
          bool Member = llvm::any_of(
              Item, [](const Token &T) { return T.is(tok::period); });
          Report.report(Item.front().getLocation(), diag::reduction_variable)
              << text(Item) << Member;
          return false;
        }
        if ((Op == "&" || Op == "|" || Op == "^") &&
            !V->getType()->isIntegerType()) {
          Report.report(Item.front().getLocation(), diag::reduction_type)
              << Op << V << V->getType();
          return false;
        }
        if (L.owns(V)) {
          Report.report(Item.front().getLocation(), L.reduces(V)
                                                        ? diag::reduction_twice
                                                        : diag::copied_twice)
              << V;
          return false;
        }
        L.Reductions.push_back({Op, V});
        return true;
      });
}

bool ClauseParser::privates(const Clause &C, Loop &L) {
  return variables(C, C.Argument, [&](ArrayRef<Token> Item, const VarDecl *V) {
    if (!V || V->hasGlobalStorage() || V->getType()->isVariablyModifiedType() ||
        S.Context.getBaseElementType(V->getType()).isConstQualified()) {
      Report.report(Item.front().getLocation(), diag::private_variable)
          << text(Item);
      return false;
    }
    if (L.owns(V)) {
      Report.report(Item.front().getLocation(), diag::copied_twice) << V;
      return false;
    }
    L.Private.push_back(V);
    return true;
  });
}

bool ClauseParser::variables(
    const Clause &C, ArrayRef<Token> Rest,
    llvm::function_ref<bool(ArrayRef<Token>, const VarDecl *)> Each) {
  bool Ok = true;
  for (bool More = true; More;) {
    size_t Comma = findTop(Rest, tok::comma);
    More = Comma != Rest.size();
    ArrayRef<Token> Item = Rest.take_front(Comma);
    SourceLocation End = More ? Rest[Comma].getLocation() : C.Close;
    if (More)
      Rest = Rest.drop_front(Comma + 1);
    if (Item.empty()) {
      Report.report(End, diag::clause_empty)
          << C.Info->Spelling
          << (C.Info->Argument == ArgumentForm::OpVars
                  ? "write an operator and variables, +: sum"
                  : "write variables, private(a, b)");
      Ok = false;
      continue;
    }
    Expr *E = expression(Item, End, C.Info->Spelling);
    auto *Ref = E ? dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts()) : nullptr;
    Ok &= E && Each(Item, Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr);
  }
  return Ok;
}

bool ClauseParser::collapse(const Clause &C, Loop &L) {
  Expr *E = integer(C);
  if (!E)
    return false;
  Expr::EvalResult Value;
  if (!E->EvaluateAsInt(Value, S.Context) || Value.Val.getInt() < 1 ||
      Value.Val.getInt() > 8) {
    Report.report(E->getExprLoc(), diag::collapse_count) << E->getSourceRange();
    return false;
  }
  L.Collapse = Value.Val.getInt().getZExtValue();
  return true;
}

bool ClauseParser::map(const Clause &C, Loop &L) {
  static const char *const Words[] = {"auto", "thread", "warp", "block"};
  std::string Word = text(C.Argument);
  auto *It = llvm::find(Words, Word);
  if (It == std::end(Words)) {
    Report.report(C.Argument.front().getLocation(), diag::map_unknown) << Word;
    return false;
  }
  L.Map = static_cast<MapChoice>(It - Words);
  L.MapLoc = C.Name.getLocation();
  return true;
}

/// Marks the variables in the key as used: the kernel evaluates the key, and
/// Clang does not see that.
static void markUsed(const Stmt *In, ASTContext &Context) {
  if (!In)
    return;
  if (auto *Ref = dyn_cast<DeclRefExpr>(In))
    const_cast<ValueDecl *>(Ref->getDecl())->markUsed(Context);
  for (const Stmt *Child : In->children())
    markUsed(Child, Context);
}

/// A clause of a loop, or a clause of a 'for' that applies to the loop itself.
bool ClauseParser::loopClause(const Clause &C, Loop &L) {
  switch (C.Info->Id) {
  case ClauseId::Reduction:
    return reduction(C, L);
  case ClauseId::Private:
    return privates(C, L);
  case ClauseId::Collapse:
    return collapse(C, L);
  case ClauseId::Sort:
    L.SortKey = integer(C);
    markUsed(L.SortKey, S.Context);
    L.SortText = text(C.Argument);
    return L.SortKey != nullptr;
  case ClauseId::Map:
    return map(C, L);
  default:
    llvm_unreachable("a clause of another directive");
  }
}

bool ClauseParser::parseLoop(const Directive &D, Loop &L, FunctionDecl *F,
                             ArrayRef<NamedDecl *> Visible) {
  SmallVector<Clause, 8> Clauses;
  bool Ok = split(D, Clauses);
  ClauseScope In(P, S, F, Visible);
  for (const Clause &C : Clauses)
    Ok &= loopClause(C, L);
  return Ok;
}

/// \p H.In is a function of the host.
bool ClauseParser::parseHost(const Directive &D, SectionDirective &H,
                             ArrayRef<NamedDecl *> Visible) {
  SmallVector<Clause, 4> Clauses;
  bool Ok = split(D, Clauses);
  ClauseScope In(P, S, H.In, Visible);
  for (const Clause &C : Clauses) {
    if (C.Info->Id == ClauseId::Own)
      H.Own = true;
    else
      Ok &= sections(C, C.Argument, /*InHost=*/true, H.Sections);
  }
  if (!Ok || !Clauses.empty() || D.Info->Id == DirectiveId::Wait)
    return Ok;
  Report.report(D.End, diag::clause_missing)
      << D.Info->Spelling
      << (D.Info->Id == DirectiveId::Data
              ? "resident(p[lo:len])"
              : "host(p[lo:len]) or device(p[lo:len])");
  return false;
}

bool ClauseParser::parseNoClauses(const Directive &D) {
  SmallVector<Clause, 8> Clauses;
  return split(D, Clauses);
}

} // namespace agglom
