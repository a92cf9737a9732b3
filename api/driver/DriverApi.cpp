//===- DriverApi.cpp - The ten functions of a simulator -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a driver finds in libaipu_simulator_*.so (isa/SimulatorApi.h). It does
// not look at the result of create(), so the others take null for a device that
// answers nothing; and no exception leaves this file.
//
//===----------------------------------------------------------------------===//
#include "api/driver/DriverDevice.h"
#include "isa/ElfLayout.h"

#include <exception>
#include <iostream>

using namespace yarrow::driver;

static constexpr int kDone = 1, kFailed = 0;

/// The result of \p function, or \p otherwise if the host is out of memory.
template <typename Result, typename Function>
static Result guarded(Result otherwise, Function function) {
  try {
    return function();
  } catch (const std::exception &e) {
    std::cerr << "yarrow: " << e.what() << '\n';
    return otherwise;
  }
}

/// What \p function does with a device, if there is one.
template <typename Function> static int with(void *device, Function function) {
  if (!device)
    return kFailed;
  return guarded(kFailed, [&] {
    function(*static_cast<DriverDevice *>(device));
    return kDone;
  });
}

static void *create(const yarrow_sim_config *config,
                    const yarrow_sim_memory *memory) {
  if (!config || !memory)
    return nullptr;
  return guarded(static_cast<void *>(nullptr), [&]() -> void * {
    return DriverDevice::create(*config, *memory).release();
  });
}

/// Its argument is not known, and the public driver does not call it.
static void *createOther(void *) { return nullptr; }

static int destroy(void *device) {
  return with(device, [](DriverDevice &d) { delete &d; });
}

static int readRegister(void *device, uint32_t address, uint32_t *value) {
  return with(device,
              [&](DriverDevice &d) { *value = d.readRegister(address); });
}

static int writeRegister(void *device, uint32_t address, uint32_t value) {
  return with(device,
              [&](DriverDevice &d) { d.writeRegister(address, value); });
}

/// Debuggers use `yarrow run --gdb`.
static void setDebugger(void *, void *) {}

/// Of Yarrow, as in an executable's note "compilermsg".
static int version(void *) {
  return yarrow::isa::versionWord(YARROW_VERSION_MAJOR, YARROW_VERSION_MINOR,
                                  YARROW_VERSION_PATCH);
}

static void enableProfiling(void *device, bool on) {
  with(device, [&](DriverDevice &d) { d.enableProfiling(on); });
}

static void dumpProfiling(void *device) {
  with(device, [](DriverDevice &d) { d.dumpProfiling(); });
}

static void setEventHandler(void *device, yarrow_sim_event_handler handler,
                            void *context) {
  with(device, [&](DriverDevice &d) { d.setEventHandler(handler, context); });
}

extern "C" const yarrow_sim_api *sim_aipu_api_init(void) {
  static constexpr yarrow_sim_api kApi = {
      create,        createOther,    destroy, readRegister,
      writeRegister, setDebugger,    version, enableProfiling,
      dumpProfiling, setEventHandler};
  return &kApi;
}
