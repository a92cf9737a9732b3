//===- Checksums.h - The checksums of an executable's parts ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The last section of an executable holds a digest of every part before it. The
// parts follow each other without gaps, so every byte of the file is covered:
// headers, padding and the section table are parts or belong to one. The
// trailer at the end is found without the headers, which can be damaged.
//
//   record, record, ...   one per part, in the order of the file
//   trailer               number of records, version, digest of these, magic
//
// A writer lists its parts, a reader takes the table apart again:
//
//   std::string table = checksumSection(records);
//   std::optional<ChecksumTable> table = findChecksums(file);
//   if (table && !table->isIntact) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_CHECKSUMS_H
#define YARROW_ISA_CHECKSUMS_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow::isa {

constexpr const char kChecksumSection[] = ".yarrow.checksums";

/// A part of the file, as it lies there.
struct ChecksumRecord {
  char name[24];       ///< ".text", "note desc": for people; ends in a zero.
  uint32_t beginBytes; ///< From the begin of the file.
  uint32_t sizeBytes;
  uint64_t digest;

  void setName(std::string_view text);
  /// As far as it is one: bytes may be anything.
  std::string_view text() const;
};
static_assert(sizeof(ChecksumRecord) == 40);

struct ChecksumTrailer {
  uint32_t recordCount;
  uint32_t version;
  uint64_t digest; ///< Of the records and the two words above.
  char magic[8];
};
static_assert(sizeof(ChecksumTrailer) == 24);
constexpr uint32_t kChecksumVersion = 1;
constexpr char kChecksumMagic[8] = {'Y', 'A', 'R', 'R', 'O', 'W', 'C', 'S'};

/// Of so many parts.
constexpr uint64_t checksumSectionBytes(uint64_t parts) {
  return parts * sizeof(ChecksumRecord) + sizeof(ChecksumTrailer);
}
std::string checksumSection(std::span<const ChecksumRecord> records);

struct ChecksumTable {
  std::vector<ChecksumRecord> records;
  uint64_t beginBytes = 0; ///< Of the section; all before it is covered.
  /// The trailer's digest is right. Otherwise nothing here can be relied on.
  bool isIntact = false;
};
/// None if the file does not end in a table of the present version.
std::optional<ChecksumTable> findChecksums(std::string_view file);

} // namespace yarrow::isa

#endif // YARROW_ISA_CHECKSUMS_H
