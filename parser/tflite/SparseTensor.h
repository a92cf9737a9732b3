//===- SparseTensor.h - Sparse constants, expanded --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// TFLite stores a sparse tensor dimension by dimension, in its own order and
// sometimes by blocks: a dense dimension has all of its positions, a sparse
// dimension lists its positions as compressed rows do. Layers have dense
// weights, so it is expanded when the model is read.
//
//   std::vector<std::byte> dense;
//   const char *why = expandSparse(parts.sparsity, {16, 32}, data, 1, dense);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_TFLITE_SPARSETENSOR_H
#define YARROW_PARSER_TFLITE_SPARSETENSOR_H

#include "parser/graph/ImportGraph.h"
#include "parser/tflite/Flat.h"

namespace yarrow::tflite {

/// The elements of a tensor of \p shape, \p widthBytes each, of which \p values
/// has those that are stored; others are 0. What is wrong, or null.
const char *expandSparse(const FlatTable &sparsity, const graph::Shape &shape,
                         Bytes values, std::size_t widthBytes,
                         std::vector<std::byte> &dense);

} // namespace yarrow::tflite

#endif // YARROW_PARSER_TFLITE_SPARSETENSOR_H
