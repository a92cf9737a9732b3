//===- Tar.cpp - Archives of tar ------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Tar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

using namespace yarrow;

namespace {

constexpr std::size_t kBlockBytes = 512;

/// A field of a header.
struct Field {
  std::size_t at, bytes;
};
constexpr Field kName = {0, 100}, kMode = {100, 8}, kUser = {108, 8},
                kGroup = {116, 8}, kSize = {124, 12}, kTime = {136, 12},
                kChecksum = {148, 8}, kType = {156, 1}, kMagic = {257, 8},
                kPrefix = {345, 155};
constexpr std::string_view kPosix = "ustar";

std::string_view field(std::string_view header, Field which) {
  return header.substr(which.at, which.bytes);
}

/// Up to the first NUL.
std::string_view textField(std::string_view header, Field which) {
  std::string_view text = field(header, which);
  return text.substr(0, text.find('\0'));
}

/// Octal digits between blanks; or, as GNU tar writes large ones, a set bit and
/// a number of as many bytes, the first the highest.
std::optional<std::uint64_t> numberField(std::string_view header, Field which) {
  std::string_view text = field(header, which);
  std::uint64_t value = 0;
  if (static_cast<unsigned char>(text[0]) == 0x80) {
    for (char c : text.substr(1)) {
      if (value >> 56)
        return std::nullopt;
      value = value << 8 | static_cast<unsigned char>(c);
    }
    return value;
  }
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  text = text.substr(0, text.find_first_of(std::string_view("\0 ", 2)));
  if (text.empty())
    return 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, 8);
  bool isWhole = error == std::errc() && end == text.data() + text.size();
  return isWhole ? std::optional(value) : std::nullopt;
}

/// Of the header's bytes, those of the checksum taken as blanks. Old programs
/// add them with their signs.
template <typename Byte> std::int64_t checksumOf(std::string_view header) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < header.size(); ++i)
    sum +=
        i - kChecksum.at < kChecksum.bytes ? ' ' : static_cast<Byte>(header[i]);
  return sum;
}

class Reader {
public:
  Reader(std::string_view text, const std::string &path, DiagId id,
         DiagnosticEngine &diags)
      : text(text), path(path), id(id), diags(diags) {}

  std::optional<std::vector<TarMember>> read();

private:
  bool bad(const std::string &what, const std::string &found,
           const std::string &expected) {
    diags
        .report(id, {path},
                "the archive is damaged at byte " + std::to_string(at) + ": " +
                    what)
        .found(found)
        .expected(expected);
    return false;
  }
  bool readMember();
  bool readRecords(std::string_view records);
  std::string nameOf(std::string_view header) const;

  std::string_view text;
  const std::string &path;
  DiagId id;
  DiagnosticEngine &diags;
  std::size_t at = 0;
  std::vector<TarMember> members;
  /// What a member before said of the next one.
  std::optional<std::string> longName;
  std::optional<std::uint64_t> longSize;
};

} // namespace

/// Of pax: "LENGTH KEY=VALUE\n" one after the other, the length that of all.
bool Reader::readRecords(std::string_view records) {
  while (!records.empty()) {
    std::size_t length = 0;
    auto [end, error] = std::from_chars(
        records.data(), records.data() + records.size(), length);
    std::size_t digits = std::size_t(end - records.data());
    if (error != std::errc() || length > records.size() ||
        length < digits + 2 || records[digits] != ' ' ||
        records[length - 1] != '\n')
      return bad("a member's record is not valid",
                 "'" + std::string(records.substr(0, 40)) + "'",
                 "its length, a blank, a key, = and a value");
    std::string_view record = records.substr(digits + 1, length - digits - 2);
    records.remove_prefix(length);
    std::size_t equals = record.find('=');
    std::string_view key = record.substr(0, equals),
                     value =
                         equals == record.npos ? "" : record.substr(equals + 1);
    if (key == "path")
      longName = std::string(value);
    if (key != "size")
      continue;
    std::uint64_t size = 0;
    auto [past, problem] =
        std::from_chars(value.data(), value.data() + value.size(), size);
    if (problem != std::errc() || past != value.data() + value.size())
      return bad("the size of a member is not a number", std::string(value),
                 "decimal digits");
    longSize = size;
  }
  return true;
}

std::string Reader::nameOf(std::string_view header) const {
  if (longName)
    return *longName;
  std::string name(textField(header, kName));
  // GNU tar has times where POSIX has the begin of the name.
  bool hasPrefix =
      field(header, kMagic).substr(0, 6) == std::string_view("ustar\0", 6);
  std::string_view prefix = textField(header, kPrefix);
  return hasPrefix && !prefix.empty() ? std::string(prefix) + "/" + name : name;
}

