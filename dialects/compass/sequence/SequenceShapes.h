//===- SequenceShapes.h - Shapes of recurrent layers ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What inferShapes of each op calls: free functions, so that their files do not
// depend on the generated classes. Each checks the keys and constants that the
// operator's record cannot, reports all problems and appends the shapes.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_SEQUENCE_SEQUENCESHAPES_H
#define YARROW_DIALECTS_COMPASS_SEQUENCE_SEQUENCESHAPES_H

#include "dialects/compass/LayerCheck.h"

namespace yarrow::compass {

llvm::LogicalResult inferLSTM(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferStoredLSTM(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferGRU(mlir::Operation *op, ResultShapes &shapes);
llvm::LogicalResult inferEmbeddingLookupSparse(mlir::Operation *op,
                                               ResultShapes &shapes);
llvm::LogicalResult inferQueryRebatch(mlir::Operation *op,
                                      ResultShapes &shapes);
llvm::LogicalResult inferRotaryEmbedding(mlir::Operation *op,
                                         ResultShapes &shapes);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_SEQUENCE_SEQUENCESHAPES_H
