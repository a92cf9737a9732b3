//===- RealNumbers.h - A stored layer as one of real numbers ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   auto program = inRealNumbers(op, [&] { return programOf(op); });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_PREQUANTIZED_REALNUMBERS_H
#define YARROW_QUANTIZER_PREQUANTIZED_REALNUMBERS_H

#include "dialects/compass/LayerKeys.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace yarrow {

/// Asks what \p ask asks of the layer as one of real numbers.
template <typename Ask> auto inRealNumbers(mlir::Operation *op, Ask ask) {
  mlir::Value x = op->getOperand(0), y = op->getResult(0);
  mlir::Type givenX = x.getType(), givenY = y.getType();
  x.setType(compass::plainType(op->getContext(), compass::shapeOf(x),
                               compass::DType::F32));
  y.setType(compass::plainType(op->getContext(), compass::shapeOf(y),
                               compass::DType::F32));
  // Whether it is a function of one value is a question, not an error.
  mlir::ScopedDiagnosticHandler ignore(
      op->getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  auto answer = ask();
  x.setType(givenX);
  y.setType(givenY);
  return answer;
}

} // namespace yarrow

#endif // YARROW_QUANTIZER_PREQUANTIZED_REALNUMBERS_H
