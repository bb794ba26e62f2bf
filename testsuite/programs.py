# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""programs.py: the programs that lit's language and runtime tests compare with their serial builds, and samples, for
scripts that run them in other ways."""
import glob
import os
import re
import shlex
import subprocess
import time

tests = os.path.dirname(os.path.abspath(__file__))
samples = os.path.join(os.path.dirname(tests), "samples")
STRICT = ["-O1", "-ffp-contract=off", "-w"]  # every build computes the same bits


class Program:
    """options: of the compiler, further sources included. arguments: of the program. settings: NAME=VALUE of its runs."""

    def __init__(self, name, source, options=(), arguments=(), settings=()):
        self.name, self.source = name, source
        self.options, self.arguments, self.settings = list(options), list(arguments), list(settings)


def of_tests():
    for folder in ("runtime", "language"):
        for source in sorted(glob.glob(os.path.join(tests, folder, "*.c"))):
            for line in open(source, errors="replace"):
                found = re.search(r"RUN: (.*)%compare %s %t([^|>]*?)(?: 2>&1)?(?: \||$)", line.rstrip())
                if found and "not " not in found[1]:
                    run = re.search(r'COMPARE_RUN="?([^"%]*)"?', found[1])
                    options = found[2].replace("%S", os.path.dirname(source)).split()
                    yield Program(f"{folder}/{os.path.basename(source)[:-2]}", source, options, [], shlex.split(run[1]) if run else [])
                    break


def sample_sources(name):
    """All of samples/NAME, and what the samples share where it is included. NAME/NAME.c comes first."""
    first = os.path.join(samples, name, name + ".c")
    sources = [first] + [s for s in sorted(glob.glob(os.path.join(samples, name, "*.c"))) if s != first]
    with open(first, encoding="utf-8") as text:
        return sources + (sorted(glob.glob(os.path.join(samples, "common", "*.c"))) if '"../common/' in text.read() else [])


def of_samples():
    """At sizes for machines that are slow."""
    rings = os.path.join(samples, "pgm-tiles", "rings.pgm")
    for name, arguments in (
        ("md2d", "--particles 200 --cells 3x3 --steps 3"),
        ("md2d-cells", "--particles 300 --cells 8x8 --steps 2"),
        ("nbody-tiles", "--plummer 60 --steps 2 --tile 16 --as tiles"),
        ("nbody-loop", "--plummer 60 --steps 2 --tile 16 --as loop"),
        ("barneshut", "--bodies 100 --steps 1"),
        ("barneshut-periodic", "--uniform 60 --periodic 1 --softening 0.05 --theta 0.2 --dt 0.01 --steps 1"),
        ("pepc", "--charges 120 --steps 1"),
        ("lu-tuned", "--n 70 --block 24 --fingerprint"),
        ("lu-plain", "--n 60 --block 13 --kernel plain --fingerprint"),
        ("pgm-tiles", shlex.join((rings, "/dev/stdout"))),
    ):
        sources = sample_sources(name if name == "pgm-tiles" else name.split("-")[0])
        yield Program("samples/" + name, sources[0], sources[1:], shlex.split(arguments))


def build(program, path, build_folder, compiler, more=()):
    """Makes path, by agglomcc, and path.serial, unless they are newer than all they are made of."""
    prefix = os.path.dirname(os.path.dirname(os.path.abspath(compiler)))
    made_of = [program.source, compiler] + [o for o in program.options if os.path.exists(o)]
    for text in (os.path.join(os.path.dirname(program.source), "**", "*.h"), os.path.join(samples, "common", "*.h"),
                 os.path.join(prefix, "include", "**", "*.h"), os.path.join(prefix, "lib*", "libagglomrt.a"),
                 os.path.join(prefix, "runtime", "libagglomrt.a")):
        made_of += glob.glob(text, recursive=True)
    if os.path.exists(path) and os.path.getmtime(path) >= max(map(os.path.getmtime, made_of)):
        return
    include = "-I" + os.path.join(build_folder, "include")
    for command in (
        [os.environ.get("CC", "cc"), include, *STRICT, program.source, *program.options, "-o", path + ".serial", "-lm", "-lpthread"],
        [compiler, *STRICT, *more, program.source, *program.options, "-o", path, "-lm", "-lpthread"],
    ):
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def run(command, environment, seconds):
    """Status ("timeout" after so many seconds), output, messages, seconds taken."""
    begin = time.monotonic()
    try:
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds)
        status, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        status, out, err = "timeout", late.stdout or b"", late.stderr or b""
    return status, out, err.decode(errors="replace"), time.monotonic() - begin


def same(name, is_, wanted):
    """Whether an output is the wanted one. Sums of samples are added in another order."""
    if is_ == wanted or not name.startswith("samples/"):
        return is_ == wanted
    one, other = is_.split(), wanted.split()
    try:
        return len(one) == len(other) and all(a == b or abs(float(a) - float(b)) <= 1e-6 * abs(float(b)) for a, b in zip(one, other))
    except ValueError:
        return False


def clean_environment(**more):
    """Without what a shell sets for agglom or its GPU in software."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("AGGLOM_", "GPU_IN_SOFTWARE_"))}
    return dict(kept, LC_ALL="C", **more)
