#!/usr/bin/env bash
# Builds runtime, simulator and kernels for 64-bit ARM and tries them with qemu-user: their
# unit tests, and networks that are compiled here and must compute the same bytes in the
# same cycles there (test/arm64/compare.py). The compiler is not included: on an ARM system
# with Debian's LLVM, scripts/build.sh builds it.
#
#   scripts/arm64.sh [--package]
#
#   --package  also makes build-arm64/libyarrow0.1_VERSION_arm64.deb, the library
#              of the C interface, and the device of the Compass driver
#
# Installs missing packages (scripts/setup.sh --with-arm64): Debian's C and C++ libraries
# for cross-compilation with clang, 40 MB.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

package=
for option; do
  [ "$option" = --package ] || {
    echo "arm64: error: unknown option $option; there is --package" >&2
    exit 2
  }
  package=1
done

scripts/setup.sh --with-arm64
scripts/build.sh yarrow yarrow_shared yarrow-tblgen
folder=build-arm64
if [ ! -f $folder/build.ninja ]; then
  mkdir -p $folder
  cmake -S . -B $folder -G Ninja --toolchain cmake/toolchains/aarch64-linux-gnu.cmake \
    -DYARROW_COMPILER=OFF -DYARROW_TBLGEN="$PWD/build/bin/yarrow-tblgen" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O2 -DYARROW_UNITY=ON \
    -DYARROW_WERROR=ON -DCMAKE_SKIP_INSTALL_RPATH=ON -DCMAKE_INSTALL_LIBDIR=lib/aarch64-linux-gnu \
    -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
    >$folder/configure.log 2>&1 </dev/null || {
    tail -n 40 $folder/configure.log >&2
    rm -f $folder/build.ninja
    exit 1
  }
fi
ninja -C $folder -j "$(nproc)" </dev/null
# Minutes; the unit tests behind take hours.
/usr/bin/python3 test/arm64/compare.py --build build --arm $folder
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
