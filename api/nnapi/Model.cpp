//===- Model.cpp - A model while a client states it -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Model.h"
#include "api/nnapi/Log.h"
#include "api/nnapi/run/Lengths.h"
#include "parser/nnapi/CheckModel.h"
#include "parser/nnapi/OperationTable.h"

using namespace yarrow;
using namespace yarrow::nnapi;

ResultCode Model::checkIsBuilding(const char *where) const {
  if (state == State::Building)
    return ANEURALNETWORKS_NO_ERROR;
  return refuse(ANEURALNETWORKS_BAD_STATE, where,
                state == State::Finished ? "the model is finished"
                                         : "the model is not valid");
}

ResultCode Model::addOperand(const ANeuralNetworksOperandType &type) {
  const char *where = "Model_addOperand";
  if (ResultCode result = checkIsBuilding(where))
    return result;
  const OperandTypeEntry *entry = findOperandType(type.type);
  if (!entry)
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "there is no type " + std::to_string(type.type));
  if (type.dimensionCount > kMostAxes)
    return refuse(ANEURALNETWORKS_BAD_DATA, where, "too many axes");
  Operand operand{
      .type = entry->type, .scale = type.scale, .zeroPoint = type.zeroPoint};
  operand.dims.assign(type.dimensions, type.dimensions + type.dimensionCount);
  std::string why;
  if (!checkOperand(operand, &why))
    return refuse(ANEURALNETWORKS_BAD_DATA, where, why);
  network.operands.push_back(std::move(operand));
  return ANEURALNETWORKS_NO_ERROR;
}

Operand *Model::constantAt(std::int32_t index, const char *where) {
  if (index < 0 || std::size_t(index) >= network.operands.size()) {
    notify(where, "not a valid operand index: " + std::to_string(index));
    return nullptr;
  }
  Operand &operand = network.operands[std::size_t(index)];
  if (operand.lifetime == Lifetime::Input ||
      operand.lifetime == Lifetime::Output) {
    notify(where, "the operand is an input or output of the model");
    return nullptr;
  }
  return &operand;
}

ResultCode Model::setBytes(Operand &operand, std::span<const std::byte> bytes,
                           std::shared_ptr<const void> owner,
                           const char *where) {
  if (operand.type == OperandType::MODEL)
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "the operand's value is a model");
  if (!operand.isStatic())
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "a constant's lengths must be known");
  if (operand.sizeBytes() != bytes.size())
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  std::to_string(bytes.size()) + " bytes instead of " +
                      std::to_string(operand.sizeBytes()));
  operand.lifetime = Lifetime::Constant;
  operand.value = bytes;
  operand.owner = std::move(owner);
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Model::setValue(std::int32_t index, const void *buffer,
                           std::size_t length) {
  const char *where = "Model_setOperandValue";
  if (ResultCode result = checkIsBuilding(where))
    return result;
  Operand *operand = constantAt(index, where);
  if (!operand)
    return ANEURALNETWORKS_BAD_DATA;
  if (!buffer) {
    operand->lifetime = Lifetime::None;
    operand->value = {};
    operand->owner = {};
    return ANEURALNETWORKS_NO_ERROR;
  }
  std::span<const std::byte> bytes(static_cast<const std::byte *>(buffer),
                                   length);
  if (ResultCode result = setBytes(*operand, bytes, nullptr, where))
    return result;
  if (length <= ANEURALNETWORKS_MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES)
    nnapi::setValue(*operand, bytes);
  else
    borrowed.push_back(std::uint32_t(index));
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Model::setValue(std::int32_t index, std::shared_ptr<Memory> memory,
                           std::size_t offset, std::size_t length) {
  const char *where = "Model_setOperandValueFromMemory";
  if (ResultCode result = checkIsBuilding(where))
    return result;
  Operand *operand = constantAt(index, where);
  if (!operand)
    return ANEURALNETWORKS_BAD_DATA;
  if (memory->isDevice() || !memory->isReadable())
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "the memory belongs to a device, or cannot be read");
  std::span<const std::byte> bytes = memory->mapped();
  if (offset > bytes.size() || length > bytes.size() - offset)
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "the memory is smaller than offset + length");
  if (ResultCode result = setBytes(*operand, bytes.subspan(offset, length),
                                   std::move(memory), where))
    return result;
  borrowed.push_back(std::uint32_t(index));
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Model::setValue(std::int32_t index, const Model &value) {
  const char *where = "Model_setOperandValueFromModel";
  if (ResultCode result = checkIsBuilding(where))
    return result;
  if (!value.finished())
    return refuse(ANEURALNETWORKS_BAD_STATE, where,
                  "the model that is referred to is not finished");
  Operand *operand = constantAt(index, where);
  if (!operand)
    return ANEURALNETWORKS_BAD_DATA;
  if (operand->type != OperandType::MODEL)
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "the operand's type is not MODEL");
  network.referenced.push_back(value.finished());
  operand->lifetime = Lifetime::Model;
  operand->modelIndex = std::uint32_t(network.referenced.size() - 1);
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode
Model::setChannels(std::int32_t index,
                   const ANeuralNetworksSymmPerChannelQuantParams &channels) {
  const char *where = "Model_setOperandSymmPerChannelQuantParams";
  if (ResultCode result = checkIsBuilding(where))
    return result;
  if (index < 0 || std::size_t(index) >= network.operands.size())
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "not a valid index of an operand");
  Operand &operand = network.operands[std::size_t(index)];
  // The count is compared with what the operand says before it is believed.
  if (operand.entry().storage != Storage::PerChannel ||
      channels.channelDim >= operand.dims.size() ||
      channels.scaleCount != operand.dims[channels.channelDim])
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "type, axis or number of scales do not match the operand");
  Operand changed = operand;
  changed.channels = {channels.channelDim,
                      {channels.scales, channels.scales + channels.scaleCount}};
  std::string why;
  if (!checkChannels(changed, &why))
    return refuse(ANEURALNETWORKS_BAD_DATA, where, why);
  operand = std::move(changed);
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Model::addOperation(std::int32_t code,
                               std::span<const std::uint32_t> inputs,
                               std::span<const std::uint32_t> outputs) {
  const char *where = "Model_addOperation";
  if (ResultCode result = checkIsBuilding(where))
    return result;
  if (!findOperation(code))
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "there is no operation " + std::to_string(code));
  for (std::span<const std::uint32_t> list : {inputs, outputs})
    for (std::uint32_t operand : list)
      if (operand >= network.operands.size())
        return refuse(ANEURALNETWORKS_BAD_DATA, where,
                      "not a valid operand index: " + std::to_string(operand));
  Operation operation{
      code, {inputs.begin(), inputs.end()}, {outputs.begin(), outputs.end()}};
  DiagnosticEngine diags;
  if (!checkOperation(network, operation, kRuntimeFeatureLevel, diags)) {
    notify(where, diags);
    return ANEURALNETWORKS_BAD_DATA;
  }
  network.operations.push_back(std::move(operation));
  return ANEURALNETWORKS_NO_ERROR;
}

