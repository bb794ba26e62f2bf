// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Diagnostics.h"
#include "llvm/ADT/StringRef.h"

using namespace clang;
using llvm::StringRef;

namespace agglom {

namespace {
enum class Severity { Error, Warning, Note };
struct Entry {
  Severity Sev;
  StringRef Group;
  StringRef Text;
};
} // namespace

static const Entry Table[] = {
#define DIAG(Id, Sev, Group, Text) {Severity::Sev, Group, Text},
#include "diagnostics.def"
};

static DiagnosticsEngine::Level defaultLevel(Severity S) {
  switch (S) {
  case Severity::Error:
    return DiagnosticsEngine::Error;
  case Severity::Warning:
    return DiagnosticsEngine::Warning;
  case Severity::Note:
    return DiagnosticsEngine::Note;
  }
  return DiagnosticsEngine::Error;
}

Reporter::Reporter(DiagnosticsEngine &Engine,
                   const std::vector<std::string> &WarningFlags)
    : Engine(Engine) {
  bool AllErrors = Engine.getWarningsAsErrors();
  for (const Entry &E : Table) {
    DiagnosticsEngine::Level L = defaultLevel(E.Sev);
    if (E.Sev == Severity::Warning) {
      bool Enabled = !Engine.getIgnoreAllWarnings(), IsError = AllErrors;
      for (const std::string &Flag : WarningFlags) {
        StringRef F(Flag);
        if (!F.consume_front("-W"))
          continue;
        bool No = F.consume_front("no-");
        bool ErrorForm = F.consume_front("error=");
        if (!F.consume_front("agglom"))
          continue;
        if (!F.empty() && F != "-" + E.Group.str())
          continue;
        if (ErrorForm) {
          IsError = !No;
          Enabled |= !No;
        } else {
          Enabled = !No;
        }
      }
      L = !Enabled  ? DiagnosticsEngine::Ignored
          : IsError ? DiagnosticsEngine::Error
                    : DiagnosticsEngine::Warning;
    }
    Levels.push_back(L);
  }
}

DiagnosticBuilder Reporter::report(SourceLocation Loc, diag::Id D) {
  const Entry &E = Table[D];
  Errors += Levels[D] >= DiagnosticsEngine::Error;
  std::string Text = E.Text.str();
  if (E.Sev == Severity::Warning)
    Text += " [-Wagglom-" + E.Group.str() + "]";
  unsigned Id = Engine.getDiagnosticIDs()->getCustomDiagID(
      static_cast<DiagnosticIDs::Level>(Levels[D]), Text);
  return Engine.Report(Loc, Id);
}

} // namespace agglom
