"""What views of a page can do beside being looked at, in a browser.

Findings lead to their layers, figures beyond a threshold are marked by a sign, the
roofline says what it leaves out, tables are saved as CSV and drawings as SVG, and
histograms show what layers hold. Functions take the page's data (page_data.py).
"""
import csv
import io
import os
import sys
import time
import xml.etree.ElementTree

import browser
import common

SVG = "{http://www.w3.org/2000/svg}"
SAVED_WITHIN = 30  # seconds


def arguments(title):
    """The tools of a test of a page, which a browser opens if that is asked for and there is one."""
    def add_options(parser):
        parser.add_argument("--browser", action="store_true", help="open pages with Chromium")
        parser.add_argument("--pictures", metavar="FOLDER",
                            help="keep a picture of every view there, light and dark")

    tools = common.arguments(title, add_options)
    if tools.options.pictures:
        os.makedirs(tools.options.pictures, exist_ok=True)
    if tools.options.browser and not browser.program():
        print("skipped: no chromium")
        tools.clean()
        sys.exit(common.SKIPPED)
    return tools


def show(chromium, view):
    chromium.run(f"document.getElementById('tab-{view}').click()")
    chromium.settle()


def saved(tools, chromium, view, ending):
    """(name, text) of the file that a button of a view saves."""
    folder = tools.path("saved", "")
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    chromium.ask("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)
    show(chromium, view)
    chromium.run(f"[...document.querySelectorAll('#view-{view} .download')].find(b => b.textContent === '{ending}').click()")
    end = time.monotonic() + SAVED_WITHIN
    while time.monotonic() < end:
        names = os.listdir(folder)
        if names and names[0].endswith(ending.lower()):
            with open(os.path.join(folder, names[0]), encoding="utf-8") as f:
                text = f.read()
            if text:
                return names[0], text
        time.sleep(0.05)
    tools.check(False, f"{view} saves no {ending}")
    return "", ""


def check_drawings(tools, chromium, build, name):
    """SVG files that stand for themselves: no styles of the page, every layer in them."""
    layers = len(build["picture"]["layers"])
    wanted = {"graph": ("text", layers), "timeline": ("rect", 10), "sram": ("rect", 5), "roofline": ("path", 2)}
    if build["report"]["quantization"]:
        wanted["accuracy"] = ("path", 2)
    for view, (tag, least) in wanted.items():
        file, text = saved(tools, chromium, view, "SVG")
        if not text:
            continue
        root = xml.etree.ElementTree.fromstring(text)
        found = sum(1 for _ in root.iter(SVG + tag))
        tools.check(root.tag == SVG + "svg" and found >= least and "var(" not in text and "class=" not in text,
                    f"{name}: {file} has {found} <{tag}>")


def check_table(tools, chromium, build, name):
    """The largest share first, a total, figures in one line, and the same as CSV."""
    show(chromium, "layers")
    layers = build["report"]["performance"]["layers"]
    first = chromium.run("document.querySelector('#view-layers tbody tr td:nth-child(2)').innerText")
    most = max(layers, key=lambda layer: layer["cycles"])
    tools.check(first == most["name"], f"{name}: {first} comes first, not {most['name']}")
    total = chromium.run("document.querySelector('#view-layers tfoot').innerText")
    tools.check(f"{build['report']['performance']['cycles']:,}" in total, f"{name}: the total is {total!r}")
    high = chromium.run("""[...document.querySelectorAll('#view-layers td.n')].filter(cell => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map(box => Math.round(box.bottom / 8))).size > 1;
    }).length""")
    tools.check(high == 0, f"{name}: {high} figures are broken into lines")
    _, text = saved(tools, chromium, "layers", "CSV")
    rows = list(csv.DictReader(io.StringIO(text)))
    tools.check(len(rows) == len(layers) and
                sum(int(row["Cycles"]) for row in rows) == build["report"]["performance"]["cycles"] and
                {row["Layer"] for row in rows} == {layer["name"] for layer in layers},
                f"{name}: the CSV has {len(rows)} rows")


def check_findings(tools, chromium, build, name):
    show(chromium, "findings")
    found = chromium.run("document.querySelectorAll('#view-findings .doctor').length")
    tools.check(found == len(build["findings"]), f"{name}: {found} of {len(build['findings'])} findings")
    signs = chromium.run("[...document.querySelectorAll('#view-findings .doctor h3 .level')].every(l => /[▲✖]/.test(l.textContent))")
    tools.check(signs, f"{name}: findings without a sign")
    link = "document.querySelector('#view-findings .layer-link')"
    if any(finding["layers"] for finding in build["findings"]):
        layer = chromium.run(f"{link}.textContent")
        chromium.run(f"{link}.click()")
        title = chromium.run("document.getElementById('details').hidden ? '' : document.querySelector('#details h2').textContent")
        tools.check(layer and (layer == title or layer in title), f"{name}: {layer!r} leads to {title!r}")
        chromium.press("Escape")
        back = chromium.run("document.activeElement.textContent")
        tools.check(back == layer, f"{name}: Escape leads to {back!r}")


def check_roofline(tools, chromium, build, name):
    """What is left out is said, by number and cycles; bytes and time have no such layers."""
    show(chromium, "roofline")
    layers = build["report"]["performance"]["layers"]
    cycles = build["report"]["performance"]["cycles"]
    view = "document.querySelector('#view-roofline"
    for choice, is_shown in (("time", lambda l: l["cycles"] > 0), ("work", lambda l: l["macs"] > 0 and l["cycles"] > 0)):
        chromium.run(f"{view} [data-choice={choice}]').click()")
        chromium.settle()
        points = chromium.run("document.querySelectorAll('#view-roofline .mark[role=option]').length")
        left = [layer for layer in layers if not is_shown(layer)]
        said = chromium.run(f"{view} .left-out').textContent").replace("\u00a0", " ")
        share = f"{100 * sum(layer['cycles'] for layer in left) / cycles:,.1f} %"
        wanted = f"{len(left):,} of {len(layers):,}" if left else "all"
        tools.check(points == len(layers) - len(left) and wanted in said and (not left or share in said),
                    f"{name}: {choice}: {points} points, {said!r}")
        tools.check(chromium.run(f"{view} .roof') !== null"), f"{name}: {choice}: there is no roof")
    before = chromium.run(f"{view} .mark[role=option]').getAttribute('d')")
    chromium.run(f"{view} [data-choice=bytes]').click()")
    after = chromium.run(f"{view} .mark[role=option]').getAttribute('d')")
    tools.check(before != after, f"{name}: areas do not show bytes")
    chromium.run(f"{view} [data-choice=cycles]').click()")


def open_details(chromium, build, index):
    """Those of a layer, as text."""
    node = len(build["picture"]["inputs"]) + index
    show(chromium, "graph")
    chromium.run(f"document.querySelector('.node[data-id=\"{node}\"]').dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
    return chromium.run("document.getElementById('details').innerText")


def check_attributes(tools, chromium, build, name):
    """Every page shows those of the layers, as the network or the executable has them."""
    facts = {entry["name"]: entry for entry in build["layer_facts"]}
    layers = build["picture"]["layers"]
    index = next((i for i, layer in enumerate(layers) if facts[layer["members"][0]]["attributes"]), None)
    if index is None:
        return tools.check(False, f"{name}: no layer has attributes")
    text = open_details(chromium, build, index)
    for member in layers[index]["members"]:
        for key in facts[member]["attributes"]:
            tools.check(key in text, f"{name}: {member} lacks {key}")
    chromium.press("Escape")
    return None


def check_histograms(tools, chromium, build, name):
    """Those of a layer with weights: of what it holds and what it makes."""
    facts = {entry["name"]: entry for entry in build["layer_facts"]}
    for index, layer in enumerate(build["picture"]["layers"]):
        own = [facts[member] for member in layer["members"] if member in facts]
        wanted = sum(1 for entry in own for part in entry["constants"] if part["values"] and len(part["values"]["counts"]) > 1)
        made = sum(1 for entry in own for part in entry["results"] if part["values"])
        if not wanted or not made:
            continue
        open_details(chromium, build, index)
        seen = chromium.run("document.querySelectorAll('#details .histogram').length")
        tools.check(seen == wanted + made, f"{name}: {layer['name']} has {seen} histograms, not {wanted + made}")
        chromium.press("Escape")
        return
    has_constants = any(entry["constants"] for entry in build["layer_facts"])
    tools.check(not has_constants, f"{name}: no layer has weights and values")


def check_all(tools, chromium, build, name):
    for check in (check_findings, check_table, check_roofline, check_attributes, check_histograms, check_drawings):
        check(tools, chromium, build, name)
