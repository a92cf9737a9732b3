//===- TensorParams.cpp - Types and how they are quantized ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/TensorParams.h"

#include <algorithm>

using namespace yarrow::compass;

namespace yarrow {

DType integerType(unsigned bits, bool isSigned) {
  if (bits <= 8)
    return isSigned ? DType::I8 : DType::U8;
  if (bits <= 16)
    return isSigned ? DType::I16 : DType::U16;
  return isSigned ? DType::I32 : DType::U32;
}

LinearParams invariantParams(DType type) {
  LinearParams p;
  p.bits = std::min(8 * kernels::dtypeBytes(type), 32u);
  p.isSigned = dtypeIsSigned(type) && type != DType::Bool;
  p.qmin = integerMin(p.bits, p.isSigned);
  p.qmax = integerMax(p.bits, p.isSigned);
  return p;
}

LinearParams paramsOf(mlir::Value value) {
  TensorInfo info = describe(value);
  return {info.scale, info.zp, info.bits(), dtypeIsSigned(info.dtype),
          info.lo,    info.hi};
}

bool isSame(const LinearParams &a, const LinearParams &b) {
  return a.scale == b.scale && a.zp == b.zp && a.bits == b.bits &&
         a.isSigned == b.isSigned;
}

} // namespace yarrow
