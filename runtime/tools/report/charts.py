# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of agglom-report: charts, each a function that returns SVG, and how numbers are written.

WIDTH = 1120  # pixels of a chart that is as wide as the page
LEFT = 130  # of these, for names

REASONS = {
    "full": "full",
    "idle": "device idle",
    "no_high_priority": "no high-priority work left",
    "age": "oldest unit's age",
    "flush": "flush by a wait",
    "policy": "policy's own rule",
}

# --- Numbers and text ------------------------------------------------------------------------------------------


def escape(text):
    return html.escape(str(text), quote=True)


def count(n):
    return f"{int(n):,}"


def short(n):
    return f"{n:,.0f}" if abs(n) >= 1000 else f"{n:.3g}"


def plural(n, one, many=None):
    return f"{count(n)} {one if n == 1 else many or one + 's'}"


def size(n):
    for unit in ("B", "KB", "MB", "GB", "TB", "PB"):
        if abs(n) < 999.5 or unit == "PB":
            return f"{n:.0f} {unit}" if unit == "B" else f"{n:.3g} {unit}"
        n /= 1000
    return ""


def duration(seconds):
    for unit, factor in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(seconds) >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "–"


def ticks(low, high, about=6):
    """Round numbers from low to high."""
    if not high > low:
        return [low]
    step = 10 ** math.floor(math.log10((high - low) / about))
    step *= next((f for f in (1, 2, 5) if (high - low) / (f * step) <= about), 10)
    first = math.ceil(low / step - 1e-9)
    return [i * step for i in range(first, int(math.floor(high / step + 1e-9)) + 1)]


# --- SVG -------------------------------------------------------------------------------------------------------


class Svg:
    """A picture with a title for those who do not see it; coordinates are pixels."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title, self.parts = width, height, title, []

    def rect(self, x, y, width, height, classes, tip=None, opacity=None):
        style = "" if opacity is None else f' opacity="{opacity:.2f}"'
        inside = f"><title>{escape(tip)}</title></rect>" if tip else "/>"
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
                          f'class="{classes}"{style}{inside}')

    def line(self, x1, y1, x2, y2, classes="axis"):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{classes}"/>')

    def path(self, points, classes):
        if points:
            self.parts.append(f'<path class="{classes}" d="M' + "L".join(f"{x:.1f},{y:.1f}" for x, y in points) + '"/>')

    def dot(self, x, y, classes, tip):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" class="{classes}"><title>{escape(tip)}</title></circle>')

    def text(self, x, y, text, anchor="start", classes=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{classes}">{escape(text)}</text>')

    def __str__(self):
        return (f'<svg viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}" role="img" '
                f'aria-label="{escape(self.title)}">' + "".join(self.parts) + "</svg>")


class Window:
    """The part of the trace that is shown, and where on the page a moment lies."""

    def __init__(self, begin, end):
        self.begin, self.end = begin, end
        self.scale = (WIDTH - LEFT - 10) / (end - begin)

    def x(self, t):
        return LEFT + (min(max(t, self.begin), self.end) - self.begin) * self.scale

    def holds(self, span):
        return span.end >= self.begin and span.begin <= self.end

    def axis(self, svg, y):
        for t in ticks(self.begin, self.end, 8):
            svg.line(self.x(t), 4, self.x(t), y, "grid")
            svg.text(self.x(t), y + 14, "0" if abs(t) < 1e-15 else duration(t), "middle", "small")


def draw_spans(svg, window, spans, y, height, classes_of, tip_of):
    """Spans of one row that do not overlap. Those too narrow to be seen become a shade of each pixel's share."""
    narrow = {}
    for span in spans:
        x1, x2 = window.x(span.begin), window.x(span.end)
        if x2 - x1 >= 1:
            svg.rect(x1, y, x2 - x1, height, classes_of(span), tip_of(span))
        else:
            share = narrow.setdefault(int(x1), collections.Counter())
            share[classes_of(span)] += max(x2 - x1, 0.02)
    for x, share in narrow.items():
        svg.rect(x, y, 1, height, share.most_common(1)[0][0], opacity=min(1, 0.25 + sum(share.values())))


MOST_LEVELS = 4


def levels(spans):
    """Spans by how many others they lie in; those of a level do not overlap. The deepest are left out."""
    found, above = [], []
    for span in sorted(spans, key=lambda s: (s.begin, -s.end)):
        while above and above[-1].end <= span.begin:
            above.pop()
        if len(above) < MOST_LEVELS:
            found += [[]] if len(found) == len(above) else []
            found[len(above)].append(span)
        above.append(span)
    return found


