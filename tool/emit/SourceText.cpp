// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SourceText.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;

namespace agglom {

SourceText::SourceText(ASTContext &Context) : Context(Context) {
  const SourceManager &SM = Context.getSourceManager();
  Buffer = SM.getBufferData(SM.getMainFileID());
}

unsigned SourceText::offset(SourceLocation Loc) const {
  const SourceManager &SM = Context.getSourceManager();
  return SM.getFileOffset(SM.getExpansionLoc(Loc));
}

Extent SourceText::extent(SourceRange Tokens) const {
  unsigned Last = offset(Tokens.getEnd());
  unsigned Length = Lexer::MeasureTokenLength(
      Context.getSourceManager().getExpansionLoc(Tokens.getEnd()),
      Context.getSourceManager(), Context.getLangOpts());
  return {offset(Tokens.getBegin()), Last + Length};
}

Extent SourceText::line(SourceLocation Loc) const {
  unsigned At = offset(Loc);
  size_t Before = Buffer.rfind('\n', At);
  size_t After = Buffer.find('\n', At);
  return {Before == StringRef::npos ? 0 : unsigned(Before + 1),
          After == StringRef::npos ? unsigned(Buffer.size()) : unsigned(After)};
}

std::string SourceText::text(const Stmt *S) const {
  return oneLine(extent(S->getSourceRange()));
}

unsigned SourceText::endOf(const Stmt *S) const {
  if (isa<CompoundStmt, NullStmt>(S))
    return extent(S->getSourceRange()).End;
  if (auto *A = dyn_cast<AttributedStmt>(S))
    return endOf(A->getSubStmt());
  if (auto *If = dyn_cast<IfStmt>(S))
    return endOf(If->getElse() ? If->getElse() : If->getThen());
  if (auto *For = dyn_cast<ForStmt>(S))
    return endOf(For->getBody());
  if (auto *While = dyn_cast<WhileStmt>(S))
    return endOf(While->getBody());
  if (auto *Switch = dyn_cast<SwitchStmt>(S))
    return endOf(Switch->getBody());
  if (auto *Label = dyn_cast<LabelStmt>(S))
    return endOf(Label->getSubStmt());
  if (auto *Case = dyn_cast<SwitchCase>(S))
    return endOf(Case->getSubStmt());
  if (isa<DeclStmt>(S)) // ends with its ';'
    return extent(S->getSourceRange()).End;
  return pastSemicolon(extent(S->getSourceRange()).End);
}

namespace {
/// Raw tokens of an extent, line markers skipped.
class RawTokens {
  Lexer Lex;
  const char *Start, *Stop;

public:
  RawTokens(StringRef Buffer, Extent E, const LangOptions &Opts)
      : Lex(SourceLocation(), Opts, Buffer.begin(), Buffer.begin() + E.Begin,
            Buffer.end()),
        Start(Buffer.begin()), Stop(Buffer.begin() + E.End) {}

  /// False at the end. Offset is that of the token in the buffer.
  bool next(Token &T, unsigned &Offset) {
    for (;;) {
      const char *At = Lex.getBufferLocation();
      if (At >= Stop)
        return false;
      Lex.LexFromRawLexer(T);
      Offset = unsigned(Lex.getBufferLocation() - Start) - T.getLength();
      if (T.is(tok::eof) || Start + Offset >= Stop)
        return false;
      if (T.is(tok::hash) && T.isAtStartOfLine()) {
        do {
          At = Lex.getBufferLocation();
          Lex.LexFromRawLexer(T);
        } while (T.isNot(tok::eof) && !T.isAtStartOfLine());
        if (T.is(tok::eof))
          return false;
        Offset = unsigned(Lex.getBufferLocation() - Start) - T.getLength();
        if (Start + Offset >= Stop)
          return false;
        if (T.is(tok::hash)) {
          Lex.seek(Offset, /*IsAtStartOfLine=*/true);
          continue;
        }
      }
      return true;
    }
  }

