"""Settings with which Sphinx builds the site from the pages of prepare.py; scripts/site.sh calls both."""
import os
import re

from pygments.lexer import RegexLexer
from pygments.token import Comment, Keyword, Name, Number, String, Text
from sphinx.highlighting import lexers

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as f:
    release = re.search(r"^project\(yarrow VERSION ([\d.]+)", f.read(), re.MULTILINE).group(1)

project = "Yarrow"
html_title = f"Yarrow {release}"
html_short_title = "Yarrow"
extensions = ["myst_parser"]
root_doc = "index"
# Options begin with two dashes, and strings with straight quotes.
smartquotes = False
# The links of a forge: headings by their words joined with dashes.
myst_heading_anchors = 6
html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_copyright = False
html_use_index = False
# A link to the page's own text makes no sense for files on a disk.
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
# Sphinx loads these for extensions that need them; its own search does not.
UNUSED_SCRIPTS = ("jquery.js", "underscore.js", "_sphinx_javascript_frameworks_compat.js")


def setup(app):
    app.connect("builder-inited", without_unused_scripts)
    app.connect("build-finished", without_unused_files)


def without_unused_scripts(app):
    app.builder.script_files = [s for s in app.builder.script_files
                                if os.path.basename(s.filename or "") not in UNUSED_SCRIPTS]


def without_unused_files(app, _):
    for name in UNUSED_SCRIPTS:
        path = os.path.join(app.outdir, "_static", name)
        if os.path.exists(path):
            os.remove(path)


class Mlir(RegexLexer):
    """Highlights the most frequent parts of MLIR's and TableGen's text."""
    name = "MLIR"
    tokens = {"root": [
        (r"//.*?$", Comment),
        (r'"[^"\n]*"', String),
        (r"[%@!#^][\w.]+", Name.Variable),
        (r"\b(def|class|let|multiclass|defm|module|func|return)\b", Keyword),
        (r"\b\d[\w.]*", Number),
        (r"\w+|\s+|.", Text)]}


lexers["mlir"] = lexers["tablegen"] = Mlir()
