//===- Models.cpp - NNAPI's functions: models -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Boundary.h"
#include "api/nnapi/Log.h"
#include "api/nnapi/Model.h"
#include "api/nnapi/SupportedOperations.h"
#include "api/nnapi/entries/DeviceLists.h"
#include "api/nnapi/include/yarrow/NeuralNetworks.h"

using namespace yarrow;
using namespace yarrow::nnapi;

int ANeuralNetworksModel_create(ANeuralNetworksModel **model) {
  if (!clear(model))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return makeHandle<ANeuralNetworksModel, Model>(model, [](auto &object) {
    object = std::make_shared<Model>();
    return ANEURALNETWORKS_NO_ERROR;
  });
}

void ANeuralNetworksModel_free(ANeuralNetworksModel *model) { delete model; }

int ANeuralNetworksModel_finish(ANeuralNetworksModel *model) {
  if (!model)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return model->object->finish(); });
}

int ANeuralNetworksModel_addOperand(ANeuralNetworksModel *model,
                                    const ANeuralNetworksOperandType *type) {
  if (!model || !type || (type->dimensionCount != 0 && !type->dimensions))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return model->object->addOperand(*type); });
}

int ANeuralNetworksModel_setOperandValue(ANeuralNetworksModel *model,
                                         int32_t index, const void *buffer,
                                         size_t length) {
  if (!model || (!buffer && length != 0))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded(
      [&] { return model->object->setValue(index, buffer, length); });
}

int ANeuralNetworksModel_setOperandValueFromMemory(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksMemory *memory, size_t offset, size_t length) {
  if (!model || !memory)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    return model->object->setValue(index, memory->object, offset, length);
  });
}

int ANeuralNetworksModel_setOperandValueFromModel(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksModel *value) {
  if (!model || !value)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded(
      [&] { return model->object->setValue(index, *value->object); });
}

int ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(
    ANeuralNetworksModel *model, int32_t index,
    const ANeuralNetworksSymmPerChannelQuantParams *channelQuant) {
  if (!model || !channelQuant ||
      (channelQuant->scaleCount != 0 && !channelQuant->scales))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded(
      [&] { return model->object->setChannels(index, *channelQuant); });
}

int ANeuralNetworksModel_addOperation(ANeuralNetworksModel *model,
                                      ANeuralNetworksOperationType type,
                                      uint32_t inputCount,
                                      const uint32_t *inputs,
                                      uint32_t outputCount,
                                      const uint32_t *outputs) {
  if (!model || !inputs || !outputs)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    return model->object->addOperation(type, {inputs, inputCount},
                                       {outputs, outputCount});
  });
}

int ANeuralNetworksModel_identifyInputsAndOutputs(ANeuralNetworksModel *model,
                                                  uint32_t inputCount,
                                                  const uint32_t *inputs,
                                                  uint32_t outputCount,
                                                  const uint32_t *outputs) {
  if (!model || !inputs || !outputs)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    return model->object->identify({inputs, inputCount},
                                   {outputs, outputCount});
  });
}

int ANeuralNetworksModel_relaxComputationFloat32toFloat16(
    ANeuralNetworksModel *model, bool allow) {
  if (!model)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return model->object->relax(allow); });
}

static ResultCode reportSupported(const Model &model,
                                  const ANeuralNetworksDevice *const *devices,
                                  std::uint32_t numDevices,
                                  bool *supportedOps) {
  const char *where = "Model_getSupportedOperationsForDevices";
  if (!model.finished())
    return refuse(ANEURALNETWORKS_BAD_STATE, where,
                  "the model is not finished");
  if (devicesOf(devices, numDevices).empty())
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "no devices are given, or one twice");
  // Every device computes what has a kernel: one is asked for all.
  std::ranges::copy(model.supported([](const NnModel &network) {
    return supportedOperations(network, *referenceDevice().backend());
  }),
                    supportedOps);
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksModel_getSupportedOperationsForDevices(
    const ANeuralNetworksModel *model,
    const ANeuralNetworksDevice *const *devices, uint32_t numDevices,
    bool *supportedOps) {
  if (!model || hasNullDevice(devices, numDevices) || !supportedOps)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    return reportSupported(*model->object, devices, numDevices, supportedOps);
  });
}

/// What extensions are not supported for.
static ResultCode refuseExtension(const ANeuralNetworksModel &model,
                                  const char *where) {
  if (ResultCode result = model.object->checkIsBuilding(where))
    return result;
  return refuse(ANEURALNETWORKS_BAD_DATA, where,
                "extensions are not supported");
}

int ANeuralNetworksModel_getExtensionOperandType(
    ANeuralNetworksModel *model, const char *extensionName,
    uint16_t operandCodeWithinExtension, int32_t *type) {
  if (!model || !extensionName || !type)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded(
      [&] { return refuseExtension(*model, "Model_getExtensionOperandType"); });
}

int ANeuralNetworksModel_getExtensionOperationType(
    ANeuralNetworksModel *model, const char *extensionName,
    uint16_t operationCodeWithinExtension, ANeuralNetworksOperationType *type) {
  if (!model || !extensionName || !type)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    return refuseExtension(*model, "Model_getExtensionOperationType");
  });
}

int ANeuralNetworksModel_setOperandExtensionData(ANeuralNetworksModel *model,
                                                 int32_t index,
                                                 const void *data,
                                                 size_t length) {
  if (!model || (!data && length != 0))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded(
      [&] { return refuseExtension(*model, "Model_setOperandExtensionData"); });
}
