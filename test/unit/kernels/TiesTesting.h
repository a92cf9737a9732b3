//===- TiesTesting.h - Sums exactly between two integers --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Halves of odd numbers, and where each way of rounding takes them, by hand.
// Every path that rounds must take all of them there:
//   TiesElementwiseTest  activations, slopes, CLIP, casts, Concat, Quantize,
//                        sums and products of two, Div, Where, tables
//   TiesSumsTest         products of matrices, convolutions, BatchNorm,
//                        reductions, products, running sums, updates
//   TiesWindowsTest      means (2D, 3D, areas), norms, morphology, Fold
//   TiesNormsTest        LayerNorm in each form, L1, L2, softmax, moments, LRN
//   TiesImagesTest       resize, grids, colours
//   TiesSequencesTest    cells of an LSTM, rotary embedding
// Boxes and regions have references in plain code: DecodeTest, RegionTest,
// PyramidTest.
//
//   auto x = stored(DType::I8, kOdd);
//   runKernel("yk_cast", halvingCast, {x.data(), y.data()});
//   expectValues(DType::I8, y, kToEven);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_KERNELS_TIESTESTING_H
#define YARROW_TEST_UNIT_KERNELS_TIESTESTING_H

#include "kernels/WideElements.h"
#include "test/unit/kernels/KernelTesting.h"
#include "test/unit/kernels/TypeLimits.h"

#include <span>

namespace yarrow::kernels::testing {

using IntSpan = std::span<const int32_t>;

inline constexpr int32_t kOdd[] = {-7, -5, -3, -1, 1, 3, 5, 7};
// Their halves, to the even neighbour, and to the others.
inline constexpr int32_t kToEven[] = {-4, -2, -2, 0, 0, 2, 2, 4};
inline constexpr int32_t kUpwards[] = {-3, -2, -1, 0, 1, 2, 3, 4};
inline constexpr int32_t kFromZero[] = {-4, -3, -2, -1, 1, 2, 3, 4};
inline constexpr int32_t kTowardsZero[] = {-3, -2, -1, 0, 0, 1, 2, 3};
inline constexpr int32_t kDownwards[] = {-4, -3, -2, -1, 0, 1, 2, 3};

/// So many elements that there are whole strips and chunks and a part of each.
inline constexpr uint32_t kCount = 8 * 21;

/// A zero point with which a type holds all of them, and which is odd: it must
/// not decide which neighbour is even.
inline int32_t zeroPointOf(DType type) {
  return yarrow::testing::limitsOf(type).low == 0 ? -101 : 3;
}

/// Elements value * \p factor - \p zp, the values over and over.
inline std::vector<uint8_t> stored(DType type, IntSpan values,
                                   int32_t factor = 1, int32_t zp = 0,
                                   uint32_t count = kCount) {
  std::vector<uint8_t> bytes(count * dtypeBytes(type));
  for (uint32_t i = 0; i < count; ++i) {
    int64_t value = int64_t(values[i % values.size()]) * factor - zp;
    storeI64(type, bytes.data(), i, 1, &value);
  }
  return bytes;
}

inline std::vector<uint8_t> room(DType type, uint32_t count = kCount) {
  return std::vector<uint8_t>(count * dtypeBytes(type), 0x5a);
}

/// Whether the elements are the values over and over, minus \p zp.
inline void expectValues(DType type, const std::vector<uint8_t> &elements,
                         IntSpan want, int32_t zp = 0) {
  for (uint32_t i = 0; i < elements.size() / dtypeBytes(type); ++i) {
    int64_t value = 0;
    loadI64(type, elements.data(), i, 1, &value);
    ASSERT_EQ(value + zp, want[i % want.size()]) << "element " << i;
  }
}

inline Requant requantOf(DType out, int32_t scale, int32_t shift,
                         Rounding rounding = Rounding::HalfEven) {
  Requant r;
  r.outType = out;
  r.rounding = rounding;
  r.scale = scale, r.shift = shift;
  r.zp = zeroPointOf(out);
  r.lo = yarrow::testing::limitsOf(out).low;
  r.hi = yarrow::testing::limitsOf(out).high;
  return r;
}

/// kOdd times `factor` times scale / 2^shift, which are halves of odd numbers.
struct Ratio {
  int32_t factor, scale, shift;
  /// By Rounding. Twice rounded, none if the multiplier is not one of 31 bits:
  /// a half that the first rounding meets goes up, one of the second away
  /// from 0.
  const int32_t *want[3];
};
inline constexpr Ratio kRatios[] = {
    {1, 1, 1, {kToEven, kUpwards, nullptr}},
    {1, 32768, 16, {kToEven, kUpwards, nullptr}},
    {1, 1 << 24, 25, {kToEven, kUpwards, nullptr}},
    {1, 1 << 30, 31, {kToEven, kUpwards, kUpwards}},
    {2, 1 << 30, 32, {kToEven, kUpwards, kFromZero}},
};

/// One way from a type to another.
struct Path {
  DType in, out;
  Rounding rounding;
  const Ratio &ratio;

  Requant requant() const {
    return requantOf(out, ratio.scale, ratio.shift, rounding);
  }
  IntSpan want() const { return {ratio.want[unsigned(rounding)], 8}; }
  std::string text() const {
    return "types " + std::to_string(int(in)) + " to " +
           std::to_string(int(out)) + ", rounding " +
           std::to_string(int(rounding)) + ", scale " +
           std::to_string(ratio.scale) + " >> " + std::to_string(ratio.shift);
  }
};

/// Calls fn(path) for every type, rounding and ratio.
template <typename Fn>
void forEachPath(std::initializer_list<DType> ins,
                 std::initializer_list<DType> outs, Fn fn) {
  for (DType in : ins)
    for (DType out : outs)
      for (Rounding rounding :
           {Rounding::HalfEven, Rounding::HalfUp, Rounding::Double})
        for (const Ratio &ratio : kRatios) {
          Path path{in, out, rounding, ratio};
          if (!ratio.want[unsigned(rounding)])
            continue;
          SCOPED_TRACE(path.text());
          fn(path);
          if (::testing::Test::HasFatalFailure())
            return;
        }
}

} // namespace yarrow::kernels::testing

#endif // YARROW_TEST_UNIT_KERNELS_TIESTESTING_H
