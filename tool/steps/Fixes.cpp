// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the fix-its of agglom's own diagnostics as edits of files.

#include "Check.h"
#include "Invocation.h"
#include "ParseAction.h"
#include "Steps.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;

namespace agglom {

namespace {
class FixCollector : public DiagnosticConsumer {
  std::vector<Fix> &Out;
  const LangOptions *Language = nullptr;

public:
  explicit FixCollector(std::vector<Fix> &Out) : Out(Out) {}

  void BeginSourceFile(const LangOptions &L, const Preprocessor *) override {
    Language = &L;
  }
  void EndSourceFile() override { Language = nullptr; }

  void HandleDiagnostic(DiagnosticsEngine::Level Level,
                        const Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    // Clang's own diagnostics have smaller numbers.
    if (Info.getID() < clang::diag::DIAG_UPPER_LIMIT || !Language ||
        !Info.hasSourceManager() || !Info.getNumFixItHints())
      return;
    const SourceManager &SM = Info.getSourceManager();
    Fix F;
    llvm::SmallString<128> Text;
    Info.FormatDiagnostic(Text);
    F.Message = Text.str().str();
    SourceLocation Place = SM.getExpansionLoc(Info.getLocation());
    F.Line = SM.getExpansionLineNumber(Place);
    for (const FixItHint &Hint : Info.getFixItHints()) {
      if (Hint.isNull())
        continue;
      CharSourceRange Range = Hint.RemoveRange;
      SourceLocation Begin = Range.getBegin(), End = Range.getEnd();
      auto File = SM.getFileEntryRefForID(SM.getFileID(Begin));
      if (Begin.isMacroID() || End.isMacroID() || !File ||
          SM.getFileID(Begin) != SM.getFileID(End)) {
        F.InMacro = true;
        auto At = SM.getFileEntryRefForID(SM.getFileID(Place));
        F.File = At ? At->getName().str() : "";
        continue;
      }
      F.File = File->getName().str();
      F.Foreign |= SM.isInSystemHeader(Begin);
      F.Line = SM.getExpansionLineNumber(Begin);
      Fix::Edit E;
      E.Offset = SM.getFileOffset(Begin);
      E.Length = SM.getFileOffset(End) - E.Offset;
      if (Range.isTokenRange())
        E.Length += Lexer::MeasureTokenLength(End, SM, *Language);
      E.Text = Hint.CodeToInsert;
      F.Edits.push_back(std::move(E));
    }
    if (F.InMacro)
      F.Edits.clear(); // an incomplete edit is dropped
    if (F.InMacro || !F.Edits.empty())
      Out.push_back(std::move(F));
  }
};
} // namespace

std::vector<Fix> findFixes(const Unit &U, bool Cautious) {
  std::vector<Fix> Out;
  FixCollector Listener(Out);
  ParseAction Action(U.Warnings.Flags, [Cautious](ParsedUnit &P) {
    P.Cautious = Cautious;
    // A diagnostic with a fix-it may come behind many without.
    P.CI.getDiagnostics().setErrorLimit(0);
    checkUnit(P);
  });
  runAction(U, Talk::Silent, Action, {}, &Listener);
  return Out;
}

} // namespace agglom
