#!/usr/bin/env bash
# Configures and builds a release into build/: what `cmake --install build`
# installs (bin/yarrow, bin/yarrow-opt, lib/libyarrow.so), or the targets given
# (scripts/build.sh all).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# ccache needs a folder it may write, also where there is no home.
if [ -z "${CCACHE_DIR:-}" ] && ! mkdir -p "${HOME:-/nonexistent}/.cache" 2>/dev/null; then
  export CCACHE_DIR="$PWD/build/ccache"
fi

[ $# -gt 0 ] || set -- yarrow yarrow-opt yarrow_shared

# Ninja configures again by itself when a CMakeLists.txt changes.
if [ ! -f build/build.ninja ]; then
  echo "build: configuring build/"
  mkdir -p build
  if ! cmake --preset release >build/configure.log 2>&1 </dev/null; then
    tail -n 40 build/configure.log >&2
    echo "build: error: CMake failed (build/configure.log); is scripts/setup.sh done?" >&2
    rm -f build/build.ninja
    exit 1
  fi
fi

# Some files need over 1 GB to compile: one job per core, and per 1.5 GB.
jobs=$(nproc)
memoryJobs=$(awk '/^MemAvailable:/ { print int($2 / 1500000) }' /proc/meminfo)
if [ "${memoryJobs:-1}" -lt "$jobs" ]; then
  jobs=$((memoryJobs > 0 ? memoryJobs : 1))
fi
echo "build: building $* with $jobs jobs"
ninja -C build -j "$jobs" "$@" </dev/null
