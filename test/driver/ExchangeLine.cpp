//===- ExchangeLine.cpp - A line of a recorded exchange -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/driver/ExchangeLine.h"

#include <cstdlib>
#include <sstream>

using namespace yarrow::driver_test;

static unsigned digit(char c) {
  return c >= '0' && c <= '9'   ? unsigned(c - '0')
         : c >= 'a' && c <= 'f' ? unsigned(c - 'a') + 10
                                : 0;
}

ExchangeLine::ExchangeLine(const std::string &text) {
  std::istringstream words(text);
  std::string number, rest;
  words >> kind >> number >> rest;
  first = std::strtoull(number.c_str(), nullptr, 16);
  second = std::strtoull(rest.c_str(), nullptr, 16);
  for (size_t i = 0; i + 1 < rest.size(); i += 2)
    bytes.push_back(std::byte(digit(rest[i]) << 4 | digit(rest[i + 1])));
}
