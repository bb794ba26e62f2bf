# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the experiments share: running agglom-sim, and tables."""
import argparse
import csv
import io
import os
import subprocess
import sys


def parser(what):
    p = argparse.ArgumentParser(description=what)
    p.add_argument("--sim", default="build/bin/agglom-sim", help="agglom-sim (%(default)s)")
    p.add_argument("--seed", type=int, default=1)
    return p


def simulate(sim, schedules, tasks=False, **options):
    """Rows of agglom-sim's output. Options are spelt with _ for -; True is one without a value, a list several."""
    words = [sim] + ["tasks"] * tasks
    for name, value in options.items():
        name = "--" + name.replace("_", "-")
        for v in value if isinstance(value, list) else [value]:
            if v is True:
                words.append(name)
            elif v is not None and v is not False:
                words.append(f"{name}={v}")
    try:
        shown = subprocess.run(words + list(schedules), capture_output=True, text=True)
    except OSError as why:
        sys.exit(f"{sim} cannot be run ({why.strerror}); build it, or name it with --sim")
    if shown.returncode:
        sys.exit(shown.stderr or f"{sim} failed")
    rows = list(csv.DictReader(io.StringIO(shown.stdout)))
    for row in rows:
        for key in row:
            if key not in ("schedule", "policy", "split"):
                row[key] = float(row[key])
    return rows


def best_oracle(sim, **options):
    """The oracle tries all parts from 0 to 100 % and keeps the best one."""
    rows = simulate(sim, [f"oracle:{p}" for p in range(0, 101, 10)], **options)
    return min(rows, key=lambda row: row["ms"])


def write_list(folder, name, numbers):
    path = os.path.join(folder, name)
    with open(path, "w") as out:
        out.write("\n".join(f"{x:.9g}" for x in numbers) + "\n")
    return path


def table(heads, rows):
    cells = [heads] + [[str(c) for c in row] for row in rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    for k, row in enumerate(cells):
        print("  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths))).rstrip())
        if not k:
            print("  ".join("-" * w for w in widths))
    print()
