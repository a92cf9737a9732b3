"""The provider in ONNX Runtime: what networks compute on the NPU, beside the CPU.

The ONNX Runtime is that of npm's package onnxruntime-node, which is fetched by npm into a folder
outside of the tree. examples/onnxruntime/run.c and host.c are compiled against it and run small
networks (networks.py), with the provider and without. A provider that was built with a sanitizer
is checked by it.

    python3 provider.py --yarrow build/bin/yarrow --library build/lib/libyarrow_onnxruntime.so
    python3 provider.py ... --models folder        # also all ONNX models of a folder (models.py)
    python3 provider.py ... --packs ../shared/packs # also the packs' networks in QDQ form

Without npm, network or a C compiler the check is skipped.
"""
import argparse
import array
import glob
import json
import math
import os
import random
import re
import sys

import networks
from damage import check_damage
from models import check_models, check_packs
from running import Check, Unavailable, farthest

import npy
import onnx
import packages

SKIPPED = 77


def same(check, model, what, *settings, tolerance=1e-4):
    """The report of a model whose outputs are those of the CPU."""
    cpu, _ = check.outputs(model, False)
    npu, report = check.report(model, *settings)
    far = farthest(cpu, npu)
    check.check(far <= tolerance, f"{what}: outputs differ by {far:g}")
    provider = report["provider"]
    print(f"{what}: {provider['nodes_on_npu']} of {provider['nodes']} nodes in "
          f"{len(provider['parts'])} parts, outputs within {far:.2g}")
    return report


#===-- Checks ----------------------------------------------------------------===#

def check_floats(check):
    report = same(check, check.write("conv.onnx", onnx.conv(1)), "a float network")
    provider = report["provider"]
    check.check(provider["nodes_on_npu"] == provider["nodes"] == 7, "seven nodes, all on the NPU")
    run = provider["runs"][0]
    check.check(run["runs"] == 1 and run["cycles"] > 0, "one run with cycles")
    check.check(run["performance"]["cycles"] == run["cycles"], "its layers have the same cycles")
    for name in ("norm", "two_inputs"):
        same(check, check.write(name + ".onnx", getattr(onnx, name)(1)), name)
    check.check(report["target"] == "X2_1204", "the target by default")
    report = same(check, check.path("conv.onnx"), "on Z1_0701", "target=Z1_0701")
    check.check(report["target"] == "Z1_0701" and
                report["provider"]["runs"][0]["cycles"] > run["cycles"], "another target is slower")


def check_quantized(check):
    for name in ("quantized", "quantized_ends", "quantized_cast"):
        model = check.write(name + ".onnx", getattr(onnx, name)(1))
        cpu, _ = check.outputs(model, False)
        npu, _ = check.outputs(model, True)
        check.check(cpu == npu, f"{name}: not the same bytes")
    same(check, check.write("qdq_around.onnx", networks.qdq_around()), "a QDQ network in two parts", tolerance=1e-6)


def check_partition(check):
    model = check.write("determinants.onnx", networks.determinants())
    report = same(check, model, "three operators that are left")
    provider = report["provider"]
    left = [each["operator"] for each in provider["left_out"]]
    check.check(left == ["Det"] * 3, f"left out are {left}")
    check.check(provider["nodes_on_npu"] + len(left) == provider["nodes"], "nodes add up")
    check.check(sorted(n for part in provider["parts"] for n in part["nodes"]) ==
                sorted(set(n for part in provider["parts"] for n in part["nodes"])), "a node in two parts")
    check.check(sum(len(part["nodes"]) for part in provider["parts"]) == provider["nodes_on_npu"],
                "the nodes of parts add up")
    check.check(len(provider["parts"]) == 4, "four parts")
    check.check(all("Det is not imported" in each["why"] for each in provider["left_out"]), "reasons")
    check.check(all(each["runs"] == 1 for each in provider["runs"]) and
                len(provider["runs"]) == 4, "each part ran once")
    plain = check.partition(model) if os.path.exists(check.options.yarrow) else provider
    check.check([p["nodes"] for p in plain["parts"]] == [p["nodes"] for p in provider["parts"]],
                "yarrow check divides it in the same way")
    report = same(check, check.write("suppression.onnx", networks.suppression()), "as many results as values say",
                  tolerance=1e-6)
    same(check, check.write("none.onnx", networks.suppression(least=2.0)), "no result at all")
    check.check([each["operator"] for each in report["provider"]["left_out"]] == ["NonMaxSuppression"],
                "only the suppression stays")
    report = same(check, model, "with min_nodes=4", "min_nodes=4")
    check.check(all(len(part["nodes"]) >= 4 for part in report["provider"]["parts"]),
                "parts of fewer nodes stay")
    report = same(check, model, "with min_macs=1000000", "min_macs=1000000")
    check.check(not report["provider"]["parts"] and report["provider"]["nodes_on_npu"] == 0,
                "nothing pays")


