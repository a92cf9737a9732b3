//===- Interrupt.cpp - Ctrl-C stops the run, not the program --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/debug/Interrupt.h"

#include <atomic>

using namespace yarrow;

/// A handler gets nothing but the signal.
static std::atomic<runtime::StopConditions *> interrupted = nullptr;

static void onInterrupt(int) {
  if (runtime::StopConditions *conditions = interrupted)
    conditions->interrupt();
}

Interrupt::Interrupt(runtime::StopConditions &conditions) {
  interrupted = &conditions;
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &before);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &before, nullptr);
  interrupted = nullptr;
}
