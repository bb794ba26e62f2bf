// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Invocation.h"
#include "CompatClang.h"
#include "Snippets.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace clang;

namespace agglom {

/// The compiler invocation for the unit's command line, or null after an error.
/// A unit is parsed several times, and reading its command line takes Clang
/// milliseconds. So the last invocation is remembered, unless the command line
/// caused a diagnostic.
static std::shared_ptr<CompilerInvocation> invocationOf(const Unit &U, Talk T) {
  static std::vector<std::string> LastArgs;
  static std::shared_ptr<CompilerInvocation> Last;
  if (Last && U.Args == LastArgs)
    return std::make_shared<CompilerInvocation>(*Last);

  std::vector<const char *> Args;
  for (const std::string &A : U.Args)
    Args.push_back(A.c_str());
  auto FS = llvm::vfs::getRealFileSystem();
  DiagnosticOptions ArgumentDiagnostics;
  DiagnosticConsumer Ignore; // counts
  std::string Said;
  llvm::raw_string_ostream OS(Said);
  std::unique_ptr<DiagnosticConsumer> Printer =
      compat::createPrinter(OS, ArgumentDiagnostics);
  DiagnosticConsumer &Listener = T == Talk::Silent ? Ignore : *Printer;
  CreateInvocationOptions Options;
  Options.VFS = FS;
  Options.Diags =
      compat::createArgumentDiagnostics(FS, ArgumentDiagnostics, &Listener);
  std::shared_ptr<CompilerInvocation> Invocation =
      createInvocation(Args, std::move(Options));
  // Clang's driver gives the invocation whatever it has said. A driver of gcc's
  // reads these options itself, and knows others.
  if (T == Talk::Aloud && (!U.GccHost || !Invocation))
    llvm::errs() << OS.str();
  if (T == Talk::Aloud && !U.GccHost && Listener.getNumErrors())
    return nullptr;
  if (Invocation && T == Talk::Silent && !Listener.getNumErrors() &&
      !Listener.getNumWarnings()) {
    LastArgs = U.Args;
    Last = std::make_shared<CompilerInvocation>(*Invocation);
  }
  return Invocation;
}

/// Reads headers as text whatever modules the command line asks for: a pragma
/// in a module would not be seen, and preprocessed text would name the modules.
/// Who may include whom by the module maps is checked aloud.
static void readHeadersAsText(CompilerInvocation &Invocation, Talk T) {
  LangOptions &Lang = Invocation.getLangOpts();
  FrontendOptions &Front = Invocation.getFrontendOpts();
  HeaderSearchOptions &Search = Invocation.getHeaderSearchOpts();
  Lang.Modules = false;
  Front.ModuleFiles.clear();
  Search.PrebuiltModuleFiles.clear();
  if (T == Talk::Aloud)
    return;
  Lang.ModulesDeclUse = Lang.ModulesStrictDeclUse = false;
  Lang.CurrentModule.clear();
  Lang.ModuleName.clear();
  Front.ModuleMapFiles.clear();
  Search.ImplicitModuleMaps = false;
}

bool runAction(const Unit &U, Talk T, FrontendAction &Action,
               const std::function<void(CompilerInvocation &)> &Adjust,
               DiagnosticConsumer *Listener) {
  auto FS = llvm::vfs::getRealFileSystem();
  DiagnosticConsumer Ignore; // prints nothing, but counts errors
  std::shared_ptr<CompilerInvocation> Invocation = invocationOf(U, T);
  if (!Invocation)
    return false;

  // Standard input becomes a remapped file, so that it includes headers from
  // the current folder.
  std::unique_ptr<llvm::MemoryBuffer> Stdin;
  if (U.StdinText) {
    Stdin = llvm::MemoryBuffer::getMemBuffer(*U.StdinText, "<stdin>");
    Invocation->getPreprocessorOpts().addRemappedFile("<stdin>", Stdin.get());
    auto &Inputs = Invocation->getFrontendOpts().Inputs;
    if (!Inputs.empty())
      Inputs.front() = FrontendInputFile("<stdin>", Inputs.front().getKind());
  }
  Invocation->getFrontendOpts().DisableFree = false;
  readHeadersAsText(*Invocation, T);
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> Replaced;
  for (const auto &[Name, Text] : U.Overlay) {
    Replaced.push_back(llvm::MemoryBuffer::getMemBuffer(Text, Name));
    Invocation->getPreprocessorOpts().addRemappedFile(Name,
                                                      Replaced.back().get());
  }
  Invocation->getPreprocessorOpts().RetainRemappedFileBuffers = true;
  // Clang's SARIF writer belongs to its driver, and is made for one run of the
  // front end.
  DiagnosticOptions &Diags = Invocation->getDiagnosticOpts();
  if (Diags.getFormat() == DiagnosticOptions::SARIF)
    Diags.setFormat(DiagnosticOptions::Clang);
  if (T == Talk::Silent) {
    Invocation->getDependencyOutputOpts() = DependencyOutputOptions();
    Invocation->getDiagnosticOpts().VerifyDiagnostics = false;
    // Warnings are not printed, so none may end the run as an error. A pragma
    // that only Clang's parser knows is such a warning while text is
    // preprocessed.
    if (!Listener)
      Invocation->getDiagnosticOpts().IgnoreWarnings = true;
    Invocation->getDiagnosticOpts().DiagnosticSerializationFile.clear();
    Invocation->getHeaderSearchOpts().Verbose = false;
  }
  if (Adjust)
    Adjust(*Invocation);

  std::unique_ptr<CompilerInstance> CI =
      compat::createInstance(std::move(Invocation));
  // With -gmodules a precompiled header is an object file.
  CI->getPCHContainerOperations()->registerReader(
      std::make_unique<ObjectFilePCHContainerReader>());
  compat::createDiagnostics(*CI, FS,
                            Listener            ? Listener
                            : T == Talk::Silent ? &Ignore
                                                : nullptr);
  if (!CI->hasDiagnostics())
    return false;
  const DiagnosticOptions &Printing = CI->getDiagnosticOpts();
  if (!Listener && T != Talk::Silent && !Printing.VerifyDiagnostics &&
      !Printing.ShowParseableFixits &&
      Printing.DiagnosticSerializationFile.empty())
    numberSnippets(CI->getDiagnostics(), Printing.SnippetLineLimit);
  if (T == Talk::Silent)
    CI->setVerboseOutputStream(llvm::nulls()); // "1 error generated."
  return CI->ExecuteAction(Action);
}

} // namespace agglom
