//===- InlineData.cpp - Values of tensors within JSON ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/InlineData.h"
#include "parser/qnn/JsonNumber.h"
#include "support/Half.h"
#include <cmath>
#include <cstring>

using namespace yarrow;
using namespace yarrow::qnn;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

namespace {

/// float16 as its bits, to be told from an integer.
struct HalfBits {
  std::uint16_t bits;
};

/// Calls \p use with a value of the type that elements of \p type have.
template <typename Use> auto withElement(ElementType type, Use use) {
  switch (type) {
  case ElementType::I8:
    return use(std::int8_t());
  case ElementType::I16:
    return use(std::int16_t());
  case ElementType::U16:
    return use(std::uint16_t());
  case ElementType::I32:
    return use(std::int32_t());
  case ElementType::U32:
    return use(std::uint32_t());
  case ElementType::I64:
    return use(std::int64_t());
  case ElementType::U64:
    return use(std::uint64_t());
  case ElementType::F16:
    return use(HalfBits());
  case ElementType::F32:
    return use(float());
  case ElementType::F64:
    return use(double());
  case ElementType::U8:
  case ElementType::Bool:
  case ElementType::BF16: // no type of QNN
    break;
  }
  return use(std::uint8_t());
}

/// How a value is spelled: a number, true or false, or a name of what is not
/// finite.
std::optional<float> notFiniteWord(std::string_view word) {
  if (word.size() >= 2 && word.front() == '"')
    word = word.substr(1, word.size() - 2);
  return notFiniteOf(word);
}

bool parse(std::string_view word, const DataTypeEntry &, float &value) {
  auto read = notFiniteWord(word);
  if (!read)
    read = floatOf(word);
  value = read.value_or(0);
  return read.has_value();
}

bool parse(std::string_view word, const DataTypeEntry &, double &value) {
  std::optional<double> read = notFiniteWord(word);
  if (!read)
    read = doubleOf(word);
  value = read.value_or(0);
  return read.has_value();
}

bool parse(std::string_view word, const DataTypeEntry &type, HalfBits &value) {
  float wide = 0;
  bool isRead = parse(word, type, wide);
  value.bits = floatToHalf(wide);
  return isRead && (isNotFinite(wide) || !isNotFinite(halfToFloat(value.bits)));
}

template <typename Integer>
bool parse(std::string_view word, const DataTypeEntry &type, Integer &value) {
  if (type.type == DataType::BOOL_8 && (word == "true" || word == "false")) {
    value = word == "true";
    return true;
  }
  auto read = integerOf<Integer>(word);
  value = read.value_or(0);
  if (!read)
    return false;
  if (type.type == DataType::BOOL_8)
    return value == 0 || value == 1;
  // Those of 4 bits have a byte each, of which they use a half.
  unsigned unused = unsigned(sizeof(Integer)) * 8 - type.numBits();
  return Integer(Integer(value << unused) >> unused) == value;
}

template <typename Integer> void print(Integer value, std::string &json) {
  json += std::to_string(value);
}
void print(float value, std::string &json) { json += jsonNumber(value); }
void print(double value, std::string &json) { json += jsonNumber(value); }
void print(HalfBits value, std::string &json) {
  json += jsonNumber(halfToFloat(value.bits));
}

} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

class DataReader {
public:
  DataReader(std::string_view source, const QnnTensor &tensor,
             const std::string &subject, JsonProblems &problems)
      : at(source.data()), end(source.data() + source.size()), tensor(tensor),
        subject(subject), problems(problems) {}

  std::optional<std::vector<std::byte>> read();

private:
  void skipBlank() {
    while (at != end && isJsonBlank(*at))
      ++at;
  }
  bool bad(std::string_view part, const std::string &kind,
           const std::string &found, const std::string &expected) {
    problems.report(part, subject, kind)
        .found(excerptOf(found))
        .expected(expected);
    return false;
  }
  bool badText() {
    std::string_view rest(at, std::size_t(end - at));
    return bad({at, 0}, "\"data\" is not a list of numbers",
               std::string(rest.substr(0, 60)), "a number, [ or ]");
  }
  std::string_view word();
  bool readValue();
  bool open();
  bool close();
  bool readToken();

  const char *at, *end;
  const QnnTensor &tensor;
  const std::string &subject;
  JsonProblems &problems;
  std::vector<std::byte> bytes;
  std::vector<std::int64_t> lengths; ///< So far, of the lists that are open.
  std::vector<const char *> begins;  ///< Of the same lists.
  std::int64_t numValues = 0;
  bool isFlat = false;     ///< One list of all values.
  bool needsComma = false; ///< Before the next value.
};

} // namespace

