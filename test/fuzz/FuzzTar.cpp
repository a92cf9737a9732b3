//===- FuzzTar.cpp - Broken archives of tar -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Whatever the bytes: no crash, members exactly if there is no error, and all
// of their bytes within the input. Checksums are made right, or nearly no
// mutation would come further than the first.
//
//===----------------------------------------------------------------------===//
#include "support/Tar.h"
#include "support/diagnostics/Import.h"
#include "test/fuzz/Fuzz.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>

using namespace yarrow;
using fuzz::require;

static void correctChecksums(char *bytes, std::size_t size) {
  constexpr std::size_t block = 512, checksumAt = 148, checksumBytes = 8;
  for (std::size_t at = 0; at + block <= size; at += block) {
    char *header = bytes + at;
    if (std::memcmp(header + 257, "ustar", 5) != 0)
      continue;
    std::memset(header + checksumAt, ' ', checksumBytes);
    unsigned sum = 0;
    for (std::size_t i = 0; i < block; ++i)
      sum += static_cast<unsigned char>(header[i]);
    std::snprintf(header + checksumAt, checksumBytes, "%06o", sum);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  // A block of its own size, so that a read beyond it is seen.
  std::unique_ptr<char[]> block(new char[size]);
  if (size)
    std::memcpy(block.get(), data, size);
  // Every other input stays as it is.
  if (size % 2 == 0)
    correctChecksums(block.get(), size);
  std::span<const std::byte> bytes =
      std::as_bytes(std::span(block.get(), size));
  DiagnosticEngine diags;
  auto members = readTar(bytes, "fuzz.tar", diag::QnnWeights, diags);
  require(members.has_value() == !diags.hasErrors(),
          "members exactly if there is no error", &diags);
  if (!members)
    return 0;
  ++fuzz::numAccepted;
  for (const TarMember &member : *members)
    require(member.bytes.empty() ||
                (member.bytes.data() >= bytes.data() &&
                 member.bytes.data() + member.bytes.size() <=
                     bytes.data() + bytes.size()),
            "members lie within the archive");
  return 0;
}
