/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* <omp.h> for annotated files that gcc compiles: Clang reads them first, and Clang's own <omp.h>, where it is
 * installed, is in a form that only Clang understands. agglomcc defines the place of gcc's <omp.h>. */
#ifdef __AGGLOM_GCC_OMP_H
#if __clang_major__ < 22 /* they refuse __malloc__ with arguments */
#pragma push_macro("__malloc__")
#define __malloc__(...) __malloc__
#endif
#include __AGGLOM_GCC_OMP_H
#if __clang_major__ < 22
#pragma pop_macro("__malloc__")
#endif
#else
#include <omp.h of the host compiler> /* agglomcc then finds it, and preprocesses again */
#endif
