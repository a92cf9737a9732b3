//===- ImageOrder.h - Operations over images --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Nodes over images have channels last, like an operation whose input `nchw` is
// not set. If it is set, transposes around the node keep how tensors are
// stored.
//
//   Tensor *x = channelsLast(r);
//   graph::Node &node = imageResult(r, "MaxPool2D", {x});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_NNAPI_OPERATORS_IMAGEORDER_H
#define YARROW_PARSER_NNAPI_OPERATORS_IMAGEORDER_H

#include "parser/nnapi/OperationReader.h"

namespace yarrow::nnapi {

/// From [N, C, H, W] to [N, H, W, C], and back.
extern const std::vector<std::int64_t> kToChannelsLast, kToChannelsFirst;

/// The input `input`, which has four axes (AXES in Operations.def), with
/// channels last, and its lengths in this order.
graph::Tensor *channelsLast(OperationReader &r);
std::vector<std::int64_t> imageDims(const OperationReader &r);

/// The node, one that TFLite has too, that writes output 0 with channels last;
/// the fused activation and what brings it into the operation's order behind
/// it.
graph::Node &imageResult(OperationReader &r, const std::string &op,
                         std::vector<graph::Tensor *> from);
/// The same of an operation that only moves what \p source has.
graph::Node &movedImage(OperationReader &r, const std::string &op,
                        std::vector<graph::Tensor *> from,
                        const graph::Tensor *source);

} // namespace yarrow::nnapi

#endif // YARROW_PARSER_NNAPI_OPERATORS_IMAGEORDER_H
