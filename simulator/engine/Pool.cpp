//===- Pool.cpp - Pooling on the tensor engine ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/HostVector.h"
#include "simulator/engine/Passes.h"
#include "simulator/engine/TensorEngine.h"
#include "support/Numeric.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

namespace {
/// The cells of one window that are inside the tensor: rows and columns as
/// window coordinates [begin, end).
struct Cells {
  uint32_t rowBegin, rowEnd, columnBegin, columnEnd;
  uint32_t count() const {
    return (rowEnd - rowBegin) * (columnEnd - columnBegin);
  }
};

using PoolOperands = Pool::PerAddress<uint8_t *>;

class PoolRun {
public:
  PoolRun(const Pool &op, const PoolOperands &at)
      : op(op), at(at), values(op.inChannels), results(op.inChannels) {}
  Fault run();

private:
  Fault row(uint32_t y);
  void reduce(const Cells &cells, uint32_t y, uint32_t x);
  void average(uint32_t area);
  void maximum(bool sawPadding);

  const Pool &op;
  PoolOperands at;
  std::vector<int64_t> values;
  std::vector<int32_t> results;
};
} // namespace

/// Window cells i with 0 <= first + i * dilation < limit, as [begin, end).
static void cellsInside(int64_t first, uint32_t dilation, uint32_t cells,
                        int64_t limit, uint32_t &begin, uint32_t &end) {
  int64_t from = first < 0 ? (-first + dilation - 1) / dilation : 0;
  int64_t to = limit > first ? (limit - first + dilation - 1) / dilation : 0;
  begin = uint32_t(std::min<int64_t>(from, cells));
  end = uint32_t(std::clamp<int64_t>(to, begin, cells));
}

template <typename T>
static inline __attribute__((always_inline)) void
addPixel(const uint8_t *from, size_t n, int64_t *to) {
  for (size_t i = 0; i < n; ++i) {
    T element;
    std::memcpy(&element, from + i * sizeof(T), sizeof(T));
    to[i] += element;
  }
}
template <typename T>
static inline __attribute__((always_inline)) void
maxPixel(const uint8_t *from, size_t n, int64_t *to) {
  for (size_t i = 0; i < n; ++i) {
    T element;
    std::memcpy(&element, from + i * sizeof(T), sizeof(T));
    int64_t value = element;
    to[i] = to[i] < value ? value : to[i];
  }
}

YARROW_HOST_CLONES static void
addElements(ElementType type, const uint8_t *from, size_t n, int64_t *to) {
  switch (type) {
  case ElementType::I8:
    return addPixel<int8_t>(from, n, to);
  case ElementType::U8:
    return addPixel<uint8_t>(from, n, to);
  case ElementType::I16:
    return addPixel<int16_t>(from, n, to);
  default:
    return addPixel<uint16_t>(from, n, to);
  }
}
YARROW_HOST_CLONES static void
maxElements(ElementType type, const uint8_t *from, size_t n, int64_t *to) {
  switch (type) {
  case ElementType::I8:
    return maxPixel<int8_t>(from, n, to);
  case ElementType::U8:
    return maxPixel<uint8_t>(from, n, to);
  case ElementType::I16:
    return maxPixel<int16_t>(from, n, to);
  default:
    return maxPixel<uint16_t>(from, n, to);
  }
}

static Fault resolve(const Pool &op, const Sram &sram, PoolOperands &to) {
  if (Fault f = refusalOf(op))
    return f;
  return sram.resolve(op, to);
}

void PoolRun::maximum(bool sawPadding) {
  TypeRange range = rangeOf(op.outType);
  for (size_t c = 0; c < values.size(); ++c) {
    int64_t value =
        sawPadding ? std::max<int64_t>(values[c], op.padValue) : values[c];
    results[c] = int32_t(clamp(value, range.lowest, range.highest));
  }
}

