#!/usr/bin/env bash
# The thorough tier. It checks more than scripts/test.sh, and takes longer: clang-tidy
# over the sources, unit tests under the sanitizers, complete runs where other tests take
# samples, and more. All parts run to their end; a table lists their findings, and the
# exit code is not 0 if there are any. The table is also docs/check.md, which is committed
# with a release.
#
#   scripts/check.sh [--resume] [tidy] [analyze] [asan] [tsan] [thorough] [plant] [fuzz]
#                    [zoo] [arm64] [install] [folder...]
#
#   --resume  keeps the results of parts that ended on this commit with the same
#          files; without it, all named parts run again
#   tidy   clang-tidy with .clang-tidy, without the analyzer, over every .cpp file
#          that is built, or of the given folders; log: build-tidy/tidy.log
#   analyze  clang-tidy's analyzer alone, which takes six times as long; log:
#          build-tidy/analyze.log
#   asan   unit tests under AddressSanitizer and UndefinedBehaviorSanitizer, with
#          the preset asan; log: build-asan/check.log
#   tsan   unit tests of code that runs on several threads (label thread) under
#          ThreadSanitizer, with the preset tsan; log: build-tsan/check.log
#   thorough  every reference pack on every target, all recorded cases on the NPU,
#          all networks and configurations (label thorough); log:
#          build/thorough.log
#   plant  the faults of test/faults and a dozen random ones, one at a time: does a
#          test that needs no packs catch each (scripts/plant.py)? A fault of
#          test/faults that no test catches is a finding; log: build-plant/check.log
#   fuzz   every reader with libFuzzer, FUZZ_SECONDS each (60), under sanitizers;
#          log: build-fuzz/check.log
#   zoo    third-party networks with default settings, if ../shared/zoo exists; a
#          network that fails, or whose NPU and evaluator differ, is a finding; log:
#          build/zoo.log
#   arm64  for 64-bit ARM with qemu-user: unit tests of runtime, simulator and kernels,
#          networks that must compute the same bytes in the same cycles as here, and of
#          which the compiler must make the same IR and executables (scripts/arm64.sh
#          --compiler); log: build/arm64.log
#   install  README's two commands on bare Debian 12 systems, in both orders
#          (test/install/two_commands.sh); needs root, takes hours; log:
#          build/two_commands.log
#
# Without a part, it runs all of them. It installs missing packages first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

allParts=(tidy analyze asan tsan thorough plant fuzz zoo arm64 install)
parts=()
folders=()
resume=
for argument; do
  case $argument in
  --resume) resume=1 ;;
  tidy | analyze | asan | tsan | thorough | plant | fuzz | zoo | arm64 | install) parts+=("$argument") ;;
  *)
    if [ ! -d "$argument" ]; then
      sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
      exit 2
    fi
    folders+=("${argument%/}")
    ;;
  esac
