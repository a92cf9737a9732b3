//===- EncodingFields.cpp - Encodings of a QNN graph as JSON --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Which form an encoding has is told by the member that is there, not by its
// number: some writers put scales with a bit width under the name of those
// without.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/JsonNumber.h"
#include "parser/qnn/TensorFields.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::qnn;
using Form = Encoding::Form;
using Kind = JsonValue::Kind;

namespace {

constexpr std::int64_t kDefined = 1, kUndefined = 0x7fffffff;
/// Numbers of the forms that have a bit width.
constexpr std::int64_t kBitWidth = 2, kBitWidthAxis = 3;

class EncodingReader {
public:
  EncodingReader(const DataTypeEntry &type, std::string subject,
                 JsonProblems &problems)
      : type(type), subject(std::move(subject)), problems(problems) {}

  Encoding read(const JsonValue &member);

private:
  void readScale(JsonFields &fields);
  bool readPlainScale(const JsonValue &item);
  void readScales(JsonFields &fields);
  void readLists(JsonFields &fields);
  void readBitWidth(JsonFields &fields);
  void readForm(JsonFields &fields, const JsonValue &value, Form form);
  void readOther(const JsonValue &member);

  const DataTypeEntry &type;
  std::string subject;
  JsonProblems &problems;
  Encoding result;
  std::optional<std::int64_t> number; ///< Of the form.
  bool isPlain = true; ///< The members are those that are written again.
};

} // namespace

void EncodingReader::readBitWidth(JsonFields &fields) {
  if (!fields.find("bitwidth"))
    return;
  auto bits = fields.integer("bitwidth", 1, 32);
  if (bits && result.bitWidth != 0 && result.bitWidth != unsigned(*bits))
    fields.report(fields.find("bitwidth")->source,
                  "scales of one tensor have different \"bitwidth\"",
                  std::to_string(*bits), std::to_string(result.bitWidth));
  if (bits)
    result.bitWidth = unsigned(*bits);
}

void EncodingReader::readScale(JsonFields &fields) {
  auto scale = fields.real("scale");
  auto offset = fields.integer("offset", INT32_MIN, INT32_MAX);
  result.scales.push_back(scale.value_or(1));
  result.offsets.push_back(std::int32_t(offset.value_or(0)));
  readBitWidth(fields);
}

/// {"scale": 0.5, "offset": 0} and no more: a channel of a large network's
/// weights has one each.
bool EncodingReader::readPlainScale(const JsonValue &item) {
  const JsonValue *scale = item.find("scale"), *offset = item.find("offset");
  if (!scale || !offset || item.items.size() != 2 || !scale->is(Kind::Number) ||
      !offset->is(Kind::Number))
    return false;
  auto real = floatOf(scale->source);
  auto whole = integerOf<std::int32_t>(offset->source);
  if (real && whole) {
    result.scales.push_back(*real);
    result.offsets.push_back(*whole);
  }
  return real && whole;
}

/// Scales in a list, offsets in another.
void EncodingReader::readLists(JsonFields &fields) {
  const JsonValue *scales = fields.get("scales", Kind::List);
  const JsonValue *offsets = fields.findOf("offsets", Kind::List);
  isPlain = false;
  if (!scales)
    return;
  for (const JsonValue &item : scales->items) {
    auto scale = item.real();
    if (!scale)
      fields.report(item.source, "\"scales\" is out of range", item.describe(),
                    "a number of float32");
    result.scales.push_back(scale.value_or(1));
  }
  if (offsets)
    for (const JsonValue &item : offsets->items)
      result.offsets.push_back(std::int32_t(
          fields.integerOf(item, "\"offsets\"", INT32_MIN, INT32_MAX)
              .value_or(0)));
  if (offsets && result.offsets.size() != result.scales.size())
    fields.report(offsets->source, "the numbers of offsets and scales differ",
                  std::to_string(result.offsets.size()),
                  std::to_string(result.scales.size()));
  result.offsets.resize(result.scales.size(), 0);
}

