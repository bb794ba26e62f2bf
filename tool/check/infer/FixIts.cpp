// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "FixIts.h"
#include "clang/AST/ASTContext.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace agglom {

static const Directive *directiveOf(const ParsedUnit &U, const Task &T) {
  for (const Directive &D : U.Directives)
    if (D.Loc == T.Loc && D.Info &&
        D.Info->Id == (T.From ? DirectiveId::For : DirectiveId::Task))
      return &D;
  return nullptr;
}

static SourceLocation endOf(const ParsedUnit &U, const Token &T) {
  if (T.getLocation().isMacroID())
    return T.getLocation(); // tools then see that it is in a macro
  return Lexer::getLocForEndOfToken(T.getLocation(), 0,
                                    U.Context.getSourceManager(),
                                    U.Context.getLangOpts());
}

static FixItHint addClause(const ParsedUnit &U, const Directive *D,
                           const std::string &Clause) {
  if (!D)
    return FixItHint();
  SourceLocation At = endOf(U, D->Tokens.empty() ? D->Word : D->Tokens.back());
  return FixItHint::CreateInsertion(At, " " + Clause);
}

FixItHint addClause(const ParsedUnit &U, const Task &T,
                    const std::string &Clause) {
  return addClause(U, directiveOf(U, T), Clause);
}

FixItHint addClause(const ParsedUnit &U, SourceLocation Loc,
                    const std::string &Clause) {
  for (const Directive &D : U.Directives)
    if (D.Loc == Loc && D.Info)
      return addClause(U, &D, Clause);
  return FixItHint();
}

namespace {
/// Where a section stands: clause name, and its own tokens.
struct Spot {
  size_t Name = 0, First = 0, Last = 0; ///< indices of tokens
  bool Alone = false;                   ///< the only one in its clause
  bool Begins = false, Ends = false;    ///< the clause's first, last item
  size_t Close = 0;
};
} // namespace

static bool find(const Directive &D, const Section &S, Spot &Out) {
  int Depth = 0;
  Spot Now;
  bool Found = false;
  unsigned Commas = 0, CommasBefore = 0;
  for (size_t I = 0; I < D.Tokens.size(); ++I) {
    const Token &T = D.Tokens[I];
    if (T.getLocation().isMacroID())
      return false;
    bool Item = Depth == 1 && T.is(tok::comma);
    if (T.isOneOf(tok::l_paren, tok::l_square, tok::l_brace)) {
      if (Depth++ == 0) {
        Now = Spot();
        Now.Name = I ? I - 1 : 0;
        Now.First = I + 1;
        Commas = 0;
      }
    } else if (T.isOneOf(tok::r_paren, tok::r_square, tok::r_brace)) {
      --Depth;
    }
    if (!Found && T.getLocation() == S.Loc) {
      Found = true;
      CommasBefore = Commas;
    }
    if (Found && (Item || Depth == 0)) {
      Out = Now;
      Out.Last = I - 1;
      Out.Begins = !CommasBefore;
      Out.Ends = !Item;
      Out.Alone = Out.Begins && Out.Ends;
      return Out.Last >= Out.First;
    }
    if (Item) {
      ++Commas;
      Now.First = I + 1;
    }
    // accumulate(+: x[0:n]): the operator is the clause's.
    if (Depth == 1 && T.is(tok::colon))
      Now.First = I + 1;
  }
  return false;
}

static CharSourceRange range(const ParsedUnit &U, const Directive &D,
                             size_t First, size_t Last) {
  return CharSourceRange::getCharRange(D.Tokens[First].getLocation(),
                                       endOf(U, D.Tokens[Last]));
}

FixItHint replaceSection(const ParsedUnit &U, const Task &T, const Section &S,
                         StringRef Text) {
  const Directive *D = directiveOf(U, T);
  Spot At;
  if (!D || !find(*D, S, At))
    return FixItHint();
  return FixItHint::CreateReplacement(range(U, *D, At.First, At.Last), Text);
}

FixItHint removeSection(const ParsedUnit &U, const Task &T, const Section &S) {
  const Directive *D = directiveOf(U, T);
  Spot At;
  if (!D || !find(*D, S, At))
    return FixItHint();
  if (At.Alone) // with the clause and the space before it
    return FixItHint::CreateRemoval(CharSourceRange::getCharRange(
        endOf(U, At.Name ? D->Tokens[At.Name - 1] : D->Word),
        endOf(U, D->Tokens[At.Last + 1])));
  if (At.Ends) // with the comma before it
    return FixItHint::CreateRemoval(range(U, *D, At.First - 1, At.Last));
  return FixItHint::CreateRemoval(CharSourceRange::getCharRange(
      D->Tokens[At.First].getLocation(), D->Tokens[At.Last + 2].getLocation()));
}

SmallVector<FixItHint, 2> moveSection(const ParsedUnit &U, const Task &T,
                                      const Section &S, StringRef Name) {
  const Directive *D = directiveOf(U, T);
  Spot At;
  if (!D || !find(*D, S, At))
    return {};
  if (At.Alone)
    return {
        FixItHint::CreateReplacement(D->Tokens[At.Name].getLocation(), Name)};
  FixItHint Add = addClause(U, T, (Name + "(" + S.Text + ")").str());
  if (Add.isNull())
    return {};
  return {removeSection(U, T, S), Add};
}

} // namespace agglom
