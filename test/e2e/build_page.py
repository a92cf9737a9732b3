"""The page of `yarrow build --html`: whole, self-contained, and true.

What it shows is what the report beside it says; units are busy as long as the
report counts; no two buffers have the same bytes of the SRAM at the same time.
With --browser a Chromium opens pages of the example, of a network of 1,000 layers and
of a real one (skipped where there is none): every view has content, keys lead
everywhere, all text can be read, light and dark, and the console stays empty. How
long a page takes to load is printed.
"""
import array
import json
import os
import random
import re
import sys

import browser
import common
import page as diagnosis_page
import page_views
from networks import Graph, write_graphs

SCRIPT = '<script type="application/json" id="data">'
# A page may hold no more than this, in bytes.
LARGEST_PAGE = 2_000_000
MANY_LAYERS = 1000
# A network of many layers with trained or random weights, its folder among the packs.
REAL_NETWORK = "models/mobilenet_v2_rand_pt_sym"


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


#--- What the page holds ----------------------------------------------------

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


#--- What a browser shows ---------------------------------------------------

VIEWS = ("graph", "findings", "timeline", "sram", "roofline", "layers", "accuracy")

# Texts that cannot be read on what is behind them, by WCAG's formula; and how many
# texts were looked at.
CONTRAST = r"""(() => {
  const pen = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const rgba = colour => {
    pen.clearRect(0, 0, 1, 1); pen.fillStyle = colour; pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data];
  };
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ratio = (a, b) => {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = element => {
    const node = element.closest(".node");
    if (node) return rgba(getComputedStyle(node.querySelector(
      element.matches(".unit") ? ".band" : ".box")).fill);
    const legend = element.closest(".legend svg");
    if (legend && element.tagName === "text") return rgba(getComputedStyle(legend.querySelector("path")).fill);
    for (let e = element; e; e = e.parentElement) {
      const colour = rgba(getComputedStyle(e).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return rgba(getComputedStyle(document.body).backgroundColor);
  };
  const bad = [];
  let seen = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || ["SCRIPT", "NOSCRIPT", "STYLE", "title"].includes(element.tagName) ||
        !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const found = ratio(rgba(element.namespaceURI.endsWith("svg") ? style.fill : style.color), behind(element));
    ++seen;
    if (found < 4.5) bad.push(`${walker.currentNode.data.trim()} in ${element.outerHTML.slice(0, 120)}: ${found.toFixed(2)}`);
  }
  // What canvases write, and on what.
  const of = name => rgba(getComputedStyle(document.documentElement).getPropertyValue("--" + name));
  for (const [text, back] of [["text", "page"], ["muted", "page"], ["on-engine", "tensor"], ["on-engine", "tec"],
      ["on-engine", "dma"], ["on-engine", "other"]])
    if (ratio(of(text), of(back)) < 4.5) bad.push(`${text} on ${back}`);
  return {seen, bad};
})()"""

# What can be seen of a view: its elements, and what a canvas drew.
CONTENT = """(id => {
  const view = document.getElementById("view-" + id), box = view.getBoundingClientRect();
  const canvas = view.querySelector("canvas.plot");
  const colours = new Set();
  if (canvas) {
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < data.length; i += 4) colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
  }
  const count = what => view.querySelectorAll(what).length;
  return {hidden: view.hidden, width: box.width, height: box.height, nodes: count(".node"), edges: count(".edge") && Number(view.querySelector(".edge").dataset.edges),
    drawn: count(".node .box"),
    marks: canvas ? Number(canvas.dataset.marks) : 0, colours: colours.size, points: count(".mark[role=option]"),
    roofs: count(".roof"), rows: count("tbody tr"), text: view.innerText.length, losses: count(".loss"),
    findings: count(".findings li")};
})"""


