//===- SoftmaxLutRows.h - Softmax of rows of 16 bits ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Rows one by one, by strips: of operands and results of 8 or 16 bits, with
// tables of an entry for each difference or of fewer, between which is
// interpolated (activation/Lookup.h). Bytes alone have shorter forms
// (SoftmaxLut.cpp).
//
//   if (areWideLutRows(p)) wideLutRow<int16_t, uint16_t>(p, row, table, out,
//   top);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_SOFTMAXLUTROWS_H
#define YARROW_KERNELS_NORM_SOFTMAXLUTROWS_H

#include "kernels/StripRequant.h"
#include "kernels/norm/Softmax.h"

namespace yarrow::kernels {

/// E of a row is kept if it is not longer, else looked up twice.
constexpr uint32_t kKeptRow = 1024;

/// Loops over rows of so few values are unrolled (SoftmaxLut.cpp), and take a
/// sixth of a strip that is mostly empty.
constexpr uint32_t kUnrolledRow = 8;

/// Quotients that are rounded once, of exponentials of at most 32 bits.
inline bool areWideExponentials(const SoftmaxLutParams &p) {
  bool isUnsigned = p.tableType == DType::U8 || p.tableType == DType::U16 ||
                    dtypeBytes(p.tableType) == 4;
  int32_t shift = p.shift + p.extraBits;
  return isSmallInt(p.inType) && isSmallInt(p.outType) && isUnsigned &&
         p.inBits <= 16 && !p.numeratorFirst && p.scale >= 0 &&
         p.extraBits >= 0 && p.extraBits < 31 && shift >= 1 && shift <= 62;
}
/// Whether rows of \p p are taken one by one.
inline bool areWideLutRows(const SoftmaxLutParams &p) {
  return p.shape.axis > kUnrolledRow && areWideExponentials(p);
}

/// E * rev, requantized: E is at most the sum, and so a product at most scale
/// << extraBits.
struct WideQuotient {
  uint64_t most;
  int32_t shift;

  explicit WideQuotient(const SoftmaxLutParams &p)
      : most(uint64_t(p.scale) << p.extraBits), shift(p.shift + p.extraBits) {}

  /// \p reverse is one number, or one of each lane.
  template <typename Reverse>
  void apply(const SoftmaxLutParams &p, Strip<uint32_t> &e,
             const Reverse &reverse, Strip<int32_t> &y) const {
    if (most <= uint64_t(1) << 31 && shift <= 31) {
      if constexpr (sizeof(Reverse) == sizeof(uint64_t))
        e *= uint32_t(reverse);
      else
        e *= __builtin_convertvector(reverse, Strip<uint32_t>);
      roundShift(e, shift);
      y = __builtin_convertvector(e, Strip<int32_t>);
      return limitStrip(y, p.zp, p.lo, p.hi);
    }
    auto wide = __builtin_convertvector(e, Strip<uint64_t>) * reverse;
    auto rounded = __builtin_convertvector(wide, Strip<int64_t>);
    roundShift(rounded, shift);
    limitStrip(rounded, p.zp, p.lo, p.hi, y);
  }
};

/// e: the exponentials of x, which are differences to the greatest plus the
/// table's last index.
template <typename Entry>
inline void lookUpExponentials(const SoftmaxLutParams &p, const Entry *table,
                               Strip<int32_t> &x, Strip<uint32_t> &e) {
  // Lanes beyond the end may lie outside.
  x = __builtin_elementwise_max(x, Strip<int32_t>{});
  x = __builtin_elementwise_min(x, Strip<int32_t>{} +
                                       int32_t((1u << p.inBits) - 1));
  uint32_t log2Size = p.log2Size < p.inBits ? p.log2Size : p.inBits;
  auto fractionBits = int32_t(p.inBits - log2Size);
  if (fractionBits == 0)
    return gatherStrip(table, x, e);
  Strip<int32_t> entry = x >> fractionBits;
  Strip<int32_t> next = __builtin_elementwise_min(
      entry + 1, Strip<int32_t>{} + int32_t((1u << log2Size) - 1));
  Strip<uint32_t> high;
  gatherStrip(table, entry, e);
  gatherStrip(table, next, high);
  // Differences have 33 bits, fractions 15.
  auto low = __builtin_convertvector(e, Strip<int64_t>);
  Strip<int64_t> step = __builtin_convertvector(high, Strip<int64_t>) - low;
  step *= __builtin_convertvector(x - (entry << fractionBits), Strip<int64_t>);
  e = __builtin_convertvector(low + (step >> fractionBits), Strip<uint32_t>);
}

/// A row of E * rev, whose elements are \p stride apart, \p top being its
/// greatest value.
template <typename In, typename Out, typename Entry>
inline void wideLutRow(const SoftmaxLutParams &p, const In *input,
                       const Entry *table, Out *output, int32_t stride,
                       int32_t top) {
  uint32_t axis = p.shape.axis, kept[kKeptRow];
  bool isKept = axis <= kKeptRow;
  int32_t last = int32_t((1u << p.inBits) - 1);
  auto lookUp = [&](uint32_t i, auto size, Strip<uint32_t> &e) {
    Strip<int32_t> x;
    loadStrided<In>(input, int64_t(i) * stride, stride, size, x);
    x += last - top;
    lookUpExponentials(p, table, x, e);
  };
  Strip<uint64_t> sums{};
  forEachStrip(0, axis, [&](uint32_t i, auto size) {
    Strip<uint32_t> e;
    lookUp(i, size, e);
    fillBeyond(e, size, 0u);
    sums += __builtin_convertvector(e, Strip<uint64_t>);
    if (isKept)
      storeStrip<uint32_t>(e, size, kept, i);
  });
  uint64_t sum = __builtin_reduce_add(sums);
  WideQuotient quotient(p);
  uint64_t reverse = quotient.most / (sum > 1 ? sum : 1);
  forEachStrip(0, axis, [&](uint32_t i, auto size) {
    Strip<uint32_t> e;
    if (isKept)
      loadStrip<uint32_t>(kept, i, size, e);
    else
      lookUp(i, size, e);
    Strip<int32_t> y;
    quotient.apply(p, e, reverse, y);
    storeStrided<Out>(y, size, output, int64_t(i) * stride, stride);
  });
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_SOFTMAXLUTROWS_H