def tip(span):
    where = f"at {duration(span.begin)}, {duration(span.end - span.begin)}"
    units = span.args.get("units")
    if span.kind in ("host", "device"):
        return f"{span.name} of {span.task}: {where}"
    if span.kind == "wait":
        return f"wait: {where}"
    iterations = span.args.get("iterations")
    text = f"{span.name}: {plural(iterations, 'iteration') if iterations else plural(units, 'unit')}, {where}"
    if span.kind == "batch":
        text += f", {size(span.args['bytes_in'])} in, {size(span.args['bytes_out'])} out"
        text += ", failed" if span.args["failed"] else ""
    reason = span.args.get("reason")
    return text + (f", {REASONS.get(reason, reason)}" if reason else "")


def timeline(trace, window):
    rows = collections.defaultdict(list)
    for span in trace.spans:
        if window.holds(span):
            rows[span.pid, span.tid].append(span)
    keys = sorted(k for k in trace.names if k[1] and (k in rows or k[0] == 1))
    height, y = 26, 10
    svg = Svg(WIDTH, 40 + len(keys) * (height + 8) + 24 * len({k[0] for k in keys if k[0] != 1}),
              f"Timeline of {len(keys)} threads and slots over {duration(window.end - window.begin)}")
    window.axis(svg, svg.height - 24)
    before = 1
    for key in keys:
        if key[0] != before:
            before = key[0]
            svg.text(0, y + 16, trace.names.get((key[0], 0), "device"), classes="strong")
            y += 24
        svg.text(LEFT - 8, y + 17, trace.names[key], "end")
        svg.rect(LEFT, y, WIDTH - LEFT - 10, height, "track")
        row = rows[key]

        def of(*kinds):
            return [s for s in row if s.kind in kinds]

        def task_colour(span):
            return trace.colour_of(span.task) + (" failed" if span.args.get("failed") else "")

        def host_colour(span):
            return {"wait": "wait", "host": "work"}.get(span.kind) or task_colour(span)

        if key[0] == 1:
            for depth, level in enumerate(levels(row)):
                draw_spans(svg, window, level, y + 2 * depth, height - 4 * depth, host_colour, tip)
        else:
            draw_spans(svg, window, of("batch"), y, 8, task_colour, tip)
            parts = [s for s in of("device") if s.name != "device"]
            draw_spans(svg, window, [s for s in parts if s.name == "kernel"], y + 10, height - 10, task_colour, tip)
            draw_spans(svg, window, [s for s in parts if s.name != "kernel"], y + 10, height - 10, lambda s: "copy", tip)
        y += height + 8
    return svg


def steps(trace, window, name, keys, unit, title):
    """A counter over time, one line for each of keys."""
    samples = [s for s in trace.counters.get(name, []) if s[0] <= window.end]
    top = max((v.get(k, 0) for t, v in samples if t >= window.begin for k in keys), default=0) or 1
    height, bottom = 120, 92
    svg = Svg(WIDTH, height, title)
    window.axis(svg, bottom)
    for value in ticks(0, top, 3):
        y = bottom - value / top * (bottom - 10)
        svg.line(LEFT, y, WIDTH - 10, y, "grid")
        svg.text(LEFT - 8, y + 4, unit(value), "end", "small")
    for index, key in enumerate(keys):
        # The highest and the last value of each pixel are enough to see.
        columns = {}
        for t, values in samples:
            x, v = int(window.x(t)), values.get(key, 0)
            columns[x] = (max(v, columns[x][0]), v) if x in columns and t >= window.begin else (v, v)
        points, last = [], 0
        for x, (most, end) in sorted(columns.items()):
            for value in (last, most, end):
                points.append((x, bottom - min(value, top) / top * (bottom - 10)))
            last = end
        points.append((WIDTH - 10, bottom - min(last, top) / top * (bottom - 10)))
        svg.path(points, f"curve k{index}")
    return svg


