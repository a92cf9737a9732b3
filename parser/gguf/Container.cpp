//===- Container.cpp - Values and tensors of a GGUF file ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/gguf/Container.h"
#include "parser/gguf/Cursor.h"
#include "support/Format.h"
#include "support/diagnostics/Import.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <set>

using namespace yarrow;
using namespace yarrow::gguf;

namespace {
struct TypeRow {
  std::string_view name;
  std::size_t bytes; ///< 0 of strings and arrays.
};
} // namespace

static constexpr std::array<TypeRow, 13> typeRows = {{{"uint8", 1},
                                                      {"int8", 1},
                                                      {"uint16", 2},
                                                      {"int16", 2},
                                                      {"uint32", 4},
                                                      {"int32", 4},
                                                      {"float32", 4},
                                                      {"bool", 1},
                                                      {"string", 0},
                                                      {"array", 0},
                                                      {"uint64", 8},
                                                      {"int64", 8},
                                                      {"float64", 8}}};

std::string_view gguf::typeName(ValueType type) {
  return typeRows[std::size_t(type)].name;
}

bool Value::isInteger() const {
  return type != ValueType::String && type != ValueType::Array &&
         type != ValueType::Bool && !isFloat();
}

double Value::numberAt(std::size_t i) const {
  if (type == ValueType::F32)
    return Cursor::at<float>(bytes, i);
  if (type == ValueType::F64)
    return Cursor::at<double>(bytes, i);
  return double(integerAt(i));
}

std::int64_t Value::integerAt(std::size_t i) const {
  switch (type) {
  case ValueType::U8:
  case ValueType::Bool:
    return Cursor::at<std::uint8_t>(bytes, i);
  case ValueType::I8:
    return Cursor::at<std::int8_t>(bytes, i);
  case ValueType::U16:
    return Cursor::at<std::uint16_t>(bytes, i);
  case ValueType::I16:
    return Cursor::at<std::int16_t>(bytes, i);
  case ValueType::U32:
    return Cursor::at<std::uint32_t>(bytes, i);
  case ValueType::I32:
    return Cursor::at<std::int32_t>(bytes, i);
  default:
    // Beyond 2^63 an unsigned number is negative, which no reader takes.
    return Cursor::at<std::int64_t>(bytes, i);
  }
}

std::string Value::describe() const {
  std::string name(typeName(type));
  if (isArray)
    return "an array of " + formatCount(count) + " " + name;
  if (type == ValueType::String)
    return "'" + std::string(texts[0].substr(0, 64)) + "'";
  if (isFloat())
    return name + " " + std::to_string(numberAt(0));
  return name + " " + std::to_string(integerAt(0));
}

const Value *Container::find(std::string_view key) const {
  auto it = values.find(key);
  return it == values.end() ? nullptr : &it->second;
}

namespace {

/// Lists of lists, which no known key has, may not be deeper.
constexpr unsigned kMostNested = 8;
constexpr std::int64_t kDefaultAlignment = 32;
constexpr std::uint32_t kMostTensorAxes = 4;

class ContainerReader {
public:
  ContainerReader(Bytes bytes, const std::string &path, DiagnosticEngine &diags)
      : cursor(bytes), path(path), diags(diags) {}

  std::optional<Container> read() {
    readMagic();
    if (!readVersion())
      return finish();
    auto numTensors = cursor.number<std::uint64_t>("the number of tensors");
    auto numValues = cursor.number<std::uint64_t>("the number of values");
    for (std::uint64_t i = 0; i < numValues && !cursor.problem(); ++i)
      readNamedValue();
    for (std::uint64_t i = 0; i < numTensors && !cursor.problem(); ++i)
      readTensor();
    if (!cursor.problem())
      findData();
    return finish();
  }

private:
  std::optional<Container> finish() {
    if (cursor.problem())
      diags
          .report(diag::GgufMalformed, {path},
                  "the file ends early or has lengths that are not valid")
          .found(cursor.problemText())
          .hint("fetch the file again: a download may have been interrupted");
    if (cursor.problem() || isRefused)
      return std::nullopt;
    return std::move(container);
  }

  void readMagic() {
    constexpr std::string_view magic = "GGUF";
    Bytes letters = cursor.take(magic.size(), "the magic number");
    if (!cursor.problem() &&
        std::memcmp(letters.data(), magic.data(), magic.size()) != 0)
      cursor.fail("a file that does not begin with GGUF", 0);
  }

  bool readVersion() {
    auto version = cursor.number<std::uint32_t>("the version");
    if (cursor.problem())
      return false;
    container.version = version;
    if (version == 2 || version == 3)
      return true;
    isRefused = true;
    bool isBigEndian = version != 0 && (version & 0xffff) == 0;
    Diagnostic &d =
        diags
            .report(diag::GgufVersion, {path},
                    "the version of the GGUF format is not supported")
            .found(isBigEndian ? "version " + std::to_string(version >> 24) +
                                     ", the most significant byte first"
                               : "version " + std::to_string(version))
            .expected("version 2 or 3, the least significant byte first");
    if (version == 1)
      d.hint(
          "convert the original model again: version 1 was replaced in 2023");
    return false;
  }

