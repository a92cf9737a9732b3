//===- Npy.cpp - NumPy array files ----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The frame of a .npy file around its header dictionary (NpyHeader.h):
//   "\x93NUMPY" major minor length(2 bytes; 4 from version 2 on) header data
//
//===----------------------------------------------------------------------===//
#include "support/Npy.h"

#include "support/AtomicFile.h"
#include "support/FileKind.h"
#include "support/Format.h"
#include "support/Half.h"
#include "support/MappedFile.h"
#include "support/NpyHeader.h"
#include "support/diagnostics/Files.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace yarrow {

namespace {
struct TypeRecord {
  std::string_view code; ///< Kind and size as in descr, without byte order.
  std::string_view name;
  std::size_t sizeBytes;
};
// In the order of NpyType.
constexpr TypeRecord typeRecords[] = {
    {"b1", "bool", 1},    {"i1", "int8", 1},    {"u1", "uint8", 1},
    {"i2", "int16", 2},   {"u2", "uint16", 2},  {"i4", "int32", 4},
    {"u4", "uint32", 4},  {"i8", "int64", 8},   {"u8", "uint64", 8},
    {"f2", "float16", 2}, {"f4", "float32", 4}, {"f8", "float64", 8},
};

constexpr std::string_view magic = "\x93NUMPY";

std::nullopt_t malformed(const std::string &name, std::string what,
                         std::string found, DiagnosticEngine &diags) {
  diags.report(diag::NpyMalformed, {name}, std::move(what))
      .found(std::move(found))
      .hint("save the array again with numpy.save");
  return std::nullopt;
}

std::string printable(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, 80))
    out += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > 80 ? out + "..." : out;
}

std::optional<NpyType> parseDescr(const NpyHeader &header,
                                  const std::string &name,
                                  DiagnosticEngine &diags) {
  const std::string &descr = header.descr;
  auto unsupported = [&](std::string what) -> Diagnostic & {
    return diags.report(diag::NpyUnsupported, {name}, std::move(what));
  };
  if (descr.empty()) {
    unsupported("the elements are structures")
        .expected("one number per element")
        .hint("save each field as an array of its own");
    return std::nullopt;
  }
  if (descr.substr(1) == "O") {
    unsupported("the file has pickled Python objects, which could run any code "
                "when they are read")
        .found("'" + descr + "'")
        .expected("an array of numbers, or a .npz file of several")
        .hint("numpy.savez('x.npz', **numpy.load('x.npy', "
              "allow_pickle=True).item()) converts a dictionary to an .npz");
    return std::nullopt;
  }
  const auto *record = std::find_if(
      std::begin(typeRecords), std::end(typeRecords),
      [&](const TypeRecord &r) { return r.code == descr.substr(1); });
  if (record == std::end(typeRecords) ||
      std::string_view("<>=|").find(descr[0]) == std::string_view::npos) {
    unsupported("the element type is not supported")
        .found("'" + printable(descr) + "'")
        .expected("bool, int8 to int64, uint8 to uint64, float16, float32 or "
                  "float64")
        .hint("convert with array.astype('float32')");
    return std::nullopt;
  }
  if (descr[0] == '>' && record->sizeBytes > 1) {
    unsupported("the elements are big endian")
        .found("'" + descr + "'")
        .expected("'<" + descr.substr(1) + "'")
        .hint("convert with array.astype('<" + descr.substr(1) + "')");
    return std::nullopt;
  }
  return NpyType(record - std::begin(typeRecords));
}

/// The number of elements; nullopt if the array could not exist in memory.
std::optional<std::size_t> countElements(const std::vector<int64_t> &shape,
                                         std::size_t elementBytes) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return 0;
  std::size_t limit =
      std::size_t(std::numeric_limits<int64_t>::max()) / elementBytes;
  std::size_t count = 1;
  for (int64_t size : shape) {
    if (std::size_t(size) > limit / count)
      return std::nullopt;
    count *= std::size_t(size);
  }
  return count;
}

/// An array with at most one axis longer than 1 lies the same in both orders.
bool orderMatters(const std::vector<int64_t> &shape) {
  return std::count_if(shape.begin(), shape.end(),
                       [](int64_t size) { return size > 1; }) > 1;
}