void EncodingReader::readScales(JsonFields &fields) {
  result.axis = fields.integer("axis", INT32_MIN, INT32_MAX).value_or(0);
  readBitWidth(fields);
  if (fields.find("scales")) {
    readLists(fields);
  } else if (const JsonValue *list = fields.get("scale_offsets", Kind::List)) {
    result.scales.reserve(list->items.size());
    result.offsets.reserve(list->items.size());
    for (const JsonValue &item : list->items) {
      if (readPlainScale(item))
        continue;
      JsonFields own(item, subject, problems);
      if (own)
        readScale(own);
      isPlain &= !own.hasOthers();
    }
  }
  std::string_view count = result.form == Form::AxisScaleOffset
                               ? "num_scale_offsets"
                               : "num_elements";
  isPlain &= fields.find(count) != nullptr;
  for (std::string_view key :
       {"num_scale_offsets", "num_elements", "numElements"}) {
    if (!fields.find(key))
      continue;
    isPlain &= key == count;
    auto stated = fields.integer(key);
    if (stated && *stated != std::int64_t(result.scales.size()))
      fields.report(
          fields.find(key)->source,
          "the number of scales is not the number that the file states",
          std::to_string(result.scales.size()), std::to_string(*stated));
  }
}

void EncodingReader::readForm(JsonFields &fields, const JsonValue &value,
                              Form form) {
  bool hasAxis =
      form == Form::AxisScaleOffset || form == Form::BitWidthAxisScaleOffset;
  bool statesBits = form == Form::BitWidthScaleOffset ||
                    form == Form::BitWidthAxisScaleOffset;
  result.form = form;
  JsonFields own(value, fields.subject(), problems);
  if (!own)
    return;
  if (hasAxis)
    readScales(own);
  else
    readScale(own);
  if (statesBits && result.bitWidth == 0)
    own.get("bitwidth", Kind::Number); // is missing
  isPlain &= !own.hasOthers();
  if (statesBits || result.bitWidth == 0)
    return;
  // A width beside the scales: of those who say it of all tensors, or that of a
  // form with fewer bits under the name of the one without.
  isPlain = false;
  if (result.bitWidth == type.numBits() && number != kBitWidth &&
      number != kBitWidthAxis)
    result.bitWidth = 0;
  else
    result.form =
        hasAxis ? Form::BitWidthAxisScaleOffset : Form::BitWidthScaleOffset;
}

/// Some other object, or none although the encoding is defined.
void EncodingReader::readOther(const JsonValue &member) {
  for (const JsonValue &item : member.items)
    if (item.is(Kind::Object)) {
      result.form = Form::Other;
      result.other = item.key;
      return;
    }
  if (number && *number != kUndefined) {
    result.form = Form::Other;
    result.other = "encoding " + std::to_string(*number);
  }
}

Encoding EncodingReader::read(const JsonValue &member) {
  JsonFields fields(member, subject, problems);
  if (!fields)
    return result;
  std::optional<std::int64_t> definition;
  if (fields.find("definition"))
    definition = fields.integer("definition");
  if (fields.find("encoding"))
    number = fields.integer("encoding");
  constexpr std::pair<const char *, Form> forms[] = {
      {"scale_offset", Form::ScaleOffset},
      {"axis_scale_offset", Form::AxisScaleOffset},
      {"bw_scale_offset", Form::BitWidthScaleOffset},
      {"bw_axis_scale_offset", Form::BitWidthAxisScaleOffset},
  };
  // What is not defined means nothing, whatever stands beside it.
  bool isDefined = !definition || *definition == kDefined;
  for (auto [key, form] : forms)
    if (const JsonValue *value =
            isDefined && result.form == Form::None ? fields.find(key) : nullptr)
      readForm(fields, *value, form);
  if (isDefined && result.form == Form::None)
    readOther(member);
  std::int64_t writtenDefinition = kDefined, writtenNumber = 0;
  switch (result.form) {
  case Form::None:
    writtenDefinition = writtenNumber = kUndefined;
    break;
  case Form::Other:
    isPlain = false;
    break;
  default:
    writtenNumber = std::int64_t(result.form) - std::int64_t(Form::ScaleOffset);
  }
  if (!isPlain || fields.hasOthers() || definition != writtenDefinition ||
      number != writtenNumber)
    result.written = compactJson(member.source);
  return std::move(result);
}

Encoding qnn::readEncoding(const JsonValue &member, const DataTypeEntry &type,
                           const std::string &subject, JsonProblems &problems) {
  return EncodingReader(type, subject, problems).read(member);
}
