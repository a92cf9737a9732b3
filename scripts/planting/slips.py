"""Typical slips of people, as replacements of text: a comparison off by one, operands
swapped, another rounding, a statement left out, a constant changed."""
import dataclasses

from clang.cindex import BinaryOperator, CursorKind

# Folders whose code decides what is computed, and how many faults each gets.
SEMANTIC = {
    "kernels": 4, "quantizer": 4, "passes": 4, "simulator/engine": 3, "codegen": 2,
    "runtime": 2, "parser": 3}

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "&": "|", "|": "&",
              "<<": ">>", ">>": "<<", "&&": "||", "||": "&&"}
SWAPPED = {"-", "/", "%", "<<", ">>"}
ROUNDINGS = {
    "floor": "ceil", "ceil": "floor", "round": "floor", "roundEven": "floor",
    "llround": "llrint", "lround": "lrint", "rint": "floor", "nearbyint": "floor",
    "min": "max", "max": "min", "shiftRounded": "roundShiftHalfEven"}
# Give the same for their arguments in either order.
COMMUTATIVE = {"min", "max", "hypot", "gcd", "lcm", "operator==", "operator!=", "operator&",
               "operator|"}
# What is only asked in debug builds, changes speed alone, or is the switch of faults itself.
NO_EFFECT = (b"assert(", b"reserve(", b"shrink_to_fit", b"LLVM_DEBUG", b"__builtin_assume",
             b"llvm_unreachable", b"YARROW_PLANTED")

NAMES = {
    BinaryOperator.LT: "<", BinaryOperator.LE: "<=", BinaryOperator.GT: ">",
    BinaryOperator.GE: ">=", BinaryOperator.EQ: "==", BinaryOperator.NE: "!=",
    BinaryOperator.Add: "+", BinaryOperator.Sub: "-", BinaryOperator.Mul: "*",
    BinaryOperator.Div: "/", BinaryOperator.Rem: "%", BinaryOperator.And: "&",
    BinaryOperator.Or: "|", BinaryOperator.Shl: "<<", BinaryOperator.Shr: ">>",
    BinaryOperator.LAnd: "&&", BinaryOperator.LOr: "||"}


@dataclasses.dataclass(frozen=True)
class Slip:
    """Bytes [start, end) become `text`."""
    kind: str
    start: int
    end: int
    text: bytes


def binary(source, cursor):
    sides = list(cursor.get_children())
    name = NAMES.get(cursor.binary_operator)
    if len(sides) != 2 or name is None:
        return
    (start, leftEnd), (rightStart, end) = source.span(sides[0]), source.span(sides[1])
    between = source.text[leftEnd:rightStart]
    # Not where a macro hides the operator.
    if between.strip() != name.encode():
        return
    left, right = source.text[start:leftEnd], source.text[rightStart:end]
    if name in COMPARISONS:
        yield Slip("comparison", start, end,
                   left + between.replace(name.encode(), COMPARISONS[name].encode()) + right)
    if name in ARITHMETIC:
        yield Slip("arithmetic", start, end,
                   b"(" + left + b") " + ARITHMETIC[name].encode() + b" (" + right + b")")
    if name in SWAPPED:
        yield Slip("swap", start, end, b"(" + right + between + left + b")")


def call(source, cursor):
    start, end = source.span(cursor)
    name = cursor.spelling
    text = source.text[start:end]
    if name in ROUNDINGS and text.count(name.encode() + b"(") == 1:
        yield Slip("rounding", start, end,
                   text.replace(name.encode() + b"(", ROUNDINGS[name].encode() + b"("))
    arguments = list(cursor.get_arguments()) if name not in COMMUTATIVE else []
    for first, second in zip(arguments, arguments[1:]):
        (a, b), (c, d) = source.span(first), source.span(second)
        if not start <= a < b <= c < d <= end or source.text[a:b] == source.text[c:d]:
            continue
        if first.type.get_canonical().spelling != second.type.get_canonical().spelling:
            continue
        yield Slip("swap", start, end, source.text[start:a] + source.text[c:d] +
                   source.text[b:c] + source.text[a:b] + source.text[d:end])


def statement(source, cursor):
    """A statement that computes something, left out."""
    start, end = source.span(cursor)
    after = source.text[end:end + 1]
    if after == b";" and source.text[start:end].strip():
        yield Slip("dropped", start, end + 1, b";")


def slips(source):
    """All slips of a file."""
    found = []
    for cursor, ancestors in source.in_functions():
        start, end = source.span(cursor)
        lineStart = source.text.rfind(b"\n", 0, start) + 1
        if any(word in source.text[lineStart:end] for word in NO_EFFECT):
            continue
        kind = cursor.kind
        if kind == CursorKind.BINARY_OPERATOR:
            found += binary(source, cursor)
        elif kind == CursorKind.CALL_EXPR:
            found += call(source, cursor)
        elif kind == CursorKind.INTEGER_LITERAL:
            text = source.text[start:end]
            if text.isdigit():
                found.append(Slip("constant", start, end, str(int(text) + 1).encode()))
        elif kind == CursorKind.FLOATING_LITERAL:
            text = source.text[start:end]
            if text.strip(b"0.fFlL"):  # twice 0 is 0
                found.append(Slip("constant", start, end, b"(" + text + b" * 2)"))
        elif kind == CursorKind.IF_STMT:
            condition = next((c for c in cursor.get_children()
                              if c.kind.is_expression()), None)
            if condition is not None:
                a, b = source.span(condition)
                found.append(Slip("condition", a, b, b"!(" + source.text[a:b] + b")"))
        if ancestors[-1].kind == CursorKind.COMPOUND_STMT and kind in (
                CursorKind.CALL_EXPR, CursorKind.BINARY_OPERATOR, CursorKind.UNARY_OPERATOR,
                CursorKind.COMPOUND_ASSIGNMENT_OPERATOR):
            found += statement(source, cursor)
    # A template's body is seen once for what is written, more often for what it becomes.
    return sorted(set(found), key=lambda s: (s.start, s.end, s.kind, s.text))
