//===- Device.h - The devices for NNAPI's models ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One device for each of Yarrow's targets, and the evaluator as a reference.
// The environment is read once, at the first use of the library:
//
//   YARROW_NNAPI_TARGET=Z2_1104      which device is meant where none is named;
//                                    also nnapi-reference, or the path of a
//                                    machine file (.json), then one more device
//   YARROW_NNAPI_FALLBACK=1          parts that this device does not compute
//                                    are computed by the evaluator, and told
//
//   for (const auto &device : allDevices())
//     device->name;                  // "yarrow-X2_1204"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_DEVICE_H
#define YARROW_API_NNAPI_DEVICE_H

#include "api/nnapi/include/yarrow/NeuralNetworksTypes.h"
#include "api/nnapi/run/Backend.h"
#include <optional>

namespace yarrow::nnapi {

class Device {
public:
  /// No machine: the evaluator.
  Device(std::string name, std::optional<isa::Machine> machine);

  const std::string name;
  DeviceTypeCode type() const {
    return machine ? ANEURALNETWORKS_DEVICE_ACCELERATOR
                   : ANEURALNETWORKS_DEVICE_CPU;
  }
  /// Whether its runs have a time on hardware.
  bool hasCycles() const { return machine.has_value(); }

  /// What computes, shared by all compilations without a folder to keep what
  /// was compiled. From any thread.
  std::shared_ptr<Backend> backend(const std::string &cache = "") const;

private:
  const std::optional<isa::Machine> machine;
  const std::shared_ptr<Backend> shared;
};

/// In the order of ANeuralNetworks_getDevice.
const std::vector<std::shared_ptr<Device>> &allDevices();
/// Where no device is named; null, and told, if YARROW_NNAPI_TARGET names none.
Device *defaultDevice();
/// The evaluator.
Device &referenceDevice();
/// Whether YARROW_NNAPI_FALLBACK says so.
bool isFallbackAllowed();

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_DEVICE_H
