//===- Memories.cpp - NNAPI's functions: memory ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Boundary.h"
#include "api/nnapi/Compilation.h"
#include "api/nnapi/Handles.h"
#include "api/nnapi/Log.h"
#include "api/nnapi/MemoryDesc.h"
#include "api/nnapi/include/yarrow/NeuralNetworks.h"

using namespace yarrow;
using namespace yarrow::nnapi;

int ANeuralNetworksMemory_createFromFd(size_t size, int protect, int fd,
                                       size_t offset,
                                       ANeuralNetworksMemory **memory) {
  if (!clear(memory))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return makeHandle<ANeuralNetworksMemory, Memory>(memory, [&](auto &object) {
    ResultCode result;
    object = Memory::map(size, protect, fd, offset, result);
    return result;
  });
}

int ANeuralNetworksMemory_createFromAHardwareBuffer(
    const AHardwareBuffer *buffer, ANeuralNetworksMemory **memory) {
  if (!clear(memory) || !buffer)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    return refuse(ANEURALNETWORKS_BAD_DATA, "Memory_createFromAHardwareBuffer",
                  "hardware buffers are not supported");
  });
}

int ANeuralNetworksMemory_createFromDesc(const ANeuralNetworksMemoryDesc *desc,
                                         ANeuralNetworksMemory **memory) {
  if (!clear(memory) || !desc)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return makeHandle<ANeuralNetworksMemory, Memory>(memory, [&](auto &object) {
    ResultCode result;
    object = desc->object->makeMemory(result);
    return result;
  });
}

int ANeuralNetworksMemory_copy(const ANeuralNetworksMemory *src,
                               const ANeuralNetworksMemory *dst) {
  if (!src || !dst)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return copyMemory(*src->object, *dst->object); });
}

void ANeuralNetworksMemory_free(ANeuralNetworksMemory *memory) {
  delete memory;
}

int ANeuralNetworksMemoryDesc_create(ANeuralNetworksMemoryDesc **desc) {
  if (!clear(desc))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return makeHandle<ANeuralNetworksMemoryDesc, MemoryDesc>(
      desc, [](auto &object) {
        object = std::make_shared<MemoryDesc>();
        return ANEURALNETWORKS_NO_ERROR;
      });
}

static int addRole(ANeuralNetworksMemoryDesc *desc,
                   const ANeuralNetworksCompilation *compilation, bool isInput,
                   uint32_t index, float frequency) {
  if (!desc || !compilation)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    return desc->object->addRole(
        {compilation->object->finished(), isInput, index}, frequency);
  });
}

int ANeuralNetworksMemoryDesc_addInputRole(
    ANeuralNetworksMemoryDesc *desc,
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    float frequency) {
  return addRole(desc, compilation, true, index, frequency);
}

int ANeuralNetworksMemoryDesc_addOutputRole(
    ANeuralNetworksMemoryDesc *desc,
    const ANeuralNetworksCompilation *compilation, uint32_t index,
    float frequency) {
  return addRole(desc, compilation, false, index, frequency);
}

int ANeuralNetworksMemoryDesc_setDimensions(ANeuralNetworksMemoryDesc *desc,
                                            uint32_t rank,
                                            const uint32_t *dimensions) {
  if (!desc || (!dimensions && rank != 0))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded(
      [&] { return desc->object->setDimensions({dimensions, rank}); });
}

int ANeuralNetworksMemoryDesc_finish(ANeuralNetworksMemoryDesc *desc) {
  if (!desc)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] { return desc->object->finish(); });
}

void ANeuralNetworksMemoryDesc_free(ANeuralNetworksMemoryDesc *desc) {
  delete desc;
}
