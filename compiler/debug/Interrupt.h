//===- Interrupt.h - Ctrl-C stops the run, not the program ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   Interrupt interrupt(conditions); // until the end of its life
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DEBUG_INTERRUPT_H
#define YARROW_COMPILER_DEBUG_INTERRUPT_H

#include "runtime/StopConditions.h"

#include <csignal>

namespace yarrow {

class Interrupt {
public:
  explicit Interrupt(runtime::StopConditions &conditions);
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;

private:
  struct sigaction before = {};
};

} // namespace yarrow

#endif // YARROW_COMPILER_DEBUG_INTERRUPT_H
