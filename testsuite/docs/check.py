# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the manual against the tables in the source.

usage: check.py --source DIR [--info PATH] [--report PATH] WHAT

WHAT:
    manual        every directive, clause and device library function is in docs/language.md, every diagnostic and
                  every message of the runtime in docs/diagnostics.md, every environment variable in
                  docs/runtime.md; each option and group of warnings of agglomcc in docs/driver.md and its man page;
                  each function of agglom/rt.h and abi.h has a man page; links between pages lead
                  somewhere, and the files and tests that docs/architecture.md names exist
    report        each member of a report as JSON, and each that the source can print, is in docs/reports.md
    tested        every diagnostic that agglomcc can issue is expected by a test

Prints a line for each thing that is missing; the exit status is 1 when there was one.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys

STRING = r'"((?:[^"\\]|\\.)*)"'
ENOUGH = 10  # characters of a message's constant text that a test must quote


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as source:
        return source.read()


def unescape(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), text)


def squeeze(text):
    return re.sub(r"\s+", " ", text.replace("\\|", "|"))


def diagnostics(source):
    """{id: constant pieces of its text} of the diagnostics that some code issues, and the ids of the others."""
    table = re.findall(rf"^DIAG\((\w+), (\w+), {STRING}, {STRING}\)", read(source, "tool/support/diagnostics.def"), re.M)
    code = "".join(read(path) for path in glob.glob(os.path.join(source, "tool/*/*.cpp")))
    used = set(re.findall(r"\bdiag::(\w+)", code))
    issued, idle = {}, []
    for name, _, group, text in table:
        if name not in used:
            idle.append(name)
            continue
        pieces = re.split(r"%select\{[^}]*\}\d|%\d", unescape(text))
        if group:
            pieces[-1] += f" [-Wagglom-{group}]"
        issued[name] = pieces
    return issued, idle


def runtime_messages(source):
    """(file, constant pieces) of each message of the runtime's log functions."""
    call = re.compile(rf"\bag_(?:error|warn|warn_once)\(\s*(?:&[\w>.-]+,\s*)?((?:{STRING}\s*)+)")
    for path in sorted(glob.glob(os.path.join(source, "runtime/src/**/*.c"), recursive=True)):
        for match in call.finditer(read(path)):
            text = unescape("".join(re.findall(STRING, match[1])))
            yield os.path.relpath(path, source), re.split(r"%[-.\d]*(?:hh|ll|z|l)?[a-z]", text)


def absent(pieces, page, least):
    """The pieces of at least so many characters that a page does not quote."""
    return [p for p in (squeeze(p).strip(" '") for p in pieces) if len(p) >= least and p not in page]


def check_manual(options):
    source = options.source
    language, diag, runtime = (read(source, "docs", p + ".md") for p in ("language", "diagnostics", "runtime"))
    for kind, spelling in re.findall(rf"^AGGLOM_(DIRECTIVE|CLAUSE|CLAUSE_AGAIN)\((?:\w+, )*{STRING}",
                                     read(source, "pragmas/directives.def"), re.M):
        if not re.search(rf"`{spelling}\b", language):
            yield f"docs/language.md: {kind.lower()} `{spelling}` is missing"
    for kind, name in re.findall(r"^(BUILTIN|MATHS|MEMORY|INTEGER|CLASSIFY|TEAM)\((\w+)",
                                 read(source, "tool/device/device_library.def"), re.M):
        if kind == "CLASSIFY":  # builtins; the manual names the macros that expand to them
            name = re.sub(r"_sign$|(?<=nan)f$|(?<=bit)f$", "", name)
            name = "NAN" if name == "nan" else name
        if f"`{name}`" not in language and f"`{name}()`" not in language:
            yield f"docs/language.md: library function `{name}` is missing"
    diag = squeeze(diag)
    for name, pieces in diagnostics(source)[0].items():
        for piece in absent(pieces, diag, 3):
            yield f"docs/diagnostics.md: '{piece}' of {name} is missing"
    for path, pieces in runtime_messages(source):
        for piece in absent(pieces, diag, 8):
            yield f"docs/diagnostics.md: '{piece}' of {path} is missing"
    shown = subprocess.run([options.info, "--env"], capture_output=True, text=True, check=True).stdout
    variables = re.findall(r"^(AGGLOM_\w+)", shown, re.M)
    if not variables:
        yield "agglom-info --env prints no variable"
    for name in variables:
        if f"`{name}`" not in runtime:
            yield f"docs/runtime.md: {name} is missing"
    yield from check_driver(source)
    yield from check_links(source)
    headers = read(source, "runtime/include/agglom/rt.h") + read(source, "runtime/include/agglom/abi.h")
    for name in re.findall(r"^[\w *]*?\b(agglom_\w+)\(", headers, re.M):
        if not os.path.exists(os.path.join(source, "docs/man", name + ".3")):
            yield f"docs/man: there is no {name}.3"
    architecture = read(source, "docs", "architecture.md")
    for path in re.findall(r"`((?:cmake|docs|pragmas|runtime|samples|testsuite|tool)/[\w./-]+)`", architecture):
        if not os.path.exists(os.path.join(source, path)) and "NAME" not in path:
            yield f"docs/architecture.md: there is no {path}"
    for path, case in re.findall(r"`(testsuite/[\w./]+)` \(`(\w+)`\)", architecture):
        if not re.search(rf"\b{case}\b", read(source, path)):
            yield f"docs/architecture.md: {path} has no {case}"


