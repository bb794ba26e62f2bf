/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Directives over y[lo:n], as agglomcc would emit them. */
#ifndef DIRECTIVES_H
#define DIRECTIVES_H

#include <agglom/abi.h>

#include <stddef.h>
#include <stdint.h>

static const struct agglom_section both_ways[] = {
    {"on(y[0:n])", 5, AGGLOM_INOUT, sizeof(uint64_t), 0, 0, NULL, NULL}};
static const struct agglom_section to_host[] = {
    {"host(y[0:n])", 6, AGGLOM_IN, sizeof(uint64_t), 0, 0, NULL, NULL}};
static const struct agglom_section to_device[] = {
    {"device(y[0:n])", 7, AGGLOM_OUT, sizeof(uint64_t), 0, 0, NULL, NULL}};
static const struct agglom_directive wait_on = {"wait", "at.c", 1, 0, both_ways};
static const struct agglom_directive update_host = {"update", "at.c", 1, 0, to_host};
static const struct agglom_directive update_device = {"update", "at.c", 1, 0, to_device};
static const struct agglom_directive data = {"data", "at.c", 1, 0, both_ways};

#endif /* DIRECTIVES_H */
