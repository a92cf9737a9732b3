//===- Program.h - A command line of the program ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What `yarrow ARGUMENTS` does, for the program and for others that run its
// commands inside themselves:
//
//   Driver driver;
//   std::string output;
//   driver.capture = &output;
//   int code = runCommandLine({"targets"}, driver);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_PROGRAM_H
#define YARROW_COMPILER_COMMANDS_PROGRAM_H

#include "compiler/driver/Driver.h"

#include <string>
#include <vector>

namespace yarrow {

/// \p arguments are without the program's name. What the command says goes
/// through \p driver; returns the exit code.
int runCommandLine(const std::vector<std::string> &arguments, Driver &driver);

/// Long options of the command, without dashes; empty if there is no such one.
std::vector<std::string> optionsOfCommand(const std::string &command);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_PROGRAM_H
