//===- LibraryDevice.cpp - A simulator in a shared library ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/LibraryDevice.h"

#include "isa/DriverInterface.h"
#include "isa/SimulatorCode.h"
#include "support/diagnostics/Simulator.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>

using namespace yarrow;
using namespace yarrow::runtime;

struct LibraryDevice::Library {
  explicit Library(void *handle) : handle(handle) {}
  Library(const Library &) = delete;
  ~Library() { dlclose(handle); }
  void *handle;
};

LibraryDevice::LibraryDevice(const isa::Machine &machine) : chip(machine) {}

std::unique_ptr<LibraryDevice>
LibraryDevice::create(const std::string &path, const isa::Machine &machine,
                      DiagnosticEngine &diags) {
  std::unique_ptr<LibraryDevice> made(new LibraryDevice(machine));
  return made->start(path, diags) ? std::move(made) : nullptr;
}

LibraryDevice::~LibraryDevice() {
  if (device)
    api->destroy(device);
}

bool LibraryDevice::start(const std::string &path, DiagnosticEngine &diags) {
  std::optional<int32_t> code = isa::simulatorCode(chip);
  if (!code) {
    diags
        .report(diag::SimulatorFault, {path},
                "a simulator with the driver's interface has no target " +
                    chip.name)
        .expected("X2_1204, X2_1204MP3, or a target of version 3.2");
    return false;
  }
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    diags.report(diag::SimulatorFault, {path}, "cannot load the simulator")
        .found(dlerror())
        .hint("a name without '/' is searched in LD_LIBRARY_PATH");
    return false;
  }
  library = std::make_unique<Library>(handle);
  auto init = reinterpret_cast<const yarrow_sim_api *(*)()>(
      dlsym(handle, "sim_aipu_api_init"));
  api = init ? init() : nullptr;
  if (!api) {
    diags.report(diag::SimulatorFault, {path},
                 "the library is not a simulator: it has no sim_aipu_api_init");
    return false;
  }
  auto config = std::make_unique<yarrow_sim_config>();
  *config = {};
  config->code = *code;
  config->max_packets = -1;
  config->log_verbose = true;
  std::strcpy(config->log_path, "/dev/null");
  setCallbacks();
  device = api->create(config.get(), &memory);
  if (device)
    return true;
  diags.report(diag::SimulatorFault, {path},
               "the simulator has no device for target " + chip.name);
  return false;
}

void LibraryDevice::setCallbacks() {
  static constexpr auto selfOf = [](void *context) {
    return static_cast<LibraryDevice *>(context);
  };
  memory.context = this;
  memory.read = [](uint64_t address, void *to, size_t bytes, void *context) {
    const std::byte *from = selfOf(context)->at(address, bytes);
    if (from)
      std::memcpy(to, from, bytes);
    return from ? int64_t(bytes) : -1;
  };
  memory.write = [](uint64_t address, const void *from, size_t bytes,
                    void *context) {
    std::byte *to = selfOf(context)->at(address, bytes);
    if (to)
      std::memcpy(to, from, bytes);
    return to ? int64_t(bytes) : -1;
  };
  memory.zeroize = [](uint64_t address, size_t bytes, void *context) {
    std::byte *to = selfOf(context)->at(address, bytes);
    if (to)
      std::memset(to, 0, bytes);
    return to ? int64_t(bytes) : -1;
  };
  memory.size = [](void *) { return size_t(isa::kDriverDdrBytes); };
  memory.invalid = [](uint64_t address, void *context) {
    return selfOf(context)->bufferAt(address) == nullptr;
  };
  memory.get_info = [](uint64_t address, uint64_t *base, size_t *size,
                       void *context) {
    const Buffer *buffer = selfOf(context)->bufferAt(address);
    if (buffer) {
      *base = buffer->address;
      *size = buffer->bytes.size();
    }
    return buffer != nullptr;
  };
}

const LibraryDevice::Buffer *LibraryDevice::bufferAt(uint64_t address) const {
  auto next = std::upper_bound(
      buffers.begin(), buffers.end(), address,
      [](uint64_t a, const Buffer &buffer) { return a < buffer.address; });
  if (next == buffers.begin())
    return nullptr;
  const Buffer &buffer = *std::prev(next);
  return address - buffer.address < buffer.bytes.size() ? &buffer : nullptr;
}

std::byte *LibraryDevice::at(uint64_t address, uint64_t sizeBytes) {
  const Buffer *buffer = bufferAt(address);
  if (!buffer || sizeBytes > buffer->bytes.size() - (address - buffer->address))
    return nullptr;
  return const_cast<std::byte *>(&buffer->bytes[address - buffer->address]);
}

std::optional<uint32_t> LibraryDevice::allocate(uint64_t sizeBytes) {
  std::optional<uint32_t> address = pages.allocate(sizeBytes);
  if (address)
    buffers.push_back(
        {*address, std::vector<std::byte>(pages.topBytes() - *address)});
  return address;
}

bool LibraryDevice::write(uint32_t address, std::span<const std::byte> bytes) {
  if (bytes.empty())
    return true;
  std::byte *to = at(address, bytes.size());
  if (to)
    std::copy(bytes.begin(), bytes.end(), to);
  return to != nullptr;
}

std::span<const std::byte> LibraryDevice::read(uint32_t address,
                                               uint64_t sizeBytes) const {
  const std::byte *from =
      const_cast<LibraryDevice *>(this)->at(address, sizeBytes);
  return from ? std::span(from, sizeBytes) : std::span<const std::byte>();
}

void LibraryDevice::submit(uint32_t address, uint32_t numBlocks) {
  api->write_register(device, isa::RegAddressHigh, 0);
  api->write_register(device, isa::RegAddressLow, address);
  if (isa::blockFormatOf(chip.device.version) == isa::BlockFormat::Contiguous)
    api->write_register(device, isa::RegBlockCount, numBlocks);
  api->write_register(device, isa::RegCommand, isa::kCommandCreate);
  api->write_register(device, isa::RegCommand, isa::kCommandDispatch);
}

const DeviceFault *LibraryDevice::wait() {
  uint32_t status = 0;
  while (api->read_register(device, isa::RegPoolStatus, &status) > 0 &&
         !(status & isa::kStatusIdle))
    ;
  fault.reset();
  if (!(status & isa::kStatusIdle) || status & isa::kStatusFault)
    fault = {.text = "the simulator reports a fault, which its log describes"};
  api->write_register(device, isa::RegCommand, isa::kCommandDestroy);
  return fault ? &*fault : nullptr;
}
