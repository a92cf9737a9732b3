//===- TensorValues.cpp - A tensor's elements as real numbers -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/calibrate/TensorValues.h"

#include "quantizer/math/QuantParams.h"
#include "support/Half.h"

#include <cstring>

using namespace yarrow::compass;

namespace yarrow {

FloatValues::FloatValues(const TensorInfo &info, llvm::ArrayRef<char> bytes) {
  auto count = std::size_t(info.numElements());
  bool isAligned = reinterpret_cast<uintptr_t>(bytes.data()) % 4 == 0;
  if (info.dtype == DType::F32 && isAligned) {
    view = {reinterpret_cast<const float *>(bytes.data()), count};
    return;
  }
  ConstantView raw{.dtype = info.dtype, .shape = {}, .bytes = bytes};
  converted.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    converted[i] = info.isFloat() ? float(raw.floatAt(int64_t(i)))
                                  : dequantizeValue(raw.intAt(int64_t(i)),
                                                    info.scale, info.zp);
  view = converted;
}

std::vector<char> storedValues(const TensorInfo &info,
                               std::span<const float> values) {
  std::size_t bytes = kernels::dtypeBytes(info.dtype);
  std::vector<char> stored(values.size() * bytes);
  auto [lo, hi] = info.isQuantized() ? std::pair(info.lo, info.hi)
                  : info.isInteger() ? dtypeRange(info.storedType())
                                     : std::pair<int64_t, int64_t>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    char *at = stored.data() + i * bytes;
    if (info.isInteger()) {
      // Little-endian hosts only: the low bytes are the encoding.
      int64_t q = quantizeValue(values[i], info.scale, info.zp, lo, hi);
      std::memcpy(at, &q, bytes);
    } else if (info.dtype == DType::F16 || info.dtype == DType::BF16) {
      uint16_t half = info.dtype == DType::F16 ? floatToHalf(values[i])
                                               : floatToBfloat(values[i]);
      std::memcpy(at, &half, bytes);
    } else if (info.dtype == DType::F64) {
      auto wide = double(values[i]);
      std::memcpy(at, &wide, bytes);
    } else {
      std::memcpy(at, &values[i], bytes);
    }
  }
  return stored;
}

std::vector<std::vector<float>>
realTensors(llvm::ArrayRef<mlir::Value> values,
            llvm::ArrayRef<std::vector<char>> bytes) {
  std::vector<std::vector<float>> tensors;
  for (auto [value, stored] : llvm::zip_equal(values, bytes)) {
    FloatValues real(value, stored);
    tensors.emplace_back(real.get().begin(), real.get().end());
  }
  return tensors;
}

} // namespace yarrow
