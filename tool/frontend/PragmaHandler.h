// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From '#pragma agglom ...' to the AST.
//
// A pragma is not part of the grammar, so Clang's parser never sees it. The
// handler keeps the pragma's tokens aside and leaves in their place an
// attribute that carries only a number:
//
//   #pragma agglom task in(a[0:n])      __attribute__((annotate("agglom:3")))
//   void f(int n, float *a) { ... }  => void f(int n, float *a) { ... }
//
//   #pragma agglom loop                 __attribute__((suppress("agglom:4")))
//   for (...)                        => for (...)
//
//   #pragma agglom wait              => __attribute__((suppress("agglom:5"))) ;
//
//   #pragma agglom data resident(x)
//   { ... }                          => __attribute__((suppress(...))) { ... }
//
// (Clang 19 rejects 'annotate' on a statement; both versions keep 'suppress'.)
// The clauses are parsed later, in the scope of what the attribute landed on.

#ifndef AGGLOM_FRONTEND_PRAGMAHANDLER_H
#define AGGLOM_FRONTEND_PRAGMAHANDLER_H

#include "PragmaTable.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/SmallVector.h"
#include <string>
#include <vector>

namespace clang {
class Decl;
class AttributedStmt;
} // namespace clang

namespace agglom {

class Reporter;

/// One '#pragma agglom' as written, macros expanded.
struct Directive {
  const DirectiveInfo *Info = nullptr;        ///< not null in a kept directive
  clang::SourceLocation Loc;                  ///< of '#pragma' or '_Pragma'
  clang::Token Word;                          ///< the directive's name
  clang::SourceLocation End;                  ///< of the end of the line
  llvm::SmallVector<clang::Token, 16> Tokens; ///< after the directive's name
  bool AtFileScope = false;
  bool Attached = false; ///< it landed on a declaration or statement
  /// Not written by the user: a 'loop' in the function made of the loop of a
  /// 'for'.
  bool Made = false;
  /// For a 'for': index of the first token behind it in the recorded tokens.
  size_t Recorded = 0;
};

class PragmaCollector : public clang::PragmaHandler {
  Reporter &Report;
  std::vector<Directive> &Directives;
  unsigned BraceDepth = 0;
  bool AfterLabel = false;   ///< the last token was a colon
  bool LabelInBlock = false; ///< not the body of an if or a loop
  bool InCase = false;       ///< between `case` and its colon
  clang::tok::TokenKind Before = clang::tok::unknown;
  bool AfterHint = false; ///< the last token was a loop hint of Clang
  bool Recording = false;
  std::vector<clang::Token> Record;

public:
  PragmaCollector(Reporter &Report, std::vector<Directive> &Directives)
      : PragmaHandler("agglom"), Report(Report), Directives(Directives) {}

  void HandlePragma(clang::Preprocessor &PP, clang::PragmaIntroducer Intro,
                    clang::Token &Name) override;

  /// Called with every token the parser gets, to tell file scope from blocks.
  void sawToken(const clang::Token &T);
  void sawLabel(const clang::Token &T);

  /// The tokens from the first 'for' directive of a declaration on.
  llvm::ArrayRef<clang::Token> recorded() const { return Record; }
  /// The declaration is complete.
  void stopRecording() {
    Recording = false;
    Record.clear();
  }
};

/// The numbers carried by agglom attributes, in source order.
llvm::SmallVector<unsigned, 2> carriedBy(const clang::Decl &D);
llvm::SmallVector<unsigned, 2> carriedBy(const clang::AttributedStmt &S);

/// Handles pragmas that no other handler takes: warns when the first word is a
/// misspelt 'agglom'.
class MisspeltHandler : public clang::PragmaHandler {
  Reporter *Report; ///< null: only sets Found
  bool *Found;

public:
  explicit MisspeltHandler(Reporter *Report, bool *Found = nullptr)
      : Report(Report), Found(Found) {}
  void HandlePragma(clang::Preprocessor &PP, clang::PragmaIntroducer Intro,
                    clang::Token &Name) override;
};

/// Records each pragma's text with macros expanded, for preprocessing.
class PragmaRecorder : public clang::PragmaHandler {
  std::vector<std::string> &Texts;

public:
  explicit PragmaRecorder(std::vector<std::string> &Texts)
      : PragmaHandler("agglom"), Texts(Texts) {}
  void HandlePragma(clang::Preprocessor &PP, clang::PragmaIntroducer Intro,
                    clang::Token &Name) override;
};

/// The spelling of \p Tokens, with single spaces where there was white space.
std::string spell(clang::Preprocessor &PP, llvm::ArrayRef<clang::Token> Tokens);

} // namespace agglom

#endif // AGGLOM_FRONTEND_PRAGMAHANDLER_H
