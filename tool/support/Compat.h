// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every difference between the Clang versions that agglomcc builds against (19
// to 22), in one place.

#ifndef AGGLOM_SUPPORT_COMPAT_H
#define AGGLOM_SUPPORT_COMPAT_H

#include "llvm/Config/llvm-config.h"

#if LLVM_VERSION_MAJOR < 19 || LLVM_VERSION_MAJOR > 22
#error "agglomcc is built against LLVM 19 to 22"
#endif

// The driver's option table: its own library since 22.
#if LLVM_VERSION_MAJOR >= 22
#define AGGLOM_CLANG_OPTIONS_H "clang/Options/Options.h"
#define AGGLOM_CLANG_OPTIONS_NAMESPACE clang
#else
#define AGGLOM_CLANG_OPTIONS_H "clang/Driver/Options.h"
#define AGGLOM_CLANG_OPTIONS_NAMESPACE clang::driver
#endif

#endif // AGGLOM_SUPPORT_COMPAT_H
