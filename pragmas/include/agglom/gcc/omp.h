/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* <omp.h> for annotated files that gcc compiles: Clang reads them first, and its own header, where one is
 * installed, is in a form that only Clang understands. agglomcc says where gcc's is. */
#ifdef __AGGLOM_GCC_OMP_H
#if __clang_major__ < 22 /* which refuse to be told what frees the memory */
#pragma push_macro("__malloc__")
#define __malloc__(...) __malloc__
#endif
#include __AGGLOM_GCC_OMP_H
#if __clang_major__ < 22
#pragma pop_macro("__malloc__")
#endif
#else
#include <omp.h of the host compiler> /* agglomcc looks for it, and reads again */
#endif
