//===- Tensors.h - Element types, quantization and constants --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compass states real = (q + zp) / scale with a float32 scale; MLIR's quant
// type states real = (q - zeroPoint) * scale in double. These helpers convert
// without loss (the reciprocal of a float32 rounds back to it), and read and
// make constants that alias the mapped weights file.
//
//   TensorInfo x = describe(op->getOperand(0));
//   if (x.isQuantized()) ... x.scale, x.zp, x.lo, x.hi ...
//   Type t = quantizedType(ctx, {1, 32, 32, 16}, kernels::DType::U8, 39.49f,
//   0);
//
// aligned_int4, aligned_int12 and the unsigned ones are integers that use 4 or
// 12 bits of the one or two bytes that hold them. They are stored and computed
// as int8, int16 and so on: DType says how, StoredType also how many bits
// count. In MLIR they are integers of 4 and 12 bits.
//
//   StoredType t = *parseType("aligned_uint12");  // t.dtype is U16
//   t.bits(); dtypeRange(t);                      // 12; 0 to 4095
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_TENSORS_H
#define YARROW_DIALECTS_COMPASS_TENSORS_H

#include "kernels/Kernel.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include <memory>
#include <optional>

namespace yarrow::compass {

using kernels::DType;

/// An element type of IR text.
struct StoredType {
  StoredType(DType dtype = DType::F32, unsigned alignedBits = 0)
      : dtype(dtype), alignedBits(alignedBits) {}

  DType dtype;
  /// 4 or 12 of an aligned type, 0 where all bits of the element count.
  unsigned alignedBits;

  unsigned bits() const {
    return alignedBits ? alignedBits : 8 * kernels::dtypeBytes(dtype);
  }
  bool operator==(const StoredType &) const = default;
};

/// A tensor type in Compass's terms.
struct TensorInfo {
  DType dtype = DType::F32;
  unsigned alignedBits = 0; ///< StoredType::alignedBits
  llvm::SmallVector<int64_t> shape;
  bool quantized = false;
  float scale = 1.0f;     ///< layer_top_scale; 1 when not quantized.
  int32_t zp = 0;         ///< layer_top_zp; 0 when not quantized.
  int64_t lo = 0, hi = 0; ///< range of stored integers; 0, 0 for floats.

  bool isQuantized() const { return quantized; }
  bool isFloat() const {
    return dtype == DType::F32 || dtype == DType::F16 || dtype == DType::BF16 ||
           dtype == DType::F64;
  }
  bool isInteger() const { return !isFloat(); }
  int64_t numElements() const;
  uint64_t sizeBytes() const {
    return numElements() * kernels::dtypeBytes(dtype);
  }
  StoredType storedType() const { return {dtype, alignedBits}; }
  void setType(StoredType t) { dtype = t.dtype, alignedBits = t.alignedBits; }
  unsigned bits() const { return storedType().bits(); }
};

TensorInfo describe(mlir::Type tensorType);
inline TensorInfo describe(mlir::Value value) {
  return describe(value.getType());
}

/// Spelling in IR text ("uint8", "aligned_int4") and back, read synonyms
/// included.
llvm::StringRef dtypeName(StoredType t);
std::optional<StoredType> parseType(llvm::StringRef name);
/// Smallest and largest stored value of an integer type.
std::pair<int64_t, int64_t> dtypeRange(StoredType t);
/// The largest zero point on either side of 0 that a tensor of an integer type
/// may have: the span of the type, 255 for 8 bits (of 32 bits 2^31-1). There is
/// a bound because engines and kernels pad with -zp and size their sums by it.
int64_t mostZeroPoint(StoredType t);
bool dtypeIsSigned(DType t);
bool dtypeIsFloat(DType t);

/// float or plain integer tensor; unsigned types are ui8, ui16, ui32, aligned
/// ones i4, i12, ui4, ui12.
mlir::Type elementType(mlir::MLIRContext *context, StoredType t);
mlir::RankedTensorType plainType(mlir::MLIRContext *context,
                                 llvm::ArrayRef<int64_t> shape, StoredType t);
/// Quantized tensor; \p range defaults to that of \p t. Null when the scale is
/// not positive and finite, or the zero point is wider than \p t.
mlir::RankedTensorType
quantizedType(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape,
              StoredType t, float scale, int64_t zp,
              std::optional<std::pair<int64_t, int64_t>> range = std::nullopt);

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Raw little-endian bytes of a constant; may be unaligned (weights files are
/// densely packed).
struct ConstantView {
  DType dtype = DType::F32;
  unsigned alignedBits = 0; ///< StoredType::alignedBits
  llvm::SmallVector<int64_t> shape;
  llvm::ArrayRef<char> bytes;
  StoredType storedType() const { return {dtype, alignedBits}; }
  int64_t numElements() const;
  int64_t intAt(int64_t i) const;
  double floatAt(int64_t i) const;
  /// The sum of \p count integers from \p first on, and that of their
  /// magnitudes: weights have millions, of which intAt() would ask the type one
  /// by one.
  int64_t sumOf(int64_t first, int64_t count) const;
  uint64_t magnitudeOf(int64_t first, int64_t count) const;
  /// The least and the greatest integer, and 0.
  std::pair<int64_t, int64_t> extremesWithZero() const;
};

/// The constant's bytes. Splats of dense<> attributes are not expanded: use
/// resources for tensors. Fails (nullopt) for a resource without data.
std::optional<ConstantView> viewConstant(mlir::ElementsAttr attr);

/// A constant that aliases \p bytes and keeps \p owner alive.
mlir::ElementsAttr makeAliasConstant(mlir::MLIRContext *context,
                                     llvm::StringRef name,
                                     llvm::ArrayRef<int64_t> shape,
                                     StoredType t, llvm::ArrayRef<char> bytes,
                                     std::shared_ptr<const void> owner);
/// A constant that owns its bytes.
mlir::ElementsAttr makeConstant(mlir::MLIRContext *context,
                                llvm::StringRef name,
                                llvm::ArrayRef<int64_t> shape, StoredType t,
                                std::vector<char> bytes);
/// makeConstant from a vector of elements of the matching C++ type.
template <typename T>
mlir::ElementsAttr makeConstantOf(mlir::MLIRContext *context,
                                  llvm::StringRef name,
                                  llvm::ArrayRef<int64_t> shape, StoredType t,
                                  llvm::ArrayRef<T> values) {
  assert(sizeof(T) == kernels::dtypeBytes(t.dtype) &&
         "element type does not match");
  const char *begin = reinterpret_cast<const char *>(values.data());
  return makeConstant(
      context, name, shape, t,
      std::vector<char>(begin, begin + values.size() * sizeof(T)));
}

/// The number in an IntegerAttr or FloatAttr (key kind Number).
std::optional<double> numberOf(mlir::Attribute attr);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_TENSORS_H
