#!/usr/bin/env bash
# A folder that was configured before packages came is configured again by the next
# scripts/build.sh: scripts/test.sh behind scripts/demo.sh finds Open MPI, and a
# folder without changes is left as it is. In a clone of its own; builds one file.
#
#   test/install/configure_again.sh
set -euo pipefail
repository=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone -q --shared "$repository" "$work/clone" 2>/dev/null || {
  echo "configure_again: skipped: not a git repository"
  exit 77
}
# As it stands here, committed or not.
cp "$repository/scripts/build.sh" "$work/clone/scripts/"
cd "$work/clone"
configured() { scripts/build.sh support/diagnostics/All.h | grep -c '^build: configuring' || true; }

[ "$(configured)" = 1 ]
[ "$(configured)" = 0 ] || {
  echo "configure_again: a folder was configured again with nothing new" >&2
  exit 1
}
touch -r /var/lib/dpkg/status -d '-1 minute' build/configure.log
[ "$(configured)" = 1 ] || {
  echo "configure_again: packages came, and the folder was not configured again" >&2
  exit 1
}
echo "configure_again: configured behind new packages, and only then"
