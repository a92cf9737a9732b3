//===- Library.cpp - What ONNX Runtime finds in this library --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The two functions of a library with providers, and the factory that they
// give: one simulated NPU, on the host's processor.
//
//===----------------------------------------------------------------------===//
#include "api/onnxruntime/Ort.h"
#include "api/onnxruntime/Provider.h"

using namespace yarrow::ort;

namespace {

class Factory : public EpFactory {
public:
  Factory() : EpFactory{} {
    version = kNeededVersion;
    getName = [](const EpFactory *) { return kProviderName; };
    getVendor = [](const EpFactory *) { return "Yarrow"; };
    EpFactory::getVersion = [](const EpFactory *) { return YARROW_VERSION; };
    getVendorId = [](const EpFactory *) -> std::uint32_t { return 0; };
    getSupportedDevices = findDevice;
    createEp = makeProvider;
    releaseEp = [](EpFactory *, Ep *ep) { delete static_cast<Provider *>(ep); };
    // Tensors are in the host's memory, which ONNX Runtime allocates.
    createAllocator = [](EpFactory *, const MemoryInfo *, const KeyValues *,
                         Allocator **allocator) -> Status * {
      *allocator = nullptr;
      return nullptr;
    };
    releaseAllocator = [](EpFactory *, Allocator *) {};
    createDataTransfer = [](EpFactory *, void **transfer) -> Status * {
      *transfer = nullptr;
      return nullptr;
    };
    isStreamAware = [](const EpFactory *) { return false; };
  }

private:
  static Status *findDevice(EpFactory *self,
                            const HardwareDevice *const *devices,
                            std::size_t numDevices, EpDevice **found,
                            std::size_t most, std::size_t *count) {
    *count = 0;
    return guarded([&] {
      for (std::size_t i = 0; i < numDevices && *count < 1 && most; ++i)
        if (ortApi().hardwareDeviceType(devices[i]) == kCpuDevice)
          check(ortApi().createEpDevice(self, devices[i], nullptr, nullptr,
                                        &found[(*count)++]));
    });
  }

  static Status *makeProvider(EpFactory *, const HardwareDevice *const *,
                              const KeyValues *const *, std::size_t,
                              const SessionOptions *session,
                              const Logger *logger, Ep **ep) {
    *ep = nullptr;
    return guarded([&] { *ep = new Provider(readOptions(session), logger); });
  }
};

} // namespace

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): ONNX Runtime looks for these.
[[gnu::visibility("default")]] Status *
CreateEpFactories(const char *, const ApiBase *base, const Logger *,
                  EpFactory **factories, std::size_t most, std::size_t *count) {
  *count = 0;
  bool isLoaded = false;
  if (Status *status = load(*base, isLoaded); status || !isLoaded)
    return status;
  return guarded([&] {
    if (most < 1)
      throw Failure("the list of factories has no room for the Yarrow provider",
                    kInvalidArgument);
    factories[(*count)++] = new Factory();
  });
}

[[gnu::visibility("default")]] Status *ReleaseEpFactory(EpFactory *factory) {
  delete static_cast<Factory *>(factory);
  return nullptr;
}

// NOLINTEND(readability-identifier-naming)

} // extern "C"
