//===- NnModels.h - Small models of NNAPI for tests -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   NnBuilder b;
//   auto x = b.input(b.floats({1, 4})), y = b.output(b.floats({1, 4}));
//   b.add("RELU", {x}, {y});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_NNAPI_NNMODELS_H
#define YARROW_TEST_UNIT_NNAPI_NNMODELS_H

#include "parser/nnapi/OperationTable.h"
#include <gtest/gtest.h>

namespace yarrow::test {

using Dims = std::vector<std::uint32_t>;

class NnBuilder {
public:
  nnapi::NnModel model;

  static nnapi::Operand tensor(nnapi::OperandType type, Dims dims,
                               float scale = 0, std::int32_t zeroPoint = 0) {
    return {.type = type,
            .dims = std::move(dims),
            .scale = scale,
            .zeroPoint = zeroPoint};
  }
  static nnapi::Operand integers(Dims dims) {
    return tensor(nnapi::OperandType::TENSOR_INT32, std::move(dims));
  }
  static nnapi::Operand floats(Dims dims) {
    return tensor(nnapi::OperandType::TENSOR_FLOAT32, std::move(dims));
  }
  /// Unsigned quantized.
  static nnapi::Operand bytes(Dims dims, float scale,
                              std::int32_t zeroPoint = 0) {
    return tensor(nnapi::OperandType::TENSOR_QUANT8_ASYMM, std::move(dims),
                  scale, zeroPoint);
  }
  std::uint32_t input(nnapi::Operand operand) {
    operand.lifetime = nnapi::Lifetime::Input;
    model.inputs.push_back(model.add(std::move(operand)));
    return model.inputs.back();
  }
  std::uint32_t output(nnapi::Operand operand) {
    operand.lifetime = nnapi::Lifetime::Output;
    model.outputs.push_back(model.add(std::move(operand)));
    return model.outputs.back();
  }
  std::uint32_t between(nnapi::Operand operand) {
    return model.add(std::move(operand));
  }
  template <typename T>
  std::uint32_t constant(nnapi::Operand operand, const std::vector<T> &values) {
    setValue(operand, std::as_bytes(std::span(values)));
    return model.add(std::move(operand));
  }
  std::uint32_t scalar(std::int32_t value) {
    return constant<std::int32_t>({.type = nnapi::OperandType::INT32}, {value});
  }
  std::uint32_t scalar(float value) {
    return constant<float>({.type = nnapi::OperandType::FLOAT32}, {value});
  }
  std::uint32_t flag(bool value) {
    return constant<std::uint8_t>({.type = nnapi::OperandType::BOOL},
                                  {std::uint8_t(value)});
  }
  std::uint32_t omitted(nnapi::OperandType type) {
    return model.add({.type = type, .lifetime = nnapi::Lifetime::None});
  }
  std::uint32_t subgraph(nnapi::NnModel inner) {
    model.referenced.push_back(
        std::make_shared<const nnapi::NnModel>(std::move(inner)));
    return model.add(
        {.type = nnapi::OperandType::MODEL,
         .lifetime = nnapi::Lifetime::Model,
         .modelIndex = std::uint32_t(model.referenced.size() - 1)});
  }
  void add(std::string_view operation, std::vector<std::uint32_t> inputs,
           std::vector<std::uint32_t> outputs) {
    const nnapi::OperationEntry *entry = nnapi::findOperation(operation);
    ASSERT_TRUE(entry) << operation;
    model.operations.push_back(
        {entry->code, std::move(inputs), std::move(outputs)});
  }
};

} // namespace yarrow::test

#endif // YARROW_TEST_UNIT_NNAPI_NNMODELS_H
