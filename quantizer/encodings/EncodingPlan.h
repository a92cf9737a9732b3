//===- EncodingPlan.h - An encodings file and the network it is for -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Finds the tensors and weights that a file names in a network that was cleaned
// up, gives their layers the bits of the file, and gives their scales to a
// calibration. Encodings without a place are reported once the network is
// quantized.
//
//   auto plan = planEncodings(*encodings, names, cleaned, options, diags);
//   if (!plan) return nullptr;
//   applyEncodings(*plan, calibration);
//   ... quantizeModule ...
//   checkEncodings(*plan, quantized, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ENCODINGS_ENCODINGPLAN_H
#define YARROW_QUANTIZER_ENCODINGS_ENCODINGPLAN_H

#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/encodings/EncodingNames.h"
#include "quantizer/encodings/EncodingsFile.h"
#include "quantizer/options/QuantizerOptions.h"
#include "support/Diagnostics.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace yarrow {

/// Of a tensor of the network.
struct PlannedTensor {
  std::string name;   ///< In the file.
  std::string tensor; ///< In the IR.
  /// None of a tensor that stays in floats.
  std::optional<TensorEncoding> encoding;
};

/// Of the weights of a layer.
struct PlannedWeights {
  std::string name, layer;
  std::vector<TensorEncoding> channels; ///< One, or one per output channel.
};

struct EncodingPlan {
  std::string path;
  bool isModels = false; ///< Encodings::isModels
  std::vector<PlannedTensor> tensors;
  std::vector<PlannedWeights> weights;
  /// What a calibration gets: also operands whose scale a result shares.
  std::vector<std::pair<mlir::Value, TensorEncoding>> values;
  std::vector<std::pair<mlir::Operation *, std::vector<TensorEncoding>>> layers;

  std::size_t inFile = 0, biases = 0; ///< Encodings.
  /// Names of the file that the network does not have, or inside of a layer.
  std::vector<std::string> unknown, inner;
  std::string nearest;              ///< A name that the first may mean, or "".
  std::vector<std::string> changed; ///< "name: why"
  /// Names of the network that the file does not have.
  std::vector<std::string> missingTensors, missingWeights;
};

/// \p cleaned is the network of \p names after clean-up. \p options get
/// overrides for layers, which win over those that are there, and lose the
/// methods that would change what the encodings were made for. Null after
/// EncodingsFile.
std::unique_ptr<EncodingPlan> planEncodings(const Encodings &encodings,
                                            const EncodingNames &names,
                                            mlir::ModuleOp cleaned,
                                            QuantizerOptions &options,
                                            DiagnosticEngine &diags);

/// \p calibration is of the network that the plan was made for.
void applyEncodings(const EncodingPlan &plan, Calibration &calibration);

/// Tells what the network has of the file, and what not.
void checkEncodings(const EncodingPlan &plan, mlir::ModuleOp quantized,
                    DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_QUANTIZER_ENCODINGS_ENCODINGPLAN_H
