#!/usr/bin/env bash
# Installs the packages of scripts/package.sh on a bare Debian 12 and uses them:
# the demo, manual pages, completions, the tutorial; then, with the development
# package, a C program that pkg-config finds the library for, and all that
# docs/embedding.md builds: CMake projects, a program with NNAPI, an MLIR tool. The
# bare system is a folder that debootstrap fills, from where this system gets its own
# packages; DEBIAN_RELEASE=trixie takes Debian 13. Needs root.
#
#   test/install/packages.sh build/packages [--keep FOLDER]
set -euo pipefail

# shellcheck source=bare_root.sh
source "$(dirname "${BASH_SOURCE[0]}")/bare_root.sh"

packages=$(realpath "$1")
repository=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
if [ "${2:-}" = --keep ]; then
  make_bare_root "$3"
else
  make_bare_root "$(mktemp -d)"
  trap 'leave_bare_root; rm -rf "$root"' EXIT
fi
mkdir -p "$root/packages"
cp "$packages"/*.deb "$root/packages/"

inside 'apt-get update -q && apt-get install -qy --no-install-recommends /packages/yarrow_*.deb' \
  >"$root.install.log" 2>&1 || {
  tail -n 20 "$root.install.log" >&2
  exit 1
}
inside 'cd /root && rm -rf yarrow-demo
  yarrow --version
  yarrow demo | tail -n 8
  yarrow run yarrow-demo/out/aipu.bin -i yarrow-demo/heldout.npy -o scores.npy
  yarrow complete -- comp | grep -qx compile
  test -e /usr/share/bash-completion/completions/yarrow
  test "$(ls /usr/lib/yarrow-driver | wc -l)" -ge 3
  test -e /usr/share/zsh/vendor-completions/_yarrow'
echo 'packages: the program alone works'

# Its commands, and how long all of them take.
for path in docs/tutorial.md test/docs/run_examples.py examples/digits; do
  mkdir -p "$root/root/tutorial/${path%/*}"
  cp -r "$repository/$path" "$root/root/tutorial/${path%/*}/"
done
inside 'apt-get install -qy --no-install-recommends python3' >>"$root.install.log" 2>&1
inside 'python3 /root/tutorial/test/docs/run_examples.py --bin /usr/bin /root/tutorial/docs/tutorial.md'
echo 'packages: the tutorial leads to its picture'

inside 'apt-get install -qy --no-install-recommends gcc libc6-dev pkg-config \
  /packages/libyarrow0.1_*.deb /packages/libyarrow-compiler0.1_*.deb /packages/libyarrow-nnapi0.1_*.deb \
  /packages/libyarrow-dev_*.deb /packages/yarrow-doc_*.deb' >>"$root.install.log" 2>&1
cat >"$root/root/scores.c" <<'C'
#include <stdio.h>
#include <yarrow/yarrow.h>

int main(int argc, char **argv) {
  yarrow_executable *model;
  yarrow_tensor input, output;
  if (argc < 2 || yarrow_open(argv[1], &model) != YARROW_OK)
    return fprintf(stderr, "%s", yarrow_last_error()), 1;
  yarrow_input(model, 0, &input);
  yarrow_output(model, 0, &output);
  printf("%s: %zu bytes, %s: %zu bytes\n", input.name, input.size_bytes, output.name,
         output.size_bytes);
  yarrow_close(model);
  return 0;
}
C
inside 'test "$(pkg-config --cflags --libs yarrow | tr -d " ")" = -lyarrow
  test -e /usr/lib/$(gcc -print-multiarch)/libneuralnetworks.so.0.1
  cd /root && cc scores.c -o scores $(pkg-config --cflags --libs yarrow)
  ./scores yarrow-demo/out/aipu.bin
  test -e /usr/share/doc/yarrow-doc/docs/architecture.md -a -e /usr/share/doc/yarrow-doc/html/index.html'
echo 'packages: a C program finds the library'

# What docs/embedding.md says: C with pkg-config and CMake, NNAPI, an MLIR tool.
for path in docs/embedding.md test/install/embedding.py examples/digits examples/nnapi; do
  mkdir -p "$root/root/embedding/${path%/*}"
  cp -r "$repository/$path" "$root/root/embedding/${path%/*}/"
done
recommended=$(dpkg-deb -f "$packages"/libyarrow-dev_*.deb Recommends | tr -d ,)
inside "apt-get install -qy --no-install-recommends cmake make g++ binutils $recommended" \
  >>"$root.install.log" 2>&1
inside 'python3 /root/embedding/test/install/embedding.py --installed /usr'
echo 'packages: programs in C, with NNAPI and with MLIR are built against them'

inside 'apt-get purge -qy yarrow libyarrow0.1 libyarrow-compiler0.1 libyarrow-nnapi0.1 libyarrow-dev yarrow-doc >/dev/null 2>&1
  test ! -e /usr/bin/yarrow'
echo 'packages: all of it goes again'
leave_bare_root
