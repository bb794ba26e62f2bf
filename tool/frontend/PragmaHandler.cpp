// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PragmaHandler.h"
#include "Diagnostics.h"
#include "Misspelt.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/TokenConcatenation.h"

using namespace clang;

namespace agglom {

static const char CarrierPrefix[] = "agglom:";

std::string spell(Preprocessor &PP, ArrayRef<Token> Tokens) {
  // Macros may put tokens side by side that would lex as others: n- and -1.
  TokenConcatenation Concatenation(PP);
  std::string Text;
  Token Before, Previous;
  Before.startToken();
  Previous.startToken();
  for (const Token &T : Tokens) {
    if (!Text.empty() && (T.hasLeadingSpace() || T.isAtStartOfLine() ||
                          Concatenation.AvoidConcat(Before, Previous, T)))
      Text += ' ';
    Text += PP.getSpelling(T);
    Before = Previous;
    Previous = T;
  }
  return Text;
}

/// "task, loop, ... or declare"
static std::string supportedDirectives() {
  std::vector<StringRef> Words;
  for (const DirectiveInfo &D : directives())
    Words.push_back(D.Spelling);
  std::string Text;
  for (size_t I = 0; I < Words.size(); ++I) {
    if (I)
      Text += I + 1 == Words.size() ? " or " : ", ";
    Text += Words[I];
  }
  return Text;
}

namespace {
/// Builds the tokens that take a pragma's place.
class TokenMaker {
  Preprocessor &PP;
  SourceLocation Loc;
  SmallVector<Token, 16> Tokens;

  Token blank(tok::TokenKind Kind) {
    Token T;
    T.startToken();
    T.setKind(Kind);
    T.setLocation(Loc);
    return T;
  }

public:
  TokenMaker(Preprocessor &PP, SourceLocation Loc) : PP(PP), Loc(Loc) {}

