/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads that have nothing to do are handed work by the thread that submits: see workers/hand.h. */
#ifndef AG_DEAL_H
#define AG_DEAL_H

#include "workers/worker.h"

/* AG_DEAL_NO_HAND: nobody has time. AG_DEAL_SEEN: somebody has, and will look for what it has not got, or has
 * got something short and is back soon. AG_DEAL_LEFT: those who had time have got what may take long; for
 * what is left a sleeper has to be woken. */
enum ag_dealt { AG_DEAL_NO_HAND, AG_DEAL_SEEN, AG_DEAL_LEFT };

/* Hands units of w to threads that have nothing to do, as long as what is left is worth their while. For the
 * thread of w; its lock is held. It counts up w->deals where it does so regularly, so that others need not
 * look. */
enum ag_dealt ag_deal(struct ag_worker *w);

/* The same with the launch that is due, if there is one; it takes the other thread longer than a few
 * submissions. */
bool ag_deal_launch(struct ag_worker *w);

#endif /* AG_DEAL_H */
