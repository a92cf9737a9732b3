//===- Npz.cpp - Several arrays in one .npz file --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A zip archive ends in a record that says where its directory lies; an entry
// of the directory says where a member does and how it is packed. Offsets are
// those of PKWARE's APPNOTE 6.3, sections 4.3.7 (local header), 4.3.12 (entry
// of the directory), 4.3.14 to 4.3.16 (ends) and 4.5.3 (Zip64).
//
//===----------------------------------------------------------------------===//
#include "support/Npz.h"

#include "support/Format.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Files.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <zlib.h>

namespace yarrow {

namespace {

using Bytes = std::span<const std::byte>;

struct Member {
  std::string name;
  uint32_t flags = 0, method = 0, checksum = 0;
  uint64_t packedBytes = 0, sizeBytes = 0, headerOffset = 0;
};

enum Signature : uint32_t {
  kLocalHeader = 0x04034b50,
  kEntry = 0x02014b50,
  kEnd = 0x06054b50,
  kEnd64 = 0x06064b50,
  kEnd64Locator = 0x07064b50,
};
constexpr uint32_t kStored = 0, kDeflated = 8;
/// In place of a number that Zip64 has in an extra field.
constexpr uint64_t kElsewhere = 0xFFFFFFFF;

class NpzReader {
public:
  NpzReader(std::shared_ptr<const MappedFile> file, std::string path,
            DiagnosticEngine &diags)
      : file(std::move(file)), bytes(this->file->bytes()),
        path(std::move(path)), diags(diags) {}

  std::optional<std::vector<NpzArray>> read() {
    if (!readDirectory())
      return std::nullopt;
    std::vector<NpzArray> arrays;
    for (const Member &member : members) {
      if (!member.name.ends_with(".npy"))
        continue;
      std::optional<NpyView> view = readMember(member);
      if (!view)
        return std::nullopt;
      arrays.push_back(
          {member.name.substr(0, member.name.size() - 4), std::move(*view)});
    }
    if (arrays.empty()) {
      malformed("the archive does not have a .npy file",
                formatCount(members.size()) + " members");
      return std::nullopt;
    }
    return arrays;
  }

private:
  /// A little-endian number; 0 where the file has no such bytes, which the
  /// signatures and bounds that are checked next do not survive.
  uint64_t number(uint64_t offset, unsigned size) const {
    uint64_t value = 0;
    if (offset > bytes.size() || bytes.size() - offset < size)
      return 0;
    for (unsigned i = 0; i < size; ++i)
      value |= uint64_t(bytes[offset + i]) << (8 * i);
    return value;
  }
  bool lies(uint64_t offset, uint64_t size) const {
    return offset <= bytes.size() && size <= bytes.size() - offset;
  }

  bool malformed(std::string what, std::string found) {
    diags.report(diag::NpyMalformed, {path}, std::move(what))
        .found(std::move(found))
        .expected("a .npz file")
        .hint("save the arrays again with numpy.savez");
    return false;
  }

  bool readDirectory() {
    std::optional<uint64_t> end = findEnd();
    if (!end)
      return malformed("the file is not a .npz file",
                       bytes.empty() ? "an empty file"
                                     : "no end of an archive");
    uint64_t count = number(*end + 10, 2), size = number(*end + 12, 4),
             offset = number(*end + 16, 4);
    if (*end >= 20 && number(*end - 20, 4) == kEnd64Locator) {
      uint64_t end64 = number(*end - 20 + 8, 8);
      if (!lies(end64, 56) || number(end64, 4) != kEnd64)
        return malformed("the archive's end is damaged",
                         "no Zip64 record at byte " + std::to_string(end64));
      count = number(end64 + 32, 8);
      size = number(end64 + 40, 8);
      offset = number(end64 + 48, 8);
    }
    if (!lies(offset, size))
      return malformed("the archive's directory is outside of the file",
                       formatCount(size) + " bytes at " + formatCount(offset));
    uint64_t limit = offset + size;
    for (uint64_t i = 0; i < count; ++i)
      if (!readEntry(offset, limit))
        return false;
    return true;
  }

  /// The end record may be followed by a comment of up to 65,535 bytes.
  std::optional<uint64_t> findEnd() const {
    constexpr uint64_t size = 22, longestComment = 0xFFFF;
    if (bytes.size() < size)
      return std::nullopt;
    uint64_t last = bytes.size() - size;
    for (uint64_t back = 0; back <= std::min(last, longestComment); ++back)
      if (number(last - back, 4) == kEnd && number(last - back + 20, 2) == back)
        return last - back;
    return std::nullopt;
  }

  bool readEntry(uint64_t &at, uint64_t limit) {
    if (limit - at < 46 || number(at, 4) != kEntry)
      return malformed("the archive's directory is damaged",
                       "no entry at byte " + formatCount(at));
    Member member;
    member.flags = uint32_t(number(at + 8, 2));
    member.method = uint32_t(number(at + 10, 2));
    member.checksum = uint32_t(number(at + 16, 4));
    member.packedBytes = number(at + 20, 4);
    member.sizeBytes = number(at + 24, 4);
    member.headerOffset = number(at + 42, 4);
    uint64_t nameBytes = number(at + 28, 2), extraBytes = number(at + 30, 2),
             commentBytes = number(at + 32, 2);
    if (limit - at - 46 < nameBytes + extraBytes + commentBytes)
      return malformed("the archive's directory is damaged",
                       "an entry longer than the directory");
    member.name.assign(reinterpret_cast<const char *>(bytes.data()) + at + 46,
                       nameBytes);
    readZip64(at + 46 + nameBytes, extraBytes, member);
    at += 46 + nameBytes + extraBytes + commentBytes;
    members.push_back(std::move(member));
    return true;
  }

