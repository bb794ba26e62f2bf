// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of printf and builtins that device code cannot have.
// RUN: %agglomcc -fsyntax-only -ferror-limit=0 -Wno-format -Xclang -verify %s
// RUN: %agglomcc -fsyntax-only -ferror-limit=0 -Wno-format -DCHK -Xclang -verify %s
#include <stdio.h>

#ifdef CHK // as the C library has it under _FORTIFY_SOURCE
int __printf_chk(int flag, const char *format, ...);
#define printf(...) __printf_chk(1, __VA_ARGS__)
#endif

static const char fixed[] = "%d\n";
static const char *const pointed = "%d\n";
extern const char elsewhere[];

#pragma agglom task inout(x[0:n]) in(how[0:4])
void formats(int n, int *x, const char *how) {
  printf(fixed, n);
  (printf)("%d\n", n);
  printf(how, n); // expected-error {{the format of printf in device code must be a string literal or a const array of char with an initial value}}
  printf(pointed, n);   // expected-error {{the format of printf in device code must be a string literal}}
  printf(elsewhere, n); // expected-error {{the format of printf in device code must be a string literal}} expected-error {{const object 'elsewhere' has no initial value}}
  printf(n ? "%d" : "%x", n); // expected-error {{the format of printf in device code must be a string literal}}
  printf("%d %n\n", n, x); // expected-error {{the printf of devices has no conversion '%n'; write the text with the conversions of the manual}}
  printf("%.*f\n", n, 1.0); // expected-error {{the printf of devices has no conversion '%.*f'}}
  printf("%2$d %1$d\n", n, n); // expected-error {{the printf of devices has no conversion '%2$d'}}
  printf("%F\n", 1.0); // expected-error {{the printf of devices has no conversion '%F'}}
  printf("%ls\n", L"wide"); // expected-error {{the printf of devices has no conversion '%ls'}}
  printf("%'d\n", n); // expected-error {{the printf of devices has no conversion '%'d'}}
  printf("%q\n", n); // expected-error {{the printf of devices has no conversion}}
  printf("100%"); // expected-error {{the printf of devices has no conversion '%'}}
  printf("%d %d\n", n); // expected-error {{the format has more conversions than there are arguments}}
  printf("%*d\n", n); // expected-error {{the format has more conversions than there are arguments}}
  printf("", n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, n); // expected-error {{printf in device code takes at most 32 arguments after the format}}
  x[0] = printf("%d\n", n); // expected-error {{the result of printf is not the same on every device, so device code cannot use it}}
  if (printf("\n")) // expected-error {{the result of printf is not the same on every device}}
    printf("here\n");
  for (printf("a"); n-- > 0; printf("b"), x[n] = n)
    (void)(printf("c"));
  switch (n) {
  case 1:
    printf("one");
  default:
  out:
    __builtin_printf("d\n");
  }
}

#pragma agglom task inout(x[0:n])
void builtins(int n, int *x) {
  x[0] = __builtin_return_address(0) == 0; // expected-error {{builtin function '__builtin_return_address' cannot become device code}}
  x[1] = __builtin_frame_address(0) == 0; // expected-error {{builtin function '__builtin_frame_address' cannot become device code}}
  if (n < 0)
    __builtin_unreachable();
}
