// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Brackets.h"
#include "clang/Lex/Preprocessor.h"
#include <algorithm>

using namespace clang;

namespace agglom {

namespace {
/// Inserts Text before token number At, and drops Removed tokens from there on.
struct Cure {
  size_t At;
  std::string Text; ///< brackets
  size_t Removed = 0;
};

class Brackets {
  Preprocessor &PP;
  const Directive &D;
  ArrayRef<Token> Tokens;
  bool Conditional; ///< colons may belong to ?:

  static bool endsOperand(const Token &T) {
    return T.isOneOf(tok::identifier, tok::numeric_constant, tok::r_square);
  }
  bool isClause(const Token &T) const {
    return T.getIdentifierInfo() &&
           findClause(D.Info->Id, T.getIdentifierInfo()->getName());
  }
  static char closerOf(const Token &T) {
    return T.is(tok::l_paren) ? ')' : T.is(tok::l_square) ? ']' : 0;
  }
  static char closer(const Token &T) {
    return T.is(tok::r_paren) ? ')' : T.is(tok::r_square) ? ']' : 0;
  }

  static std::string closing(StringRef Open) {
    std::string Out = Open.str();
    std::reverse(Out.begin(), Out.end());
    return Out;
  }

  /// Whether the tokens, changed by \p With, are clauses whose brackets match.
  /// If not, \p Cures gets the possible changes at the token where they stop to
  /// match.
  bool isDirective(const Cure *With, SmallVectorImpl<Cure> *Cures) const {
    std::string Open; // the closing brackets of all open ones
    for (size_t I = 0; I <= Tokens.size(); ++I) {
      if (With && With->At == I) {
        for (char C : With->Text) {
          if (Open.empty() || Open.back() != C)
            return false;
          Open.pop_back();
        }
        I += With->Removed;
      }
      if (I >= Tokens.size())
        break;
      const Token &T = Tokens[I];
      if (Open.empty()) { // between clauses
        if (T.is(tok::l_paren) && I && isClause(Tokens[I - 1]))
          Open += ')';
        else if (!T.is(tok::comma) && !isClause(T))
          return false;
        continue;
      }
      auto offer = [&](const std::string &Text, size_t Removed = 0) {
        if (Cures && !Text.empty())
          Cures->push_back({I, Text, Removed});
        return false;
      };
      if (char C = closer(T)) {
        if (Open.back() == C) {
          Open.pop_back();
          continue;
        }
        offer(std::string(1, Open.back()));
        return offer(std::string(1, Open.back()), 1);
      }
      if (char C = closerOf(T))
        Open += C;
      else if (T.is(tok::comma) && Open.back() == ']')
        return offer("]");
      else if (T.is(tok::colon) && Open.size() > 1 && Open.back() == ')' &&
               !Conditional)
        return offer(")");
      else if (I && T.is(tok::identifier) && endsOperand(Tokens[I - 1]))
        return offer(closing(Open));
    }
    if (!Open.empty() && Cures)
      Cures->push_back({Tokens.size(), closing(Open)});
    return Open.empty();
  }

public:
  Brackets(Preprocessor &PP, const Directive &D)
      : PP(PP), D(D), Tokens(D.Tokens),
        Conditional(llvm::any_of(
            Tokens, [](const Token &T) { return T.is(tok::question); })) {}

  FixItHint cure() const {
    SmallVector<Cure, 2> Cures;
    if (isDirective(nullptr, &Cures))
      return FixItHint();
    llvm::erase_if(Cures,
                   [&](const Cure &C) { return !isDirective(&C, nullptr); });
    if (Cures.size() != 1)
      return FixItHint();
    const Cure &C = Cures.front();
    if (C.Removed)
      return FixItHint::CreateReplacement(
          CharSourceRange::getTokenRange(Tokens[C.At].getLocation()), C.Text);
    SourceLocation Last = Tokens[C.At - 1].getLocation();
    SourceLocation At = Last.isMacroID() ? Last : PP.getLocForEndOfToken(Last);
    return FixItHint::CreateInsertion(At, C.Text);
  }
};
} // namespace

FixItHint missingBracket(Preprocessor &PP, const Directive &D) {
  return Brackets(PP, D).cure();
}

} // namespace agglom
