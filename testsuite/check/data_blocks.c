// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A block under 'data' is entered at its beginning.
// RUN: %agglomcc -fsyntax-only -ferror-limit=0 -Xclang -verify %s

void by_goto(int n, double *x) {
  if (n == 1)
    goto in; // expected-note {{the jump is here}}
  // expected-error@+1 {{a goto jumps into this block, past '#pragma agglom data'; its sections would not be resident then}}
#pragma agglom data resident(x[0:n])
  {
    n = 2;
  in:
    n = 3;
  }
}

void backwards_and_nested(int n, double *x) {
  // expected-error@+1 {{a goto jumps into this block}}
#pragma agglom data resident(x[0:n])
  {
#pragma agglom data resident(x[0:1])
    {
    in:
      n = 3;
    }
  }
#pragma agglom data resident(x[0:n])
  {
    goto in; // expected-note {{the jump is here}}
  }
}

void inner_only(int n, double *x) {
#pragma agglom data resident(x[0:n])
  {
    goto in; // expected-note {{the jump is here}}
    // expected-error@+1 {{a goto jumps into this block}}
#pragma agglom data resident(x[0:1])
    {
    in:
      n = 3;
    }
  }
}

void by_switch(int n, double *x) {
  switch (n)
    // expected-error@+1 {{a switch jumps into this block}}
#pragma agglom data resident(x[0:n])
  {
  case 1: // expected-note {{the jump is here}}
    n = 2;
  case 2:
    n = 3;
  }
  switch (n) {
  case 1:;
    // expected-error@+1 {{a switch jumps into this block}}
#pragma agglom data resident(x[0:n])
    {
    default: // expected-note {{the jump is here}}
      n = 2;
    }
  }
}

void leaves(int n, double *x) {
again:
  for (int i = 0; i < n; ++i) {
#pragma agglom data resident(x[0:n])
    {
      if (n == 1)
        break;
      if (n == 2)
        continue;
      if (n == 3)
        goto again;
      if (n == 4)
        goto out;
      if (n == 5)
        return;
      goto here;
    here:
      n = 1;
    }
  }
out:
  n = 0;
}

void computed(int n, double *x) {
  static const void *const to[] = {&&a, &&b};
  // expected-error@+1 {{a computed goto or an asm goto may jump across the border of this block; '#pragma agglom data' cannot see it}}
#pragma agglom data resident(x[0:n])
  {
    goto *to[n]; // expected-note {{the jump is here}}
  }
a:
  n = 1;
b:
  n = 2;
}

void computed_into(int n, double *x) {
  const void *to = &&a; // expected-note {{the jump is here}}
  // expected-error@+1 {{a computed goto or an asm goto may jump across}}
#pragma agglom data resident(x[0:n])
  {
  a:
    n = 1;
  }
  if (n)
    goto *to;
}

void computed_inside(int n, double *x) {
#pragma agglom data resident(x[0:n])
  {
    const void *to = &&a;
    goto *to;
  a:
    n = 1;
  }
}

void assembly(int n, double *x) {
  // expected-error@+1 {{a computed goto or an asm goto may jump across}}
#pragma agglom data resident(x[0:n])
  {
    __asm__ goto("" : : : : a); // expected-note {{the jump is here}}
  }
a:
  n = 1;
}

// Host code only.
#pragma agglom task inout(x[0:n]) // expected-note {{the task is declared here}}
void task(int n, double *x);
static void helper(double *x) {
  // expected-error@+1 {{'#pragma agglom update' is for host code, and this is in 'helper', which becomes device code; put it where the task is called, or make the task or loop device(cpu)}}
#pragma agglom update host(x[0:1])
  x[0]++;
}
void task(int n, double *x) {
  helper(x + n); // expected-note {{'helper' becomes device code because 'task' calls it here}}
#pragma agglom wait
}
#pragma agglom task inout(x[0:n])
void task_itself(int n, double *x) {
  // expected-error@+1 {{'#pragma agglom wait' is for host code, and this is in 'task_itself'}}
#pragma agglom wait on(x[0:n])
  // expected-error@+1 {{'#pragma agglom data' is for host code, and this is in 'task_itself'}}
#pragma agglom data resident(x[0:n])
  {
    x[n] = 1;
  }
}
// The C body of a task with a hand-written kernel is a unit's as well.
#pragma agglom task in(x[0:n]) variant(cuda: by_hand)
void with_variant(int n, const double *x) {
  // expected-error@+1 {{'#pragma agglom wait' is for host code, and this is in 'with_variant', which becomes device code}}
#pragma agglom wait on(x[0:n])
  (void)(x + n);
}
static void by_hand(int n, const double *x) { (void)(x + n); }
