#!/usr/bin/env bash
# From a fresh clone to a network on the simulated NPU: installs what is
# missing, builds, then quantizes, compiles and runs examples/digits. Everything
# it writes is in build/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
scripts/build.sh

# The build works on a copy, so that the example's folder stays as it is.
folder=build/demo/digits
rm -rf "$folder"
mkdir -p "$folder"
cp examples/digits/net.cfg examples/digits/digits.{txt,bin} \
  examples/digits/{calibration,heldout,heldout_label}.npy "$folder"

echo
echo "demo: in $folder: yarrow build net.cfg"
echo
yarrow=$PWD/build/bin/yarrow
(cd "$folder" && "$yarrow" build net.cfg </dev/null)

echo
echo "demo: written to $folder/:"
(cd "$folder" && find . -newer net.cfg -type f ! -name '*.npy' ! -name digits.txt \
  ! -name digits.bin ! -name net.cfg -printf '  %P  %s bytes\n' | sort)
