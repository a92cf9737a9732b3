//===- Softmax.cpp - Softmax kernels --------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/norm/Softmax.h"
#include "kernels/Epilogue.h"
#include "kernels/LaneSum.h"
#include "kernels/Math.h"
#include "kernels/StripRequant.h"
#include "kernels/activation/Lookup.h"
#include "kernels/norm/SoftmaxRows.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Quotient of non-negative numbers; 64-bit division is slow on a 32-bit core.
int64_t divide(int64_t a, int64_t b) {
  if ((uint64_t(a) | uint64_t(b)) >> 32 == 0)
    return uint32_t(a) / uint32_t(b);
  return int64_t(uint64_t(a) / uint64_t(b));
}

Requant outputOf(DType type, int32_t zp, int32_t lo, int32_t hi) {
  Requant r;
  r.outType = type;
  r.zp = zp;
  r.lo = lo;
  r.hi = hi;
  return r;
}

/// Rows of bytes, tables of one entry for each difference, results in 32 bits.
bool areLutStrips(const SoftmaxLutParams &p) {
  int32_t shift = p.shift + p.extraBits;
  bool isUnsigned = p.tableType == DType::U8 || p.tableType == DType::U16 ||
                    dtypeBytes(p.tableType) == 4;
  return p.shape.inner == 1 && isByte(p.inType) && isByte(p.outType) &&
         isUnsigned && p.inBits == 8 && p.log2Size >= 8 && !p.numeratorFirst &&
         p.extraBits >= 0 && p.extraBits < 32 &&
         int64_t(p.scale) << p.extraBits <= int64_t(1) << 31 && shift >= 1 &&
         shift <= 31;
}

/// E of a row is kept if it is not longer, else looked up twice.
constexpr uint32_t kKeptRow = 512;

/// A row of E * rev. E is at most S, and so a product at most scale <<
/// extraBits, 2^31.
template <typename Entry>
void lutRow(const SoftmaxLutParams &p, const uint8_t *input, const Entry *table,
            uint8_t *output, uint8_t top) {
  uint32_t axis = p.shape.axis, kept[kKeptRow];
  bool isKept = axis <= kKeptRow;
  auto lookUp = [&](uint32_t i, auto size, Strip<uint32_t> &e) {
    Strip<uint8_t> x;
    loadStrip<uint8_t>(input, i, size, x);
    x += uint8_t(255 - top); // modulo 2^8, also of signed bytes
    gatherStrip(table, __builtin_convertvector(x, Strip<int32_t>), e);
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
  int64_t sum = int64_t(__builtin_reduce_add(sums));
  int64_t divisor = sum > 1 ? sum : 1;
  uint32_t reverse = uint32_t(divide(int64_t(p.scale) << p.extraBits, divisor));
  forEachStrip(0, axis, [&](uint32_t i, auto size) {
    Strip<uint32_t> e;
    if (isKept)
      loadStrip<uint32_t>(kept, i, size, e);
    else
      lookUp(i, size, e);
    e *= reverse;
    roundShift(e, p.shift + p.extraBits);
    auto y = __builtin_convertvector(e, Strip<int32_t>);
    limitStrip(y, p.zp, p.lo, p.hi);
    storeStrip<uint8_t>(y, size, output, i);
  });
}

void lutRows(const SoftmaxLutParams &p, SoftmaxLutIntBuffers buffers,
             uint32_t task, uint32_t taskCount) {
  auto *input = static_cast<const uint8_t *>(buffers.input());
  auto *output = static_cast<uint8_t *>(buffers.output());
  auto rows = [&](auto *table) {
    forEachRow(p.shape, task, taskCount, [&](const Row &row) {
      lutRow(p, input + row.first, table, output + row.first,
             uint8_t(maxOf(p.inType, input, row, p.shape.axis)));
    });
  };
  switch (dtypeBytes(p.tableType)) {
  case 1:
    return rows(static_cast<const uint8_t *>(buffers.table()));
  case 2:
    return rows(static_cast<const uint16_t *>(buffers.table()));
  default:
    return rows(static_cast<const uint32_t *>(buffers.table()));
  }
}

} // namespace

