// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A wait that would change what an if or a loop governs is refused.
// RUN: %agglomcc -fsyntax-only -Xclang -verify %s
void next(void);
void host(int c) {
  if (c)
    // expected-error@+1 {{'#pragma agglom wait' cannot be the whole body of an 'if' or a loop: without the pragma that would be the next statement; put it in braces}}
#pragma agglom wait
  next();
  while (c--)
    // expected-error@+1 {{'#pragma agglom wait' cannot be the whole body}}
#pragma agglom wait
  next();
  if (c) {
#pragma agglom wait
  } else {
    goto out;
  }
out:
#pragma agglom wait
  next();
}
