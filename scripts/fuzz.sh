#!/usr/bin/env bash
# Fuzzes every reader for SECONDS each, in a build with -DYARROW_FUZZ=ON (see
# test/fuzz/CMakeLists.txt). New inputs stay in BUILD/fuzz/<name>/, so that a
# second run continues from them. Failing inputs are written to BUILD/fuzz/ and listed.
#
#   scripts/fuzz.sh BUILD [SECONDS [name...]]
set -u
[ $# -ge 1 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0"; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
seconds=${2:-600}
shift; [ $# -gt 0 ] && shift
names=("$@")
[ ${#names[@]} -gt 0 ] || names=(irtext config npy irmodel onnx tflite qnn gguf tar weights executable run calibration encodings labels driver provider)

yarrow=${YARROW:-$build/bin/yarrow} # another build's makes the same seeds
mkdir -p "$build/fuzz"
seeds=$root/test/fuzz/make_seeds.py
failed=0
for name in "${names[@]}"; do
  corpus=$root/test/fuzz/corpus/$name
  more=()
  options=()
  case $name in
  executable | run)
    corpus=$build/fuzz/seeds-$name
    "$seeds" executables --yarrow "$yarrow" -o "$corpus" || exit 1
    ;;
  driver)
    corpus=$root/test/unit/driver/Inputs
    ;;
  onnx) # also ONNX's own test models, where Debian's libonnx-testdata is
    more=("$build/fuzz/seeds-$name")
    mkdir -p "${more[0]}"
    find /usr/share/libonnx-testdata -name '*.onnx' -size -64k 2>/dev/null |
      while read -r model; do
        cp "$model" "${more[0]}/$(basename "$(dirname "$model")").onnx"
      done
    ;;
  provider) # a model that is imported is one that can be divided
    more=("$root/test/fuzz/corpus/onnx")
    ;;
  irtext | irmodel) # each its own: runs side by side do not meet
    options+=("-dict=$build/fuzz/$name.dict")
    "$seeds" dictionary --yarrow "$yarrow" -o "$build/fuzz/$name.dict" || exit 1
    ;;
  esac
  mkdir -p "$build/fuzz/$name"
  echo "fuzz: $name, $seconds s"
  # One allocation of 64 MiB is more than any input of this size deserves.
  "$build/bin/fuzz_$name" "${options[@]}" -max_total_time="$seconds" -timeout=10 \
    -malloc_limit_mb=64 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$build/fuzz/$name-" "$build/fuzz/$name" "$corpus" "${more[@]}" \
    > "$build/fuzz/$name.log" 2>&1 || { failed=1; echo "fuzz: $name failed:"; }
  grep -E "violated|SUMMARY|Test unit|runtime error|number_of_executed|DONE" "$build/fuzz/$name.log" | tail -5
done
exit $failed
