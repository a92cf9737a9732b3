#!/usr/bin/env python3
"""Output that cannot be written is an error, in every command.

    test/e2e/streams.py --yarrow build/bin/yarrow

Every command that prints does so to a full device, to a closed standard output
and to a pipe that nobody reads any more: each time it must end with a code and
not with 0 or by a signal. An output called /dev/stdout is all that comes there.
A pipe without a reader is waited for so long only. Signals and the end of
memory leave no temporary files. Data that are truncated while they are read are an error.
"""
import json
import os
import resource
import signal
import subprocess
import time

import common

PATIENCE_SECONDS = 60


def start(tools, arguments, **options):
    command = [tools.program, "-j", str(tools.threads)]
    return subprocess.Popen(command + [str(a) for a in arguments],
                            stderr=subprocess.PIPE, **options)


def end(process):
    """(exit code, standard error)"""
    _, errors = process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode, errors.decode()


def to_full_device(tools, arguments):
    with open("/dev/full", "wb") as full:
        return end(start(tools, arguments, stdout=full))


def to_closed_output(tools, arguments):
    return end(start(tools, arguments, stdout=None,
                     preexec_fn=lambda: os.close(1)))


def to_broken_pipe(tools, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    process = start(tools, arguments, stdout=writer)
    os.close(writer)
    return end(process)


def check_commands(tools, files):
    """Each command that prints, and the three ways that this fails."""
    commands = {
        "ops": ["ops"],
        "ops --format json": ["ops", "--format", "json"],
        "phases": ["phases"],
        "targets": ["targets"],
        "targets X1_1204": ["targets", "X1_1204"],
        "explain": ["explain"],
        "explain E0101": ["explain", "E0101"],
        "--help": ["--help"],
        "run --help": ["run", "--help"],
        "--version": ["--version"],
        "check": ["check", files["ir"]],
        "check json": ["check", files["ir"], "--format", "json"],
        "quantize": ["quantize", "--recipe", "compass", files["float"], "-c", files["data"],
                     "-o", tools.path("q", "")],
        "compile": ["compile", files["ir"], "-o", tools.path("c.bin")],
        "compile --stop-after": ["compile", files["ir"], "--stop-after",
                                 "schedule"],
        "export": ["export", files["ir"], "--onnx", "-o", tools.path("e.onnx")],
        "run": ["run", files["exe"], "-i", files["data"],
                "-o", tools.path("r.npy")],
        "run --timed": ["run", files["exe"], "-i", files["data"],
                        "-o", tools.path("r.npy"), "--timed"],
        "eval": ["eval", "--exe", files["exe"], "--int", files["ir"],
                 "--data", files["data"], "--samples", "4"],
        "inspect": ["inspect", files["exe"], "--disassemble"],
        "build": ["build", files["config"], "-o", tools.path("b", ""),
                  "--samples", "4"],
    }
    if "tec" in files:
        commands["tec --trace"] = ["tec", files["tec"], "--trace"]
        commands["tec --dump-registers"] = ["tec", files["tec"],
                                            "--dump-registers"]
    for name, arguments in commands.items():
        for way in (to_full_device, to_closed_output, to_broken_pipe):
            code, errors = way(tools, arguments)
            # As JSON where that was asked for.
            is_told = "error E0102" in errors or '{"code":"E0102"' in errors
            tools.check(code == 1 and is_told,
                        "%s %s: exit code %s, %s" % (name, way.__name__, code,
                                                     errors[-300:]))


def check_data_alone(tools, files):
    """What is called /dev/stdout has the bytes that a file would have."""
    # A name that does not end in .npy is of raw bytes.
    tools.yarrow("run", files["exe"], "-i", files["data"], "-o",
                 tools.path("r.raw"), "--report", tools.path("r.json"))
    tools.yarrow("eval", "--exe", files["exe"], "--int", files["ir"], "--data",
                 files["data"], "--samples", 4, "--json", tools.path("e.json"))
    tools.yarrow("export", files["ir"], "--onnx", "-o", tools.path("e.onnx"))
    commands = {
        "r.raw": ["run", files["exe"], "-i", files["data"]] + ["-o"],
        "r.json": ["run", files["exe"], "-i", files["data"], "-o",
                   tools.path("r.raw"), "--report"],
        "e.json": ["eval", "--exe", files["exe"], "--int", files["ir"],
                   "--data", files["data"], "--samples", "4", "--json"],
        "aipu.bin": ["compile", files["ir"], "-o"],
        "e.onnx": ["export", files["ir"], "--onnx", "-o"],
    }
    for name, arguments in commands.items():
        for spelling in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            done = subprocess.run([tools.program] + arguments + [spelling],
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
            with open(tools.path(name), "rb") as file:
                same = file.read() == done.stdout
            tools.check(done.returncode == 0 and same,
                        "%s as %s has other bytes" % (name, spelling))
    # Where the standard output is a file, nothing that is in it is lost.
    target = tools.path("appended")
    with open(target, "wb") as file:
        file.write(b"before\n")
    with open(target, "ab") as file:
        subprocess.run([tools.program] + commands["r.json"] + ["/dev/stdout"],
                       stdout=file, stderr=subprocess.PIPE, check=True)
    with open(target, "rb") as file:
        first, _, rest = file.read().partition(b"\n")
    tools.check(first == b"before" and json.loads(rest),
                "an appended report lost what was there")


def check_pipe(tools, files):
    """A pipe that nobody reads ends in an error, one that is read does not."""
    pipe = tools.path("pipe")
    os.mkfifo(pipe)
    arguments = ["run", files["exe"], "-i", files["data"], "-q", "-o", pipe]
    begin = time.monotonic()
    code, errors = end(start(tools, arguments))
    tools.check(code == 1 and "error E0102" in errors,
                "a pipe without a reader: %s %s" % (code, errors))
    tools.check(time.monotonic() - begin < 30, "a pipe blocked for long")
    process = start(tools, arguments)
    with open(pipe, "rb") as reader:
        read = reader.read()
    code, errors = end(process)
    with open(tools.path("r.raw"), "rb") as file:
        tools.check(code == 0 and read == file.read(),
                    "a pipe with a reader: %s %s" % (code, errors))


def temporaries(folder):
    return [name for name in os.listdir(folder) if ".tmp" in name]


def heed_signals():
    """Who runs this in the background may have had some ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def check_signals(tools, files):
    """Signals that end the program leave nothing; SIGKILL until the next."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP,
                   signal.SIGKILL):
        folder = tools.path("signal", "")
        output = tools.path("signal", "pipe")
        if not os.path.exists(output):
            os.mkfifo(output)
        # The trace is open from the start, and may be done before anybody
        # looks; the output waits for a reader.
        trace = tools.path("signal", "trace.txt")
        if os.path.exists(trace):
            os.remove(trace)
        process = start(tools, ["run", files["exe"], "-i", files["data"],
                                "-o", output, "--timed", "--tec-trace", trace],
                        preexec_fn=heed_signals)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (not temporaries(folder) and not os.path.exists(trace)
               and process.poll() is None):
            if time.monotonic() > deadline:
                break
        process.send_signal(number)
        code, messages = end(process)
        tools.check(code == -number,
                    "signal %d: exit code %d %s" % (number, code, messages))
        if number != signal.SIGKILL:
            tools.check(not temporaries(folder), "signal %d left %s" % (
                number, temporaries(folder)))
    tools.yarrow("run", files["exe"], "-i", files["data"], "-o",
                 tools.path("signal", "r.npy"), "--tec-trace",
                 tools.path("signal", "trace.txt"))
    tools.check(not temporaries(folder), "the next writer did not clean up")


def check_exhausted(tools, files):
    """Limits of memory, from too little to start up to enough."""
    folder = tools.path("memory", "")
    # (the command, whether it can run out under the limits below)
    commands = [
        ["run", files["exe"], "-i", files["data"], "-o", folder + "r.npy"],
        ["quantize", "--recipe", "compass", files["float"], "-c", files["data"], "-o", folder],
        ["eval", "--exe", files["exe"], "--int", files["ir"], "--data",
         files["data"]],
        ["compile", files["ir"], "-o", folder + "aipu.bin"],
    ]
    seen = set()
    for arguments in commands:
        for megabytes in list(range(300, 700, 40)) + [5000, 9000]:
            limit = megabytes << 20
            process = start(
                tools, arguments, stdout=subprocess.DEVNULL,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS,
                                                      (limit, limit)))
            code, errors = end(process)
            if code == 127:  # not even the libraries fit
                continue
            seen.add(code)
            tools.check(code in (0, 1) and (code == 0 or "error E" in errors),
                        "%s with %d MB: exit code %s, %s" % (
                            arguments[0], megabytes, code, errors[-300:]))
    tools.check(not temporaries(folder), "left: %s" % temporaries(folder))
    tools.check(seen == {0, 1}, "the limits do not show anything: %s" % seen)
    # No thread can have its stack: the work goes on with one.
    wide = 8 << 30

    def no_threads():
        resource.setrlimit(resource.RLIMIT_STACK, (wide, wide))
        resource.setrlimit(resource.RLIMIT_AS, (wide, wide))

    code, errors = end(start(
        tools, ["quantize", "--recipe", "compass", files["float"], "-c", files["data"], "-o", folder],
        stdout=subprocess.DEVNULL, preexec_fn=no_threads))
    tools.check(code == 0, "without threads: %s %s" % (code, errors))


