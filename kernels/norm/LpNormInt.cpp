//===- LpNormInt.cpp - Integer division by a norm -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"
#include "kernels/Math.h"
#include "kernels/StripRequant.h"
#include "kernels/StripRuns.h"
#include "kernels/norm/ColumnSums.h"
#include "kernels/norm/InverseSqrt.h"
#include "kernels/norm/LpNorm.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// 8 bits and a zero point of at most 255: |x| < 2^9.
bool isSmall(const LpNormIntParams &p) { return dtypeBytes(p.inType) == 1; }

/// L1: v = trunc(x * scale / S). In double: products have up to 33 bits, and a
/// quotient of integers below 2^53 does not round up to the next integer.
template <typename Sums>
void divideChunk(const LpNormIntParams &p, const int32_t *x, uint32_t n,
                 const Sums &divisor, int64_t *v) {
  for (uint32_t i = 0; i < n; ++i) {
    double quotient = double(x[i]) * double(p.scale) / divisor[i];
    quotient = quotient < -0x1p31 ? -0x1p31 : quotient;
    quotient = quotient > 0x1p31 - 1 ? 0x1p31 - 1 : quotient;
    v[i] = int32_t(quotient);
  }
}

/// What S is divided by; infinite for a sum of 0, whose values become 0.
double divisorOf(const LpNormIntParams &p, int64_t sum) {
  int32_t right = p.shift < 0 ? -p.shift : 0;
  sum >>= right;
  return sum ? math::fromI64(sum) : math::kInfinity;
}

/// L2: v * r, at most 2^30.
template <typename Roots>
void multiplyChunk(const LpNormIntParams &p, const int32_t *x, uint32_t n,
                   const Roots &root, int64_t *product) {
  for (uint32_t i = 0; i < n; ++i) {
    int32_t scaled = isSmall(p) ? x[i] * p.scale // 9 + 16 bits
                                : saturateToI32(int64_t(x[i]) * p.scale);
    scaled = clamp<int32_t>(scaled >> (p.preShift < 31 ? p.preShift : 31),
                            INT16_MIN, INT16_MAX);
    product[i] = scaled * root[i];
  }
}

/// The sums of the norm.
class Terms {
public:
  Terms(const LpNormIntParams &p, LpNormIntBuffers buffers)
      : p(p), buffers(buffers) {}

  void load(int64_t element, uint32_t n, int32_t *x) const {
    loadI32(p.inType, buffers.input(), element, n, x);
    for (uint32_t i = 0; i < n; ++i)
      x[i] += p.inZp;
  }

  int64_t ofRows(const NormBlock &block) const {
    int64_t sum = 0;
    block.forEachChunk([&](int64_t element, uint32_t n, uint32_t) {
      if (p.order == 2 && isSmall(p))
        return withByte(p.inType, [&](auto zero) {
          sum +=
              squaresOfRun<decltype(zero)>(buffers.input(), element, n, p.inZp);
        });
      int32_t x[kChunk];
      load(element, n, x);
      if (p.order == 1 || isSmall(p)) {
        int32_t part = 0; // 7 + 18 bits
        for (uint32_t i = 0; i < n; ++i)
          part += p.order == 2 ? x[i] * x[i] : x[i] < 0 ? -x[i] : x[i];
        sum += part;
      } else {
        for (uint32_t i = 0; i < n; ++i)
          sum += int64_t(x[i]) * x[i];
      }
    });
    return sum;
  }

  void ofColumns(const NormBlock &block, int64_t *sums) const {
    if (p.order == 1 || isSmall(p))
      sumSmallColumns(
          block, sums,
          [&](int64_t element, uint32_t, uint32_t n, Columns<int32_t> &sum) {
            Columns<int32_t> x;
            loadColumns(p.inType, buffers.input(), element, n, x);
            x += p.inZp;
            sum += p.order == 2 ? x * x : (x < 0 ? -x : x);
          });
    else
      sumColumns(
          block, sums,
          [&](int64_t element, uint32_t, uint32_t n, Columns<int64_t> &sum) {
            Columns<int32_t> x;
            loadColumns(p.inType, buffers.input(), element, n, x);
            x += p.inZp;
            auto wide = __builtin_convertvector(x, Columns<int64_t>);
            sum += wide * wide;
          });
    block.sumGroups(sums);
  }

