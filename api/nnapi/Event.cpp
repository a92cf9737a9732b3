//===- Event.cpp - When an execution ends ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/Event.h"
#include "api/nnapi/FenceWatcher.h"
#include "api/nnapi/Log.h"
#include <fcntl.h>
#include <unistd.h>

using namespace yarrow;
using namespace yarrow::nnapi;

std::shared_ptr<Event> Event::ofDescriptor(int fd, ResultCode &result) {
  int copy = fd > 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
  if (copy < 0) {
    result = refuse(ANEURALNETWORKS_BAD_DATA, "Event_createFromSyncFenceFd",
                    "it is not an open file");
    return nullptr;
  }
  auto event = std::make_shared<Event>();
  event->fd = copy;
  result = ANEURALNETWORKS_NO_ERROR;
  return event;
}

Event::~Event() {
  if (fd >= 0)
    close(fd);
}

int Event::copyDescriptor() const {
  return fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
}

void Event::signal(ResultCode newResult) {
  std::vector<Callback> toCall;
  {
    std::lock_guard lock(mutex);
    result = newResult;
    toCall.swap(callbacks);
  }
  changed.notify_all();
  for (const Callback &callback : toCall)
    callback(newResult);
}

static ResultCode resultOfFence(bool isSignalled) {
  return isSignalled ? ANEURALNETWORKS_NO_ERROR : ANEURALNETWORKS_OP_FAILED;
}

ResultCode Event::wait() {
  if (isOfDescriptor())
    return resultOfFence(waitForDescriptor(fd));
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return result.has_value(); });
  return *result;
}

void Event::whenDone(Callback callback) {
  if (isOfDescriptor()) {
    // The event, and so the descriptor, lives as long as the callback.
    FenceWatcher::get().watch(
        fd, [self = shared_from_this(), callback = std::move(callback)](
                bool isSignalled) { callback(resultOfFence(isSignalled)); });
    return;
  }
  std::optional<ResultCode> known;
  {
    std::lock_guard lock(mutex);
    known = result;
    if (!known)
      callbacks.push_back(std::move(callback));
  }
  if (known)
    callback(*known);
}
