//===- NpzWriter.cpp - Several arrays into one .npz file ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Records and fields are those of PKWARE's APPNOTE 6.3, sections 4.3.7 (local
// header), 4.3.12 (entry of the directory), 4.3.14 to 4.3.16 (ends) and 4.5.3
// (Zip64).
//
//===----------------------------------------------------------------------===//
#include "support/NpzWriter.h"

#include <algorithm>
#include <zlib.h>

namespace yarrow {

namespace {

/// Little-endian numbers, one after the other.
class Fields {
public:
  Fields &u16(uint64_t value) { return put(value, 2); }
  Fields &u32(uint64_t value) { return put(value, 4); }
  Fields &u64(uint64_t value) { return put(value, 8); }
  Fields &text(std::string_view value) {
    bytes += value;
    return *this;
  }
  std::string bytes;

private:
  Fields &put(uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i)
      bytes += char(value >> (8 * i));
    return *this;
  }
};

/// In place of a number that Zip64 has elsewhere.
constexpr uint64_t kInZip64 = 0xFFFFFFFF;
constexpr uint64_t kManyMembers = 0xFFFF;
constexpr unsigned kVersion = 45; // of the first zip with Zip64
constexpr unsigned kNamesAreUtf8 = 1u << 11;
constexpr unsigned kZip64Field = 1;
/// 1 January 1980, the first day that zip knows: results do not depend on when.
constexpr unsigned kDate = 0x21;

uint64_t orInZip64(uint64_t value) {
  return value < kInZip64 ? value : kInZip64;
}

uint32_t checksumOf(uint32_t before, const char *data, std::size_t sizeBytes) {
  return uint32_t(
      crc32_z(before, reinterpret_cast<const Bytef *>(data), sizeBytes));
}

} // namespace

void NpzWriter::put(std::string_view bytes) {
  file.append(bytes);
  written += bytes.size();
}

/// The local header of a member, or its entry of the directory.
std::string NpzWriter::headerOf(const Member &member, bool isEntry) const {
  bool isLarge = member.sizeBytes >= kInZip64;
  bool isFar = isEntry && member.offset >= kInZip64;
  Fields extra;
  if (isLarge || isFar) {
    extra.u16(kZip64Field)
        .u16((isLarge ? 2 * sizeof(uint64_t) : 0) +
             (isFar ? sizeof(uint64_t) : 0));
    if (isLarge)
      extra.u64(member.sizeBytes).u64(member.sizeBytes);
    if (isFar)
      extra.u64(member.offset);
  }
  Fields fields;
  fields.text(isEntry ? "PK\1\2" : "PK\3\4");
  if (isEntry)
    fields.u16(kVersion);
  fields.u16(kVersion).u16(kNamesAreUtf8).u16(/*stored*/ 0);
  fields.u16(/*time*/ 0).u16(kDate).u32(member.checksum);
  fields.u32(orInZip64(member.sizeBytes)).u32(orInZip64(member.sizeBytes));
  fields.u16(member.name.size()).u16(extra.bytes.size());
  if (isEntry) // no comment, disk 0, no attributes
    fields.u16(0).u16(0).u16(0).u32(0).u32(orInZip64(member.offset));
  return fields.text(member.name).text(extra.bytes).bytes;
}

void NpzWriter::add(std::string name, std::string_view header,
                    std::span<const std::byte> data) {
  std::string unique = name;
  for (unsigned n = 1; !names.insert(unique).second; ++n)
    unique = name + "_" + std::to_string(n);
  std::string_view content(reinterpret_cast<const char *>(data.data()),
                           data.size());
  Member member{unique + ".npy", 0, header.size() + content.size(), written};
  member.checksum = checksumOf(0, header.data(), header.size());
  member.checksum = checksumOf(member.checksum, content.data(), content.size());
  put(headerOf(member, /*isEntry=*/false));
  put(header);
  put(content);
  members.push_back(std::move(member));
}

void NpzWriter::finish() {
  uint64_t begin = written;
  for (const Member &member : members)
    put(headerOf(member, /*isEntry=*/true));
  uint64_t size = written - begin, end = written;
  if (begin >= kInZip64 || size >= kInZip64 || members.size() >= kManyMembers) {
    constexpr uint64_t kRestOfRecord = 44;
    Fields zip64;
    zip64.text("PK\6\6").u64(kRestOfRecord).u16(kVersion).u16(kVersion);
    zip64.u32(0).u32(0).u64(members.size()).u64(members.size());
    zip64.u64(size).u64(begin);
    zip64.text("PK\6\7").u32(0).u64(end).u32(1);
    put(zip64.bytes);
  }
  Fields last;
  uint64_t count = std::min<uint64_t>(members.size(), kManyMembers);
  last.text("PK\5\6").u16(0).u16(0).u16(count).u16(count);
  last.u32(orInZip64(size)).u32(orInZip64(begin)).u16(0);
  put(last.bytes);
}

} // namespace yarrow
