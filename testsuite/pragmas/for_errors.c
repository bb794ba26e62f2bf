// RUN: %agglomcc -fsyntax-only -ferror-limit=0 -Xclang -verify %s
// What '#pragma agglom for' refuses.
typedef struct {
  int a, b[3];
} pair;
void fill(pair *p);
int read_pair(const pair *p);
int sum(const int *p);
int next(void);
int calls(int n); // expected-note {{'calls' is declared here}}

#pragma agglom for // expected-error {{'#pragma agglom for' must stand directly before a 'for' loop inside a function}}
int x;

void forms(int n, int *p, int *q) {
#pragma agglom for // expected-error {{'#pragma agglom for' must stand directly before a 'for' loop}}
  while (n)
    --n;
#pragma agglom for in(p[i]) // expected-note {{the parallel loop is here}}
  for (int i = 0; i < n; ++i) {
#pragma agglom for in(q[j]) // expected-error {{'#pragma agglom for' stands inside the loop of another}}
    for (int j = 0; j < n; ++j)
      p[i] += q[j];
  }
#pragma agglom for inout(p[i]) device(cpu)
  for (int i = next(); i < n; ++i) // expected-error {{the first value and the bound of a loop under '#pragma agglom for' must not have side effects}}
    p[i] = 0;
#pragma agglom for inout(p[i]) // expected-note {{the parallel loop is here}}
  for (int i = 0; i < n; ++i)
    if (p[i])
      break; // expected-error {{break leaves a parallel loop}}
#pragma agglom for inout(p[i])
  for (int i = 0; i < p[i]; ++i) // expected-error {{the loop's condition must compare its variable 'i' with a bound that does not change}}
    p[i] = 0;
#pragma agglom for inout(p[i]) tasks(3) // expected-error {{unknown clause 'tasks' of '#pragma agglom for'}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) independent // expected-error {{'#pragma agglom for' has no clause 'independent'; it belongs to '#pragma agglom task'}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
}

#pragma agglom task inout(p[0:n])
void task(int n, int *p) {
#pragma agglom for inout(p[i]) // expected-error {{'#pragma agglom for' stands in task 'task', whose body runs on a device; use '#pragma agglom loop' there}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
}

static void helper(int n, int *p) {
#pragma agglom for inout(p[i]) // expected-error {{'helper' becomes device code, and '#pragma agglom for' is for host code}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
}
#pragma agglom task inout(p[0:n]) // expected-note {{the task is declared here}}
void by_helper(int n, int *p) { helper(n, p); }

void schedules(int n, int *p) {
#pragma agglom for inout(p[i]) schedule(static_pcf, -2) // expected-error {{schedule(static_pcf, x) takes a positive number that is the same for the whole loop}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) schedule(static_pcf, i) // expected-error {{schedule(static_pcf, x) takes a positive number that is the same for the whole loop}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) schedule(logfit, ) // expected-error {{schedule(logfit, x) takes a positive number}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) schedule(oracle, 101) // expected-error {{schedule(oracle, p) takes a number from 0 to 100 that is the same for the whole loop}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) schedule(oracle, p) // expected-error {{schedule(oracle, p) takes a number from 0 to 100}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) schedule(statik) // expected-error {{'statik' is not a schedule; auto, static}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) schedule(dynamic:64) // expected-error {{'dynamic:64' is not a schedule; auto, static[, n], dynamic[, n]}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) schedule(auto, 4) // expected-error {{schedule(auto) takes no number; static, dynamic, dynamic_locked and concord take a chunk size, and logfit, oracle and static_pcf a number of their own}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) schedule(static, 0) // expected-error {{the size of a chunk must be an integer of 1 or more}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) schedule(static, 2.5) // expected-error {{the size of a chunk must be an integer of 1 or more}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) schedule(dynamic, i + 1) // expected-error {{the size of a chunk must be an integer of 1 or more that is the same for the whole loop}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) schedule(dynamic,) // expected-error {{the size of a chunk must be an integer}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) schedule() // expected-error {{clause 'schedule' is empty; write auto, static, dynamic or runtime}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) schedule(static) schedule(dynamic) // expected-error {{clause 'schedule' is given twice}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) nowait(1) // expected-error {{clause 'nowait' takes no argument}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) device(tpu) // expected-error {{'tpu' is not a device}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) name(3) // expected-error {{clause 'name' takes one identifier}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) cost(1.5) // expected-error {{the expression in clause 'cost' must be an integer}}
  for (int i = 0; i < n; ++i)
    p[i] = 0;
#pragma agglom for inout(p[i]) collapse(2) // expected-note {{the parallel loop is here}}
  for (int i = 0; i < n; ++i)
    p[i] = 0; // expected-error {{collapse}}
}

