/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The kernels of fault_workloads.h for a GPU. The first thread of a block or warp does all of a unit's work:
 * what matters is which units run, in which order and on which memory. Offsets are those of agglom/launch.h.
 */
#ifndef SWEEP_PTX_H
#define SWEEP_PTX_H

/* The index of the chain, and of the thread among those that share it. */
#define CHAIN_BY_BLOCK "  mov.u32 %chain, %ctaid.x;\n  mov.u32 %rank, %tid.x;\n"
#define CHAIN_BY_THREAD                                                                                      \
  "  mov.u32 %chain, %ctaid.x;\n  mov.u32 %x, %ntid.x;\n  mov.u32 %y, %tid.x;\n"                             \
  "  mad.lo.u32 %chain, %chain, %x, %y;\n  mov.u32 %rank, 0;\n"
#define CHAIN_BY_WARP CHAIN_BY_THREAD "  and.b32 %rank, %chain, 31;\n  shr.u32 %chain, %chain, 5;\n"

/* Of 48 bytes: three pointers, the ledger's, n and v. %i counts to %n. */
#define ARGUMENTS                                                                                            \
  "  ld.global.u64 %to, [%args];\n  ld.global.u64 %a, [%args+8];\n  ld.global.u64 %b, [%args+16];\n"         \
  "  ld.global.u64 %ledger, [%args+24];\n  ld.global.u64 %n, [%args+32];\n  ld.global.u64 %v, "              \
  "[%args+40];\n  mov.u64 %i, 0;\n"

/* out[i] = out[i] * 31 + a[i] * 7 + b[n - 1 - i] + v */
#define STEP                                                                                                 \
  "  shl.b64 %at, %n, 3;\n  add.u64 %b, %b, %at;\n"                                                          \
  "item:\n  setp.ge.u64 %p, %i, %n;\n  @%p bra complete;\n  add.u64 %b, %b, -8;\n"                           \
  "  ld.global.u64 %w, [%b];\n  add.u64 %w, %w, %v;\n  ld.global.u64 %u, [%a];\n"                            \
  "  mad.lo.u64 %w, %u, 7, %w;\n  ld.global.u64 %u, [%to];\n  mad.lo.u64 %w, %u, 31, %w;\n"                  \
  "  st.global.u64 [%to], %w;\n  add.u64 %to, %to, 8;\n  add.u64 %a, %a, 8;\n  add.u64 %i, %i, 1;\n"         \
  "  bra item;\ncomplete:\n"

/* v = v * 3 + p[at[i]]; then sum += v */
#define PICK                                                                                                 \
  "item:\n  setp.ge.u64 %p, %i, %n;\n  @%p bra complete;\n  ld.global.s32 %x, [%a];\n"                       \
  "  mad.wide.s32 %at, %x, 8, %to;\n  ld.global.u64 %u, [%at];\n  mad.lo.u64 %v, %v, 3, %u;\n"               \
  "  add.u64 %a, %a, 4;\n  add.u64 %i, %i, 1;\n  bra item;\ncomplete:\n"                                     \
  "  atom.global.add.u64 %u, [%b], %v;\n"

#define SWEEP_KERNEL(NAME, CHAIN, WORK)                                                                      \
  ".visible .entry " NAME "(.param .align 8 .b8 launch[80])\n{\n  .reg .pred %p;\n"                          \
  "  .reg .b32 %chain, %rank, %unit, %last, %x, %y, %k, %end, %epoch;\n"                                     \
  "  .reg .b64 %units, %args, %starts, %pred, %done, %at, %to, %a, %b, %ledger, %n, %i, %v, %w, %u;\n" CHAIN \
  "  setp.ne.u32 %p, %rank, 0;\n  @%p ret;\n"                                                                \
  "  ld.param.u32 %x, [launch+68];\n  setp.ge.u32 %p, %chain, %x;\n  @%p ret;\n"                             \
  "  ld.param.u64 %units, [launch];\n  ld.param.u64 %starts, [launch+40];\n"                                 \
  "  ld.param.u64 %pred, [launch+48];\n  ld.param.u64 %done, [launch+56];\n"                                 \
  "  ld.param.u32 %epoch, [launch+64];\n"                                                                    \
  "  ld.param.u64 %at, [launch+8];\n  mad.wide.u32 %at, %chain, 4, %at;\n  ld.global.u32 %unit, [%at];\n"    \
  "  ld.param.u64 %at, [launch+16];\n  mad.wide.u32 %at, %chain, 4, %at;\n  ld.global.u32 %last, [%at];\n"   \
  "next:\n  setp.ge.u32 %p, %unit, %last;\n  @%p ret;\n"                                                     \
  "  setp.eq.u64 %p, %starts, 0;\n  @%p bra ready;\n"                                                        \
  "  mad.wide.u32 %at, %unit, 4, %starts;\n  ld.global.u32 %k, [%at];\n  ld.global.u32 %end, [%at+4];\n"     \
  "wait:\n  setp.ge.u32 %p, %k, %end;\n  @%p bra ready;\n"                                                   \
  "  mad.wide.u32 %at, %k, 4, %pred;\n  ld.global.u32 %x, [%at];\n  mad.wide.u32 %at, %x, 4, %done;\n"       \
  "again:\n  ld.volatile.global.u32 %y, [%at];\n  setp.ne.u32 %p, %y, %epoch;\n  @%p bra again;\n"           \
  "  add.u32 %k, %k, 1;\n  bra wait;\n"                                                                      \
  "ready:\n  membar.gl;\n  mad.wide.u32 %args, %unit, 48, %units;\n" ARGUMENTS WORK                          \
  "  ld.global.u64 %u, [%ledger];\n  add.u64 %u, %u, 1;\n  st.global.u64 [%ledger], %u;\n  membar.gl;\n"     \
  "  setp.eq.u64 %p, %done, 0;\n  @%p bra told;\n"                                                           \
  "  mad.wide.u32 %at, %unit, 4, %done;\n  st.volatile.global.u32 [%at], %epoch;\n"                          \
  "told:\n  add.u32 %unit, %unit, 1;\n  bra next;\n}\n"

static const char sweep_ptx[] = ".version 7.0\n.target sm_50\n.address_size 64\n" /* */
    SWEEP_KERNEL("step_by_block", CHAIN_BY_BLOCK, STEP)                           /* */
    SWEEP_KERNEL("step_by_thread", CHAIN_BY_THREAD, STEP)                         /* */
    SWEEP_KERNEL("step_by_warp", CHAIN_BY_WARP, STEP)                             /* */
    SWEEP_KERNEL("pick_by_thread", CHAIN_BY_THREAD, PICK);

#endif /* SWEEP_PTX_H */
