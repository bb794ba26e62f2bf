// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a task's body needs to become device code.

#ifndef AGGLOM_CHECK_DEVICECLOSURE_H
#define AGGLOM_CHECK_DEVICECLOSURE_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace agglom {

/// The edits of a printf call for the device's printf.
struct FormatEdit {
  const clang::CallExpr *Call;
  const clang::Expr *Format;
  std::string Text; ///< the format in the device's conversions
  /// Arguments that the device must convert first, and to which type.
  std::vector<std::pair<const clang::Expr *, std::string>> Casts;
};

/// Everything a task's body needs to become device code.
struct DeviceClosure {
  llvm::SetVector<const clang::FunctionDecl *> Functions; ///< task first
  llvm::SetVector<const clang::VarDecl *> Consts;
  /// Functions and objects under `declare` that another unit defines.
  llvm::SetVector<const clang::FunctionDecl *> Imports;
  llvm::SetVector<const clang::VarDecl *> ImportedConsts;
  std::set<std::string> Library; ///< device library functions called
  llvm::SetVector<const clang::VarDecl *> Shared; ///< \see isBlockShared()
  /// The calls between functions, and the functions that call themselves,
  /// perhaps through others.
  std::map<const clang::FunctionDecl *,
           llvm::SetVector<const clang::FunctionDecl *>>
      Calls;
  llvm::SetVector<const clang::FunctionDecl *> Recursive;
  std::vector<FormatEdit> Formats;
  /// Uses of __func__ and the like, which copies of a body must not change, and
  /// the functions that they are in.
  llvm::MapVector<const clang::PredefinedExpr *, const clang::FunctionDecl *>
      FunctionNames;
};

} // namespace agglom

#endif // AGGLOM_CHECK_DEVICECLOSURE_H
