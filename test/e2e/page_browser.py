"""What a browser shows of the page of a build: every view has content that can be read,
light and dark, and keys lead everywhere. Functions take the page's data (page_data.py)."""
import csv
import io
import os

import browser
import page_data
import page_views

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
        # Every layer of both is in the table.
        _, text = page_views.saved(tools, chromium, "layers", "CSV")
        rows = list(csv.DictReader(io.StringIO(text)))
        with open(path, encoding="utf-8") as f:
            for letter, build in zip("AB", page_data.builds_of(f.read())):
                cycles = sum(int(row["Cycles " + letter] or 0) for row in rows)
                tools.check(cycles == build["report"]["performance"]["cycles"], f"both: {letter} has {cycles} cycles in the table")
        tools.check("→" in chromium.run("document.getElementById('header').innerText"), "both: no changes at the top")
        tools.check(not chromium.complaints, f"both: {chromium.complaints}")
