#!/usr/bin/env python3
"""Lays out the pages of the site for Sphinx.

    docs/site/prepare.py FOLDER

Documents are plain Markdown, which a forge shows unchanged; they contain nothing
for Sphinx. This program copies them to FOLDER, docs/x.md as x.md and documents in
other folders that they link to under their own path. It makes three changes:

* Links lead to pages of the site. A link to a file of the sources copies the file,
  too; a link to a folder, or to a page that does not exist yet, becomes its text.
* docs/index.md sets the order of the pages: each of its sections becomes a part of
  the navigation, with the pages that it links to. Pages that it does not name
  come last, under "More", so a new page appears without any change.
* Comments, such as those around generated parts, are left out.
"""
import os
import re
import shutil
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"^<!--.*?-->\n", re.DOTALL | re.MULTILINE)
# The front page of the site in place of the repository's.
FRONT = {"README.md": "docs/index.md"}


def site_path(path):
    """The path in the site of a file of the repository."""
    return path[len("docs/"):] if path.startswith("docs/") else path


def documents():
    """All documents in docs/, and those that they link to, by path from the root."""
    found, queue = {}, []
    for folder, _, names in os.walk(os.path.join(ROOT, "docs")):
        queue += [os.path.relpath(os.path.join(folder, n), ROOT) for n in names if n.endswith(".md")]
    while queue:
        path = queue.pop()
        if path in found:
            continue
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            found[path] = COMMENT.sub("", f.read())
        for _, target in links_of(found[path], path):
            if target.endswith(".md") and os.path.exists(os.path.join(ROOT, target)):
                queue.append(FRONT.get(target, target))
    return found


def resolved(target, path):
    """A link of the document `path` as a path from the root."""
    return os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path


def links_of(text, path):
    """(text of the link, file from the root) of links within the repository."""
    for part in FENCE.split(text)[::2]:
        for _, label, target in LINK.findall(part):
            if not re.match(r"\w+:", target):
                yield label, resolved(target.partition("#")[0], path)


def rewritten(text, path, pages, files):
    """The text with the links of the site; adds the files that they need to `files`."""
    here = os.path.dirname(site_path(path))

    def link(match):
        mark, label, target = match.groups()
        if re.match(r"\w+:", target):
            return match.group()
        file, hash_mark, anchor = target.partition("#")
        full = resolved(file, path)
        full = FRONT.get(full, full)
        if not os.path.isfile(os.path.join(ROOT, full)):
            return label
        if full not in pages:
            files.add(full)
        if full == path and anchor:
            return f"{mark}[{label}](#{anchor})"
        return f"{mark}[{label}]({os.path.relpath(site_path(full), here)}{hash_mark}{anchor})"

    parts = FENCE.split(text)
    parts[::2] = [LINK.sub(link, part) for part in parts[::2]]
    return "".join(parts)


def contents(pages):
    """(heading of a section of docs/index.md, its pages with their names there), then the
    pages that docs/index.md leaves out."""
    index, named = "docs/index.md", set()
    for section in re.split(r"^## ", pages[index], flags=re.MULTILINE)[1:]:
        listed = {}
        for label, target in links_of(section, index):
            if target in pages and target not in named and target != index:
                listed.setdefault(target, label)
        named.update(listed)
        if listed:
            yield section.split("\n")[0], listed
    left = sorted(set(pages) - named - {index})
    # Pages of one operator family or one stage come below the page that lists them.
    below = {p for p in left if os.path.dirname(p) + ".md" in pages}
    if set(left) - below:
        yield "More", {p: "" for p in left if p not in below}


def toctree(listed, caption):
    """A part of the navigation; pages without a name have the name of their heading."""
    def entry(path, label):
        page = f"/{site_path(path)[:-len('.md')]}"
        return f"{label} <{page}>\n" if label else f"{page}\n"
    return ("\n```{toctree}\n:hidden:\n" + (f":caption: {caption}\n" if caption else "") + "\n" +
            "".join(entry(p, label) for p, label in listed.items()) + "```\n")


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    pages, files = documents(), set()
    for path, text in pages.items():
        text = rewritten(text, path, pages, files)
        if path == "docs/index.md":
            text += "".join(toctree(listed, caption) for caption, listed in contents(pages))
        below = {p: "" for p in sorted(pages) if os.path.dirname(p) == path[:-len(".md")]}
        if below:
            text += toctree(below, "")
        target = os.path.join(folder, site_path(path))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as f:
            f.write(text)
    for path in files:
        target = os.path.join(folder, site_path(path))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(os.path.join(ROOT, path), target)
    print(f"site: {len(pages)} pages")


if __name__ == "__main__":
    main(sys.argv[1])
