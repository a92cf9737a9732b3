//===- Device.cpp - What NNAPI's models run on ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Device.h"
#include "api/nnapi/Log.h"
#include <algorithm>
#include <cstdlib>

using namespace yarrow;
using namespace yarrow::nnapi;

static constexpr const char *kReference = "nnapi-reference";
static constexpr const char *kPrefix = "yarrow-";
/// The machine that the documentation measures.
static constexpr const char *kUsualTarget = "X2_1204";

static std::string textOf(const char *variable) {
  const char *value = std::getenv(variable);
  return value ? value : "";
}

Device::Device(std::string name, std::optional<isa::Machine> machine)
    : name(std::move(name)), machine(std::move(machine)),
      shared(this->machine ? npuBackend(*this->machine) : evaluatorBackend()) {}

std::shared_ptr<Backend> Device::backend(const std::string &cache) const {
  return machine && !cache.empty() ? npuBackend(*machine, cache) : shared;
}

namespace {
struct Devices {
  std::vector<std::shared_ptr<Device>> all;
  Device *usual = nullptr;
};
} // namespace

static void addTarget(Devices &devices, const std::string &nameOrPath) {
  DiagnosticEngine diags;
  std::optional<isa::Machine> machine = isa::findTarget(nameOrPath, diags);
  notify("devices", diags);
  if (!machine)
    return;
  std::string name = kPrefix + machine->name;
  devices.all.push_back(
      std::make_shared<Device>(std::move(name), std::move(machine)));
}

static Devices makeDevices() {
  Devices devices;
  for (const std::string &name : isa::builtinTargetNames())
    addTarget(devices, name);
  std::string wanted = textOf("YARROW_NNAPI_TARGET");
  if (wanted.empty())
    wanted = kUsualTarget;
  if (wanted.ends_with(".json")) {
    std::size_t count = devices.all.size();
    addTarget(devices, wanted);
    if (devices.all.size() > count)
      devices.usual = devices.all.back().get();
  }
  devices.all.push_back(std::make_shared<Device>(kReference, std::nullopt));
  for (const std::shared_ptr<Device> &device : devices.all)
    if (!devices.usual &&
        (device->name == wanted || device->name == kPrefix + wanted))
      devices.usual = device.get();
  if (!devices.usual)
    notify("devices", "YARROW_NNAPI_TARGET does not name a device: " + wanted);
  return devices;
}

static const Devices &theDevices() {
  static const Devices devices = makeDevices();
  return devices;
}

const std::vector<std::shared_ptr<Device>> &nnapi::allDevices() {
  return theDevices().all;
}

Device *nnapi::defaultDevice() { return theDevices().usual; }

Device &nnapi::referenceDevice() { return *theDevices().all.back(); }

bool nnapi::isFallbackAllowed() {
  static const bool isAllowed = textOf("YARROW_NNAPI_FALLBACK") == "1";
  return isAllowed;
}
