//===- TensorValues.h - A tensor's elements as real numbers ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Evaluators hand out raw bytes. Statistics and metrics want floats: float
// tensors are viewed without a copy, others converted, quantized ones by their
// scale and zero point.
//
//   FloatValues values(value, bytes); // keep it, and the bytes, for the view
//   std::span<const float> x = values.get();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_CALIBRATE_TENSORVALUES_H
#define YARROW_QUANTIZER_CALIBRATE_TENSORVALUES_H

#include "dialects/compass/Tensors.h"

#include <span>
#include <vector>

namespace yarrow {

class FloatValues {
public:
  FloatValues(const compass::TensorInfo &info, llvm::ArrayRef<char> bytes);
  FloatValues(mlir::Value value, llvm::ArrayRef<char> bytes)
      : FloatValues(compass::describe(value), bytes) {}
  std::span<const float> get() const { return view; }

private:
  std::vector<float> converted;
  std::span<const float> view;
};

/// Real numbers as a tensor stores them: quantized, rounded to integers, or of
/// its float type.
std::vector<char> storedValues(const compass::TensorInfo &info,
                               std::span<const float> values);

/// Of several tensors.
std::vector<std::vector<float>>
realTensors(llvm::ArrayRef<mlir::Value> values,
            llvm::ArrayRef<std::vector<char>> bytes);

} // namespace yarrow

#endif // YARROW_QUANTIZER_CALIBRATE_TENSORVALUES_H
