//===- Carrier.h - Orders of axes and types of stored tensors ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// How an ONNX model represents a tensor of Compass IR: the order of its axes
// and, for a quantized tensor, the type, scale and zero point that carry it.
// Compass's real = (q + zp) / scale becomes ONNX's (q - zero point) * scale.
//
//   if (auto carrier = carrierOf(describe(value)))
//     ... // QuantizeLinear with carrier->scale, carrier->zeroPoint
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_EXPORT_CARRIER_H
#define YARROW_PARSER_ONNX_EXPORT_CARRIER_H

#include "dialects/compass/Compass.h"
#include "parser/export/LayerNumbers.h"

namespace yarrow::onnx {

/// Axis i of a form is axis order[i] of the tensor, which may have leading axes
/// of length 1 more than it has in the IR.
using Order = llvm::SmallVector<int64_t>;

Order plainOrder(size_t rank);
/// [0, rank-1, 1, ...]: the last axis second, as ONNX has channels.
Order channelsSecond(size_t rank);
bool isPlain(llvm::ArrayRef<int64_t> order);

using exports::describe;
using exports::haveOneType;

/// How a quantized tensor is stored in ONNX.
struct Carrier {
  compass::DType type;
  int64_t zeroPoint;
  /// Values must be limited first: the type holds more than the tensor.
  bool isWider;
  float scale;
};
/// Null if no type of QuantizeLinear holds the tensor.
std::optional<Carrier> carrierOf(const compass::TensorInfo &info);

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_EXPORT_CARRIER_H
