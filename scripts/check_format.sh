#!/usr/bin/env bash
# Fails, and lists the lines, if a C++ file is not formatted by .clang-format.
# With --fix it formats the files.
#
#   scripts/check_format.sh [--fix]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
options=(--dry-run -Werror)
[ "${1:-}" = --fix ] && options=(-i)
find . \( -name 'build*' -o -name '.?*' \) -prune -o \
  \( -name '*.cpp' -o -name '*.h' \) -print0 |
  xargs -0 -P 2 -n 50 clang-format-22 "${options[@]}"
