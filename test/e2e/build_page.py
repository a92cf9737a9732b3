"""The page of `yarrow build --html`: whole, self-contained, and true.

What it shows is what the report beside it says; units are busy as long as the
report counts; no two buffers have the same bytes of the SRAM at the same time.
With --browser a Chromium opens pages of the example, of a network of 1,000 layers, of
a real one and of a language model (skipped where there is none): every view has
content, keys lead everywhere, all text can be read, light and dark, and the console
stays empty. How long a page takes to load is printed.
"""
import array
import os
import random

import common
from networks import Graph, write_graphs
from page_browser import open_comparison, open_page
from page_data import check_page
import page_views

MANY_LAYERS = 1000
# A network of many layers with trained or random weights, its folder among the packs.
REAL_NETWORK = "models/mobilenet_v2_rand_pt_sym"
# Beside the packs: some 200 layers, whose page is smaller than this, in bytes.
LANGUAGE_MODEL = "../zoo/stories260K/sequence128.onnx"
LARGEST_OF_IT = 1_000_000


def build_digits(tools):
    """(page, report) of the example, whose output differs from that of a build."""
    digits = os.path.join(tools.root, "examples", "digits")
    page, out = tools.path("digits.html"), tools.path("digits", "")
    tools.yarrow("build", os.path.join(digits, "net.cfg"), "-o", out, "--brief", "--html", page)
    return page, out + "report.json"


def build_many(tools):
    """Of 1,000 layers: blocks of branches that come together."""
    rng = random.Random(7)
    graph = Graph("main", bytearray(), rng)
    x = graph.conv(graph.input([1, 6, 6, 8]), 8, kernel=1)
    # The larger of two values stays as large, through all of them.
    for _ in range(MANY_LAYERS // 5 + 1):
        left = graph.conv(graph.conv(x, 4, kernel=1), 4, kernel=1)
        both = graph.concat([left, graph.conv(x, 4, kernel=1)], 3)
        x = graph.layer("Eltwise", [x, both], x[1], "float32", "method=MAX", "with_activation=NONE")
    graph.outputs = [x]
    folder = tools.path("many", "")
    write_graphs(folder, [graph])
    common.write_npy(folder + "data.npy", [2, 6, 6, 8], array.array(
        "f", (rng.gauss(0, 1) for _ in range(2 * 6 * 6 * 8))))
    config = folder + "net.cfg"
    with open(config, "w", encoding="utf-8") as f:
        f.write("[Common]\nmode = run\n[Optimizer]\ngraph = float.txt\nbin = float.bin\n"
                "model_name = many\ncalibration_data = data.npy\n"
                f"output_dir = {folder}out\n[GBuilder]\ntarget = X2_1204\n")
    page = tools.path("many.html")
    tools.yarrow("build", config, "--brief", "--html", page)
    return page, folder + "out/report.json"


def run_real(tools):
    """The page of an executable alone."""
    network = tools.pack(REAL_NETWORK, "int")
    sample = tools.pack(REAL_NETWORK, "sample0")
    shape, _, _ = common.read_npy(os.path.join(sample, "float_input_0.npy"))
    data = tools.path("real.npy")
    common.write_npy(data, shape, common.read_npy(os.path.join(sample, "float_input_0.npy"))[2])
    tools.yarrow("compile", network + ".txt", "-w", network + ".bin", "-o", tools.path("real.bin"))
    page, report = tools.path("real.html"), tools.path("real.json")
    tools.yarrow("run", tools.path("real.bin"), "-i", data, "-o", tools.path("y.npy"),
                 "--html", page, "--report", report)
    return page, report


def check_executables_page(tools, name, build, report_path):
    """An executable alone tells the attributes that the network has, which its build shows."""
    page = tools.path("alone.html")
    executable = os.path.join(os.path.dirname(report_path), "aipu.bin")
    tools.yarrow("run", executable, "-o", tools.path("alone.npy"), "--html", page)
    alone = check_page(tools, page, None)
    told = {entry["name"]: entry["attributes"] for entry in alone["layer_facts"]}
    network = {entry["name"]: entry["attributes"] for entry in build["layer_facts"]}
    members = [member for layer in alone["picture"]["layers"] for member in layer["members"]]
    tools.check(sorted(members) == sorted(told), f"{name}: not all layers have attributes")
    for member in members:
        # But for those that have their defaults.
        tools.check(told[member] and told[member].items() <= network[member].items(),
                    f"{name}: {member}: {told[member]}, not {network[member]}")


def build_language_model(tools):
    """Calibrated with two texts."""
    model = tools.pack(LANGUAGE_MODEL)
    shape, _, tokens = common.read_npy(os.path.join(os.path.dirname(model), "tokens.npy"))
    data, page, out = tools.path("tokens.npy"), tools.path("words.html"), tools.path("words", "")
    texts = [tokens[i * shape[1]:i * shape[1] + 128] for i in range(2)]
    common.write_npy(data, [2, 128], array.array("i", (token for text in texts for token in text)))
    tools.yarrow("build", model, "-c", data, "--recipe", "compass", "-o", out, "--brief", "--html", page)
    tools.check(os.path.getsize(page) < LARGEST_OF_IT, f"the page of a language model has {os.path.getsize(page):,} bytes")
    return page, out + "report.json"


def main():
    tools = page_views.arguments("Check the page of a build")
    pages = {"digits": build_digits(tools), "many": build_many(tools)}
    if os.path.isdir(tools.pack(REAL_NETWORK)):
        pages["mobilenet_v2"] = run_real(tools)
    if tools.options.browser and os.path.exists(tools.pack(LANGUAGE_MODEL)):
        pages["sequence128"] = build_language_model(tools)
    for name, (path, report) in pages.items():
        build = check_page(tools, path, report)
        if name == "many":
            tools.check(len(build["picture"]["layers"]) >= MANY_LAYERS,
                        f"only {len(build['picture']['layers'])} layers")
        if name == "digits":
            check_executables_page(tools, name, build, report)
        if tools.options.browser:
            open_page(tools, path, build, name)
    if tools.options.browser:
        both = tools.path("both.html")
        slow = tools.path("slow.bin")
        folder = os.path.dirname(pages["digits"][1])
        tools.yarrow("compile", folder + "/digits_o.txt", "--no-optimize", "-o", slow)
        tools.yarrow("diff", pages["digits"][1], slow, "--html", both, ok=(3,))
        open_comparison(tools, both)
    tools.finish()


if __name__ == "__main__":
    main()
