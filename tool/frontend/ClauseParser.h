// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the clauses of one directive with Clang's own parser, late: once the
// declaration or statement under the pragma is there, in its scope. So a clause
// expression is typed like any C expression at that place, and its errors have
// carets under the user's text. Only the outer shape (clause names, commas,
// brackets, colons) is read here.

#ifndef AGGLOM_FRONTEND_CLAUSEPARSER_H
#define AGGLOM_FRONTEND_CLAUSEPARSER_H

#include "Model.h"
#include "PragmaHandler.h"
#include "clang/Parse/Parser.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#include "clang/Sema/Sema.h"

namespace agglom {

class Reporter;

/// Puts the parser into the scope of a function's parameters and of the given
/// locals, for expressions that are typed but never evaluated here.
class ClauseScope {
  clang::Parser &P;
  clang::Sema &S;
  clang::EnterExpressionEvaluationContext Unevaluated;

public:
  ClauseScope(clang::Parser &P, clang::Sema &S, const clang::FunctionDecl *F,
              llvm::ArrayRef<clang::NamedDecl *> Visible);
  ~ClauseScope();
};

/// The variables that \p For declares, and those of the loops directly inside
/// one another in it. \p For may be null.
void addLoopVariables(const clang::ForStmt *For,
                      std::vector<clang::VarDecl *> &Out);

/// The position of the first token of kind \p Kind outside all brackets, from
/// \p From on; the number of tokens when there is none.
size_t findTop(llvm::ArrayRef<clang::Token> Tokens, clang::tok::TokenKind Kind,
               size_t From = 0);

class ClauseParser {
  clang::Parser &P;
  clang::Sema &S;
  Reporter &Report;
  const Directive *Current = nullptr;

public:
  ClauseParser(clang::Parser &P, clang::Sema &S, Reporter &Report)
      : P(P), S(S), Report(Report) {}

  /// Both return false when something was reported.
  bool parseTask(const Directive &D, Task &T);
  bool parseLoop(const Directive &D, Loop &L, clang::FunctionDecl *In,
                 llvm::ArrayRef<clang::NamedDecl *> Visible);
  bool parseHost(const Directive &D, SectionDirective &H,
                 llvm::ArrayRef<clang::NamedDecl *> Visible);
  /// \p F is the function made of the loop; \p Counters are the loop's
  /// variables.
  bool parseFor(const Directive &D, HostLoop &H, clang::FunctionDecl *F,
                llvm::ArrayRef<clang::VarDecl *> Counters);
  bool parseNoClauses(const Directive &D);

private:
  bool OfHostLoop = false; ///< clauses of '#pragma agglom for'

  /// One clause: its name, and the tokens between its parentheses.
  struct Clause {
    const ClauseInfo *Info = nullptr;
    clang::Token Name;
    llvm::ArrayRef<clang::Token> Argument;
    clang::SourceLocation Close; ///< of ')'
  };

  bool split(const Directive &D, llvm::SmallVectorImpl<Clause> &Out);
  // Sections.cpp
  bool sections(const Clause &C, llvm::ArrayRef<clang::Token> List, bool InHost,
                std::vector<Section> &Out);
  bool section(const Clause &C, llvm::ArrayRef<clang::Token> Item,
               clang::SourceLocation End, bool InHost,
               std::vector<Section> &Out);
  bool brackets(const Clause &C, llvm::ArrayRef<clang::Token> Group,
                llvm::StringRef Whole, SectionDim &D);
  bool hasName(const Section &Sec, clang::SourceLocation At);
  bool gather(const Clause &C, llvm::ArrayRef<clang::Token> Inside, size_t Open,
              Section &Sec);
  bool pointer(llvm::ArrayRef<clang::Token> Item, const clang::Expr *E,
               bool InHost, Section &Sec, std::vector<Section> &Implicit);
  bool object(llvm::ArrayRef<clang::Token> Item, const clang::Expr *E,
              bool InHost, Section &Sec, std::vector<Section> &Implicit);
  bool hold(llvm::ArrayRef<clang::Token> Item, const clang::Expr *E,
            bool InHost, Section &Sec, std::vector<Section> &Implicit);
  std::string textOf(llvm::ArrayRef<clang::Token> Item, const clang::Expr *E);

  bool taskClause(const Clause &C, Task &T);
  bool loopClause(const Clause &C, Loop &L);
  bool schedule(const Clause &C, HostLoop &H); // ForClauses.cpp
  bool accumulate(const Clause &C, Task &T);
  bool variant(const Clause &C, Task &T);
  bool reduction(const Clause &C, Loop &L);
  bool privates(const Clause &C, Loop &L);
  bool collapse(const Clause &C, Loop &L);
  bool map(const Clause &C, Loop &L);
  /// Calls \p Each for each item of a list of variables, with a null variable
  /// for an item that is none.
  bool variables(const Clause &C, llvm::ArrayRef<clang::Token> List,
                 llvm::function_ref<bool(llvm::ArrayRef<clang::Token>,
                                         const clang::VarDecl *)>
                     Each);
  /// Parses \p Tokens as one expression; null after an error was reported.
  clang::Expr *expression(llvm::ArrayRef<clang::Token> Tokens,
                          clang::SourceLocation End, llvm::StringRef Clause);
  clang::Expr *integer(const Clause &C);
  std::string text(llvm::ArrayRef<clang::Token> Tokens);
};

} // namespace agglom

#endif // AGGLOM_FRONTEND_CLAUSEPARSER_H