void PoolRun::average(uint32_t area) {
  // A window without a cell has sum 0, whatever the multiplier.
  const uint8_t *record = at.reciprocals + (std::max(area, 1u) - 1) * 4;
  int32_t scale = record[0] | record[1] << 8;
  if (op.wideScale)
    scale |= record[3] << 16;
  auto shift = int8_t(record[2]);
  double lo = double(op.outMin) + op.outZeroPoint;
  double hi = double(op.outMax) + op.outZeroPoint;
  for (size_t first = 0; first < values.size(); first += kPassElements) {
    size_t n = std::min(kPassElements, values.size() - first);
    if (largestSum(&values[first], n) * scale < kExactLimit) {
      double sums[kPassElements];
      loadSums(&values[first], n, sums);
      scaleClip(sums, std::ldexp(double(scale), -int(shift)), lo, hi, n);
      toInts(sums, op.outZeroPoint, &results[first], n);
    } else {
      for (size_t i = first; i < first + n; ++i)
        results[i] = requantize(values[i], scale, shift, op.outZeroPoint,
                                op.outMin, op.outMax);
    }
  }
}

void PoolRun::reduce(const Cells &cells, uint32_t y, uint32_t x) {
  bool isMax = op.method == PoolMethod::Max;
  std::fill(values.begin(), values.end(),
            isMax ? INT64_MIN : int64_t(op.inZeroPoint) * cells.count());
  int64_t top = int64_t(y) * op.strideY - op.padTop;
  int64_t left = int64_t(x) * op.strideX - op.padLeft;
  for (uint32_t ky = cells.rowBegin; ky < cells.rowEnd; ++ky)
    for (uint32_t kx = cells.columnBegin; kx < cells.columnEnd; ++kx) {
      const uint8_t *pixel =
          at.input + (top + int64_t(ky) * op.dilationY) * op.inRowStride +
          (left + int64_t(kx) * op.dilationX) * op.inPixelStride;
      if (isMax)
        maxElements(op.inType, pixel, values.size(), values.data());
      else
        addElements(op.inType, pixel, values.size(), values.data());
    }
  uint32_t whole = op.kernelY * op.kernelX;
  if (isMax)
    maximum(cells.count() != whole);
  else
    average(op.countIncludePad ? whole : cells.count());
}

Fault PoolRun::row(uint32_t y) {
  Cells cells;
  int64_t top = int64_t(y) * op.strideY - op.padTop;
  cellsInside(top + op.firstRow, op.dilationY, op.kernelY, op.tensorHeight,
              cells.rowBegin, cells.rowEnd);
  if (cells.rowBegin < cells.rowEnd &&
      (top + int64_t(cells.rowBegin) * op.dilationY < 0 ||
       top + int64_t(cells.rowEnd - 1) * op.dilationY >= op.inHeight))
    return faultText("pool: output row ", y,
                     " needs rows of the tensor that are not held");
  uint8_t *to = at.output + uint64_t(y) * op.outRowStride;
  for (uint32_t x = 0; x < op.outWidth; ++x, to += op.outPixelStride) {
    cellsInside(int64_t(x) * op.strideX - op.padLeft, op.dilationX, op.kernelX,
                op.inWidth, cells.columnBegin, cells.columnEnd);
    reduce(cells, y, x);
    storeElements(op.outType, results.data(), results.size(), to);
  }
  return std::nullopt;
}

Fault PoolRun::run() {
  for (uint32_t y = 0; y < op.outHeight; ++y)
    if (Fault f = row(y))
      return f;
  return std::nullopt;
}

Fault TensorEngine::execute(const Pool &pool, Budget *budget) {
  if (Fault f = checkStage("pool", pool.wideScale))
    return f;
  PoolOperands operands;
  if (Fault f = resolve(pool, sram, operands))
    return f;
  if (budget)
    if (Fault f = budget->take(effortOf(pool)))
      return f;
  access(pool);
  return PoolRun(pool, operands).run();
}
