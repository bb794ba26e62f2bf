# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tries the examples of the manual.

usage: extract.py [--write-only] --agglomcc PATH --cc PATH --include DIR --out DIR FILE.md...

A fenced block says by its info string what must hold of it:

    ```c compile   agglomcc and an ordinary C compiler compile it without a warning
    ```c run       the same, and the program does and prints the same when it is built serially, by
                   agglomcc for the CPU, and by agglomcc for the emulated device
    ```c refused   agglomcc refuses it; each `// error: TEXT` and `// warning: TEXT` is on the line that
                   the message names, and there is no message without such a comment

Options after these words are for agglomcc. Other blocks are not looked at. Prints one line for each failure and, at the end, how many blocks were tried;
the exit status is 1 when one failed or none was found.
"""
import argparse
import os
import re
import subprocess
import sys

FENCE = re.compile(r"^```c (compile|run|refused)((?: -\S+)*)\n(.*?)^```$", re.M | re.S)
EXPECTED = re.compile(r"// (error|warning): (.+)")
LIMIT = 60  # seconds for each command
BUILD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build-program")
CCACHE = [path for path in [os.environ.get("TEST_CCACHE")] if path]


def run(command, **settings):
    env = {k: v for k, v in os.environ.items() if not k.startswith("AGGLOM_")}
    env.update(settings)
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return 124, "", f"no end after {LIMIT} seconds"
    return done.returncode, done.stdout, done.stderr


class Block:
    def __init__(self, kind, extra, text, where, stem, options):
        self.extra = extra.split()
        self.kind, self.text, self.where, self.options = kind, text, where, options
        self.stem = os.path.join(options.out, stem)
        self.source = self.stem + ".c"
        with open(self.source, "w") as out:
            out.write(text)

    def agglomcc(self, *args):
        return run([*self.through(args), self.options.agglomcc, "-O1", "-Wall", *self.extra, *args, self.source, *self.libraries(args)])

    def serial(self, *args):
        return run([*self.through(args), self.options.cc, "-std=gnu11", "-O1", "-Wall", "-Wno-unknown-pragmas",
                    "-I", self.options.include, *args, self.source, *self.libraries(args)])

    def through(self, args):
        return [] if self.kind == "refused" else CCACHE if "-c" in args else [BUILD]

    def libraries(self, args):
        return [] if "-c" in args else ["-lm"]

    def failures(self):
        return getattr(self, "check_" + self.kind)()

    def quiet(self, who, result):
        status, _, said = result
        if status or said:
            yield f"{who} ended with {status} and said: {said.strip()}"

    def check_compile(self):
        yield from self.quiet("agglomcc", self.agglomcc("-c", "-o", self.stem + ".o"))
        yield from self.quiet("the C compiler", self.serial("-c", "-o", self.stem + ".serial.o"))

    def check_run(self):
        ours, theirs = self.stem + ".agglom", self.stem + ".serial"
        bad = [*self.quiet("agglomcc", self.agglomcc("-o", ours)),
               *self.quiet("the C compiler", self.serial("-o", theirs))]
        if bad:
            yield from bad
            return
        wanted = run([theirs])
        yield from self.quiet("the serial program", wanted)
        for devices in ("none", "emulated"):
            got = run([ours], AGGLOM_DEVICES=devices, AGGLOM_SPLIT="gpu")  # auto would give a device few units, or none
            yield from self.quiet(f"the program with AGGLOM_DEVICES={devices}", got)
            if got[1] != wanted[1]:
                yield f"with AGGLOM_DEVICES={devices} it prints {got[1]!r}, serially {wanted[1]!r}"

    def check_refused(self):
        status, _, said = self.agglomcc("-c", "-o", os.devnull)
        name = re.escape(os.path.basename(self.source))
        left = {(int(n), kind, text) for n, kind, text in re.findall(rf"{name}:(\d+):\d+: (error|warning): (.*)", said)}
        wants_error = False
        for number, line in enumerate(self.text.splitlines(), 1):
            for kind, text in EXPECTED.findall(line):
                wants_error |= kind == "error"
                hits = {m for m in left if m[:2] == (number, kind) and text.strip() in m[2]}
                if not hits:
                    yield f"line {number} of the block: no {kind} '{text.strip()}'"
                left -= hits
        for number, kind, text in sorted(left):
            yield f"line {number} of the block: unexpected {kind} '{text}'"
        if wants_error != bool(status):
            yield f"agglomcc ended with {status}: {said.strip()}"


def blocks(options):
    for path in options.files:
        with open(path) as source:
            text = source.read()
        stem = os.path.splitext(os.path.basename(path))[0]
        for n, match in enumerate(FENCE.finditer(text), 1):
            line = text.count("\n", 0, match.start()) + 1
            yield Block(match[1], match[2], match[3], f"{path}:{line}", f"{stem}-{n}", options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agglomcc", required=True)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--include", required=True, help="folder of agglom.h, for the serial build")
    parser.add_argument("--out", required=True)
    parser.add_argument("--write-only", action="store_true", help="leave the blocks in the folder of --out, and try none")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    if options.write_only:
        return 0 if list(blocks(options)) else 1
    tried = failed = 0
    for block in blocks(options):
        tried += 1
        bad = list(block.failures())
        failed += bool(bad)
        for sentence in bad:
            print(f"{block.where}: {sentence}")
    print(f"{tried} examples tried, {failed} failed")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
