//===- ControlShapes.h - Shapes and signatures of control flow ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An If or Loop alone says little: its results are those of the sub-graphs that
// it calls, which are there once the whole file is read. So inferShapes takes
// the declared shapes, and the verifier of the module compares inputs and
// results with the sub-graphs.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONTROL_CONTROLSHAPES_H
#define YARROW_DIALECTS_COMPASS_CONTROL_CONTROLSHAPES_H

#include "dialects/compass/LayerCheck.h"
#include "mlir/IR/SymbolTable.h"

namespace yarrow::compass {

llvm::LogicalResult inferIf(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferLoop(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferCopies(mlir::Operation *op, ResultShapes &shapes);

/// The sub-graphs exist, take and give what the layer says, and do not lead
/// back to the one that the layer is in.
llvm::LogicalResult verifyIf(mlir::Operation *op,
                             mlir::SymbolTableCollection &symbols);
llvm::LogicalResult verifyLoop(mlir::Operation *op,
                               mlir::SymbolTableCollection &symbols);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_CONTROL_CONTROLSHAPES_H
