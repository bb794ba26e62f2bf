/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the files of stage/ share; nothing outside includes this. */
#ifndef AG_STAGE_INSIDE_H
#define AG_STAGE_INSIDE_H

#include "stage/stage.h"

enum {
  AG_BRIDGE = 4096,    /* outputs of the block with gaps up to this come back in one copy */
  AG_ARRAY_ALIGN = 16, /* of the launch arrays */
  /* Tags of regions. */
  AG_READ = 1,
  AG_WRITTEN = 2
};

/* Finds what comes back to the staging buffer at `host`: the outputs, neighbours in one span with what lies
 * between them, and rows in regular distances. */
void ag_stage_find_spans(struct ag_stage *stage, char *host);

#endif /* AG_STAGE_INSIDE_H */
