//===- Model.h - A model while a client builds it ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Takes operands and operations one by one, and checks each at once
// (CheckModel.h) and the whole model when it is finished. From then on it is an
// immutable NnModel that owns all its values.
//
//   Model model;
//   model.addOperand(type);
//   model.addOperation(ANEURALNETWORKS_RELU, inputs, outputs);
//   model.identify(inputs, outputs);
//   model.finish();
//   model.finished()->operations;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_MODEL_H
#define YARROW_API_NNAPI_MODEL_H

#include "api/nnapi/Memory.h"
#include <functional>

namespace yarrow::nnapi {

class Model {
public:
  ResultCode addOperand(const ANeuralNetworksOperandType &type);
  /// A null \p buffer: the operand is left out.
  ResultCode setValue(std::int32_t index, const void *buffer,
                      std::size_t length);
  ResultCode setValue(std::int32_t index, std::shared_ptr<Memory> memory,
                      std::size_t offset, std::size_t length);
  ResultCode setValue(std::int32_t index, const Model &value);
  ResultCode
  setChannels(std::int32_t index,
              const ANeuralNetworksSymmPerChannelQuantParams &channels);
  ResultCode addOperation(std::int32_t code,
                          std::span<const std::uint32_t> inputs,
                          std::span<const std::uint32_t> outputs);
  ResultCode identify(std::span<const std::uint32_t> inputs,
                      std::span<const std::uint32_t> outputs);
  ResultCode relax(bool isRelaxed);
  ResultCode finish();
  /// The result of all functions that would change a finished model.
  ResultCode checkIsBuilding(const char *where) const;

  /// Null until it is finished, and if it is not valid.
  std::shared_ptr<const NnModel> finished() const { return whole; }

  /// Whether each operation of a finished model is supported, by \p ask, which
  /// is called once.
  using Ask = std::function<std::vector<bool>(const NnModel &)>;
  const std::vector<bool> &supported(const Ask &ask) const;

private:
  enum class State { Building, Finished, Invalid };

  /// Null, and logged, if the operand does not exist or has another source.
  Operand *constantAt(std::int32_t index, const char *where);
  ResultCode setBytes(Operand &operand, std::span<const std::byte> bytes,
                      std::shared_ptr<const void> owner, const char *where);
  /// Copies values that are still in the client's memory.
  void copyValues();
  /// Drops models of operands that got another one later.
  void dropUnreferenced();

  State state = State::Building;
  NnModel network;
  bool isIdentified = false;
  /// Operands whose bytes belong to the client until the model is finished.
  std::vector<std::uint32_t> borrowed;
  std::shared_ptr<const NnModel> whole;
  mutable std::once_flag isAsked;
  mutable std::vector<bool> answer;
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_MODEL_H
