// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The version differences that need Clang's large headers; the others are in
// Compat.h, which the driver includes.

#ifndef AGGLOM_SUPPORT_COMPATCLANG_H
#define AGGLOM_SUPPORT_COMPATCLANG_H

#include "Compat.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Frontend/Utils.h"
#include "clang/Sema/Sema.h"
#include "llvm/Support/VirtualFileSystem.h"

#if __has_include("clang/Serialization/ObjectFilePCHContainerReader.h")
#include "clang/Serialization/ObjectFilePCHContainerReader.h"
#else
#include "clang/CodeGen/ObjectFilePCHContainerOperations.h"
#endif
#if LLVM_VERSION_MAJOR >= 22
#include "clang/Driver/CreateInvocationFromArgs.h"
#endif

namespace agglom::compat {

using FileSystem = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

/// An engine for diagnostics about the command line. Since Clang 21 the options
/// must outlive the engine; older versions copy them.
inline llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine>
createArgumentDiagnostics(const FileSystem &FS,
                          clang::DiagnosticOptions &Options,
                          clang::DiagnosticConsumer *Client) {
  (void)FS;
#if LLVM_VERSION_MAJOR >= 21
  return clang::CompilerInstance::createDiagnostics(*FS, Options, Client,
                                                    false);
#elif LLVM_VERSION_MAJOR == 20
  return clang::CompilerInstance::createDiagnostics(
      *FS, new clang::DiagnosticOptions(Options), Client, false);
#else
  return clang::CompilerInstance::createDiagnostics(
      new clang::DiagnosticOptions(Options), Client, false);
#endif
}

/// A printer of diagnostics. Since Clang 21 the options must outlive it; older
/// versions share them.
inline std::unique_ptr<clang::TextDiagnosticPrinter>
createPrinter(llvm::raw_ostream &OS, clang::DiagnosticOptions &Options) {
#if LLVM_VERSION_MAJOR >= 21
  return std::make_unique<clang::TextDiagnosticPrinter>(OS, Options);
#else
  return std::make_unique<clang::TextDiagnosticPrinter>(
      OS, new clang::DiagnosticOptions(Options));
#endif
}

/// Since Clang 21 the constructor takes the invocation; older versions set it
/// later.
inline std::unique_ptr<clang::CompilerInstance>
createInstance(std::shared_ptr<clang::CompilerInvocation> Invocation) {
#if LLVM_VERSION_MAJOR >= 21
  return std::make_unique<clang::CompilerInstance>(std::move(Invocation));
#else
  auto CI = std::make_unique<clang::CompilerInstance>();
  CI->setInvocation(std::move(Invocation));
  return CI;
#endif
}

/// Creates the diagnostics; the instance has none if the file system is
/// missing.
inline void createDiagnostics(clang::CompilerInstance &CI, const FileSystem &FS,
                              clang::DiagnosticConsumer *Client) {
  (void)FS;
#if LLVM_VERSION_MAJOR >= 22
  clang::TextDiagnosticPrinter Printer(llvm::errs(), CI.getDiagnosticOpts());
  clang::DiagnosticConsumer *Of = Client ? Client : &Printer;
  CI.createVirtualFileSystem(FS, Of);
  if (!Of->getNumErrors())
    CI.createDiagnostics(Client, false);
#elif LLVM_VERSION_MAJOR >= 20
  CI.createDiagnostics(*FS, Client, false);
#else
  CI.createDiagnostics(Client, false);
#endif
}

/// Until Clang 20 typos were corrected in a second step.
inline clang::ExprResult correctTypos(clang::Sema &S, clang::ExprResult R) {
#if LLVM_VERSION_MAJOR < 21
  if (R.isUsable())
    return S.CorrectDelayedTyposInExpr(R);
#endif
  (void)S;
  return R;
}

/// The tag of "struct tag" or "enum tag { ... }"; null where \p T is something
/// else.
inline const clang::TagDecl *tagOf(clang::TypeLoc T) {
#if LLVM_VERSION_MAJOR < 22
  if (auto Elaborated = T.getAs<clang::ElaboratedTypeLoc>())
    T = Elaborated.getNamedTypeLoc();
#endif
  auto Tag = T.getAs<clang::TagTypeLoc>();
  return Tag ? Tag.getDecl() : nullptr;
}

inline const clang::TypedefNameDecl *typedefOf(clang::TypedefTypeLoc T) {
#if LLVM_VERSION_MAJOR >= 22
  return T.getDecl();
#else
  return T.getTypedefNameDecl();
#endif
}

inline unsigned bitWidth(const clang::FieldDecl *F,
                         const clang::ASTContext &Context) {
#if LLVM_VERSION_MAJOR >= 20
  (void)Context;
  return F->getBitWidthValue();
#else
  return F->getBitWidthValue(Context);
#endif
}

} // namespace agglom::compat

#endif // AGGLOM_SUPPORT_COMPATCLANG_H
