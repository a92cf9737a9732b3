#!/usr/bin/env bash
# Installs the packages that building and testing Yarrow needs: of Debian 12
# (bookworm) or 13 (trixie), with LLVM 22 from their security updates. Runs as root
# or through sudo; does nothing if all are installed. On other systems it installs
# nothing, but lists missing packages and where to find them
# (scripts/setup_elsewhere.sh). All together for scripts/test.sh:
#   --with-mpi      Open MPI (53 MB), with which several processes share the
#                   samples of eval and quantize
#   --with-npm      npm, which fetches the networks of examples/vision and of some
#                   tests, and an ONNX Runtime; an npm that is already installed is enough
#   --with-browser  a headless Chromium (280 MB), which opens the HTML pages
#   --with-plant    clang and YAML for Python, with which scripts/plant.py edits
#   --with-arm64    C and C++ libraries of 64-bit ARM (40 MB), for scripts/arm64.sh
set -euo pipefail

packages=(
  # LLVM, MLIR and lld as libraries; the compiler; lit and FileCheck
  libmlir-22-dev llvm-22-dev mlir-22-tools clang-22 libclang-rt-22-dev
  liblld-22-dev liblld-22 lld-22 llvm-22-tools
  clang-format-22 clang-tidy-22
  # the build
  mold ccache ninja-build cmake
  # other libraries
  libdnnl-dev libcli11-dev nlohmann-json3-dev libgtest-dev libgmock-dev
  libbenchmark-dev zlib1g-dev libzstd-dev libxxhash-dev libpng-dev libjpeg62-turbo-dev
  # tests only: ONNX's own test models, and libonnx, whose reading of them ours is
  # compared with
  libonnx-testdata libonnx-dev libprotobuf-dev
  # tests only: qemu-riscv32, which the simulator of the TEC is compared with;
  # a C program against the installed library
  qemu-user pkg-config
  # the documents as a site
  python3-sphinx python3-myst-parser furo
  # the package for Python, its wheel, and their tests
  python3-dev pybind11-dev python3-numpy python3-setuptools python3-wheel python3-pip chrpath
  # scripts
  python3 git ca-certificates
)

# shellcheck source=/dev/null
system=$(. /etc/os-release 2>/dev/null && printf '%s %s' "${ID:-}" "${VERSION_CODENAME:-}" || true)
case $system in
*trixie) gcc=14 ;;
*) gcc=12 ;;
esac

for option in "$@"; do
  case $option in
  --with-mpi) packages+=(libopenmpi-dev openmpi-bin) ;;
  --with-npm) command -v npm >/dev/null || packages+=(npm) ;;
  --with-browser) packages+=(chromium-headless-shell) ;;
  --with-plant) packages+=(python3-clang-22 python3-yaml) ;;
  --with-arm64) packages+=(libc6-dev-arm64-cross "libstdc++-$gcc-dev-arm64-cross") ;;
  *)
    echo "setup: error: unknown option $option; there are --with-mpi, --with-npm," \
      "--with-browser, --with-plant and --with-arm64" >&2
    exit 2
    ;;
  esac
done

say() { printf 'setup: %s\n' "$*"; }
die() {
  printf 'setup: error: %s\n' "$*" >&2
  exit 1
}

command -v apt-get >/dev/null || exec "$(dirname "${BASH_SOURCE[0]}")/setup_elsewhere.sh"

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  say "all ${#packages[@]} packages are installed"
  exit 0
fi

asRoot=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null ||
    die "packages are missing and there is no sudo. Run this as root: apt-get install ${missing[*]}"
  asRoot=(sudo)
fi
asRoot+=(env DEBIAN_FRONTEND=noninteractive)

# A package index may be missing (a fresh container) or old, so it is read
# again, but only now that something is to be installed.
say "reading the package index"
"${asRoot[@]}" apt-get -qq update </dev/null ||
  say "some package sources could not be read; continuing with the others"

isAvailable() {
  local candidate
  candidate=$(LC_ALL=C apt-cache policy "$1" | sed -n 's/^  Candidate: //p')
  [ -n "$candidate" ] && [ "$candidate" != "(none)" ]
}

if ! isAvailable llvm-22-dev; then
  case $system in
  "debian bookworm" | "debian trixie") codename=${system#* } ;;
  *) exec "$(dirname "${BASH_SOURCE[0]}")/setup_elsewhere.sh" ;;
  esac
  list=/etc/apt/sources.list.d/yarrow-$codename-security.list
  say "LLVM 22 comes with Debian's security updates, which are not in the package sources: adding $list"
  # From the mirror that the system uses: <mirror>/debian has its security
  # updates at <mirror>/debian-security.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' "Codename: $codename" |
    sed -n '1s|/*$||p')
  [ -n "$mirror" ] || die "no package source for $codename is configured"
  echo "deb $mirror-security $codename-security main" |
    "${asRoot[@]}" tee "$list" >/dev/null
  "${asRoot[@]}" apt-get -qq update </dev/null || true
fi
for package in "${missing[@]}"; do
  isAvailable "$package" ||
    die "no package source has '$package'. The output of 'apt-get update' above names the sources that failed."
done

say "installing ${#missing[@]} packages: ${missing[*]}"
"${asRoot[@]}" apt-get -qq install --yes --no-install-recommends \
  -o Dpkg::Use-Pty=0 "${missing[@]}" </dev/null
say "done"