int captures(int n, int *p) {
  static int kept;
  struct local {
    int a;
  } mine = {1};
  typedef int number;
  int last = 0, size[8];
  register int fast = 0;
  pair both = {0, {0}};
  struct {
    int a;
  } unnamed = {2};
#pragma agglom for inout(p[i]) // expected-error {{the loop under '#pragma agglom for' uses 'kept', a static or extern variable of the function}}
  for (int i = 0; i < n; ++i)
    p[i] = kept;
  // expected-note@-14 {{'kept' is declared here}}
#pragma agglom for inout(p[i]) // expected-error {{the loop under '#pragma agglom for' depends on 'mine', whose type or declaration is local to the function}}
  for (int i = 0; i < n; ++i)
    p[i] = mine.a;
  // expected-note@-15 {{'mine' is declared here}}
#pragma agglom for inout(p[i]) // expected-error {{the loop under '#pragma agglom for' depends on 'number', whose type or declaration is local to the function}}
  for (int i = 0; i < n; ++i)
    p[i] = (number)p[i];
  // expected-note@-18 {{'number' is declared here}}
#pragma agglom for inout(p[i]) // expected-error {{the loop under '#pragma agglom for' depends on 'unnamed', whose type or declaration is local}}
  for (int i = 0; i < n; ++i)
    p[i] = unnamed.a;
  // expected-note@-16 {{'unnamed' is declared here}}
#pragma agglom for inout(p[i]) // expected-note {{the parallel loop is here}}
  for (int i = 0; i < n; ++i)
    last = p[i]; // expected-error {{iterations of this loop all write 'last', which is declared outside it}}
#pragma agglom for inout(p[i]) // expected-note {{the parallel loop is here}}
  for (int i = 0; i < n; ++i)
    both.b[1] = p[i]; // expected-error {{the loop changes 'both', which is declared outside it, and iterations run apart from one another: declare it inside the loop, or name it in private(...); sums need variables of their own, for reduction(...)}}
  // expected-error@+2 {{a reduction variable must be a local integer or floating-point variable; 'both.b[1]' is not: sum up in a variable of its own, and store it in the member behind the loop}}
  // expected-error@+1 {{'both.b[1]' is part of 'both', of which each chunk has a copy: what is only read needs no clause, and sums need variables of their own, for reduction(...)}}
#pragma agglom for reduction(+ : both.b[1]) accumulate(+ : both.b[1])
  for (int i = 0; i < n; ++i)
    both.b[1] += p[i];
#pragma agglom for in(p[i]) device(cpu) // expected-note {{the parallel loop is here}}
  for (int i = 0; i < n; ++i)
    fill(&both); // expected-error {{the loop takes the address of 'both', of which every chunk has a copy}}
#pragma agglom for in(p[i]) device(cpu) // expected-note {{the parallel loop is here}}
  for (int i = 0; i < n; ++i)
    for (int *at = both.b; *at; ++at) // expected-error {{the loop takes the address of 'both'}}
      next();
#pragma agglom for inout(p[i]) device(cpu)
  for (int i = 0; i < n; ++i)
    p[i] = read_pair(&both) + sum(both.b) + both.b[i];
#pragma agglom for inout(p[i]) // expected-note {{the parallel loop is here}}
  for (int i = 0; i < n; ++i)
    p[i] = sizeof size / sizeof size[0]; // expected-error {{the loop asks for the size of array 'size', which reaches it as a pointer}}
#pragma agglom for inout(p[i]) // expected-note {{the parallel loop is here}}
  for (int i = 0; i < n; ++i)
    p[i] = size[i]; // expected-error {{the loop uses the memory of 'size', but no data clause names it; add in(size[i]) to '#pragma agglom for'}}
#pragma agglom for in(p[i])
  for (int i = 0; i < n; ++i)
    p[i] = 0; // expected-error {{the loop writes through 'p', which it only declares as 'in'}}
  // expected-note@-3 {{the parallel loop is here}}
#pragma agglom for in(p[i]) reduction(+: fast) // expected-error {{'fast' is declared 'register', so a reduction cannot bring its value back; remove 'register'}}
  for (int i = 0; i < n; ++i)
    fast += p[i];
#pragma agglom for in(p[i]) reduction(+: last) nowait // expected-error {{a reduction has its value at the end of the loop, so 'nowait' cannot stand beside it}}
  for (int i = 0; i < n; ++i)
    last += p[i];
#pragma agglom for inout(p[i])
  for (int i = 0; i < n; ++i)
    p[i] = calls(i); // expected-error {{'calls' has no definition in this translation unit and cannot become device code}}
  return last + fast;
}

