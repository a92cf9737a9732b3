//===- Device.h - The devices for NNAPI's models ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One device for each of Yarrow's targets, and the evaluator as a reference.
// The environment is read once, at the first use of the library:
//
//   YARROW_NNAPI_TARGET=Z2_1104      the device to use if none is named;
//                                    also nnapi-reference, or the path of a
//                                    machine file (.json), then one more device
//   YARROW_NNAPI_FALLBACK=1          parts that this device does not compute
//                                    are computed by the evaluator, and logged
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
  /// Without a machine: the evaluator.
  Device(std::string name, std::optional<isa::Machine> machine);

  const std::string name;
  DeviceTypeCode type() const {
    return machine ? ANEURALNETWORKS_DEVICE_ACCELERATOR
                   : ANEURALNETWORKS_DEVICE_CPU;
  }
  /// Whether its runs have a time on hardware.
  bool hasCycles() const { return machine.has_value(); }

  /// The backend, shared by all compilations without a folder for compiled
  /// programs. From any thread.
  std::shared_ptr<Backend> backend(const std::string &cache = "") const;

private:
  const std::optional<isa::Machine> machine;
  const std::shared_ptr<Backend> shared;
};

/// In the order of ANeuralNetworks_getDevice.
const std::vector<std::shared_ptr<Device>> &allDevices();
/// The device if none is named. Null, and logged, if YARROW_NNAPI_TARGET does
/// not name a device.
Device *defaultDevice();
/// The evaluator.
Device &referenceDevice();
/// Whether YARROW_NNAPI_FALLBACK allows it.
bool isFallbackAllowed();

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_DEVICE_H
