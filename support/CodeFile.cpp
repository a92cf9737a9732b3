//===- CodeFile.cpp - The file that code was loaded from ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/CodeFile.h"

#include <cstdint>
#include <cstdio>
#include <fstream>

using namespace yarrow;

std::optional<std::string> yarrow::codeFile(const void *address) {
  auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    unsigned long begin = 0, end = 0;
    int pathAt = 0; // Behind protection, offset, device and inode.
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %*s %*s %*s %n", &begin, &end,
                    &pathAt) != 2 ||
        wanted < begin || wanted >= end)
      continue;
    std::string path = line.substr(std::size_t(pathAt));
    // A replaced file is told as a deleted one; memory without a file has no
    // path, or a name in brackets.
    if (!path.starts_with('/') || path.ends_with(" (deleted)"))
      return std::nullopt;
    return path;
  }
  return std::nullopt;
}
