//===- SteepInputs.h - 16 bits for what steep functions read ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A logarithm of 8-bit squares knows 255 values of a spectrum that has six
// decades: what its input rounds away no table and no range brings back. Here
// the tensors of the float network are rounded as they will be, one at a time,
// and where a steep function makes of that what nobody can use, the layer that
// makes the tensor gets 16 bits; then those that make its operands, if rounding
// them has the same effect, back to where 8 bits do.
//
//   options.overrides += chooseSteepInputs({network, calibration, options,
//                                           samples}, diags).overrides;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_CHOICES_STEEPINPUTS_H
#define YARROW_QUANTIZER_CHOICES_STEEPINPUTS_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/options/QuantizerOptions.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <string>
#include <vector>

namespace yarrow {

struct SteepTask {
  mlir::ModuleOp network; ///< float, cleaned up
  const Calibration &calibration;
  const QuantizerOptions &options; ///< Layers with raisesBits are looked at.
  const std::vector<NpyView> &samples;
};

/// A layer that gets more bits, and which function asks for them; or one that
/// gets a larger table.
struct AdaptedLayer {
  mlir::Operation *layer = nullptr, *function = nullptr;
  double beforeDb = 0; ///< SQNR of the function's result with the fewer bits.
  bool hasMoreBits = false, hasMoreWeightBits = false;
  bool isFloat = false;              ///< No 16 bits are enough.
  unsigned mostTableItemsInBits = 0; ///< 0: as ever.
};

/// In the order of the network. Nothing after errors.
std::vector<AdaptedLayer> findSteepInputs(const SteepTask &task,
                                          DiagnosticEngine &diags);
/// Settings of these layers, which go behind all others.
std::vector<LayerOverride> overridesOf(const std::vector<AdaptedLayer> &layers);

/// The same where \p options ask for it, in these.
void chooseSteepInputs(mlir::ModuleOp network, const Calibration &calibration,
                       const std::vector<NpyView> &samples,
                       QuantizerOptions &options, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_QUANTIZER_CHOICES_STEEPINPUTS_H
