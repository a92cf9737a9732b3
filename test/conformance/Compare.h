//===- Compare.h - Tensors against recorded ones ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Integers are compared exactly, floats within a relative tolerance.
//
//   Difference d = compare(describe(value), bytes, *npy, Tolerance{});
//   if (d.count) std::cout << d.str(); // "3 of 640 differ, at most 1"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_CONFORMANCE_COMPARE_H
#define YARROW_TEST_CONFORMANCE_COMPARE_H

#include "dialects/compass/network/Evaluator.h"
#include "support/Npy.h"
#include "test/conformance/Packs.h"
#include <string>

namespace yarrow::conformance {

struct Tolerance {
  int64_t integer = 0; ///< integers may be this far off
  /// |x - ref| <= relative * |ref| + absolute * (largest |ref| of the tensor)
  double relative = 0, absolute = 0;
};

struct Difference {
  size_t count = 0, total = 0;
  double largest = 0;
  double worstRatio = 0; ///< floats: largest |x - ref| / largest |ref|
  std::string problem;   ///< not comparable at all: why
  bool ok() const { return count == 0 && problem.empty(); }
  std::string str() const;
};

Difference compare(const compass::TensorInfo &info,
                   compass::TensorBytesRef bytes, const NpyView &reference,
                   const Tolerance &tolerance);

/// The numbers that a tensor stands for: dequantized by its scale and zero
/// point.
std::vector<double> realValues(const compass::TensorInfo &info,
                               compass::TensorBytesRef bytes);

/// The cosine of the angle between two tensors read as real numbers, the
/// second one dequantized by its scale and zero point.
double cosine(const compass::TensorInfo &a, compass::TensorBytesRef aBytes,
              const compass::TensorInfo &b, const NpyView &bValues);

/// The bytes of one input of a network from a recorded file: copied, or
/// quantized as the reference does it, in float32.
std::optional<compass::TensorBytes> inputBytes(const compass::TensorInfo &info,
                                               const std::string &file,
                                               bool quantize,
                                               DiagnosticEngine &diags);

/// All inputs of a sample; nullopt after a diagnostic.
std::optional<std::vector<compass::TensorBytes>>
inputsOf(llvm::ArrayRef<mlir::Value> inputs, const Sample &sample,
         DiagnosticEngine &diags);

} // namespace yarrow::conformance

#endif // YARROW_TEST_CONFORMANCE_COMPARE_H