struct row {
  int n, *at;
};
void sections(int n, int m, struct row *r, int (*a)[4]) {
#pragma agglom for inout(r[i].at[0:n]) // expected-error {{the section 'r[i].at[0:n]' is reached through the loop's variable 'i', and only the indexes in the brackets at its end may depend on it; name whole elements, as in s[i]}}
  for (int i = 0; i < n; ++i)
    r[i].at[0] = 1;
#pragma agglom for inout(a[i][j]) collapse(2) // expected-error {{the section 'a[i][j]' names 'j', the variable of an inner loop; write all that an iteration of the outermost loop uses}}
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 4; ++j)
      a[i][j] = m;
}

void of_private(int n, int m, double **w, const double *x, double *y) {
  int k = 3;
#pragma agglom for in(w[k][j]) inout(y[j]) private(k) // expected-error {{the section 'w[k][j]' depends on 'k', which is private: no iteration has set it when the loop is reached; write all that an iteration uses, as in(x[0:n]) for the x[k] of an inner loop}}
  for (int j = 0; j < m; ++j)
    for (k = 0; k < n; ++k)
      y[j] += w[k][j];
#pragma agglom for in(x[0:k]) inout(y[j]) private(k) cost(k) schedule(dynamic, k) // expected-error {{the section 'x[0:k]' depends on 'k', which is private}} expected-error {{clause 'cost' depends on 'k', which is private: no iteration has set it when the loop is reached; use a variable that is set before the loop}} expected-error {{clause 'schedule' depends on 'k', which is private}}
  for (int j = 0; j < m; ++j)
    for (k = 0; k < n; ++k)
      y[j] += x[k];
}

void shadows(int n, int (*a)[n]) {
  {
    int n = 3;
#pragma agglom for inout(a[i][0:2]) // expected-error {{the loop under '#pragma agglom for' depends on two variables named 'n'; rename one}}
    for (int i = 0; i < n; ++i)
      a[i][0] = n;
  }
  // expected-note@-7 {{'n' is declared here}}
}

