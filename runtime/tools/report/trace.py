# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of agglom-report: the trace as Python objects.

FORM = 1  # version of the trace's "agglom" member
NS = 1e-9
COLOURS = 7  # of tasks, c0 to c6; the tasks after the sixth share the last


class Damaged(Exception):
    """The file is not what it should be; the text says how, for the user."""


class Span:
    """An event with a duration; times in seconds since the runtime was started."""

    __slots__ = ("pid", "tid", "begin", "end", "kind", "name", "args")

    def __init__(self, event):
        self.pid, self.tid = int(event["pid"]), int(event["tid"])
        self.begin = float(event["ts"]) * 1e-6
        self.end = self.begin + float(event["dur"]) * 1e-6
        self.kind, self.name, self.args = str(event["cat"]), str(event["name"]), event.get("args", {})
        if not (0 <= self.begin <= self.end < 1e12) or not isinstance(self.args, dict):
            raise Damaged("it holds a span with impossible times")

    @property
    def task(self):
        return str(self.args.get("task", self.name))


class Trace:
    def __init__(self, content):
        about = content["agglom"]
        self.program, self.version = str(about["program"]), str(about["version"])
        self.process, self.started = int(about["process"]), str(about["started"])
        self.length = max(float(about["span_ns"]) * NS, 1e-9)
        self.lost = {str(k): int(v) for k, v in about["lost"].items()}
        self.report = about["report"]
        self.tasks = [str(t["name"]) for t in self.report["tasks"]]
        self.names, self.spans, self.counters = {}, [], collections.defaultdict(list)
        for event in content["traceEvents"]:
            phase = event["ph"]
            if phase == "X":
                self.spans.append(Span(event))
            elif phase == "M" and event["name"] in ("process_name", "thread_name"):
                self.names[int(event["pid"]), int(event["tid"])] = str(event["args"]["name"])
            elif phase == "C":
                values = {str(k): float(v) for k, v in event["args"].items()}
                self.counters[str(event["name"])].append((float(event["ts"]) * 1e-6, values))
        self.colour = {name: f"c{min(i, COLOURS - 1)}" for i, name in enumerate(dict.fromkeys(self.tasks))}

    def batches(self, task=None):
        """The launches that took effect."""
        return [s for s in self.spans if s.kind == "batch" and not s.args["failed"] and task in (None, s.name)]

    def colour_of(self, task):
        return self.colour.get(task, f"c{COLOURS - 1}")


def load(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as source:
            text = source.read()
    except OSError as error:
        raise Damaged(f"it cannot be read ({error.strerror})") from error
    if not text.strip():
        raise Damaged("it is empty: the program still runs, or it did not end by exit or by returning from main")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        begins = text.lstrip().startswith("{")
        raise Damaged(("it is damaged, or was not written to its end" if begins else "it is not JSON")
                      + f" ({error})") from error
    if isinstance(content, dict) and "agglom_report" in content:
        raise Damaged("it is a report; name the file that AGGLOM_TRACE has written instead")
    if isinstance(content, list) or (isinstance(content, dict) and "traceEvents" in content and "agglom" not in content):
        raise Damaged("it is the trace of another program than agglom's; open it with Perfetto")
    if not isinstance(content, dict) or not isinstance(content.get("agglom"), dict):
        raise Damaged("it is JSON, but no trace; name the file that AGGLOM_TRACE has written")
    if content["agglom"].get("trace") != FORM:
        raise Damaged(f"its form is {content['agglom'].get('trace')!r}, and this agglom-report knows {FORM}; use the one "
                      "that came with the runtime")
    try:
        return Trace(content)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise Damaged(f"it is damaged ({type(error).__name__}: {error})") from error
