//===- Windows.h - Windows over images, signals and volumes -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Convolutions and pools of ONNX have any number of spatial axes; layers have
// two or three. A signal becomes an image of one row. Pads that ONNX does not
// give (auto_pad) are computed here.
//
//   auto window = windowOf(n, spatial, kernel);
//   Value y = n.layer("Pooling", {imageOf(n, 0)}, windowKeys(*window));
//   return outImage(n, 0, y);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_OPERATORS_WINDOWS_H
#define YARROW_PARSER_GRAPH_OPERATORS_WINDOWS_H

#include "parser/graph/Emitter.h"

namespace yarrow::graph {

/// An entry for each spatial axis.
struct Window {
  std::vector<int64_t> kernel, stride, dilation, begin, end;
};

/// The spatial lengths of input \p i; reports a rank that has no layer.
llvm::FailureOr<std::vector<int64_t>> spatialShape(NodeEmitter &n, size_t i);

/// The window that the node's attributes tell, for \p kernel.
llvm::FailureOr<Window> windowOf(NodeEmitter &n,
                                 const std::vector<int64_t> &spatial,
                                 const std::vector<int64_t> &kernel);

/// How many windows there are along each axis; rounded up with \p ceil, but for
/// one that would begin in the padding behind.
std::vector<int64_t> windowCounts(const std::vector<int64_t> &spatial,
                                  const Window &window, bool ceil);

/// Keys of a layer over images, or over volumes if there are three axes.
Keys windowKeys(const Window &window);
bool isVolume(const Window &window);

/// Input \p i with channels last and at least two spatial axes.
mlir::Value imageOf(NodeEmitter &n, size_t i);
/// Result \p i from a layer over what imageOf gave.
llvm::LogicalResult outImage(NodeEmitter &n, size_t i, mlir::Value value);

//===--- Weights of input 1, [O, I, ...] ---===//
/// The kernel's lengths; reports weights that do not fit the attribute.
llvm::FailureOr<std::vector<int64_t>> kernelOf(NodeEmitter &n);
/// In the order of the layers, rows added for signals: \p outer and \p inner
/// are the axes of output and input channels.
mlir::ElementsAttr kernelWeights(NodeEmitter &n, int64_t outer, int64_t inner);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_OPERATORS_WINDOWS_H
