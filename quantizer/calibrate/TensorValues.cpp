//===- TensorValues.cpp - A tensor's elements as real numbers -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/calibrate/TensorValues.h"

#include "quantizer/math/QuantParams.h"
#include "support/Half.h"
#include "support/LinearValues.h"

#include <cstdlib>
#include <cstring>

using namespace yarrow::compass;

namespace yarrow {

/// dequantizeValue of all, in 32 bits, where sums with the zero point fit them:
/// several at a time.
template <typename T>
static bool dequantizeSmall(const TensorInfo &info, llvm::ArrayRef<char> bytes,
                            std::vector<float> &to) {
  constexpr int64_t kMostZp = int64_t(1) << 30;
  if (std::abs(int64_t(info.zp)) > kMostZp)
    return false;
  auto zp = int32_t(info.zp);
  float step = 1.0f / info.scale;
  for (std::size_t i = 0; i < to.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    to[i] = float(int32_t(value) + zp) * step;
  }
  return true;
}

static bool dequantizeSmall(const TensorInfo &info, llvm::ArrayRef<char> bytes,
                            std::vector<float> &to) {
  switch (info.dtype) {
  case DType::I8:
    return dequantizeSmall<int8_t>(info, bytes, to);
  case DType::U8:
    return dequantizeSmall<uint8_t>(info, bytes, to);
  case DType::I16:
    return dequantizeSmall<int16_t>(info, bytes, to);
  case DType::U16:
    return dequantizeSmall<uint16_t>(info, bytes, to);
  default:
    return false;
  }
}

FloatValues::FloatValues(const TensorInfo &info, llvm::ArrayRef<char> bytes) {
  auto count = std::size_t(info.numElements());
  bool isAligned = reinterpret_cast<uintptr_t>(bytes.data()) % 4 == 0;
  if (info.dtype == DType::F32 && isAligned) {
    view = {reinterpret_cast<const float *>(bytes.data()), count};
    return;
  }
  ConstantView raw{.dtype = info.dtype, .shape = {}, .bytes = bytes};
  converted.resize(count);
  view = converted;
  if (dequantizeSmall(info, bytes, converted))
    return;
  for (std::size_t i = 0; i < count; ++i)
    converted[i] = info.isFloat() ? float(raw.floatAt(int64_t(i)))
                                  : dequantizeValue(raw.intAt(int64_t(i)),
                                                    info.scale, info.zp);
}

std::vector<char> storedValues(const TensorInfo &info,
                               std::span<const float> values) {
  std::size_t bytes = kernels::dtypeBytes(info.dtype);
  std::vector<char> stored(values.size() * bytes);
  auto [lo, hi] = info.isQuantized() ? std::pair(info.lo, info.hi)
                  : info.isInteger() ? dtypeRange(info.storedType())
                                     : std::pair<int64_t, int64_t>();
  if (info.isInteger()) {
    quantizeValues(values, {info.scale, info.zp, lo, hi, bytes}, stored.data());
    return stored;
  }
  if (info.dtype == DType::F32) {
    std::memcpy(stored.data(), values.data(), stored.size());
    return stored;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    char *at = stored.data() + i * bytes;
    if (info.dtype == DType::F16 || info.dtype == DType::BF16) {
      uint16_t half = info.dtype == DType::F16 ? floatToHalf(values[i])
                                               : floatToBfloat(values[i]);
      std::memcpy(at, &half, bytes);
    } else {
      auto wide = double(values[i]);
      std::memcpy(at, &wide, bytes);
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
