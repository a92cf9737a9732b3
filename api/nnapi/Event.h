//===- Event.h - When an execution ends -------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An event of an execution is signalled once, with the execution's result. One
// made of a file descriptor is signalled when that can be read. Both can be
// waited for, by several threads, or call back.
//
//   auto event = std::make_shared<Event>();
//   event->whenDone([](ResultCode result) { ... });
//   event->signal(ANEURALNETWORKS_NO_ERROR);
//   event->wait();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_EVENT_H
#define YARROW_API_NNAPI_EVENT_H

#include "api/nnapi/include/yarrow/NeuralNetworksTypes.h"
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace yarrow::nnapi {

class Event : public std::enable_shared_from_this<Event> {
public:
  using Callback = std::function<void(ResultCode)>;

  Event() = default;
  /// Null after errors. Keeps a copy of \p fd.
  static std::shared_ptr<Event> ofDescriptor(int fd, ResultCode &result);
  ~Event();
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;

  /// Once; not of a descriptor's event.
  void signal(ResultCode newResult);
  ResultCode wait();
  /// \p callback does not throw. It may be called at once, or from another
  /// thread.
  void whenDone(Callback callback);

  bool isOfDescriptor() const { return fd >= 0; }
  /// A copy that the client closes; -1 if there is none.
  int copyDescriptor() const;

private:
  int fd = -1;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<ResultCode> result = {};
  std::vector<Callback> callbacks = {};
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_EVENT_H