def check_driver(source):
    """The options of --help and the groups of warnings are in the manual and in the man page."""
    pages = {"docs/driver.md": read(source, "docs/driver.md"),
             "docs/man/agglomcc.1": re.sub(r"\\f.|\\", "", read(source, "docs/man/agglomcc.1"))}
    options = re.findall(r'^ *(?:R"\()?"?  (--?(?:[\w#][\w:-]*|##+))', read(source, "tool/driver/Help.cpp"), re.M)
    if len(options) < 10:
        yield "tool/driver/Help.cpp: where are the options?"
    for page, text in pages.items():
        for option in set(options) - {"-W"}:
            if not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w])", text):
                yield f"{page}: option {option} is missing"
    groups = set(re.findall(r'^DIAG\(\w+, Warning, "(\w+)"', read(source, "tool/support/diagnostics.def"), re.M))
    listed = pages["docs/man/agglomcc.1"].partition("The groups:")[2].partition(".TP")[0]
    for group in sorted(groups):
        if not re.search(rf"\b{group}\b", listed):
            yield f"docs/man/agglomcc.1: -Wagglom-{group} is missing"
        if f"-Wagglom-{group}]" not in read(source, "docs/diagnostics.md"):
            yield f"docs/diagnostics.md: -Wagglom-{group} is missing"


def anchors(text):
    """What GitHub makes of the headings."""
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        yield re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def members(value):
    """The names of all members of a JSON value."""
    if isinstance(value, dict):
        yield from value
    for inside in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        yield from members(inside)


def check_report(options):
    with open(options.report, encoding="utf-8") as report:
        printed = set(members(json.load(report)))
    printed |= set(re.findall(r'\\"(\w+)\\": ', read(options.source, "runtime/src/observe/report.c")))
    page = read(options.source, "docs/reports.md").partition("\n## The report as JSON\n")[2].partition("\n## ")[0]
    told = set(re.findall(r"`(\w+)`", page))
    for name in sorted(printed - told):
        yield f"docs/reports.md: member {name} of the report as JSON is missing"
    for name in sorted(told - printed - {"null"}):
        yield f"docs/reports.md: no report has a member {name}"


def check_links(source):
    for path in [os.path.join(source, "README.md"), *glob.glob(os.path.join(source, "docs/*.md"))]:
        text = read(path)
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
        for target in re.findall(r"\]\(([^)\s]+)\)", prose):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            where = os.path.relpath(path, source)
            if not os.path.exists(to):
                yield f"{where}: there is no {target}"
            elif anchor and anchor not in anchors(read(to)):
                yield f"{where}: {name or where} has no heading #{anchor}"


def expectations(source):
    for path in glob.glob(os.path.join(source, "testsuite/**/*"), recursive=True):
        if not path.endswith((".c", ".test", ".i")) or "/unit/" in path:
            continue
        text = read(path)
        yield from re.findall(r"expected-(?:error|warning|note)(?:@[^ ]+)?\s*\d*\+?\s*\{\{(.*?)\}\}", text)
        for prefix, line in re.findall(r"^.*?\b([A-Z][A-Z0-9_]*)(?:-[A-Z0-9]+)*: (.+)$", text, re.M):
            if prefix not in ("RUN", "REQUIRES", "UNSUPPORTED"):
                yield from re.split(r"\{\{.*?\}\}", line)


def quoted(said, pieces):
    """If `said` can be a part of a message with these constant pieces: how many of their characters it has. Else 0."""
    message = []  # its characters, and None where anything may stand
    for i, piece in enumerate(pieces):
        message += ([None] if i else []) + list(piece)
    best = {i: 0 for i in range(len(message))}  # position in the message -> constant characters so far
    for char in said:
        after = {}
        for place, count in best.items():
            if place == len(message):
                continue
            if message[place] is None:  # the gap takes this character, and may end with it
                steps = ((place, count), (place + 1, count))
            else:
                steps = ((place + 1, count + 1),) if message[place] == char else ()
            for to, n in steps:
                after[to] = max(n, after.get(to, 0))
        best = after
    return max(best.values(), default=0)


def grams(text):
    """All runs of eight characters: messages without a common one need not be compared at length."""
    return {text[i:i + 8] for i in range(len(text) - 7)}


def check_tested(options):
    issued, idle = diagnostics(options.source)
    for name in idle:
        print(f"note: diagnostic {name} is in the table, and no code issues it")
    tested = set()
    parts = {name: set().union(*map(grams, pieces)) for name, pieces in issued.items()}
    for said in {e.strip() for e in expectations(options.source)}:
        # A quotation belongs to the message that it quotes most of.
        counts = {name: len(said) for name, pieces in issued.items() if any(said in piece for piece in pieces)}
        if not counts:
            words = grams(said)
            counts = {name: quoted(said, pieces) for name, pieces in issued.items()
                      if words & parts[name] or sum(map(len, pieces)) < ENOUGH}
        most = max(counts.values(), default=0)
        tested |= {name for name, n in counts.items()
                   if n == most and 2 * n >= len(said) and n >= min(ENOUGH, sum(map(len, issued[name])))}
    for name, pieces in issued.items():
        if name not in tested:
            yield f"diagnostic {name}, '{'...'.join(pieces)}', is expected by no test"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", required=True, help="root of the repository")
    parser.add_argument("--info", help="agglom-info, for 'manual'")
    parser.add_argument("--report", help="a report as JSON, for 'report'")
    parser.add_argument("what", choices=["manual", "report", "tested"])
    options = parser.parse_args()
    missing = list(globals()["check_" + options.what](options))
    for line in missing:
        print(line)
    print(f"{len(missing)} missing")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