YARROW_KERNEL(yk_softmax_lut_int, SoftmaxLutInt) {
  const SoftmaxShape &s = p.shape;
  if (areLutStrips(p))
    return lutRows(p, buffers, task, taskCount);
  Requant out = outputOf(p.outType, p.zp, p.lo, p.hi);
  int32_t last = int32_t((1u << p.inBits) - 1);
  forEachRow(s, task, taskCount, [&](const Row &row) {
    int32_t top = maxOf(p.inType, buffers.input(), row, s.axis);
    int32_t x[kChunk], e[kChunk];
    auto loadExp = [&](uint32_t i, uint32_t n) {
      loadRowChunk(p.inType, buffers.input(), row, i, n, x);
      for (uint32_t k = 0; k < n; ++k)
        x[k] += last - top;
      lookup(x, n, p.tableType, buffers.table(), p.inBits, p.log2Size, e);
    };
    int64_t sum = 0;
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      loadExp(i, n);
      for (uint32_t k = 0; k < n; ++k)
        sum += uint32_t(e[k]);
    });
    int64_t divisor = sum > 1 ? sum : 1;
    int64_t reverse = divide(int64_t(p.scale) << p.extraBits, divisor);
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      int64_t acc[kChunk];
      loadExp(i, n);
      for (uint32_t k = 0; k < n; ++k) {
        int64_t numerator = uint32_t(e[k]);
        acc[k] = p.numeratorFirst
                     ? divide((numerator << p.extraBits) + (sum >> 1), divisor)
                     : numerator * reverse;
      }
      requantizeChunk(acc, n, p.numeratorFirst ? p.scale : 1,
                      p.shift + p.extraBits, out, x);
      storeRowChunk(p.outType, buffers.output(), row, i, n, x);
    });
  });
}

YARROW_KERNEL(yk_softmax_float, SoftmaxFloat) {
  const SoftmaxShape &s = p.shape;
  bool isKept = s.axis <= kKeptRow / 2;
  forEachRow(s, task, taskCount, [&](const Row &row) {
    float x[kChunk];
    double kept[kKeptRow / 2]; // exponentials of a row that is not longer
    auto load = [&](uint32_t i, uint32_t n) {
      loadF32(p.inType, buffers.input(), row.first + int64_t(i) * row.stride, n,
              x, row.stride);
    };
    // It does not matter that the maximum leaves NaN out, nor which zero it is:
    // the sum of a row with NaN is NaN, and so are all results.
    constexpr float kLeast = -__builtin_huge_valf();
    Strip<float> tops = Strip<float>{} + kLeast;
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      load(i, n);
      forEachStrip(0, n, [&](uint32_t k, auto size) {
        Strip<float> some;
        loadStrip<float>(x, k, size, some);
        fillBeyond(some, size, kLeast);
        tops = __builtin_elementwise_max(tops, some);
      });
    });
    float top = __builtin_reduce_max(tops);
    LaneSum sum;
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      load(i, n);
      for (uint32_t k = 0; k < n; ++k) {
        double e = math::exp(double(x[k]) - top);
        x[k] = float(e);
        if (isKept)
          kept[i + k] = e;
      }
      sum.add(x, n);
    });
    double total = sum.total(), logTotal = math::log(total);
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      if (!isKept || p.isLog)
        load(i, n);
      for (uint32_t k = 0; k < n; ++k) {
        double d = double(x[k]) - top;
        x[k] = float(p.isLog  ? d - logTotal
                     : isKept ? kept[i + k] / total
                              : math::exp(d) / total);
      }
      for (uint32_t k = 0; k < n && row.stride != 1; ++k)
        storeF32(p.outType, buffers.output(),
                 row.first + int64_t(i + k) * row.stride, 1, x + k);
      if (row.stride == 1)
        storeF32(p.outType, buffers.output(), row.first + i, n, x);
    });
  });
}
