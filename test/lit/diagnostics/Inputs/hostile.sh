#!/bin/sh
# Puts other code into an executable, with checksums that fit:
#
#   hostile.sh aipu.bin code.S hostile.bin
#
# The program keeps its size and its header; all else would be noticed.
set -e
llvm-objcopy --dump-section=.text="$3.text" "$1" /dev/null # or it would rewrite $1
clang-22 --target=riscv32 -march=rv32imafdv_zvl256b -c "$2" -o "$3.o"
llvm-objcopy -O binary --only-section=.text "$3.o" "$3.code"
dd if="$3.code" of="$3.text" bs=1 seek=64 conv=notrunc status=none
llvm-objcopy --update-section=.text="$3.text" --remove-section=.yarrow.tec "$1" "$3.changed"
seal_executable "$3.changed" "$3"
