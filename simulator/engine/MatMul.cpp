//===- MatMul.cpp - Matrix product on the tensor engine -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// sum (a + za)(b + zb) = sum ab + zb sum a + za sum b + K za zb: the products
// are those of a convolution, the zero points enter by row and column sums.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/Gemm.h"
#include "simulator/engine/ImageRows.h"
#include "simulator/engine/IntegerPasses.h"
#include "simulator/engine/Passes.h"
#include "simulator/engine/TensorEngine.h"
#include "support/Numeric.h"
#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::sim;
using namespace yarrow::isa;

namespace {
using MatMulOperands = MatMul::PerAddress<uint8_t *>;

/// An operand as int16 rows of `inner` values, made even.
struct Rows {
  uint64_t pitch = 0;
  std::vector<int16_t> data;
  std::vector<int64_t> sums; ///< Per row.
};

/// One descriptor's work, batch by batch.
class MatMulRun {
public:
  MatMulRun(const MatMul &op, const MatMulOperands &at) : op(op), at(at) {}
  void run();

private:
  void packB(const uint8_t *b);
  void rowBlock(const Rows &a, uint32_t first, uint32_t rows, uint8_t *c);
  void writeRow(const int64_t *sums, uint8_t *to);

  const MatMul &op;
  MatMulOperands at;
  /// b, or its low and high bytes: as in ConvWeights.
  struct Plane {
    int32_t factor;
    PackedMatrix matrix;
  };
  std::vector<Plane> planes;
  std::vector<int64_t> columnSums;
};
} // namespace

static Fault resolve(const MatMul &op, const Sram &sram, MatMulOperands &to) {
  if (Fault f = isa::refusalOf(op))
    return f;
  // Strides may let elements overlap; no product that makes sense needs more.
  uint64_t most = sram.sizeBytes();
  for (uint64_t size : {op.batch, op.rows, op.inner, op.columns})
    if (size > most)
      return faultText("matmul: size ", size, " is out of range");
  if (uint64_t(op.rows) * op.inner > most ||
      uint64_t(op.inner) * op.columns > most ||
      uint64_t(op.rows) * op.columns > most)
    return faultText("matmul: ", op.rows, " x ", op.inner, " x ", op.columns,
                     " does not fit the SRAM");
  return sram.resolve(op, to);
}

static void readRows(ElementType type, const uint8_t *from, uint32_t rows,
                     uint64_t rowStride, uint32_t inner, uint64_t innerStride,
                     Rows &to) {
  uint32_t bytes = elementBytes(type);
  to.pitch = (inner + 1) & ~1u;
  to.data.assign(rows * to.pitch, 0);
  to.sums.assign(rows, 0);
  for (uint32_t r = 0; r < rows; ++r) {
    int16_t *row = &to.data[r * to.pitch];
    if (innerStride == bytes) {
      widen(type, from + r * rowStride, inner, row);
    } else {
      for (uint32_t k = 0; k < inner; ++k)
        widen(type, from + r * rowStride + k * innerStride, 1, row + k);
    }
    for (uint32_t k = 0; k < inner; ++k)
      to.sums[r] += row[k];
  }
}

void MatMulRun::packB(const uint8_t *b) {
  Rows columns;
  readRows(op.bType, b, op.columns, op.bColumnStride, op.inner, op.bInnerStride,
           columns);
  columnSums = columns.sums;
  planes.clear();
  if (!is16Bit(op.aType) && !is16Bit(op.bType)) {
    planes.resize(1);
    planes[0].factor = 1;
    packMatrix(columns.data.data(), columns.pitch, op.columns, op.inner,
               planes[0].matrix);
    return;
  }
  std::vector<int16_t> low(columns.data), high(columns.data);
  for (int16_t &value : low)
    value &= 255;
  for (int16_t &value : high)
    value >>= 8;
  planes.resize(2);
  planes[0].factor = 1;
  packMatrix(low.data(), columns.pitch, op.columns, op.inner, planes[0].matrix);
  planes[1].factor = 256;
  packMatrix(high.data(), columns.pitch, op.columns, op.inner,
             planes[1].matrix);
}

