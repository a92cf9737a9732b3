//===- Checksums.cpp - The checksums of an executable's parts -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/Checksums.h"

#include "support/Digest.h"

#include <algorithm>
#include <cstring>

using namespace yarrow;
using namespace yarrow::isa;

void ChecksumRecord::setName(std::string_view text) {
  std::memset(name, 0, sizeof name);
  std::copy_n(text.begin(), std::min(text.size(), sizeof name - 1), name);
}

std::string_view ChecksumRecord::text() const {
  std::string_view all(name, sizeof name);
  return all.substr(0, all.find('\0'));
}

static uint64_t digestOfTable(std::string_view records,
                              const ChecksumTrailer &trailer) {
  Digest digest;
  digest.add(records);
  digest.add({reinterpret_cast<const char *>(&trailer.recordCount),
              sizeof trailer.recordCount});
  digest.add({reinterpret_cast<const char *>(&trailer.version),
              sizeof trailer.version});
  return digest.value();
}

std::string isa::checksumSection(std::span<const ChecksumRecord> records) {
  std::string bytes(reinterpret_cast<const char *>(records.data()),
                    records.size_bytes());
  ChecksumTrailer trailer{};
  trailer.recordCount = uint32_t(records.size());
  trailer.version = kChecksumVersion;
  trailer.digest = digestOfTable(bytes, trailer);
  std::copy_n(kChecksumMagic, sizeof kChecksumMagic, trailer.magic);
  bytes.append(reinterpret_cast<const char *>(&trailer), sizeof trailer);
  return bytes;
}

std::optional<ChecksumTable> isa::findChecksums(std::string_view file) {
  ChecksumTrailer trailer;
  if (file.size() < sizeof trailer)
    return std::nullopt;
  std::memcpy(&trailer, file.data() + file.size() - sizeof trailer,
              sizeof trailer);
  if (std::memcmp(trailer.magic, kChecksumMagic, sizeof kChecksumMagic) != 0)
    return std::nullopt;
  ChecksumTable table;
  // A table that claims more than the file has is one, and it is damaged.
  uint64_t bytes = checksumSectionBytes(trailer.recordCount);
  if (trailer.version != kChecksumVersion || bytes > file.size())
    return table;
  table.beginBytes = file.size() - bytes;
  std::string_view records =
      file.substr(table.beginBytes, bytes - sizeof trailer);
  table.records.resize(trailer.recordCount);
  std::copy(records.begin(), records.end(),
            reinterpret_cast<char *>(table.records.data()));
  table.isIntact = trailer.digest == digestOfTable(records, trailer);
  return table;
}