struct item {
  int v, w[3];
};
void more(int n, int m, struct item *tab, int *p) {
  int rows[n][m], s = 0, j;
  m += 1;
#pragma agglom for inout(tab[i].v) // expected-error {{the section 'tab[i].v' is reached through the loop's variable 'i'}}
  for (int i = 0; i < n; ++i)
    tab[i].v += 1;
#pragma agglom for inout(tab[i].w[0:3]) // expected-error {{the section 'tab[i].w[0:3]' is reached through the loop's variable 'i'}}
  for (int i = 0; i < n; ++i)
    tab[i].w[0] += 1;
#pragma agglom for inout(p[i]) in(p[0:s]) reduction(+: s) // expected-error {{the section 'p[0:s]' depends on 's', which the loop reduces}}
  for (int i = 0; i < n; ++i)
    s += p[i];
#pragma agglom for inout(p[i]) collapse(2)
  for (int i = 0; i < n; ++i)
    for (j = 0; j < 4; ++j) // expected-error {{'j', the variable of a collapsed inner loop, is declared outside the loops}}
      p[i] += 1;
#pragma agglom for inout(rows[i][0:2]) // expected-error {{uses an array whose rows have the size 'm' had at its declaration, and 'm' is changed in the function}}
  for (int i = 0; i < n; ++i)
    rows[i][0] = 1;
  // expected-note@-19 {{'m' is declared here}}
#pragma agglom for inout(p[i])
  for (__int128 i = 0; i < n; ++i) // expected-error {{the variable of a parallel loop must be an integer, and 'i' is '__int128'}}
    p[i] = 1;
  switch (n) {
#pragma agglom for inout(p[i]) // expected-error {{the loop under '#pragma agglom for' cannot be taken out of 'more'}}
    for (int i = 0; i < n; ++i) {
      p[i] = 1;
    case 1:; // expected-note {{of the loop in a function of its own Clang says: 'case' statement not in switch statement}}
    }
  }
#pragma agglom for inout(p[i]) // expected-error {{the loop under '#pragma agglom for' cannot be taken out of 'more'}}
  for (int i = 0; i < n; ++i)
    if (p[i] > 4)
      goto out; // expected-note {{of the loop in a function of its own Clang says: use of undeclared label 'out'}}
out:;
}
int finds(int n, int *p) {
#pragma agglom for inout(p[i]) // expected-note {{the parallel loop is here}}
  for (int i = 0; i < n; ++i) {
    if (p[i] > 4)
      return i; // expected-error {{return leaves a parallel loop; its iterations have no order in which that could be defined}}
    p[i] = 1;
  }
  return -1;
}
void sizes(int n, int *p) {
  int x[8];
#pragma agglom for in(x[0:sizeof(x) / 4]) inout(p[i]) // expected-error {{the loop asks for the size of array 'x'}} expected-note {{the parallel loop is here}}
  for (int i = 0; i < n; ++i)
    p[i] += x[0];
#pragma agglom for in(x[0:8]) inout(p[i]) // expected-note {{the parallel loop is here}}
  for (int i = 0; i < n; ++i) {
    typeof(x) copy; // expected-error {{the loop asks for the size of array 'x'}}
    copy[0] = x[0];
    p[i] += copy[0] + (int)sizeof x[0];
  }
}
#pragma agglom task inout(x[0 : n])
void scale(int n, double *x);
void sizes_in_directives(double *s) {
  double a[8][16], b[4];
#pragma agglom for inout(a[i][0 : 16]) device(cpu) // expected-note {{the parallel loop is here}}
  for (int i = 0; i < 8; ++i) {
    scale(16, a[i]);
#pragma agglom wait on(a[0 : sizeof a / 128]) // expected-error {{the loop asks for the size of array 'a', which reaches it as a pointer; compute the size before the loop}}
  }
  // What stands in a loop that is refused is not called misplaced.
#pragma agglom for inout(a[i][0 : 16], b[0 : sizeof b / 8]) device(cpu) // expected-error {{the loop asks for the size of array 'b'}} expected-note {{the parallel loop is here}}
  for (int i = 0; i < 8; ++i) {
    scale(16, a[i]);
#pragma agglom wait
  }
}
