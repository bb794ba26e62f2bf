// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block-shared objects of hand-written device functions. For
//
//   AGGLOM_SHARED double tile[256];   (static __thread ... double tile[256];)
//   tile[i] = x[i];
//
// the kernel text has
//
//   AG_SHARED ... double ag_shared_tile[256];
//   (*(double (*)[256])&ag_shared_tile)[i] = x[i];
//
// Clang's NVPTX target keeps such an object in an address space of its own;
// the cast leads back to the one of the user's pointers.

#include "Cxx.h"

using namespace clang;

namespace agglom {

static std::string sharedName(const VarDecl *V) {
  return "ag_shared_" + V->getNameAsString();
}

void CxxRewriter::sharedObject(const VarDecl *V) {
  Extent At = E.Text.extent(V->getSourceRange());
  if (Done.insert(At.Begin).second)
    for (const char *Word : {"static", "__thread", "_Thread_local"})
      if (Extent Here = E.Text.word(At, Word); Here.End)
        Ed->replaceInner(Here, Word == StringRef("static") ? "AG_SHARED" : "");
  Ed->replaceInner(E.Text.extent(V->getLocation()), sharedName(V));
}

void CxxRewriter::sharedReference(const DeclRefExpr *R, const VarDecl *V) {
  Ed->replaceInner(extent(R),
                   "(*(" + E.declare(Ctx.getPointerType(V->getType()), "") +
                       ")&" + sharedName(V) + ")");
}

} // namespace agglom
