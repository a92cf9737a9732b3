//===- Deadlock.cpp - Who waits for what ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/device/Deadlock.h"

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

static std::string wait(unsigned counter, uint32_t wanted, uint32_t value) {
  return std::string(name(Unit(counter))) + " >= " + std::to_string(wanted) +
         ", which is " + std::to_string(value);
}

std::string sim::waitText(const BlockedTec &tec) {
  return "waits for " + wait(tec.counter, tec.wanted, tec.value);
}

std::string sim::waitText(const BlockedCommand &command, const Waits &values) {
  std::string text;
  for (unsigned c = 0; c < kNumCounters; ++c)
    if (values[c] < command.wanted[c])
      text += (text.empty() ? "waits for " : ", and for ") +
              wait(c, command.wanted[c], values[c]);
  return text;
}
