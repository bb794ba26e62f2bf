// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments reach the program as they were typed: quotes, blanks, letters of any alphabet.
// RUN: rm -rf "%t" && mkdir -p "%t/dir with blanks/größe" && cd "%t/dir with blanks"
// RUN: cp %s "größe/a \$b 'c'.c" && echo '#define FROM_HEADER "header"' > "größe/my header.h"
// RUN: %agglomcc -D'TEXT="a  b \\ \" $HOME ü"' "-DEMPTY=" -I "größe" -include "my header.h" -O2 -g "größe/a \$b 'c'.c" -o "the program" -Wl,-rpath,'$ORIGIN'
// RUN: "./the program" | FileCheck %s
// RUN: %agglomcc -D'TEXT="a  b \\ \" $HOME ü"' "-DEMPTY=" -Igröße -include "my header.h" -c "größe/a \$b 'c'.c" "-oglued.o" && %agglomcc glued.o -o glued && ./glued | FileCheck %s
// RUN: %agglomcc -DNOT_ANNOTATED -D'TEXT="a  b \\ \" $HOME ü"' "-DEMPTY=" -Igröße -include "my header.h" "größe/a \$b 'c'.c" -o plain && ./plain | FileCheck %s
// RUN: readelf -d "the program" | FileCheck %s --check-prefix=RPATH
// CHECK: a  b \ " $HOME ü
// CHECK-NEXT: header
// CHECK-NEXT: 3
// RPATH: $ORIGIN
//
// What follows -Xlinker or -o is its argument, not an option of agglomcc.
// RUN: %agglomcc -DEMPTY= '-DTEXT=""' -Igröße -include "my header.h" "größe/a \$b 'c'.c" -o -fagglom-report && ./-fagglom-report
#include <stdio.h>

#ifndef NOT_ANNOTATED
#pragma agglom task inout(y[0:n])
#endif
static void add(int n, int *y) {
  for (int i = 0; i < n; i++)
    y[i] += 2;
}

int main(void) {
  int y[3] = {1, 1, 1};
  add(3, y EMPTY);
#ifndef NOT_ANNOTATED
#pragma agglom wait
#endif
  printf("%s\n%s\n%d\n", TEXT, FROM_HEADER, y[2]);
  return 0;
}
