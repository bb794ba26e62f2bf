// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preprocessing, in two passes. The first pass finds agglom pragmas and records
// them with macros expanded; a unit without any costs no more than that. The
// second pass is Clang's own -E. It leaves macros in unknown pragmas as they
// are, and their definitions are gone afterwards. So the k-th '#pragma agglom'
// line of its output is replaced by the k-th recorded text.

#include "Diagnostics.h"
#include "Invocation.h"
#include "PragmaHandler.h"
#include "Unit.h"
#include "clang/Basic/FileManager.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace clang;

namespace agglom {

namespace {
class MissingHeaders : public PPCallbacks {
  std::string &First;

public:
  explicit MissingHeaders(std::string &First) : First(First) {}
  bool FileNotFound(StringRef Name) override {
    if (First.empty())
      First = Name.str();
    return false; // the missing header stays an error
  }
};

class RecordAction : public PreprocessorFrontendAction {
  std::vector<std::string> &Texts;
  Preprocessed &Seen;

public:
  RecordAction(std::vector<std::string> &Texts, Preprocessed &Seen)
      : Texts(Texts), Seen(Seen) {}
  void ExecuteAction() override {
    Preprocessor &PP = getCompilerInstance().getPreprocessor();
    PP.AddPragmaHandler(new PragmaRecorder(Texts));
    PP.AddPragmaHandler(new MisspeltHandler(nullptr, &Seen.Misspelt));
    PP.addPPCallbacks(std::make_unique<MissingHeaders>(Seen.Missing));
    PP.EnterMainSourceFile();
    Token T;
    do
      PP.Lex(T);
    while (T.isNot(tok::eof));
    for (const auto &Entry : PP.getIdentifierTable())
      Seen.NamesRuntime |= Entry.first().starts_with("agglom_");
    Seen.NamesMacro = PP.getIdentifierTable().find("__agglom__") !=
                      PP.getIdentifierTable().end();
  }
};

/// Warns about misspelt agglom pragmas in a unit without agglom pragmas, and
/// leaves all other diagnostics to the compilation to come.
class MisspeltAction : public PreprocessorFrontendAction {
  const std::vector<std::string> &Flags;

public:
  bool Ok = true;
  explicit MisspeltAction(const std::vector<std::string> &Flags)
      : Flags(Flags) {}
  void ExecuteAction() override {
    CompilerInstance &CI = getCompilerInstance();
    Reporter R(CI.getDiagnostics(), Flags);
    CI.getDiagnostics().setSeverityForAll(clang::diag::Flavor::WarningOrError,
                                          clang::diag::Severity::Ignored);
    Preprocessor &PP = CI.getPreprocessor();
    PP.AddPragmaHandler(new MisspeltHandler(&R));
    PP.EnterMainSourceFile();
    Token T;
    do
      PP.Lex(T);
    while (T.isNot(tok::eof));
    Ok = !R.errors();
  }
};

class PrintAction : public PreprocessorFrontendAction {
  llvm::raw_ostream &OS;

public:
  explicit PrintAction(llvm::raw_ostream &OS) : OS(OS) {}
  void ExecuteAction() override {
    CompilerInstance &CI = getCompilerInstance();
    DoPrintPreprocessedInput(CI.getPreprocessor(), &OS,
                             CI.getPreprocessorOutputOpts());
  }
};
} // namespace

static bool isAgglomPragma(StringRef Line) {
  Line = Line.ltrim(" \t");
  if (!Line.consume_front("#"))
    return false;
  Line = Line.ltrim(" \t");
  if (!Line.consume_front("pragma"))
    return false;
  StringRef Rest = Line.ltrim(" \t");
  if (Rest.size() == Line.size() || !Rest.consume_front("agglom"))
    return false;
  // A longer name is another pragma's: agglom2, agglom$, agglom\u00e9.
  return Rest.empty() || !(llvm::isAlnum(Rest[0]) || !llvm::isASCII(Rest[0]) ||
                           StringRef("_$\\").contains(Rest[0]));
}

/// Replaces each '#pragma agglom' line of \p Text by its expanded form.
static bool substitutePragmas(StringRef Text,
                              const std::vector<std::string> &Expanded,
                              std::string &Out) {
  size_t Next = 0;
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    if (isAgglomPragma(Line)) {
      if (Next == Expanded.size())
        return false;
      Out += "#pragma agglom ";
      Out += Expanded[Next++];
    } else {
      Out += Line;
    }
    Out += '\n';
    Text = Rest;
  }
  return Next == Expanded.size();
}

bool warnMisspelt(const Unit &U) {
  MisspeltAction Action(U.Warnings.Flags);
  runAction(U, Talk::Aloud, Action, [](CompilerInvocation &Inv) {
    Inv.getDependencyOutputOpts() = DependencyOutputOptions();
    Inv.getDiagnosticOpts().VerifyDiagnostics = false;
  });
  return Action.Ok;
}

Preprocessed preprocess(const Unit &U) {
  Preprocessed Result;
  std::vector<std::string> Texts;
  RecordAction Record(Texts, Result);
  if (!runAction(U, Talk::Silent, Record)) {
    Result.Annotated = !Texts.empty();
    return Result;
  }
  Result.Ok = true;
  Result.Annotated = !Texts.empty();
  if (!Result.Annotated)
    return Result;

  std::string Printed;
  llvm::raw_string_ostream OS(Printed);
  PrintAction Print(OS);
  bool Ok = runAction(U, Talk::Silent, Print, [](CompilerInvocation &Inv) {
    PreprocessorOutputOptions &Opts = Inv.getPreprocessorOutputOpts();
    Opts.ShowCPP = true;
    Opts.ShowLineMarkers = true;
  });
  Result.Ok = Ok && substitutePragmas(OS.str(), Texts, Result.Text);
  return Result;
}

} // namespace agglom
