//===- GraphWriter.h - A graph of ONNX Runtime as a model -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The bytes of an ONNX model of a graph as ONNX Runtime has it in memory, with
// the types and shapes that it has inferred, and its constants. Nodes keep
// their order.
//
//   std::string bytes = modelOf(graph);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_ONNXRUNTIME_GRAPHWRITER_H
#define YARROW_API_ONNXRUNTIME_GRAPHWRITER_H

#include "api/onnxruntime/Abi.h"

#include <cstdint>
#include <string>
#include <vector>

namespace yarrow::ort {

/// A tensor as ONNX Runtime describes it.
struct TensorType {
  int element = 0; ///< 0: no tensor.
  bool hasShape = false;
  std::vector<std::int64_t> lengths; ///< -1: open.
  std::vector<std::string> symbols;
};
TensorType typeOf(const ValueInfo *value);

/// Throws a Failure where ONNX Runtime gives no answer.
std::string modelOf(const Graph *graph);

} // namespace yarrow::ort

#endif // YARROW_API_ONNXRUNTIME_GRAPHWRITER_H
