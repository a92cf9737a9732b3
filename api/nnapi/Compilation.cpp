//===- Compilation.cpp - A model for a device -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Compilation.h"
#include "api/nnapi/Deadline.h"
#include "api/nnapi/Fallback.h"
#include "api/nnapi/Log.h"
#include "support/diagnostics/Import.h"
#include <filesystem>

using namespace yarrow;
using namespace yarrow::nnapi;

const Operand *Compiled::argument(bool isInput, std::uint32_t index) const {
  const std::vector<std::uint32_t> &list =
      isInput ? model->inputs : model->outputs;
  return index < list.size() ? &model->operands[list[index]] : nullptr;
}

Compilation::Compilation(std::shared_ptr<const NnModel> model,
                         std::vector<Device *> devices, bool isExplicit)
    : model(std::move(model)), devices(std::move(devices)),
      isExplicit(isExplicit) {}

ResultCode Compilation::checkIsPreparing(const char *where) const {
  if (state == State::Preparing)
    return ANEURALNETWORKS_NO_ERROR;
  return refuse(ANEURALNETWORKS_BAD_STATE, where,
                state == State::Finished ? "the compilation is finished"
                                         : "the compilation failed");
}

ResultCode Compilation::setPreference(std::int32_t preference) {
  const char *where = "Compilation_setPreference";
  if (ResultCode result = checkIsPreparing(where))
    return result;
  if (preference < ANEURALNETWORKS_PREFER_LOW_POWER ||
      preference > ANEURALNETWORKS_PREFER_SUSTAINED_SPEED)
    return refuse(ANEURALNETWORKS_BAD_DATA, where, "unknown code");
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Compilation::setPriority(std::int32_t newPriority) {
  const char *where = "Compilation_setPriority";
  if (ResultCode result = checkIsPreparing(where))
    return result;
  if (newPriority != ANEURALNETWORKS_PRIORITY_LOW &&
      newPriority != ANEURALNETWORKS_PRIORITY_MEDIUM &&
      newPriority != ANEURALNETWORKS_PRIORITY_HIGH)
    return refuse(ANEURALNETWORKS_BAD_DATA, where, "unknown code");
  priority = newPriority;
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Compilation::setTimeout(std::uint64_t nanoseconds) {
  const char *where = "Compilation_setTimeout";
  if (ResultCode result = checkIsPreparing(where))
    return result;
  if (!isForOneDevice())
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "the compilation is not for one device");
  timeout = nanoseconds;
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Compilation::setCaching(
    std::string folder,
    std::span<const std::uint8_t, ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN>
        newToken) {
  if (ResultCode result = checkIsPreparing("Compilation_setCaching"))
    return result;
  constexpr char digits[] = "0123456789abcdef";
  token.clear();
  for (std::uint8_t byte : newToken) {
    token += digits[byte >> 4];
    token += digits[byte & 15];
  }
  cache = std::move(folder);
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Compilation::addExtensionAttribute() {
  const char *where = "Compilation_addExtensionAttribute";
  if (ResultCode result = checkIsPreparing(where))
    return result;
  return refuse(ANEURALNETWORKS_BAD_DATA, where,
                "extensions are not supported");
}

/// Made if it can be; empty: nothing is kept. A folder that cannot be made is
/// no reason to fail.
std::string Compilation::cacheFolder() const {
  if (cache.empty())
    return "";
  std::filesystem::path folder =
      std::filesystem::path(cache) / (token + ".yarrow");
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (!std::filesystem::is_directory(folder, error)) {
    notify("Compilation_setCaching", "cannot use " + folder.string());
    return "";
  }
  return folder.string();
}

/// What went wrong: the model, or what the device does with it.
static ResultCode resultOf(const DiagnosticEngine &diags) {
  for (const Diagnostic &diag : diags.all())
    if (diag.id == diag::NnapiModel)
      return ANEURALNETWORKS_BAD_DATA;
  return ANEURALNETWORKS_OP_FAILED;
}

ResultCode Compilation::compileFor(Device &device, Compiled &result) const {
  std::shared_ptr<Backend> backend = device.backend(cacheFolder());
  if (!isExplicit && device.hasCycles() && isFallbackAllowed())
    backend = withFallback(backend, referenceDevice().backend());
  auto runner = std::make_shared<ModelRunner>(model, backend);
  DiagnosticEngine diags;
  if (!runner->prepare(diags)) {
    notify(device.name, diags);
    return resultOf(diags);
  }
  result.model = model;
  result.runner = std::move(runner);
  result.priority = priority;
  result.isForOneDevice = isForOneDevice();
  result.hasCycles = device.hasCycles();
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Compilation::finish() {
  const char *where = "Compilation_finish";
  if (ResultCode result = checkIsPreparing(where))
    return result;
  state = State::Invalid; // until everything has gone well
  Deadline deadline = deadlineAfter(timeout);
  Compiled result;
  ResultCode code = ANEURALNETWORKS_OP_FAILED;
  for (Device *device : devices) {
    code = compileFor(*device, result);
    if (hasPassed(deadline))
      return refuse(ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT, where,
                    "it took longer than allowed");
    if (code == ANEURALNETWORKS_NO_ERROR)
      break;
  }
  if (code != ANEURALNETWORKS_NO_ERROR)
    return code;
  compiled = std::make_shared<const Compiled>(std::move(result));
  state = State::Finished;
  return ANEURALNETWORKS_NO_ERROR;
}