def histogram(trace, task):
    """Launches and CPU batches of a task by size, in powers of two."""
    width, height, bottom = 340, 170, 130
    buckets = [collections.Counter(), collections.Counter()]
    for kind, key in enumerate(("launch_sizes", "cpu_batch_sizes")):
        for entry in task[key]["histogram"]:
            buckets[kind][max(int(entry["from"]), 1).bit_length() - 1] += int(entry["count"])
    used = sorted(set(buckets[0]) | set(buckets[1]))
    if not used:
        return None
    svg = Svg(width, height, f"Batch sizes of {task['name']}")
    low, high = used[0], used[-1]
    top = max(max(b.values(), default=0) for b in buckets)
    step = min(60, (width - 60) / (high - low + 1))
    for value in sorted({round(v) for v in ticks(0, top, 3)}):
        y = bottom - value / top * (bottom - 15)
        svg.line(45, y, width - 5, y, "grid")
        svg.text(40, y + 4, count(value), "end", "small")
    skip = 1 + int((high - low) / 7)
    for i in range(low, high + 1):
        x = 50 + (i - low) * step
        for kind in (0, 1):
            n = buckets[kind][i]
            if n:
                h = max(n / top * (bottom - 15), 1)
                what = "launch" if kind == 0 else "CPU batch"
                units = f"{count(2 ** i)} to {count(2 ** (i + 1) - 1)} units" if i else "1 unit"
                svg.rect(x + kind * step * 0.42, bottom - h, step * 0.4, h, f"k{kind}",
                         f"{plural(n, what, what + 'es')} of {units}")
        if (i - low) % skip == 0:
            svg.text(x + step * 0.41, bottom + 14, count(2 ** i), "middle", "small")
    svg.text(width / 2, height - 6, "units in a batch, from", "middle", "small")
    return svg


def fit(points):
    """Least squares of y = a ln(x) + b: a, b and the share of the variance that is explained; None when all x are
    one."""
    xs = [math.log(x) for x, _ in points]
    if len(set(xs)) < 2:
        return None
    n, ys = len(points), [y for _, y in points]
    mx, my = sum(xs) / n, sum(ys) / n
    sxx = sum((x - mx) ** 2 for x in xs)
    a = sum((x - mx) * (y - my) for x, y in zip(xs, ys)) / sxx
    b = my - a * mx
    rest = sum((y - a * x - b) ** 2 for x, y in zip(xs, ys))
    whole = sum((y - my) ** 2 for y in ys)
    return a, b, 1 - rest / whole if whole else 1.0


MOST_DOTS = 1500


def throughput(trace, name):
    """Units a millisecond against the size of the launch, transfers included; with the fitted curve."""
    points = [(int(s.args["units"]), s.args["units"] / ((s.end - s.begin) * 1e3), s)
              for s in trace.batches(name) if s.args["units"] > 0 and s.end > s.begin]
    if not points:
        return None, None
    width, height, bottom, left = 340, 190, 150, 55
    fitted = fit([(x, y) for x, y, _ in points])
    svg = Svg(width, height, f"Throughput of {name} against the size of its launches")
    low, high = math.log2(min(p[0] for p in points)), math.log2(max(p[0] for p in points))
    low, high = (low - 0.5, high + 0.5) if high - low < 1 else (low, high)
    top = max(p[1] for p in points) * 1.05

    def at(x, y):
        return (left + 8 + (math.log2(x) - low) / (high - low) * (width - left - 20),
                bottom - max(min(y / top, 1), 0) * (bottom - 12))

    for value in ticks(0, top, 4):
        svg.line(left, at(2 ** low, value)[1], width - 5, at(2 ** low, value)[1], "grid")
        svg.text(left - 5, at(2 ** low, value)[1] + 4, short(value), "end", "small")
    for i in range(math.ceil(low), math.floor(high) + 1, 1 + int((high - low) / 6)):
        svg.text(at(2 ** i, 0)[0], bottom + 14, count(2 ** i), "middle", "small")
    for x, y, span in points[::1 + len(points) // MOST_DOTS]:
        svg.dot(*at(x, y), trace.colour_of(name), f"{plural(x, 'unit')} in {duration(span.end - span.begin)}: {y:.3g} a ms")
    if fitted:
        a, b, _ = fitted
        xs = [2 ** (low + (high - low) * i / 60) for i in range(61)]
        svg.path([at(x, a * math.log(x) + b) for x in xs], "curve fit")
    svg.text((left + width) / 2, height - 6, "units in a launch", "middle", "small")
    return svg, fitted


def shares(parts, title):
    """One bar of several parts: (label, value, classes)."""
    whole = sum(p[1] for p in parts)
    svg = Svg(500, 20, title + ": " + ", ".join(f"{p[0]} {percent(p[1], whole)}" for p in parts if p[1]))
    x = 0.0
    for label, value, classes in parts:
        if value and whole:
            svg.rect(x, 2, value / whole * 500, 16, classes, f"{label}: {percent(value, whole)}")
            x += value / whole * 500
    return svg
