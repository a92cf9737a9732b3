//===- SealExecutable.cpp - Checksums for a changed executable ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// test/Seal.h for scripts:
//
//   seal_executable changed.bin sealed.bin
//
//===----------------------------------------------------------------------===//
#include "test/Seal.h"

#include <cstdio>
#include <fstream>
#include <iterator>

int main(int argc, char **argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s changed.bin sealed.bin\n", argv[0]);
    return 2;
  }
  std::ifstream from(argv[1], std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(from),
                    std::istreambuf_iterator<char>()};
  std::ofstream to(argv[2], std::ios::binary);
  bytes = yarrow::sealed(std::move(bytes));
  to.write(bytes.data(), std::streamsize(bytes.size()));
  return from && to.flush() ? 0 : 1;
}
