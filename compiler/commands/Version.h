//===- Version.h - What this program is -------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a report of a fault should tell.
//
//   driver.print(versionText());  // "yarrow 0.1.0\nLLVM 22.1.0\n..."
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_VERSION_H
#define YARROW_COMPILER_COMMANDS_VERSION_H

#include <string>

namespace yarrow {

/// The version on a line of its own, then what the program was built with.
std::string versionText();

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_VERSION_H
