# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the source against the table of rooms in docs/architecture.md.

usage: rooms.py --source DIR [--objects DIR] [--print]

A room is a folder of runtime/src or tool. The table lists rooms from the top floor down, each with the rooms that it
may use, all of them below it: so there is no circle. An error is

    an #include of a room's file that names a file of a room it may not use, a macro, or what lies outside of the tree; and
      one of a public header that names a file of a tree
    an object file of --objects, a build folder, that takes a symbol out of a room which cannot be reached that way:
      inline functions of the rooms between may take it, and which are inline is the compiler's choice; functions
      that a public header names are for all
    a room that the table does not list, or whose sources have no object files there
    a comment that names a file of a tree, as in policy/launch/order.h or (Syntax.cpp), which is not there

--print: says who includes whom, and no more.
"""
import argparse
import collections
import glob
import os
import re
import subprocess
import sys

# Where the objects of a tree are.
TREES = {"runtime/src": ("runtime/CMakeFiles/agglomrt_objects.dir/src", "runtime/CMakeFiles/agglom_policies.dir/src"),
         "tool": ("tool/CMakeFiles/agglomchecks.dir", "tool/CMakeFiles/agglomfrontend.dir",
                  "tool/CMakeFiles/agglomcc1.dir", "tool/CMakeFiles/agglomcc.dir")}
PUBLIC = ("runtime/include", "pragmas")  # headers for all
COMPILED = (".c", ".cpp")
MACROS = {"AGGLOM_CLANG_OPTIONS_H"}  # where a header of Clang lies, which differs between its versions
TOP = "*.c"  # what lies in the tree itself


class Table:
    """may[tree][room]: the rooms it may use; rooms are in the order of the floors."""

    def __init__(self, source, errors):
        self.may = {tree: {} for tree in TREES}
        with open(os.path.join(source, "docs/architecture.md"), encoding="utf-8") as text:
            for line in text:
                cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
                tree, room = split(cells[0].strip("`").rstrip("/"))
                if len(cells) != 3 or not line.startswith("| `") or tree is None:
                    continue
                self.may[tree][room] = [used.rstrip("/") for used in re.findall(r"`([^`]+)`", cells[2])]
        for tree, rooms in self.may.items():
            order = list(rooms)
            for room, used in rooms.items():
                for other in used:
                    if other not in rooms:
                        errors.append(f"{tree}: the table lets {room} use {other}, which it does not list")
                    elif order.index(other) <= order.index(room):
                        errors.append(f"{tree}: the table lets {room} use {other}, which is not below it")


def split(path):
    """Tree and room of a folder; None: it is in neither tree."""
    for tree in TREES:
        if path == tree:
            return tree, TOP
        if path.startswith(tree + "/"):
            return tree, path[len(tree) + 1:]
    return None, None


def room_of(path):
    return os.path.dirname(path) or TOP


def sources(source, tree):
    """Whatever lies there and may be included, however it is called."""
    found = glob.glob(os.path.join(source, tree, "**", "*.*"), recursive=True)
    return sorted(os.path.relpath(path, os.path.join(source, tree)) for path in found
                  if os.path.isfile(path) and not path.endswith((".txt", ".md")))


def without_comments(text):
    """As the preprocessor reads it: continued lines are one, a comment is a space."""
    text = re.sub(r"\\[ \t]*\n", "", text)
    kept = r'"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])+'"
    return re.sub(kept + r"|/\*.*?\*/|//[^\n]*", lambda m: " " if m[0][0] == "/" else m[0], text, flags=re.S)


def included(path):
    """(name, whether it is a macro) of each file that this one includes."""
    with open(path, encoding="utf-8") as text:
        directives = re.findall(r"^[ \t]*(?:#|%:)[ \t]*(?:include|include_next|import)\b[ \t]*([^\n]*)",
                                without_comments(text.read()), re.M)
    for named in directives:
        quoted = re.match(r'"([^"]+)"|<([^>]+)>', named)
        yield (quoted[1] or quoted[2], False) if quoted else (named.strip(), True)


def includes(source, tree, errors):
    """(room, room) -> one of the files that say so."""
    files = sources(source, tree)
    by_name = {os.path.basename(path): path for path in files}
    edges = {}
    for path in files:
        for named, macro in included(os.path.join(source, tree, path)):
            if named in MACROS:
                continue
            if macro:
                errors.append(f"{tree}/{path} includes {named}: name the file, so that it is seen which room it uses")
                continue
            # runtime/src names folders; in tool each has its place on the include path.
            beside, plain = os.path.normpath(os.path.join(os.path.dirname(path), named)), os.path.normpath(named)
            to = next((file for file in (beside, plain) if file in files), None)
            if not to and "/" not in plain:
                to = by_name.get(plain)
            if not to and ".." in named.split("/"):
                errors.append(f"{tree}/{path} includes {named}, which lies outside of {tree}")
            if to and room_of(to) != room_of(path):
                edges.setdefault((room_of(path), room_of(to)), f"{tree}/{path} includes {named}")
    return edges


def public_names(source, errors):
    """All words of public headers, which include no file of a tree, as users have none of these."""
    words = set()
    inside = {os.path.join(tree, file) for tree in TREES for file in sources(source, tree)}
    for folder in PUBLIC:
        for path in glob.glob(os.path.join(source, folder, "**", "*.h"), recursive=True):
            for named, _ in included(path):
                beside = os.path.relpath(os.path.normpath(os.path.join(os.path.dirname(path), named)), source)
                if beside in inside or any(os.path.normpath(os.path.join(tree, named)) in inside for tree in TREES):
                    errors.append(f"{os.path.relpath(path, source)} includes {named}: a public header takes nothing of a room")
            with open(path, encoding="utf-8") as text:
                words.update(re.findall(r"\w+", without_comments(text.read())))
    return words


def missing(source, tree):
    """Comments that name files which are not there."""
    files = sources(source, tree)
    rooms = {room.split("/")[0] for room in map(room_of, files)}
    for path in files:
        with open(os.path.join(source, tree, path), encoding="utf-8") as text:
            comments = "\n".join(re.findall(r"/\*.*?\*/|//[^\n]*", text.read(), re.S))
        for named in re.findall(r"\b[a-z_]+(?:/[A-Za-z_]+)+\.(?:c|h|cpp)\b", comments):
            if named.split("/")[0] in rooms and named not in files:
                yield f"{tree}/{path} names {named}, which is not there"
        for named in re.findall(r"\(([A-Z]\w*\.cpp)\)", comments):
            if not any(os.path.basename(file) == named for file in files):
                yield f"{tree}/{path} names {named}, which is not there"


def symbols(objects, folders, files, public, may):
    """(room, room) -> one of the symbols that are taken where they may not be; and the rooms that have objects. Objects of
    sources that are gone do not count. Of what several rooms define, as inline functions of C++, one that may be used is
    enough."""
    defined, taken, rooms = collections.defaultdict(set), collections.defaultdict(dict), set()
    for folder in folders:
        top = os.path.join(objects, folder)
        paths = [os.path.relpath(path, top) for path in glob.glob(os.path.join(top, "**", "*.o"), recursive=True)]
        paths = [path for path in paths if path[:-len(".o")] in files]
        rooms.update(map(room_of, paths))
        # Each symbol on a line of its own that begins with its file; for all files at once, as programs are slow to start.
        listing = subprocess.run(["nm", "-g", "-A", *paths], cwd=top, capture_output=True, text=True, check=True).stdout if paths else ""
        for line in listing.splitlines():
            here, symbol = line.split(":", 1)
            kind, name = symbol.split()[-2:]
            if kind in "Uwv":
                taken[room_of(here)].setdefault(name, here)
            else:
                defined[name].add(room_of(here))
    edges = {}
    for room, names in taken.items():
        may_use = reached(may, room) | {room}
        for name, where in names.items():
            of = defined.get(name, set())
            if of and not of & may_use and name not in public:
                edges.setdefault((room, min(of)), f"{where} takes {name}")
    return edges, rooms


def reached(may, room):
    """All rooms that may be used by way of others."""
    found, ahead = set(), [room]
    while ahead:
        for other in may.get(ahead.pop(), ()):
            if other not in found:
                found.add(other)
                ahead.append(other)
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--objects")
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args()
    errors = []
    table = Table(options.source, errors)
    public = public_names(options.source, errors)
    for tree, folders in TREES.items():
        may = table.may[tree]
        named = includes(options.source, tree, errors)
        if options.print:
            for room in sorted({a for a, _ in named}):
                print(f"{tree}/{room}:", ", ".join(sorted(b for a, b in named if a == room)))
            continue
        files = sources(options.source, tree)
        rooms = {room_of(path) for path in files}
        errors += [f"docs/architecture.md does not list {tree}/{room}" for room in sorted(rooms - set(may))]
        errors += [f"docs/architecture.md lists {tree}/{room}, which is not there" for room in sorted(set(may) - rooms)]
        errors += missing(options.source, tree)
        wrong = [(edge, why) for edge, why in named.items() if edge[1] not in may.get(edge[0], ())]
        if options.objects:
            taken, built = symbols(options.objects, folders, files, public, may)
            compiled = {room_of(path) for path in files if path.endswith(COMPILED)}
            errors += [f"there are no object files of {tree}/{room} in {options.objects}" for room in sorted(compiled - built)]
            wrong += taken.items()
        errors += [f"{why}: {tree}/{room} may not use {tree}/{other} (docs/architecture.md, Rooms)"
                   for (room, other), why in sorted(wrong)]
    for error in errors:
        print(error)
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
