//===- EvalModel.h - yarrow eval MODEL --------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The form of the command that runs one network on the host, and writes or
// compares what its layers compute:
//
//   yarrow eval net.tflite -i in.npy -o out.npy --layers out --reference r.npz
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_EVALMODEL_H
#define YARROW_COMPILER_COMMANDS_EVALMODEL_H

#include "compiler/commands/PictureFlags.h"
#include "compiler/driver/Driver.h"
#include "compiler/model/ImportSettings.h"
#include "quantizer/prequantized/PrequantizedOptions.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace yarrow {

struct EvalModelFlags {
  std::string model, bin, inputs, outputs, layers, report;
  std::vector<std::string> references;
  ReadingFlags reading;
  std::optional<double> maxDifference;
  bool isStored = false; ///< Outputs, whatever the model came in.
  PrequantizedOptions given;
  PictureFlags pictures;
  std::size_t resetEvery = 0; ///< Of a network with state; 0: never.

  /// Whether anything of this form was given.
  bool isUsed() const {
    return !model.empty() || !bin.empty() || !inputs.empty() ||
           !outputs.empty() || isStored || !layers.empty() ||
           !references.empty() || maxDifference;
  }
};

void addEvalModelOptions(CLI::App &command, EvalModelFlags &flags);

/// False after errors, or if a tensor differs by more than is allowed.
bool evalModel(const EvalModelFlags &flags, Driver &driver);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_EVALMODEL_H
