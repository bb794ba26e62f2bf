// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base of classes that walk a syntax tree.

#ifndef AGGLOM_SUPPORT_ASTVISITOR_H
#define AGGLOM_SUPPORT_ASTVISITOR_H

#include "llvm/Config/llvm-config.h"

#if LLVM_VERSION_MAJOR >= 20
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#else
#include "clang/AST/RecursiveASTVisitor.h"
#endif

namespace agglom {

/// Clang's visitor whose hooks are virtual functions: a RecursiveASTVisitor
/// is compiled anew for each class, which takes some five seconds. LLVM 19 has
/// only that one. So hooks have the names and parameters that both know (no
/// DataRecursionQueue), and cannot be marked `override`; a wrong parameter is
/// found by -Woverloaded-virtual.
#if LLVM_VERSION_MAJOR >= 20
template <class Derived> using AstVisitor = clang::DynamicRecursiveASTVisitor;
#else
template <class Derived> using AstVisitor = clang::RecursiveASTVisitor<Derived>;
#endif

} // namespace agglom

#endif // AGGLOM_SUPPORT_ASTVISITOR_H