  void readNamedValue() {
    std::size_t start = cursor.offset();
    std::string_view key = cursor.text("the key of a value");
    auto type = cursor.number<std::uint32_t>("the type of a value");
    Value value = readValue(type, 0);
    if (cursor.problem())
      return;
    if (!container.values.insert({key, std::move(value)}).second)
      cursor.fail("the key " + std::string(key) + " for the second time",
                  start);
  }

  bool isType(std::uint32_t number) {
    if (number < typeRows.size())
      return true;
    cursor.fail("a value of the type " + std::to_string(number) +
                    ", which is not one of 0 to 12",
                cursor.offset() - sizeof(number));
    return false;
  }

  Value readValue(std::uint32_t type, unsigned depth) {
    Value value;
    if (cursor.problem() || !isType(type))
      return value;
    value.type = ValueType(type);
    if (value.type == ValueType::Array) {
      auto inner = cursor.number<std::uint32_t>("the type of an array");
      value.count = cursor.number<std::uint64_t>("the length of an array");
      if (cursor.problem() || !isType(inner))
        return value;
      value.type = ValueType(inner);
      value.isArray = true;
    }
    if (value.type == ValueType::Array)
      skipLists(value.count, depth + 1);
    else if (value.type == ValueType::String)
      readTexts(value);
    else
      value.bytes = cursor.take(value.count, "the elements of a value",
                                typeRows[std::size_t(value.type)].bytes);
    return value;
  }

  void readTexts(Value &value) {
    for (std::uint64_t i = 0; i < value.count && !cursor.problem(); ++i)
      value.texts.push_back(cursor.text("a string"));
  }

  void skipLists(std::uint64_t count, unsigned depth) {
    if (depth > kMostNested)
      cursor.fail("lists within lists, more than " +
                      std::to_string(kMostNested) + " deep",
                  cursor.offset());
    for (std::uint64_t i = 0; i < count && !cursor.problem(); ++i)
      readValue(std::uint32_t(ValueType::Array), depth);
  }

  void readTensor() {
    std::size_t start = cursor.offset();
    TensorEntry tensor;
    tensor.name = cursor.text("the name of a tensor");
    auto numAxes = cursor.number<std::uint32_t>("the axes of a tensor");
    if (!cursor.problem() && (numAxes < 1 || numAxes > kMostTensorAxes))
      cursor.fail("a tensor of " + std::to_string(numAxes) + " axes", start);
    for (std::uint32_t i = 0; i < numAxes && !cursor.problem(); ++i)
      tensor.shape.push_back(
          cursor.number<std::int64_t>("a length of a tensor"));
    // The file has the axis of neighbouring elements first.
    std::ranges::reverse(tensor.shape);
    tensor.type = cursor.number<std::uint32_t>("the type of a tensor");
    offsets.push_back(cursor.number<std::uint64_t>("the offset of a tensor"));
    if (cursor.problem())
      return;
    if (!graph::isPossible(tensor.shape) ||
        graph::numElements(tensor.shape) == 0)
      cursor.fail("the tensor " + std::string(tensor.name) +
                      " of an impossible shape, " + shapeText(tensor.shape),
                  start);
    else if (!names.insert(tensor.name).second)
      cursor.fail("the tensor " + std::string(tensor.name) +
                      " for the second time",
                  start);
    container.tensors.push_back(std::move(tensor));
  }

  /// What the offsets of tensors are multiples of; 0 after an error.
  std::uint64_t alignment() {
    const Value *given = container.find("general.alignment");
    if (!given)
      return kDefaultAlignment;
    constexpr std::int64_t kMost = 1 << 20;
    std::int64_t value =
        given->isInteger() && !given->isArray ? given->integerAt(0) : 0;
    if (value >= 1 && value <= kMost && std::has_single_bit(uint64_t(value)))
      return std::uint64_t(value);
    cursor.fail("general.alignment: " + given->describe() +
                    ", which is not a power of 2",
                cursor.offset());
    return 0;
  }

  void findData() {
    std::uint64_t step = alignment();
    if (step == 0 || container.tensors.empty())
      return;
    std::uint64_t start = (cursor.offset() + step - 1) / step * step;
    Bytes all = cursor.all();
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      TensorEntry &tensor = container.tensors[i];
      if (start > all.size() || offsets[i] >= all.size() - start) {
        cursor.fail("the offset of the tensor " + std::string(tensor.name) +
                        ", " + std::to_string(offsets[i]) +
                        ", beyond the end of the file",
                    all.size());
        return;
      }
      if (offsets[i] % step != 0) {
        cursor.fail("the offset of the tensor " + std::string(tensor.name) +
                        ", " + std::to_string(offsets[i]) +
                        ", which is not a multiple of " + std::to_string(step),
                    std::size_t(start));
        return;
      }
      tensor.bytes = all.subspan(std::size_t(start + offsets[i]));
    }
  }

  Cursor cursor;
  const std::string &path;
  DiagnosticEngine &diags;
  Container container;
  std::vector<std::uint64_t> offsets;
  std::set<std::string_view> names;
  bool isRefused = false;
};

} // namespace

std::optional<Container> gguf::parseContainer(Bytes bytes,
                                              const std::string &path,
                                              DiagnosticEngine &diags) {
  return ContainerReader(bytes, path, diags).read();
}
