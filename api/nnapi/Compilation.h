//===- Compilation.h - A model for a device ---------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Settings, then finish(): the first device of the list that computes the whole
// model gets it. finish() compiles what the model determines; an execution with
// new lengths compiles the rest (run/ModelRunner.h).
//
//   Compilation compilation(model, {device}, true);
//   compilation.setCaching("cache", token);
//   compilation.finish();
//   compilation.finished()->runner->run(...);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_COMPILATION_H
#define YARROW_API_NNAPI_COMPILATION_H

#include "api/nnapi/Device.h"
#include "api/nnapi/Model.h"
#include "api/nnapi/run/ModelRunner.h"

namespace yarrow::nnapi {

/// A finished compilation. From any thread.
struct Compiled {
  std::shared_ptr<const NnModel> model;
  std::shared_ptr<ModelRunner> runner;
  std::int32_t priority = ANEURALNETWORKS_PRIORITY_DEFAULT;
  /// The client named one device; only then it may measure and limit time.
  bool isForOneDevice = false;
  bool hasCycles = false;

  /// Null if there is none.
  const Operand *argument(bool isInput, std::uint32_t index) const;
};

class Compilation {
public:
  /// \p isExplicit: the client named the devices.
  Compilation(std::shared_ptr<const NnModel> model,
              std::vector<Device *> devices, bool isExplicit);

  ResultCode setPreference(std::int32_t preference);
  ResultCode setPriority(std::int32_t priority);
  ResultCode setTimeout(std::uint64_t nanoseconds);
  ResultCode setCaching(
      std::string folder,
      std::span<const std::uint8_t, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN>
          token);
  ResultCode addExtensionAttribute();
  ResultCode finish();

  /// Null until it is finished, and if it failed.
  std::shared_ptr<const Compiled> finished() const { return compiled; }

private:
  enum class State { Preparing, Finished, Invalid };

  ResultCode checkIsPreparing(const char *where) const;
  bool isForOneDevice() const { return isExplicit && devices.size() == 1; }
  std::string cacheFolder() const;
  ResultCode compileFor(Device &device, Compiled &result) const;

  State state = State::Preparing;
  std::shared_ptr<const NnModel> model;
  std::vector<Device *> devices;
  bool isExplicit;
  std::int32_t priority = ANEURALNETWORKS_PRIORITY_DEFAULT;
  std::uint64_t timeout = 0; ///< Nanoseconds; 0: none.
  std::string cache, token;  ///< Folder, and hexadecimal digits.
  std::shared_ptr<const Compiled> compiled;
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_COMPILATION_H
