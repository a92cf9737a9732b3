//===- DeviceLists.h - Lists of devices that clients give -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   if (hasNullDevice(devices, count)) return ANEURALNETWORKS_UNEXPECTED_NULL;
//   std::vector<Device *> list = devicesOf(devices, count);
//   if (list.empty()) return ANEURALNETWORKS_BAD_DATA;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_ENTRIES_DEVICELISTS_H
#define YARROW_API_NNAPI_ENTRIES_DEVICELISTS_H

#include "api/nnapi/Device.h"
#include "api/nnapi/Handles.h"
#include <algorithm>

namespace yarrow::nnapi {

/// The list itself, or one in it.
inline bool hasNullDevice(const ANeuralNetworksDevice *const *devices,
                          std::uint32_t count) {
  return !devices ||
         std::any_of(devices, devices + count,
                     [](const ANeuralNetworksDevice *d) { return !d; });
}

/// Empty if there is none, or one is there twice.
inline std::vector<Device *>
devicesOf(const ANeuralNetworksDevice *const *devices, std::uint32_t count) {
  std::vector<Device *> list;
  for (std::uint32_t i = 0; i != count; ++i) {
    Device *device = devices[i]->object.get();
    if (std::ranges::find(list, device) != list.end())
      return {};
    list.push_back(device);
  }
  return list;
}

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_ENTRIES_DEVICELISTS_H
