#!/usr/bin/env bash
# All that people install, made and tried on bare Debian 12 systems: the packages with
# the programs that are built against them, and Python's wheel. Needs root, debootstrap
# and a build; takes a quarter of an hour and 5 GB.
#
#   test/install/bare_debian.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

scripts/package.sh
scripts/wheel.sh
test/install/packages.sh build/packages
test/install/wheel.sh build/wheels/yarrow-*.whl --bare