def check_views(tools, chromium, build, name):
    picture, report = build["picture"], build["report"]
    layers = report["performance"]["layers"]
    structure = {}
    for view in VIEWS:
        chromium.run(f"document.getElementById('tab-{view}').click()")
        chromium.settle()
        chromium.settle()
        seen = structure[view] = chromium.run(CONTENT + f"('{view}')")
        tools.check(not seen["hidden"] and seen["width"] > 300 and seen["height"] > 200 and
                    seen["text"] > 20, f"{name}: {view} is not there: {seen}")
        for is_dark in (False, True):
            chromium.set_dark(is_dark)
            chromium.settle()
            if tools.options.pictures:
                shade = "dark" if is_dark else "light"
                chromium.picture(os.path.join(tools.options.pictures, f"{name}_{view}_{shade}.png"))
            contrast = chromium.run(CONTRAST)
            tools.check(contrast["seen"] > 10 and not contrast["bad"],
                        f"{name}: {view} cannot be read, dark {is_dark}: {contrast['bad'][:3]}")
        chromium.set_dark(False)
    graph = structure["graph"]
    tools.check(graph["nodes"] == len(picture["layout"]["nodes"]) // 2 and
                graph["edges"] == len(picture["layout"]["edges"]) and graph["drawn"] >= 5,
                f"{name}: {graph}")
    events = sum(len(track["events"]) // 5 for track in picture["tracks"])
    tools.check(structure["timeline"]["marks"] == events and structure["timeline"]["colours"] > 4,
                f"{name}: of {events} events {structure['timeline']}")
    tools.check(structure["sram"]["marks"] == len(picture["buffers"]) // 6 and
                structure["sram"]["colours"] > 4, f"{name}: {structure['sram']}")
    points = sum(1 for layer in layers if layer["macs"] and layer["cycles"])
    tools.check(structure["roofline"]["points"] == points and structure["roofline"]["roofs"] == 1,
                f"{name}: of {points} points {structure['roofline']}")
    tools.check(structure["layers"]["rows"] == len(layers), f"{name}: {structure['layers']}")
    tools.check(structure["findings"]["findings"] == len(report["diagnostics"]),
                f"{name}: {structure['findings']}")
    if report["quantization"]:
        tools.check(structure["accuracy"]["losses"] == 2, f"{name}: {structure['accuracy']}")


FOCUS = """(e => ({tag: e.tagName, id: e.id, role: e.getAttribute("role"), label: e.getAttribute("aria-label"),
  node: e.dataset.id || "", visible: getComputedStyle(e).outlineStyle !== "none" ||
    parseFloat(getComputedStyle(e.querySelector(".box") || e).strokeWidth) >= 4,
  text: e.textContent.slice(0, 60)}))(document.activeElement)"""


def check_keys(tools, chromium, build, name):
    """From the top with Tab, through the views with arrows, into a layer and back."""
    def focus():
        return chromium.run(FOCUS)

    def expect(condition, what):
        tools.check(condition, f"{name}: {what}: {focus()}")

    picture = build["picture"]
    edges = picture["layout"]["edges"]
    chromium.run("document.getElementById('tab-graph').click(); document.activeElement.blur()")
    for _ in range(3):
        chromium.press("Tab")
        if focus()["role"] == "tab":
            break
    expect(focus()["id"] == "tab-graph" and focus()["visible"], "Tab leads to the tabs")
    chromium.press("ArrowRight")
    expect(focus()["id"] == "tab-findings", "an arrow leads to the next view")
    chromium.press("End")
    chromium.press("ArrowRight")
    expect(focus()["id"] == "tab-graph", "behind the last view comes the first")
    stops = []
    for _ in range(8):
        chromium.press("Tab")
        stops.append(focus())
        if stops[-1]["role"] == "option":
            break
        tools.check(stops[-1]["visible"], f"{name}: the focus cannot be seen: {stops[-1]}")
    expect(focus()["role"] == "option" and focus()["node"] == "0", "Tab leads into the network")
    # Down the network: each is one that the last one leads to.
    steps = 0
    while steps < 30:
        before = int(focus()["node"])
        chromium.press("ArrowDown")
        after = int(focus()["node"])
        if after == before:
            break
        steps += 1
        tools.check(any(e[0] == before and e[1] == after for e in edges),
                    f"{name}: no edge from {before} to {after}")
    expect(steps >= 5, "arrows lead down the network")
    chromium.press("ArrowUp")
    expect(focus()["visible"], "the layer with the focus is marked")
    at = focus()["node"]
    first = len(picture["inputs"])
    layer = build["report"]["performance"]["layers"][int(at) - first]
    chromium.press("Enter")
    details = chromium.run("document.getElementById('details').hidden ? '' : document.getElementById('details').innerText")
    for text in (layer["name"], f"{layer['cycles']:,}", f"{layer['bound_cycles']:,}", layer["limit"],
                 f"{layer['macs']:,}"):
        tools.check(text in details, f"{name}: the details lack {text!r}")
    tools.check(chromium.run(f"document.querySelector('[aria-selected=true][data-id=\"{at}\"]') !== null"),
                f"{name}: the layer is not selected")
    chromium.press("Escape")
    expect(chromium.run("document.getElementById('details').hidden") and focus()["node"] == at,
           "Escape leads back to the layer")
    check_plot_keys(tools, chromium, name, expect)


def check_plot_keys(tools, chromium, name, expect):
    for view in ("timeline", "sram"):
        chromium.run(f"document.getElementById('tab-{view}').click(); document.querySelector('#view-{view} canvas').focus()")
        chromium.press("ArrowRight")
        one = chromium.run("document.getElementById('tooltip').innerText")
        chromium.press("ArrowRight")
        two = chromium.run("document.getElementById('tooltip').innerText")
        tools.check(one and two and one != two, f"{name}: {view}: {one!r} then {two!r}")
        before = chromium.run(f"document.querySelector('#view-{view} canvas').dataset.marks")
        for _ in range(6):
            chromium.press("+")
        after = chromium.run(f"document.querySelector('#view-{view} canvas').dataset.marks")
        tools.check(int(after) < int(before), f"{name}: {view} does not zoom")
        chromium.press("Enter")
        expect(chromium.run("document.activeElement.id") == "details", f"Enter shows details in {view}")
        chromium.press("Escape")
        chromium.press("0")
    for view, what in (("roofline", ".mark[tabindex='0']"), ("layers", "tr[tabindex='0']")):
        chromium.run(f"document.getElementById('tab-{view}').click()")
        chromium.settle()
        chromium.run(f"document.querySelector(\"#view-{view} {what}\").focus()")
        first = chromium.run("document.activeElement.textContent + document.activeElement.getAttribute('aria-label')")
        chromium.press("ArrowDown")
        second = chromium.run("document.activeElement.textContent + document.activeElement.getAttribute('aria-label')")
        tools.check(first != second, f"{name}: arrows do not move in {view}")
        chromium.press("Enter")
        expect(chromium.run("document.activeElement.id") == "details", f"Enter shows details in {view}")
        chromium.press("Escape")
    chromium.run("document.querySelector('#view-layers thead th:nth-child(6) button').click()")
    cells = chromium.run("[...document.querySelectorAll('#view-layers tbody tr td:nth-child(6)')].map(c => c.innerText)")
    counts = [int(c.replace(",", "")) for c in cells]
    tools.check(counts == sorted(counts, reverse=True), f"{name}: the table is not sorted: {counts[:5]}")


def open_page(tools, path, build, name, keys=True):
    with browser.open_browser() as chromium:
        seconds = chromium.load(path)
        drawn = chromium.run("document.documentElement.dataset.ready")
        print(f"{name}: {os.path.getsize(path):,} bytes, {len(build['picture']['layers']):,} layers, "
              f"{seconds:.2f} s to load, drawn after {drawn} ms")
        check_views(tools, chromium, build, name)
        if keys:
            check_keys(tools, chromium, build, name)
        page_views.check_all(tools, chromium, build, name)
        tools.check(not chromium.complaints, f"{name}: {chromium.complaints}")
        tools.check(chromium.requests == ["file://" + path], f"{name}: {chromium.requests}")


def open_comparison(tools, path):
    with browser.open_browser() as chromium:
        chromium.load(path)
        for view, what, least in (("graph", ".net", 2), ("timeline", "canvas.plot", 2), ("sram", "canvas.plot", 2),
                                  ("roofline", ".mark.b", 3), ("layers", "tbody tr", 5)):
            chromium.run(f"document.getElementById('tab-{view}').click()")
            chromium.settle()
            found = chromium.run(f"document.querySelectorAll('#view-{view} {what}').length")
            tools.check(found >= least, f"both: {found} {what} in {view}")
            contrast = chromium.run(CONTRAST)
            tools.check(not contrast["bad"], f"both: {view}: {contrast['bad'][:3]}")
        tools.check("→" in chromium.run("document.getElementById('header').innerText"), "both: no changes at the top")
        tools.check(not chromium.complaints, f"both: {chromium.complaints}")


#--- Networks ----------------------------------------------------------------

def build_digits(tools):
    """(page, report) of the example, whose output differs from that of a build."""
    digits = os.path.join(tools.root, "examples", "digits")
    page, out = tools.path("digits.html"), tools.path("digits", "")
    tools.yarrow("build", os.path.join(digits, "net.cfg"), "-o", out, "--brief", "--html", page)
    return page, out + "report.json"


def build_many(tools):
    """Of 1,000 layers: blocks of branches that come together."""
    rng = random.Random(7)
    graph = Graph("main", bytearray(), rng)
    x = graph.conv(graph.input([1, 6, 6, 8]), 8, kernel=1)
    # The larger of two values stays as large, through all of them.
    for _ in range(MANY_LAYERS // 5 + 1):
        left = graph.conv(graph.conv(x, 4, kernel=1), 4, kernel=1)
        both = graph.concat([left, graph.conv(x, 4, kernel=1)], 3)
        x = graph.layer("Eltwise", [x, both], x[1], "float32", "method=MAX", "with_activation=NONE")
    graph.outputs = [x]
    folder = tools.path("many", "")
    write_graphs(folder, [graph])
    common.write_npy(folder + "data.npy", [2, 6, 6, 8], array.array(
        "f", (rng.gauss(0, 1) for _ in range(2 * 6 * 6 * 8))))
    config = folder + "net.cfg"
    with open(config, "w", encoding="utf-8") as f:
        f.write("[Common]\nmode = run\n[Optimizer]\ngraph = float.txt\nbin = float.bin\n"
                "model_name = many\ncalibration_data = data.npy\n"
                f"output_dir = {folder}out\n[GBuilder]\ntarget = X2_1204\n")
    page = tools.path("many.html")
    tools.yarrow("build", config, "--brief", "--html", page)
    return page, folder + "out/report.json"


def run_real(tools):
    """The page of an executable alone."""
    network = tools.pack(REAL_NETWORK, "int")
    sample = tools.pack(REAL_NETWORK, "sample0")
    shape, _, _ = common.read_npy(os.path.join(sample, "float_input_0.npy"))
    data = tools.path("real.npy")
    common.write_npy(data, shape, common.read_npy(os.path.join(sample, "float_input_0.npy"))[2])
    tools.yarrow("compile", network + ".txt", "-w", network + ".bin", "-o", tools.path("real.bin"))
    page, report = tools.path("real.html"), tools.path("real.json")
    tools.yarrow("run", tools.path("real.bin"), "-i", data, "-o", tools.path("y.npy"),
                 "--html", page, "--report", report)
    return page, report


def main():
    def add_options(parser):
        parser.add_argument("--browser", action="store_true", help="open pages with Chromium")
        parser.add_argument("--pictures", metavar="FOLDER",
                            help="keep a picture of every view there, light and dark")

    tools = common.arguments("Check the page of a build", add_options)
    if tools.options.pictures:
        os.makedirs(tools.options.pictures, exist_ok=True)
    if tools.options.browser and not browser.program():
        print("skipped: no chromium")
        tools.clean()
        sys.exit(common.SKIPPED)
    pages = {"digits": build_digits(tools), "many": build_many(tools)}
    if os.path.isdir(tools.pack(REAL_NETWORK)):
        pages["mobilenet_v2"] = run_real(tools)
    for name, (path, report) in pages.items():
        build = check_page(tools, path, report)
        if name == "many":
            tools.check(len(build["picture"]["layers"]) >= MANY_LAYERS,
                        f"only {len(build['picture']['layers'])} layers")
        if tools.options.browser:
            open_page(tools, path, build, name)
    if tools.options.browser:
        both = tools.path("both.html")
        slow = tools.path("slow.bin")
        folder = os.path.dirname(pages["digits"][1])
        tools.yarrow("compile", folder + "/digits_o.txt", "--no-optimize", "-o", slow)
        tools.yarrow("diff", pages["digits"][1], slow, "--html", both, ok=(3,))
        open_comparison(tools, both)
    tools.finish()


if __name__ == "__main__":
    main()
