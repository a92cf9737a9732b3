//===- TensorValues.cpp - A tensor's elements as real numbers -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/calibrate/TensorValues.h"

#include "quantizer/math/QuantParams.h"

using namespace yarrow::compass;

namespace yarrow {

FloatValues::FloatValues(const TensorInfo &info, llvm::ArrayRef<char> bytes) {
  auto count = std::size_t(info.numElements());
  bool isAligned = reinterpret_cast<uintptr_t>(bytes.data()) % 4 == 0;
  if (info.dtype == DType::F32 && isAligned) {
    view = {reinterpret_cast<const float *>(bytes.data()), count};
    return;
  }
  ConstantView raw{info.dtype, {}, bytes};
  converted.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    converted[i] = info.isFloat() ? float(raw.floatAt(int64_t(i)))
                                  : dequantizeValue(raw.intAt(int64_t(i)),
                                                    info.scale, info.zp);
  view = converted;
}

} // namespace yarrow
