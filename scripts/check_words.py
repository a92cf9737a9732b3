#!/usr/bin/env python3
"""Finds turns of phrase that make a reader stop, in everything that users read.

    scripts/check_words.py              # fails and names places, with the better form
    scripts/check_words.py FILE...      # these files only
    scripts/check_words.py --lengths    # the median sentence of each document, in words

It reads documents (*.md), string literals of C++, Python and shell, records (*.def,
*.td), docstrings, and the comments of headers: at their head everywhere, all of them
where the header is installed. docs/style.md says how to write instead; PATTERNS below
is its table, which scripts/generate_docs.py writes.
"""
import argparse
import ast
import dataclasses
import os
import re
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Headers that programs of others include.
INSTALLED = ("api/", "runtime/include/")
# The page that quotes what it forbids, recorded texts of others, and this list.
EXEMPT = ("docs/style.md", "scripts/check_words.py", "LICENSE")


@dataclasses.dataclass(frozen=True)
class Pattern:
    expression: str  # of Python's re, case ignored
    before: str      # a sentence that has it; the check tries that it matches
    after: str       # the better form; the check tries that it does not match

    def compiled(self):
        return re.compile(self.expression, re.IGNORECASE | re.MULTILINE)


PATTERNS = [
    Pattern(r"(?<!there )\b(?:is|are|was|were|be) no (?!longer\b|more\b|less\b|fewer\b|better\b|worse\b"
            r"|larger\b|smaller\b|greater\b|faster\b|slower\b|different\b|further\b)[a-z]",
            "the file is no archive", "the file is not an archive"),
    Pattern(r"(?<!there )\b(?:is|are|has|have) none\b",
            "the window has a length that is none", "the window's length is not positive"),
    Pattern(r"\btold\b(?! apart)", "all problems are told at once", "all problems are reported at once"),
    Pattern(r"\btells? (?:the|of|that|a|an|another|it|no|its|all)\b",
            "the subgraph tells another size", "the subgraph's size does not match"),
    Pattern(r"\bbehind\b", "the axes behind the first", "the axes after the first"),
    Pattern(r"\b(?:no|any|every|all|other|of|as many) such(?=\s*(?:[.,;:)]|$|\||or\b|and\b|is\b|are\b|of\b))",
            "an operator of such", "an operator of these networks"),
    Pattern(r"\bsuch(?=\s*[.,;:)])", "networks, norms and such.", "layers of networks and the like"),
    Pattern(r"\bthat one\b", "what that one reads", "what the second layer reads"),
    Pattern(r"(?:^|[.:;!?] +|\| )(?-i:Of) (?!course)[a-z]",
            "Of two layers the first waits", "The first of two layers waits"),
    Pattern(r"(?:^|[.!?] +)(?-i:What) (?!['\"])[^?.:\n|]{3,}\.",
            "What has no scale is quantized.", "Tensors without a scale are quantized."),
    Pattern(r"(?:^|[.!?] +)(?-i:What) of\b", "What of the file is used", "Which parts of the file are used"),
    Pattern(r"\b(?:be|is|are|was) had\b", "the data cannot be had", "the data cannot be read"),
    Pattern(r"\bnowhere\b", "results that are nowhere", "results that are not in memory"),
    Pattern(r"\b(?:stands?|stood) (?:in|there|at|beside|under|on|behind|alone)\b",
            "the key stands in the file", "the file has the key"),
    Pattern(r"\b(?:lies?|lay) (?:in|at|beside|within|on|under|there|outside)\b",
            "weights may lie in files beside it", "weights can be in files next to it"),
    Pattern(r"\bwants?\b(?= (?:a|an|the|its|no|more|[0-9])\b)(?<!you want)(?<!You want)",
            "the layer wants a bias", "the layer needs a bias"),
    Pattern(r"\bmay not\b", "the axis may not repeat", "the axis must not repeat"),
    Pattern(r"\b(?:hence|thereby|whereby|therein|thereof|hereby|wherein|thereupon)\b",
            "hence the name", "this gives it its name"),
    Pattern(r"\bin silence\b", "it is dropped in silence", "it is silently dropped"),
    Pattern(r"\bmakes? [\w ]{1,30}? of (?:it|them|that|this)\b",
            "yarrow import makes Compass IR of it", "yarrow import converts it to Compass IR"),
    Pattern(r"\bby no (?:value|one|means|pass|layer)\b",
            "left out by no value", "left out by giving no value"),
    Pattern(r"\b(?:nothing|none|no field|part|parts) of it\b",
            "nothing of it is read", "the file is not read"),
    Pattern(r"\bill will\b", "ill will is not kept off", "this does not protect against an attacker"),
    Pattern(r"\bof theirs\b", "a name of theirs", "their name"),
    Pattern(r"\bthe one of\b", "the shape and the one of the weights", "the shapes of input and weights"),
    Pattern(r"\b(?:with|without|at|in|for|of) that of\b",
            "its energy by the error, without that of the bias", "its energy by the error, bias left out"),
    Pattern(r"\bsomewhere else\b|\belsewhere\b", "the data are elsewhere", "the data are in another folder"),
]


