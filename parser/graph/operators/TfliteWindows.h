//===- TfliteWindows.h - Windows as TFLite has them -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Images and volumes have channels last. The attribute `padding` says whether
// pads follow from the lengths or are absent, as in a TFLite file; `pads`, from
// NNAPI's explicit forms, lists them: [top, left, bottom, right].
//
//   auto window = tfliteWindow(n, {kernelY, kernelX});
//   Value y = n.layer("Pooling", {n.plain(0)}, windowKeys(*window));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_OPERATORS_TFLITEWINDOWS_H
#define YARROW_PARSER_GRAPH_OPERATORS_TFLITEWINDOWS_H

#include "parser/graph/operators/Windows.h"

namespace yarrow::graph {

/// Reports an input 0 without \p axes spatial axes between batch and channels.
llvm::LogicalResult checkImage(NodeEmitter &n, std::int64_t axes);

/// Stride, dilation and pads of \p kernel over input 0; reports a window that
/// is larger than it.
llvm::FailureOr<Window> tfliteWindow(NodeEmitter &n,
                                     const std::vector<int64_t> &kernel);

/// The same without pads that follow from lengths, which depend on what the
/// operator computes; those that the node has are there.
llvm::FailureOr<Window> tfliteSteps(NodeEmitter &n,
                                    const std::vector<int64_t> &kernel);

bool isSamePadded(const NodeEmitter &n);
/// Whether the node has `pads`.
bool hasPads(const NodeEmitter &n);

/// The layer that multiplies with weights in the order \p perm of the file's.
llvm::LogicalResult outProduct(NodeEmitter &n, llvm::StringRef type, Keys keys,
                               const std::vector<int64_t> &perm,
                               std::int64_t outputs);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_OPERATORS_TFLITEWINDOWS_H
