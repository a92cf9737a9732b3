#!/usr/bin/env python3
"""What `cmake --install` copies from a build folder is what its target `installed`
makes, which scripts/demo.sh and scripts/build.sh build: an installation works behind
either of them, and not in folders alone where all was built.

    test/install/installed_target.py --build build
"""
import argparse
import pathlib
import re
import subprocess
import sys


def installed_files(build):
    """The files of the build folder that the install scripts name."""
    for script in build.rglob("cmake_install.cmake"):
        for path in re.findall(r'"(/[^"$]+)"', script.read_text(encoding="utf-8")):
            path = pathlib.Path(path)
            if path.is_relative_to(build) and ":" not in path.name and re.search(r"\.(so|a)(\.|$)|^[^.]+$", path.name):
                yield path.relative_to(build)


def made_by(build, target):
    """What the target is made of."""
    text = subprocess.run(["ninja", "-C", build, "-t", "query", target],
                          capture_output=True, text=True, check=True).stdout
    return {line.strip() for line in text.split("outputs:")[0].splitlines()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", required=True, type=pathlib.Path)
    build = parser.parse_args().build.resolve()
    # A library has other names beside it, which are links to it.
    made = {(build / path).resolve() for path in made_by(build, "installed")}
    files = {path for path in installed_files(build)
             if not (build / path).is_dir() and "CMakeFiles" not in path.parts}
    missing = sorted(str(path) for path in files if (build / path).resolve() not in made)
    if not files:
        sys.exit("installed_target: no file of the build folder is installed")
    if missing:
        sys.exit("installed_target: installed, but not made by the target `installed`: "
                 + ", ".join(missing))
    print(f"installed_target: {len(files)} files")


if __name__ == "__main__":
    main()
