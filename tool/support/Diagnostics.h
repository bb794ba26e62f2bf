// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// agglomcc's own diagnostics, issued through Clang's engine so that carets,
// notes, colours and -verify work. The texts are in diagnostics.def.

#ifndef AGGLOM_SUPPORT_DIAGNOSTICS_H
#define AGGLOM_SUPPORT_DIAGNOSTICS_H

#include "clang/Basic/Diagnostic.h"
#include <string>
#include <vector>

namespace agglom {

namespace diag {
enum Id : unsigned {
#define DIAG(Id, Severity, Group, Text) Id,
#include "diagnostics.def"
  NumDiagnostics
};
} // namespace diag

class Reporter {
  clang::DiagnosticsEngine &Engine;
  /// The level of each diagnostic after the -W flags. Clang maps its own
  /// groups; custom diagnostics have no group, so it is done here.
  std::vector<clang::DiagnosticsEngine::Level> Levels;
  unsigned Errors = 0;

public:
  Reporter(clang::DiagnosticsEngine &Engine,
           const std::vector<std::string> &WarningFlags);

  clang::DiagnosticBuilder report(clang::SourceLocation Loc, diag::Id D);
  /// How many errors this has reported.
  unsigned errors() const { return Errors; }
};

} // namespace agglom

#endif // AGGLOM_SUPPORT_DIAGNOSTICS_H
