//===- TensorReader.cpp - Constants and types of ONNX ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/TensorReader.h"
#include "support/FileKind.h"
#include "support/diagnostics/Import.h"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>

using namespace yarrow;
using namespace yarrow::onnx;
using graph::Constant;
namespace fs = std::filesystem;

namespace {

struct TypeRecord {
  std::int64_t number;
  const char *name;
  std::optional<ElementType> type;
};
/// Types of 4 bits are unpacked into bytes.
constexpr TypeRecord kTypes[] = {
    {1, "float", ElementType::F32},     {2, "uint8", ElementType::U8},
    {3, "int8", ElementType::I8},       {4, "uint16", ElementType::U16},
    {5, "int16", ElementType::I16},     {6, "int32", ElementType::I32},
    {7, "int64", ElementType::I64},     {8, "string", std::nullopt},
    {9, "bool", ElementType::Bool},     {10, "float16", ElementType::F16},
    {11, "double", ElementType::F64},   {12, "uint32", ElementType::U32},
    {13, "uint64", ElementType::U64},   {14, "complex64", std::nullopt},
    {15, "complex128", std::nullopt},   {16, "bfloat16", ElementType::BF16},
    {17, "float8e4m3fn", std::nullopt}, {18, "float8e4m3fnuz", std::nullopt},
    {19, "float8e5m2", std::nullopt},   {20, "float8e5m2fnuz", std::nullopt},
    {21, "uint4", ElementType::U8},     {22, "int4", ElementType::I8},
    {23, "float4e2m1", std::nullopt},   {24, "float8e8m0", std::nullopt},
    {25, "uint2", std::nullopt},        {26, "int2", std::nullopt}};
constexpr std::int64_t kUint4 = 21, kInt4 = 22;

const TypeRecord *findType(std::int64_t number) {
  for (const TypeRecord &record : kTypes)
    if (record.number == number)
      return &record;
  return nullptr;
}

/// Two values a byte, the low half first.
std::vector<std::byte> unpackHalves(Bytes packed, std::uint64_t count,
                                    bool isSigned) {
  std::vector<std::byte> values(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    unsigned both = unsigned(packed[i / 2]);
    int value = int(i % 2 ? both >> 4 : both & 15);
    values[i] = std::byte(isSigned && value > 7 ? value - 16 : value);
  }
  return values;
}

template <typename T, typename U>
std::vector<std::byte> narrowed(const std::vector<U> &values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value = T(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

/// Numbers of the file's lists as elements.
std::vector<std::byte> elementsOf(const std::vector<std::int64_t> &values,
                                  ElementType type) {
  switch (elementBytes(type)) {
  case 1:
    return narrowed<std::uint8_t>(values);
  case 2:
    return narrowed<std::uint16_t>(values);
  case 4:
    return narrowed<std::uint32_t>(values);
  default:
    return narrowed<std::uint64_t>(values);
  }
}

std::uint64_t numberOf(const std::string &text, bool &ok) {
  std::uint64_t value = 0;
  ok = ok && !text.empty() && text.size() < 20 &&
       std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  for (char c : text)
    value = value * 10 + std::uint64_t(c - '0');
  return ok ? value : 0;
}

} // namespace

std::optional<ElementType> onnx::elementTypeOf(std::int64_t number) {
  // Of constants alone: nothing computes tensors of 4 bits.
  if (number == kUint4 || number == kInt4)
    return std::nullopt;
  const TypeRecord *record = findType(number);
  return record ? record->type : std::nullopt;
}

std::int64_t onnx::elementNumber(ElementType type) {
  // The first of a type: those of 4 bits come behind.
  return std::ranges::find(kTypes, std::optional(type), &TypeRecord::type)
      ->number;
}

std::string onnx::elementTypeName(std::int64_t number) {
  const TypeRecord *record = findType(number);
  return record ? record->name : "type " + std::to_string(number);
}

struct TensorReader::Fields {
  std::string name;
  std::vector<std::int64_t> dims, int32s, int64s, uint64s;
  std::vector<float> floats;
  std::vector<double> doubles;
  std::int64_t type = 0;
  std::optional<Bytes> raw;
  std::map<std::string, std::string> external;
  bool isExternal = false;
};

bool TensorReader::readFields(Bytes message, Fields &t,
                              const std::string &where) {
  WireReader wire(message);
  bool ok = true;
  while (auto field = wire.next()) {
    switch (field->number) {
    case 1:
      ok &= appendVarints(*field, t.dims);
      break;
    case 2:
      t.type = field->asInt();
      break;
    case 4:
      ok &= appendFloats(*field, t.floats);
      break;
    case 5:
      ok &= appendVarints(*field, t.int32s);
      break;
    case 7:
      ok &= appendVarints(*field, t.int64s);
      break;
    case 8:
      t.name = field->text();
      break;
    case 9:
      ok &= field->isBytes();
      t.raw = field->bytes;
      break;
    case 10:
      ok &= appendDoubles(*field, t.doubles);
      break;
    case 11:
      ok &= appendVarints(*field, t.uint64s);
      break;
    case 13: {
      WireReader entry(field->bytes);
      std::string key, value;
      while (auto part = entry.next())
        (part->number == 1 ? key : value) = part->text();
      ok &= !entry.error();
      t.external[key] = value;
      break;
    }
    case 14:
      t.isExternal = field->value == 1;
      break;
    default:
      break;
    }
  }
  if (ok && !wire.error())
    return true;
  diags
      .report(diag::OnnxMalformed, {path},
              "a constant" + (t.name.empty() ? " of " + where : " " + t.name) +
                  " is damaged")
      .found(wire.error() ? wire.error() : "a list of numbers in a wrong form");
  return false;
}

Diagnostic TensorReader::externalProblem(const std::string &message) const {
  return {diag::OnnxExternalData, {path}, message, {}, {}, {}};
}

TensorReader::External TensorReader::openExternal(const std::string &location) {
  auto refuse = [&](const std::string &message, const std::string &expected) {
    Diagnostic d = externalProblem(message);
    d.found(location).expected(expected);
    return External{nullptr, d};
  };
  fs::path relative(location);
  if (location.empty() || relative.is_absolute() ||
      location.find('\0') != std::string::npos ||
      std::ranges::find(relative, fs::path("..")) != relative.end())
    return refuse("external data must be in the model's folder",
                  "a path within the folder, such as weights.bin");
  std::error_code error;
  fs::path folder = fs::path(path).parent_path();
  fs::path base = fs::canonical(folder.empty() ? "." : folder, error);
  fs::path full = error ? fs::path() : fs::canonical(base / relative, error);
  if (error) {
    External missing = refuse("a file of external data cannot be read",
                              "a file next to the model");
    missing.problem->hint("copy it from the source of the model: the model and "
                          "its data are two files");
    return missing;
  }
  auto [end, rest] =
      std::mismatch(base.begin(), base.end(), full.begin(), full.end());
  if (end != base.end())
    return refuse("external data must be in the model's folder",
                  "a file in that folder, not a link to " + full.string());
  DiagnosticEngine reason;
  External external{MappedFile::open(full.string(), reason)};
  if (!external.file)
    return refuse("a file of external data cannot be read",
                  "a regular file that you have permission to read");
  FileKind kind = fileKindOf(external.file->bytes());
  if (kind != FileKind::LfsPointer && kind != FileKind::Html)
    return external;
  Diagnostic d = externalProblem("a file of external data is " +
                                 std::string(yarrow::describe(kind)));
  d.found(location).hint(hintFor(kind, FileKind::Binary, location));
  return {nullptr, d};
}

void TensorReader::reportExternal() {
  for (auto &[location, external] : files) {
    if (!external.problem)
      continue;
    Diagnostic d = *external.problem;
    d.message += ": " + std::to_string(external.numMissing) +
                 (external.numMissing == 1 ? " constant lacks its data, "
                                           : " constants lack their data, ") +
                 (external.numMissing == 1 ? "" : "first ") +
                 external.firstMissing;
    diags.add(std::move(d));
    external.problem.reset();
  }
}

std::string TensorReader::nameOf(Bytes message) {
  constexpr unsigned kName = 8;
  WireReader wire(message);
  std::string name;
  while (auto field = wire.next())
    if (field->number == kName && field->isBytes())
      name = field->text();
  return name;
}

bool TensorReader::readExternal(Fields &t, std::uint64_t sizeBytes, Bytes &data,
                                std::shared_ptr<const void> &dataOwner) {
  const std::string &location = t.external["location"];
  auto [it, isNew] = files.try_emplace(location);
  External &external = it->second;
  if (isNew)
    external = openExternal(location);
  auto missing = [&] {
    if (!external.numMissing++)
      external.firstMissing = t.name;
    return false;
  };
  const auto &file = external.file;
  if (!file)
    return missing();
  bool ok = true;
  std::uint64_t fileSize = file->bytes().size(), offset = 0;
  if (auto at = t.external.find("offset"); at != t.external.end())
    offset = numberOf(at->second, ok);
  std::uint64_t length = offset <= fileSize ? fileSize - offset : 0;
  if (auto at = t.external.find("length"); at != t.external.end())
    length = numberOf(at->second, ok);
  if (!ok || offset > fileSize || length > fileSize - offset ||
      length != sizeBytes) {
    if (!external.problem) {
      external.problem = externalProblem(
          "the external data do not match the constants' shapes");
      external.problem
          ->found("offset " + std::to_string(offset) + ", length " +
                  std::to_string(length) + ", in a file of " +
                  std::to_string(fileSize) + " bytes")
          .expected(std::to_string(sizeBytes) + " bytes within the file");
    }
    return missing();
  }
  data = file->bytes().subspan(offset, length);
  dataOwner = file;
  return true;
}

std::optional<NamedConstant> TensorReader::read(Bytes message,
                                                const std::string &where) {
  Fields t;
  if (!readFields(message, t, where))
    return std::nullopt;
  NamedConstant result;
  result.name = t.name;
  Place place{path};
  // A tensor of 2^40 elements is none, and products stay in range.
  std::uint64_t count = 1;
  for (std::int64_t length : t.dims) {
    bool fits = length >= 0 &&
                (length == 0 ||
                 count <= (std::uint64_t(1) << 40) / std::uint64_t(length));
    if (!fits) {
      diags
          .report(diag::OnnxMalformed, place,
                  "constant " + t.name + " has an impossible shape")
          .found("an axis of length " + std::to_string(length));
      return std::nullopt;
    }
    count *= std::uint64_t(length);
  }
  const TypeRecord *record = findType(t.type);
  if (!record || !record->type) {
    result.foreignType = elementTypeName(t.type);
    return result;
  }
  Constant &c = result.constant;
  c.type = *record->type;
  c.shape = t.dims;
  bool isHalf = t.type == kUint4 || t.type == kInt4;
  std::uint64_t size = isHalf ? (count + 1) / 2 : count * elementBytes(c.type);
  Bytes data;
  std::shared_ptr<const void> dataOwner = owner;
  std::vector<std::byte> copied;
  if (t.isExternal) {
    if (!readExternal(t, size, data, dataOwner))
      return std::nullopt;
  } else if (t.raw) {
    data = *t.raw;
  } else {
    if (c.type == ElementType::F32)
      copied = narrowed<float>(t.floats);
    else if (c.type == ElementType::F64)
      copied = narrowed<double>(t.doubles);
    else if (c.type == ElementType::I64)
      copied = elementsOf(t.int64s, c.type);
    else if (c.type == ElementType::U32 || c.type == ElementType::U64)
      copied = elementsOf(t.uint64s, c.type);
    else // also the bits of float16 and bfloat16
      copied = isHalf ? narrowed<std::uint8_t>(t.int32s)
                      : elementsOf(t.int32s, c.type);
    data = copied;
  }
  if (data.size() != size) {
    diags
        .report(diag::OnnxMalformed, place,
                "constant " + (t.name.empty() ? "of " + where : t.name) +
                    " has data that do not match its shape")
        .found(std::to_string(data.size()) + " bytes")
        .expected(std::to_string(size) + " bytes");
    return std::nullopt;
  }
  if (isHalf) {
    c = Constant::ofBytes(c.type, c.shape,
                          unpackHalves(data, count, t.type == kInt4));
    c.narrowBits = 4;
  } else if (!t.isExternal && !t.raw)
    c = Constant::ofBytes(c.type, c.shape, std::move(copied));
  else {
    c.bytes = data;
    c.owner = dataOwner;
  }
  return result;
}
