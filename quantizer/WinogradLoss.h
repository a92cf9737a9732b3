//===- WinogradLoss.h - What Winograd's form costs, layer by layer --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compares both integer forms of a convolution with the float layer, on the
// values that the layer has in the integer network and free of the errors of
// other layers: the direct network runs on samples, and where it comes to a
// layer that has a Winograd form, that form and the float layer compute the
// same input, the float one dequantized.
//
//   auto losses = measureWinogradLoss(floatModule, directModule,
//                                     winogradModule, {calib}, 32, diags);
//   for (const WinogradLoss &l : *losses)
//     table.add(l.layer, l.direct.sqnrDb(), l.winograd.sqnrDb());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_WINOGRADLOSS_H
#define YARROW_QUANTIZER_WINOGRADLOSS_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/Similarity.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

struct WinogradLoss {
  std::string layer;
  Similarity direct, winograd; ///< to the float layer
};

/// In the order of the layers of \p directModule, those whose counterpart in
/// \p winogradModule has with_winograd; over the first \p maxSamples samples.
/// The three modules come from the same float network and calibration; layers
/// are found by the name of their result. nullopt after errors.
std::optional<std::vector<WinogradLoss>>
measureWinogradLoss(mlir::ModuleOp floatModule, mlir::ModuleOp directModule,
                    mlir::ModuleOp winogradModule,
                    const std::vector<NpyView> &arrays, std::size_t maxSamples,
                    DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_QUANTIZER_WINOGRADLOSS_H
