//===- PairedNetworks.h - A network for other shapes ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The same network for inputs of two shapes has the same layers in the same
// order. So statistics of tensors of one network are known for the other.
//
//   mlir::IRMapping map;
//   if (pairNetworks(calibrated, other, map, diags))
//     quantizedCopy(other, calibration.forCopy(map), options, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_CALIBRATE_PAIREDNETWORKS_H
#define YARROW_QUANTIZER_CALIBRATE_PAIREDNETWORKS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "support/Diagnostics.h"

namespace yarrow {

/// Fills \p map with the layers and tensors of \p from and their counterparts
/// in \p to. False, and QuantUnsupported is reported, at the first layer that
/// differs in more than shapes and numbers.
bool pairNetworks(mlir::ModuleOp from, mlir::ModuleOp to, mlir::IRMapping &map,
                  DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_QUANTIZER_CALIBRATE_PAIREDNETWORKS_H
