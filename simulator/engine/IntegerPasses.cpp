//===- IntegerPasses.cpp - The output stage in integers -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sums and products wrap, as broken descriptors may have any numbers.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/IntegerPasses.h"

#include "simulator/engine/HostVector.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::sim;

static inline int64_t add(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) + uint64_t(b));
}
static inline int64_t subtract(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) - uint64_t(b));
}
static inline int64_t multiply(int64_t a, int64_t b) {
  return int64_t(uint64_t(a) * uint64_t(b));
}
static inline int64_t limit(int64_t x, int64_t lo, int64_t hi) {
  x = x < lo ? lo : x;
  return x > hi ? hi : x;
}
/// Product * 2^left, limited to 64 bits.
static inline int64_t shiftLeft(int64_t product, uint64_t left) {
  product = limit(product, INT64_MIN >> left, INT64_MAX >> left);
  return int64_t(uint64_t(product) << left);
}

RoundFactor RoundFactor::of(int32_t scale, int32_t shift, bool halfUp) {
  RoundFactor f;
  f.scale = scale;
  f.right = uint64_t(std::clamp(shift, 0, 62));
  f.left = uint64_t(std::clamp(-shift, 0, 62));
  f.offset >>= f.right;
  if (f.right == 0)
    return f;
  f.odd = halfUp ? 0 : 1;
  f.bias += (uint64_t(1) << (f.right - 1)) - f.odd;
  return f;
}

void RoundFactors::add(int32_t scale, int32_t shift, bool halfUp) {
  RoundFactor f = RoundFactor::of(scale, shift, halfUp);
  scales.push_back(f.scale);
  rights.push_back(f.right);
  lefts.push_back(f.left);
  biases.push_back(f.bias);
  odds.push_back(f.odd);
  offsets.push_back(f.offset);
  hasLeft |= f.left != 0;
}

YARROW_HOST_CLONES void sim::scaleClip(int64_t *values, const RoundFactors &f,
                                       size_t first, int64_t lo, int64_t hi,
                                       size_t n) {
  const int64_t *scales = &f.scales[first];
  const uint64_t *rights = &f.rights[first], *lefts = &f.lefts[first];
  const uint64_t *biases = &f.biases[first], *odds = &f.odds[first];
  const uint64_t *offsets = &f.offsets[first];
  if (!f.hasLeft) {
    for (size_t i = 0; i < n; ++i) {
      auto p = uint64_t(multiply(values[i], scales[i]));
      values[i] = limit(
          RoundFactor::round(p, rights[i], biases[i], odds[i], offsets[i]), lo,
          hi);
    }
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    auto p = uint64_t(shiftLeft(multiply(values[i], scales[i]), lefts[i]));
    values[i] =
        limit(RoundFactor::round(p, rights[i], biases[i], odds[i], offsets[i]),
              lo, hi);
  }
}

YARROW_HOST_CLONES void sim::scaleClip(int64_t *values,
                                       const RoundFactor &factor, int64_t lo,
                                       int64_t hi, size_t n) {
  const RoundFactor f = factor;
  for (size_t i = 0; i < n; ++i)
    values[i] =
        limit(f.round(shiftLeft(multiply(values[i], f.scale), f.left)), lo, hi);
}

YARROW_HOST_CLONES void sim::addSums(const int32_t *sums, const int64_t *bias,
                                     bool wraps32, size_t n, int64_t *to) {
  if (wraps32) {
    for (size_t i = 0; i < n; ++i)
      to[i] = int32_t(uint32_t(sums[i]) + uint32_t(bias[i]));
    return;
  }
  for (size_t i = 0; i < n; ++i)
    to[i] = add(sums[i], bias[i]);
}
YARROW_HOST_CLONES void sim::addSums(const int64_t *sums, const int64_t *bias,
                                     bool wraps32, size_t n, int64_t *to) {
  if (wraps32) {
    for (size_t i = 0; i < n; ++i)
      to[i] = int32_t(uint32_t(sums[i]) + uint32_t(bias[i]));
    return;
  }
  for (size_t i = 0; i < n; ++i)
    to[i] = add(sums[i], bias[i]);
}
YARROW_HOST_CLONES void sim::relu(int64_t *values, size_t n) {
  for (size_t i = 0; i < n; ++i)
    values[i] = values[i] > 0 ? values[i] : 0;
}
YARROW_HOST_CLONES void sim::prelu(int64_t *values, const int64_t *slopes,
                                   int32_t shift, size_t n) {
  const RoundFactor f = RoundFactor::of(1, shift, /*halfUp=*/false);
  for (size_t i = 0; i < n; ++i) {
    int64_t negative = values[i] < 0 ? values[i] : 0;
    int64_t positive = values[i] > 0 ? values[i] : 0;
    values[i] = add(positive, f.round(multiply(negative, slopes[i])));
  }
}
/// a = join(aligned a, aligned b)
template <typename Join>
static inline void joinAligned(int64_t *a, int64_t aZero, int64_t aScale,
                               const int32_t *b, int64_t bZero, int64_t bScale,
                               size_t n, Join join) {
  for (size_t i = 0; i < n; ++i)
    a[i] = join(multiply(add(a[i], aZero), aScale),
                multiply(add(b[i], bZero), bScale));
}
YARROW_HOST_CLONES void sim::joinOperands(isa::SumOp op, int64_t *a,
                                          int64_t aZero, int64_t aScale,
                                          const int32_t *b, int64_t bZero,
                                          int64_t bScale, size_t n) {
  auto join = [&](auto fn) {
    joinAligned(a, aZero, aScale, b, bZero, bScale, n, fn);
  };
  switch (op) {
  case isa::SumOp::Add:
    return join([](int64_t x, int64_t y) { return add(x, y); });
  case isa::SumOp::Sub:
    return join([](int64_t x, int64_t y) { return subtract(x, y); });
  case isa::SumOp::ReverseSub:
    return join([](int64_t x, int64_t y) { return subtract(y, x); });
  case isa::SumOp::Max:
    return join([](int64_t x, int64_t y) { return x > y ? x : y; });
  case isa::SumOp::Min:
    return join([](int64_t x, int64_t y) { return x < y ? x : y; });
  case isa::SumOp::Mul:
    for (size_t i = 0; i < n; ++i)
      a[i] = multiply(add(a[i], aZero), add(b[i], bZero));
  }
}
YARROW_HOST_CLONES void sim::toInts(const int64_t *values, int32_t zeroPoint,
                                    int32_t *to, size_t n) {
  for (size_t i = 0; i < n; ++i)
    to[i] = int32_t(values[i] - zeroPoint);
}
