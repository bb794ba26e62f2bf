#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""First inputs for the fuzzer: the annotated units of the tests and of the manual.

usage: seeds.py OUT FOLDER

Takes the .c files of FOLDER/testsuite/{pragmas,check,fuzz/corpus} and the C blocks of FOLDER/docs/*.md. Comments go, and so
do the standard headers, for each run reads the whole unit: what they declare is declared, or the unit left out.
"""
import glob
import os
import re
import sys

KNOWN = {
    "stdio.h": "int printf(const char *, ...);",
    "stdlib.h": "void *malloc(unsigned long); void free(void *); int rand(void);",
    "string.h": "void *memcpy(void *, const void *, unsigned long); void *memset(void *, int, unsigned long);",
    "math.h": "double sqrt(double); double fabs(double); double fmin(double, double); double fmax(double, double);",
    "stddef.h": "typedef unsigned long size_t;",
    "stdint.h": "typedef unsigned uint32_t; typedef unsigned long uint64_t; typedef unsigned char uint8_t;",
    "stdbool.h": "#define bool _Bool",
}


def seed(text):
    # A pragma is one line here, with or without backslashes at the ends of its lines.
    text = re.sub(r"\\\n\s*", "", text)
    text = re.sub(r"//.*|/\*.*?\*/", "", text)
    text = re.sub(r"^# *include *<(.*)>", lambda m: KNOWN.get(m.group(1), m.group(0)), text, flags=re.M)
    if "#pragma agglom" not in text or re.search(r"^# *include", text, re.M):
        return None
    return re.sub(r"\n\s*\n+", "\n", text).strip() + "\n"


def texts(top):
    for folder in ("pragmas", "check", "fuzz/corpus"):
        for path in sorted(glob.glob(os.path.join(top, "testsuite", folder, "*.c"))):
            with open(path, errors="replace") as file:
                yield file.read()
    for path in sorted(glob.glob(os.path.join(top, "docs", "*.md"))):
        with open(path) as file:
            yield from re.findall(r"^```c.*?\n(.*?)^```$", file.read(), re.M | re.S)


def main():
    out, top = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    seeds = [s for s in map(seed, texts(top)) if s]
    for number, text in enumerate(seeds):
        with open(os.path.join(out, f"seed-{number:03}.c"), "w") as file:
            file.write(text)
    print(f"{len(seeds)} seeds in {out}")
    return 0 if seeds else 1


if __name__ == "__main__":
    sys.exit(main())
