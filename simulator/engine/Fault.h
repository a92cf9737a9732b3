//===- Fault.h - What stops a simulated program -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The result of executing a command: nothing, or the sentence that tells why
// the machine stopped.
//
//   if (Fault fault = engine.execute(descriptor))
//     return fault;
//   return faultText("input rows end at 0x", hex(end), ", SRAM has ", ...);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_FAULT_H
#define YARROW_SIMULATOR_ENGINE_FAULT_H

#include <cstdint>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string>

namespace yarrow::sim {

using Fault = std::optional<std::string>;

template <typename... Parts> Fault faultText(const Parts &...parts) {
  std::ostringstream os;
  (os << ... << parts);
  return os.str();
}

inline std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%08llx", (unsigned long long)value);
  return text;
}

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_FAULT_H
