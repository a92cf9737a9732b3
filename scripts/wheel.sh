#!/usr/bin/env bash
# Makes the Python wheel of what is built: yarrow-VERSION-cp311-....whl in
# build/wheels/ or the folder given. It has Yarrow's own libraries inside; those of
# LLVM and others are Debian's (docs/python.md). Needs python3-setuptools and
# python3-wheel, no network.
#
#   scripts/wheel.sh [--build FOLDER] [--output FOLDER]
#   pip install --no-deps build/wheels/yarrow-*.whl
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build
output=
while [ $# -gt 0 ]; do
  case $1 in
  --build) build=$2 ;;
  --output) output=$2 ;;
  *)
    echo "wheel: error: no option $1; --build and --output are" >&2
    exit 2
    ;;
  esac
  shift 2
done
output=$(realpath -m "${output:-$build/wheels}")
package=$build/python/yarrow
compgen -G "$package/_native*.so" >/dev/null && [ -f "$package/__init__.py" ] || {
  # scripts/demo.sh and scripts/build.sh have no use for it.
  cmake --build "$build" --target yarrow_python_package >&2 || {
    echo "wheel: error: no package in $package: it is built where pybind11-dev and" \
      "python3-numpy are installed (scripts/setup.sh)" >&2
    exit 1
  }
}

python=$(sed -n 's/^Python3_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$package" python/setup.py LICENSE "$work/"
find "$work" -name __pycache__ -prune -exec rm -rf {} +
for library in "$work"/yarrow/*.so; do
  strip --strip-unneeded "$library"
done
# The day of the commit: the same files in, the same wheel out.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
mkdir -p "$output"
rm -f "$output"/yarrow-*.whl
(cd "$work" && "${python:-python3}" setup.py -q bdist_wheel --dist-dir "$output") >"$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
ls -l "$output"/yarrow-*.whl | awk '{ printf "wheel: %s, %.1f MB\n", $NF, $5 / 1e6 }'
