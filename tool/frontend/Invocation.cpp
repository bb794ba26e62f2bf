// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Invocation.h"
#include "Compat.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace clang;

namespace agglom {

bool runAction(const Unit &U, Talk T, FrontendAction &Action,
               const std::function<void(CompilerInvocation &)> &Adjust) {
  std::vector<const char *> Args;
  for (const std::string &A : U.Args)
    Args.push_back(A.c_str());

  auto FS = llvm::vfs::getRealFileSystem();
  IgnoringDiagConsumer Ignore;
  CreateInvocationOptions Options;
  Options.VFS = FS;
#if LLVM_VERSION_MAJOR >= 21
  DiagnosticOptions ArgDiagOptions;
#endif
  if (T == Talk::Silent) {
#if LLVM_VERSION_MAJOR >= 21
    Options.Diags = CompilerInstance::createDiagnostics(*FS, ArgDiagOptions,
                                                        &Ignore, false);
#elif LLVM_VERSION_MAJOR == 20
    Options.Diags = CompilerInstance::createDiagnostics(
        *FS, new DiagnosticOptions, &Ignore, false);
#else
    Options.Diags = CompilerInstance::createDiagnostics(new DiagnosticOptions,
                                                        &Ignore, false);
#endif
  }
  std::shared_ptr<CompilerInvocation> Invocation =
      createInvocation(Args, std::move(Options));
  if (!Invocation)
    return false;

  std::unique_ptr<llvm::MemoryBuffer> Stdin;
  if (U.StdinText) {
    Stdin = llvm::MemoryBuffer::getMemBuffer(*U.StdinText, "<stdin>");
    auto &Inputs = Invocation->getFrontendOpts().Inputs;
    if (!Inputs.empty())
      Inputs.front() = FrontendInputFile(Stdin->getMemBufferRef(),
                                         Inputs.front().getKind());
  }
  Invocation->getFrontendOpts().DisableFree = false;
  if (T == Talk::Silent) {
    Invocation->getDependencyOutputOpts() = DependencyOutputOptions();
    Invocation->getDiagnosticOpts().VerifyDiagnostics = false;
    Invocation->getDiagnosticOpts().DiagnosticSerializationFile.clear();
    Invocation->getHeaderSearchOpts().Verbose = false;
  }
  if (Adjust)
    Adjust(*Invocation);

#if LLVM_VERSION_MAJOR >= 21
  CompilerInstance CI(std::move(Invocation));
#else
  CompilerInstance CI;
  CI.setInvocation(std::move(Invocation));
#endif
#if LLVM_VERSION_MAJOR >= 22
  CI.createVirtualFileSystem(FS);
  CI.createDiagnostics(T == Talk::Silent ? &Ignore : nullptr, false);
#elif LLVM_VERSION_MAJOR >= 20
  CI.createDiagnostics(*FS, T == Talk::Silent ? &Ignore : nullptr, false);
#else
  CI.createDiagnostics(T == Talk::Silent ? &Ignore : nullptr, false);
#endif
  if (!CI.hasDiagnostics())
    return false;
  return CI.ExecuteAction(Action);
}

} // namespace agglom
