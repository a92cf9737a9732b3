//===- Quantizer.h - From a float network to an integer one ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Turns a float Compass network into one with the Compass tool chain's integer
// semantics, in place: element types carry scale and zero point, layers get the
// integer keys.
//
//   recordLayerIds(module);                  // before any clean-up
//   runCleanup(module, ...);                 // passes/cleanup
//   auto calibration = Calibration::run(module, {samples}, options, {}, diags);
//   auto floatModule = module.clone();       // to compare with
//   if (calibration && quantizeModule(module, *calibration, options, diags))
//     writeCompassIr(module, ...);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_QUANTIZER_H
#define YARROW_QUANTIZER_QUANTIZER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/options/QuantizerOptions.h"
#include "support/Diagnostics.h"

namespace yarrow {

/// Reports all layers that cannot be quantized; then the module is in an
/// undefined state and false is returned.
bool quantizeModule(mlir::ModuleOp module, const Calibration &calibration,
                    const QuantizerOptions &options, DiagnosticEngine &diags);

/// The same for a copy; \p module stays as it is. Null after errors.
mlir::OwningOpRef<mlir::ModuleOp> quantizedCopy(mlir::ModuleOp module,
                                                const Calibration &calibration,
                                                const QuantizerOptions &options,
                                                DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_QUANTIZER_QUANTIZER_H
