// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What 'wait on', 'data' and 'update' refuse.
// RUN: %agglomcc -fsyntax-only -ferror-limit=0 -Xclang -verify %s

struct unknown;
extern struct unknown nobody_knows;
extern int table[];
struct bits {
  int few : 3;
};

void clauses(int n, double *x) {
  // expected-error@+1 {{'#pragma agglom data' names no memory; add resident(p[lo:len])}}
#pragma agglom data
  {}
  // expected-error@+1 {{'#pragma agglom update' names no memory; add host(p[lo:len]) or device(p[lo:len])}}
#pragma agglom update
  // expected-error@+1 {{unknown clause 'hosst' of '#pragma agglom update'; did you mean 'host'?}}
#pragma agglom update hosst(x[0:n])
  // expected-error@+1 {{'#pragma agglom data' has no clause 'on'; it belongs to '#pragma agglom wait'}}
#pragma agglom data on(x[0:n])
  {}
  // expected-error@+1 {{'#pragma agglom wait' has no clause 'resident'; it belongs to '#pragma agglom data'}}
#pragma agglom wait resident(x[0:n])
  // expected-error@+1 {{clause 'on' needs an argument in parentheses}}
#pragma agglom wait on
  // expected-error@+1 {{clause 'own' takes no argument}}
#pragma agglom wait own(x[0:n])
  // expected-error@+1 {{clause 'own' is given twice}}
#pragma agglom wait own on(x[0:n]) own
  // expected-error@+1 {{'#pragma agglom update' has no clause 'own'; it belongs to '#pragma agglom wait'}}
#pragma agglom update host(x[0:n]) own
#pragma agglom wait own
#pragma agglom wait own on(x[0:n])
#pragma agglom wait on(x[0:n]) own
  // expected-error@+1 {{clause 'on' is empty; write the memory it names, p[lo:len]}}
#pragma agglom wait on()
  // expected-error@+1 {{clause 'host' is empty; write the memory it names, p[lo:len]}}
#pragma agglom update host(x[0:n], )
  // expected-error@+1 {{'&x[0]' is not a section: '&x' must be a name, or members, elements and pointers reached from one}}
#pragma agglom wait on(&x[0])
  // expected-error@+1 {{clause 'device' needs an argument in parentheses}}
#pragma agglom update device
  // expected-error@+1 {{clause 'resident' is empty}}
#pragma agglom data resident()
  {}
  // expected-error@+2 {{expected ')' to close the argument of clause 'on'}}
  // expected-note@+1 {{opened here}}
#pragma agglom wait on(x[0:n]
}

void sections(int n, double *x, void *any, struct unknown *u, struct bits *b, double (*f)(void)) {
  register int r = 0, rs[4];
  (void)sizeof rs;
  // expected-error@+1 {{'x' is not a section; write x[lo:len], with the first element and the number of elements}}
#pragma agglom wait on(x)
  // expected-error@+1 {{'x' is not a section}}
#pragma agglom update host(x)
  // expected-error@+1 {{'x' is not a section}}
#pragma agglom update device(x)
  // expected-error@+1 {{'x' is not a section}}
#pragma agglom data resident(x)
  {}
  // expected-error@+1 {{the base of a section must be a pointer, and 'n' is 'int'}}
#pragma agglom wait on(n[0:1])
  // expected-error@+1 {{the elements of 'any' have the incomplete type 'void'}}
#pragma agglom update host(any[0:1])
  // expected-error@+1 {{the elements of 'u' have the incomplete type 'struct unknown'}}
#pragma agglom update device(*u)
  // expected-error@+1 {{'f' points to a function; a section names data}}
#pragma agglom wait on(*f)
  // expected-error@+1 {{the length of a section is negative: -1}}
#pragma agglom wait on(x[0:-1])
  // expected-error@+1 {{the section 'x[0:]' has no length}}
#pragma agglom wait on(x[0:])
  // expected-error@+1 {{the length of a section must be an integer, not 'double'}}
#pragma agglom wait on(x[0:x[0]])
  // expected-error@+1 {{an expression in a clause must not have side effects}}
#pragma agglom wait on(x[0:n++])
  // expected-error@+1 {{clause 'on' must not hold statements}}
#pragma agglom wait on(x[0:({ n; })])
  // expected-error@+1 {{use of undeclared identifier 'nobody'}}
#pragma agglom wait on(nobody[0:n])
  // expected-error@+1 {{'n + 1' is not a section: 'n + 1' must be a name, or members, elements and pointers reached from one}}
#pragma agglom wait on(n + 1)
  // expected-error@+1 {{'r' is declared 'register', so it has no address; remove that word}}
#pragma agglom wait on(r)
  // expected-error@+1 {{'rs' is declared 'register'}}
#pragma agglom wait on(rs[0:4])
  // expected-error@+1 {{'b->few' is a bit-field, which has no address; name the structure it is in}}
#pragma agglom wait on(b->few)
  // expected-error@+1 {{'nobody_knows' has the incomplete type 'struct unknown', so its size is not known; complete the type, or write which elements: p[lo:len]}}
#pragma agglom wait on(nobody_knows)
  // expected-error@+1 {{'table' has the incomplete type 'int[]'}}
#pragma agglom update host(table)
  // expected-error@+1 {{use of undeclared identifier 'later'}}
#pragma agglom wait on(x[0:later])
  int later = 1;
  (void)later;
  {
    int former = 1;
    (void)former;
  }
  // expected-error@+1 {{use of undeclared identifier 'former'}}
#pragma agglom wait on(x[0:former])
}

void places(int n, double *x) {
  // expected-error@+1 {{'#pragma agglom data' must stand directly before a block, { ... }, inside a function}}
#pragma agglom data resident(x[0:n])
  n++;
  // expected-error@+1 {{'#pragma agglom data' must stand directly before a block}}
#pragma agglom data resident(x[0:n])
  int k = n;
  // expected-error@+1 {{'#pragma agglom data' must stand directly before a block}}
#pragma agglom data resident(x[0:n])
  for (; k < n; ++k)
    x[k] = 0;
  if (n)
    // expected-error@+1 {{'#pragma agglom update' cannot be the whole body of an 'if' or a loop}}
#pragma agglom update host(x[0:n])
  n = 0;
  while (n--)
    // expected-error@+1 {{'#pragma agglom wait' cannot be the whole body of an 'if' or a loop}}
#pragma agglom wait on(x[0:n])
  n = 0;
  // expected-error@+1 {{'#pragma agglom data' must stand directly before a block}}
#pragma agglom data resident(x[0:n])
}

#pragma agglom task in(b->few) // expected-error {{'b->few' is a bit-field, which has no address}}
void bit_field(const struct bits *b);
#pragma agglom task in(table, table[0:3]) // expected-error {{'table' has the incomplete type 'int[]'}}
void whole_table(void);
