#!/usr/bin/env bash
# Builds runtime, simulator and kernels for 64-bit ARM and tries them with qemu-user: their
# unit tests, and networks that are compiled here and must compute the same bytes in the
# same cycles there (test/arm64/compare.py).
#
#   scripts/arm64.sh [--compiler] [--package]
#
#   --compiler  also builds the compiler for 64-bit ARM, with Debian's LLVM for it, and
#               compiles the networks there: integer IR and executables are the same. A
#               build as long as that of the compiler here, and 2 GB of packages in
#               build-arm64-compiler/
#   --package   also makes build-arm64/libyarrow0.1_VERSION_arm64.deb, the library
#               of the C interface, and the device of the Compass driver
#
# Installs missing packages (scripts/setup.sh --with-arm64): Debian's C and C++ libraries
# for cross-compilation with clang, 40 MB.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

compiler=
package=
for option; do
  case $option in
  --compiler) compiler=1 ;;
  --package) package=1 ;;
  *)
    echo "arm64: error: unknown option $option; there are --compiler and --package" >&2
    exit 2
    ;;
  esac
done

scripts/setup.sh --with-arm64
scripts/build.sh yarrow yarrow_shared yarrow-tblgen

# configure FOLDER options...: of what both builds have in common.
configure() {
  [ ! -f "$1/build.ninja" ] || return 0
  mkdir -p "$1"
  cmake -S . -B "$1" -G Ninja --toolchain cmake/toolchains/aarch64-linux-gnu.cmake \
    -DYARROW_TBLGEN="$PWD/build/bin/yarrow-tblgen" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O2 -DYARROW_UNITY=ON \
    -DYARROW_WERROR=ON \
    -DCMAKE_C_COMPILER_LAUNCHER=ccache \
    "-DCMAKE_CXX_COMPILER_LAUNCHER=env;CCACHE_SLOPPINESS=pch_defines,time_macros;ccache" \
    "${@:2}" >"$1/configure.log" 2>&1 </dev/null || {
    tail -n 40 "$1/configure.log" >&2
    rm -f "$1/build.ninja"
    exit 1
  }
}

folder=build-arm64
configure $folder -DYARROW_COMPILER=OFF -DCMAKE_SKIP_INSTALL_RPATH=ON \
  -DCMAKE_INSTALL_LIBDIR=lib/aarch64-linux-gnu
ninja -C $folder -j "$(nproc)" </dev/null
# Minutes; the unit tests behind take hours.
/usr/bin/python3 test/arm64/compare.py --build build --arm $folder
if [ -n "$compiler" ]; then
  scripts/arm64_sysroot.sh build-arm64-compiler/sysroot
  # Without MPI: its wrappers would name this machine's libraries.
  configure build-arm64-compiler -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON \
    -DYARROW_SYSROOT="$PWD/build-arm64-compiler/sysroot/root"
  ninja -C build-arm64-compiler -j "$(nproc)" yarrow </dev/null
  /usr/bin/python3 test/arm64/compare.py --build build --compiler build-arm64-compiler
fi
# Left out: what starts itself again, which qemu-user alone cannot do; thousands of devices,
# of whose threads it gives no memory back; how long work takes. Some go through all values.
left=(ThreadPool.GoesOnWithoutThreads 'CApiResourcesTest.NoMemory*' '*NeverCrash*'
  '*SurvivesBroken*' 'EffortTest.*')
(
  IFS=:
  GTEST_FILTER="-${left[*]}" ctest --test-dir $folder -j "$(nproc)" -E simulator_device_test \
    --timeout 7200 --output-on-failure </dev/null
)

[ -n "$package" ] || exit 0
version=$(sed -n 's/^project(yarrow VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
DESTDIR=$stage cmake --install $folder --prefix /usr --strip >$folder/install.log
# What a program is built with is the same as on any machine: libyarrow-dev.
rm -r "$stage"/usr/include "$stage"/usr/lib/aarch64-linux-gnu/{libyarrow.so,pkgconfig}
mkdir "$stage/DEBIAN" "$stage/usr/share/doc/libyarrow0.1"
mv "$stage/usr/share/doc/yarrow/LICENSE" "$stage/usr/share/doc/libyarrow0.1/copyright"
rmdir "$stage/usr/share/doc/yarrow"
cat >"$stage/DEBIAN/control" <<CONTROL
Package: libyarrow0.1
Source: yarrow
Version: $version
Architecture: arm64
Multi-Arch: same
Section: libs
Priority: optional
Maintainer: Yarrow developers <yarrow@packages.debian.org>
Depends: libc6 (>= 2.36), libgcc-s1 (>= 12), libstdc++6 (>= 12)
Description: runtime and simulator of executables for Zhouyi-style NPUs
 Loads what yarrow compiles and runs it on a simulated NPU, behind an interface in C,
 and as the device of the Compass driver.
CONTROL
printf 'activate-noawait ldconfig\n' >"$stage/DEBIAN/triggers"
find "$stage" -type d -exec chmod 755 {} +
dpkg-deb --root-owner-group -Zxz --build "$stage" $folder >/dev/null
ls -l $folder/libyarrow0.1_"$version"_arm64.deb | awk '{ printf "arm64: %s, %.1f MB\n", $NF, $5 / 1e6 }'
