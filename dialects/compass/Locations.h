//===- Locations.h - Places of layers and their keys ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The location of an op is the layer's name at a place of a file: a line of IR
// text, with the lines of its keys, or a node of another format. It stays with
// the op through all phases, bytecode and text, so that any of them can point
// at a key.
//
//   op.location = layerLocation(context, "conv1", "net.txt", 12,
//                               {{"kernel_x", 20}, {"stride_x", 22}});
//   placeOf(op->getLoc(), "stride_x").line; // 22
//   placeOf(nodeLocation(context, "conv1", "net.onnx", "node Conv_3")).file;
//
// Keys that follow one another line by line, as they nearly always do, cost one
// list for all layers with the same keys.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_LOCATIONS_H
#define YARROW_DIALECTS_COMPASS_LOCATIONS_H

#include "mlir/IR/Location.h"
#include "support/Diagnostics.h"
#include <utility>

namespace yarrow::compass {

/// A layer of IR text that begins in line \p line, and the lines of its keys.
mlir::Location
layerLocation(mlir::MLIRContext *context, llvm::StringRef layer,
              llvm::StringRef file, unsigned line,
              llvm::ArrayRef<std::pair<llvm::StringRef, unsigned>> keys = {});

/// A layer that comes from a node of a file without lines: "node Conv_3",
/// "operator 12".
mlir::Location nodeLocation(mlir::MLIRContext *context, llvm::StringRef layer,
                            llvm::StringRef file, llvm::StringRef node);

/// File, line and layer name; the line is that of \p key, if the layer has it.
/// A node stands behind its file: "net.onnx: node Conv_3".
Place placeOf(mlir::Location loc, llvm::StringRef key = "");

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_LOCATIONS_H
