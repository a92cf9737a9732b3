//===- ExchangeLine.h - A line of a recorded exchange -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads what api/driver/Exchange.h writes, whatever it is.
//
//   ExchangeLine line("write c 6000");
//   line.kind, line.first, line.second   // "write", 0xc, 0x6000
//   ExchangeLine("data 6000 0a0b").bytes // two
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_DRIVER_EXCHANGELINE_H
#define YARROW_TEST_DRIVER_EXCHANGELINE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace yarrow::driver_test {

struct ExchangeLine {
  explicit ExchangeLine(const std::string &text);

  std::string kind;
  uint64_t first = 0;
  /// What is behind it, as a number and as bytes: digits of either that are
  /// none are 0.
  uint64_t second = 0;
  std::vector<std::byte> bytes;
};

} // namespace yarrow::driver_test

#endif // YARROW_TEST_DRIVER_EXCHANGELINE_H