def check_control(check):
    for name, content in (("branches", networks.branches()), ("rounds", networks.rounds()),
                          ("until", onnx.until(1))):
        model = check.write(name + ".onnx", content)
        provider = same(check, model, name)["provider"]
        check.check(provider["nodes_on_npu"] == provider["nodes"], f"{name}: all nodes are on the NPU")


def check_calibration(check):
    model = check.write("conv.onnx", onnx.conv(1))
    values = [math.sin(i * 0.7) for i in range(16 * 72)]
    folder = check.path("samples")
    os.makedirs(folder, exist_ok=True)
    npy.write_npy(os.path.join(folder, "x.npy"), [16, 2, 6, 6],
                  array.array("f", values))
    cache = check.path("cache")
    os.makedirs(cache, exist_ok=True)
    for given in (folder, os.path.join(folder, "x.npy")):
        report = same(check, model, "quantized here", "quantize=auto", "calibration=" + given,
                      "cache=" + cache, tolerance=0.05)
        check.check(report["provider"]["parts"][0]["is_quantized_here"], "it is quantized")
    check.check(glob.glob(os.path.join(cache, "*part*")) != [], "the cache has the part")
    cpu, _ = check.outputs(model, False)
    npu, _ = check.outputs(model, True, "quantize=auto", "calibration=" + folder)
    check.check(cpu != npu, "integers are not floats")
    # A part in the middle has samples of what the nodes before it compute on the CPU.
    chance = random.Random(1)
    npy.write_npy(os.path.join(folder, "x.npy"), [32, 2, 6, 6],
                  array.array("f", [chance.uniform(-1, 1) for _ in range(32 * 72)]))
    model = check.write("between.onnx", networks.between())
    for _ in range(2):
        report = same(check, model, "parts before and after a node of the CPU", "quantize=auto",
                      "calibration=" + folder, "cache=" + cache, tolerance=0.02)
        parts = report["provider"]["parts"]
        check.check(len(parts) == 2 and all(part["is_quantized_here"] for part in parts),
                    "both parts are quantized")


def check_contexts(check):
    model = check.write("conv.onnx", onnx.conv(1))
    first, _ = check.outputs(model, True)
    for embed in "01":
        context = check.path(f"context{embed}.onnx")
        check.outputs(model, True, "ep.context_enable=1", "ep.context_embed_mode=" + embed,
                      "ep.context_file_path=" + context)
        npu, _ = check.outputs(context, True)
        check.check(npu == first, f"a context with embed_mode={embed} gives other bytes")
    part = check.path("context0_part_0.yarrow")
    with open(part, "rb") as file:
        good = file.read()
    check_damage(check, check.path("context0.onnx"), part, check.options.seal)
    for what, content in (("something else", b"something else"), ("nothing", None)):
        if content is None:
            os.remove(part)
        else:
            check.write("context0_part_0.yarrow", content)
        printed = check.call(check.path("run"), check.path("context0.onnx"), "npu", check.options.library,
                             ok=False)
        check.check("error E0" in printed, f"{what}: {printed}")
    model = check.write("open.onnx", onnx.conv("N"))
    context = check.path("open_context.onnx")
    check.outputs(model, True, "ep.context_enable=1", "ep.context_embed_mode=0",
                  "ep.context_file_path=" + context)
    cpu, _ = check.outputs(model, False)
    npu, _ = check.outputs(context, True)
    check.check(farthest(cpu, npu) < 1e-4, "a context with open lengths")
    check_damage(check, context, check.path("open_context_part_0.yarrow"))
    print("contexts: written and read")


