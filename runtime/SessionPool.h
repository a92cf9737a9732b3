//===- SessionPool.h - Sessions for several threads -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A session runs one sample at a time: each thread takes one and gives it back.
// There are as many as were ever taken at once. One that has failed is not
// given back.
//
//   SessionPool pool(executable, {.timed = true});
//   std::unique_ptr<Session> session = pool.take(diags);
//   if (session && session->run(diags))
//     pool.give(std::move(session));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_SESSIONPOOL_H
#define YARROW_RUNTIME_SESSIONPOOL_H

#include "runtime/SimulatedDevice.h"

#include <mutex>
#include <vector>

namespace yarrow::runtime {

class SessionPool {
public:
  SessionPool(std::shared_ptr<const Executable> executable,
              const SimulationOptions &options)
      : model(std::move(executable)), options(options) {}

  const std::shared_ptr<const Executable> &executable() const { return model; }
  /// One that is idle, or a new one; null after errors.
  std::unique_ptr<Session> take(DiagnosticEngine &diags);
  void give(std::unique_ptr<Session> session);

private:
  const std::shared_ptr<const Executable> model;
  const SimulationOptions options;
  std::mutex mutex;
  std::vector<std::unique_ptr<Session>> idle;
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_SESSIONPOOL_H
