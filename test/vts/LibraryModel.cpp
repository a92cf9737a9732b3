//===- LibraryModel.cpp - A model by the functions of the library ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/vts/LibraryModel.h"

using namespace yarrow;
using namespace yarrow::vts;
using nnapi::Lifetime;

ANeuralNetworksOperandType vts::typeOf(const nnapi::Operand &operand,
                                       const std::vector<std::uint32_t> &dims) {
  return {std::int32_t(operand.type), std::uint32_t(dims.size()), dims.data(),
          operand.scale, operand.zeroPoint};
}

int LibraryModel::addOperand(const nnapi::NnModel &nn, std::uint32_t i) {
  const nnapi::Operand &operand = nn.operands[i];
  ANeuralNetworksOperandType type = typeOf(operand, operand.dims);
  call = "ANeuralNetworksModel_addOperand";
  if (int code = ANeuralNetworksModel_addOperand(model, &type))
    return code;
  if (operand.entry().storage != nnapi::Storage::PerChannel)
    return ANEURALNETWORKS_NO_ERROR;
  ANeuralNetworksSymmPerChannelQuantParams channels = {
      operand.channels.axis, std::uint32_t(operand.channels.scales.size()),
      operand.channels.scales.data()};
  call = "ANeuralNetworksModel_setOperandSymmPerChannelQuantParams";
  return ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
      model, std::int32_t(i), &channels);
}

int LibraryModel::setValue(const nnapi::NnModel &nn, std::uint32_t i) {
  const nnapi::Operand &operand = nn.operands[i];
  call = "ANeuralNetworksModel_setOperandValue";
  if (operand.lifetime == Lifetime::Constant)
    return ANeuralNetworksModel_setOperandValue(
        model, std::int32_t(i), operand.value.data(), operand.value.size());
  if (operand.lifetime == Lifetime::None)
    return ANeuralNetworksModel_setOperandValue(model, std::int32_t(i), nullptr,
                                                0);
  if (operand.lifetime != Lifetime::Model)
    return ANEURALNETWORKS_NO_ERROR;
  referenced.push_back(std::make_unique<LibraryModel>());
  LibraryModel &inner = *referenced.back();
  if (int code = inner.build(*nn.referenced[operand.modelIndex])) {
    call = inner.call;
    return code;
  }
  call = "ANeuralNetworksModel_setOperandValueFromModel";
  return ANeuralNetworksModel_setOperandValueFromModel(model, std::int32_t(i),
                                                       inner.get());
}

int LibraryModel::build(const nnapi::NnModel &nn) {
  call = "ANeuralNetworksModel_create";
  if (int code = ANeuralNetworksModel_create(&model))
    return code;
  for (std::uint32_t i = 0; i < nn.operands.size(); ++i) {
    if (int code = addOperand(nn, i))
      return code;
    if (int code = setValue(nn, i))
      return code;
  }
  call = "ANeuralNetworksModel_addOperation";
  for (const nnapi::Operation &operation : nn.operations)
    if (int code = ANeuralNetworksModel_addOperation(
            model, operation.code, std::uint32_t(operation.inputs.size()),
            operation.inputs.data(), std::uint32_t(operation.outputs.size()),
            operation.outputs.data()))
      return code;
  call = "ANeuralNetworksModel_identifyInputsAndOutputs";
  if (int code = ANeuralNetworksModel_identifyInputsAndOutputs(
          model, std::uint32_t(nn.inputs.size()), nn.inputs.data(),
          std::uint32_t(nn.outputs.size()), nn.outputs.data()))
    return code;
  call = "ANeuralNetworksModel_relaxComputationFloat32toFloat16";
  if (int code = ANeuralNetworksModel_relaxComputationFloat32toFloat16(
          model, nn.isRelaxed))
    return code;
  call = "ANeuralNetworksModel_finish";
  return ANeuralNetworksModel_finish(model);
}
