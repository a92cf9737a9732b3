#!/usr/bin/env bash
# Looks deeper than scripts/test.sh, and for longer: clang-tidy over the sources,
# the unit tests under the sanitizers, and the whole of what other tests take a
# part of. All parts run to their end; a table says what they found, and the exit
# code whether that is anything.
#
#   scripts/check.sh [tidy] [analyze] [asan] [tsan] [thorough] [plant] [folder...]
#
#   tidy   clang-tidy, as .clang-tidy says, but for the analyzer, over every .cpp
#          file that is built, or those of the folders given; log: build-tidy/tidy.log
#   analyze  clang-tidy's analyzer alone, which takes six times as long; log:
#          build-tidy/analyze.log
#   asan   unit tests under AddressSanitizer and UndefinedBehaviorSanitizer, as
#          the preset asan says; log: build-asan/check.log
#   tsan   the unit tests of what runs on several threads (label thread) under
#          ThreadSanitizer, as the preset tsan says; log: build-tsan/check.log
#   thorough  every reference pack on every target, all recorded cases on the NPU,
#          all networks and configurations (label thorough); log:
#          build/thorough.log
#   plant  the faults of test/faults and a dozen random ones, one at a time, and
#          whether a test that needs no packs catches each (scripts/plant.py); one
#          of test/faults that none does is a finding; log: build-plant/check.log
#
# Without a part, all six. What is missing is installed first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

parts=()
folders=()
for argument; do
  case $argument in
  tidy | analyze | asan | tsan | thorough | plant) parts+=("$argument") ;;
  *)
    if [ ! -d "$argument" ]; then
      sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
      exit 2
    fi
    folders+=("${argument%/}")
    ;;
  esac
done
[ ${#parts[@]} -gt 0 ] || parts=(tidy analyze asan tsan thorough plant)

[[ " ${parts[*]} " == *" plant "* ]] && setup=(--with-plant) || setup=()
scripts/setup.sh "${setup[@]}"

# Each part prints its findings and sets checked, what it looked at, and found,
# their number. It fails where it cannot say.

# tidy PART CHECKS
tidy() {
  local log=build-tidy/$1.log here status=0 generated
  # TableGen's headers, which is known once the folder is configured; nothing
  # else has to be built.
  scripts/build.sh --preset tidy support/DiagIds.inc || return
  mapfile -t generated < <(ninja -C build-tidy -t targets all </dev/null |
    sed -n 's|^\([^/].*\.inc\): CUSTOM_COMMAND$|\1|p')
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
  ctest --preset "$1" -L "$2" --no-tests=error -j2 </dev/null >"$log" 2>&1 || true
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

table=()
isFailed=
for part in "${parts[@]}"; do
  echo "check: $part"
  checked=- found=-
  start=$SECONDS
  case $part in
  tidy) tidy tidy '-clang-analyzer-*' ;;
  analyze) tidy analyze '-*,clang-analyzer-*,-clang-analyzer-optin.*' ;;
  asan) sanitize asan unit ;;
  tsan) sanitize tsan thread ;;
  thorough) thorough ;;
  plant) plant ;;
  esac || found="no result"
  [ "$found" = 0 ] || isFailed=1
  time=$((SECONDS - start))
  table+=("$(printf '%-7s  %-20s  %9s  %3d:%02d' "$part" "$checked" "$found" \
    $((time / 60)) $((time % 60)))")
done

echo
echo "part     checked               findings  min:s"
echo "-------  --------------------  ---------  ------"
printf '%s\n' "${table[@]}"
[ -z "$isFailed" ]
