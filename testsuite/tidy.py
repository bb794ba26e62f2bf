# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""clang-tidy over all that a build compiles, each file once, and again only when something that it says depends on has
changed: the file and what it includes of ours, its command, the rules, the tool. What was found clean is remembered
under $XDG_CACHE_HOME/agglom/tidy, also for other clones."""
import glob
import hashlib
import json
import os
import re
import shlex
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

RULES = (".clang-tidy", "testsuite/.clang-tidy", "tool/.clang-tidy")
FORGET = 60 * 24 * 3600  # seconds after which what was found clean is forgotten, if nobody has asked for it


def dependencies(build):
    """{object: the files it was made of}, as ninja has recorded them; nothing where another tool has built."""
    try:
        listing = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return {}
    found, files = {}, []
    for line in listing.splitlines():
        if re.match(r"\S.*: #deps ", line):
            files = found.setdefault(line.split(": #deps ")[0], [])
        elif line.startswith("    "):
            files.append(line.strip())
    return found


class Memory:
    """What was found clean: an empty file for each, named by the hash of all that it depends on."""

    def __init__(self, build, source, tool):
        self.build, self.source = build, source
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        self.folder = os.path.join(cache, "agglom", "tidy")
        try:
            os.makedirs(self.folder, exist_ok=True)
        except OSError:
            self.folder = os.path.join(build, "tidy")
            os.makedirs(self.folder, exist_ok=True)
        self.deps = dependencies(build)
        version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False).stdout
        self.common = version.encode() + b"".join(self.content(os.path.join(source, path)) for path in RULES)
        self.forget()

    @staticmethod
    def content(path):
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).digest()

    def forget(self):
        for entry in os.scandir(self.folder):
            if time.time() - entry.stat().st_mtime > FORGET:
                os.remove(entry.path)

    def files(self, command):
        """What the command's output is made of; nothing: not known."""
        output = command.get("output")
        if not output and "command" in command:
            words = shlex.split(command["command"])
            output = words[words.index("-o") + 1] if "-o" in words else None
        return {os.path.normpath(os.path.join(self.build, file)) for file in self.deps.get(output, [])}

    def place(self, command):
        """Where it is remembered that what the command compiles is clean; None: what that depends on is not known."""
        files = self.files(command)
        if not files:
            return None
        key = hashlib.sha256(self.common)
        said = command.get("command") or " ".join(command["arguments"])
        key.update(said.replace(self.build, "BUILD").replace(self.source, "SOURCE").encode())
        try:
            for path in sorted(files):
                for top in (self.build, self.source):
                    if path.startswith(top + os.sep) and not path.endswith(".pch") and not path.endswith(".gch"):
                        key.update(path[len(top):].encode() + self.content(path))
                        break
        except OSError:
            return None
        return os.path.join(self.folder, key.hexdigest())


def check(build, source, tool, changed, jobs, say):
    """Whether all files are clean; or, where it is known which have changed, those that depend on one of these."""
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = {}
        for command in json.load(file):
            path = os.path.normpath(os.path.join(command["directory"], command["file"]))
            if not path.startswith(build + os.sep):
                commands.setdefault(path, command)
    memory = Memory(build, source, tool)
    if changed is not None and not set(changed) & set(RULES):
        changed = {os.path.join(source, path) for path in changed}
        commands = {path: command for path, command in commands.items()
                    if path in changed or not memory.files(command) or memory.files(command) & changed}

    # Precompiled ones that no compilation has needed yet.
    headers = glob.glob(os.path.join(build, "tool", "CMakeFiles", "*", "cmake_pch.hxx.pch"))

    def read(item):
        path, command = item
        relative = os.path.relpath(path, source)
        place = memory.place(command)
        if place and os.path.exists(place):
            os.utime(place)
            return True
        begin = time.monotonic()
        if relative.startswith("tool" + os.sep):
            subprocess.run([os.path.join(source, "scripts", "with-header"), *headers], check=False)
        # Assertions tell the analyser what always holds.
        asserting = ["--extra-arg=-UNDEBUG"] if path.endswith(".c") else []
        run = subprocess.run([tool, "-p", build, "--quiet", "--warnings-as-errors=*", *asserting, path],
                             capture_output=True, text=True, errors="replace", check=False)
        took = time.monotonic() - begin
        if run.returncode:
            say(f"{run.stdout}{run.stderr}\nFAIL: clang-tidy {relative} ({took:.1f} s)")
            return False
        say(f"ok: clang-tidy {relative} ({took:.1f} s)")
        if place:
            with open(place, "w", encoding="utf-8"):
                pass
        return True

    # C++ files take longest.
    order = sorted(commands.items(), key=lambda item: (not item[0].endswith(".cpp"), item[0]))
    with ThreadPoolExecutor(jobs) as pool:
        return all(list(pool.map(read, order)))
