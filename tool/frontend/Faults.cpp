// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Faults.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace agglom {

/// The number in a line marker `# 12 "x.c"`, or 0; \p Name gets the file's
/// name.
static unsigned markerOf(StringRef Row, StringRef &Name) {
  unsigned Line = 0;
  size_t From = Row.find('"'), To = Row.rfind('"');
  if (!Row.consume_front("# ") || From == To || Row.consumeInteger(10, Line))
    return 0;
  From = Row.find('"');
  Name = Row.slice(From + 1, Row.rfind('"'));
  return Line;
}

void setUserPlace(const SourceManager &SM, SourceLocation Loc, Fault &F) {
  Loc = SM.getExpansionLoc(Loc);
  PresumedLoc P = SM.getPresumedLoc(Loc);
  if (P.isInvalid())
    return;
  F.File = P.getFilename();
  F.Line = P.getLine();
  if (!StringRef(F.File).starts_with("<"))
    return;
  StringRef Text = SM.getBufferData(SM.getFileID(Loc));
  StringRef Before = Text.take_front(SM.getFileOffset(Loc));
  for (unsigned Lines = 0; !Before.empty(); ++Lines) {
    auto [Rest, Row] = Before.rsplit('\n');
    if (Rest.size() == Before.size())
      Row = Before, Rest = "";
    StringRef Name;
    unsigned Line = markerOf(Row, Name);
    if (Line && !Name.starts_with("<")) {
      F.File = Name.str();
      F.Line = Line + (Lines > 1 ? Lines - 1 : 0);
      return;
    }
    if (Line)
      Lines = 0; // a marker of generated text ends the user's text
    Before = Rest;
  }
}

void noteFault(const SourceManager &SM, SourceLocation Loc, StringRef Said,
               Fault &F) {
  if (!F.Said.empty())
    return;
  F.Said = Said.str();
  setUserPlace(SM, Loc, F);
}

void FaultListener::HandleDiagnostic(DiagnosticsEngine::Level Level,
                                     const Diagnostic &Info) {
  DiagnosticConsumer::HandleDiagnostic(Level, Info);
  if (Level < DiagnosticsEngine::Error || !F.Said.empty())
    return;
  llvm::SmallString<128> Text;
  Info.FormatDiagnostic(Text);
  F.Said = Text.str().str();
  if (Info.hasSourceManager() && Info.getLocation().isValid())
    setUserPlace(Info.getSourceManager(), Info.getLocation(), F);
}

Silence::Silence(DiagnosticsEngine &Diags)
    : Diags(Diags), Before(Diags.getClient()), Owned(Diags.takeClient()),
      IgnoredWarnings(Diags.getIgnoreAllWarnings()) {
  Diags.setIgnoreAllWarnings(true);
  Diags.setClient(this, /*ShouldOwnClient=*/false);
}

Silence::~Silence() {
  Diags.setIgnoreAllWarnings(IgnoredWarnings);
  bool Owns = Owned.release() != nullptr;
  Diags.setClient(Before, Owns);
}

void Silence::HandleDiagnostic(DiagnosticsEngine::Level Level,
                               const Diagnostic &Info) {
  if (Level < DiagnosticsEngine::Error || Failed)
    return;
  SmallString<128> Text;
  Info.FormatDiagnostic(Text);
  Said = Text.str().str();
  Loc = Info.getLocation();
  Failed = true;
}

} // namespace agglom