  SmallInverseSqrt rootOf(int64_t sum) const {
    return smallInverseSqrt(sum, static_cast<const int16_t *>(buffers.table()));
  }
  int32_t shiftOf(const SmallInverseSqrt &root) const {
    return p.shift + 31 - p.preShift - root.shift;
  }
  /// Whether strips do rows with this shift: L2 of bytes.
  bool areStrips(int32_t shift) const {
    return p.order == 2 && isSmall(p) && shift >= 0 &&
           contains(kInt8To16, p.requant.outType);
  }
  /// As multiplyChunk and requantizeChunk. Products are below 2^30, which a
  /// shift of 31 rounds to 0 as greater ones do.
  void storeStrips(int64_t element, uint32_t n, int32_t root,
                   int32_t shift) const {
    int32_t right = shift < 31 ? shift : 31;
    withByte(p.inType, [&](auto zero) {
      forEachStrip(0, n, [&](uint32_t i, auto size) {
        Strip<int32_t> x;
        loadStrip<decltype(zero)>(buffers.input(), element + i, size, x);
        x = (x + p.inZp) * p.scale >> (p.preShift < 31 ? p.preShift : 31);
        limitStrip(x, 0, INT16_MIN, INT16_MAX);
        roundShift(x *= root, right);
        limitStrip(x, p.requant.zp, p.requant.lo, p.requant.hi);
        storeStrip(p.requant.outType, x, size, buffers.output(), element + i);
      });
    });
  }
  void store(int64_t element, uint32_t n, const int32_t *y) const {
    storeI32(p.requant.outType, buffers.output(), element, n, y);
  }

  const LpNormIntParams &p;

private:
  LpNormIntBuffers buffers;
};

void normalizeRows(const Terms &terms, const NormBlock &block) {
  const LpNormIntParams &p = terms.p;
  int64_t sum = terms.ofRows(block);
  SameForAll<double> divisor{1};
  SameForAll<int32_t> root{1};
  int32_t shift = p.shift > 0 ? p.shift : 0;
  if (p.order == 1) {
    divisor.value = divisorOf(p, sum);
  } else {
    SmallInverseSqrt r = terms.rootOf(sum);
    root.value = r.value;
    shift = terms.shiftOf(r);
  }
  if (terms.areStrips(shift))
    return block.forEachOwnChunk([&](int64_t element, uint32_t n, uint32_t) {
      terms.storeStrips(element, n, root.value, shift);
    });
  block.forEachOwnChunk([&](int64_t element, uint32_t n, uint32_t) {
    int32_t x[kChunk];
    int64_t v[kChunk];
    terms.load(element, n, x);
    if (p.order == 1)
      divideChunk(p, x, n, divisor, v);
    else
      multiplyChunk(p, x, n, root, v);
    requantizeChunk(v, n, 1, shift, p.requant, x);
    terms.store(element, n, x);
  });
}

void normalizeColumns(const Terms &terms, const NormBlock &block) {
  const LpNormIntParams &p = terms.p;
  int64_t sums[kNormColumns];
  double divisors[kNormColumns];
  int32_t roots[kNormColumns], scales[kNormColumns], shifts[kNormColumns];
  terms.ofColumns(block, sums);
  for (uint32_t i = 0; i < block.lanes(); ++i) {
    divisors[i] = divisorOf(p, sums[i]);
    scales[i] = 1;
    if (p.order == 1)
      continue;
    SmallInverseSqrt r = terms.rootOf(sums[i]);
    roots[i] = r.value;
    shifts[i] = terms.shiftOf(r);
  }
  const double *divisor = divisors;
  const int32_t *root = roots;
  block.forEachOwnChunk([&](int64_t element, uint32_t n, uint32_t) {
    int32_t x[kNormColumns];
    int64_t v[kNormColumns];
    terms.load(element, n, x);
    if (p.order == 1) {
      divideChunk(p, x, n, divisor, v);
      requantizeChunk(v, n, 1, p.shift > 0 ? p.shift : 0, p.requant, x);
    } else {
      multiplyChunk(p, x, n, root, v);
      requantizeChunkPerChannel(v, n, scales, shifts, p.requant, x);
    }
    terms.store(element, n, x);
  });
}

} // namespace

YARROW_KERNEL(yk_lp_norm_int, LpNormInt) {
  Terms terms(p, buffers);
  forEachBlock(p.shape, task, taskCount, [&](const NormBlock &block) {
    if (block.isColumns())
      normalizeColumns(terms, block);
    else
      normalizeRows(terms, block);
  });
}
