//===- Context.h - Compiled parts in models of ONNX Runtime -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A node EPContext stands for a part that was compiled before. Its content is
// the executable of the part or, of a part with open lengths, the part as a
// model; in the node itself or in a file beside the model.
//
//   Node *node = contextNode(spec, fused, options);
//   if (isOurContext(node))
//     PartSpec spec = specOf(node, modelPath);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_ONNXRUNTIME_CONTEXT_H
#define YARROW_API_ONNXRUNTIME_CONTEXT_H

#include "api/onnxruntime/PartNode.h"

namespace yarrow::ort {

/// Whether it is an EPContext that this provider wrote.
bool isOurContext(const Node *node);

/// A node for \p part; ONNX Runtime owns it then. \p modelPath: of the model
/// that the session was made of.
Node *contextNode(const PartSpec &part, const Options &options,
                  const std::string &modelPath);

/// Reads the content of such a node into \p part, whose tensors are known.
void readContext(const Node *node, const std::string &modelPath,
                 PartSpec &part);

} // namespace yarrow::ort

#endif // YARROW_API_ONNXRUNTIME_CONTEXT_H
