#!/usr/bin/env bash
# Lists the packages that building Yarrow needs and that are missing, on a system that is not
# Debian 12 or 13; installs nothing. Ends with 0 if none is missing. scripts/setup.sh calls it.
set -euo pipefail

# The first of the programs that is there.
first() {
  local program
  for program; do
    command -v "$program" && return
  done
  return 1
}

llvmConfig=$(first llvm-config-22 /usr/lib/llvm-22/bin/llvm-config llvm-config || true)
llvm=$("${llvmConfig:-false}" --version 2>/dev/null || true)
llvmHeaders=$("${llvmConfig:-false}" --includedir 2>/dev/null || true)
compiler=$(first "${CXX:-clang++-22}" clang++-22 clang++ g++ c++ || true)

isCommand() { first "$@" >/dev/null; }
isHeader() { [ -n "$compiler" ] && echo "#include <$1>" | "$compiler" -x c++ -fsyntax-only - 2>/dev/null; }
isOfLlvm() { [[ $llvm == 22.* ]] && [ -e "$llvmHeaders/$1" ]; }
isClang() { isCommand clang++-22 || [[ $(clang++ --version 2>/dev/null) == *"version 22."* ]]; }

# what | how it is found | package of Debian and Ubuntu | of Fedora | of Arch
missing=()
while IFS='|' read -r what test debian fedora arch; do
  read -ra test <<<"$test"
  "${test[@]}" && continue
  missing+=("$(printf '%-26s %-22s %-22s %s' "$what" "$debian" "$fedora" "$arch")")
done <<'NEEDS'
LLVM 22, headers|isOfLlvm llvm/IR/Module.h|llvm-22-dev|llvm-devel|llvm
MLIR 22, headers|isOfLlvm mlir/IR/Builders.h|libmlir-22-dev|mlir-devel|mlir
lld 22, headers|isOfLlvm lld/Common/Driver.h|liblld-22-dev|lld-devel|lld
clang 22|isClang|clang-22|clang|clang
ld.lld|isCommand ld.lld-22 ld.lld|lld-22|lld|lld
CMake, 3.25 or later|isCommand cmake|cmake|cmake|cmake
Ninja|isCommand ninja|ninja-build|ninja-build|ninja
Python 3|isCommand python3|python3|python3|python
CLI11|isHeader CLI/CLI.hpp|libcli11-dev|cli11-devel|cli11
nlohmann_json|isHeader nlohmann/json.hpp|nlohmann-json3-dev|json-devel|nlohmann-json
GoogleTest|isHeader gmock/gmock.h|libgmock-dev|gmock-devel|gtest
zlib|isHeader zlib.h|zlib1g-dev|zlib-devel|zlib
zstd|isHeader zstd.h|libzstd-dev|libzstd-devel|zstd
libpng|isHeader png.h|libpng-dev|libpng-devel|libpng
libjpeg-turbo|isHeader cstdio -include jpeglib.h|libjpeg62-turbo-dev|libjpeg-turbo-devel|libjpeg-turbo
NEEDS

if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: everything for a build is installed; scripts/setup.sh lists what tests need"
  exit 0
fi
{
  # shellcheck source=/dev/null
  name=$(. /etc/os-release 2>/dev/null && printf '%s' "${PRETTY_NAME:-}" || true)
  echo "setup: error: ${name:-this system} is not Debian 12 or 13, on which this script installs" \
    "packages. Please install these:"
  printf '\n  %-26s %-22s %-22s %s\n' "" "Debian, Ubuntu" Fedora Arch
  printf '  %s\n' "${missing[@]}"
  printf '\n%s\n' "LLVM, MLIR, lld and clang must have version 22.1. If your system has another version, \
the LLVM project has packages for Debian and Ubuntu (libmlir-22-dev and so on), and \
the releases of github.com/llvm/llvm-project are for others: set CMAKE_PREFIX_PATH to them. Or \
build in a container: docker run -v \"\$PWD\":/yarrow -w /yarrow debian:13 scripts/demo.sh" | fold -s -w 90
} >&2
exit 1
