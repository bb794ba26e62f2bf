# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Part of agglom-report: the page, a section a function.

STYLE = """
:root { color-scheme: light dark; --back: #ffffff; --fore: #1c2024; --soft: #5a6470; --rule: #d5dae0; --track: #f2f4f6;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #b85c93; --c4: #9a7d00; --c5: #2f9fd8; --c6: #7a828a;
  --wait: #dfe4ea; --work: #3c4650; --copy: #8d98a5; }
@media (prefers-color-scheme: dark) { :root { --back: #15181c; --fore: #e8eaed; --soft: #a3adb8; --rule: #3a424b;
  --track: #1f242a; --c0: #4aa3df; --c1: #f0803c; --c2: #2fc39a; --c3: #d98ab8; --c4: #d9b62c; --c5: #86cdf2;
  --c6: #98a1aa; --wait: #2f3740; --work: #d3d9df; --copy: #77828e; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem; max-width: 1168px; background: var(--back); color: var(--fore);
  font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; } h3 { font-size: 1rem; margin: .6rem 0 .2rem; }
p { margin: .3rem 0; } .soft { color: var(--soft); } code { font-size: .95em; }
.note { border-left: 4px solid var(--c1); padding: .3rem .8rem; margin: 1rem 0; background: var(--track); }
dl.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: .6rem; margin: 1.2rem 0 0; }
dl.tiles div { background: var(--track); padding: .5rem .8rem; border-radius: 6px; }
dl.tiles dt { color: var(--soft); font-size: .85rem; } dl.tiles dd { margin: 0; font-size: 1.25rem; }
.wide { overflow-x: auto; } .grid { display: flex; flex-wrap: wrap; gap: 1rem 2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--rule); }
th { font-weight: 600; } th:first-child, td:first-child, th.left { text-align: left; } caption { text-align: left; white-space: nowrap; color: var(--soft); }
ul.key { list-style: none; display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; padding: 0; margin: .3rem 0; }
ul.key svg { vertical-align: -2px; margin-right: .4rem; }
svg { max-width: none; } svg text { fill: var(--fore); font-size: 13px; } svg text.small { font-size: 11px; fill: var(--soft); }
svg text.strong { font-weight: 600; } .grid-line, line.grid { stroke: var(--rule); stroke-width: 1; } .track { fill: var(--track); }
.wait { fill: var(--wait); } .work { fill: var(--work); } .copy { fill: var(--copy); }
.failed { stroke: var(--fore); stroke-width: 2; stroke-dasharray: 3 2; }
path.curve { fill: none; stroke-width: 1.8; } path.k0 { stroke: var(--c0); } path.k1 { stroke: var(--c1); } path.fit { stroke: var(--fore); }
rect.k0 { fill: var(--c0); } rect.k1 { fill: var(--c1); }
""" + "\n".join(f".c{i} {{ fill: var(--c{i}); }}" for i in range(COLOURS)) + """
@media print { body { max-width: none; } }
"""


def key(entries):
    """(classes, label) each."""
    items = (f'<li><svg width="14" height="14" aria-hidden="true"><rect width="14" height="14" class="{c}"/></svg>'
             f"{escape(label)}</li>" for c, label in entries)
    return '<ul class="key">' + "".join(items) + "</ul>"


