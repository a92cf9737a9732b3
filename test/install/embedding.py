#!/usr/bin/env python3
"""Does what docs/embedding.md says, and nothing else, in a folder outside of
the repository: installs, builds a C program and an MLIR tool, runs them.

    test/install/embedding.py --build build
    test/install/embedding.py --build build --keep    # leave the folder there
    test/install/embedding.py --installed /usr        # of Debian packages

Of the document, blocks fenced as ```sh run in order in one shell, and a block
with a file's name after its language (```c classify.c) is that file. What the
programs print is compared with what `yarrow` itself says.
"""
import argparse
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOCUMENT = os.path.join(ROOT, "docs", "embedding.md")
TIMEOUT_SECONDS = 300
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Failure(Exception):
    pass


def require(condition, what):
    if not condition:
        raise Failure(what)


def environment(prefix, folder):
    """No path of this build: only what the document sets. On systems without a
    compiler and a make of their own, for scripts/setup.sh installs ninja, and clang
    under its version's name alone, they are those."""
    names = ("PATH", "HOME", "TMPDIR", "CCACHE_DIR")
    env = {name: os.environ[name] for name in names if name in os.environ}
    programs = os.path.join(folder, "programs")
    os.mkdir(programs)
    for name, other in (("cc", "clang-22"), ("c++", "clang++-22")):
        if not shutil.which(name) and shutil.which(other):
            os.symlink(shutil.which(other), os.path.join(programs, name))
    env["PATH"] += os.pathsep + programs
    if not shutil.which("make"):
        env["CMAKE_GENERATOR"] = "Ninja"
    return dict(env, LC_ALL="C.UTF-8", YARROW=ROOT, PREFIX=prefix)


def run(command, folder, env):
    done = subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=TIMEOUT_SECONDS)
    require(done.returncode == 0,
            f"{command[0]} ended with {done.returncode}, after\n" +
            "\n".join(done.stdout.splitlines()[-40:]))
    return done.stdout


def follow(folder, env, is_installed):
    """Everything that the commands of the document print."""
    with open(DOCUMENT, encoding="utf-8") as f:
        blocks = BLOCK.findall(f.read())
    script = "set -euo pipefail\n"
    for language, name, text in blocks:
        if name:
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        elif language == "sh":
            for line in text.splitlines():
                if is_installed and line.startswith("cmake --install"):
                    continue
                script += f"echo {quoted('$ ' + line)}\n{line}\n"
    return run(["bash", "-c", script], folder, env)


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def output_of(command, log):
    """What a command of the document printed."""
    part = log.split("$ " + command + "\n")
    require(len(part) == 2, "the document does not run: " + command)
    return part[1].split("\n$ ")[0].rstrip("\n")


def check_programs(log):
    first = output_of("./classify aipu.bin image.bin", log)
    require(re.search(r"^9: -?\d+\.\d+\n\d+ cycles$", first, re.MULTILINE), first)
    require(first == output_of("c/build/classify aipu.bin image.bin", log),
            "the two C programs differ:\n" + log)
    net = output_of("mlir/build/operations digits.txt digits.bin", log)
    require("/stem/Conv: kernel 3x3" in net and "4 compass.convolution" in net, net)
    require("npu.conv" in output_of("mlir/build/operations digits.mlir", log),
            "no command is in the lowered network")
    require("npu.pool" in output_of("mlir/build/operations lowered.mlir", log),
            "no command is in what yarrow-opt made")


def check_compiler(folder, env, log):
    """From a model to scores in one program: those of the commands, on the same image."""
    command = "./logits digits.onnx calibration.npy heldout.npy"
    scores = output_of(command, log)
    require(scores == output_of(command.replace("./logits", "compile/build/logits", 1), log),
            "the two programs that compile differ:\n" + log)
    path = dict(env, PATH=os.path.join(env["PREFIX"], "bin") + os.pathsep + env["PATH"])
    run(["yarrow", "quantize", "--recipe", "compass", "digits.onnx", "-c", "calibration.npy", "-o",
         "twin", "--brief"], folder, path)
    run(["yarrow", "compile", "twin/digits_o.txt", "-o", "twin.bin"], folder, path)
    run(["yarrow", "run", "twin.bin", "-i", "heldout.npy", "-o", "twin_scores.npy"], folder, path)
    with open(os.path.join(folder, "twin_scores.npy"), "rb") as f:
        expected = struct.unpack("<10f", f.read()[-40:])
    found = [float(line.split(": ")[1]) for line in scores.splitlines()]
    require(len(found) == 10 and all(abs(a - b) < 1e-3 for a, b in zip(found, expected)),
            f"the scores are not those of the commands: {found}, {expected}")


def check_nnapi(log):
    require(output_of("./relu", log) == "0 2 0 4", output_of("./relu", log))
    require(re.search(r"^yarrow-X2_1204 +\d+\.\d\d us$", output_of("edges/edges", log),
                      re.MULTILINE), output_of("edges/edges", log))


def check_same_scores(folder, env, log):
    """The library's bytes are those of `yarrow run`."""
    run(["yarrow", "run", "aipu.bin", "-i", "image.bin", "-o", "scores.bin"], folder,
        dict(env, PATH=os.path.join(env["PREFIX"], "bin") + os.pathsep + env["PATH"]))
    with open(os.path.join(folder, "scores.bin"), "rb") as f:
        stored = [b - 256 if b > 127 else b for b in f.read()]
    tensor = re.search(r"scale ([\d.]+), zero point (-?\d+)",
                       run([os.path.join(env["PREFIX"], "bin", "yarrow"), "inspect", "aipu.bin"],
                           folder, env).split("output")[1])
    scale, zero_point = float(tensor.group(1)), int(tensor.group(2))
    printed = output_of("./classify aipu.bin image.bin", log).splitlines()
    for i, q in enumerate(stored):
        value = float(printed[i].split(": ")[1])
        require(abs(value - (q + zero_point) / scale) < 1e-3, f"score {i} differs: {printed[i]}")


