//===- Quantization.h - How a tensor of a model is stored -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A graph computes with real numbers. A tensor of a model that is quantized
// already is real, too (its type is F32), and says here by which integers the
// model stores it: real = scale * (stored - zero point), as TFLite and ONNX
// have it. Readers set it; nodes that only store or load (QuantizeLinear) are
// then removed. A tensor without it, between tensors that have it, is never
// stored: it takes part in its neighbours' arithmetic.
//
// A constant keeps the model's own bytes: its `constant->type` is the stored
// type, as is that of a bias (I32 or I64, scale of input times scale of
// weights).
//
//   Tensor *x = graph.addTensor("x");
//   x->setType(ElementType::F32, {1, 8, 8, 3});
//   x->quantization = Quantization{ElementType::I8, {0.5f}, {-3}};
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_QUANTIZATION_H
#define YARROW_PARSER_GRAPH_QUANTIZATION_H

#include "support/ElementType.h"
#include <cstdint>
#include <vector>

namespace yarrow::graph {

/// An attribute of nodes, and the layers' key: how the model's own runtime
/// rounds where formats differ.
inline constexpr const char *kRoundingKey = "requant_rounding";

struct Quantization {
  ElementType stored = ElementType::I8;
  /// One, or one for each position along \ref axis. All scales are positive.
  std::vector<float> scales = {};
  /// As many as scales.
  std::vector<std::int64_t> zeroPoints = {};
  /// From the front, in the order of the tensor's own axes.
  std::int64_t axis = 0;

  bool isPerTensor() const { return scales.size() == 1; }
  bool operator==(const Quantization &) const = default;
};

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_QUANTIZATION_H
