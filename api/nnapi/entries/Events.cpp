//===- Events.cpp - NNAPI's functions: events and bursts ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Boundary.h"
#include "api/nnapi/Compilation.h"
#include "api/nnapi/Execution.h"
#include "api/nnapi/Handles.h"
#include "api/nnapi/Log.h"
#include "api/nnapi/include/yarrow/NeuralNetworks.h"

using namespace yarrow;
using namespace yarrow::nnapi;

int ANeuralNetworksEvent_wait(ANeuralNetworksEvent *event) {
  if (!event)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([object = event->object] { return object->wait(); });
}

void ANeuralNetworksEvent_free(ANeuralNetworksEvent *event) {
  // A client may give its buffers up when the event is gone. A descriptor may
  // be signalled never, and guards no buffers.
  if (event && !event->object->isOfDescriptor())
    ANeuralNetworksEvent_wait(event);
  delete event;
}

int ANeuralNetworksEvent_createFromSyncFenceFd(int sync_fence_fd,
                                               ANeuralNetworksEvent **event) {
  if (!clear(event))
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return makeHandle<ANeuralNetworksEvent, Event>(event, [&](auto &object) {
    ResultCode result;
    object = Event::ofDescriptor(sync_fence_fd, result);
    return result;
  });
}

int ANeuralNetworksEvent_getSyncFenceFd(const ANeuralNetworksEvent *event,
                                        int *sync_fence_fd) {
  if (!sync_fence_fd)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  *sync_fence_fd = -1;
  if (!event)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return guarded([&] {
    *sync_fence_fd = event->object->copyDescriptor();
    return *sync_fence_fd >= 0
               ? ANEURALNETWORKS_NO_ERROR
               : refuse(ANEURALNETWORKS_BAD_DATA, "Event_getSyncFenceFd",
                        "the event has no descriptor");
  });
}

int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
                                ANeuralNetworksBurst **burst) {
  if (!clear(burst) || !compilation)
    return ANEURALNETWORKS_UNEXPECTED_NULL;
  return makeHandle<ANeuralNetworksBurst, Burst>(burst, [&](auto &object) {
    auto compiled = compilation->object->finished();
    if (!compiled)
      return refuse(ANEURALNETWORKS_BAD_STATE, "Burst_create",
                    "the compilation is not finished");
    object = std::make_shared<Burst>(std::move(compiled));
    return ANEURALNETWORKS_NO_ERROR;
  });
}

void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst) { delete burst; }
