/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef AG_INFO_MODELS_H
#define AG_INFO_MODELS_H

/* Prints what a file of AGGLOM_MODELS says, to people. Returns the exit status: 1 after an error line. */
int print_models(const char *path);

#endif /* AG_INFO_MODELS_H */