/// "" if there is no value here.
std::string_view DataReader::word() {
  const char *begin = at, *past = endOfNumber(at, end);
  if (past == begin && *at == '"') {
    for (++past; past != end && *past != '"'; ++past)
      if (*past == '\\')
        return {};
    past += past != end;
  } else if (past == begin) {
    while (past != end && ((*past >= 'a' && *past <= 'z') ||
                           (*past >= 'A' && *past <= 'Z') || *past == '-'))
      ++past;
  }
  return {begin, std::size_t(past - begin)};
}

bool DataReader::readValue() {
  std::string_view text = word();
  if (text.empty())
    return badText();
  std::size_t rank = tensor.dims.size();
  if (numValues == 0)
    isFlat = lengths.size() == 1 && rank != 1;
  if (!isFlat && lengths.size() != rank)
    return bad(text, "\"data\" is not nested like the axes of the tensor",
               "a value in " + std::to_string(lengths.size()) + " lists",
               std::to_string(rank));
  bool fits = withElement(tensor.entry().element, [&](auto value) {
    bool isRead = parse(text, tensor.entry(), value);
    auto *begin = reinterpret_cast<const std::byte *>(&value);
    bytes.insert(bytes.end(), begin, begin + sizeof value);
    return isRead;
  });
  if (!fits)
    return bad(text, "a value of \"data\" does not fit its type",
               std::string(text), tensor.entry().name);
  at = text.data() + text.size();
  ++numValues;
  if (!lengths.empty())
    ++lengths.back();
  return true;
}

bool DataReader::open() {
  // A list more than axes is one that holds a scalar.
  if (lengths.size() >= std::max<std::size_t>(tensor.dims.size(), 1))
    return bad({at, 1}, "\"data\" is not nested like the axes of the tensor",
               "a list in " + std::to_string(lengths.size()) + " lists",
               dimsText(tensor.dims));
  if (isFlat)
    return bad({at, 1}, "\"data\" is not nested like the axes of the tensor",
               "values and lists in one list", dimsText(tensor.dims));
  lengths.push_back(0);
  begins.push_back(at++);
  return true;
}

bool DataReader::close() {
  std::size_t axis = lengths.size() - 1;
  std::int64_t expected =
      isFlat || tensor.dims.empty() ? tensor.numElements() : tensor.dims[axis];
  // No values need no lists: an axis before may have no length.
  bool isEmpty = numValues == 0 && tensor.numElements() == 0;
  if (lengths.back() != expected && !isEmpty)
    return bad({begins.back(), 1}, "a list of \"data\" does not match the dims",
               std::to_string(lengths.back()) + " values",
               std::to_string(expected) + " of " + dimsText(tensor.dims));
  lengths.pop_back();
  begins.pop_back();
  if (!lengths.empty())
    ++lengths.back();
  ++at;
  return true;
}

/// A comma, a bracket or a value.
bool DataReader::readToken() {
  bool isClosing = *at == ']' && !lengths.empty();
  if (isClosing && (needsComma || lengths.back() == 0)) {
    needsComma = true;
    return close();
  }
  if (needsComma) {
    if (*at != ',' || lengths.empty())
      return badText();
    ++at;
    needsComma = false;
    skipBlank();
    if (at == end || *at == ']' || *at == ',')
      return badText();
  }
  if (*at == '[')
    return open();
  needsComma = true;
  return readValue();
}

std::optional<std::vector<std::byte>> DataReader::read() {
  if (tensor.entry().storage == Storage::Text) {
    bad({at, std::size_t(end - at)}, "text values are not supported",
        tensor.entry().name, "a numeric type");
    return std::nullopt;
  }
  skipBlank();
  if (at == end || *at == ',')
    badText();
  else
    do {
      if (!readToken())
        return std::nullopt;
      skipBlank();
    } while (at != end);
  if (!lengths.empty())
    badText();
  if (!lengths.empty() || !needsComma)
    return std::nullopt;
  bytes.shrink_to_fit();
  return std::move(bytes);
}

std::optional<std::vector<std::byte>> qnn::readData(std::string_view source,
                                                    const QnnTensor &tensor,
                                                    const std::string &subject,
                                                    JsonProblems &problems) {
  return DataReader(source, tensor, subject, problems).read();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void qnn::writeData(const QnnTensor &tensor, std::string &json) {
  const std::vector<std::int64_t> &dims = tensor.dims;
  withElement(tensor.entry().element, [&](auto value) {
    std::int64_t count = tensor.numElements();
    if (count == 0) {
      json += "[]";
      return;
    }
    std::vector<std::int64_t> index(dims.size(), 0);
    json.append(dims.size(), '[');
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(&value, tensor.value.data() + std::size_t(i) * sizeof value,
                  sizeof value);
      print(value, json);
      std::size_t closed = 0;
      while (closed < dims.size() && ++index[dims.size() - 1 - closed] ==
                                         dims[dims.size() - 1 - closed])
        index[dims.size() - 1 - closed++] = 0;
      json.append(closed, ']');
      if (i + 1 == count)
        return;
      json += ", ";
      json.append(closed, '[');
    }
  });
}
