#!/usr/bin/env bash
# Makes the Python wheel from a build: yarrow-VERSION-cp311-....whl in
# build/wheels/ or the given folder. It contains Yarrow's own libraries; LLVM and
# others come from Debian (docs/python.md). Needs python3-setuptools and
# python3-wheel, no network.
#
#   scripts/wheel.sh [--build FOLDER] [--output FOLDER] [--python LIST]
#   pip install --no-deps build/wheels/yarrow-*.whl
#
#   --python  makes a wheel for each of these interpreters, separated by commas, such
#             as python3.11,python3.12; their headers must be installed. Default: the
#             interpreter of the build
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build
output=
pythons=
while [ $# -gt 0 ]; do
  case $1 in
  --build) build=$2 ;;
  --output) output=$2 ;;
  --python) pythons=$2 ;;
  *)
    echo "wheel: error: unknown option $1; there are --build, --output and --python" >&2
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

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=$(sed -n 's/^Python3_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
python=${python:-python3}
version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])'; }
own=$(version_of "$python")

# The libraries of others than the build's own, one for each version.
versions=()
others=()
IFS=, read -ra listed <<<"${pythons:-$python}"
for each in "${listed[@]}"; do
  path=$(command -v "$each") || {
    echo "wheel: error: interpreter $each does not exist" >&2
    exit 1
  }
  version=$(version_of "$path")
  [[ " ${versions[*]} " == *" $version "* ]] && continue
  versions+=("$version")
  [ "$version" = "$own" ] || others+=("$path")
done
if [ ${#others[@]} -gt 0 ]; then
  (IFS=';' && cmake "$build" -DYARROW_PYTHONS="${others[*]}") >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
  }
  targets=()
  for version in "${versions[@]}"; do
    [ "$version" = "$own" ] || targets+=("yarrow_python_$version")
  done
  cmake --build "$build" --target "${targets[@]}" >&2
fi

# The day of the commit: the same files in, the same wheel out.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
export SOURCE_DATE_EPOCH
mkdir -p "$output"
rm -f "$output"/yarrow-*.whl
for version in "${versions[@]}"; do
  stage=$work/$version
  mkdir "$stage"
  cp -r "$package" python/setup.py LICENSE "$stage/"
  find "$stage" -name __pycache__ -prune -exec rm -rf {} +
  if [ "$version" != "$own" ]; then
    rm "$stage"/yarrow/_native*.so
    cp "$build/python/$version"/_native*.so "$stage/yarrow/"
  fi
  for library in "$stage"/yarrow/*.so; do
    strip --strip-unneeded "$library"
  done
  (cd "$stage" && YARROW_WHEEL_PYTHON=$version "$python" setup.py -q bdist_wheel --dist-dir "$output") \
    >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
  }
done
ls -l "$output"/yarrow-*.whl | awk '{ printf "wheel: %s, %.1f MB\n", $NF, $5 / 1e6 }'
