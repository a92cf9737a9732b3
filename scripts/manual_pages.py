"""The manual pages of `yarrow manual` as Markdown, for docs/commands.md.

    text = manual_pages.markdown("build/bin/yarrow")

Pages, like `--help`, come from the records of the command line. This reads only the
roff that compiler/commands/ManualPage.cpp writes.
"""
import os
import re
import subprocess
import tempfile


def plain(text):
    """Without escapes and fonts."""
    text = re.sub(r"\\f[BIR]", "", text).replace("\\&", "")
    return text.replace("\\-", "-").replace("\\e", "\\")


def cell(text):
    """Text in a table: what Markdown would take for its own is escaped."""
    return re.sub(r"([|<*_\[\]])", r"\\\1", text.strip())


class Page:
    """Sections of a page by name, each a list of lines."""

    def __init__(self, path):
        self.sections = {}
        with open(path, encoding="utf-8") as f:
            for line in f.read().splitlines():
                if line.startswith(".SH "):
                    name = line[4:]
                    self.sections[name] = []
                elif not line.startswith((".TH", ".nf", ".fi")):
                    self.sections[name].append(line)

    def text(self, section):
        return plain("\n".join(self.sections.get(section, [])))

    def entries(self, section):
        """(what it is called, the type of its value, what it means)."""
        for entry in "\n".join(self.sections.get(section, [])).split(".TP\n")[1:]:
            head, _, text = entry.partition("\n")
            name, _, value = head.partition(" \\fI")
            yield plain(name), plain(value), " ".join(plain(text).split())

    def summary(self):
        return self.text("NAME").split(" - ", 1)[1]


def section_of(command, page, shared):
    """A command's part; `shared` are notes that all of them have."""
    text = f"## {command}\n\n{page.summary()}.\n\n    {page.text('SYNOPSIS')}\n"
    rows = [*page.entries("ARGUMENTS"), *page.entries("OPTIONS")]
    rows = [row for row in rows if row[0] != "-h,--help"]
    if rows:
        text += "\n| option | value | meaning |\n|---|---|---|\n" + "".join(
            f"| `{name}` | {cell(value)} | {cell(meaning)} |\n" for name, value, meaning in rows)
    notes = [n for n in page.text("NOTES").split("\n\n") if n not in shared]
    if notes:
        text += "\n```text\n" + "\n\n".join(notes).strip("\n") + "\n```\n"
    return text


def markdown(yarrow):
    """All commands, in the order of `yarrow --help`."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([yarrow, "manual", folder], check=True, stdout=subprocess.DEVNULL)
        program = Page(os.path.join(folder, "yarrow.1"))
        commands = [plain(name).removesuffix("(1)").removeprefix("yarrow-")
                    for name, _, _ in program.entries("COMMANDS")]
        pages = {c: Page(os.path.join(folder, f"yarrow-{c}.1")) for c in commands}
    shared = program.text("NOTES").split("\n\n")
    text = "| command | does |\n|---|---|\n" + "".join(
        f"| [`{c}`](#{c}) | {cell(page.summary())} |\n" for c, page in pages.items())
    text += "\n## For all commands\n\n| option | value | meaning |\n|---|---|---|\n" + "".join(
        f"| `{name}` | {cell(value)} | {cell(meaning)} |\n"
        for name, value, meaning in program.entries("OPTIONS"))
    text += f"\n```text\n{shared[-1]}\n```\n"
    return text + "".join("\n" + section_of(c, page, shared) for c, page in pages.items())