def table(head, rows, caption=""):
    cells = "".join(f'<th scope="col">{escape(h)}</th>' for h in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table><caption>{escape(caption)}</caption><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div>'


def busy(spans):
    """Seconds in which at least one of the spans was."""
    total, end = 0.0, -1.0
    for span in sorted(spans, key=lambda s: s.begin):
        total += max(0.0, span.end - max(span.begin, end))
        end = max(end, span.end)
    return total


def sums(task):
    """What a task did on all its devices."""
    total = collections.Counter()
    for device in task["devices"]:
        total.update({k: v for k, v in device.items() if isinstance(v, int)})
    return total


def tiles(trace):
    total, devices = trace.report["total"], collections.Counter()
    for task in trace.report["tasks"]:
        devices.update(sums(task))
    kernels = busy([s for s in trace.spans if s.kind == "device" and s.name == "kernel"])
    launches = total["launches"]
    ran = total["on_devices"] + total["on_cpu"]
    entries = [
        ("time", duration(trace.length)),
        ("units", count(ran)),
        ("on devices", percent(total["on_devices"], ran)),
        ("launches", count(launches)),
        ("units a launch", f"{total['on_devices'] / launches:.3g}" if launches else "–"),
        ("a kernel runs", percent(kernels, trace.length)),
        ("to devices", size(devices["bytes_in"])),
        ("there already", size(devices["bytes_reused"])),
        ("back", size(devices["bytes_out"])),
        ("failed batches", count(total["failed"])),
    ]
    for meter in trace.report.get("energy", []):
        if "microjoules" in meter:
            joules, seconds = meter["microjoules"] * 1e-6, meter["ns"] * NS
            watts = f", {joules / seconds:.3g} W" if seconds > 0 else ""
            entries.append((f"energy of {meter['of']}", f"{joules:.3g} J{watts}"))
    return '<dl class="tiles">' + "".join(f"<div><dt>{escape(k)}</dt><dd>{escape(v)}</dd></div>" for k, v in entries) + "</dl>"


def nothing(heading, why):
    return [f"<h2>{heading}</h2>", f'<p class="soft">There is nothing to show: {why}.</p>']


def section_timeline(trace, window):
    entries = [(trace.colour_of(t), t) for t in dict.fromkeys(trace.tasks[:COLOURS])]
    if len(trace.colour) > COLOURS:
        entries[-1] = (entries[-1][0], "other tasks")
    entries += [("copy", "copies"), ("work", "staging, launching, committing"), ("wait", "waiting")]
    parts = ["<h2>Timeline</h2>", key(entries), f'<div class="wide">{timeline(trace, window)}</div>',
             '<p class="soft">A slot shows its batch above, and below what the device did for it. Perfetto '
             "(ui.perfetto.dev) opens the trace file for a closer look; <code>--from</code> and <code>--to</code> "
             "limit this page to a part.</p>"]
    if trace.counters.get("units"):
        names = ["waiting", "on devices"]
        parts += ["<h3>Units</h3>", key([("k0", "waiting"), ("k1", "in batches on devices")]),
                  f'<div class="wide">{steps(trace, window, "units", names, count, "Units waiting and on devices")}</div>']
    if trace.counters.get("bytes"):
        names = ["to devices", "back"]
        parts += ["<h3>Bytes moved, in all</h3>", key([("k0", "to devices"), ("k1", "back")]),
                  f'<div class="wide">{steps(trace, window, "bytes", names, size, "Bytes moved so far")}</div>']
    return parts


def section_sizes(trace):
    charts = []
    for task in trace.report["tasks"]:
        svg = histogram(trace, task)
        if svg:
            charts.append(f"<div><h3>{escape(task['name'])}</h3>{svg}</div>")
    if not charts:
        return nothing("Batch sizes", "no batch was formed")
    return ["<h2>Batch sizes</h2>", key([("k0", "launches on devices"), ("k1", "batches on the CPU")]),
            f'<div class="grid">{"".join(charts)}</div>']


def section_throughput(trace):
    charts = []
    for name in dict.fromkeys(trace.tasks):
        svg, fitted = throughput(trace, name)
        if not svg:
            continue
        if fitted:
            a, b, share = fitted
            text = f"{a:.3g} · ln(x) {'+' if b >= 0 else '−'} {abs(b):.3g}, R² {share:.2f}"
        else:
            text = "all launches are of one size: nothing to fit"
        charts.append(f'<div><h3>{escape(name)}</h3>{svg}<p class="soft">{escape(text)}</p></div>')
    if not charts:
        return nothing("Throughput against launch size", "no batch was launched on a device")
    return ["<h2>Throughput against launch size</h2>",
            '<p class="soft">Units a millisecond, from forming a batch to its commit, so transfers are included. The line '
            "is a · ln(x) + b by least squares. Where it is flat, larger launches gain nothing.</p>",
            f'<div class="grid">{"".join(charts)}</div>']


def section_shares(trace):
    """A loop's chunks are of different sizes, so its iterations make the bar, where they are known."""
    rows, head = [], ["units on devices", "units on the CPU"]
    loops = any(t.get("loop") for t in trace.report["tasks"])
    if loops:
        head += ["iterations on devices", "on the CPU", "cut beforehand", "schedule"]
    for task in trace.report["tasks"]:
        places, loop = (sums(task), task["cpu"]), task.get("loop")
        cells = [count(p["units"]) for p in places]
        if loops:
            cells += [count(p.get("iterations", 0)) for p in places] if loop else ["", ""]
            cells += [count(loop["cut_iterations"]), loop["schedule"]] if loop else ["", ""]
        of = "iterations" if loop and any(p.get("iterations") for p in places) else "units"
        bar = shares([("devices", places[0][of], "k0"), ("CPU", places[1][of], "k1")], f"{task['name']} by place, in {of}")
        rows.append(f"<tr><td>{escape(task['name'])}</td><td>{bar}</td>"
                    + "".join(f"<td>{escape(c)}</td>" for c in cells) + "</tr>")
    if not rows:
        return nothing("Where units ran", "no unit was submitted")
    columns = "".join(f'<th scope="col">{h}</th>' for h in head)
    return ["<h2>Where units ran</h2>", key([("k0", "on devices"), ("k1", "on the CPU")]),
            '<div class="wide"><table><thead><tr><th scope="col">task</th><th scope="col" class="left">share</th>'
            f'{columns}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>']


def reasons_of(task, side):
    """Counts of a task's launches ("launches") or batches on the CPU."""
    on_cpu = collections.Counter(task.get("cpu_reasons", {}))
    return on_cpu if side != "launches" else collections.Counter(task["reasons"]) - on_cpu


def section_reasons(trace):
    sides = {side: [(t["name"], reasons_of(t, side)) for t in trace.report["tasks"]] for side in ("launches", "CPU batches")}
    found = sum((counts for of in sides.values() for _, counts in of), collections.Counter())
    if not found:
        return nothing("Why batches were launched", "no batch was formed")
    used = [r for r in trace.report["tasks"][0]["reasons"] if found[r]]
    parts, rows = ["<h2>Why batches were launched</h2>",
                   key([(f"c{i % COLOURS}", REASONS.get(r, r)) for i, r in enumerate(used)])], []
    for side, of in sides.items():
        of = [(name, counts) for name, counts in of if any(counts.values())]
        if not of:
            continue
        of.append(("all", sum((counts for _, counts in of), collections.Counter())))
        bar = shares([(REASONS.get(r, r), of[-1][1][r], f"c{i % COLOURS}") for i, r in enumerate(used)], f"Reasons of {side}")
        parts.append(f"<p>{escape(side)} {bar}</p>")
        rows += [[name, side, *(count(counts[r]) for r in used)] for name, counts in of]
    return [*parts, table(["task", "of", *(REASONS.get(r, r) for r in used)], rows)]


def section_bytes(trace):
    rows = []
    for task in trace.report["tasks"]:
        for d in task["devices"]:
            per = max(d["launches"], 1)
            rows.append([task["name"], d["device"], count(d["launches"]), count(d["failed"]), short(d["chains"] / per),
                         size(d["bytes_in"]), size(d["bytes_direct"]), size(d["bytes_reused"]), size(d["bytes_out"]),
                         size(d["bytes_in"] / per), duration(d["stage_ns"] * NS), duration(d["kernel_ns"] * NS),
                         duration(d["total_ns"] * NS)])
    if not rows:
        return nothing("Bytes and time on devices", "no batch was launched on a device")
    return ["<h2>Bytes and time on devices</h2>",
            table(["task", "device", "launches", "failed", "chains a launch", "in", "without staging", "there already", "back",
                   "in a launch", "staging", "kernels", "in all"], rows,
                  "Batches overlap, so the sum of the last column may exceed the program's time.")]


def settings(under):
    """Under which policies and on what the program ran."""
    if not under:
        return []
    cores = f" of {plural(under['cores_of_each'], 'core')} each" if under["cores_of_each"] > 1 else ""
    where = ", ".join(under["devices"]) or "no device"
    text = [f"batch {under['batch']}, split {under['split']}, objective {under['objective']}; "
            f"{plural(under['workers'], 'worker')}{cores}, {where}"]
    if not under["devices"]:
        text.append("Batch and split had no effect: there was no device.")
    if under["objective_why_not"]:
        text.append(f"The objective had no effect, and time was minimised: {under['objective_why_not']}")
    return [f'<p class="soft">{escape(line)}</p>' for line in text]


def page(trace, window, title):
    lost = {k.replace("_", " ").replace("cpu", "CPU"): n for k, n in trace.lost.items() if n}
    body = [f"<h1>{escape(title)}</h1>",
            f'<p class="soft">process {trace.process}, started {escape(trace.started)}, agglom {escape(trace.version)}</p>']
    body += settings(trace.report.get("settings"))
    if lost:
        what = ", ".join(f"{count(n)} {k}" for k, n in lost.items())
        body.append(f'<p class="note">The timeline and the throughput lack {escape(what)}: AGGLOM_TRACE_MEMORY was too small '
                    "for this run. All other numbers are complete.</p>")
    for device in trace.report["devices"]:
        if device.get("lost"):
            body.append(f'<p class="note">{escape(device["device"])} was lost: what it had not completed ran elsewhere.</p>')
    if (window.begin, window.end) != (0, trace.length):
        body.append(f'<p class="note">The timeline shows {duration(window.begin)} to {duration(window.end)}.</p>')
    body.append(tiles(trace))
    for meter in trace.report.get("energy", []):
        if "why_not" in meter:
            body.append(f'<p class="soft">energy of {escape(meter["of"])}: unknown ({escape(meter["why_not"])})</p>')
    if not trace.report["tasks"]:
        body.append('<p class="note">The program submitted no work unit while it was traced.</p>')
    body += section_timeline(trace, window)
    body += section_shares(trace) + section_sizes(trace) + section_throughput(trace)
    body += section_reasons(trace) + section_bytes(trace)
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
            f'content="width=device-width, initial-scale=1"><title>{escape(title)}</title><style>{STYLE}</style></head>\n'
            f"<body><main>\n" + "\n".join(body) + "\n</main></body></html>\n")
