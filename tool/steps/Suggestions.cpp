// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --suggest: each proposal is checked before it is made. The unit is checked
// with the new pragmas in it. A proposal with an error is dropped, and the
// error is the reason.

#include "Check.h"
#include "Invocation.h"
#include "ParseAction.h"
#include "Steps.h"
#include "Suggest.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;

namespace agglom {

namespace {
/// Keeps the first error, and whether a loop would not be shared by threads.
class Verdict : public DiagnosticConsumer {
public:
  std::string Error;
  bool Useless = false;
  void HandleDiagnostic(DiagnosticsEngine::Level Level,
                        const Diagnostic &Info) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Info);
    llvm::SmallString<128> Text;
    Info.FormatDiagnostic(Text);
    if (Level >= DiagnosticsEngine::Error && Error.empty())
      Error = Text.str().str();
    Useless |= Text.str().ends_with("[-Wagglom-mapping]");
  }
};
} // namespace

static std::string contentOf(const Unit &U, const std::string &File) {
  auto It = U.Overlay.find(File);
  if (It != U.Overlay.end())
    return It->second;
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  return Buffer ? (*Buffer)->getBuffer().str() : std::string();
}

using InsertionsOf = std::map<std::string, std::multimap<size_t, std::string>>;

static InsertionsOf byFile(const std::vector<Suggestion::Edit> &Edits) {
  InsertionsOf Out;
  for (const Suggestion::Edit &E : Edits)
    Out[E.File].emplace(E.Offset, E.Text);
  return Out;
}

static Unit changed(const Unit &U, const InsertionsOf &ByFile) {
  Unit Changed = U;
  for (const auto &[File, Insertions] : ByFile) {
    std::string Text = contentOf(U, File);
    for (auto It = Insertions.rbegin(); It != Insertions.rend(); ++It)
      if (It->first <= Text.size())
        Text.insert(It->first, It->second);
    Changed.Overlay[File] = std::move(Text);
  }
  return Changed;
}

/// Checks the unit with these insertions.
static Verdict tryOut(const Unit &U,
                      const std::vector<Suggestion::Edit> &Edits) {
  Verdict V;
  ParseAction Action({}, [](ParsedUnit &P) { checkUnit(P); });
  runAction(changed(U, byFile(Edits)), Talk::Silent, Action, {}, &V);
  return V;
}

/// The waits that -Wagglom-wait would propose, certain or not, once the unit
/// has these insertions, as insertions into the original unit.
static std::vector<Fix> findWaits(const Unit &U,
                                  const std::vector<Suggestion::Edit> &Edits) {
  InsertionsOf Made = byFile(Edits);
  Unit Changed = changed(U, Made);
  Changed.Warnings.Flags = {"-Wno-agglom", "-Wagglom-wait"};
  std::vector<Fix> Out;
  for (Fix &F : findFixes(Changed, /*Cautious=*/true)) {
    if (F.InMacro || F.Foreign || F.Edits.size() != 1 || F.Edits[0].Length)
      continue;
    size_t &Offset = F.Edits[0].Offset, Inserted = 0;
    for (const auto &[At, Text] : Made[F.File]) {
      if (At + Inserted >= Offset)
        break;
      Inserted += Text.size();
      F.Line -= StringRef(Text).count('\n');
    }
    Offset -= Inserted;
    F.Message = StringRef(F.Message).split(';').first.str();
    Out.push_back(std::move(F));
  }
  return Out;
}

bool findProposals(const Unit &Given, std::vector<Proposal> &Out,
                   std::vector<Fix> &Waits) {
  Unit U = Given; // -w is about printing; here warnings decide
  llvm::erase(U.Args, "-w");
  llvm::erase(U.Warnings.Flags, "-w");
  std::vector<Suggestion> All;
  bool Parsed = false;
  ParseAction Action({}, [&](ParsedUnit &P) {
    Parsed = !P.CI.getDiagnostics().hasErrorOccurred();
    if (Parsed)
      All = suggestPragmas(P);
  });
  runAction(U, Talk::Silent, Action);
  if (!Parsed)
    return false;

  for (Suggestion &S : All) {
    if (S.Edits.empty())
      continue;
    Verdict V = tryOut(U, S.Edits);
    if ((V.Useless || !V.Error.empty()) && S.Edits.size() > S.TaskEdits) {
      S.Edits.resize(S.TaskEdits);
      V = tryOut(U, S.Edits);
    }
    if (!V.Error.empty()) {
      S.WhyNot = V.Error;
      S.Edits.clear();
    }
  }
  // A function that only tasks call is part of them.
  std::set<std::string> Accepted;
  for (const Suggestion &S : All)
    if (!S.Edits.empty())
      Accepted.insert(S.Function);
  for (Suggestion &S : All)
    if (!S.Edits.empty() && !S.Callers.empty() &&
        llvm::all_of(S.Callers, [&](const std::string &Caller) {
          return Caller != S.Function && Accepted.count(Caller);
        })) {
      S.WhyNot = "only functions that are proposed as tasks call it";
      S.Edits.clear();
    }

  std::vector<Suggestion::Edit> Edits;
  for (const Suggestion &S : All)
    Edits.insert(Edits.end(), S.Edits.begin(), S.Edits.end());
  if (!Edits.empty())
    Waits = findWaits(U, Edits);

  for (const Suggestion &S : All) {
    Proposal P;
    P.Function = S.Function;
    P.Line = S.Line;
    P.WhyNot = S.WhyNot;
    for (const std::string &A : S.Assumptions)
      if (P.Assumption.find(A) == std::string::npos)
        P.Assumption += (P.Assumption.empty() ? "" : "; ") + A;
    for (const Suggestion::Edit &E : S.Edits) {
      Fix F;
      F.File = E.File;
      F.Line = S.Line;
      F.Edits.push_back({E.Offset, 0, E.Text});
      P.Changes.push_back(std::move(F));
    }
    Out.push_back(std::move(P));
  }
  return true;
}

} // namespace agglom
