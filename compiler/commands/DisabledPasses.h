//===- DisabledPasses.h - Optimisations to leave out ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// --disable-pass of commands that compile, and disable_pass of a configuration;
// --no-optimize, which leaves all out.
//
//   addDisabledPassesOption(*command, flags->disabledPasses);
//   auto disabled = disabledPasses(flags.disabledPasses, {"--disable-pass"},
//                                  driver.diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_DISABLEDPASSES_H
#define YARROW_COMPILER_COMMANDS_DISABLEDPASSES_H

#include "compiler/session/DisabledPasses.h"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace yarrow {

void addDisabledPassesOption(CLI::App &command, std::vector<std::string> &to);
/// --optimize and --no-optimize, one of which may be given.
void addOptimizeOptions(CLI::App &command, bool &on, bool &off);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_DISABLEDPASSES_H
