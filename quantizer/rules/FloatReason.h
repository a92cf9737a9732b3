//===- FloatReason.h - Why a layer stays in floats --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layer of integer IR that is computed in floats has the reason in the key
// float_reason, which files keep. The compiler reports it (CompileFloat).
//
//   setFloatReason(op, "adapt_to_functions, as 16 bits are not enough");
//   text += floatReasonOf(op);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_FLOATREASON_H
#define YARROW_QUANTIZER_RULES_FLOATREASON_H

#include "mlir/IR/Operation.h"

#include <string>

namespace yarrow {

/// \p reason is a phrase, whose parts are separated by ", ".
void setFloatReason(mlir::Operation *op, llvm::StringRef reason);

/// "" if the layer says nothing.
std::string floatReasonOf(mlir::Operation *op);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_FLOATREASON_H
