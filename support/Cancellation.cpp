//===- Cancellation.cpp - Work that somebody no longer wants --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Cancellation.h"

#include <utility>

using namespace yarrow;

static thread_local const Cancellation *ofThisThread = nullptr;
/// That of this thread before the CancellationPause.
static thread_local const Cancellation *paused = nullptr;

const Cancellation *Cancellation::current() { return ofThisThread; }

CancellationScope::CancellationScope(const Cancellation *cancellation)
    : outer(std::exchange(ofThisThread, cancellation)) {}

CancellationScope::~CancellationScope() { ofThisThread = outer; }

CancellationPause::CancellationPause()
    : current(std::exchange(ofThisThread, nullptr)),
      outer(std::exchange(paused, current)) {}

CancellationPause::~CancellationPause() {
  ofThisThread = current;
  paused = outer;
}

bool yarrow::runWithinPause(const std::function<void()> &work) {
  if (!paused) {
    work();
    return true;
  }
  try {
    CancellationScope again(paused);
    work();
    return true;
  } catch (const Cancelled &) {
    return false;
  }
}

void yarrow::leaveIfCancelled() {
  if (ofThisThread && ofThisThread->isRequested())
    throw Cancelled();
}