void MatMulRun::writeRow(const int64_t *sums, uint8_t *to) {
  double lo = double(op.outMin) + op.outZeroPoint;
  double hi = double(op.outMax) + op.outZeroPoint;
  double factor = std::ldexp(double(op.scale), -int(op.shift));
  RoundFactor rounding = RoundFactor::of(scaleOf(op), op.shift, op.halfUp);
  bool needsIntegers = op.wideScale || op.halfUp;
  for (uint32_t c = 0; c < op.columns; c += kPassElements) {
    size_t n = std::min<size_t>(kPassElements, op.columns - c);
    int32_t results[kPassElements];
    if (!needsIntegers && largestSum(sums + c, n) * op.scale < kExactLimit) {
      double values[kPassElements];
      loadSums(sums + c, n, values);
      scaleClip(values, factor, lo, hi, n);
      toInts(values, op.outZeroPoint, results, n);
    } else {
      int64_t values[kPassElements];
      std::copy_n(sums + c, n, values);
      scaleClip(values, rounding, int64_t(op.outMin) + op.outZeroPoint,
                int64_t(op.outMax) + op.outZeroPoint, n);
      toInts(values, op.outZeroPoint, results, n);
    }
    storeElements(op.outType, results, n,
                  to + uint64_t(c) * elementBytes(op.outType));
  }
}

void MatMulRun::rowBlock(const Rows &a, uint32_t first, uint32_t rows,
                         uint8_t *c) {
  uint64_t pitch = uint64_t(planes[0].matrix.blocks()) * kGemmColumns;
  std::vector<int32_t> part(rows * pitch);
  std::vector<int64_t> sums(rows * pitch);
  GemmSegment whole{0, uint32_t(a.pitch / 2)};
  // |a| <= 32768 or 255; a plane's |b| <= 255.
  uint32_t chunkPairs = is16Bit(op.aType) ? 128 : 16512;
  for (const Plane &plane : planes)
    forEachChunk({&whole, 1}, chunkPairs,
                 [&](std::span<const GemmSegment> segments, uint32_t before) {
                   GemmJob job;
                   job.a = &a.data[first * a.pitch];
                   job.pixelPitch = int64_t(a.pitch);
                   job.pixels = rows;
                   job.segments = segments;
                   job.b = plane.matrix.data.data() +
                           uint64_t(before) * 2 * kGemmColumns;
                   job.blockStride = plane.matrix.blockStride();
                   job.blocks = plane.matrix.blocks();
                   job.c = part.data();
                   job.cPitch = pitch;
                   gemm(job);
                   accumulate(sums.data(), part.data(), plane.factor,
                              rows * pitch);
                 });
  int64_t za = int64_t(op.aZeroPoint) + widenOffset(op.aType);
  int64_t zb = int64_t(op.bZeroPoint) + widenOffset(op.bType);
  for (uint32_t r = 0; r < rows; ++r) {
    int64_t *row = &sums[r * pitch];
    int64_t rowTerm =
        wrapMul(zb, a.sums[first + r]) + wrapMul(wrapMul(za, zb), op.inner);
    for (uint32_t i = 0; i < op.columns; ++i)
      row[i] = int64_t(uint64_t(row[i]) + uint64_t(rowTerm) +
                       uint64_t(wrapMul(za, columnSums[i])));
    writeRow(row, c + uint64_t(first + r) * op.outRowStride);
  }
}

void MatMulRun::run() {
  for (uint32_t batch = 0; batch < op.batch; ++batch) {
    Rows a;
    readRows(op.aType, at.a + uint64_t(batch) * op.aBatchStride, op.rows,
             op.aRowStride, op.inner, op.aInnerStride, a);
    packB(at.b + uint64_t(batch) * op.bBatchStride);
    uint8_t *c = at.output + uint64_t(batch) * op.outBatchStride;
    for (uint32_t r = 0; r < op.rows; r += 32)
      rowBlock(a, r, std::min(32u, op.rows - r), c);
  }
}

Fault TensorEngine::execute(const MatMul &matmul, Budget *budget) {
  if (Fault f = checkStage("matmul", matmul.wideScale))
    return f;
  MatMulOperands operands;
  if (Fault f = resolve(matmul, sram, operands))
    return f;
  if (budget)
    if (Fault f = budget->take(effortOf(matmul)))
      return f;
  access(matmul);
  MatMulRun(matmul, operands).run();
  return std::nullopt;
}
