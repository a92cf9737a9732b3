//===- IntegerPowers.h - Powers of plain integers as products ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A table holds powers of 256 numbers, an integer of 32 bits is one of more.
// Products of it are exact: x^5 is (x^2)^2 * x.
//
//   multiplyIntegerPowers(module);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_PREPARE_INTEGERPOWERS_H
#define YARROW_QUANTIZER_PREPARE_INTEGERPOWERS_H

#include "mlir/IR/BuiltinOps.h"

namespace yarrow {

/// Of the main graph of a float network: layers Pow of integers with an
/// exponent that is one whole number above 0.
void multiplyIntegerPowers(mlir::ModuleOp module);

} // namespace yarrow

#endif // YARROW_QUANTIZER_PREPARE_INTEGERPOWERS_H
