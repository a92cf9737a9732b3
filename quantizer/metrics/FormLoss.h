//===- FormLoss.h - What another form costs, layer by layer ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compares two integer forms of a layer with the float layer, on the values
// that the layer has in the integer network and free of the errors of other
// layers: the direct network runs on samples, and where it comes to a layer
// that has another form, that form and the float layer compute the same input,
// the float one dequantized.
//
//   auto losses = measureFormLoss(floatModule, directModule, winogradModule,
//                                 compass::isWinogradLayer, {calib}, 32,
//                                 diags);
//   for (const FormLoss &l : *losses)
//     table.add(l.layer, l.direct.sqnrDb(), l.changed.sqnrDb());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METRICS_FORMLOSS_H
#define YARROW_QUANTIZER_METRICS_FORMLOSS_H

#include "mlir/IR/BuiltinOps.h"
#include "quantizer/math/Similarity.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

struct FormLoss {
  std::string layer;
  Similarity direct, changed; ///< to the float layer
};

/// In the order of the layers of \p directModule, those that \p changedModule
/// has in the form; over up to \p maxSamples samples that are spread over the
/// arrays. The three modules come from the same float network and calibration;
/// layers have one input and are found by the name of their result. nullopt
/// after errors.
std::optional<std::vector<FormLoss>>
measureFormLoss(mlir::ModuleOp floatModule, mlir::ModuleOp directModule,
                mlir::ModuleOp changedModule,
                llvm::function_ref<bool(mlir::Operation *)> isInForm,
                const std::vector<NpyView> &arrays, std::size_t maxSamples,
                DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_QUANTIZER_METRICS_FORMLOSS_H
