// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A virtual machine with a stack, a register file and memory, driven by a switch over bytes; the programs are data.
// RUN: %compare %s %t -w
#include <stdint.h>
#include <stdio.h>

enum op { HALT, PUSH, ADD, SUB, MUL, DIV, DUP, SWAP, DROP, LOAD, STORE, JUMP, JZ, JLT, CALL, RET, OUT, OPS };
enum { UNITS = 15, CODE = 40, CELLS = 16, LOG = 16 };
struct machine {
  int32_t stack[24], cells[CELLS];
  unsigned char calls[8], pc;
  signed char top, depth;
  unsigned steps;
  enum { RUNNING, DONE, UNDERFLOW, OVERFLOW, BAD, FOREVER } state;
};

static int32_t pop(struct machine *m) { return m->top > 0 ? m->stack[--m->top] : (m->state = UNDERFLOW, 0); }
static void push(struct machine *m, int32_t v) {
  if (m->top < 24)
    m->stack[m->top++] = v;
  else
    m->state = OVERFLOW;
}
static int step(struct machine *m, const unsigned char code[CODE], int32_t *log, int *logged) {
  int32_t a, b;
  unsigned char op = code[m->pc++ % CODE];
  switch ((enum op)(op % OPS)) {
  case HALT: m->state = DONE; break;
  case PUSH: push(m, (signed char)code[m->pc++ % CODE]); break;
  case ADD: b = pop(m), a = pop(m), push(m, (int32_t)((uint32_t)a + (uint32_t)b)); break;
  case SUB: b = pop(m), a = pop(m), push(m, (int32_t)((uint32_t)a - (uint32_t)b)); break;
  case MUL: b = pop(m), a = pop(m), push(m, (int32_t)((uint32_t)a * (uint32_t)b)); break;
  case DIV:
    b = pop(m), a = pop(m);
    if (!b || (b == -1 && a == INT32_MIN))
      m->state = BAD;
    else
      push(m, a / b);
    break;
  case DUP: a = pop(m), push(m, a), push(m, a); break;
  case SWAP: b = pop(m), a = pop(m), push(m, b), push(m, a); break;
  case DROP: pop(m); break;
  case LOAD: push(m, m->cells[pop(m) & (CELLS - 1)]); break;
  case STORE: b = pop(m), m->cells[b & (CELLS - 1)] = pop(m); break;
  case JZ:
    if (pop(m)) {
      m->pc++;
      break;
    } // fall through
  case JUMP: jump: m->pc = code[m->pc % CODE]; break;
  case JLT:
    b = pop(m), a = pop(m);
    if (a < b)
      goto jump;
    ++m->pc;
    break;
  case CALL:
    if (m->depth == 8) {
      m->state = OVERFLOW;
      break;
    }
    m->calls[m->depth++] = (unsigned char)(m->pc + 1);
    goto jump;
  case RET:
    if (m->depth)
      m->pc = m->calls[--m->depth];
    else
      m->state = UNDERFLOW;
    break;
  case OUT: log[(*logged)++ % LOG] = pop(m); break;
  default: m->state = BAD;
  }
  if (++m->steps > 3000 && m->state == RUNNING)
    m->state = FOREVER;
  return m->state == RUNNING;
}

#pragma agglom task in(code[0:CODE]) inout(m[0:1]) out(log[0:LOG])
static void execute(const unsigned char *code, struct machine *m, int32_t *log) {
  int logged = 0;
  struct machine local = *m;
  while (step(&local, code, log, &logged))
    ;
  *m = local;
}

int main(void) {
  static unsigned char code[UNITS][CODE] = {
      {PUSH, 1, PUSH, 0, STORE, PUSH, 0, LOAD, DUP, OUT, PUSH, 3, MUL, DUP, PUSH, 0, STORE, PUSH, 120, JLT, 5, HALT},
      {PUSH, 5, CALL, 6, OUT, HALT, DUP, PUSH, 2, JLT, 19, DUP, PUSH, 1, SUB, CALL, 6, MUL, RET, DROP, PUSH, 1, RET},
      {PUSH, 7, PUSH, 0, DIV}, {ADD}, {PUSH, 1, JUMP, 0}, {PUSH, 1, DROP, JUMP, 0}, {CALL, 0}, {RET}};
  static struct machine m[UNITS];
  static int32_t log[UNITS][LOG];
  for (int u = 8; u < UNITS; u++)
    for (int i = 0; i < CODE; i++)
      code[u][i] = (unsigned char)(i < 8 ? (i & 1 ? i * u : PUSH) : (i * i * u + i * 7) % 97);
  for (int u = 0; u < UNITS; u++)
    execute(code[u], &m[u], log[u]);
#pragma agglom wait
  for (int u = 0; u < UNITS; u++) {
    printf("%d %u %d %d:", m[u].state, m[u].steps, m[u].top, m[u].depth);
    for (int k = 0; k < LOG; k++)
      printf(" %d", log[u][k]);
    for (int k = 0; k < CELLS; k++)
      printf(" %d", m[u].cells[k]);
    for (int k = 0; k < m[u].top; k++)
      printf(" %d", m[u].stack[k]);
    printf("\n");
  }
  return 0;
}
