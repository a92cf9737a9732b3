"""What a phase prints can be read, and leads to the same executable.

Five networks, every phase that `yarrow compile --stop-after` names, as MLIR
bytecode and as text: yarrow-opt goes on from the file, and the executable is
that of `yarrow compile`, byte for byte. Targets and options travel within the
module.
"""
import os
import subprocess
import sys

import common

NETWORKS = [("models/mobilenet_v2_rand_pt_sym", "Z1_0701", []),
            ("models/resnet8_tiny_pc_asym", "X2_1204", []),
            ("models/kws_dscnn_pt_sym", "Z2_1104", ["--no-optimize"]),
            ("models/vit_tiny_rand_mix_float16", "X1_1204", []),
            ("models/resnet20_nhwc_pc_sym_wino", "Z1_0904", [])]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def resume(tools, opt, module, phase, options):
    """The executable that yarrow-opt makes of the module after a phase."""
    path = tools.path("resumed.bin")
    rest = f"after={phase} output={path}"
    if "--no-optimize" in options and phase == "read":
        rest += " optimize=false"  # later ones say it in the module
    done = subprocess.run([opt, module, f"--yarrow-compile={rest}", "-o", os.devnull],
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"yarrow-opt ended with {done.returncode} on {module}:\n{done.stderr[-2000:]}")
    return read(path)


def phases(tools):
    """Those that have a module to print."""
    lines = tools.yarrow("phases").splitlines()[1:]
    return [line.split()[0] for line in lines if line.split()[1:2] == ["yes"]]


def main():
    tools = common.arguments(__doc__.split("\n")[0])
    tools.need_packs()
    opt = os.path.join(os.path.dirname(tools.program), "yarrow-opt")
    for pack, target, options in NETWORKS:
        graph = tools.pack(pack, "int.txt")
        direct = tools.path("direct.bin")
        tools.yarrow("compile", graph, "-t", target, "-o", direct, *options)
        wanted = read(direct)
        for phase in phases(tools):
            for kind in ("mlirbc", "mlir"):
                module = tools.path(f"{phase}.{kind}")
                tools.yarrow("compile", graph, "-t", target, "--stop-after", phase, "-o", module,
                             *options)
                tools.check(resume(tools, opt, module, phase, options) == wanted,
                            f"{pack} on {target} goes on from {phase}.{kind}")
    tools.finish()


if __name__ == "__main__":
    main()