def check_shapes(check):
    model = check.write("open.onnx", onnx.conv("N"))
    printed = check.host("shapes", model, 4, "max_shapes=3")
    good = [float(d) for d in re.findall(r"^\d: difference (\S+)$", printed, re.M)]
    check.check(len(good) == 4 and max(good) < 1e-4, "three shapes, and the first again: " + printed)
    check.check(re.search(r"^4: .*x\[4,2,6,6\] is another one; give the option max_shapes", printed, re.M),
                "the fourth one is refused: " + printed)
    print("open lengths: three shapes compiled, the fourth refused")


def check_profile(check):
    model = check.write("determinants.onnx", networks.determinants())
    name = check.host("profile", model, "profile", "timed=1").split()[-1]
    with open(check.path(name), encoding="utf-8") as file:
        events = json.load(file)
    ours = [e for e in events if e["name"].startswith("part_") and "cycles" in e["args"]]
    check.check(len(ours) == 8, f"4 parts of 2 runs are {len(ours)} events")
    check.check(all(int(e["args"]["cycles"]) > 0 for e in ours), "events have cycles")
    print(f"profile: {len(ours)} events with cycles")


def check_threads(check):
    model = check.write("determinants.onnx", networks.determinants())
    printed = check.host("threads", model, 8, 1000)
    found = re.findall(r"^difference (\S+), unloaded$", printed, re.M)
    check.check(len(found) == 2 and all(float(d) < 1e-4 for d in found), printed)
    if check.sanitizer == "thread":
        # What goes wrong in Yarrow's code is seen, though ONNX Runtime called it.
        try:
            printed = check.host("race", model)
        except RuntimeError as why:
            printed = str(why)
        check.check("data race" in printed and "libyarrow" in printed, "a race on purpose is not reported: " + printed)
    print("8 threads, 1,000 runs, two sessions, twice: difference " + " ".join(found) + ", unloaded")


def check_options(check):
    model = check.write("conv.onnx", onnx.conv(1))
    for setting, expected in (
            ("tarrget=X2_1204", "has no option tarrget; did you mean target?"), ("target=X9", "E0505"),
            ("timed=maybe", 'the option timed of the Yarrow provider is "maybe", and must be 0 or 1'),
            ("min_nodes=few", "must be a whole number"), ("cache=/missing/folder", "a folder that exists"),
            ("quantize=auto", "needs the option calibration"),
            ("calibration=/missing.npy", "a file or a folder that exists")):
        printed = check.call(check.path("run"), model, "npu", check.options.library, setting, ok=False)
        check.check(expected in printed, f"{setting}: {printed}")
    model = check.write("overridable.onnx", networks.overridable())
    same(check, model, "a constant that a run may replace", tolerance=0)
    printed = check.host("replace", model, "k", ok=False)
    check.check("gives k other values than the model has" in printed, printed)
    print("options: each wrong one is reported")


CHECKS = {"floats": check_floats, "quantized": check_quantized, "partition": check_partition,
          "control": check_control, "calibration": check_calibration, "contexts": check_contexts,
          "shapes": check_shapes, "profile": check_profile, "threads": check_threads,
          "options": check_options}


def main():
    parser = argparse.ArgumentParser(description="Check the provider of ONNX Runtime")
    parser.add_argument("--yarrow", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--cache", default=packages.default_cache())
    parser.add_argument("--only", default="", help="checks, with commas between them")
    parser.add_argument("--seal", help="the program seal_executable")
    parser.add_argument("--models", help="a folder of ONNX models to run as well")
    parser.add_argument("--packs", help="the reference packs, whose integer networks are run in QDQ form")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="of these")
    parser.add_argument("--timeout", type=float, default=600, help="seconds of a run")
    options = parser.parse_args()
    options.yarrow, options.library = os.path.abspath(options.yarrow), os.path.abspath(options.library)
    try:
        check = Check(options)
    except Unavailable as why:
        print(f"skipped: {why}")
        return SKIPPED
    with check:
        for name, run in CHECKS.items():
            if not options.only or name in options.only.split(","):
                run(check)
        if options.packs and os.path.isdir(options.packs):
            check_packs(check)
        if options.models:
            check_models(check, options.models)
    print("ok" if not check.failures else f"{check.failures} failures")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
