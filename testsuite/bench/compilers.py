# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds one program with several compilers, for benchmarks that compare them."""
import os
import subprocess
import sys


def build(folder, source, compilers, needed, options):
    """{name: program} of {name: command}; ends the benchmark when one of `needed` fails, and says which others are left out."""
    programs = {}
    for name, command in compilers.items():
        path = os.path.join(folder, name)
        try:
            made = subprocess.run([*command, *options, source, "-o", path, "-lm"], capture_output=True, text=True, check=False)
            error = made.stderr if made.returncode else None
        except OSError as failure:
            error = str(failure)
        if error is None:
            programs[name] = path
        elif name in needed:
            sys.exit(f"{os.path.basename(sys.argv[0])}: {error.strip()}")
        else:
            said = [line for line in error.splitlines() if "error" in line or "undefined" in line] or error.splitlines()
            print(f"{name} is left out: {(said or ['it does not build'])[0]}")
    return programs
