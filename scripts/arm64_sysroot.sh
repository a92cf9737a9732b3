#!/usr/bin/env bash
# Headers and libraries of a 64-bit ARM system in a folder, against which the compiler is
# built for it (scripts/arm64.sh --compiler): LLVM 22 and the others, from where this
# system gets its own packages. It installs nothing: apt has a state of its own in the
# folder. 250 MB to fetch, 2 GB unpacked.
#
#   scripts/arm64_sysroot.sh FOLDER
set -euo pipefail
folder=$(realpath -m "$1")
[ ! -f "$folder/complete" ] || exit 0

# shellcheck source=/dev/null
case $(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}") in
trixie) gcc=14 ;;
*) gcc=12 ;;
esac
packages=(
  libmlir-22-dev mlir-22-tools llvm-22-dev liblld-22-dev
  libcli11-dev nlohmann-json3-dev zlib1g-dev libzstd-dev libxxhash-dev libpng-dev
  libjpeg62-turbo-dev
  libc6-dev "libstdc++-$gcc-dev"
)

apt=$folder/apt
mkdir -p "$apt"/{lists,archives}/partial
: >"$apt/status"
cat >"$apt/apt.conf" <<APT
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
APT::Install-Recommends "false";
Dir::State "$apt";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Cache::archives "$apt/archives";
APT
export APT_CONFIG=$apt/apt.conf LC_ALL=C

# As scripts/setup.sh: a source that cannot be read may be one of others.
apt-get -qq update </dev/null >"$apt/log" 2>&1 || true
for package in "${packages[@]}"; do
  [ -n "$(apt-cache madison "$package")" ] || {
    tail -n 5 "$apt/log" >&2
    echo "arm64_sysroot: error: the package sources of this system have no $package for arm64" >&2
    exit 1
  }
done
apt-get -qq install --download-only --yes "${packages[@]}" </dev/null >>"$apt/log" 2>&1 || {
  tail -n 20 "$apt/log" >&2
  exit 1
}

# Each package in a folder of its own, then all of them as one system. There /lib is
# /usr/lib: some packages use the one name, some the other.
root=$folder/root
rm -rf "$root" "$folder/packages"
mkdir -p "$root/usr/lib" "$folder/packages"
ln -s usr/lib "$root/lib"
for archive in "$apt"/archives/*.deb; do
  package=${archive##*/}
  package=$folder/packages/${package%%_*}
  dpkg-deb -R "$archive" "$package"
  [ ! -d "$package/usr" ] || cp -al "$package/usr/." "$root/usr/"
  [ ! -d "$package/lib" ] || cp -al "$package/lib/." "$root/usr/lib/"
done
find "$root" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
  ln -sfnr "$root$(readlink "$link")" "$link"
done
rm -r "$apt" "$folder/packages"
touch "$folder/complete"
