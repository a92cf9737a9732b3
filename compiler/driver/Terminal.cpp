//===- Terminal.cpp - How wide the user's terminal is ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/Terminal.h"
#include "support/Progress.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>

using namespace yarrow;

std::optional<std::size_t> yarrow::terminalColumns(int fileDescriptor) {
  winsize size = {};
  if (!isTerminal(fileDescriptor) ||
      ioctl(fileDescriptor, TIOCGWINSZ, &size) != 0 || !size.ws_col)
    return std::nullopt;
  return size.ws_col;
}

std::size_t yarrow::outputColumns() {
  if (std::optional<std::size_t> columns = terminalColumns(1))
    return *columns;
  std::string_view text;
  if (const char *value = std::getenv("COLUMNS"))
    text = value;
  std::size_t columns = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), columns);
  bool isNumber = error == std::errc() && end == text.data() + text.size();
  return isNumber && columns ? columns : 80;
}
