//===- Executions.cpp - NNAPI's functions: executions ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Boundary.h"
#include "api/nnapi/Execution.h"
#include "api/nnapi/Handles.h"
#include "api/nnapi/Log.h"
#include "api/nnapi/include/yarrow/NeuralNetworks.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::nnapi;

int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation,
                                    ANeuralNetworksExecution **execution) {
  if (!clear(execution) || !compilation)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return makeHandle<ANeuralNetworksExecution, Execution>(
      execution, [&](auto &object) {
        auto compiled = compilation->object->finished();
        if (!compiled)
          return refuse(ANEURALNETWORKS_BAD_STATE, "Execution_create",
                        "the compilation is not finished");
        object = std::make_shared<Execution>(std::move(compiled));
        return ANEURALNETWORKS_NO_ERROR;
      });
}

void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution) {
  if (execution)
    execution->object->waitUntilIdle();
  delete execution;
}

static bool hasNullLengths(const ANeuralNetworksOperandType *type) {
  return type && type->dimensionCount != 0 && !type->dimensions;
}

static int setArgument(ANeuralNetworksExecution *execution,
                       const ArgumentPlace &place, void *buffer,
                       size_t length) {
  if (!execution || hasNullLengths(place.type) || (!buffer && length != 0))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded(
      [&] { return execution->object->setArgument(place, buffer, length); });
}

static int setArgument(ANeuralNetworksExecution *execution,
                       const ArgumentPlace &place,
                       const ANeuralNetworksMemory *memory, size_t offset,
                       size_t length) {
  if (!execution || hasNullLengths(place.type) || !memory)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    return execution->object->setArgument(place, memory->object, offset,
                                          length);
  });
}

int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution,
                                      int32_t index,
                                      const ANeuralNetworksOperandType *type,
                                      const void *buffer, size_t length) {
  // An argument holds either kind; an input is only read.
  return setArgument(execution, {true, index, type}, const_cast<void *>(buffer),
                     length);
}

int ANeuralNetworksExecution_setInputFromMemory(
    ANeuralNetworksExecution *execution, int32_t index,
    const ANeuralNetworksOperandType *type, const ANeuralNetworksMemory *memory,
    size_t offset, size_t length) {
  return setArgument(execution, {true, index, type}, memory, offset, length);
}

int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution,
                                       int32_t index,
                                       const ANeuralNetworksOperandType *type,
                                       void *buffer, size_t length) {
  return setArgument(execution, {false, index, type}, buffer, length);
}

int ANeuralNetworksExecution_setOutputFromMemory(
    ANeuralNetworksExecution *execution, int32_t index,
    const ANeuralNetworksOperandType *type, const ANeuralNetworksMemory *memory,
    size_t offset, size_t length) {
  return setArgument(execution, {false, index, type}, memory, offset, length);
}

int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution,
                                         bool reusable) {
  if (!execution)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return execution->object->setReusable(reusable); });
}

int ANeuralNetworksExecution_enableInputAndOutputPadding(
    ANeuralNetworksExecution *execution, bool enable) {
  if (!execution)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return execution->object->enablePadding(enable); });
}

int ANeuralNetworksExecution_setMeasureTiming(
    ANeuralNetworksExecution *execution, bool measure) {
  if (!execution)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return execution->object->setMeasureTiming(measure); });
}

int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution,
                                        uint64_t duration) {
  if (!execution)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return execution->object->setTimeout(duration); });
}

int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution,
                                            uint64_t duration) {
  if (!execution)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return execution->object->setLoopTimeout(duration); });
}

uint64_t ANeuralNetworks_getDefaultLoopTimeout(void) {
  return kDefaultLoopTimeout;
}
uint64_t ANeuralNetworks_getMaximumLoopTimeout(void) {
  return kMaximumLoopTimeout;
}

int ANeuralNetworksExecution_addExtensionAttribute(
    ANeuralNetworksExecution *execution, const char *extensionName,
    uint16_t attributeCodeWithinExtension, const void *data, size_t length) {
  if (!execution || !extensionName || (!data && length != 0))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return execution->object->addExtensionAttribute(); });
}

// A handle may be freed as soon as what it was given to has begun; what is
// computed stays until the end.

int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution) {
  if (!execution)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([object = execution->object] { return object->compute(); });
}

int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksBurst *burst) {
  if (!execution || !burst)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([object = execution->object, burstObject = burst->object] {
    return object->compute(*burstObject);
  });
}

/// What is begun goes on without the handle of its event: that is made first.
static ResultCode start(ANeuralNetworksExecution &execution,
                        const Execution::Start &how,
                        ANeuralNetworksEvent **event) {
  auto handle = std::make_unique<ANeuralNetworksEvent>();
  ResultCode result = execution.object->start(how, handle->object);
  if (result == ANEURALNETWORKS_NO_ERROR)
    *event = handle.release();
  return result;
}

int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution,
                                          ANeuralNetworksEvent **event) {
  if (!clear(event) || !execution)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return start(*execution, {}, event); });
}

int ANeuralNetworksExecution_startComputeWithDependencies(
    ANeuralNetworksExecution *execution,
    const ANeuralNetworksEvent *const *dependencies, uint32_t numDependencies,
    uint64_t duration, ANeuralNetworksEvent **event) {
  auto isNull = [](const ANeuralNetworksEvent *dependency) {
    return !dependency;
  };
  if (!clear(event) || !execution || (numDependencies != 0 && !dependencies) ||
      std::any_of(dependencies, dependencies + numDependencies, isNull))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    std::vector<std::shared_ptr<Event>> list;
    for (uint32_t i = 0; i != numDependencies; ++i)
      list.push_back(dependencies[i]->object);
    return start(*execution, {list, duration, true}, event);
  });
}

int ANeuralNetworksExecution_getOutputOperandRank(
    ANeuralNetworksExecution *execution, int32_t index, uint32_t *rank) {
  if (!execution || !rank)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return execution->object->outputRank(index, *rank); });
}

int ANeuralNetworksExecution_getOutputOperandDimensions(
    ANeuralNetworksExecution *execution, int32_t index, uint32_t *dimensions) {
  if (!execution || !dimensions)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded(
      [&] { return execution->object->outputDimensions(index, dimensions); });
}

int ANeuralNetworksExecution_getDuration(
    const ANeuralNetworksExecution *execution, int32_t durationCode,
    uint64_t *duration) {
  if (!execution || !duration)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded(
      [&] { return execution->object->duration(durationCode, *duration); });
}
