# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs and machines under agglom-sim tasks: every run ends, and it has checked itself that each unit has taken
effect once. The same again gives the same. Arguments: agglom-sim, seed, how many, and where to put files."""
import csv
import io
import os
import random
import subprocess
import sys

POLICIES = ["auto", "maximal", "single", "static:7", "static:300", "count:9", "count:300", "occupancy"]
SPLITS = ["gpu", "cpu", "count", "items", "auto"]


def graph(rng, path):
    """Nodes that follow some of those before them. How many units."""
    n, units = rng.randrange(1, 400), 0
    with open(path, "w") as out:
        for i in range(n):
            kind = rng.choice(["high", "low", "unit", "unit"]) if i else "unit"
            units += kind == "unit"
            out.write(f"{kind} {rng.choice([0, 10, 1000, 1e5])} ")
            out.write(f"{rng.choice([1, 5, 500])} {rng.randrange(9)}" if kind == "unit" else str(rng.randrange(-1, 9)))
            after = {rng.randrange(i) for _ in range(rng.choice([0, 0, 1, 2, 5]))} if i else set()
            out.write(" after " + " ".join(map(str, sorted(after))) if after else "")
            out.write("\n")
    return units


def options(rng, path):
    cpus, devices = rng.choice([1, 1, 2, 3, 8, 64]), rng.choice([0, 1, 1, 2, 5])
    own = rng.random() < 0.2 and devices <= cpus
    words = [f"--cpus={cpus}", f"--devices={devices}", f"--slots={rng.choice([1, 2, 3, 10])}", f"--seed={rng.randrange(99)}",
             f"--speed={rng.choice([0.1, 1, 30])}", f"--fill={rng.choice([1, 16, 200])}", f"--blocks={rng.choice([1, 1, 3, 300])}",
             f"--launch={rng.choice([0, 1e4])}", f"--host={rng.choice([0, 1e4])},{rng.choice([0, 50])}",
             f"--commit={rng.choice([0, 5e3])},0", f"--most={rng.choice([0, 0, 1, 50])}", f"--live={rng.choice([65536, 1, 100])}",
             f"--noise={rng.choice([0, 0.3])}", f"--fails={rng.choice([0, 0, 0.2, 0.9])}", f"--bytes={rng.choice(['0,0', '8,8'])}",
             f"--bandwidth={rng.choice([0, 2])}", f"--slot={rng.choice([0, 1000])}"]  # fmt: skip
    words += ["--own-devices"] * own + ["--blocking"] * (rng.random() < 0.2)
    unknown = rng.random() < 0.2
    words += [f"--lose={d}@{10 ** rng.uniform(2, 7):.0f}" for d in range(devices) if rng.random() < 0.3]
    if rng.random() < 0.4:
        return words + [f"--program={path}"], graph(rng, path)
    units, steps = rng.choice([1, 10, 1000, 5000]), rng.choice([1, 1, 3, 20])
    words += [f"--units={units}", f"--steps={steps}", f"--mean={rng.choice([0, 10, 1000, 1e5])}",
              f"--work={rng.choice(['uniform', 'triangular', 'bimodal', 'zipf', 'drifting'])}"]  # fmt: skip
    words += ["--unknown-costs"] * unknown + ["--no-wait"] * (rng.random() < 0.3)
    words += rng.choice([["--arrivals=evenly:0"], ["--arrivals=evenly:300"], ["--arrivals=poisson:500"], ["--arrivals=bursts:10,30,20000"],
                         [f"--generators=10,20000,{rng.choice(['high', 'low'])}"], [f"--submitters={rng.randrange(1, cpus + 1)}"]])  # fmt: skip
    words += rng.choice([[], ["--other=20,30000,high"], ["--other=20,30000,low", "--other=3,100000,high"]])
    return words, units * steps


def main():
    sim, seed, n, path = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    print(f"seed {seed}")
    for i in range(n):
        rng = random.Random(seed * 1000003 + i)
        words, units = options(rng, path)
        policies = rng.sample([f"{b}/{s}" for b in POLICIES for s in SPLITS], 4)
        command = [sim, "tasks"] + words + policies
        shown = [subprocess.run(command, capture_output=True, text=True, timeout=120) for _ in range(2)]
        assert shown[0].returncode == 0, (command, shown[0].stderr)
        assert shown[0].stdout == shown[1].stdout, command
        rows = list(csv.DictReader(io.StringIO(shown[0].stdout)))
        assert len(rows) == 4 and all(int(row["units"]) == units for row in rows), (command, units, shown[0].stdout)
    print(f"{n} programs under 4 policies each")


main()
