"""The page of `yarrow diagnose --html`: whole, self-contained, and with its plots.

Every tag is closed, nothing is fetched from anywhere and nothing is run; each part
is there with as many marks as the report has layers. With --browser Chromium reads
it too (skipped where there is none) and must find the same elements.
"""
import collections
import html.parser
import json
import os
import shutil
import subprocess
import sys

import common

EMPTY = {"meta", "br"}


class Page(html.parser.HTMLParser):
    """Counts elements; notes tags that are not closed, and what is fetched."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.counts = collections.Counter()
        self.ids, self.problems, self.open = set(), [], []
        self.feed(text)
        self.close()
        if self.open:
            self.problems.append(f"not closed: {self.open}")

    def handle_starttag(self, tag, attributes):
        self.counts[tag] += 1
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            if name in ("src", "href") or name.startswith("on") or "url(" in (value or ""):
                self.problems.append(f"<{tag} {name}={value}>")
        if tag in ("script", "link", "iframe", "img"):
            self.problems.append(f"<{tag}>")
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.counts[tag] += 1

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> in a wrong place")


def make_page(tools):
    """The page of the example as text, its path, and the report beside it."""
    digits = os.path.join(tools.root, "examples", "digits")
    path, report = tools.path("page.html"), tools.path("report.json")
    tools.yarrow("diagnose", os.path.join(digits, "digits.txt"), "-w",
                 os.path.join(digits, "digits.bin"), "-c",
                 os.path.join(digits, "calibration.npy"), "--html", path, "--report", report)
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(report, encoding="utf-8") as f:
        return text, path, json.load(f)["diagnosis"]


def check_page(tools, page, diagnosis):
    for problem in page.problems:
        tools.check(False, problem)
    layers = diagnosis["layers"]
    marks = sum(1 for layer in layers for side in ("own", "to_float")
                if layer[side] and layer[side]["sqnr_db"] is not None)
    tools.check(page.counts["circle"] == marks,
                f"{page.counts['circle']} points for {marks} figures")
    for part in ("layers", "causes", "sensitivity", "values", "remedies"):
        tools.check(part in page.ids, f"there is no part {part}")
    tools.check(page.counts["tr"] == len(diagnosis["remedies"]) + 1, "remedies are missing")
    split = [layer for layer in layers if layer["parts"]]
    tools.check(len(split) >= 4, "the causes of few layers are known")
    for layer in split:
        parts = layer["parts"]
        total = sum(value for name, value in parts.items()
                    if name not in ("total", "multiplier_error"))
        tools.check(abs(total - parts["total"]) <= 1e-9 + 1e-6 * parts["total"],
                    f"the parts of {layer['name']} are not its total")


def check_in_browser(tools, path, page):
    browser = next((found for found in map(shutil.which, (
        "chromium", "chromium-headless-shell", "google-chrome")) if found), None)
    if not browser:
        print("skipped: no chromium")
        tools.clean()
        sys.exit(common.SKIPPED)
    done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu",
                           "--dump-dom", "file://" + path],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300,
                          check=False)
    seen = Page(done.stdout.decode("utf-8"))
    for tag in ("svg", "rect", "circle", "polyline", "line", "text", "tr"):
        tools.check(seen.counts[tag] == page.counts[tag],
                    f"Chromium has {seen.counts[tag]} <{tag}>, the page {page.counts[tag]}")


def main():
    tools = common.arguments("Check the page of yarrow diagnose", lambda parser: parser.add_argument(
        "--browser", action="store_true", help="read it with Chromium"))
    text, path, diagnosis = make_page(tools)
    page = Page(text)
    if tools.options.browser:
        check_in_browser(tools, path, page)
    else:
        check_page(tools, page, diagnosis)
    tools.finish()


if __name__ == "__main__":
    main()
