//===- Seal.h - Checksums for a changed executable --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A test that breaks an executable on purpose gives it checksums that fit, so
// that what it broke reaches the checks behind those of the checksums:
//
//   std::string bytes = sealed(mutated(executable));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_SEAL_H
#define YARROW_TEST_SEAL_H

#include "isa/Checksums.h"
#include "support/Digest.h"
#include <algorithm>

namespace yarrow {

/// In the place of the table at the end, if there is one, one of the same size:
/// the section table of the file keeps its meaning. The first record covers all
/// of the file.
inline std::string sealed(std::string file) {
  size_t count = 1;
  if (auto old = isa::findChecksums(file); old && !old->records.empty()) {
    count = old->records.size();
    file.resize(old->beginBytes);
  }
  isa::ChecksumRecord all{};
  all.setName("file");
  all.sizeBytes = uint32_t(file.size());
  all.digest = digestOf(file);
  isa::ChecksumRecord none{};
  none.beginBytes = uint32_t(file.size());
  none.digest = digestOf("");
  std::vector<isa::ChecksumRecord> records(count, none);
  records[0] = all;
  return file + isa::checksumSection(records);
}

} // namespace yarrow

#endif // YARROW_TEST_SEAL_H
