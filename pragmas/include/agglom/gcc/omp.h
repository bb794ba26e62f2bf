/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* <omp.h> for annotated files that gcc compiles: Clang reads them first, and its own header, where one is
 * installed, is in a form that only Clang understands. agglomcc says where gcc's is. */
#ifdef __AGGLOM_GCC_OMP_H
#include __AGGLOM_GCC_OMP_H
#else
#include_next <omp.h>
#endif
