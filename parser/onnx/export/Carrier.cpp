//===- Carrier.cpp - Orders of axes and types of stored tensors -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/export/Carrier.h"
#include "llvm/ADT/STLExtras.h"

using namespace yarrow;
using namespace yarrow::onnx;
using namespace mlir;
using compass::DType;
using compass::TensorInfo;

Order onnx::plainOrder(size_t rank) {
  return llvm::to_vector(llvm::seq<int64_t>(0, int64_t(rank)));
}

Order onnx::channelsSecond(size_t rank) {
  Order order = plainOrder(rank);
  if (rank > 2)
    std::rotate(order.begin() + 1, order.end() - 1, order.end());
  return order;
}

bool onnx::isPlain(ArrayRef<int64_t> order) { return llvm::is_sorted(order); }

std::optional<Carrier> onnx::carrierOf(const TensorInfo &info) {
  if (kernels::dtypeBytes(info.dtype) > 2 || info.dtype == DType::Bool)
    return std::nullopt;
  auto type = exports::typeWithZero(info);
  if (!type)
    return std::nullopt;
  Carrier carrier{*type, -int64_t(info.zp), false,
                  float(1.0 / double(info.scale))};
  carrier.isWider =
      std::pair(info.lo, info.hi) != compass::dtypeRange(carrier.type);
  return carrier;
}
