// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What there is to say when the tool itself fails: the user's line, and Clang's
// words about the text that it was given.

#ifndef AGGLOM_FRONTEND_FAULTS_H
#define AGGLOM_FRONTEND_FAULTS_H

#include "Frontend.h"
#include "clang/Basic/Diagnostic.h"

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

} // namespace agglom

#endif // AGGLOM_FRONTEND_FAULTS_H