def is_mapped(process, path):
    try:
        with open("/proc/%d/maps" % process.pid) as maps:
            return any(line.rstrip().endswith(path) for line in maps)
    except OSError:
        return False


def check_truncated(tools, files):
    """Data that are truncated while they are in use: results of zeros would
    look like results, and a signal would tell nothing."""
    shape, _, values = common.read_npy(files["data"])
    copies = 100  # so many that the work takes a while
    commands = {
        "quantize": ["quantize", "--recipe", "compass", files["float"], "-o", tools.path("cut", ""),
                     "-c"],
        "eval": ["eval", "--int", files["ir"], "--json",
                 tools.path("cut", "e.json"), "--data"],
        "run": ["run", files["exe"], "-o", tools.path("cut", "r.npy"), "-i"],
    }
    for name, arguments in commands.items():
        for rest in (0, 5000):
            data = tools.path("long.npy")
            common.write_npy(data, (shape[0] * copies,) + tuple(shape[1:]),
                             values * copies)
            process = start(tools, arguments + [data],
                            stdout=subprocess.DEVNULL)
            while not is_mapped(process, data) and process.poll() is None:
                pass
            os.truncate(data, rest)
            code, errors = end(process)
            tools.check(code == 1 and "error E0101" in errors
                        and "shorter" in errors,
                        "%s of truncated data: exit code %s, %s" % (
                            name, code, errors[-300:]))
    left = os.listdir(tools.path("cut", ""))
    tools.check(not left, "results of truncated data were published: %s" % left)


def main():
    tools = common.arguments("Check outputs, streams and signals")
    digits = os.path.join(tools.root, "examples", "digits")
    files = {"float": os.path.join(digits, "digits.txt"),
             "data": os.path.join(digits, "heldout.npy"),
             "config": os.path.join(digits, "net.cfg"),
             "ir": tools.path("digits_o.txt"),
             "exe": tools.path("aipu.bin")}
    tools.yarrow("quantize", "--recipe", "compass", files["float"], "-c",
                 os.path.join(digits, "calibration.npy"), "-o", tools.folder)
    tools.yarrow("compile", files["ir"], "-o", files["exe"])
    check_commands(tools, files)
    check_data_alone(tools, files)
    check_pipe(tools, files)
    check_signals(tools, files)
    check_exhausted(tools, files)
    check_truncated(tools, files)
    tools.finish()


main()
