#!/usr/bin/env python3
"""Builds the site of the documents and checks what came out.

    test/docs/check_site.py                # into a folder that vanishes
    test/docs/check_site.py --site FOLDER  # one that was built

Every document has its page, and every page can be reached from the front by
links. All links, images, scripts and styles lead to files that there are, and
to a part of the page if they name one; nothing is fetched from elsewhere. The
same documents give the same bytes.
"""
import argparse
import filecmp
import glob
import os
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Attributes that a browser follows by itself.
LOADED = {("img", "src"), ("script", "src"), ("link", "href"), ("source", "src"), ("iframe", "src"),
          ("object", "data"), ("use", "href")}
# Pages of Sphinx's own, which no document stands for.
OWN = {"search.html"}


class Page(HTMLParser):
    """Names of places in a page, and what it points at."""

    def __init__(self, path):
        super().__init__()
        self.places, self.links, self.loaded = set(), [], []
        with open(path, encoding="utf-8") as f:
            self.feed(f.read())

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or (tag, name) == ("a", "name"):
                self.places.add(value)
            elif (tag, name) in LOADED:
                self.loaded.append(value)
            elif (tag, name) == ("a", "href"):
                self.links.append(value)


def problems_of(path, pages, site):
    page = pages[path]
    for target in page.loaded:
        if urlsplit(target).netloc or target.startswith("http"):
            yield f"fetches {target}"
    for target in page.links + page.loaded:
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        full = os.path.normpath(os.path.join(os.path.dirname(path), unquote(parts.path))) \
            if parts.path else path
        if os.path.isdir(full):
            full = os.path.join(full, "index.html")
        if not os.path.isfile(full):
            yield f"link to {target}, which does not exist"
        elif parts.fragment and full in pages and \
                unquote(parts.fragment) not in pages[full].places:
            yield f"link to {target}: no such place"


def reached(pages, site):
    """Pages that can be come to from the front."""
    queue, found = [os.path.join(site, "index.html")], set()
    while queue:
        path = queue.pop()
        if path in found or path not in pages:
            continue
        found.add(path)
        queue += [os.path.normpath(os.path.join(os.path.dirname(path), urlsplit(t).path))
                  for t in pages[path].links if urlsplit(t).path and not urlsplit(t).scheme]
    return found


def check(site):
    pages = {p: Page(p) for p in glob.glob(os.path.join(site, "**/*.html"), recursive=True)}
    problems = [f"{os.path.relpath(path, site)}: {text}"
                for path in sorted(pages) for text in problems_of(path, pages, site)]
    missing = set(pages) - reached(pages, site)
    problems += [f"{os.path.relpath(p, site)}: no link leads there" for p in sorted(missing)
                 if os.path.relpath(p, site) not in OWN]
    docs = os.path.join(ROOT, "docs")
    for document in glob.glob(os.path.join(docs, "**/*.md"), recursive=True):
        name = os.path.relpath(document, docs)[:-len(".md")] + ".html"
        if os.path.join(site, name) not in pages:
            problems.append(f"{name}: docs/ has a document, the site no page")
    for style in glob.glob(os.path.join(site, "**/*.css"), recursive=True):
        with open(style, encoding="utf-8") as f:
            if "url(http" in f.read().replace('"', "").replace("'", ""):
                problems.append(f"{os.path.relpath(style, site)}: fetches from elsewhere")
    links = sum(len(p.links) + len(p.loaded) for p in pages.values())
    return problems, f"{len(pages)} pages, {links} links"


def build(site):
    subprocess.run([os.path.join(ROOT, "scripts/site.sh"), "--output", site], check=True)


def differing(a, b):
    """Files that differ, or that only one of the folders has."""
    files = [{os.path.relpath(os.path.join(folder, n), root)
              for folder, _, names in os.walk(root) for n in names} for root in (a, b)]
    same, *other = filecmp.cmpfiles(a, b, files[0] & files[1], shallow=False)
    return sorted(sum(other, []) + list(files[0] ^ files[1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--site", help="a site that was built")
    parser.add_argument("--twice", action="store_true", help="build again, and compare the bytes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="yarrow-site-") as scratch:
        site = options.site or os.path.join(scratch, "site")
        if not options.site:
            build(site)
        problems, counted = check(site)
        if options.twice:
            build(os.path.join(scratch, "again"))
            problems += [f"{f}: differs from build to build"
                         for f in differing(site, os.path.join(scratch, "again"))]
    for problem in problems:
        print(problem)
    print(f"docs_site: {counted}, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
