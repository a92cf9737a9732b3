"""What a page holds: its data as lists of objects, and that they are true.

Example:
    build, = page_data.builds_of(text)
    page_data.check_frame(tools, text)
    for start, end, layer, kind, count in page_data.events_of(build["picture"]["tracks"][0]):
"""
import json
import os
import re

import page as diagnosis_page

SCRIPT = '<script type="application/json" id="data">'
# A page may hold no more than this, in bytes.
LARGEST_PAGE = 2_000_000


def unpack(value):
    """Lists of objects, of {columns, rows}."""
    if isinstance(value, list):
        return [unpack(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"columns", "rows"}:
        return [dict(zip(value["columns"], map(unpack, row))) for row in value["rows"]]
    return {key: unpack(item) for key, item in value.items()}


def builds_of(text):
    begin = text.index(SCRIPT) + len(SCRIPT)
    return unpack(json.loads(text[begin:text.index("</script>", begin)]))["builds"]


def events_of(track):
    """(start, end, layer, kind, count) of each."""
    flat, last, events = track["events"], 0, []
    for i in range(0, len(flat), 5):
        last += flat[i]
        events.append((last, last + flat[i + 1], *flat[i + 2:i + 5]))
    return events


def buffers_of(picture):
    """(name, offset, size, start, end, layer) of each."""
    flat, names = picture["buffers"], picture["buffer_names"]
    return [(names[flat[i]], flat[i + 1], flat[i + 2], flat[i + 3], flat[i + 3] + flat[i + 4],
             flat[i + 5]) for i in range(0, len(flat), 6)]


def check_frame(tools, text):
    page = Frame(text)
    for problem in page.problems:
        tools.check(False, problem)
    tools.check(not re.search(r"https?://(?!www\.w3\.org/)|@import|\bfetch\(|url\((?!#)", text),
                "the page asks for something from elsewhere")


class Frame(diagnosis_page.Page):
    """Also counts tags, but may have scripts of its own and links into itself."""

    def handle_starttag(self, tag, attributes):
        super().handle_starttag(tag, attributes)
        inside = ["<script>", "<a href=#views>"]
        self.problems = [p for p in self.problems if p not in inside]


def check_busy(tools, picture, performance):
    """Sums over the tracks of a unit are those of the report."""
    if picture["merged_below_cycles"]:
        return
    busy = {}
    for track in picture["tracks"]:
        busy.setdefault(track["unit"], []).append(sum(e[1] - e[0] for e in events_of(track)))
    tools.check(busy["tec"] == performance["tec_busy_cycles"], "the TECs are busy otherwise")
    tools.check(sum(busy["load"]) == performance["dma_load_busy_cycles"],
                "the load channels are busy otherwise")
    layers = performance["layers"]
    tools.check(sum(busy["te"]) == sum(l["tensor_engine_cycles"] for l in layers),
                "the tensor engine is busy otherwise")
    by_layer = [0] * len(layers)
    for track in picture["tracks"]:
        if track["unit"] == "tec":
            for start, end, layer, _, _ in events_of(track):
                by_layer[layer] += end - start
    tools.check(by_layer == [l["tec_cycles"] for l in layers], "TECs work for other layers")


def check_buffers(tools, picture):
    """Inside the SRAM and the run, and at no time at the same address."""
    buffers = buffers_of(picture)
    tools.check(buffers, "there are no buffers")
    for name, offset, size, start, end, _ in buffers:
        tools.check(offset + size <= picture["machine"]["sramBytes"] and
                    start <= end <= picture["cycles"], f"buffer {name} lies outside")
    buffers.sort(key=lambda b: b[3])
    live = []
    for buffer in buffers:
        live = [b for b in live if b[4] > buffer[3]]
        for other in live:
            tools.check(buffer[1] >= other[1] + other[2] or other[1] >= buffer[1] + buffer[2],
                        f"{buffer} and {other} overlap")
        live.append(buffer)


def check_drawing(tools, picture):
    """Edges lead downwards between nodes that do not overlap."""
    layout = picture["layout"]
    nodes = list(zip(layout["nodes"][::2], layout["nodes"][1::2]))
    tools.check(len(nodes) == sum(len(picture[k]) for k in ("inputs", "layers", "outputs")),
                "not every layer has a place")
    rows = {}
    for x, y in nodes:
        rows.setdefault(y, []).append(x)
    for row in rows.values():
        row.sort()
        for left, right in zip(row, row[1:]):
            tools.check(left + layout["node_width"] < right, "nodes overlap")
    reads = {to for _, to, *_ in layout["edges"]}
    for _, _, *points in layout["edges"]:
        heights = points[1::2]
        tools.check(all(a < b for a, b in zip(heights, heights[1:])), "an edge leads upwards")
    first = len(picture["inputs"])
    orphans = [picture["layers"][n - first]["name"] if n < first + len(picture["layers"])
               else picture["outputs"][n - first - len(picture["layers"])]["name"]
               for n in range(first, len(nodes)) if n not in reads]
    tools.check(not orphans, f"nothing leads to {orphans}")


def check_page(tools, path, report_path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    check_frame(tools, text)
    tools.check(len(text) < LARGEST_PAGE, f"the page has {len(text)} bytes")
    build, = builds_of(text)
    if report_path:
        with open(report_path, encoding="utf-8") as f:
            report = json.load(f)
        # But for folders, which are nobody's business.
        for part in set(report) | set(build["report"]):
            if part not in ("files", "diagnostics"):
                tools.check(build["report"].get(part) == report.get(part), f"the page has another {part}")
        tools.check(len(build["report"]["diagnostics"]) == len(report["diagnostics"]), "diagnostics are missing")
        for folder in (os.path.dirname(path), tools.root):
            tools.check(folder not in text, f"the page tells of {folder}")
    picture, performance = build["picture"], build["report"]["performance"]
    names = [layer["name"] for layer in picture["layers"]]
    tools.check(names == [l["name"] for l in performance["layers"] if l["name"] != "(none)"],
                "picture and report have different layers")
    tools.check(picture["cycles"] == performance["cycles"], "the picture has other cycles")
    check_busy(tools, picture, performance)
    check_buffers(tools, picture)
    check_drawing(tools, picture)
    return build
