#!/usr/bin/env bash
# README's two commands as a newcomer runs them: on a bare Debian 12, in a fresh clone,
# in both orders, and what README says of the folder afterwards. The first order begins
# without what scripts/demo.sh leaves out (Open MPI, npm, a browser), which
# scripts/test.sh then installs. Needs root, debootstrap, 15 GB and some hours.
#
#   test/install/two_commands.sh [FOLDER]     # for the bare systems, kept there
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
repository=$(realpath "$here/../..")
# shellcheck source=bare_root.sh
source "$here/bare_root.sh"
work=${1:-$(mktemp -d)}
trap 'leave_bare_root; [ -n "${1:-}" ] || rm -rf "$work"' EXIT

installs='cmake --install build --prefix /tmp/prefix >/dev/null && /tmp/prefix/bin/yarrow --version'
try() {
  local order=$1
  shift
  make_bare_root "$work/$order"
  rm -rf "$root/root/yarrow"
  git clone -q "$repository" "$root/root/yarrow"
  for command; do
    echo "two_commands: $order: $command"
    inside "cd /root/yarrow && $command" >"$work/$order.log" 2>&1 || {
      tail -n 40 "$work/$order.log" >&2
      echo "two_commands: $order: failed: $command" >&2
      exit 1
    }
  done
  leave_bare_root
}

try demo-first scripts/demo.sh "$installs" scripts/wheel.sh scripts/test.sh "$installs"
try test-first scripts/test.sh scripts/demo.sh "$installs" scripts/wheel.sh
echo "two_commands: both commands work, in both orders"
