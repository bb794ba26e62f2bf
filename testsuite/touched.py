# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which files a change touches, and which tests are about them: for `make check-fast`, and for what clang-tidy reads."""
import os
import re
import subprocess

# Tests for what lies in a folder, by their names; the first folder that fits counts. A change of a test runs that one.
ABOUT = [
    ("tool/check/", "check/|language/|pragmas/"),
    ("tool/driver/", "driver/"),
    ("tool/launcher/", "driver/"),
    ("tool/support/", "driver/|check/"),
    ("tool/", "pragmas/|check/|emit/|language/"),
    ("pragmas/", "pragmas/|emit/|language/|runtime/"),
    ("runtime/tools/sim/", "sim/|unit/test_sim"),
    ("runtime/tools/", "runtime/.*report|runtime/.*info|install/tools"),
    ("runtime/src/policy/", "unit/|sim/"),
    ("runtime/", "unit/|runtime/"),
    ("samples/", "samples/"),
    ("docs/", "docs/"),
    ("README.md", "docs/"),
    ("cmake/", "install/"),
    ("CMakeLists.txt", "install/"),
    ("scripts/", "install/"),
]
ALWAYS = "rooms/|own/"  # seconds, and about everything


def git(source, *arguments):
    """The lines that git prints; None: there is no git, or it fails."""
    try:
        return subprocess.run(["git", "-C", source, *arguments], capture_output=True, text=True, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError):
        return None


def base(source):
    """The commit from which this work has begun, on the branch that others have; None: nobody knows."""
    for upstream in ("@{upstream}", "origin/main", "origin/HEAD"):
        found = git(source, "merge-base", "HEAD", upstream)
        if found:
            return found[0]
    return None


def files(source, since):
    """Files that differ from that commit, or are new, by their paths in the source; None: nobody knows."""
    changed, new = git(source, "diff", "--name-only", since), git(source, "ls-files", "--others", "--exclude-standard")
    return None if changed is None or new is None else sorted({*changed, *new})


def tests(source):
    """A regular expression for the names of tests that are about what differs from the last commit; where nothing
    does, about that commit."""
    paths = files(source, "HEAD") or files(source, "HEAD~1") or []
    about = {ALWAYS}
    for path in paths:
        test = re.match(r"testsuite/(.*)$", path)
        if test:
            name = os.path.splitext(test[1])[0] if test[1].startswith("unit/test_") else test[1]
            about.add(re.escape(os.path.dirname(name) + "/" if "/Inputs/" in name else name))
        about.update(words for folder, words in ABOUT if path.startswith(folder) and not any(
            path.startswith(earlier) for earlier, _ in ABOUT[:ABOUT.index((folder, words))]))
    return paths, "|".join(sorted(about))
