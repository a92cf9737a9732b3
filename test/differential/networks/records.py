"""The records of imported ONNX operators (parser/onnx/OperatorRecords.def), as Python reads them.

Example:
    records.load()["Gelu"].since   # 20
"""
import os
import re
from dataclasses import dataclass, field

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                    "../../../parser/onnx/OperatorRecords.def")
# Attributes have versions: from when, and until when.
KEPT = 1000
PARSER = os.path.join(os.path.dirname(FILE), "..")


def contrib():
    """Operators of com.microsoft that are imported: those with layers, and those that are split."""
    found = set()
    for path, pattern in (("graph/Operators.def", r"^CONTRIB\((\w+),"),
                          ("onnx/Contrib.cpp", r'node\.op == "(\w+)"')):
        with open(os.path.join(PARSER, path), encoding="utf-8") as file:
            found.update(re.findall(pattern, file.read(), re.MULTILINE))
    return found


@dataclass
class Record:
    name: str
    since: int
    given_up: int = KEPT
    attributes: dict = field(default_factory=dict)  # name: (from, until)

    def is_in(self, opset):
        return self.since <= opset < self.given_up

    def has(self, attribute, opset):
        first, last = self.attributes.get(attribute, (KEPT, 0))
        return first <= opset < last


def load():
    records = {}
    current = None
    with open(FILE, encoding="utf-8") as file:
        for line in file:
            if line.startswith("//") or line.startswith("#"):
                continue
            for word, text in re.findall(r"([A-Z_]+)\(([^()]*)\)", line):
                parts = [part.strip() for part in text.split(",")]
                if word == "OPERATOR":
                    current = records[parts[0]] = Record(parts[0], int(parts[1]))
                elif word == "GIVEN_UP":
                    current.given_up = int(parts[0])
                elif word in ("ATTRIBUTE", "NEEDS"):
                    current.attributes[parts[0]] = 1, KEPT
                elif word == "ATTRIBUTE_SINCE":
                    current.attributes[parts[1]] = int(parts[0]), KEPT
                elif word == "NEEDS_WITHIN":
                    current.attributes[parts[2]] = int(parts[0]), int(parts[1])
                elif word in ("ATTRIBUTE_UNTIL", "NEEDS_UNTIL") and parts[1] not in \
                        current.attributes:
                    current.attributes[parts[1]] = 1, int(parts[0])
    return records