done
[ ${#parts[@]} -gt 0 ] || parts=("${allParts[@]}")

[[ " ${parts[*]} " == *" plant "* ]] && setup=(--with-plant) || setup=()
scripts/setup.sh "${setup[@]}"

# Each part prints its findings and sets checked, what it looked at, and found,
# their number. It fails where it cannot say.

# tidy PART CHECKS
tidy() {
  local log=build-tidy/$1.log here status=0 generated
  # TableGen's headers, which is known once the folder is configured; nothing
  # else has to be built.
  scripts/build.sh --preset tidy support/diagnostics/All.h || return
  mapfile -t generated < <(ninja -C build-tidy -t targets all </dev/null |
    sed -nE 's,^([^/].*\.inc|support/diagnostics/.*\.h): CUSTOM_COMMAND$,\1,p')
  scripts/build.sh --preset tidy "${generated[@]}" >build-tidy/headers.log ||
    { tail -n 40 build-tidy/headers.log >&2 && return 1; }
  # A regular expression for the paths in build-tidy/compile_commands.json.
  here=$(pwd -P | sed 's/[].[^$*+?(){}|\\]/\\&/g')
  local sources="^$here/(?!build).*\.cpp\$"
  [ ${#folders[@]} -eq 0 ] ||
    sources="^$here/($(IFS='|' && echo "${folders[*]}"))/.*\.cpp\$"
  run-clang-tidy-22 -quiet -j "$(nproc)" -p build-tidy -checks="$2" "$sources" \
    >"$log" 2>&1 </dev/null || status=$?
  # A header is seen once for every file that includes it.
  grep -aE "^$here/[^:]+:[0-9]+:[0-9]+: (warning|error): " "$log" |
    sed "s|^$here/||" | sort -u >"build-tidy/$1-findings.txt" || true
  cat "build-tidy/$1-findings.txt"
  checked="$(grep -acE '^\[ *[0-9]+/[0-9]+\]' "$log") files"
  found=$(wc -l <"build-tidy/$1-findings.txt")
  # Not zero also where a file does not compile.
  [ "$found" -gt 0 ] || [ "$status" -eq 0 ]
}

# sanitize PRESET LABEL
sanitize() {
  local log=build-$1/check.log reports
  scripts/build.sh --preset "$1" "${2}_tests" || return
  # 200 compilations and runs on 8 threads (test/unit/session/SideBySideTest.cpp).
  YARROW_SOAK_ROUNDS=25 ctest --preset "$1" -L "$2" --no-tests=error -j2 \
    </dev/null >"$log" 2>&1 || true
  countTests "$log" || return
  # One program may have several.
  grep -aE '^(SUMMARY: |\[  FAILED  \] [^ ]+\.)' "$log" | sort -u || true
  reports=$(grep -aE '^SUMMARY: ' "$log" | sort -u | wc -l)
  [ "$reports" -le "$found" ] || found=$reports
}

# Sets checked and found from a log of ctest.
countTests() {
  local total
  read -r found total < <(
    sed -n 's/^.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*$/\1 \2/p' "$1"
  ) || return
  checked="$total test programs"
}

thorough() {
  scripts/build.sh all || return
  ctest --test-dir build -C Thorough -L thorough --output-on-failure \
    --no-tests=error -j2 </dev/null >build/thorough.log 2>&1 || true
  grep -a '^FAIL' build/thorough.log || true
  countTests build/thorough.log
}

plant() {
  local log=build-plant/check.log listed caught
  mkdir -p build-plant
  # Its generated headers are what the sources are parsed with.
  scripts/build.sh all || return
  /usr/bin/python3 scripts/plant.py sample >"$log" 2>&1 || { tail -n 40 "$log" >&2 && return 1; }
  grep -a 'survived\|^random: ' "$log" || true
  read -r listed caught < <(
    sed -n 's/^listed: \([0-9]*\) faults, caught without packs \([0-9]*\) .*$/\1 \2/p' "$log"
  ) || return
  checked="$listed faults and 12" found=$((listed - caught))
}

fuzz() {
  local log=build-fuzz/check.log flags seconds=${FUZZ_SECONDS:-60}
  flags="-fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer"
  flags+=" -mllvm -asan-stack-dynamic-alloca=0 -Wno-unused-command-line-argument"
  mkdir -p build-fuzz
  scripts/build.sh yarrow || return # makes seeds, without the sanitizers' slowness
  [ -f build-fuzz/build.ninja ] ||
    cmake --preset asan -B build-fuzz -DYARROW_FUZZ=ON -DCMAKE_CXX_FLAGS="$flags" >"$log" 2>&1 ||
    { tail -n 40 "$log" >&2 && return 1; }
  local targets
  mapfile -t targets < <(ninja -C build-fuzz -t targets all </dev/null |
    sed -n 's|^bin/\(fuzz_[a-z]*\): .*|\1|p' | grep -v '_corpus$')
  ninja -C build-fuzz -j 2 "${targets[@]}" </dev/null || return
  YARROW=$PWD/build/bin/yarrow scripts/fuzz.sh build-fuzz "$seconds" >"$log" 2>&1 || true
  checked="${#targets[@]} readers"
  found=$(grep -c ' failed:$' "$log" || true)
  grep -a ' failed:$' "$log" || true
}

zoo() {
  local log=build/zoo.log
  if [ ! -f ../shared/zoo/zoo.json ]; then
    checked="skipped" found=0
    return
  fi
  scripts/build.sh yarrow || return
  python3 ../shared/tools/zoo.py build/bin/yarrow ../shared/zoo >"$log" 2>&1 || return
  cat "$log"
  # A network whose steps all end has its cycles in its line.
  checked="$(grep -c '^| [a-z]' "$log" || true) networks"
  found=$(grep -cE 'quantize: |eval: |compile: |run: ' "$log" || true)
}

arm64() {
  local log=build/arm64.log tests networks
  mkdir -p build
  scripts/arm64.sh --compiler >"$log" 2>&1 || true
  grep -aE 'DIFFERENT|\(Failed\)|error:' "$log" || true
  tests=$(sed -n 's/^.*tests passed, \([0-9]*\) tests failed.*$/\1/p' "$log")
  networks=$(sed -n 's/^\([0-9]* networks compiled\), [0-9]* differ$/\1/p' "$log")
  [ -n "$tests" ] && [ -n "$networks" ] || { tail -n 20 "$log" >&2 && return 1; }
  checked=$networks
  found=$((tests + $(grep -c DIFFERENT "$log" || true)))
}

install() {
  if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
    checked="skipped" found=0
    return
  fi
  checked="2 orders" found=0
  test/install/two_commands.sh >build/two_commands.log 2>&1 ||
    { tail -n 20 build/two_commands.log && found=1; }
}

# The result of a part, in the folder of results; one of the same sources is kept.
# What was changed and not committed counts, too.
results=build/check
sources=$(git rev-parse HEAD 2>/dev/null || true)-$(git diff HEAD 2>/dev/null | cksum | cut -d' ' -f1)
mkdir -p "$results"
for part in "${parts[@]}"; do
  if [ -n "$resume" ] && [ "$(sed -n 1p "$results/$part" 2>/dev/null)" = "$sources" ]; then
    echo "check: $part: kept"
    continue
  fi
  echo "check: $part"
  rm -f "$results/$part"
  checked=- found=-
  start=$SECONDS
  case $part in
  tidy) tidy tidy '-clang-analyzer-*' ;;
  analyze) tidy analyze '-*,clang-analyzer-*,-clang-analyzer-optin.*' ;;
  asan) sanitize asan unit ;;
  tsan) sanitize tsan thread ;;
  *) "$part" ;;
  esac || found="no result"
  time=$((SECONDS - start))
  printf '%s\n%s\n%s\n%d:%02d\n' "$sources" "$checked" "$found" \
    $((time / 60)) $((time % 60)) >"$results/$part"
done

# Of all parts that ended on these sources, in this call or before.
isFailed=
rows=()
for part in "${allParts[@]}"; do
  [ "$(sed -n 1p "$results/$part" 2>/dev/null)" = "$sources" ] || continue
  mapfile -t result <"$results/$part"
  [ "${result[2]}" = 0 ] || isFailed=1
  rows+=("$(printf '%-8s | %-20s | %9s | %6s' "$part" "${result[@]:1:3}")")
done
table=$(
  printf '%-8s | %-20s | %9s | %6s\n' part checked findings min:s
  echo "-------- | -------------------- | --------: | -----:"
  printf '%s\n' "${rows[@]}"
)
{
  printf '# What the thorough tier found\n\nWritten by `scripts/check.sh`, which describes'
  printf ' the parts, for commit %s on %s.\n\n' "${sources:0:8}" "$(date -u +%F)"
  sed 's/^/| /; s/$/ |/' <<<"$table"
} >"$results/check.md"
# Only of all parts; a release commits it.
if [ ${#rows[@]} -eq ${#allParts[@]} ]; then
  cp "$results/check.md" docs/check.md
fi

echo
echo "$table"
[ -z "$isFailed" ]