/// The header's text, or nullopt; \p bytes is advanced to the elements.
std::optional<std::string_view> takeHeader(std::span<const std::byte> &bytes,
                                           const std::string &name,
                                           DiagnosticEngine &diags) {
  std::string_view text(reinterpret_cast<const char *>(bytes.data()),
                        bytes.size());
  if (!text.starts_with(magic))
    return malformed(name, "the file is not a .npy file",
                     text.empty() ? "an empty file"
                                  : "it starts with '" +
                                        printable(text.substr(0, 8)) + "'",
                     diags);
  std::size_t frameBytes = magic.size() + 2;
  unsigned version = text.size() > magic.size() ? uint8_t(text[6]) : 0;
  std::size_t lengthBytes = version == 1 ? 2 : 4;
  if (text.size() < frameBytes + lengthBytes)
    return malformed(name, "the file ends inside its header",
                     std::to_string(text.size()) + " bytes", diags);
  if (version < 1 || version > 3)
    return malformed(name, "the format version is not known",
                     "version " + std::to_string(version), diags);
  std::size_t headerBytes = 0;
  for (std::size_t i = 0; i < lengthBytes; ++i)
    headerBytes |= std::size_t(uint8_t(text[frameBytes + i])) << (8 * i);
  frameBytes += lengthBytes;
  if (headerBytes > text.size() - frameBytes)
    return malformed(name, "the file ends inside its header",
                     std::to_string(text.size()) +
                         " bytes, of which the header would take " +
                         std::to_string(frameBytes + headerBytes),
                     diags);
  bytes = bytes.subspan(frameBytes + headerBytes);
  return text.substr(frameBytes, headerBytes);
}

/// Points the view at its elements, in place when they are aligned. NumPy's
/// headers are padded to 64 (older: 16) bytes, so only foreign writers and
/// hand-made files pay for a copy.
void placeElements(NpyView &view, std::span<const std::byte> bytes,
                   std::shared_ptr<const void> owner) {
  view.data = bytes.data();
  view.owner = std::move(owner);
  if (reinterpret_cast<uintptr_t>(view.data) % npyTypeBytes(view.type) == 0)
    return;
  std::shared_ptr<uint64_t[]> copy(new uint64_t[(bytes.size() + 7) / 8]);
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  view.data = copy.get();
  view.owner = std::move(copy);
}

template <typename T, typename To = float>
std::vector<To> convert(const NpyView &view) {
  std::span<const T> from = view.elements<T>();
  return std::vector<To>(from.begin(), from.end());
}
} // namespace

std::size_t npyTypeBytes(NpyType type) {
  return typeRecords[std::size_t(type)].sizeBytes;
}

std::pair<int64_t, int64_t> npyTypeRange(NpyType type) {
  constexpr int64_t largest = std::numeric_limits<int64_t>::max();
  std::size_t bits = 8 * npyTypeBytes(type);
  std::string_view code = typeRecords[std::size_t(type)].code;
  if (code[0] == 'i')
    return {-(largest >> (64 - bits)) - 1, largest >> (64 - bits)};
  assert((code[0] == 'u' || code[0] == 'b') && "floats have no such range");
  if (code[0] == 'b')
    return {0, 1};
  return {0, bits == 64 ? largest : (int64_t(1) << bits) - 1};
}

std::string_view npyTypeName(NpyType type) {
  return typeRecords[std::size_t(type)].name;
}

std::string NpyView::str() const {
  return std::string(npyTypeName(type)) + shapeText(shape);
}

NpyView NpyView::part(std::size_t first, std::size_t count) const {
  assert(first + count <= numElements && "a part beyond the array");
  NpyView result{type, {int64_t(count)}, count, nullptr, owner, name, isMapped};
  result.data =
      static_cast<const std::byte *>(data) + first * npyTypeBytes(type);
  return result;
}

void NpyView::release(std::size_t first, std::size_t count) const {
  if (isMapped)
    MappedFile::release(part(first, count).bytes());
}

std::vector<float> NpyView::toFloats() const {
  switch (type) {
  case NpyType::Bool: {
    std::vector<float> out(numElements);
    std::span<const uint8_t> from = elements<uint8_t>();
    std::transform(from.begin(), from.end(), out.begin(),
                   [](uint8_t value) { return value ? 1.0f : 0.0f; });
    return out;
  }
  case NpyType::Int8:
    return convert<int8_t>(*this);
  case NpyType::UInt8:
    return convert<uint8_t>(*this);
  case NpyType::Int16:
    return convert<int16_t>(*this);
  case NpyType::UInt16:
    return convert<uint16_t>(*this);
  case NpyType::Int32:
    return convert<int32_t>(*this);
  case NpyType::UInt32:
    return convert<uint32_t>(*this);
  case NpyType::Int64:
    return convert<int64_t>(*this);
  case NpyType::UInt64:
    return convert<uint64_t>(*this);
  case NpyType::Float16: {
    std::vector<float> out(numElements);
    std::span<const uint16_t> from = elements<uint16_t>();
    std::transform(from.begin(), from.end(), out.begin(), halfToFloat);
    return out;
  }
  case NpyType::Float32:
    return convert<float>(*this);
  case NpyType::Float64:
    return convert<double>(*this);
  }
  assert(false && "element type out of range");
  return {};
}