  /// Reads on to the ')' that closes the next '('; \p T is then that ')'.
  void skipParentheses(Token &T, unsigned &Offset) {
    int Depth = 0;
    while (next(T, Offset)) {
      Depth += T.is(tok::l_paren) - T.is(tok::r_paren);
      if (!Depth)
        break;
    }
  }
};

bool isAttribute(StringRef Word) {
  return Word == "__attribute__" || Word == "__attribute";
}
} // namespace

unsigned SourceText::pastSemicolon(unsigned Offset) const {
  RawTokens Tokens(Buffer, {Offset, unsigned(Buffer.size())},
                   Context.getLangOpts());
  Token T;
  unsigned At;
  while (Tokens.next(T, At))
    if (T.is(tok::semi))
      return At + 1;
  return Offset;
}

unsigned SourceText::pastAttributes(unsigned Offset) const {
  RawTokens Tokens(Buffer, {Offset, unsigned(Buffer.size())},
                   Context.getLangOpts());
  Token T;
  unsigned At;
  while (Tokens.next(T, At)) {
    StringRef Word = Buffer.substr(At, T.getLength());
    if (!isAttribute(Word))
      break;
    Tokens.skipParentheses(T, At);
    Offset = At + T.getLength();
  }
  return Offset;
}

Extent SourceText::word(Extent E, StringRef Word) const {
  RawTokens Tokens(Buffer, E, Context.getLangOpts());
  Token T;
  unsigned At;
  while (Tokens.next(T, At))
    if (Buffer.substr(At, T.getLength()) == Word)
      return {At, At + T.getLength()};
  return {};
}

std::string SourceText::oneLine(Extent E) const { return oneLine(text(E)); }

std::string SourceText::oneLine(StringRef Piece) const {
  std::string Text = Piece.str(); // the lexer needs a terminating null
  RawTokens Tokens(Text, {0, unsigned(Text.size())}, Context.getLangOpts());
  std::string Out;
  Token T;
  unsigned At;
  while (Tokens.next(T, At)) {
    if (!Out.empty() && (T.hasLeadingSpace() || T.isAtStartOfLine()))
      Out += ' ';
    Out += StringRef(Text).substr(At, T.getLength());
  }
  return Out;
}

std::string SourceText::withoutSpecifiers(StringRef Piece) const {
  static const llvm::StringSet<> Dropped = {
      "static",     "extern",     "inline",        "__inline",
      "__inline__", "register",   "_Thread_local", "__thread",
      "_Noreturn",  "__noreturn", "__extension__",
  };
  std::string Text = Piece.str(), Out;
  RawTokens Tokens(Text, {0, unsigned(Text.size())}, Context.getLangOpts());
  Token T;
  unsigned At;
  while (Tokens.next(T, At)) {
    StringRef Word = StringRef(Text).substr(At, T.getLength());
    if (Dropped.contains(Word))
      continue;
    if (isAttribute(Word)) {
      Tokens.skipParentheses(T, At);
      continue;
    }
    Out += Word;
    Out += ' ';
  }
  return Out;
}

std::string SourceText::lineMarker(SourceLocation Loc) const {
  PresumedLoc P = Context.getSourceManager().getPresumedLoc(Loc);
  if (P.isInvalid())
    return "";
  std::string Name;
  for (char C : StringRef(P.getFilename())) {
    if (C == '"' || C == '\\')
      Name += '\\';
    Name += C;
  }
  return "# " + std::to_string(P.getLine()) + " \"" + Name + "\"\n";
}

void Edits::addFrom(const Edits &Other, Extent Within) {
  for (auto It = Other.Map.lower_bound({Within.Begin, Close});
       It != Other.Map.end() && It->first.first < Within.End; ++It)
    Map.insert(*It);
}

void Edits::addInner(const Edits &Other, Extent Within) {
  std::vector<Extent> Replaced;
  for (const auto &[Place, E] : Map)
    if (E.End > Place.first)
      Replaced.push_back({Place.first, E.End});
  // A wrap is dropped when one of its ends lies in replaced text. An insertion
  // is dropped when the characters on both sides of it are replaced together.
  auto isGone = [&](Extent Of) {
    for (Extent R : Replaced)
      if (Of.Begin == Of.End
              ? R.Begin < Of.Begin && Of.Begin < R.End
              : R.contains(Of.Begin) || (R.Begin < Of.End && Of.End <= R.End))
        return true;
    return false;
  };
  for (auto It = Other.Map.lower_bound({Within.Begin, Close});
       It != Other.Map.end() && It->first.first <= Within.End; ++It) {
    const Edit &E = It->second;
    if (Within.Begin <= E.Of.Begin && E.Of.End <= Within.End && !isGone(E.Of))
      Map.insert(*It);
  }
}

std::optional<unsigned> Edits::apply(StringRef Buffer, Extent Within,
                                     std::string &Out) const {
  unsigned At = Within.Begin, CutUpTo = 0;
  for (auto It = Map.lower_bound({Within.Begin, Close});
       It != Map.end() && It->first.first <= Within.End; ++It) {
    unsigned Begin = It->first.first;
    if (Begin < CutUpTo && It->second.End <= CutUpTo)
      continue;
    if (It->first.second == Cut)
      CutUpTo = It->second.End;
    if (Begin < At || It->second.End > Within.End)
      return Begin;
    Out += Buffer.slice(At, Begin);
    Out += It->second.Text;
    At = It->second.End;
  }
  Out += Buffer.slice(At, Within.End);
  return std::nullopt;
}

} // namespace agglom
