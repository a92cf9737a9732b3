#!/usr/bin/env bash
# Makes Debian packages from a build: yarrow, libyarrow0.1, libyarrow-compiler0.1,
# libyarrow-nnapi0.1, libyarrow-onnxruntime, libyarrow-dev and yarrow-doc, in
# build/packages/ or the given folder. packaging/packages lists their files; CMakeLists.txt has the version. Needs
# dpkg-dev, chrpath and the packages of scripts/site.sh; checks the result with lintian
# if that is installed.
#
#   scripts/package.sh [--build FOLDER] [--output FOLDER]
#   apt-get install ./build/packages/yarrow_*.deb
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=build
output=
while [ $# -gt 0 ]; do
  case $1 in
  --build) build=$2 ;;
  --output) output=$2 ;;
  *)
    echo "package: error: unknown option $1; there are --build and --output" >&2
    exit 2
    ;;
  esac
  shift 2
done
output=${output:-$build/packages}
[ -f "$build/cmake_install.cmake" ] || {
  echo "package: error: $build is not a build; make one with scripts/build.sh" >&2
  exit 1
}

for tool in dpkg-deb dpkg-shlibdeps chrpath; do
  command -v "$tool" >/dev/null || {
    echo "package: error: $tool is missing; apt-get install dpkg-dev chrpath" >&2
    exit 1
  }
done

