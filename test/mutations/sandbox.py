"""Runs a command bounded in time and memory, and says how it ended.

Example:
    outcome = sandbox.run(["yarrow", "check", "net.txt"])
    problem = sandbox.problem(outcome)      # "" or "signal 11", "no end in 20 s" ...
    codes = outcome.codes()                 # {"E0203"}
"""
import collections
import os
import re
import signal
import subprocess
import tempfile
import threading

# No input of these tests needs more; a device's 4 GiB are addresses, not memory.
MAX_SECONDS = 20
MAX_BYTES = 1 << 30
# What a program of ours may end with: success, problems, usage, figures that
# miss the mark, and a stop that was asked for.
EXIT_CODES = {0, 1, 2, 3, 4}


class Outcome(collections.namedtuple("Outcome", "command code signal timed_out peak_bytes out err")):
    """How a command ended; signal is 0 where none ended it."""

    @property
    def accepted(self):
        return self.code == 0

    def codes(self, severities="E"):
        """Codes of the diagnostics that were printed."""
        return set(re.findall(r"\b(?:error|warning|note) ([%s]\d{4})\b" % severities,
                              self.err + self.out))


def run(command, seconds=MAX_SECONDS, cwd=None):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   cwd=cwd)
        late = threading.Event()

        def kill():
            late.set()
            try:  # not process.kill(), which would take the status from wait4
                os.kill(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        timer = threading.Timer(seconds, kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)  # or it would wait again

        def text(file):
            file.seek(0)
            return file.read(1 << 20).decode("utf-8", "replace")
        return Outcome(command, process.returncode, max(0, -process.returncode), late.is_set(),
                       usage.ru_maxrss << 10, text(out), text(err))


def problem(outcome):
    """What no input may cause, or ""."""
    if outcome.timed_out:
        return f"no end in {MAX_SECONDS} s"
    if outcome.signal:
        return f"signal {outcome.signal}"
    if outcome.peak_bytes > MAX_BYTES:
        return f"{outcome.peak_bytes >> 20} MiB of memory"
    if outcome.code not in EXIT_CODES:
        return f"exit code {outcome.code}"
    if outcome.code == 1 and not outcome.codes():
        return "exit code 1 without a coded error"
    return ""