/// The first that does not exist, is a constant, or comes twice.
static std::optional<std::uint32_t>
findUnfit(const NnModel &network, std::span<const std::uint32_t> inputs,
          std::span<const std::uint32_t> outputs) {
  std::vector<bool> isTaken(network.operands.size());
  for (std::span<const std::uint32_t> list : {inputs, outputs})
    for (std::uint32_t index : list) {
      if (index >= network.operands.size() || isTaken[index] ||
          network.operands[index].lifetime != Lifetime::Temporary)
        return index;
      isTaken[index] = true;
    }
  return std::nullopt;
}

ResultCode Model::identify(std::span<const std::uint32_t> inputs,
                           std::span<const std::uint32_t> outputs) {
  const char *where = "Model_identifyInputsAndOutputs";
  if (ResultCode result = checkIsBuilding(where))
    return result;
  if (isIdentified)
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "inputs and outputs are already identified");
  if (auto unfit = findUnfit(network, inputs, outputs))
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "operand " + std::to_string(*unfit) +
                      " does not exist, has a value, or appears twice");
  network.inputs.assign(inputs.begin(), inputs.end());
  network.outputs.assign(outputs.begin(), outputs.end());
  for (std::uint32_t index : inputs)
    network.operands[index].lifetime = Lifetime::Input;
  for (std::uint32_t index : outputs)
    network.operands[index].lifetime = Lifetime::Output;
  isIdentified = true;
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Model::relax(bool isRelaxed) {
  if (ResultCode result =
          checkIsBuilding("Model_relaxComputationFloat32toFloat16"))
    return result;
  network.isRelaxed = isRelaxed;
  return ANEURALNETWORKS_NO_ERROR;
}

void Model::copyValues() {
  for (std::uint32_t index : borrowed) {
    Operand &operand = network.operands[index];
    if (operand.lifetime == Lifetime::Constant) // it may have been left out
      nnapi::setValue(operand, operand.value);
  }
  borrowed.clear();
}

void Model::dropUnreferenced() {
  std::vector<std::shared_ptr<const NnModel>> used;
  for (Operand &operand : network.operands)
    if (operand.lifetime == Lifetime::Model) {
      used.push_back(std::move(network.referenced[operand.modelIndex]));
      operand.modelIndex = std::uint32_t(used.size() - 1);
    }
  network.referenced = std::move(used);
}

const std::vector<bool> &Model::supported(const Ask &ask) const {
  std::call_once(isAsked, [&] { answer = ask(*whole); });
  return answer;
}

ResultCode Model::finish() {
  const char *where = "Model_finish";
  if (ResultCode result = checkIsBuilding(where))
    return result;
  state = State::Invalid; // until everything has gone well
  if (!isIdentified)
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "inputs and outputs are not identified");
  copyValues();
  dropUnreferenced();
  DiagnosticEngine diags;
  if (!checkModel(network, kRuntimeFeatureLevel, diags)) {
    notify(where, diags);
    return ANEURALNETWORKS_BAD_DATA;
  }
  whole = std::make_shared<const NnModel>(std::move(network));
  state = State::Finished;
  return ANEURALNETWORKS_NO_ERROR;
}
