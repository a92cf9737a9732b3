#!/usr/bin/env bash
# Configures and builds a release in build/: everything that `cmake --install build`
# installs (bin/yarrow, bin/yarrow-opt, libraries), or the given targets.
# Other presets are built in build-<preset>/.
#
#   scripts/build.sh [--preset NAME] [target...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=release
folder=build
if [ "${1:-}" = --preset ]; then
  preset=$2
  folder=build-$preset
  shift 2
fi

# ccache needs a folder it may write, also where there is no home.
if [ -z "${CCACHE_DIR:-}" ] && ! mkdir -p "${HOME:-/nonexistent}/.cache" 2>/dev/null; then
  export CCACHE_DIR="$PWD/build/ccache"
fi

[ $# -gt 0 ] || set -- installed

# Ninja configures again by itself when a CMakeLists.txt changes; what was installed
# since, as scripts/test.sh does with what tests alone need, CMake looks for again.
if [ ! -f "$folder/build.ninja" ] || [ /var/lib/dpkg/status -nt "$folder/configure.log" ]; then
  echo "build: configuring $folder/"
  mkdir -p "$folder"
  if ! cmake --preset "$preset" >"$folder/configure.log" 2>&1 </dev/null; then
    tail -n 40 "$folder/configure.log" >&2
    echo "build: error: CMake failed ($folder/configure.log); run scripts/setup.sh first" >&2
    rm -f "$folder/build.ninja"
    exit 1
  fi
fi

# Some files need over 1 GB to compile: one job per core, and per 1.5 GB.
jobs=$(nproc)
memoryJobs=$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo)
if [ "${memoryJobs:-1}" -lt "$jobs" ]; then
  jobs=$((memoryJobs > 0 ? memoryJobs : 1))
fi
echo "build: building $* in $folder/ with $jobs jobs"
ninja -C "$folder" -j "$jobs" "$@" </dev/null
