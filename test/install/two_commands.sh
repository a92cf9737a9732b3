#!/usr/bin/env bash
# README's two commands as a newcomer runs them: on a bare Debian 12, in a fresh clone, in
# both orders, and what README says of the folder afterwards. The first order begins
# without what scripts/demo.sh leaves out (Open MPI, npm, a browser), which
# scripts/test.sh then installs. The second order finds the compiler cache of the first, in
# $TWO_COMMANDS_CACHE if that is set. DEBIAN_RELEASE=trixie takes Debian 13 instead. Needs
# root, debootstrap, 15 GB and an hour.
#
#   test/install/two_commands.sh [--demo] [FOLDER]     # for the bare systems, kept there
#
#   --demo  the first command alone, what is installed, the wheel, and the quick tests
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
repository=$(realpath "$here/../..")
# shellcheck source=bare_root.sh
source "$here/bare_root.sh"
demo=
if [ "${1:-}" = --demo ]; then
  demo=1
  shift
fi
work=${1:-$(mktemp -d)}
cache=${TWO_COMMANDS_CACHE:-$work/ccache}
leave() {
  mountpoint -q "${root:-}/root/.cache/ccache" && umount "$root/root/.cache/ccache"
  leave_bare_root
}
trap 'leave; [ -n "${1:-}" ] || rm -rf "$work"' EXIT

installs='cmake --install build --prefix /tmp/prefix >/dev/null && /tmp/prefix/bin/yarrow --version'
try() {
  local order=$1
  shift
  make_bare_root "$work/$order"
  mkdir -p "$cache" "$root/root/.cache/ccache"
  mount --bind "$cache" "$root/root/.cache/ccache"
  rm -rf "$root/root/yarrow"
  git clone -q "$repository" "$root/root/yarrow"
  for command; do
    echo "two_commands: $order: $command"
    start=$SECONDS
    inside "cd /root/yarrow && $command" >"$work/$order.log" 2>&1 || {
      tail -n 40 "$work/$order.log" >&2
      echo "two_commands: $order: failed: $command" >&2
      exit 1
    }
    echo "two_commands: $order: $((SECONDS - start)) s"
  done
  leave
}

if [ -n "$demo" ]; then
  try demo scripts/demo.sh "$installs" scripts/wheel.sh "scripts/test.sh quick"
  echo "two_commands: the first command works, on ${DEBIAN_RELEASE:-bookworm}"
  exit 0
fi
try demo-first scripts/demo.sh "$installs" scripts/wheel.sh scripts/test.sh "$installs"
try test-first scripts/test.sh scripts/demo.sh "$installs" scripts/wheel.sh
echo "two_commands: both commands work, in both orders"
