/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which of a module's images to try on a device. Pure. */
#ifndef AG_CUDA_IMAGE_H
#define AG_CUDA_IMAGE_H

#include <agglom/abi.h>

/* Index of the best image for compute capability `capability` (90 for 9.0) that is worse than the image
 * numbered `after`; -1 as `after` asks for the best of all. -1 when there is none (left). Machine code of
 * the same major and no higher minor version comes first, the highest first; then PTX for no higher
 * architecture, the highest first. Of equal images the first. */
int ag_cuda_next_image(const struct agglom_module *module, int capability, int after);

#endif /* AG_CUDA_IMAGE_H */
