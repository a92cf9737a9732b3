//===- Compilations.cpp - NNAPI's functions: compilations -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Boundary.h"
#include "api/nnapi/Compilation.h"
#include "api/nnapi/Log.h"
#include "api/nnapi/entries/DeviceLists.h"
#include "api/nnapi/include/yarrow/NeuralNetworks.h"

using namespace yarrow;
using namespace yarrow::nnapi;

/// Hosts' vectors and lines of caches are so long; where an argument begins
/// elsewhere nothing goes wrong.
static constexpr std::uint32_t kPreferredAlignment = 64;
/// Nothing reads beyond an argument.
static constexpr std::uint32_t kPreferredPadding = 1;

static ResultCode refuseUnfinished(const char *where) {
  return refuse(ANEURALNETWORKS_BAD_STATE, where, "the model is not finished");
}

int ANeuralNetworksCompilation_create(
    ANeuralNetworksModel *model, ANeuralNetworksCompilation **compilation) {
  if (!clear(compilation) || !model)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return makeHandle<ANeuralNetworksCompilation, Compilation>(
      compilation, [&](auto &object) {
        const char *where = "Compilation_create";
        auto finished = model->object->finished();
        if (!finished)
          return refuseUnfinished(where);
        Device *device = defaultDevice();
        if (!device)
          return refuse(ANEURALNETWORKS_UNAVAILABLE_DEVICE, where,
                        "YARROW_NNAPI_TARGET does not name a device");
        object = std::make_shared<Compilation>(
            finished, std::vector<Device *>{device}, false);
        return ANEURALNETWORKS_NO_ERROR;
      });
}

int ANeuralNetworksCompilation_createForDevices(
    ANeuralNetworksModel *model, const ANeuralNetworksDevice *const *devices,
    uint32_t numDevices, ANeuralNetworksCompilation **compilation) {
  if (!clear(compilation) || !model || hasNullDevice(devices, numDevices))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return makeHandle<ANeuralNetworksCompilation, Compilation>(
      compilation, [&](auto &object) {
        const char *where = "Compilation_createForDevices";
        auto finished = model->object->finished();
        if (!finished)
          return refuseUnfinished(where);
        std::vector<Device *> list = devicesOf(devices, numDevices);
        if (list.empty())
          return refuse(ANEURALNETWORKS_BAD_DATA, where,
                        "no devices are given, or one twice");
        object = std::make_shared<Compilation>(finished, std::move(list), true);
        return ANEURALNETWORKS_NO_ERROR;
      });
}

void ANeuralNetworksCompilation_free(ANeuralNetworksCompilation *compilation) {
  delete compilation;
}

int ANeuralNetworksCompilation_finish(ANeuralNetworksCompilation *compilation) {
  if (!compilation)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return compilation->object->finish(); });
}

int ANeuralNetworksCompilation_setPreference(
    ANeuralNetworksCompilation *compilation, int32_t preference) {
  if (!compilation)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded(
      [&] { return compilation->object->setPreference(preference); });
}

int ANeuralNetworksCompilation_setPriority(
    ANeuralNetworksCompilation *compilation, int priority) {
  if (!compilation)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return compilation->object->setPriority(priority); });
}

int ANeuralNetworksCompilation_setTimeout(
    ANeuralNetworksCompilation *compilation, uint64_t duration) {
  if (!compilation)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return compilation->object->setTimeout(duration); });
}

int ANeuralNetworksCompilation_setCaching(
    ANeuralNetworksCompilation *compilation, const char *cacheDir,
    const uint8_t *token) {
  if (!compilation || !cacheDir || !token)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    std::span<const uint8_t, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN> bytes(
        token, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN);
    return compilation->object->setCaching(cacheDir, bytes);
  });
}

int ANeuralNetworksCompilation_addExtensionAttribute(
    ANeuralNetworksCompilation *compilation, const char *extensionName,
    uint16_t attributeCodeWithinExtension, const void *data, size_t length) {
  if (!compilation || !extensionName || (!data && length != 0))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return compilation->object->addExtensionAttribute(); });
}

/// How an argument should lie; the same for all.
static int writeLayout(const ANeuralNetworksCompilation *compilation,
                       bool isInput, uint32_t index, uint32_t value,
                       uint32_t *result) {
  if (!compilation || !result)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    const char *where = "Compilation_getPreferredMemory";
    auto compiled = compilation->object->finished();
    if (!compiled)
      return refuse(ANEURALNETWORKS_BAD_STATE, where,
                    "the compilation is not finished");
    if (!compiled->argument(isInput, index))
      return refuse(ANEURALNETWORKS_BAD_DATA, where,
                    "not a valid index of an argument");
    *result = value;
    return ANEURALNETWORKS_NO_ERROR;
  });
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    uint32_t *alignment) {
  return writeLayout(compilation, true, index, kPreferredAlignment, alignment);
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    uint32_t *padding) {
  return writeLayout(compilation, true, index, kPreferredPadding, padding);
}

int ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    uint32_t *alignment) {
  return writeLayout(compilation, false, index, kPreferredAlignment, alignment);
}

int ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    uint32_t *padding) {
  return writeLayout(compilation, false, index, kPreferredPadding, padding);
}