def python_strings(text):
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


CPP = re.compile(r'R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"|"(?P<plain>(?:[^"\\\n]|\\.)*)"'
                 r"|(?P<code>\[\{.*?\}\])|(?P<comment>//[^\n]*|/\*.*?\*/)|'(?:[^'\\\n]|\\.)+'",
                 re.DOTALL)


def cpp_strings(path, text):
    """(line, text) of literals, neighbours that the compiler joins as one, and of comments."""
    joined, joined_line, end = "", 0, 0
    head = True
    installed = path.endswith(".h") and path.startswith(INSTALLED)
    comment, comment_line, comment_end = "", 0, -2
    for match in CPP.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        if match["comment"] is not None:
            if not path.endswith(".h"):
                continue
            between = text[comment_end:match.start()] if comment_end >= 0 else ""
            if comment and between.strip():
                if head or installed:
                    yield comment_line, comment
                head, comment = False, ""
            if not comment:
                comment_line = line
            comment += re.sub(r"^\s*(?:/+[!<]?|/?\*+/?)", "", match["comment"], flags=re.MULTILINE) + "\n"
            comment_end = match.end()
            continue
        value = next((match[k] for k in ("raw", "plain") if match[k] is not None), None)
        if value is None:
            if match["code"]:
                yield line, match["code"]
            continue
        value = value.replace('\\"', '"').replace("\\n", "\n")
        if joined and not text[end:match.start()].strip():
            joined += value
        else:
            if joined:
                yield joined_line, joined
            joined, joined_line = value, line
        end = match.end()
    if joined:
        yield joined_line, joined
    if comment and (head or installed):
        yield comment_line, comment


def document_text(text):
    """The prose of a document: code spans and targets of links blanked, lines kept."""
    blank = lambda match: re.sub(r"[^\n]", "`", match[0])
    text = re.sub(r"`[^`\n]+`", blank, text)
    text = re.sub(r"\]\([^)\n]*\)", lambda match: "]" + blank(match)[1:], text)
    return re.sub(r"^#.*$", "", text, flags=re.MULTILINE)


def texts(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as f:
        text = f.read()
    if path.endswith(".md"):
        yield 1, document_text(text)
    elif path.endswith((".py", ".pyi")):
        yield from python_strings(text)
    elif path.endswith(".sh"):
        for match in re.finditer(r'"((?:[^"\\]|\\.)*)"', text):
            yield text.count("\n", 0, match.start()) + 1, match[1]
    else:
        yield from cpp_strings(path, text)


def files():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, stdout=subprocess.PIPE,
                            text=True).stdout.split("\n")
    kinds = (".md", ".cpp", ".h", ".c", ".def", ".td", ".py", ".pyi", ".sh")
    return [f for f in listed if f.endswith(kinds) and not f.startswith("test/")
            and f not in EXEMPT and os.path.exists(os.path.join(ROOT, f))]


def findings(path):
    for first, text in texts(path):
        # A sentence goes on in the next line.
        flat = re.sub(r"(?<=[^\n|])\n(?=[^\n|#\-*])[ ]*", "\r", text)
        for pattern in PATTERNS:
            expression = pattern.compiled()
            for match in expression.finditer(flat.replace("\r", " ")):
                line = first + len(re.findall(r"[\r\n]", flat[:match.start()]))
                yield line, match[0].strip(), pattern


def sentences(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^(\||#|<!--|\s*!?\[).*$", "\n", text, flags=re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*[-*] )", text):
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z`*\[])", " ".join(paragraph.split())):
            count = len(sentence.split())
            if count > 3:
                yield count


def lengths(paths):
    everything = []
    for path in paths:
        if path.endswith(".md"):
            with open(os.path.join(ROOT, path), encoding="utf-8") as f:
                counts = list(sentences(f.read()))
            everything += counts
            if counts:
                print(f"{path:44} {statistics.median(counts):5.0f} {max(counts):5d}")
    if everything:
        print(f"{'all':44} {statistics.median(everything):5.0f} {max(everything):5d}")


def table():
    rows = "".join(f"| {p.before} | {p.after} |\n" for p in PATTERNS)
    return "| instead of | write |\n|---|---|\n" + rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lengths", action="store_true", help="median and longest sentence")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    paths = [os.path.relpath(os.path.abspath(f), ROOT) for f in args.files] or files()
    if args.lengths:
        return lengths(paths)
    problems = []
    for pattern in PATTERNS:
        if not pattern.compiled().search(pattern.before):
            problems.append(f"check_words: {pattern.expression} does not find its own example")
        for other in PATTERNS:
            if other.compiled().search(pattern.after):
                problems.append(f'check_words: "{pattern.after}" has a pattern itself')
    for path in paths:
        for line, found, pattern in findings(path):
            problems.append(f'{path}:{line}: "{found}"; as in: "{pattern.before}" -> "{pattern.after}"')
    print("\n".join(problems) if problems else "check_words: nothing found")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
