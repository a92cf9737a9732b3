//===- SessionPool.cpp - Sessions for several threads ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/SessionPool.h"

using namespace yarrow;
using namespace yarrow::runtime;

std::unique_ptr<Session> SessionPool::take(DiagnosticEngine &diags) {
  {
    std::lock_guard lock(mutex);
    if (!idle.empty()) {
      std::unique_ptr<Session> session = std::move(idle.back());
      idle.pop_back();
      return session;
    }
  }
  return simulatedSession(model, options, diags);
}

void SessionPool::give(std::unique_ptr<Session> session) {
  std::lock_guard lock(mutex);
  idle.push_back(std::move(session));
}
