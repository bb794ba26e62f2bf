# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""touched.tests() and touched.files() over what a git that is none says."""
import os
import re
import sys

testsuite = sys.argv[1]
sys.path.insert(0, testsuite)
import touched


def names():
    """The names of all tests, as testsuite/run has them."""
    for folder, _, files in os.walk(testsuite):
        for file in files:
            path = os.path.relpath(os.path.join(folder, file), testsuite)
            if re.fullmatch(r"unit/test_\w+\.c", path):
                yield path[:-len(".c")]
            elif file.endswith((".c", ".test", ".i")) and "Inputs" not in path and not path.startswith(("unit/", "bench/")):
                yield path


NAMES = sorted(set(names()))


def chosen(paths, commit=()):
    touched.git = lambda source, *words: list(commit if "HEAD~1" in words else paths if words[0] == "diff" else [])
    pattern = touched.tests("source")[1]
    return [name for name in NAMES if re.search(pattern, name)]


def expect(what, paths, has, hasnot, commit=()):
    found = chosen(paths, commit)
    for name in NAMES:
        if re.search(has + "|^rooms/|^own/", name) and name not in found:
            sys.exit(f"{what}: {name} is not among the tests")
        if hasnot and re.search(hasnot, name) and name in found:
            sys.exit(f"{what}: {name} is among the tests")


expect("a check", ["tool/check/rules/Wait.cpp"], "^check/|^language/", "^sim/|^unit/|^driver/")
expect("the driver", ["tool/driver/Driver.cpp"], "^driver/", "^sim/|^unit/|^check/")
expect("a policy", ["runtime/src/policy/split/split.c"], "^sim/|^unit/", "^driver/|^check/")
expect("the simulator", ["runtime/tools/sim/heap.c"], "^sim/|^unit/test_sim", "^unit/test_cuda|^runtime/")
expect("the runtime", ["runtime/src/wait/help.c"], "^unit/|^runtime/", "^driver/|^sim/")
expect("a lit test", ["testsuite/driver/goals.test"], "^driver/goals.test$", "^driver/[a-f]|^unit/")
expect("a unit test", ["testsuite/unit/test_late.c"], "^unit/test_late$", "^unit/test_[a-k]")
expect("what a test reads", ["testsuite/sim/Inputs/trace.json"], "^rooms", "^unit/|^driver/")
expect("two", ["docs/driver.md", "samples/md2d/md2d.c"], "^docs/|^samples/", "^unit/|^driver/")
expect("nothing", [], "^driver/", "^unit/", commit=["tool/driver/Driver.cpp"])
touched.git = lambda *words: None
if touched.files("source", "x") is not None or touched.base("source") is not None:
    sys.exit("without git it is not known what has changed")
