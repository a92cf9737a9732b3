//===- TensorParams.cpp - Types and how they are quantized ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/TensorParams.h"

#include "quantizer/calibrate/Calibrate.h"

#include <algorithm>

using namespace yarrow::compass;

namespace yarrow {

StoredType integerType(unsigned bits, bool isSigned) {
  if (bits <= 8)
    return {isSigned ? DType::I8 : DType::U8, bits <= 4 ? 4u : 0};
  if (bits <= 16)
    return {isSigned ? DType::I16 : DType::U16, bits <= 12 ? 12u : 0};
  if (bits > 32)
    return DType::I64;
  return isSigned ? DType::I32 : DType::U32;
}

LinearParams plainIntegers(unsigned bits, bool isSigned) {
  LinearParams p;
  p.bits = bits, p.isSigned = isSigned;
  p.qmin = integerMin(bits, isSigned), p.qmax = integerMax(bits, isSigned);
  return p;
}

LinearParams invariantParams(StoredType type) {
  return plainIntegers(std::min(type.bits(), 32u),
                       dtypeIsSigned(type.dtype) && type.dtype != DType::Bool);
}

LinearParams activationParams(FloatRange range, const LayerOptions &options,
                              bool isSigned) {
  return linearParams(range.min, range.max, options.activationMethod.mode,
                      options.activationBits,
                      isSigned || range.min < 0 || options.forceSigned);
}

std::optional<LinearParams> givenParams(const Calibration &calibration,
                                        mlir::Value value,
                                        const LayerOptions &options,
                                        bool prefersSigned) {
  const TensorEncoding *given = calibration.encodingOf(value);
  if (!given || given->bits != options.activationBits)
    return std::nullopt;
  return paramsOf(*given, prefersSigned, options.forceSigned);
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
