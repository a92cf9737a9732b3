"""The commands of the program, and what they list."""
import json
import os
import tempfile

from yarrow._errors import diagnostics_of, error_of, tell
from yarrow._library import native


class Result:
    """The result of a command."""

    def __init__(self, code, output, report, diagnostics):
        self.code = code                #: 0, or 3 if a comparison failed
        self.output = output            #: the text that it printed
        self.report = report            #: a dict, for commands with --report
        self.diagnostics = diagnostics  #: warnings and notes

    @property
    def passed(self):
        """Whether its comparisons and measurements passed."""
        return self.code == 0

    def __repr__(self):
        return f"<yarrow.Result code {self.code}, {len(self.output)} characters>"

    def __str__(self):
        return self.output


_PASSED, _WRONG = (0, 3, 4), "error"


def _texts(option, value, files):
    """An option as words of a command line."""
    flag = "--" + option.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, (list, tuple)):
        return [text for each in value for text in _texts(option, each, files)]
    return [f"{flag}={_word(value, files)}"]


def _word(value, files):
    """An argument; an array becomes a file."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if hasattr(value, "__array__"):
        import numpy as np
        path = os.path.join(files, f"array{len(os.listdir(files))}.npy")
        np.save(path, value)
        return path
    return str(value)


def command(name, *arguments, **options):
    """Runs a command of the program in this process: command("sweep", "net_o.txt",
    vary=["sramBytes=1M,4M"]) is `yarrow sweep net_o.txt --vary sramBytes=1M,4M`.

    Write long options with underscores. True sets a flag, a list repeats the option,
    and an array is passed as a file. If the command has --report, the result has the
    report. Errors raise; a comparison that fails (exit code 3) does not. Only one
    command runs at a time.

        >>> result = yarrow.command("check", "digits.txt")
        >>> result.passed
        True
    """
    with tempfile.TemporaryDirectory(prefix="yarrow-command-") as files:
        words = [name] + [_word(each, files) for each in arguments]
        for option, value in options.items():
            words += _texts(option, value, files)
        report, path = None, os.path.join(files, "report.json")
        known = native().options_of(name)
        if "report" in known and not {"report", "json"} & set(options):
            words.append("--report=" + path)
        elif isinstance(options.get("report", options.get("json")), (str, os.PathLike)):
            path = os.fspath(options.get("report", options.get("json")))
        code, output, diagnostics, shown = native().run_command(words)
        found = diagnostics_of(diagnostics)
        if code not in _PASSED or any(each.severity == _WRONG for each in found):
            raise error_of(diagnostics, shown.decode(errors="backslashreplace"))
        if "report" in known and os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                report = json.load(file)
        return Result(code, output.decode(errors="backslashreplace"), report, tell(found))


def targets():
    """The built-in machines, as {name: {key: value}}; docs/machine.md describes the keys.

        >>> yarrow.targets()["X2_1204"]["tecs"]
        4
    """
    return {name: json.loads(native().target_json(name)) for name in native().targets()}


def operators(layer_type=None):
    """The records of all operators, or of one, as `yarrow ops --format json` prints them.

        >>> yarrow.operators("Convolution")[0]["family"]
        'conv'
    """
    words = [layer_type] if layer_type else []
    return json.loads(command("ops", *words, format="json").output)


class Explanation(dict):
    """code, severity, summary, explanation, wrong and right; str() is a page."""

    def __str__(self):
        return command("explain", self["code"]).output


def explain(code):
    """Explains a diagnostic, with an example and its correction.

        >>> yarrow.explain("E0213")["summary"]
        'an unknown key resembles a missing one'
    """
    return Explanation(json.loads(command("explain", code, format="json").output)[0])


def set_threads(count):
    """Sets the number of threads; 0: all processors. It never changes a result."""
    native().set_threads(count)
