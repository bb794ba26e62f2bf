/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef AG_LOADED_H
#define AG_LOADED_H

/* From now on dlclose() leaves in memory what this runtime is part of: its own library, or one that it is
 * linked into. Threads come back to it whenever they end, those of the pool run in it, and a key of
 * thread-specific data would be lost with each dlclose(). For any thread; does nothing in a program. */
void ag_stay_loaded(void);

#endif /* AG_LOADED_H */
