//===- TensorFields.cpp - Tensors of a QNN graph as JSON ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/TensorFields.h"
#include "parser/qnn/InlineData.h"

using namespace yarrow;
using namespace yarrow::qnn;
using Kind = JsonValue::Kind;

/// What the format has for a type that is none.
static constexpr std::uint64_t kUndefined = 0x7fffffff;

static std::optional<DataType> readType(JsonFields &fields) {
  auto number = fields.integer("data_type");
  if (!number)
    return std::nullopt;
  if (const DataTypeEntry *entry = findDataType(std::uint64_t(*number)))
    return entry->type;
  fields.report(fields.find("data_type")->source,
                "\"data_type\" is not a type of the format",
                std::to_string(*number), "such as 562 (FLOAT_32)");
  return std::nullopt;
}

/// Reports lengths whose product no number of bytes has.
static std::vector<std::int64_t> readDims(JsonFields &fields) {
  // Converters of old versions say "current_dims" beside "max_dims".
  const JsonValue *list = fields.findOf("dims", Kind::List);
  if (!list)
    list = fields.get(fields.find("current_dims") ? "current_dims" : "dims",
                      Kind::List);
  std::vector<std::int64_t> dims;
  std::int64_t count = std::int64_t(sizeof(double));
  if (!list)
    return dims;
  for (const JsonValue &item : list->items) {
    auto length = fields.integerOf(item, "a length of \"dims\"", 0, UINT32_MAX);
    dims.push_back(length.value_or(0));
    // Zeros apart: they would hide the others, whatever comes first.
    if (dims.back() > 0 && __builtin_mul_overflow(count, dims.back(), &count)) {
      fields.report(list->source, "the tensor has too many elements",
                    excerptOf(compactJson(list->source)),
                    "a product of lengths below 2^60");
      return {};
    }
  }
  return dims;
}

static void readKind(JsonFields &fields, QnnTensor &tensor, TensorUse use) {
  if (use == TensorUse::Parameter) {
    tensor.kind = TensorKind::Static;
    if (!fields.find("type"))
      return;
  }
  auto number = fields.integer("type", 0, std::int64_t(TensorKind::Null));
  if (!number)
    return;
  tensor.kind = TensorKind(*number);
  if (use == TensorUse::Parameter && tensor.kind != TensorKind::Static)
    fields.report(fields.find("type")->source,
                  "the value of a parameter is not static",
                  std::to_string(*number), "4");
}

static void readValue(JsonFields &fields, QnnTensor &tensor,
                      JsonProblems &problems) {
  const JsonValue *data = fields.find("data");
  if (!data)
    return;
  tensor.isInline = true;
  if (tensor.kind != TensorKind::Static) {
    fields.report(data->source, "a tensor that is not static has \"data\"",
                  "type " + std::to_string(int(tensor.kind)), "type 4");
    return;
  }
  if (auto bytes = readData(data->source, tensor, fields.subject(), problems))
    setValue(tensor, std::move(*bytes));
}

QnnTensor qnn::readTensor(const JsonValue &member, TensorUse use,
                          JsonProblems &problems) {
  std::size_t before = problems.count();
  QnnTensor tensor;
  tensor.name = member.key;
  tensor.place =
      problems.placeOf(member.keySource).withToken(excerptOf(member.key));
  JsonFields fields(member, "tensor " + excerptOf(member.key), problems);
  if (!fields)
    return tensor;
  readKind(fields, tensor, use);
  // One that is left out is nothing but a name, with or without the rest.
  bool isLeftOut = tensor.kind == TensorKind::Null;
  const JsonValue *typeValue = fields.find("data_type");
  bool hasType = !isLeftOut || (typeValue && typeValue->integer() !=
                                                 std::int64_t(kUndefined));
  auto type = hasType ? readType(fields) : tensor.type;
  tensor.type = type.value_or(tensor.type);
  if (!isLeftOut || fields.find("dims"))
    tensor.dims = readDims(fields);
  if (const JsonValue *encoding = fields.find("quant_params"); encoding && type)
    tensor.encoding =
        readEncoding(*encoding, tensor.entry(), fields.subject(), problems);
  // Against a type or lengths that are wrong no value is right.
  if (problems.count() == before)
    readValue(fields, tensor, problems);
  else if (fields.find("data"))
    tensor.isInline = true;
  tensor.others = fields.others();
  return tensor;
}
