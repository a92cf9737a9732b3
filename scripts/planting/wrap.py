"""Turns a slip into a choice at run time, so a single build has many: the smallest
expression or block around it is written twice, and YARROW_PLANTED(number) decides
between the two."""
from clang.cindex import CursorKind

# Stands for the fault's number until it has one.
NUMBER = b"4095"
BLOCKS = {CursorKind.COMPOUND_STMT}


def choices(source, start, end):
    """Spans around bytes [start, end), from the smallest: ("expression" | "statement" |
    "block", start, end)."""
    around = {("block", *body) for body in source.bodies}
    for node in source.nodes:
        if node.kind in BLOCKS:
            around.add(("block", node.start, node.end))
        elif (node.kind.is_expression() and node.kind != CursorKind.LAMBDA_EXPR and
              not source.text.startswith(b"{", node.start)):
            around.add(("expression", node.start, node.end))
        elif node.kind.is_statement() and node.kind != CursorKind.DECL_STMT and (
                node.parent in BLOCKS):
            around.add(("statement", node.start, node.end))
    return sorted((c for c in around if c[1] <= start and end <= c[2] and c[1] < c[2]),
                  key=lambda c: (c[2] - c[1], c[0]))


def written_twice(kind, before, after):
    """Text that is `after` where the fault is on and `before` where it is not."""
    planted = b"YARROW_PLANTED(" + NUMBER + b")"
    if kind == "expression":
        return b"(" + planted + b" ? (" + after + b") : (" + before + b"))"
    if kind == "statement":
        closed = b"" if before.rstrip().endswith((b"}", b";")) else b";"
        return (b"if (" + planted + b") { " + after + closed + b" } else { " + before + closed +
                b" }")
    return b"{ if (" + planted + b") " + after + b" else " + before + b" }"


class Wrapped:
    """A replacement of [start, end) of a file by both texts."""

    def __init__(self, start, end, text):
        self.start, self.end, self.text = start, end, text

    def overlaps(self, others):
        return any(self.start < o.end and o.start < self.end for o in others)


def dropped(source, slip):
    """A statement that is left out."""
    text = source.text[slip.start:slip.end]
    return Wrapped(slip.start, slip.end,
                   b"if (!YARROW_PLANTED(" + NUMBER + b")) { " + text + b" }")


def wrap(source, slip, taken, verify, most=6):
    """The smallest replacement that touches none of `taken`; None if there is none.
    Verified, it also compiles: at most `most` are tried."""
    candidates = []
    if slip.kind == "dropped":
        candidates.append(dropped(source, slip))
    else:
        for kind, start, end in choices(source, slip.start, slip.end):
            before = source.text[start:end]
            after = (source.text[start:slip.start] + slip.text + source.text[slip.end:end])
            candidates.append(Wrapped(start, end, written_twice(kind, before, after)))
    for candidate in candidates[:most]:
        if candidate.overlaps(taken):
            return None
        text = source.text[:candidate.start] + candidate.text + source.text[candidate.end:]
        if not verify or source.compiles(text):
            return candidate
    return None
