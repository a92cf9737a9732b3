//===- Execution.cpp - One run of a compilation, or many: its settings ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Execution.h"
#include "api/nnapi/Log.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::nnapi;

Execution::Execution(std::shared_ptr<const Compiled> compiled)
    : compiled(std::move(compiled)),
      inputs(this->compiled->model->inputs.size()),
      outputs(this->compiled->model->outputs.size()) {}

ResultCode Execution::checkIsPreparing(const char *where) const {
  if (state.load() == State::Preparing)
    return ANEURALNETWORKS_NO_ERROR;
  return refuse(ANEURALNETWORKS_BAD_STATE, where, "computing has begun");
}

ResultCode Execution::checkNoArgument(const char *where) const {
  if (ResultCode result = checkIsPreparing(where))
    return result;
  if (std::ranges::any_of(inputs, &Argument::isSet) ||
      std::ranges::any_of(outputs, &Argument::isSet))
    return refuse(ANEURALNETWORKS_BAD_STATE, where,
                  "arguments are already set");
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Execution::checkIsForOneDevice(const char *where) const {
  if (ResultCode result = checkIsPreparing(where))
    return result;
  if (!compiled->isForOneDevice)
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "the compilation is not for one device");
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Execution::setReusable(bool newValue) {
  if (ResultCode result = checkNoArgument("Execution_setReusable"))
    return result;
  isReusable = newValue;
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Execution::enablePadding(bool isEnabled) {
  if (ResultCode result =
          checkNoArgument("Execution_enableInputAndOutputPadding"))
    return result;
  isPaddingEnabled = isEnabled;
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Execution::setMeasureTiming(bool isMeasured) {
  if (ResultCode result = checkIsForOneDevice("Execution_setMeasureTiming"))
    return result;
  isTimed = isMeasured;
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Execution::setTimeout(std::uint64_t nanoseconds) {
  if (ResultCode result = checkIsForOneDevice("Execution_setTimeout"))
    return result;
  timeout = nanoseconds;
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Execution::setLoopTimeout(std::uint64_t nanoseconds) {
  if (ResultCode result = checkIsPreparing("Execution_setLoopTimeout"))
    return result;
  loopTimeout = std::min(nanoseconds, kMaximumLoopTimeout);
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Execution::addExtensionAttribute() {
  const char *where = "Execution_addExtensionAttribute";
  if (ResultCode result = checkIsPreparing(where))
    return result;
  return refuse(ANEURALNETWORKS_BAD_DATA, where,
                "extensions are not supported");
}

template <typename... Source>
ResultCode Execution::setWith(const ArgumentPlace &place, const char *where,
                              Source... source) {
  if (ResultCode result = checkIsPreparing(where))
    return result;
  std::vector<Argument> &arguments = place.isInput ? inputs : outputs;
  if (place.index < 0 || std::size_t(place.index) >= arguments.size())
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "not a valid argument index: " + std::to_string(place.index));
  Argument &argument = arguments[std::size_t(place.index)];
  if (argument.isSet())
    return refuse(ANEURALNETWORKS_BAD_STATE, where,
                  "the argument is already set");
  auto index = std::uint32_t(place.index);
  ArgumentRequest request{where,
                          {compiled, place.isInput, index},
                          compiled->argument(place.isInput, index),
                          place.type,
                          isPaddingEnabled};
  return argument.set(request, source...);
}

ResultCode Execution::setArgument(const ArgumentPlace &place, void *buffer,
                                  std::size_t length) {
  return setWith(place,
                 place.isInput ? "Execution_setInput" : "Execution_setOutput",
                 static_cast<std::byte *>(buffer), length);
}

ResultCode Execution::setArgument(const ArgumentPlace &place,
                                  std::shared_ptr<Memory> memory,
                                  std::size_t offset, std::size_t length) {
  return setWith(place,
                 place.isInput ? "Execution_setInputFromMemory"
                               : "Execution_setOutputFromMemory",
                 std::move(memory), offset, length);
}

ResultCode Execution::checkIsCompleted(const char *where) const {
  if (state.load() != State::Completed)
    return refuse(ANEURALNETWORKS_BAD_STATE, where,
                  "the execution has not completed");
  return ANEURALNETWORKS_NO_ERROR;
}

/// Whether there is a result of \p index that can be asked.
ResultCode Execution::outputAt(std::int32_t index, const char *where) const {
  if (ResultCode result = checkIsCompleted(where))
    return result;
  if (outcome.result != ANEURALNETWORKS_NO_ERROR &&
      outcome.result != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
    return refuse(ANEURALNETWORKS_BAD_STATE, where, "the execution failed");
  if (index < 0 || std::size_t(index) >= outcome.dims.size())
    return refuse(ANEURALNETWORKS_BAD_DATA, where,
                  "not a valid index of an output");
  return ANEURALNETWORKS_NO_ERROR;
}

ResultCode Execution::outputRank(std::int32_t index,
                                 std::uint32_t &rank) const {
  if (ResultCode result = outputAt(index, "Execution_getOutputOperandRank"))
    return result;
  rank = std::uint32_t(outcome.dims[std::size_t(index)].size());
  return outcome.isSufficient[std::size_t(index)]
             ? ANEURALNETWORKS_NO_ERROR
             : ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
}

ResultCode Execution::outputDimensions(std::int32_t index,
                                       std::uint32_t *dims) const {
  const char *where = "Execution_getOutputOperandDimensions";
  if (ResultCode result = outputAt(index, where))
    return result;
  if (outcome.dims[std::size_t(index)].empty())
    return refuse(ANEURALNETWORKS_BAD_DATA, where, "the output is a scalar");
  std::ranges::copy(outcome.dims[std::size_t(index)], dims);
  return outcome.isSufficient[std::size_t(index)]
             ? ANEURALNETWORKS_NO_ERROR
             : ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
}

ResultCode Execution::duration(std::int32_t code,
                               std::uint64_t &nanoseconds) const {
  const char *where = "Execution_getDuration";
  nanoseconds = UINT64_MAX;
  if (ResultCode result = checkIsCompleted(where))
    return result;
  if (!isTimed || outcome.result != ANEURALNETWORKS_NO_ERROR)
    return refuse(ANEURALNETWORKS_BAD_STATE, where,
                  "the execution was not measured, or failed");
  switch (code) {
  case ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE:
  case ANEURALNETWORKS_DURATION_ON_HARDWARE:
    if (compiled->hasCycles)
      nanoseconds = outcome.hardwareTime;
    break;
  case ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER:
  case ANEURALNETWORKS_DURATION_IN_DRIVER:
    nanoseconds = outcome.driverTime;
    break;
  default:
    return refuse(ANEURALNETWORKS_BAD_DATA, where, "unknown code");
  }
  bool isFencedCode = code == ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE ||
                      code == ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER;
  if (isFencedCode && !outcome.isFenced)
    nanoseconds = UINT64_MAX;
  return ANEURALNETWORKS_NO_ERROR;
}
