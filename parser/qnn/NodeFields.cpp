//===- NodeFields.cpp - Nodes of a QNN graph as JSON ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/NodeFields.h"
#include "parser/qnn/InlineData.h"
#include "parser/qnn/JsonNumber.h"
#include "parser/qnn/TensorFields.h"

using namespace yarrow;
using namespace yarrow::qnn;
using Kind = JsonValue::Kind;

/// Of an object that has to have one member; null, and reported, of others.
static const JsonValue *onlyMember(JsonFields &fields, const JsonValue &object,
                                   const std::string &expected) {
  if (fields && object.items.size() == 1)
    return &object.items[0];
  if (fields)
    fields.report(object.source, "this does not have exactly one member",
                  std::to_string(object.items.size()), expected);
  return nullptr;
}

/// {"306": 1}: the number of the type, and the value.
static void readScalar(const JsonValue &member, JsonFields &fields,
                       QnnParam &param, JsonProblems &problems) {
  const JsonValue *value =
      onlyMember(fields, member, "a type and a value, {\"306\": 1}");
  if (!value)
    return;
  auto number = integerOf<std::uint64_t>(value->key);
  const DataTypeEntry *entry = number ? findDataType(*number) : nullptr;
  bool isFloatName =
      entry && entry->isFloat() && value->is(Kind::Text) && value->real();
  if (number && value->is(Kind::Text) && !isFloatName) {
    // Texts come with the number of their type, with that of no type, or with
    // that of the enumeration that they name a value of.
    param.tensor.type = DataType::STRING;
    param.text = value->text;
    if (!entry || entry->type != DataType::STRING)
      param.writtenType = *number;
    return;
  }
  if (!entry || entry->storage == Storage::Text) {
    fields.report(value->keySource,
                  "the type of a value does not match the value",
                  "type " + excerptOf(value->key) + " of " + value->describe(),
                  "such as 306 (UINT_32)");
    return;
  }
  param.tensor.type = entry->type;
  if (value->is(Kind::List) || value->is(Kind::Object)) {
    fields.report(value->source, "a scalar is not a number", value->describe(),
                  entry->name);
    return;
  }
  if (auto bytes =
          readData(value->source, param.tensor, fields.subject(), problems))
    setValue(param.tensor, std::move(*bytes));
}

static QnnParam readParam(const JsonValue &member, bool isScalar,
                          const std::string &subject, JsonProblems &problems) {
  QnnParam param;
  param.name = member.key;
  param.isScalar = isScalar;
  param.place =
      problems.placeOf(member.keySource).withToken(excerptOf(member.key));
  param.tensor.kind = TensorKind::Static;
  param.tensor.isInline = true;
  JsonFields fields(member, subject + ", parameter " + excerptOf(member.key),
                    problems);
  if (isScalar)
    readScalar(member, fields, param, problems);
  else if (const JsonValue *tensor =
               onlyMember(fields, member, "a name and a tensor"))
    param.tensor = readTensor(*tensor, TensorUse::Parameter, problems);
  return param;
}

QnnNode qnn::readNode(const JsonValue &member, JsonProblems &problems) {
  QnnNode node;
  node.name = member.key;
  node.place =
      problems.placeOf(member.keySource).withToken(excerptOf(member.key));
  JsonFields fields(member, "node " + excerptOf(member.key), problems);
  if (!fields)
    return node;
  if (const JsonValue *type = fields.get("type", Kind::Text))
    node.type = type->text;
  if (const JsonValue *package = fields.findOf("package", Kind::Text))
    node.package = package->text;
  node.inputs = fields.texts("input_names");
  node.outputs = fields.texts("output_names");
  for (bool isScalar : {true, false})
    if (const JsonValue *params = fields.findOf(
            isScalar ? "scalar_params" : "tensor_params", Kind::Object))
      for (const JsonValue &param : params->items) {
        if (node.param(param.key))
          fields.report(param.keySource, "a parameter is given twice",
                        param.key, "a scalar or a tensor");
        node.params.push_back(
            readParam(param, isScalar, fields.subject(), problems));
      }
  node.others = fields.others();
  return node;
}
