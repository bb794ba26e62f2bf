/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/cuda_image.h"

/* How good an image is for the device; 0 when it does not run there. Later images of equal worth come
 * after earlier ones, so that each image has its own place in the order. */
static long long worth(const struct agglom_module *module, int capability, unsigned i) {
  const struct agglom_image *image = &module->images[i];
  int arch = (int)image->arch;
  long long value;
  if (image->kind == AGGLOM_IMAGE_CUBIN && arch / 10 == capability / 10 && arch <= capability)
    value = 1000000 + arch;
  else if (image->kind == AGGLOM_IMAGE_PTX && arch <= capability)
    value = 1 + arch;
  else
    return 0;
  return value * ((long long)module->n_images + 1) - i;
}

int ag_cuda_next_image(const struct agglom_module *module, int capability, int after) {
  long long limit = after < 0 ? 0 : worth(module, capability, (unsigned)after);
  long long best_worth = 0;
  int best = -1;
  for (unsigned i = 0; i < module->n_images; ++i) {
    long long w = worth(module, capability, i);
    if (w > best_worth && (after < 0 || w < limit)) {
      best_worth = w;
      best = (int)i;
    }
  }
  return best;
}
