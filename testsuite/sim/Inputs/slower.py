# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two outputs of agglom-sim: the same schedules, and each takes longer in the second."""
import csv
import sys

good, bad = ({row["schedule"]: float(row["ms"]) for row in csv.DictReader(open(name))} for name in sys.argv[1:])
assert len(good) > 10 and good.keys() == bad.keys(), (good, bad)
for schedule, ms in good.items():
    assert bad[schedule] > ms, (schedule, ms, bad[schedule])
