#!/usr/bin/env bash
# Installs the wheel of scripts/wheel.sh outside of the repository and uses it: in a
# folder of its own with pip, or, with --bare, on a bare Debian 12, where the
# libraries that the wheel names are all that is installed (needs root and
# debootstrap).
#
#   test/install/wheel.sh build/wheels/yarrow-*.whl [--bare [FOLDER]]
#   test/install/wheel.sh --build build         # of a wheel that it makes itself
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
repository=$(realpath "$here/../..")
# shellcheck source=bare_root.sh
source "$here/bare_root.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "$1" = --build ]; then
  "$repository/scripts/wheel.sh" --build "$2" --output "$work/wheels"
  wheel=$(echo "$work"/wheels/yarrow-*.whl)
  set --
else
  wheel=$(realpath "$1")
fi
python=/usr/bin/python3

quietly() {
  inside "$1" >"$root.install.log" 2>&1 || {
    tail -n 20 "$root.install.log" >&2
    exit 1
  }
}

if [ "${2:-}" = --bare ]; then
  if [ $# -gt 2 ]; then
    make_bare_root "$3"
  else
    make_bare_root "$(mktemp -d)"
    trap 'leave_bare_root; rm -rf "$work" "$root" "$root.log" "$root.install.log"' EXIT
  fi
  rm -rf "$root/root/use" "$root/root/site"
  cp -r "$repository/examples/digits" "$root/root/use"
  cp "$here/wheel_example.py" "$wheel" "$root/root/use/"
  # What the package says where a library is missing is what is installed then.
  quietly 'apt-get update -q && apt-get install -qy --no-install-recommends python3-numpy'
  inside "cd /root/use && python3 -m zipfile -e '$(basename "$wheel")' /root/site"
  needs=$(inside 'cd /root/use && PYTHONPATH=/root/site python3 wheel_example.py' 2>&1 |
    sed -n 's/.*apt-get install \(.*\)/\1/p') || true
  [ -n "$needs" ] || { echo "wheel: the missing libraries are not named" >&2 && exit 1; }
  quietly "apt-get install -qy --no-install-recommends $needs"
  inside 'cd /root/use && PYTHONPATH=/root/site python3 wheel_example.py'
  leave_bare_root
  echo "wheel: it works on a bare Debian 12 with $needs"
  exit 0
fi

cp -r "$repository/examples/digits" "$work/use"
cp "$here/wheel_example.py" "$work/use/"
"$python" -m pip -q install --root-user-action=ignore --no-index --no-deps --target "$work/site" "$wheel"
cd "$work/use"
env -i PATH=/usr/bin:/bin HOME="$work" LC_ALL=C.UTF-8 PYTHONPATH="$work/site" \
  "$python" wheel_example.py "$repository"
env -i PATH=/usr/bin:/bin PYTHONPATH="$work/site" "$python" - <<'PY'
import importlib.metadata, os, yarrow
assert importlib.metadata.version("yarrow") == yarrow.__version__
assert os.path.exists(os.path.join(os.path.dirname(yarrow.__file__), "py.typed"))
PY
env -i PATH=/usr/bin:/bin PYTHONPATH="$work/site" "$work/site/bin/yarrow" --version >/dev/null
echo "wheel: it works from a folder of its own"
