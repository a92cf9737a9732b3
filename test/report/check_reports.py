#!/usr/bin/env python3
"""Every report that Yarrow writes is of the one form that docs/ describes.

    test/report/check_reports.py --yarrow build/bin/yarrow --library build/lib/libyarrow.so

Quantizes, builds, runs and evaluates examples/digits, takes a report from the C
interface, and holds each to docs/report.schema.json. The check itself is checked:
reports that are changed in one place must fail.
"""
import argparse
import copy
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile

import schema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DIGITS = os.path.join(ROOT, "examples", "digits")
TIMEOUT_SECONDS = 300


class Checker:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.failures = 0
        with open(os.path.join(ROOT, "docs", "report.schema.json"), encoding="utf-8") as f:
            self.schema = json.load(f)

    def fail(self, what):
        self.failures += 1
        print("report: " + what)

    def path(self, name):
        return os.path.join(self.folder, name)

    def yarrow(self, *arguments, ok=(0,)):
        done = subprocess.run([self.program, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_SECONDS)
        if done.returncode not in ok:
            sys.exit(f"report: {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}")

    def read(self, name):
        """The report, once it is of the form."""
        with open(self.path(name), encoding="utf-8") as f:
            return self.check(name, json.load(f))

    def check(self, name, report):
        for problem in schema.problems(report, self.schema):
            self.fail(f"{name}: {problem}")
        return report

    def expect(self, name, report, filled, **values):
        """Which parts are there, and some that are known."""
        for part in ("quantization", "winograd", "performance", "accuracy", "gates",
                     "comparison"):
            if (report[part] is not None) != (part in filled.split()):
                self.fail(f"{name}: {part} is {'null' if report[part] is None else 'there'}")
        for member, value in values.items():
            if report[member] != value:
                self.fail(f"{name}: {member} is {report[member]!r}, not {value!r}")


def digits(name):
    return os.path.join(DIGITS, name)


def check_quantize(c):
    c.yarrow("quantize", "--recipe", "compass", digits("digits.txt"), "-w", digits("digits.bin"), "-c",
             digits("calibration.npy"), "-o", c.folder, "--winograd", "all", "--json",
             c.path("quantize.json"))
    report = c.read("quantize.json")
    c.expect("quantize", report, "quantization winograd", command="quantize", model="digits",
             target="X2_1204")
    layers = report["quantization"]["layers"]
    if [l["tensor"] for l in layers if l["is_output"]] != ["/fc/Gemm_0"]:
        c.fail("quantize: the output's layer is not marked")
    if report["files"]["written"]["graph"] != c.path("digits_o.txt"):
        c.fail("quantize: the written graph is not named")


def check_diagnose(c):
    c.yarrow("diagnose", "--recipe", "compass", digits("digits.txt"), "-w", digits("digits.bin"), "-c",
             digits("calibration.npy"), "--json", c.path("diagnose.json"))
    report = c.read("diagnose.json")
    c.expect("diagnose", report, "diagnosis", command="diagnose", model="digits",
             target="X2_1204")
    diagnosis = report["diagnosis"]
    taken = {}
    for remedy in diagnosis["remedies"]:
        if remedy["is_taken"]:
            taken.update(remedy["settings"])
    if not taken or taken != diagnosis["settings"]:
        c.fail("diagnose: the settings are not those of the remedies")


def check_sweep(c):
    c.yarrow("sweep", c.path("digits_o.txt"), "--vary", "sramBytes=128K,4M", "--vary",
             "ddrBytesPerCycle=8,32", "--json", c.path("sweep.json"))
    report = c.read("sweep.json")
    c.expect("sweep", report, "", command="sweep", model="digits", target="X2_1204")
    points = report["sweep"]["points"]
    if [point["machine"] for point in points] != [
            {"sramBytes": sram, "ddrBytesPerCycle": ddr}
            for sram in (128 << 10, 4 << 20) for ddr in (8, 32)]:
        c.fail("sweep: the machines are not those of the options")
    if not points[3]["cycles"] < points[2]["cycles"]:
        c.fail("sweep: a wider bus saves nothing")


def check_bisect(c):
    """Against an executable of another network: one factor of a sum is another."""
    with open(c.path("digits_o.txt"), encoding="utf-8") as f:
        other = re.sub(r"scale_value=\[\d+,", "scale_value=[100,", f.read())
    with open(c.path("other.txt"), "w", encoding="utf-8") as f:
        f.write(other)
    c.yarrow("compile", c.path("other.txt"), "-w", c.path("digits_o.bin"), "-o", c.path("other.bin"))
    c.yarrow("bisect", c.path("digits_o.txt"), c.path("other.bin"), "-i", digits("heldout.npy"),
             "-o", c.path("layer"), "--json", c.path("bisect.json"), ok=(3,))
    report = c.read("bisect.json")
    c.expect("bisect", report, "", command="bisect")
    answer = report["bisection"]
    if (answer["layer"], answer["command"]["kind"]) != ("/res2/Conv + /Add", "tensor engine"):
        c.fail(f"bisect: {answer['layer']}, {answer['command']['kind']}")


def check_search(c):
    c.yarrow("search", digits("digits.txt"), "-w", digits("digits.bin"), "-c",
             digits("calibration.npy"), "-o", c.path("opt_config.json"), "--json",
             c.path("search.json"))
    report = c.read("search.json")
    c.expect("search", report, "search", command="search", model="digits",
             target="X2_1204")
    search = report["search"]
    if not search["is_met"] or report["files"]["written"] != {
            "opt_config": c.path("opt_config.json")}:
        c.fail("search: the budget is not kept, or the result not named")
    losses = [point["loss"] for point in search["front"]]
    if losses != sorted(losses, reverse=True):
        c.fail("search: the loss does not fall along the unbeaten mixtures")


def check_run(c):
    c.yarrow("compile", c.path("digits_o.txt"), "-o", c.path("aipu.bin"))
    c.yarrow("run", c.path("aipu.bin"), "-i", digits("heldout.npy"), "-o", c.path("out.npy"),
             "--report", c.path("run.json"), "--trace", c.path("trace.json"))
    report = c.read("run.json")
    c.expect("run", report, "performance", command="run", model="digits", target="X2_1204")
    performance = report["performance"]
    if sum(l["cycles"] for l in performance["layers"]) != performance["cycles"]:
        c.fail("run: the layers' cycles do not add up")
    if report["files"]["written"] != {"outputs": [c.path("out.npy")],
                                      "trace": c.path("trace.json")}:
        c.fail(f"run: written files are {report['files']['written']}")
    with open(c.path("trace.json"), encoding="utf-8") as f:
        trace = json.load(f)
    check_figures(c, performance, trace)
    return performance


def check_figures(c, performance, trace):
    """Every figure of the layers once more, from the slices of the run's trace."""
    tracks, slices = {}, []
    for event in trace["traceEvents"]:
        if event["name"] == "thread_name":
            tracks[event["tid"]] = event["args"]["name"]
        elif event["ph"] == "X":
            slices.append(event)
    names = [l["name"] for l in performance["layers"]]
    for event in slices:
        if event["name"] not in names:  # a command of no layer
            event["name"] = "(none)"

    def unit(event):
        """How it is told apart from others, the first ones before the others of a cycle."""
        return ["tensor engine", "TEC", "DMA load", "DMA store"].index(
            next(u for u in ("tensor engine", "TEC", "DMA load", "DMA store")
                 if tracks[event["tid"]].startswith(u)))

    cycles = performance["cycles"]
    # The layer of each cycle: of engine before TEC before copies, of TECs and copies the
    # first; one in which nothing works is of the layer that is next.
    owners, ranks = [None] * cycles, [9] * cycles
    for event in slices:
        rank = (min(unit(event), 2), names.index(event["name"]))
        for cycle in range(event["ts"], event["ts"] + event["dur"]):
            if owners[cycle] is None or rank < ranks[cycle]:
                owners[cycle], ranks[cycle] = event["name"], rank
    following = "(none)"
    for cycle in reversed(range(cycles)):
        following = owners[cycle] = owners[cycle] or following

    def total(mine, what):
        return sum(e["args"].get(what, 0) for e in mine)

    def busy(mine, *units):
        return sum(e["dur"] for e in mine if unit(e) in units)

    def figures(mine):
        return {"tensor_engine_cycles": busy(mine, 0), "tec_cycles": busy(mine, 1),
                "dma_cycles": busy(mine, 2, 3), "tec_instructions": total(mine, "instructions"),
                "macs": total(mine, "macs"), "ddr_bytes": total(mine, "ddr_bytes"),
                "ddr_spared_bytes": total(mine, "ddr_spared_bytes"),
                "sram_bytes": total(mine, "sram_bytes")}

    def bound(row):  # of X2_1204: 4096 MACs and 32 bytes in a cycle
        return max(-(-row["macs"] // 4096), -(-row["ddr_bytes"] // 32))

    def compare(what, found, expected):
        for member, value in expected.items():
            if found[member] != value:
                c.fail(f"{what}: {member} is {found[member]}, and {value} by the trace")

    for row in performance["layers"]:
        mine = [e for e in slices if e["name"] == row["name"]]
        span = max((e["ts"] + e["dur"] for e in mine), default=0) - \
            min((e["ts"] for e in mine), default=0)
        compare("layer " + row["name"], row,
                dict(figures(mine), cycles=owners.count(row["name"]), span_cycles=span,
                     bound_cycles=bound(figures(mine))))
    compare("total", performance["total"],
            dict(figures(slices), cycles=cycles, span_cycles=cycles, bound_cycles=bound(figures(slices))))
    macs = total(slices, "macs")
    compare("run", performance, {
        "macs": macs, "array_utilization": macs / (4096 * cycles),
        "milliseconds": cycles / 1e6, "tensor_engine_busy_cycles": busy(slices, 0),
        "dma_load_busy_cycles": busy(slices, 2), "dma_store_busy_cycles": busy(slices, 3),
        "tec_busy_cycles": [sum(e["dur"] for e in slices if tracks[e["tid"]] == f"TEC {i}")
                            for i in range(4)]})


def check_eval(c):
    c.yarrow("eval", "--float", digits("digits.txt") + "," + digits("digits.bin"), "--int",
             c.path("digits_o.txt") + "," + c.path("digits_o.bin"), "--exe", c.path("aipu.bin"),
             "--data", digits("heldout.npy"), "--label", digits("heldout_label.npy"),
             "--samples", "36", "--json", c.path("eval.json"))
    report = c.read("eval.json")
    c.expect("eval", report, "accuracy", command="eval", model="digits", target="X2_1204")
    accuracy = report["accuracy"]
    if set(accuracy["networks"]) != {"float", "int", "npu"} or accuracy["samples"] != 36 or \
            accuracy["compared_bytes"] != 360 or accuracy["differing_bytes"] != 0:
        c.fail(f"eval: {accuracy}")


def check_comparison(c):
    """What --layers writes is what --reference reads."""
    network = [digits("digits.txt"), "-w", digits("digits.bin"), "-i", digits("heldout.npy")]
    c.yarrow("eval", *network, "--layers", c.path("tensors"), "-o", c.path("logits.npy"))
    with open(c.path("tensors/layers.json"), encoding="utf-8") as f:
        tensors = json.load(f)["tensors"]
    chosen = [tensors[1], tensors[-1]]
    with zipfile.ZipFile(c.path("recorded.npz"), "w") as archive:
        for tensor in chosen:
            with open(c.path("tensors/" + tensor["file"]), "rb") as f:
                archive.writestr(tensor["name"] + ".npy", f.read())  # keeps a leading /
    c.yarrow("eval", *network, "--reference", c.path("recorded.npz"), "--max-difference", "0",
             "--json", c.path("comparison.json"))
    report = c.read("comparison.json")
    c.expect("eval --reference", report, "comparison", command="eval", model="digits")
    found = report["comparison"]
    if [t["name"] for t in found["tensors"]] != [t["name"] for t in chosen] or \
            found["first_different"] is not None or \
            any(t["equal"] != t["elements"] or t["runs"] != 360 for t in found["tensors"]):
        c.fail(f"eval --reference: {found}")


def check_build(c):
    # A metric of the vendor's makes a diagnostic.
    c.yarrow("build", digits("net.cfg"), "-o", c.path("build"), "--set", "with_winograd=True",
             "--set", "metric=TopKMetric,PlateMetric", "--set", "GBuilder.profile=True",
             "--samples", "36", "--brief", "--gate", "cosine=0.99", "--gate", "sqnr=20")
    report = c.read("build/report.json")
    c.expect("build", report, "quantization winograd performance accuracy gates",
             command="build", model="digits", target="X2_1204")
    if "W0508" not in [d["code"] for d in report["diagnostics"]]:
        c.fail("build: the warning is not in the report")
    if [(g["figure"], g["output"], g["passes"]) for g in report["gates"]] != [
            ("cosine", "/fc/Gemm_0", True), ("sqnr", "/fc/Gemm_0", True)]:
        c.fail(f"build: the gates are {report['gates']}")
    # What building measures is what running measures.
    c.yarrow("run", c.path("build/aipu.bin"), "-i", digits("heldout.npy"), "-o",
             c.path("again.npy"), "--report", c.path("again.json"))
    with open(c.path("again.json"), encoding="utf-8") as f:
        if json.load(f)["performance"] != report["performance"]:
            c.fail("build: the performance is not that of a run")


def check_c_interface(c, library, performance):
    """The same figures as those of the program."""
    y = ctypes.CDLL(library)
    y.yarrow_report_json.restype = ctypes.c_char_p
    y.yarrow_last_error.restype = ctypes.c_char_p

    class Options(ctypes.Structure):
        _fields_ = [("target", ctypes.c_char_p), ("timed", ctypes.c_int),
                    ("trace", ctypes.c_int), ("budget", ctypes.c_uint64)]
    model, session = ctypes.c_void_p(), ctypes.c_void_p()
    options = Options(None, 1, 1, 0)
    pixels = bytes(64)
    status = y.yarrow_open(c.path("aipu.bin").encode(), ctypes.byref(model)) or \
        y.yarrow_create_session(model, ctypes.byref(options), ctypes.byref(session)) or \
        y.yarrow_set_input(session, ctypes.c_size_t(0), pixels, ctypes.c_size_t(len(pixels))) or \
        y.yarrow_run(session)
    if status:
        sys.exit(f"report: the C interface: {y.yarrow_last_error().decode()}")
    report = c.check("yarrow_report_json", json.loads(y.yarrow_report_json(session)))
    c.expect("yarrow_report_json", report, "performance", command="run", model="digits",
             target="X2_1204", performance=performance)
    y.yarrow_close_session(session)
    y.yarrow_close(model)


def check_failures(c):
    """What is not of the form is found."""
    with open(c.path("build/report.json"), encoding="utf-8") as f:
        good = json.load(f)

    def broken(what, change):
        report = copy.deepcopy(good)
        change(report)
        if not schema.problems(report, c.schema):
            c.fail("not noticed: " + what)
    broken("a version of the future", lambda r: r.update(schema_version=2))
    broken("another command", lambda r: r.update(command="check"))
    broken("a member that is missing", lambda r: r.pop("accuracy"))
    broken("a member that is not known", lambda r: r.update(cycles=1))
    broken("a number as text", lambda r: r["performance"].update(cycles="1"))
    broken("a fraction of a cycle", lambda r: r["performance"]["layers"][0].update(cycles=1.5))
    broken("a layer without a name", lambda r: r["quantization"]["layers"][0].pop("name"))
    broken("more than all", lambda r: r["accuracy"]["networks"]["npu"].update(top1=101))
    broken("a code of no form", lambda r: r["diagnostics"][0].update(code="X1"))
    broken("a file of unknown use", lambda r: r["files"]["read"].update(picture="a.png"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--yarrow", required=True)
    parser.add_argument("--library", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="yarrow-report-") as folder:
        c = Checker(args.yarrow, folder)
        check_quantize(c)
        check_diagnose(c)
        check_search(c)
        check_sweep(c)
        check_bisect(c)
        performance = check_run(c)
        check_eval(c)
        check_comparison(c)
        check_build(c)
        check_c_interface(c, args.library, performance)
        check_failures(c)
    print(f"report: 7 reports, 10 broken ones, {c.failures} failures")
    return 1 if c.failures else 0


if __name__ == "__main__":
    sys.exit(main())
