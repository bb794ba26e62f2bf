# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tidy.check() over a small project, with a tool that writes down what it reads and finds the word WRONG."""
import json
import os
import shutil
import subprocess
import sys
import time

testsuite, top, cc = sys.argv[1:]
sys.path.insert(0, testsuite)
import tidy

source, build = os.path.join(top, "source"), os.path.join(top, "build")
tool, log = os.path.join(top, "tool"), os.path.join(top, "log")


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def make(folder):
    """The project, built by ninja."""
    for rules in tidy.RULES:
        write(os.path.join(folder, "source", rules), "Checks: all\n")
    write(os.path.join(folder, "source/both.h"), "int both;\n")
    for name in "ab":
        write(os.path.join(folder, f"source/{name}.c"), f'#include "both.h"\nint {name};\n' if name == "a" else "int b;\n")
    write(os.path.join(folder, "build/build.ninja"), "rule cc\n  command = " + cc +
          " -MD -MF $out.d -c $in -o $out\n  deps = gcc\n  depfile = $out.d\n" +
          "".join(f"build {o}.o: cc {folder}/source/{c}.c\n" for o, c in (("a", "a"), ("again", "a"), ("b", "b"))))
    commands = [{"directory": f"{folder}/build", "file": f"{folder}/source/{c}.c", "output": f"{o}.o",
                 "command": f"{cc} -c {folder}/source/{c}.c -o {o}.o"} for o, c in (("a", "a"), ("again", "a"), ("b", "b"))]
    write(os.path.join(folder, "build/compile_commands.json"), json.dumps(commands))


def read(folder=top, changed=None):
    """What the tool reads now, and whether all is clean."""
    subprocess.run(["ninja", "-C", os.path.join(folder, "build")], check=True, capture_output=True)
    write(log, "")
    clean = tidy.check(os.path.join(folder, "build"), os.path.join(folder, "source"), tool, changed, 2, lambda text: None)
    with open(log, encoding="utf-8") as file:
        return sorted(os.path.basename(line.strip()) for line in file), clean


def expect(what, got, wanted):
    if got != wanted:
        sys.exit(f"{what}: {got}, not {wanted}")


write(tool, f'#!/bin/sh\nfor last; do :; done\n[ "$last" = --version ] && cat {top}/version && exit\n'
      f'echo "$last" >> {log}\n! grep -q WRONG "$last"\n', 0o755)
write(f"{top}/version", "version 22\n")
make(top)
expect("at first each file is read, once", read(), (["a.c", "b.c"], True))
expect("then none", read(), ([], True))
shutil.rmtree(os.environ["XDG_CACHE_HOME"])
expect("nothing has changed", read(changed=[]), ([], True))
expect("another file has", read(changed=["docs.md"]), ([], True))
expect("a header has, which one file includes", read(changed=["both.h"]), (["a.c"], True))
expect("a file has", read(changed=["b.c", "both.h"]), (["b.c"], True))
shutil.rmtree(os.environ["XDG_CACHE_HOME"])
expect("the rules have", read(changed=[tidy.RULES[1]]), (["a.c", "b.c"], True))
time.sleep(0.01)
write(f"{source}/both.h", "int both, more;\n")
expect("a header has changed", read(), (["a.c"], True))
write(f"{source}/b.c", "int b; /* WRONG */\n")
expect("a file is not clean", read(), (["b.c"], False))
expect("it is read again", read(), (["b.c"], False))
write(f"{source}/b.c", "int b;\n")
expect("it is what it was when it was clean", read(), ([], True))
write(os.path.join(source, tidy.RULES[0]), "Checks: more\n")
expect("the rules have changed", read(), (["a.c", "b.c"], True))
write(f"{top}/version", "version 23\n")
expect("the tool has changed", read(), (["a.c", "b.c"], True))
make(os.path.join(top, "clone"))
write(f"{top}/version", "version 22\n")
expect("a clone of what was first is known", read(os.path.join(top, "clone")), ([], True))
