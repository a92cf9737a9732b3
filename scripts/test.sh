#!/usr/bin/env bash
# Installs missing packages, builds without warnings, checks the sources (layering,
# file lengths, format) and runs tests. Fails if any of these fails.
#
#   scripts/test.sh          full: everything that must hold, as continuous integration
#   scripts/test.sh quick    unit tests and IR, no networks: under four minutes after the
#                            build, on two cores
#
# scripts/check.sh is the third tier, thorough.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case ${1:-full} in
full) target=all filter=() ;;
quick) target=quick_tests filter=(-L '^quick$') ;;
*)
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
  ;;
esac

scripts/setup.sh --with-mpi --with-browser
sources=()
for check in check_layering.py check_format.sh; do
  "scripts/$check" || sources+=("scripts/$check")
done
# The preset says so; a folder that was configured otherwise is told.
if [ -f build/CMakeCache.txt ] && ! grep -q '^YARROW_WERROR:[A-Z]*=ON$' build/CMakeCache.txt; then
  cmake -DYARROW_WERROR=ON build >/dev/null
fi
scripts/build.sh "$target"

log=build/ctest.log
tests=0
ctest --test-dir build "${filter[@]}" --output-on-failure --no-tests=error -j2 </dev/null 2>&1 |
  tee "$log" || tests=$?

# ctest: "97% tests passed, 1 tests failed out of 30". The checks of the sources
# count as one test more.
read -r failed total < <(
  sed -n 's/^.*tests passed, \([0-9]*\) tests failed out of \([0-9]*\).*$/\1 \2/p' "$log"
) || { failed=1 && total=1; }
[ ${#sources[@]} -eq 0 ] || {
  failed=$((failed + 1))
  echo "test: the check of the sources failed: ${sources[*]}"
}
echo "$((total + 1 - failed)) passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$tests" -eq 0 ]
