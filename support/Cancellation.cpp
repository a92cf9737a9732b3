//===- Cancellation.cpp - Work that somebody no longer wants --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Cancellation.h"

#include <utility>

using namespace yarrow;

static thread_local const Cancellation *ofThisThread = nullptr;

const Cancellation *Cancellation::current() { return ofThisThread; }

CancellationScope::CancellationScope(const Cancellation *cancellation)
    : outer(std::exchange(ofThisThread, cancellation)) {}

CancellationScope::~CancellationScope() { ofThisThread = outer; }

void yarrow::leaveIfCancelled() {
  if (ofThisThread && ofThisThread->isRequested())
    throw Cancelled();
}
