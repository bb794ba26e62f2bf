// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Snippets.h"
#include "clang/Basic/SourceManager.h"
#include <algorithm>

using namespace clang;

namespace agglom {

namespace {

/// The lines that Clang's printer shows, as it finds them.
class ShownLines {
  const SourceManager &SM;
  FileID File;
  unsigned First, Last, MaxLines;

  unsigned lineOf(SourceLocation Loc) const {
    return SM.getLineNumber(File, SM.getFileOffset(Loc));
  }

public:
  ShownLines(const SourceManager &SM, SourceLocation Caret, unsigned MaxLines)
      : SM(SM), File(SM.getFileID(Caret)), First(lineOf(Caret)), Last(First),
        MaxLines(MaxLines) {}

  /// True when the snippet shows \p R, or \p R begins below its first line.
  bool add(CharSourceRange R) {
    SourceLocation Begin = SM.getFileLoc(R.getBegin());
    SourceLocation End = SM.getFileLoc(R.getEnd());
    if (SM.getFileID(Begin) != File || SM.getFileID(End) != File)
      return false;
    unsigned From = std::min(First, lineOf(Begin));
    unsigned To = std::max(Last, lineOf(End));
    if (To - From + 1 > MaxLines)
      return From == First;
    First = From;
    Last = To;
    return true;
  }
};

class Snippets : public DiagnosticConsumer {
  std::unique_ptr<DiagnosticConsumer> Printer;
  unsigned MaxLines;

public:
  Snippets(std::unique_ptr<DiagnosticConsumer> Printer, unsigned MaxLines)
      : Printer(std::move(Printer)), MaxLines(MaxLines) {}

  void clear() override {
    DiagnosticConsumer::clear();
    Printer->clear();
  }
  void BeginSourceFile(const LangOptions &LO, const Preprocessor *PP) override {
    Printer->BeginSourceFile(LO, PP);
  }
  void EndSourceFile() override { Printer->EndSourceFile(); }
  void finish() override { Printer->finish(); }
  bool IncludeInDiagnosticCounts() const override {
    return Printer->IncludeInDiagnosticCounts();
  }
  void HandleDiagnostic(DiagnosticsEngine::Level Level,
                        const Diagnostic &Info) override;
};

} // namespace

void Snippets::HandleDiagnostic(DiagnosticsEngine::Level Level,
                                const Diagnostic &Info) {
  DiagnosticConsumer::HandleDiagnostic(Level, Info);
  if (!Info.hasSourceManager() || Info.getLocation().isInvalid()) {
    Printer->HandleDiagnostic(Level, Info);
    return;
  }
  const SourceManager &SM = Info.getSourceManager();
  SourceLocation Caret = SM.getFileLoc(Info.getLocation());
  ShownLines Shown(SM, Caret, MaxLines);
  // The diagnostic in flight owns these arrays and is not constant; what is
  // changed in them is put back, as others look at them later.
  std::vector<std::pair<CharSourceRange *, CharSourceRange>> Ranges;
  for (const CharSourceRange &R : Info.getRanges())
    if (R.isValid() && !Shown.add(R))
      Ranges.emplace_back(const_cast<CharSourceRange *>(&R), R);
  std::vector<std::pair<FixItHint *, FixItHint>> Hints;
  for (const FixItHint &H : Info.getFixItHints())
    if (!H.isNull() && !Shown.add(H.RemoveRange))
      Hints.emplace_back(const_cast<FixItHint *>(&H), H);
  for (auto &[Place, Was] : Ranges)
    *Place = CharSourceRange();
  for (auto &[Place, Was] : Hints) {
    *Place = FixItHint(); // removes nothing, where the caret stands
    Place->RemoveRange = CharSourceRange::getCharRange(Caret, Caret);
  }
  Printer->HandleDiagnostic(Level, Info);
  for (auto &[Place, Was] : Ranges)
    *Place = Was;
  for (auto &[Place, Was] : Hints)
    *Place = Was;
}

void numberSnippets(DiagnosticsEngine &Diags, unsigned MaxLines) {
  if (!Diags.ownsClient())
    return;
  Diags.setClient(new Snippets(Diags.takeClient(), MaxLines),
                  /*ShouldOwnClient=*/true);
}

} // namespace agglom
