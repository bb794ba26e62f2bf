/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "sys/loaded.h"

#include <dlfcn.h>
#include <sys/auxv.h>

void ag_stay_loaded(void) {
  static const char here;
  Dl_info library;
  if (!getauxval(AT_BASE) ||
      !dladdr(&here, &library)) /* a static program has no loader that could be asked */
    return;
  void *handle = dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (handle)
    dlclose(handle); /* the mark stays */
}
