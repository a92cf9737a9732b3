//===- SignedTwin.cpp - Unsigned cases with signed operands ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/OperationTable.h"
#include "test/vts/Replay.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::vts;
using nnapi::OperandType;
using nnapi::Value;

static constexpr std::int32_t kShift = 128;

/// Each integer less 128.
static Value shifted(const Value &value) {
  std::vector<std::byte> bytes(value.bytes.begin(), value.bytes.end());
  for (std::byte &b : bytes)
    b ^= std::byte(kShift);
  return Value::of(value.dims, std::move(bytes));
}

/// Whether the operation computes the same real numbers with signed operands:
/// all that do came with them, but those that take integers as they are stored
/// (CAST its input, PAD_V2 the value of its pads).
static bool hasSignedForm(const nnapi::Operation &operation) {
  const nnapi::OperationEntry *entry = nnapi::findOperation(operation.code);
  std::string_view name = entry->name;
  if (name == "CAST" || name == "PAD_V2")
    return false;
  return std::ranges::any_of(entry->types, [](const auto &row) {
    return row.type == OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
  });
}

std::optional<Case> vts::signedTwin(const Case &recorded) {
  const nnapi::NnModel &model = *recorded.model;
  auto isUnsigned = [](const nnapi::Operand &operand) {
    return operand.type == OperandType::TENSOR_QUANT8_ASYMM;
  };
  if (!model.referenced.empty() ||
      std::ranges::none_of(model.operands, isUnsigned) ||
      !std::ranges::all_of(model.operations, hasSignedForm))
    return std::nullopt;
  Case twin = recorded;
  twin.name += "_signed";
  twin.level = std::max(twin.level, 30);
  twin.model = std::make_shared<nnapi::NnModel>(model);
  for (std::size_t i = 0; i < twin.inputs.size(); ++i)
    if (isUnsigned(model.operands[model.inputs[i]]))
      twin.inputs[i] = shifted(twin.inputs[i]);
  for (Expected &output : twin.outputs)
    if (output.type == OperandType::TENSOR_QUANT8_ASYMM) {
      output.type = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
      output.value = shifted(output.value);
    }
  for (nnapi::Operand &operand : twin.model->operands) {
    if (!isUnsigned(operand))
      continue;
    operand.type = OperandType::TENSOR_QUANT8_ASYMM_SIGNED;
    operand.zeroPoint -= kShift;
    if (operand.lifetime != nnapi::Lifetime::Constant)
      continue;
    Value value = shifted({operand.dims, operand.value});
    operand.value = value.bytes;
    operand.owner = value.owner;
  }
  return twin;
}