  TokenMaker &punctuator(tok::TokenKind Kind) {
    Tokens.push_back(blank(Kind));
    return *this;
  }
  TokenMaker &word(StringRef Name) {
    IdentifierInfo *II = PP.getIdentifierInfo(Name);
    Token T = blank(II->getTokenID());
    T.setIdentifierInfo(II);
    Tokens.push_back(T);
    return *this;
  }
  TokenMaker &string(const std::string &Quoted) {
    char *Text =
        PP.getPreprocessorAllocator().Allocate<char>(Quoted.size() + 1);
    memcpy(Text, Quoted.c_str(), Quoted.size() + 1);
    Token T = blank(tok::string_literal);
    T.setLength(Quoted.size());
    T.setLiteralData(Text);
    Tokens.push_back(T);
    return *this;
  }
  TokenMaker &attribute(StringRef Name, unsigned Index) {
    return word("__attribute__")
        .punctuator(tok::l_paren)
        .punctuator(tok::l_paren)
        .word(Name)
        .punctuator(tok::l_paren)
        .string("\"" + (CarrierPrefix + std::to_string(Index)) + "\"")
        .punctuator(tok::r_paren)
        .punctuator(tok::r_paren)
        .punctuator(tok::r_paren);
  }
  /// [[clang::suppress("...")]]: directly after `label:` an __attribute__ would
  /// belong to the label, but this form belongs to the statement.
  TokenMaker &bracketed(unsigned Index) {
    return punctuator(tok::l_square)
        .punctuator(tok::l_square)
        .word("clang")
        .punctuator(tok::coloncolon)
        .word("suppress")
        .punctuator(tok::l_paren)
        .string("\"" + (CarrierPrefix + std::to_string(Index)) + "\"")
        .punctuator(tok::r_paren)
        .punctuator(tok::r_square)
        .punctuator(tok::r_square);
  }
  TokenMaker &tokens(ArrayRef<Token> Others) {
    Tokens.append(Others.begin(), Others.end());
    return *this;
  }
  /// The overload that owns its tokens: the parser reads them later.
  void enter() {
    auto Owned = std::make_unique<Token[]>(Tokens.size());
    std::copy(Tokens.begin(), Tokens.end(), Owned.get());
    PP.EnterTokenStream(std::move(Owned), Tokens.size(),
                        /*DisableMacroExpansion=*/true, /*IsReinject=*/false);
  }
};
} // namespace

/// Whether the token after this pragma is certainly in the same file. A handler
/// must not read beyond the file's end: the lexer it was called from would be
/// gone when it returns.
static bool goesOnInThisFile(Preprocessor &PP) {
  auto *File = static_cast<Lexer *>(PP.getCurrentFileLexer());
  if (!File)
    return false;
  StringRef Text = File->getBuffer();
  Lexer Raw(SourceLocation(), PP.getLangOpts(), Text.begin(),
            File->getBufferLocation(), Text.end());
  Token T;
  int Depth = 0; // in the arguments of a macro that may expand to nothing
  bool Skip = false;
  for (Raw.LexFromRawLexer(T); T.isNot(tok::eof); Raw.LexFromRawLexer(T)) {
    if (T.is(tok::hash) && T.isAtStartOfLine()) {
      Raw.LexFromRawLexer(T);
      bool Marker = T.is(tok::numeric_constant); // of preprocessed text
      bool Pragma =
          T.is(tok::raw_identifier) && T.getRawIdentifier() == "pragma";
      if (Depth || !(Marker || Pragma))
        return false; // a directive may leave out the tokens behind it
      Skip = true;
      continue;
    }
    Skip &= !T.isAtStartOfLine();
    if (Skip)
      continue;
    if (T.is(tok::l_paren)) {
      ++Depth;
    } else if (T.is(tok::r_paren)) {
      --Depth;
    } else if (!Depth) {
      if (T.isNot(tok::raw_identifier))
        return true;
      IdentifierInfo *II = PP.getIdentifierInfo(T.getRawIdentifier());
      if (!II->hasMacroDefinition())
        return true;
    }
  }
  return false;
}

/// Whether \p T, the first token after a pragma, begins a label.
static bool beginsLabel(Preprocessor &PP, const Token &T) {
  if (T.isOneOf(tok::kw_case, tok::kw_default))
    return true;
  if (T.isNot(tok::identifier))
    return false;
  // For a token from a macro: the next token in the macro's definition.
  SourceManager &SM = PP.getSourceManager();
  auto Next = Lexer::findNextToken(SM.getSpellingLoc(T.getLocation()), SM,
                                   PP.getLangOpts());
  return Next && Next->is(tok::colon);
}

/// Keeps AfterLabel and LabelInBlock.
void PragmaCollector::sawLabel(const Token &T) {
  bool Begins = T.isOneOf(tok::kw_case, tok::kw_default);
  AfterLabel = T.is(tok::colon);
  // A label behind another label is in a block if the other one is.
  if ((Begins || (T.is(tok::identifier) && !InCase)) && Before != tok::colon)
    LabelInBlock =
        Before == tok::l_brace || Before == tok::r_brace || Before == tok::semi;
  InCase = (InCase || Begins) && !AfterLabel;
  Before = T.getKind();
}

void PragmaCollector::sawToken(const Token &T) {
  if (Recording)
    Record.push_back(T);
  sawLabel(T);
  AfterHint = T.is(tok::annot_pragma_loop_hint);
  if (T.is(tok::l_brace))
    ++BraceDepth;
  else if (T.is(tok::r_brace) && BraceDepth)
    --BraceDepth;
}

/// The length of the blanks and the line end at \p Begin; 0 when none ends
/// here. (LLVM 19 keeps Lexer::getEscapedNewLineSize to itself.)
static unsigned lineEndSize(const char *Begin) {
  const char *At = Begin;
  while (isHorizontalWhitespace(*At))
    ++At;
  if (!isVerticalWhitespace(*At))
    return 0;
  bool Two = isVerticalWhitespace(At[1]) && At[1] != At[0];
  return At - Begin + 1 + Two;
}

/// Clang's token for the first word of a continued line begins with the
/// backslash before it. The token is made to begin at the word, as the user
/// sees it.
static void skipSplices(const Preprocessor &PP, Token &T) {
  if (!T.needsCleaning() || !T.getLocation().isFileID())
    return;
  const char *Begin = PP.getSourceManager().getCharacterData(T.getLocation());
  const char *At = Begin;
  while (*At == '\\') {
    unsigned Size = lineEndSize(At + 1);
    if (!Size)
      break;
    At += 1 + Size;
  }
  unsigned Skipped = At - Begin;
  if (!Skipped || Skipped >= T.getLength())
    return;
  T.setLocation(T.getLocation().getLocWithOffset(Skipped));
  T.setLength(T.getLength() - Skipped);
  if (T.isLiteral() && T.getLiteralData())
    T.setLiteralData(T.getLiteralData() + Skipped);
}

void PragmaCollector::HandlePragma(Preprocessor &PP, PragmaIntroducer Intro,
                                   Token &Name) {
  Directive D;
  D.Loc = Intro.Loc;
  D.AtFileScope = BraceDepth == 0;

  Token T;
  auto next = [&] {
    PP.Lex(T);
    if (T.isNot(tok::eod))
      skipSplices(PP, T);
  };
  next();
  Token Word = D.Word = T;
  if (T.isNot(tok::eod))
    next();
  while (T.isNot(tok::eod)) {
    D.Tokens.push_back(T);
    next();
  }
  D.End = T.getLocation();

  if (Word.is(tok::eod)) {
    Report.report(Name.getLocation(), diag::expected_directive)
        << supportedDirectives();
    return;
  }
  // getIdentifierInfo() must not be asked of literals.
  std::string Spelling = PP.getSpelling(Word);
  D.Info = findDirective(Spelling);
  SourceLocation At = Word.getLocation();
  if (!D.Info) {
    StringRef Near = suggestDirective(Spelling);
    if (Near.empty())
      Report.report(At, diag::unknown_directive)
          << Spelling << supportedDirectives();
    else
      Report.report(At, diag::unknown_directive_suggest)
          << Spelling << Near << FixItHint::CreateReplacement(At, Near);
    return;
  }
  if (D.Info->Where == Place::Function && !D.AtFileScope) {
    Report.report(D.Loc, diag::misplaced_function_directive)
        << D.Info->Spelling;
    return;
  }
  if (D.Info->Where == Place::Loop && D.AtFileScope) {
    Report.report(D.Loc, diag::misplaced_loop_directive) << D.Info->Spelling;
    return;
  }
  if (D.Info->Where == Place::Statement && D.AtFileScope) {
    Report.report(D.Loc, diag::misplaced_statement_directive)
        << D.Info->Spelling;
    return;
  }
  if (D.Info->Where == Place::Block && D.AtFileScope) {
    Report.report(D.Loc, diag::misplaced_block_directive) << D.Info->Spelling;
    return;
  }
  if (D.Info->Where == Place::Update && D.AtFileScope) {
    Report.report(D.Loc, diag::misplaced_update_directive) << D.Info->Spelling;
    return;
  }

  if (D.Info->Where == Place::Loop && AfterHint) {
    Report.report(D.Loc, diag::loop_after_hint) << D.Info->Spelling;
    return;
  }

  TokenMaker Make(PP, D.Loc);
  SmallVector<Token, 1> Next;
  SmallVector<Token, 16> Around;
  bool GoesOn = goesOnInThisFile(PP);
  if (D.Info->Where == Place::Loop && GoesOn) {
    // Clang's loop hints belong to the same 'for', and Clang takes no attribute
    // before them. They are dropped here; compilers of the generated text see
    // them.
    do
      PP.Lex(T);
    while (T.is(tok::annot_pragma_loop_hint));
    // OpenMP's pragma may be followed by a statement with attributes, so the
    // attribute goes behind the pragma.
    while (D.Info->Id == DirectiveId::For && T.is(tok::annot_pragma_openmp)) {
      for (; T.isNot(tok::annot_pragma_openmp_end); PP.Lex(T))
        Around.push_back(T);
      do {
        Around.push_back(T);
        PP.Lex(T);
      } while (T.is(tok::annot_pragma_openmp_end));
      while (T.is(tok::annot_pragma_loop_hint))
        PP.Lex(T);
    }
    Next.push_back(T);
    if (T.isAnnotation()) {
      Report.report(T.getLocation(), diag::loop_other_pragma)
          << D.Info->Spelling;
      Make.tokens(Around);
      Make.tokens(Next).enter();
      return;
    }
  }
  if (D.Info->Where == Place::Update && GoesOn) {
    PP.Lex(T);
    Next.push_back(T);
  }
  if (!Next.empty() && beginsLabel(PP, T)) {
    Report.report(D.Loc, diag::pragma_before_label)
        << D.Info->Spelling << (D.Info->Where == Place::Update);
    Make.tokens(Around);
    Make.tokens(Next).enter();
    return;
  }
  if (D.Info->Where == Place::Block && GoesOn) {
    PP.Lex(T);
    Next.push_back(T);
    // __attribute__ carries another directive for the same block.
    if (!T.isOneOf(tok::l_brace, tok::kw___attribute)) {
      Report.report(D.Loc, diag::misplaced_block_directive) << D.Info->Spelling;
      Make.tokens(Next).enter();
      return;
    }
  }
  if (D.Info->Id == DirectiveId::For) {
    Recording = true;
    D.Recorded = Record.size();
  }
  unsigned Index = Directives.size();
  Directives.push_back(D);
  Make.tokens(Around);
  if (D.Info->Where == Place::Function)
    Make.attribute("annotate", Index);
  else if (AfterLabel && !LabelInBlock)
    Make.bracketed(Index);
  else // in a block an empty statement may follow the label
    (AfterLabel ? Make.punctuator(tok::semi) : Make)
        .attribute("suppress", Index);
  if (D.Info->Where == Place::Statement)
    Make.punctuator(tok::semi);
  Make.tokens(Next).enter();
}

static void addCarried(StringRef Text, SmallVectorImpl<unsigned> &Out) {
  unsigned Index;
  if (Text.consume_front(CarrierPrefix) && !Text.getAsInteger(10, Index))
    Out.push_back(Index);
}

SmallVector<unsigned, 2> carriedBy(const Decl &D) {
  SmallVector<unsigned, 2> Out;
  for (const AnnotateAttr *A : D.specific_attrs<AnnotateAttr>())
    if (!A->isInherited())
      addCarried(A->getAnnotation(), Out);
  return Out;
}

SmallVector<unsigned, 2> carriedBy(const AttributedStmt &S) {
  SmallVector<unsigned, 2> Out;
  for (const Attr *A : S.getAttrs())
    if (auto *Suppress = dyn_cast<SuppressAttr>(A))
      for (StringRef Id : Suppress->diagnosticIdentifiers())
        addCarried(Id, Out);
  return Out;
}

void MisspeltHandler::HandlePragma(Preprocessor &PP, PragmaIntroducer,
                                   Token &Name) {
  std::string Word;
  if (Name.getIdentifierInfo())
    Word = Name.getIdentifierInfo()->getName().str();
  if (!isMisspeltAgglom(Word)) {
    if (Report) // as Clang does without a handler like this
      PP.Diag(Name, clang::diag::warn_pragma_ignored);
    return;
  }
  if (Found)
    *Found = true;
  if (!Report)
    return;
  SourceLocation At = Name.getLocation();
  auto Warning = Report->report(At, diag::misspelt_agglom);
  Warning << Word;
  if (At.isFileID()) // not the string of a _Pragma
    Warning << FixItHint::CreateReplacement(At, "agglom");
}

void PragmaRecorder::HandlePragma(Preprocessor &PP, PragmaIntroducer, Token &) {
  SmallVector<Token, 16> Tokens;
  Token T;
  for (PP.Lex(T); T.isNot(tok::eod); PP.Lex(T))
    Tokens.push_back(T);
  Texts.push_back(spell(PP, Tokens));
}

} // namespace agglom
