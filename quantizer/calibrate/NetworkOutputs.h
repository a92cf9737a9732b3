//===- NetworkOutputs.h - What a network gives its user ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What an output says strongest is what counts, and other samples may say it
// more strongly than any that calibration has seen.
//
//   if (!isNetworkOutput(value))
//     cutRange(value);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_CALIBRATE_NETWORKOUTPUTS_H
#define YARROW_QUANTIZER_CALIBRATE_NETWORKOUTPUTS_H

#include "mlir/IR/Value.h"

namespace yarrow {

/// Whether a graph returns \p value, as it is or behind layers that move
/// elements.
bool isNetworkOutput(mlir::Value value);

} // namespace yarrow

#endif // YARROW_QUANTIZER_CALIBRATE_NETWORKOUTPUTS_H