std::vector<int64_t> NpyView::toIntegers() const {
  switch (type) {
  case NpyType::Int8:
    return convert<int8_t, int64_t>(*this);
  case NpyType::Int16:
    return convert<int16_t, int64_t>(*this);
  case NpyType::UInt16:
    return convert<uint16_t, int64_t>(*this);
  case NpyType::Int32:
    return convert<int32_t, int64_t>(*this);
  case NpyType::UInt32:
    return convert<uint32_t, int64_t>(*this);
  case NpyType::Int64:
    return convert<int64_t, int64_t>(*this);
  case NpyType::UInt64: {
    std::vector<int64_t> values;
    for (uint64_t value : elements<uint64_t>())
      values.push_back(int64_t(std::min<uint64_t>(
          value, uint64_t(std::numeric_limits<int64_t>::max()))));
    return values;
  }
  default:
    assert(npyTypeBytes(type) == 1 && "floats are not integers");
    return convert<uint8_t, int64_t>(*this);
  }
}

std::optional<NpyView> parseNpy(std::span<const std::byte> bytes,
                                std::shared_ptr<const void> owner,
                                const std::string &name,
                                DiagnosticEngine &diags) {
  std::optional<std::string_view> text = takeHeader(bytes, name, diags);
  if (!text)
    return std::nullopt;
  NpyHeader header;
  if (std::string problem = parseNpyHeader(*text, header); !problem.empty())
    return malformed(name, problem, printable(*text), diags);
  std::optional<NpyType> type = parseDescr(header, name, diags);
  if (!type)
    return std::nullopt;
  std::optional<std::size_t> numElements =
      countElements(header.shape, npyTypeBytes(*type));
  std::string shape = shapeText(header.shape);
  if (!numElements)
    return malformed(name, "the shape has too many elements", shape, diags);
  if (header.isFortranOrder && orderMatters(header.shape)) {
    diags.report(diag::NpyUnsupported, {name}, "the array is in Fortran order")
        .expected("C order (the last axis is contiguous)")
        .hint("save numpy.ascontiguousarray(array) instead");
    return std::nullopt;
  }
  NpyView view{*type, header.shape, *numElements, nullptr, nullptr, name};
  if (bytes.size() != view.sizeBytes()) {
    diags
        .report(diag::NpyMalformed, {name},
                bytes.size() < view.sizeBytes()
                    ? "the file ends before its last element"
                    : "bytes follow the last element")
        .found(std::to_string(bytes.size()) + " bytes of elements")
        .expected(std::to_string(view.sizeBytes()) + " bytes for " +
                  view.str());
    return std::nullopt;
  }
  placeElements(view, bytes, std::move(owner));
  return view;
}

std::optional<NpyView> readNpy(const std::string &path,
                               DiagnosticEngine &diags) {
  std::shared_ptr<const MappedFile> file = MappedFile::open(path, diags);
  if (!file ||
      !isKind(FileKind::Npy, file->bytes(), path, diag::NpyMalformed, diags))
    return std::nullopt;
  std::optional<NpyView> view = parseNpy(file->bytes(), file, path, diags);
  if (view)
    view->isMapped = view->owner == file; // not a copy that is aligned
  return view;
}

std::string npyHeader(NpyType type, std::span<const int64_t> shape) {
  const TypeRecord &record = typeRecords[std::size_t(type)];
  std::string dictionary = "{'descr': '";
  dictionary += record.sizeBytes == 1 ? '|' : '<';
  dictionary += record.code;
  dictionary += "', 'fortran_order': False, 'shape': (";
  for (std::size_t i = 0; i < shape.size(); ++i)
    dictionary += (i ? ", " : "") + std::to_string(shape[i]);
  dictionary += shape.size() == 1 ? ",), }" : "), }";
  // As numpy.save does: blanks and a newline up to a multiple of 64 bytes.
  constexpr std::size_t frameBytes = 10, alignBytes = 64;
  std::size_t unpadded = frameBytes + dictionary.size() + 1;
  dictionary.append((alignBytes - unpadded % alignBytes) % alignBytes, ' ');
  dictionary += '\n';
  assert(dictionary.size() <= 0xFFFF && "a shape of thousands of axes");
  std::string out(magic);
  out += '\x01';
  out += '\0';
  out += char(dictionary.size() & 0xFF);
  out += char(dictionary.size() >> 8);
  return out + dictionary;
}

bool writeNpy(const std::string &path, NpyType type,
              const std::vector<int64_t> &shape, const void *data,
              DiagnosticEngine &diags) {
  std::optional<std::size_t> numElements =
      countElements(shape, npyTypeBytes(type));
  assert(numElements && "an array that cannot exist");
  AtomicFile file(path, diags);
  file.append(npyHeader(type, shape));
  file.append(std::span(static_cast<const std::byte *>(data),
                        *numElements * npyTypeBytes(type)));
  return file.commit();
}

} // namespace yarrow
