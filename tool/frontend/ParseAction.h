// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses one unit and builds its Model: Clang's parser is driven one top-level
// declaration at a time, so that the clauses of a directive can be parsed as
// soon as the declaration it landed on is complete.

#ifndef AGGLOM_FRONTEND_PARSEACTION_H
#define AGGLOM_FRONTEND_PARSEACTION_H

#include "Diagnostics.h"
#include "Model.h"
#include "PragmaHandler.h"
#include "Unit.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include <functional>

namespace clang {
class Parser;
class Sema;
} // namespace clang

namespace agglom {

/// A top-level declaration group: the declarations of one `int a, *b;`.
using DeclGroup = std::vector<clang::Decl *>;

/// Whether \p Part is \p S or in it.
bool contains(const clang::Stmt *S, const clang::Stmt *Part);

/// The result of a finished parse.
struct ParsedUnit {
  clang::CompilerInstance &CI;
  clang::ASTContext &Context;
  Model &M;
  Reporter &Report;
  const std::vector<Directive> &Directives;
  const std::vector<DeclGroup> &Groups; ///< in source order
  /// Waits are proposed wherever host code may meet units, not only where it
  /// surely does.
  bool Cautious = false;
};

/// OpenMP's directives on a loop under '#pragma agglom for'.
struct OpenMPOfLoop {
  std::vector<const clang::OMPExecutableDirective *> On; ///< outermost first
  /// A directive on an outer loop that collapses this loop into it.
  const clang::OMPExecutableDirective *Around = nullptr;
};

class ParseAction : public clang::ASTFrontendAction {
public:
  /// \p Done is called after a parse without syntax errors; the directives may
  /// have had some.
  ParseAction(const std::vector<std::string> &WarningFlags,
              std::function<void(ParsedUnit &)> Done)
      : WarningFlags(WarningFlags), Done(std::move(Done)) {}

  /// The failure of the tool itself, if any; then \p Done was not called.
  const Fault &failure() const { return Failure; }

protected:
  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &, llvm::StringRef) override;
  void ExecuteAction() override;

private:
  void useParameters(clang::Sema &S);
  void useVariables(clang::Sema &S);
  /// A top-level declaration begins with the current token.
  void beginGroup(clang::Parser &P);
  void attach(clang::Parser &P, clang::Sema &S, Reporter &R, clang::Decl *D);
  void attachTask(clang::Parser &P, clang::Sema &S, Reporter &R, clang::Decl *D,
                  Directive &Dir);
  bool readsAs(const clang::Preprocessor &PP, const Directive &Dir,
               clang::SourceLocation Other) const;
  void attachDeclare(clang::Parser &P, clang::Sema &S, Reporter &R,
                     clang::Decl *D, Directive &Dir);
  void attachStatements(clang::Parser &P, clang::Sema &S, Reporter &R,
                        clang::FunctionDecl *F);
  void useVariant(clang::Sema &S, const clang::NamedDecl *D);
  void findVariants(const clang::ASTContext &Context);
  void reportLoop(Reporter &R, const Loop &L);
  /// '#pragma agglom for'. (Outline.cpp)
  void attachHostLoop(clang::Parser &P, clang::Sema &S, Reporter &R,
                      clang::FunctionDecl *F, unsigned Index,
                      clang::AttributedStmt *A,
                      llvm::ArrayRef<clang::NamedDecl *> Visible,
                      const OpenMPOfLoop &OpenMP);
  void finish(Reporter &R);

  std::vector<std::string> WarningFlags;
  std::function<void(ParsedUnit &)> Done;
  std::vector<Directive> Directives;
  std::vector<DeclGroup> Groups;
  Model M;
  Fault Failure;
  const clang::FunctionDecl *UsesMarked = nullptr;
  size_t LookedAt = 0; ///< directives whose variables are marked as used
  PragmaCollector *Collector = nullptr; ///< the preprocessor's
  size_t BeforeGroup = 0; ///< directives before the declaration being parsed
  clang::SourceLocation GroupBegins; ///< of the declaration's first token
};

} // namespace agglom

#endif // AGGLOM_FRONTEND_PARSEACTION_H
