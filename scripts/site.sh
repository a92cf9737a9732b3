#!/usr/bin/env bash
# Makes a site of the documents: HTML pages with navigation and search, which open
# in any browser without a server. docs/index.md is the front page and sets the
# order; Sphinx's warnings are errors. Needs python3-sphinx,
# python3-myst-parser and furo, which scripts/setup.sh installs.
#
#   scripts/site.sh [--output FOLDER]     # build/site
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

output=build/site
while [ $# -gt 0 ]; do
  case $1 in
  --output) output=$2 ;;
  *)
    echo "site: error: unknown option $1; there is --output" >&2
    exit 2
    ;;
  esac
  shift 2
done
# Debian's Python, for which the packages are.
python=/usr/bin/python3
"$python" -c 'import sphinx, myst_parser, furo' 2>/dev/null || {
  echo "site: error: Sphinx is missing; apt-get install python3-sphinx python3-myst-parser furo" >&2
  exit 1
}

pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
rm -rf "$output"
mkdir -p "$output"
export PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0 LC_ALL=C.UTF-8
"$python" docs/site/prepare.py "$pages/sources"
"$python" -m sphinx -q -W --keep-going -j auto -b html -c docs/site \
  -d "$pages/doctrees" "$pages/sources" "$output" </dev/null
rm -f "$output/.buildinfo" "$output/objects.inv"
echo "site: $output/index.html, $(find "$output" -name '*.html' | wc -l) pages," \
  "$(du -sk --apparent-size "$output" | cut -f1) KB"
