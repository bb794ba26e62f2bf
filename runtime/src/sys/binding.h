/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Binds threads to cores, with hwloc (loaded when it is needed: no program has to be linked with it). */
#ifndef AG_BINDING_H
#define AG_BINDING_H

struct ag_binding;

/* The cores that this process may use, neighbours next to each other as hwloc orders them; of their groups of
 * `group` >= 1 the one with the core on which the calling thread runs comes first. NULL where that cannot be
 * known, with a reason in *why: static storage, a part of a sentence. Not thread-safe. */
struct ag_binding *ag_binding_open(unsigned group, const char **why);
void ag_binding_close(struct ag_binding *binding); /* NULL is fine */

unsigned ag_binding_cores(const struct ag_binding *binding);

/* Binds the calling thread to core 0 .. cores - 1. 0, or a negative errno. Any thread. */
int ag_binding_bind(const struct ag_binding *binding, unsigned core);

#endif /* AG_BINDING_H */
