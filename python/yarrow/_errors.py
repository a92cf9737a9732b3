"""Diagnostics as objects, exceptions and warnings."""
import dataclasses
import json
import os
import warnings
from typing import Optional


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """One problem, as `yarrow check --format=json` writes it.

    `yarrow.explain(code)` explains it. Lines and columns count from 1; other fields can
    be None.
    """
    code: str
    severity: str  #: "error", "warning" or "note"
    message: str
    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    length: Optional[int] = None
    layer: Optional[str] = None
    found: Optional[str] = None
    expected: Optional[str] = None
    hint: Optional[str] = None

    def __str__(self):
        place = self.file or ""
        if place and self.line:
            place += f":{self.line}"
        layer = f"layer '{self.layer}': " if self.layer else ""
        text = f"{place}{': ' if place else ''}{self.severity} {self.code}: {layer}{self.message}"
        for name in ("found", "expected", "hint"):
            value = getattr(self, name)
            if value:
                text += f"\n  {name}: {value}"
        return text


class Error(Exception):
    """A call failed, and left no partial results.

    It is also a FileNotFoundError if a file does not exist, an OSError if a file
    cannot be read or written, a TypeError if the call is wrong, and a ValueError
    otherwise.

    The attributes describe the first error. `diagnostics` has everything that was
    reported up to it, and str() shows the lines of the files.

        >>> try:
        ...     yarrow.load("digits.cfg")
        ... except yarrow.Error as error:
        ...     print(error.code, error.file)
        E0101 digits.cfg
    """

    def __init__(self, text, diagnostics=()):
        super().__init__(text)
        self.diagnostics = tuple(diagnostics)
        errors = [d for d in self.diagnostics if d.severity == "error"]
        first = errors[0] if errors else Diagnostic("", "error", text)
        self.code, self.message = first.code, first.message
        self.file, self.line, self.column = first.file, first.line, first.column
        self.layer, self.hint = first.layer, first.hint
        self.found, self.expected = first.found, first.expected

    def __str__(self):
        return self.args[0]  # OSError would put its own words around it

    def __reduce__(self):
        return _error, (self.args[0], self.diagnostics)


def _also(builtin):
    """Error for those who catch Python's own exceptions."""
    return type("Error", (Error, builtin), {"__doc__": Error.__doc__, "__module__": "yarrow"})


_NOT_FOUND, _NO_FILE, _NO_MEMORY, _WRONG_CALL, _WRONG_VALUE = map(
    _also, (FileNotFoundError, OSError, MemoryError, TypeError, ValueError))
_BY_CODE = {"E0102": _NO_FILE, "E0109": _NO_MEMORY, "E0507": _WRONG_CALL}


def _error(text, diagnostics=()):
    """An Error that is also Python's exception for this problem."""
    first = next((d for d in diagnostics if d.severity == "error"), None)
    code = first.code if first else ""
    if code == "E0101":
        return (_NO_FILE if os.path.exists(first.file or "") else _NOT_FOUND)(text, diagnostics)
    return _BY_CODE.get(code, _WRONG_VALUE)(text, diagnostics)


class Warning(UserWarning):
    """A W diagnostic, reported with the module `warnings`."""


def diagnostics_of(text):
    """[Diagnostic] from what the library writes as JSON."""
    known = {field.name for field in dataclasses.fields(Diagnostic)}
    return [Diagnostic(**{k: v for k, v in each.items() if k in known}) for each in json.loads(text)]


def error_of(text, shown):
    """Called by the native library, which raises what this returns."""
    return _error(shown, diagnostics_of(text))


def usage_error(message, hint=None):
    """An Error for a wrong call."""
    problem = Diagnostic("E0507", "error", message, hint=hint)
    return _error(str(problem), [problem])


def tell(diagnostics):
    """Reports the warnings among them at the line that called the package."""
    for each in diagnostics:
        if each.severity == "warning":
            warnings.warn(str(each), Warning, stacklevel=3)
    return tuple(diagnostics)