  /// An extra field has those of the three numbers that did not fit.
  void readZip64(uint64_t at, uint64_t size, Member &member) const {
    for (uint64_t end = at + size; end - at >= 4;) {
      uint64_t id = number(at, 2), length = number(at + 2, 2);
      at += 4;
      if (length > end - at)
        return;
      if (id == 1) {
        uint64_t next = at;
        for (uint64_t *value :
             {&member.sizeBytes, &member.packedBytes, &member.headerOffset})
          if (*value == kElsewhere && next + 8 <= at + length) {
            *value = number(next, 8);
            next += 8;
          }
      }
      at += length;
    }
  }

  std::optional<NpyView> readMember(const Member &member) {
    std::string name =
        path + ":" + member.name.substr(0, member.name.size() - 4);
    if ((member.flags & 1) ||
        (member.method != kStored && member.method != kDeflated)) {
      diags
          .report(diag::NpyUnsupported, {name},
                  "an array is packed in a way that Yarrow does not read")
          .found(member.flags & 1
                     ? "an encrypted member"
                     : "zip method " + std::to_string(member.method))
          .expected("stored or deflated")
          .hint("save the arrays with numpy.savez or savez_compressed");
      return std::nullopt;
    }
    // The local header repeats name and extra field, maybe with other lengths.
    uint64_t at = member.headerOffset;
    uint64_t start = at + 30 + number(at + 26, 2) + number(at + 28, 2);
    if (!lies(at, 30) || number(at, 4) != kLocalHeader ||
        !lies(start, member.packedBytes)) {
      malformed("an array is outside of the file", member.name);
      return std::nullopt;
    }
    Bytes packed = bytes.subspan(start, member.packedBytes);
    if (member.method == kDeflated)
      return inflated(member, packed, name);
    if (!isIntact(member, packed))
      return std::nullopt;
    std::optional<NpyView> view = parseNpy(packed, file, name, diags);
    if (view)
      view->isMapped = view->owner == file;
    return view;
  }

  bool isIntact(const Member &member, Bytes content) {
    if (content.size() == member.sizeBytes &&
        crc32_z(0, reinterpret_cast<const Bytef *>(content.data()),
                content.size()) == member.checksum)
      return true;
    return malformed("an array does not match its checksum in the archive",
                     member.name);
  }

  std::optional<NpyView> inflated(const Member &member, Bytes packed,
                                  const std::string &name) {
    // Deflate packs at most 1032 bytes in one; a larger claim is a lie that
    // would only cost memory.
    if (member.sizeBytes / 1032 > packed.size() + 1) {
      malformed("an array is larger than its packed bytes can be", member.name);
      return std::nullopt;
    }
    auto content = std::make_shared<std::vector<uint64_t>>(
        std::size_t(member.sizeBytes + 7) / 8);
    auto *to = reinterpret_cast<std::byte *>(content->data());
    if (!inflate(packed, {to, std::size_t(member.sizeBytes)})) {
      malformed("an array cannot be unpacked", member.name);
      return std::nullopt;
    }
    Bytes result(to, std::size_t(member.sizeBytes));
    if (!isIntact(member, result))
      return std::nullopt;
    return parseNpy(result, std::move(content), name, diags);
  }

  /// zlib counts in 32 bits, so longer arrays go in pieces.
  static bool inflate(Bytes from, std::span<std::byte> to) {
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    z_stream stream = {};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) // no header of zlib's own
      return false;
    std::byte spare; // zlib wants a place even for no bytes
    int state = Z_OK;
    std::size_t read = 0, written = 0;
    while (state == Z_OK) {
      std::size_t in = std::min(from.size() - read, most);
      std::size_t out = std::min(to.size() - written, most);
      stream.next_in = reinterpret_cast<Bytef *>(
          const_cast<std::byte *>(from.data() + read));
      stream.avail_in = uInt(in);
      stream.next_out =
          reinterpret_cast<Bytef *>(out ? to.data() + written : &spare);
      stream.avail_out = uInt(out);
      state = ::inflate(&stream, Z_NO_FLUSH);
      read += in - stream.avail_in;
      written += out - stream.avail_out;
    }
    inflateEnd(&stream);
    return state == Z_STREAM_END && written == to.size();
  }

  std::shared_ptr<const MappedFile> file;
  Bytes bytes;
  std::string path;
  DiagnosticEngine &diags;
  std::vector<Member> members;
};

} // namespace

std::optional<std::vector<NpzArray>> readNpz(const std::string &path,
                                             DiagnosticEngine &diags) {
  std::shared_ptr<const MappedFile> file = MappedFile::open(path, diags);
  if (!file)
    return std::nullopt;
  return NpzReader(std::move(file), path, diags).read();
}

} // namespace yarrow
