# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""programs.build() with compilers that only write down what they are asked for."""
import os
import sys

testsuite, top = sys.argv[1:]
sys.path.insert(0, testsuite)
import programs

COMPILER = """#!/bin/sh
echo "$0 $*" >> {log}
while [ "$1" != -o ]; do shift; done
echo made > "$2"
"""


def put(name, text=""):
    path = os.path.join(top, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    return path


def age(path, seconds):
    os.utime(path, (10**9 - seconds, 10**9 - seconds))


log = os.path.join(top, "log")
cc, agglomcc = (put(name, COMPILER.format(log=log)) for name in ("bin/cc", "prefix/bin/agglomcc"))
for compiler in (cc, agglomcc):
    os.chmod(compiler, 0o755)
os.environ["CC"] = cc
programs.samples = os.path.join(top, "samples")
source, second = put("tests/program.c"), put("tests/second.c")
made_of = [source, second, agglomcc, put("tests/beside.h"), put("tests/deep/down/below.h"), put("samples/common/shared.h"),
           put("prefix/include/agglom/rt.h"), put("prefix/lib/libagglomrt.a"), put("prefix/lib64/libagglomrt.a"),
           put("prefix/runtime/libagglomrt.a")]
others = [put("tests/other.c"), put("samples/other/other.h"), put("prefix/lib/libother.a"), cc]
program = programs.Program("tests/program", source, ["-DX", second])
path = os.path.join(top, "program")


def calls():
    """What is called when the program is asked for."""
    put("log")
    programs.build(program, path, os.path.join(top, "build"), agglomcc, ["-fagglom-arch=sm_90"])
    return open(log).read().splitlines()


def expect(what, is_, wanted):
    if is_ != wanted:
        sys.exit(f"{what}: {is_} instead of {wanted}")


first = calls()
expect("calls at first", [c.split()[0] for c in first], [cc, agglomcc])
for call, made, arch in zip(first, (path + ".serial", path), (False, True)):
    words = call.split()
    expect(call, [w in words for w in (source, second, "-DX", made, "-fagglom-arch=sm_90")], [True] * 4 + [arch])
for file in made_of + others:
    age(file, 100)
age(path, 50)
expect("calls when nothing is newer", calls(), [])
for file in made_of:
    age(file, 0)
    expect(f"calls when {file} is newer", len(calls()), 2)
    age(file, 100)
    age(path, 50)
for file in others:
    age(file, 0)
expect("calls when only others are newer", calls(), [])
os.remove(path)
expect("calls when it is not there", len(calls()), 2)
