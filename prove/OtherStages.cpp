//===- OtherStages.cpp - Output stages of products and averages -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/OtherStages.h"

#include "prove/StagePieces.h"

#include "simulator/Memory.h"
#include "simulator/engine/TensorEngine.h"
#include <algorithm>
#include <cstring>
#include <set>

using namespace yarrow;
using namespace yarrow::prove;
using namespace yarrow::isa;

/// Up to so many sums are all tried.
static constexpr uint64_t kFewSums = uint64_t(1) << 21;
/// Sums of one command.
static constexpr uint32_t kRunSums = 4096;
static constexpr uint64_t kSramBytes = uint64_t(8) << 20;

namespace {
/// An SRAM and an engine.
class Bench {
public:
  Bench() : memory(sim::Memory::create(kSramBytes)) {
    if (memory)
      engine.emplace(*memory);
  }
  bool isReady() const { return memory != nullptr; }

  template <typename T> void put(uint32_t offset, const std::vector<T> &from) {
    memory->write(sim::Memory::kSramBase + offset, from.data(),
                  from.size() * sizeof(T));
  }
  /// "" or what the engine says.
  template <typename D> std::string run(const D &command) {
    sim::Fault fault = engine->execute(command);
    return fault ? *fault : std::string();
  }
  int64_t result(ElementType type, uint32_t offset, size_t index) const {
    uint32_t bytes = elementBytes(type);
    uint64_t value = 0;
    memory->read(sim::Memory::kSramBase + offset + uint32_t(index * bytes),
                 &value, bytes);
    bool isSigned = type != ElementType::U8 && type != ElementType::U16;
    unsigned rest = 64 - 8 * bytes;
    return isSigned ? int64_t(value << rest) >> rest : int64_t(value);
  }

private:
  std::unique_ptr<sim::Memory> memory;
  std::optional<sim::TensorEngine> engine;
};
} // namespace

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static int64_t defined(const MatMul &op, int64_t sum) {
  __int128 value = requantized(sum, scaleOf(op), op.shift, op.halfUp);
  return int64_t(
      std::clamp<__int128>(value - op.outZeroPoint, op.outMin, op.outMax));
}

/// A row of 32767 and a 1 at its end, times columns of digits that give the
/// sums.
static std::string runProduct(Bench &bench, MatMul op,
                              std::span<const int64_t> sums, uint32_t inner) {
  constexpr int64_t kUnit = 32767;
  std::vector<int16_t> row(inner, int16_t(kUnit));
  row.back() = 1;
  auto columns = uint32_t(sums.size());
  std::vector<int16_t> digits(size_t(inner) * columns);
  for (size_t c = 0; c < sums.size(); ++c) {
    int64_t units = sums[c] / kUnit;
    digits[(inner - 1) * size_t(columns) + c] = int16_t(sums[c] % kUnit);
    for (size_t k = 0; k + 1 < inner; ++k) {
      int64_t digit = std::clamp<int64_t>(units, -kUnit, kUnit);
      digits[k * columns + c] = int16_t(digit);
      units -= digit;
    }
  }
  op.aType = op.bType = ElementType::I16;
  op.aZeroPoint = op.bZeroPoint = 0;
  op.batch = op.rows = 1, op.inner = inner, op.columns = columns;
  op.a = 0, op.aBatchStride = op.aRowStride = 2 * inner, op.aInnerStride = 2;
  op.b = 4096, op.bColumnStride = 2, op.bInnerStride = 2 * columns;
  op.bBatchStride = 0;
  op.output = kSramBytes / 2;
  op.outRowStride = op.outBatchStride = columns * elementBytes(op.outType);
  bench.put(op.a, row);
  bench.put(op.b, digits);
  return bench.run(op);
}

StageFinding prove::compareStage(const MatMul &product, SumRange range,
                                 bool everySum) {
  StageFinding finding;
  uint64_t all = uint64_t(range.greatest - range.least) + 1;
  auto function = [&](int64_t sum) { return defined(product, sum); };
  std::vector<int64_t> sums;
  bool hasAll = everySum || all <= kFewSums;
  if (!hasAll)
    addEndsOfPieces(range.least, range.greatest, function, sums);
  uint64_t count = hasAll ? all : sums.size();
  // Digits of 30 bits each, and the rest.
  int64_t inner = range.magnitude() / (int64_t(32767) * 32767) + 2;
  constexpr int64_t kMostInner = 256;
  Bench bench;
  if (!bench.isReady() || inner > kMostInner) {
    finding.notTried = "their sums are too long for the comparison";
    return finding;
  }
  std::vector<int64_t> run;
  for (uint64_t first = 0; first < count; first += run.size()) {
    run.resize(std::min<uint64_t>(kRunSums, count - first));
    for (size_t i = 0; i < run.size(); ++i)
      run[i] = hasAll ? range.least + int64_t(first + i) : sums[first + i];
    finding.notTried = runProduct(bench, product, run, uint32_t(inner));
    if (!finding.notTried.empty())
      return finding;
    for (size_t i = 0; i < run.size(); ++i) {
      finding.found = bench.result(product.outType, kSramBytes / 2, i);
      finding.expected = function(run[i]);
      if (finding.found == finding.expected)
        continue;
      finding.difference = "sum " + std::to_string(run[i]);
      return finding;
    }
    finding.tried += run.size();
  }
  return finding;
}

