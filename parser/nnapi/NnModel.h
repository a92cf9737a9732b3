//===- NnModel.h - A model as NNAPI has it ----------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Operands and operations by their numbers, as a client of NNAPI states them or
// a file of recorded cases does. It is only a description: its maker checks it
// (CheckModel.h), and importNnModel() (NnapiImport.h) converts it to layers.
//
//   NnModel model;
//   std::uint32_t x = model.add({.type = OperandType::TENSOR_FLOAT32,
//                                .dims = {1, 4},
//                                .lifetime = Lifetime::Input});
//   ...
//   model.operations.push_back({19 /* RELU */, {x}, {y}});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_NNMODEL_H
#define YARROW_PARSER_NNAPI_NNMODEL_H

#include "parser/nnapi/OperandTypes.h"
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace yarrow::nnapi {

struct NnModel;

/// Where an operand's value comes from.
enum class Lifetime {
  Temporary, ///< An operation writes it, others read it.
  Input,     ///< Of the model.
  Output,    ///< Of the model; an operation writes it.
  Constant,  ///< `value` has it.
  None,      ///< An optional operand that is left out.
  Model,     ///< `referenced[modelIndex]` of IF and WHILE.
};

/// Axis and scales of TENSOR_QUANT8_SYMM_PER_CHANNEL.
struct ChannelQuantization {
  std::uint32_t axis = 0;
  std::vector<float> scales = {};
};

struct Operand {
  OperandType type = OperandType::TENSOR_FLOAT32;
  /// Empty: a scalar, or a tensor of unknown rank. 0: a length that is not
  /// known, or of a tensor without elements where the value is.
  std::vector<std::uint32_t> dims = {};
  float scale = 0;
  std::int32_t zeroPoint = 0;
  ChannelQuantization channels = {};
  Lifetime lifetime = Lifetime::Temporary;
  /// Of a constant: elements as little-endian bytes, perhaps unaligned.
  std::span<const std::byte> value = {};
  std::shared_ptr<const void> owner = {}; ///< Of the bytes.
  std::uint32_t modelIndex = 0;
  std::string name = {}; ///< For messages; may be empty.

  const OperandTypeEntry &entry() const { return entryOf(type); }
  bool isTensor() const { return entry().isTensor; }
  /// Every length is known.
  bool isStatic() const;
  /// 1 of scalars; all lengths must be known.
  std::uint64_t numElements() const;
  std::uint64_t sizeBytes() const {
    return numElements() * elementBytes(entry().element);
  }
};

struct Operation {
  std::int32_t code = 0; ///< Of Operations.def.
  std::vector<std::uint32_t> inputs = {}, outputs = {};
};

struct NnModel {
  std::string name = "model";
  std::vector<Operand> operands = {};
  std::vector<Operation> operations = {};
  std::vector<std::uint32_t> inputs = {}, outputs = {};
  /// float32 may be computed with float16's range and precision.
  bool isRelaxed = false;
  std::vector<std::shared_ptr<const NnModel>> referenced = {};

  /// Its number.
  std::uint32_t add(Operand operand) {
    operands.push_back(std::move(operand));
    return std::uint32_t(operands.size() - 1);
  }
};

/// Gives \p operand a value that it owns.
void setValue(Operand &operand, std::span<const std::byte> bytes);

/// "[1,8,8,3]".
template <typename T> std::string dimsText(const std::vector<T> &dims) {
  std::string text = "[";
  for (const T &length : dims)
    text += (text.size() > 1 ? "," : "") + std::to_string(length);
  return text + "]";
}

/// "operand 3 (filter)".
std::string describe(const NnModel &model, std::uint32_t operand);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_NNMODEL_H
