// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What there is to say when the tool itself fails: the user's line, and Clang's
// words about the text that it was given.

#ifndef AGGLOM_FRONTEND_FAULTS_H
#define AGGLOM_FRONTEND_FAULTS_H

#include "Unit.h"
#include "clang/Basic/Diagnostic.h"
#include <memory>
#include <string>

namespace agglom {

/// Where \p Loc, in preprocessed or generated text, is for the user: on lines
/// that are nobody's, the last of the user's lines before.
void setUserPlace(const clang::SourceManager &SM, clang::SourceLocation Loc,
                  Fault &F);

/// Keeps the first thing that is said of \p Loc.
void noteFault(const clang::SourceManager &SM, clang::SourceLocation Loc,
               llvm::StringRef Said, Fault &F);

/// Prints nothing and keeps the first error.
class FaultListener : public clang::DiagnosticConsumer {
  Fault &F;

public:
  explicit FaultListener(Fault &F) : F(F) {}
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override;
};

/// Nothing is said while there is one; the first error is kept.
class Silence : public clang::DiagnosticConsumer {
  clang::DiagnosticsEngine &Diags;
  clang::DiagnosticConsumer *Before;
  std::unique_ptr<clang::DiagnosticConsumer> Owned;
  bool IgnoredWarnings;
  bool Failed = false;
  clang::SourceLocation Loc;
  std::string Said;

public:
  explicit Silence(clang::DiagnosticsEngine &Diags);
  ~Silence() override;
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Info) override;
  bool IncludeInDiagnosticCounts() const override { return false; }
  bool failed() const { return Failed; }
  clang::SourceLocation where() const { return Loc; }
  const std::string &said() const { return Said; }
};

} // namespace agglom

#endif // AGGLOM_FRONTEND_FAULTS_H
