//===- Terminal.h - How wide the user's terminal is -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   std::size_t width = terminalColumns(1).value_or(80);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_TERMINAL_H
#define YARROW_COMPILER_DRIVER_TERMINAL_H

#include <cstddef>
#include <optional>

namespace yarrow {

/// Of the terminal that \p fileDescriptor (1: standard output) is; nullopt if
/// it is none or does not know.
std::optional<std::size_t> terminalColumns(int fileDescriptor);

/// For what is written to the standard output: of the terminal; else what
/// COLUMNS says; else 80, so that a log reads like a terminal.
std::size_t outputColumns();

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_TERMINAL_H
