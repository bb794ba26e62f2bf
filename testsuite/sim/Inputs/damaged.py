# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A trace, cut off or with other bytes: a run, or a sentence, and never anything else."""
import random
import subprocess
import sys

sim, whole, path = sys.argv[1:]
text = open(whole, "rb").read()
rng = random.Random(1)
for i in range(60):
    at, changed = rng.randrange(len(text)), bytearray(text)
    if i % 3 == 0:
        changed = changed[:at]
    elif i % 3 == 1:
        changed[at] = rng.randrange(256)
    else:
        del changed[at : at + rng.randrange(1, 40)]
    open(path, "wb").write(changed)
    shown = subprocess.run([sim, "tasks", f"--trace={path}", "maximal"], capture_output=True, timeout=60)
    assert shown.returncode in (0, 1), (i, shown)
    assert (shown.returncode == 1) == shown.stderr.startswith(b"agglom-sim: error: --trace="), (i, shown)
