//===- DebugInput.cpp - Where the debugger's commands come from -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/debug/DebugInput.h"

#include "support/MappedFile.h"
#include "support/Progress.h"

#include <iostream>
#include <sstream>

using namespace yarrow;

std::optional<std::string> DebugInput::next() {
  if (isTerminal)
    driver.print(kPrompt);
  std::string line;
  if (!std::getline(stream, line)) {
    if (isTerminal)
      driver.print("\n");
    return std::nullopt;
  }
  if (!isTerminal)
    driver.print(kPrompt + line + "\n");
  return line;
}

std::unique_ptr<DebugInput> yarrow::openDebugInput(const std::string &path,
                                                   Driver &driver) {
  if (path.empty())
    return std::make_unique<DebugInput>(nullptr, std::cin, isTerminal(0),
                                        /*repeats=*/true, driver);
  std::shared_ptr<const MappedFile> file = MappedFile::open(path, driver.diags);
  if (!file)
    return nullptr;
  auto stream = std::make_unique<std::istringstream>(std::string(file->text()));
  std::istream &lines = *stream;
  return std::make_unique<DebugInput>(std::move(stream), lines,
                                      /*isTerminal=*/false, /*repeats=*/false,
                                      driver);
}