def exported(library, kind, prefix, env):
    """Names of functions; nothing but them and the version may be there."""
    symbols = run(["nm", "-D", "--defined-only", library], prefix, env).splitlines()
    others = [line for line in symbols if not re.search(rf" (T {kind}\w+@@|A [A-Z])", line)]
    require(not others, library + " also exports:\n" + "\n".join(others))
    return {line.split()[2].split("@")[0] for line in symbols if line.split()[1] == "T"}


def declared(header, kind, prefix):
    with open(os.path.join(prefix, "include", "yarrow", header), encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.DOTALL)
    return set(re.findall(rf"\b({kind}\w+)\(", text))


def check_library(prefix, env):
    """Only the functions of the headers are exported, and none is missing."""
    library = os.path.join(prefix, "lib", "libyarrow.so")
    nnapi = os.path.join(prefix, "lib", "libneuralnetworks.so")
    for path in (library, nnapi):
        require(os.path.basename(os.path.realpath(path)).count(".") == 4,
                path + " is no link to a file with the full version")
    for path, header, kind in ((library, "yarrow.h", "yarrow_"),
                               (nnapi, "NeuralNetworks.h", "ANeuralNetworks")):
        names = declared(header, kind, prefix)
        different = names ^ exported(path, kind, prefix, env)
        require(names and not different,
                f"declared and exported differ in {header}: {sorted(different)}")
    check_compiler_library(prefix, env)
    needed = run(["readelf", "-d", library], prefix, env)
    require("LLVM" not in needed and "MLIR" not in needed, "libyarrow.so needs LLVM:\n" + needed)


def check_compiler_library(prefix, env):
    """Functions of both headers have the version of their interface, and everything else one
    that says that it is private."""
    library = os.path.join(prefix, "lib", "libyarrow_compiler.so")
    symbols = run(["nm", "-D", "--defined-only", library], prefix, env).splitlines()
    for header, version in (("yarrow.h", "YARROW_0"), ("compiler.h", "YARROW_COMPILER_0")):
        found = {line.split()[2].split("@")[0] for line in symbols
                 if f"@@{version}" in line and line.split()[1] == "T"}
        different = declared(header, "yarrow_", prefix) ^ found
        require(not different, f"declared and exported differ in {header}: {sorted(different)}")
    others = [line for line in symbols if "@@YARROW_" not in line and " A " not in line]
    require(not others, "without a version:\n" + "\n".join(others[:20]))


def check_stage(args, folder, env):
    """DESTDIR, and a prefix that was moved."""
    stage = os.path.join(folder, "stage")
    run([args.cmake, "--install", args.build, "--prefix", "/usr"], folder,
        dict(env, DESTDIR=stage))
    moved = os.path.join(folder, "moved")
    os.rename(os.path.join(stage, "usr"), moved)
    program = os.path.join(moved, "bin", "yarrow")
    run([program, "--version"], folder, env)
    require("0 of 3,600 output bytes differ" in run([program, "demo"], folder, env),
            "the network that the program carries is not built right")
    share = os.path.join(moved, "share")
    pages = set(os.listdir(os.path.join(share, "man", "man1")))
    require({"yarrow.1", "yarrow-build.1", "yarrow-demo.1"} <= pages, f"manual: {sorted(pages)}")
    for script in ("bash-completion/completions/yarrow", "zsh/site-functions/_yarrow"):
        with open(os.path.join(share, script), encoding="utf-8") as f:
            require("yarrow complete" in f.read(), script + " completes nothing")
    flags = run(["pkg-config", "--cflags", "--libs", "yarrow"], folder,
                dict(env, PKG_CONFIG_PATH=os.path.join(moved, "lib", "pkgconfig")))
    paths = [os.path.normpath(f[2:]) for f in flags.split() if f[:2] in ("-I", "-L")]
    require(paths == [os.path.join(moved, "include"), os.path.join(moved, "lib")],
            "pkg-config does not follow the prefix: " + flags)
    for name, _, files in os.walk(os.path.join(moved, "lib", "cmake")):
        for file in files:
            with open(os.path.join(name, file), encoding="utf-8") as f:
                text = f.read()
            require(ROOT not in text and args.build not in text,
                    file + " names a path of the build")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--build", help="build folder to install from")
    source.add_argument("--installed", metavar="PREFIX", help="where everything is already")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--keep", action="store_true", help="leave the folder there")
    args = parser.parse_args()
    folder = os.path.realpath(tempfile.mkdtemp(prefix="yarrow-install-"))
    prefix = args.installed or os.path.join(folder, "prefix")
    work = os.path.join(folder, "work")
    os.mkdir(work)
    env = environment(prefix, folder)
    try:
        log = follow(work, env, bool(args.installed))
        check_programs(log)
        check_compiler(work, env, log)
        check_nnapi(log)
        check_same_scores(work, env, log)
        if args.build:
            args.build = os.path.abspath(args.build)
            check_library(prefix, env)
            check_stage(args, folder, env)
    except Failure as failure:
        print(f"install: {failure}")
        return 1
    finally:
        if args.keep:
            print("install: everything is in " + folder)
        else:
            shutil.rmtree(folder)
    print("install: the programs of docs/embedding.md build and run")
    return 0


if __name__ == "__main__":
    sys.exit(main())