bool Reader::readMember() {
  std::string_view header = text.substr(at, kBlockBytes);
  auto checksum = numberField(header, kChecksum);
  std::int64_t sum = checksumOf<unsigned char>(header);
  if (!checksum || (std::int64_t(*checksum) != sum &&
                    std::int64_t(*checksum) != checksumOf<signed char>(header)))
    return bad("the checksum of a header is wrong",
               checksum ? std::to_string(*checksum) : "not a number",
               std::to_string(sum));
  auto size = longSize ? longSize : numberField(header, kSize);
  char type = header[kType.at];
  bool isForNext = type == 'x' || type == 'L' || type == 'K';
  // What is said of the next member is said with a size of its own.
  if (isForNext || type == 'g')
    size = numberField(header, kSize);
  std::size_t begin = at + kBlockBytes;
  if (!size || *size > text.size() - begin)
    return bad("a member is longer than the archive",
               size ? std::to_string(*size) + " bytes" : "not a number",
               "at most " + std::to_string(text.size() - begin));
  std::string_view contents = text.substr(begin, std::size_t(*size));
  std::string name = nameOf(header);
  if (type == 'x' && !readRecords(contents))
    return false;
  if (type == 'L')
    longName = std::string(contents.substr(0, contents.find('\0')));
  if (type == 'S')
    return bad("a member is sparse", name, "one with all its bytes");
  if (!isForNext && type != 'g') {
    longName.reset();
    longSize.reset();
  }
  if (type == '0' || type == '\0' || type == '7') {
    if (name.starts_with("./"))
      name.erase(0, 2);
    members.push_back({std::move(name), std::as_bytes(std::span(contents))});
  }
  std::size_t blocks = (contents.size() + kBlockBytes - 1) / kBlockBytes;
  at = std::min(begin + blocks * kBlockBytes, text.size());
  return true;
}

std::optional<std::vector<TarMember>> Reader::read() {
  while (at < text.size()) {
    std::string_view header = text.substr(at, kBlockBytes);
    // The end is two blocks of zeros; some writers put one.
    if (header.find_first_not_of('\0') == header.npos)
      return std::move(members);
    if (header.size() < kBlockBytes) {
      bad("a header is cut off", std::to_string(header.size()) + " bytes",
          std::to_string(kBlockBytes));
      return std::nullopt;
    }
    if (!readMember())
      return std::nullopt;
  }
  return std::move(members);
}

std::optional<std::vector<TarMember>>
yarrow::readTar(std::span<const std::byte> bytes, const std::string &path,
                DiagId id, DiagnosticEngine &diags) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  return Reader(text, path, id, diags).read();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void put(std::string &header, Field which, std::string_view text) {
  header.replace(which.at, text.size(), text);
}

/// Octal digits that fill the field but for a NUL.
static void putNumber(std::string &header, Field which, std::uint64_t value) {
  for (std::size_t i = which.bytes - 1; i-- > 0; value >>= 3)
    header[which.at + i] = char('0' + (value & 7));
}

static constexpr std::uint64_t kMaxSize = (std::uint64_t(1) << 33) - 1;

static std::string headerOf(std::string_view prefix, std::string_view name,
                            std::uint64_t size, char type) {
  std::string header(kBlockBytes, '\0');
  put(header, kName, name);
  put(header, kPrefix, prefix);
  putNumber(header, kMode, 0644);
  putNumber(header, kUser, 0);
  putNumber(header, kGroup, 0);
  putNumber(header, kSize, std::min(size, kMaxSize));
  putNumber(header, kTime, 0);
  header[kType.at] = type;
  put(header, kMagic, kPosix);
  put(header, {kMagic.at + 6, 2}, "00");
  // Six digits, a NUL and a blank.
  putNumber(header, {kChecksum.at, 7},
            std::uint64_t(checksumOf<unsigned char>(header)));
  header[kChecksum.at + 7] = ' ';
  return header;
}

/// "30 path=NAME\n": the length counts its own digits.
static std::string recordOf(std::string_view key, std::string_view value) {
  std::string rest = " " + std::string(key) + "=" + std::string(value) + "\n";
  std::size_t length = rest.size(), digits = 0;
  while (std::to_string(length).size() != digits) {
    digits = std::to_string(length).size();
    length = rest.size() + digits;
  }
  return std::to_string(length) + rest;
}

static bool appendPadded(AtomicFile &file, std::string_view bytes) {
  static constexpr std::array<char, kBlockBytes> zeros = {};
  std::size_t over = bytes.size() % kBlockBytes;
  return file.append(bytes) &&
         (over == 0 ||
          file.append(std::string_view(zeros.data(), kBlockBytes - over)));
}

bool yarrow::appendTarMember(AtomicFile &file, std::string_view name,
                             std::span<const std::byte> bytes) {
  std::string_view prefix, last = name;
  // A long name is parted at a slash where both parts have their place.
  if (name.size() > kName.bytes) {
    std::size_t slash = name.rfind('/', kPrefix.bytes);
    if (slash != name.npos && slash > 0 &&
        name.size() - slash - 1 <= kName.bytes && slash + 1 < name.size()) {
      prefix = name.substr(0, slash);
      last = name.substr(slash + 1);
    }
  }
  std::string records;
  if (last.size() > kName.bytes)
    records += recordOf("path", name);
  if (bytes.size() > kMaxSize)
    records += recordOf("size", std::to_string(bytes.size()));
  bool isWritten = records.empty() ||
                   (file.append(headerOf("", "pax", records.size(), 'x')) &&
                    appendPadded(file, records));
  return isWritten &&
         file.append(headerOf(prefix, last.substr(0, kName.bytes), bytes.size(),
                              '0')) &&
         appendPadded(file, {reinterpret_cast<const char *>(bytes.data()),
                             bytes.size()});
}

bool yarrow::appendTarEnd(AtomicFile &file) {
  return file.append(std::string(2 * kBlockBytes, '\0'));
}
