// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// agglom-report: a page that says what the trace says, and one line for a file that is no such trace.
// RUN: %agglomcc -O1 %s -o %t
// RUN: env AGGLOM_DEVICES=emulated:2 AGGLOM_BATCH=count:70 AGGLOM_FAULT=call=launch,nth=3 AGGLOM_TRACE=%t.json %t > %t.out 2> %t.err
// RUN: sed 's/"leaf"/"interact <1>"/g' %t.json > %t.named.json && mv %t.named.json %t.json
// RUN: %agglom-report %t.json -o %t.html && %S/Inputs/check-page %t.json %t.html
// RUN: FileCheck %s --check-prefix=PAGE < %t.html
// PAGE: <title>report_page.c{{.*}}: agglom trace</title>
// PAGE: interact &lt;1&gt;
// RUN: rm -rf %t.powercap && mkdir -p %t.powercap/intel-rapl:0 && cd %t.powercap/intel-rapl:0 && echo package-0 > name && echo 77 > energy_uj
// RUN: env AGGLOM_POWERCAP=%t.powercap AGGLOM_DEVICES=none AGGLOM_TRACE=%t.cpu.json %t
// RUN: %agglom-report %t.cpu.json && %S/Inputs/check-page %t.cpu.json %t.cpu.html
// RUN: FileCheck %s --check-prefix=METER < %t.cpu.html
// METER: <dt>energy of CPU</dt><dd>0 J, 0 W</dd>
// RUN: env AGGLOM_POWERCAP=%t.none AGGLOM_DEVICES=emulated AGGLOM_BATCH=single AGGLOM_TRACE_MEMORY=64KB AGGLOM_TRACE=%t.lost.json %t 2> %t.err
// RUN: %agglom-report %t.lost.json -o - --title "A <run>" --from 0.5 > %t.lost.html && %S/Inputs/check-page %t.lost.json %t.lost.html
// RUN: FileCheck %s --check-prefix=LOST < %t.lost.html
// LOST: <h1>A &lt;run&gt;</h1>
// LOST: The timeline and the throughput lack {{.*}} launches: AGGLOM_TRACE_MEMORY was too small for this run.
// LOST: The timeline shows 500 µs to
// LOST: energy of CPU: unknown ({{.*}}.none: No such file or directory)
//
// A loop, on devices and CPUs: its iterations.
// RUN: env AGGLOM_DEVICES=emulated AGGLOM_TRACE=%t.loop.json %t loop
// RUN: %agglom-report %t.loop.json && %S/Inputs/check-page %t.loop.json %t.loop.html && %S/Inputs/check-trace %t.loop.json
// RUN: FileCheck %s --check-prefix=LOOP < %t.loop.html
// LOOP: <td>looped</td>{{.*}}looped by place, in iterations: {{.*}}<td>static:{{[0-9]+}}</td></tr>
// LOOP: <th scope="col">chains a launch</th><th scope="col">in</th><th scope="col">without staging</th>
//
// Pages of runs in which little happens have all sections too: two devices of which one is lost; units of a CPU-only task
// alone; no unit at all.
// RUN: env AGGLOM_DEVICES=emulated:2 AGGLOM_BATCH=count:70 AGGLOM_FAULT=call=copy_out,nth=3,error=sticky AGGLOM_TRACE=%t.sticky.json %t 2> %t.err
// RUN: %agglom-report %t.sticky.json && %S/Inputs/check-page %t.sticky.json %t.sticky.html && %S/Inputs/check-trace %t.sticky.json
// RUN: env AGGLOM_DEVICES=emulated:2 AGGLOM_TRACE=%t.ticks.json %t 16
// RUN: %agglom-report %t.ticks.json && %S/Inputs/check-page %t.ticks.json %t.ticks.html && %S/Inputs/check-trace %t.ticks.json
// RUN: env AGGLOM_DEVICES=none AGGLOM_TRACE=%t.none.json %t 0
// RUN: %agglom-report %t.none.json && %S/Inputs/check-page %t.none.json %t.none.html && %S/Inputs/check-trace %t.none.json
// RUN: FileCheck %s --check-prefix=NOTHING < %t.none.html
// NOTHING: Batch and split had no effect: there was no device.
// NOTHING: There is nothing to show: no batch was formed.
//
// The curve is the one of least squares.
// RUN: %python -c "import runpy; f = runpy.run_path('%agglom-report')['fit']; from math import log; a, b, r = f([(x, 3 * log(x) + 2) for x in (1, 10, 10, 500)]); print(round(a, 9), round(b, 9), round(r, 9), f([(4, 1), (4, 2)]))" | FileCheck %s --check-prefix=FIT
// FIT: 3.0 2.0 1.0 None
//
// RUN: not %agglom-report %t.none 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: agglom-report: error: {{.*}}.none: it cannot be read (No such file or directory)
// RUN: not %agglom-report %S 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: it cannot be read (Is a directory)
// RUN: : > %t.empty && not %agglom-report %t.empty 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: it is empty: the program still runs, or it did not end by exit
// RUN: head -c 3000 %t.json > %t.half && not %agglom-report %t.half 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: it is damaged, or was not written to its end
// RUN: not %agglom-report %s 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: it is not JSON (
// RUN: echo '[{"ph": "X"}]' > %t.other && not %agglom-report %t.other 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: echo '{"traceEvents": []}' > %t.other && not %agglom-report %t.other 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: it is the trace of another program than agglom's
// RUN: env AGGLOM_DEVICES=none AGGLOM_REPORT=%t.report.json %t && not %agglom-report %t.report.json 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: it is a report; name the file that AGGLOM_TRACE has written instead
// RUN: echo '{"a": 1}' > %t.other && not %agglom-report %t.other 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: it is JSON, but no trace
// RUN: sed 's/"trace":1/"trace":7/' %t.json > %t.other && not %agglom-report %t.other 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: its form is 7, and this agglom-report knows 1
// RUN: not %agglom-report %t.json -o %t.nowhere/page 2>&1 | FileCheck %s --check-prefix=PLACE
// PLACE: agglom-report: error: {{.*}}page cannot be written (No such file or directory)
// RUN: not %agglom-report %t.json -o %t.json 2>&1 | FileCheck %s --check-prefix=ITSELF
// ITSELF: is the trace itself; name the page with -o
// RUN: not %agglom-report %t.json -o %t.html --from 1e9 2>&1 | FileCheck %s --check-prefix=FROM
// FROM: agglom-report: error: there is nothing from 1e+06 s to
// RUN: not %agglom-report %t.json --from x 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: invalid milliseconds value: 'x'
// RUN: %agglom-report --help | FileCheck %s --check-prefix=HELP
// HELP: usage: agglom-report
// RUN: %agglom-report --version | FileCheck %s --check-prefix=VERSION
// VERSION: agglom-report {{[0-9]+\.[0-9]+\.[0-9]+}}
//
// Damaged in hundreds of ways, it is read or refused, never a crash.
// RUN: %S/Inputs/damage-trace %agglom-report %t.json %if long %{ 400 %} %else %{ 20 %} | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: {{20|400}} traces, some refused: True, some read: True
//
// The checker sees what is wrong with a page.
// RUN: sed 's/1,000/1,001/g; s/<h2>Batch sizes/<h2>Sizes/; s/<main>/<main><img src="x">/' %t.html > %t.bad.html
// RUN: not %S/Inputs/check-page %t.json %t.bad.html | FileCheck %s --check-prefix=BAD
// BAD-DAG: loads or runs something
// BAD-DAG: 1000 units of
// BAD-DAG: there is no section 'Batch sizes'
#include <agglom.h>
#include <stdlib.h>

#pragma agglom task out(x[0:64])
void leaf(int *x, int k) {
#pragma agglom loop
  for (int i = 0; i < 64; i++)
    x[i] = k + i;
}

#pragma agglom task inout(x[0:1]) device(cpu)
void tick(int *x) { ++*x; }

static int x[64 * 1000], c[16];

/* With a number: so many ticks and no leaf; with anything else a loop. */
int main(int argc, char **argv) {
  agglom_init();
  if (argc > 1 && *argv[1] == 'l') {
#pragma agglom for inout(x[i]) schedule(static, 6400) name(looped)
    for (int i = 0; i < 64 * 1000; i++)
      x[i] += i;
    return 0;
  }
  for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1000); i++) {
    if (argc == 1)
      leaf(x + 64 * i, i);
    tick(&c[i % 16]);
  }
#pragma agglom wait
  return 0;
}
