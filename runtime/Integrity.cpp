//===- Integrity.cpp - Whether an executable is as it was written ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/Integrity.h"

#include "support/Digest.h"
#include "support/diagnostics/Executables.h"

using namespace yarrow;
using namespace yarrow::runtime;

bool runtime::checkIntegrity(std::string_view file,
                             const isa::ChecksumTable &checksums,
                             const std::string &fileName,
                             DiagnosticEngine &diags) {
  auto damaged = [&](const std::string &what) -> Diagnostic & {
    return diags.report(diag::ExecutableDamaged, {fileName}, what)
        .hint("build the executable again, or copy it again from its origin");
  };
  if (!checksums.isIntact) {
    damaged(
        "the checksums themselves are damaged, so the file cannot be checked");
    return false;
  }
  uint64_t at = 0;
  bool isIntact = true;
  for (const isa::ChecksumRecord &part : checksums.records) {
    if (part.beginBytes != at || part.sizeBytes > checksums.beginBytes - at)
      break;
    at += part.sizeBytes;
    uint64_t digest = digestOf(file.substr(part.beginBytes, part.sizeBytes));
    if (digest == part.digest)
      continue;
    isIntact = false;
    damaged("the executable was changed in part '" + std::string(part.text()) +
            "'")
        .found(digestText(digest) + " of " + std::to_string(part.sizeBytes) +
               " bytes from " + std::to_string(part.beginBytes) + " on")
        .expected(digestText(part.digest));
  }
  if (at == checksums.beginBytes)
    return isIntact;
  damaged("the checksums do not cover the whole file");
  return false;
}
