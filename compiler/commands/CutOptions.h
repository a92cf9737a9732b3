//===- CutOptions.h - Which part of a model is imported ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Options of the commands that import a model of another format, or look
// whether it can be: inputs that become constants, and the nodes or tensors
// between which the network lies.
//
//   addCutOptions(*command, flags->cut);
//   if (!takeCut(flags.cut, *options, driver.diags)) return;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_CUTOPTIONS_H
#define YARROW_COMPILER_COMMANDS_CUTOPTIONS_H

#include "parser/graph/ImportOptions.h"
#include "support/Diagnostics.h"

#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace yarrow {

struct CutFlags {
  std::vector<std::string> inputValues, inputs, outputs;
};

/// --input-value, --input and --output.
void addCutOptions(CLI::App &command, CutFlags &flags);
/// What is given replaces what \p options say. False after E1010.
bool takeCut(const CutFlags &flags, graph::ImportOptions &options,
             DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_CUTOPTIONS_H
