// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is reported when the tool itself fails: the user's line, and Clang's
// message about the text that it parsed.

#ifndef AGGLOM_FRONTEND_FAULTS_H
#define AGGLOM_FRONTEND_FAULTS_H

#include "Unit.h"
#include "clang/Basic/Diagnostic.h"
#include <memory>
#include <string>

namespace agglom {

/// Sets \p F to the user's file and line of \p Loc, which is in preprocessed or
/// generated text. For a generated line, the last line of the user's before it.
void setUserPlace(const clang::SourceManager &SM, clang::SourceLocation Loc,
                  Fault &F);

/// Stores \p Said and the place of \p Loc in \p F, unless \p F has a message.
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

/// Suppresses all diagnostics as long as it lives, and keeps the first error.
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