version=$(sed -n 's/^project(yarrow VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
architecture=$(dpkg --print-architecture)
# The day of the commit: the same files in, the same packages out.
day=$(git log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH=$day LC_ALL=C.UTF-8
maintainer="Yarrow developers <yarrow@packages.debian.org>"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stage=$work/stage
DESTDIR=$stage cmake --install "$build" --prefix /usr --strip >"$work/install.log" ||
  { cat "$work/install.log" >&2; exit 1; }
mkdir -p "$stage/usr/share/doc/yarrow-doc"
cp -r docs "$stage/usr/share/doc/yarrow-doc/docs"
rm -r "$stage/usr/share/doc/yarrow-doc/docs/site"
scripts/site.sh --output "$stage/usr/share/doc/yarrow-doc/html" >"$work/site.log" ||
  { cat "$work/site.log" >&2; exit 1; }
cp README.md "$stage/usr/share/doc/yarrow-doc/"
cp -r examples "$stage/usr/share/doc/yarrow-doc/examples"
# Scripts that are Debian's come from Debian's package of them.
javascript=/usr/share/javascript/sphinxdoc/1.0
for script in "$stage"/usr/share/doc/yarrow-doc/html/_static/*.js; do
  if cmp -s "$script" "$javascript/${script##*/}"; then
    ln -sf "../../../../javascript/sphinxdoc/1.0/${script##*/}" "$script"
  fi
done
rm -rf "$stage/usr/share/doc/yarrow" # its LICENSE is each package's copyright
install -m 644 packaging/yarrow-opt.1 "$stage/usr/share/man/man1/"
find "$stage" \( -name __pycache__ -o -name .gitignore \) -prune -exec rm -rf {} +
# Debian's libraries are where the linker looks, and ours beside them; but for MLIR.
find "$stage/usr" -type f \( -path '*/bin/*' -o -name '*.so*' \) -print0 |
  while IFS= read -r -d '' program; do
    mlir=$(chrpath "$program" | grep -o '/usr/lib/llvm-[0-9]*/lib' | head -n 1 || true)
    if [ -n "$mlir" ]; then
      chrpath -r "$mlir" "$program" >/dev/null
    else
      chrpath -d "$program" >/dev/null
    fi
  done
find "$stage" -type f -exec chmod a-x {} + -exec chmod u+w,go-w {} +
chmod 755 "$stage"/usr/bin/*
find "$stage/usr/share/doc" -name '*.py' -exec sed -i '1{/^#!/d}' {} +
find "$stage/usr/share/man" -type f -exec gzip -9n {} +

# Libraries lie beside those of the same machine, where the linker looks, and what finds
# them says so: here the prefix is known. zsh looks for Debian's completions elsewhere.
multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
mkdir "$stage/usr/lib/$multiarch"
find "$stage/usr/lib" -mindepth 1 -maxdepth 1 ! -name "$multiarch" ! -name yarrow-driver \
  -exec mv -t "$stage/usr/lib/$multiarch" {} +
sed -i -e 's|^prefix=.*|prefix=/usr|' -e "s|^libdir=.*|libdir=\${prefix}/lib/$multiarch|" \
  "$stage/usr/lib/$multiarch/pkgconfig"/*.pc
sed -i -e 's|^if(_IMPORT_PREFIX STREQUAL "/")|set(_IMPORT_PREFIX "/usr")\n&|' \
  -e "s|{_IMPORT_PREFIX}/lib/|{_IMPORT_PREFIX}/lib/$multiarch/|g" \
  -e 's|"${CMAKE_CURRENT_LIST_DIR}/../../../"|"/usr"|' \
  "$stage/usr/lib/$multiarch"/cmake/Yarrow/*.cmake
mkdir "$stage/usr/share/zsh/vendor-completions"
mv "$stage/usr/share/zsh/site-functions/_yarrow" "$stage/usr/share/zsh/vendor-completions/"
rmdir "$stage/usr/share/zsh/site-functions"

# Moves what the patterns name from the stage to the package's tree.
take() {
  local tree=$1 pattern path
  shift
  for pattern in "$@"; do
    for path in "$stage"/$pattern; do
      [ -e "$path" ] || [ -L "$path" ] || {
        echo "package: error: no installed file matches $pattern" >&2
        exit 1
      }
      mkdir -p "$tree/$(dirname "${path#"$stage"/}")"
      mv "$path" "$tree/${path#"$stage"/}"
    done
  done
}

# What every package has in its folder of documentation.
add_documents() {
  local folder=$1/usr/share/doc/$2
  mkdir -p "$folder"
  {
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n'
    printf 'Upstream-Name: Yarrow\n\nFiles: *\nCopyright: 2026 Yarrow developers\n'
    printf 'License: Apache-2.0\n The text is in /usr/share/common-licenses/Apache-2.0.\n'
  } >"$folder/copyright"
  {
    printf 'yarrow (%s) unstable; urgency=medium\n\n' "$version"
    sed -n '/^## /,$p' CHANGELOG.md | sed '1d; /^## /,$d; /^$/d' |
      awk '/^\* / { if (text) print text; text = $0; next }
           { sub(/^ +/, " "); text = text $0 } END { print text }' |
      while read -r line; do
        fold -s -w 74 <<<"$line" | sed '1s/^/  /; 2,$s/^/    /; s/ *$//'
      done
    printf '\n -- %s  %s\n' "$maintainer" "$(date -uRd "@$day")"
  } | gzip -9n >"$folder/changelog.gz"
}

# The libraries that the programs of a tree need, as names of packages.
depends() {
  local tree=$1 programs
  mapfile -t programs < <(find "$tree/usr" -type f \( -path '*/bin/*' -o -name '*.so*' \))
  [ ${#programs[@]} -gt 0 ] || return 0
  (
    mkdir -p "$work/shlibs/debian"
    cd "$work/shlibs"
    printf 'Source: yarrow\n\nPackage: yarrow\nArchitecture: any\n' >debian/control
    dpkg-shlibdeps -O --ignore-missing-info -l"$work/libyarrow0.1/usr/lib/$multiarch" \
      -l"$work/libyarrow-compiler0.1/usr/lib/$multiarch" \
      -l"$work/libyarrow-nnapi0.1/usr/lib/$multiarch" "${programs[@]}" \
      >found 2>log || { cat log >&2; exit 1; }
    sed -n 's/^shlibs:Depends=//p' found
  )
}

rm -rf "$output"
mkdir -p "$output"
packages=()
make_package() {
  local name=$1 section=$2 kind=$3 given=$4 summary=$5 text=$6 tree=$work/$1
  shift 6
  take "$tree" "$@"
  add_documents "$tree" "$name"
  local needs own=$architecture
  [ "$kind" = all ] && own=all
  needs=$(depends "$tree")
  needs=$needs${needs:+${given:+, }}$given
  mkdir "$tree/DEBIAN"
  (cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  case $name in lib*[0-9])
    printf 'activate-noawait ldconfig\n' >"$tree/DEBIAN/triggers"
    (cd "$tree" && find "usr/lib/$multiarch" -maxdepth 1 -name '*.so.*.*.*' -printf '%f\n' |
      sed -n 's/^lib\(.*\)\.so\.\([0-9]*\.[0-9]*\).*/\1/p' | sort |
      while read -r library; do
        printf 'lib%s %s %s (>= %s)\n' "$library" "${version%.*}" "$name" "$version"
      done) >"$tree/DEBIAN/shlibs"
    ;;
  esac
  {
    printf 'Package: %s\nVersion: %s\nArchitecture: %s\n' "$name" "$version" "$own"
    printf 'Source: yarrow\nMaintainer: %s\nSection: %s\nPriority: optional\n' \
      "$maintainer" "$section"
    printf 'Installed-Size: %s\n' "$(du -sk --apparent-size "$tree/usr" | cut -f1)"
    [ -z "$needs" ] || printf 'Depends: %s\n' "$needs"
    [ -z "${multi:-}" ] || printf 'Multi-Arch: %s\n' "$multi"
    [ -z "${recommends:-}" ] || printf 'Recommends: %s\n' "$recommends"
    printf 'Description: %s\n' "$summary"
    fold -s -w 78 <<<"$text" | sed 's/^/ /; s/ *$//'
  } | sed '/^Source: yarrow$/{'"$([ "$name" = yarrow ] && echo d || echo b)"'}' \
    >"$tree/DEBIAN/control"
  find "$tree" -type d -exec chmod 755 {} +
  find "$tree" -newermt "@$day" -exec touch -hd "@$day" {} +
  dpkg-deb --root-owner-group -Zxz --build "$tree" "$output" >/dev/null
  packages+=("$output/${name}_${version}_$own.deb")
}

# shellcheck source=../packaging/packages
source packaging/packages

left=$(find "$stage" -type f -o -type l | sed "s|^$stage/||")
[ -z "$left" ] || {
  printf 'package: error: these files are in no package:\n%s\n' "$left" >&2
  exit 1
}
ls -l "${packages[@]}" | awk '{ printf "package: %s, %.1f MB\n", $NF, $5 / 1e6 }'
if command -v lintian >/dev/null; then
  lintian --fail-on error,warning --suppress-tags-from-file packaging/lintian-tags \
    "${packages[@]}"
fi
