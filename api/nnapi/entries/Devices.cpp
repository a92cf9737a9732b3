//===- Devices.cpp - NNAPI's functions: devices ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Boundary.h"
#include "api/nnapi/Device.h"
#include "api/nnapi/Handles.h"
#include "api/nnapi/Log.h"
#include "api/nnapi/include/yarrow/NeuralNetworks.h"
#include "parser/nnapi/CheckModel.h"

using namespace yarrow;
using namespace yarrow::nnapi;

/// Of the whole process, in the order of allDevices().
static std::vector<ANeuralNetworksDevice> &deviceHandles() {
  static std::vector<ANeuralNetworksDevice> handles = [] {
    std::vector<ANeuralNetworksDevice> all;
    for (const std::shared_ptr<Device> &device : allDevices())
      all.push_back({device});
    return all;
  }();
  return handles;
}

int ANeuralNetworks_getDeviceCount(uint32_t *numDevices) {
  if (!numDevices)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    *numDevices = uint32_t(deviceHandles().size());
    return ANEURALNETWORKS_NO_ERROR;
  });
}

int ANeuralNetworks_getDevice(uint32_t devIndex,
                              ANeuralNetworksDevice **device) {
  if (!clear(device))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    if (devIndex >= deviceHandles().size())
      return refuse(ANEURALNETWORKS_BAD_DATA, "getDevice",
                    "not a valid index of a device");
    *device = &deviceHandles()[devIndex];
    return ANEURALNETWORKS_NO_ERROR;
  });
}

int ANeuralNetworksDevice_getName(const ANeuralNetworksDevice *device,
                                  const char **name) {
  if (!clear(name) || !device)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  *name = device->object->name.c_str();
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getType(const ANeuralNetworksDevice *device,
                                  int32_t *type) {
  if (!device || !type)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  *type = device->object->type();
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getVersion(const ANeuralNetworksDevice *device,
                                     const char **version) {
  if (!clear(version) || !device)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  *version = YARROW_VERSION;
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_getFeatureLevel(const ANeuralNetworksDevice *device,
                                          int64_t *featureLevel) {
  if (!device || !featureLevel)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  *featureLevel = kRuntimeFeatureLevel;
  return ANEURALNETWORKS_NO_ERROR;
}

int ANeuralNetworksDevice_wait(const ANeuralNetworksDevice *device) {
  return device ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_UNEXPECTED_NULL;
}

int64_t ANeuralNetworks_getRuntimeFeatureLevel(void) {
  return kRuntimeFeatureLevel;
}

int ANeuralNetworksDevice_getExtensionSupport(
    const ANeuralNetworksDevice *device, const char *extensionName,
    bool *isExtensionSupported) {
  if (!device || !extensionName || !isExtensionSupported)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  *isExtensionSupported = false;
  return ANEURALNETWORKS_NO_ERROR;
}
