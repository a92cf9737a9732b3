//===- ConstantCheck.h - Constants of a whole weights file ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What can only be seen with all constants of a model at hand, or by looking at
// their values.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_COMPASS_CONSTANTCHECK_H
#define YARROW_PARSER_COMPASS_CONSTANTCHECK_H

#include "mlir/IR/Operation.h"
#include "parser/compass/CompassLayerReader.h"

namespace yarrow::compass {

/// Reports constants that share a part of their bytes. To share all of them is
/// to share the constant, which is allowed.
void checkOverlap(std::vector<ConstantRange> ranges,
                  const std::string &fileName, DiagnosticEngine &diags);

/// Reports float constants of \p op that hold NaN (LayerError.h).
/// Reads all their bytes.
llvm::LogicalResult checkForNaN(mlir::Operation *op);

} // namespace yarrow::compass

#endif // YARROW_PARSER_COMPASS_CONSTANTCHECK_H