//===----------------------------------------------------------------------===//
// Averages
//===----------------------------------------------------------------------===//

/// How many of a window's cells along an axis are inside, for each window.
static std::set<uint32_t> cellsInside(int64_t windows, int64_t stride,
                                      int64_t cells, int64_t dilation,
                                      int64_t first, int64_t limit) {
  std::set<uint32_t> counts;
  for (int64_t w = 0; w < windows; ++w) {
    uint32_t count = 0;
    for (int64_t cell = 0; cell < cells; ++cell) {
      int64_t at = first + w * stride + cell * dilation;
      count += at >= 0 && at < limit;
    }
    counts.insert(count);
  }
  return counts;
}

std::vector<uint32_t> prove::areasOf(const Pool &pool) {
  if (pool.countIncludePad)
    return {uint32_t(pool.kernelY) * pool.kernelX};
  std::set<uint32_t> areas;
  for (uint32_t rows :
       cellsInside(pool.outHeight, pool.strideY, pool.kernelY, pool.dilationY,
                   int64_t(pool.firstRow) - pool.padTop, pool.tensorHeight))
    for (uint32_t columns :
         cellsInside(pool.outWidth, pool.strideX, pool.kernelX, pool.dilationX,
                     -int64_t(pool.padLeft), pool.inWidth))
      areas.insert(rows * columns);
  return {areas.begin(), areas.end()};
}

/// One row of \p area cells, in which each channel has another sum.
static std::string runAverage(Bench &bench, Pool op, uint32_t area,
                              std::span<const int64_t> sums) {
  auto channels = uint32_t(sums.size());
  uint32_t bytes = elementBytes(op.inType);
  std::vector<uint8_t> cells(size_t(area) * channels * bytes);
  for (size_t c = 0; c < sums.size(); ++c) {
    int64_t each = sums[c] / area, rest = sums[c] % area;
    if (rest < 0) {
      rest += area;
      --each;
    }
    for (size_t cell = 0; cell < area; ++cell) {
      int64_t value = each + (int64_t(cell) < rest);
      std::memcpy(&cells[(cell * channels + c) * bytes], &value, bytes);
    }
  }
  op.inHeight = op.tensorHeight = op.outHeight = op.outWidth = 1;
  op.inWidth = op.kernelX = area, op.kernelY = 1;
  op.strideY = op.strideX = op.dilationY = op.dilationX = 1;
  op.padTop = op.padLeft = 0, op.firstRow = 0;
  op.inChannels = op.outChannels = channels;
  op.input = 65536, op.inPixelStride = channels * bytes;
  op.inRowStride = op.inPixelStride * area;
  op.output = kSramBytes / 2;
  op.outPixelStride = op.outRowStride = channels * elementBytes(op.outType);
  op.reciprocals = 0;
  bench.put(op.input, cells);
  return bench.run(op);
}

StageFinding prove::compareStage(const Pool &pool,
                                 std::span<const uint8_t> reciprocals,
                                 uint32_t area) {
  StageFinding finding;
  Bench bench;
  SumRange values = typeRange(pool.inType);
  int64_t least = values.least * area, greatest = values.greatest * area;
  uint64_t perRun = std::min<uint64_t>(kRunSums, (1u << 20) / (area * 2));
  constexpr uint64_t kMost = uint64_t(1) << 24;
  if (!bench.isReady() || perRun == 0 || area > UINT16_MAX ||
      reciprocals.size() > 65536 || uint64_t(greatest - least) > kMost) {
    finding.notTried = "their windows are too large for the comparison";
    return finding;
  }
  bench.put(0, std::vector<uint8_t>(reciprocals.begin(), reciprocals.end()));
  const uint8_t *record = &reciprocals[size_t(area - 1) * 4];
  int64_t scale = record[0] | record[1] << 8;
  if (pool.wideScale)
    scale |= record[3] << 16;
  std::vector<int64_t> run;
  for (int64_t first = least; first <= greatest; first += int64_t(run.size())) {
    run.resize(std::min<uint64_t>(perRun, uint64_t(greatest - first) + 1));
    for (size_t i = 0; i < run.size(); ++i)
      run[i] = first + int64_t(i);
    finding.notTried = runAverage(bench, pool, area, run);
    if (!finding.notTried.empty())
      return finding;
    for (size_t i = 0; i < run.size(); ++i) {
      __int128 value = requantized(run[i] + int64_t(pool.inZeroPoint) * area,
                                   scale, int8_t(record[2]), /*halfUp=*/false);
      finding.found = bench.result(pool.outType, kSramBytes / 2, i);
      finding.expected = int64_t(std::clamp<__int128>(
          value - pool.outZeroPoint, pool.outMin, pool.outMax));
      if (finding.found == finding.expected)
        continue;
      finding.difference = "sum " + std::to_string(run[i]) + " of " +
                           std::to_string(area) + " cells";
      return finding;
    }
    finding.tried += run.size();
  }
  return finding;
}
