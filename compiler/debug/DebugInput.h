//===- DebugInput.h - The source of the debugger's commands -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A terminal with a prompt, another standard input, or a file. Commands that do
// not come from a terminal are printed after the prompt, so that a log reads
// like a session.
//
//   std::unique_ptr<DebugInput> input = openDebugInput("commands.txt", driver);
//   while (std::optional<std::string> line = input->next()) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DEBUG_DEBUGINPUT_H
#define YARROW_COMPILER_DEBUG_DEBUGINPUT_H

#include "compiler/driver/Driver.h"

#include <istream>
#include <memory>
#include <optional>
#include <string>

namespace yarrow {

class DebugInput {
public:
  static constexpr const char *kPrompt = "(yarrow) ";

  /// \p repeats: an empty line repeats the last step.
  DebugInput(std::unique_ptr<std::istream> owned, std::istream &stream,
             bool isTerminal, bool repeats, Driver &driver)
      : owned(std::move(owned)), stream(stream), isTerminal(isTerminal),
        repeats(repeats), driver(driver) {}

  /// Nothing at the end.
  std::optional<std::string> next();
  bool isFromTerminal() const { return isTerminal; }
  bool repeatsLast() const { return repeats; }

private:
  std::unique_ptr<std::istream> owned;
  std::istream &stream;
  bool isTerminal, repeats;
  Driver &driver;
};

/// The standard input if \p path is empty. Null after FileUnreadable.
std::unique_ptr<DebugInput> openDebugInput(const std::string &path,
                                           Driver &driver);

} // namespace yarrow

#endif // YARROW_COMPILER_DEBUG_DEBUGINPUT_H
