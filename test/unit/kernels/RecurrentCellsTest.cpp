//===- RecurrentCellsTest.cpp - Steps of LSTMs and GRUs -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Random cells against the formula, value by value, in long double.
//
//===----------------------------------------------------------------------===//
#include "kernels/sequence/RecurrentCells.h"
#include "test/Random.h"
#include "test/unit/kernels/KernelTesting.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::kernels;
using yarrow::kernels::testing::runKernel;
using yarrow::testing::Random;

namespace {

constexpr int64_t kLeast32 = INT32_MIN, kMost32 = INT32_MAX;

/// Half to even, in long double, whose 64 bits hold every product here.
int64_t scaled(int64_t x, CellScale by, int64_t lo, int64_t hi) {
  long double exact = std::ldexp((long double)(x)*by.scale, -by.shift);
  return int64_t(std::clamp<long double>(std::nearbyint(exact), lo, hi));
}

/// What a step needs: random operands of both widths.
template <typename T> struct Operands {
  Operands(Random &random, uint32_t batch, uint32_t cells, uint32_t entries)
      : random(random), batch(batch), cells(cells), entries(entries) {}

  std::vector<int32_t> sums(size_t count) {
    std::vector<int32_t> all(count);
    for (int32_t &x : all)
      x = int32_t(random.next()) >> random.below(20);
    return all;
  }
  std::vector<T> values(size_t count) {
    std::vector<T> all(count);
    for (T &x : all)
      x = T(random.next());
    return all;
  }
  std::vector<T> table() { return values(entries); }

  /// The table at x, with lines between its entries.
  int64_t at(const std::vector<T> &table, int64_t x) const {
    int64_t bits = 8 * sizeof(T), index = x + (int64_t(1) << (bits - 1));
    int64_t step = (int64_t(1) << bits) / entries, low = index / step;
    int64_t high = std::min<int64_t>(low + 1, entries - 1);
    int64_t more = (table[high] - table[low]) * (index % step);
    return table[low] + int64_t(std::floor(double(more) / double(step)));
  }

  static constexpr int64_t kMost = (1 << (8 * sizeof(T) - 1)) - 1;
  Random &random;
  uint32_t batch, cells, entries;
};

CellScale scale(Random &random, int32_t least, int32_t most) {
  return {int32_t(random.below(65536)),
          least + int32_t(random.below(uint32_t(most - least + 1)))};
}

template <typename T> void checkLstm(Random &random) {
  LstmCellParams p{.batch = 1 + random.below(3), .cells = 1 + random.below(70)};
  p.log2Gates = p.log2Candidates = p.log2Cell =
      sizeof(T) == 1 ? 8 - random.below(2) : 8 + random.below(3);
  Operands<T> of(random, p.batch, p.cells, 1u << p.log2Gates);
  p.type = sizeof(T) == 1 ? DType::I8 : DType::I16;
  p.strideX = int32_t(4 * p.cells + random.below(9));
  p.perChannel = random.oneIn(2), p.scalesH = random.oneIn(2);
  int32_t bits = 8 * sizeof(T);
  p.gates = scale(random, 20, 40), p.candidates = scale(random, 20, 40);
  p.products = scale(random, 14, 20);
  p.addedShift = int32_t(random.below(4));
  p.kept = scale(random, 14, 20), p.argument = scale(random, 2 * bits, 40);
  p.nextCell = scale(random, 2 * bits, 40), p.state = scale(random, bits, 40);
  uint32_t all = 4 * p.cells, count = p.batch * p.cells;
  auto x = of.sums(size_t(p.batch) * p.strideX), h = of.sums(p.batch * all);
  auto cell = of.values(count);
  std::vector<T> tables[] = {of.table(), of.table(), of.table(), of.table(),
                             of.table()};
  std::vector<uint16_t> scales(all);
  std::vector<int8_t> shifts(all), shiftsH(all);
  for (uint32_t c = 0; c < all; ++c) {
    scales[c] = uint16_t(random.next());
    shifts[c] = int8_t(20 + random.below(20));
    shiftsH[c] = int8_t(10 + random.below(10));
  }
  std::vector<T> state(count), nextCell(count);
  // Of any sum, the upper half of a product with the scale of 2^32.
  p.areHigh = sizeof(T) == 1 && random.oneIn(2);
  std::vector<int32_t> multipliers(all);
  for (int32_t &m : multipliers)
    m = int32_t(random.next() >> 33) | 0x100;
  if (p.areHigh)
    p.scalesH = 0;
  auto ifChannels = [&](auto &v) {
    return p.perChannel ? (void *)v.data() : nullptr;
  };
  runKernel("yk_lstm_cell", p,
            {x.data(), h.data(), cell.data(), tables[0].data(),
             tables[1].data(), tables[2].data(), tables[3].data(),
             tables[4].data(), p.areHigh ? multipliers.data() : nullptr,
             ifChannels(scales), ifChannels(shifts), ifChannels(shiftsH),
             state.data(), nextCell.data()},
            1 + random.below(5));
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t entry = i / p.cells;
    auto gate = [&](uint32_t which, CellScale by) {
      uint32_t column = which * p.cells + i % p.cells;
      int64_t fromH = h[entry * all + column];
      CellScale products = p.products;
      if (p.perChannel)
        by = {scales[column], shifts[column]}, products.shift = shiftsH[column];
      if (p.scalesH)
        fromH = scaled(fromH, products, kLeast32, kMost32);
      int64_t sum = x[entry * p.strideX + column] + fromH;
      if (p.areHigh)
        by = {multipliers[column], 32};
      return of.at(tables[which], scaled(sum, by, -of.kMost - 1, of.kMost));
    };
    int64_t added = scaled(gate(0, p.gates) * gate(3, p.candidates),
                           {1, p.addedShift}, kLeast32, kMost32);
    int64_t kept =
        scaled(gate(1, p.gates) * cell[i], p.kept, kLeast32, kMost32);
    int64_t c = std::clamp(added + kept, kLeast32, kMost32);
    EXPECT_EQ(nextCell[i], scaled(c, p.nextCell, -of.kMost, of.kMost));
    int64_t seen = of.at(tables[4], scaled(c, p.argument, -of.kMost, of.kMost));
    ASSERT_EQ(state[i],
              scaled(gate(2, p.gates) * seen, p.state, -of.kMost, of.kMost))
        << "cell " << i << " of " << p.cells;
  }
}

template <typename T> void checkGru(Random &random, bool resetsAfter) {
  GruCellParams p{.batch = 1 + random.below(3), .cells = 1 + random.below(70)};
  p.log2Gates = p.log2Candidates =
      sizeof(T) == 1 ? 8 - random.below(2) : 8 + random.below(3);
  Operands<T> of(random, p.batch, p.cells, 1u << p.log2Gates);
  p.type = sizeof(T) == 1 ? DType::I8 : DType::I16;
  p.strideX = int32_t(2 * p.cells + random.below(9));
  p.strideCandidates = int32_t(p.cells + random.below(9));
  int32_t bits = 8 * sizeof(T);
  p.gates = scale(random, 20, 40), p.candidates = scale(random, 20, 40);
  p.areHigh = random.oneIn(2);
  if (p.areHigh)
    for (CellScale *by : {&p.gates, &p.candidates})
      *by = {int32_t(random.next() >> 33) | 0x10000, 32};
  p.hidden = {1, bits}, p.reset = scale(random, 0, 20);
  p.replaced = scale(random, 14, 20), p.next = scale(random, 2 * bits, 40);
  uint32_t count = p.batch * p.cells;
  auto x = of.sums(size_t(p.batch) * p.strideX);
  auto candidates = of.sums(size_t(p.batch) * p.strideCandidates);
  auto h = of.sums(2 * count), reset = of.sums(count);
  auto state = of.values(count), hidden = of.values(count);
  auto gates = of.table(), functions = of.table();
  std::vector<T> next(count), made(count);
  uint32_t tasks = 1 + random.below(5);
  runKernel("yk_gru_reset", p,
            {x.data(), h.data(), state.data(), gates.data(), made.data()},
            tasks);
  runKernel("yk_gru_cell", p,
            {x.data(), h.data(), candidates.data(),
             resetsAfter ? (void *)hidden.data() : nullptr,
             resetsAfter ? nullptr : (void *)reset.data(), state.data(),
             gates.data(), functions.data(), next.data()},
            tasks);
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t entry = i / p.cells, cell = i % p.cells;
    auto gate = [&](uint32_t which) {
      uint32_t column = which * p.cells + cell;
      int64_t sum = int64_t(x[entry * p.strideX + column]) +
                    h[entry * 2 * p.cells + column];
      return of.at(gates, scaled(sum, p.gates, -of.kMost - 1, of.kMost));
    };
    EXPECT_EQ(made[i],
              scaled(gate(0) * state[i], p.hidden, -of.kMost - 1, of.kMost));
    int64_t more = resetsAfter
                       ? scaled(gate(0) * hidden[i], p.reset, kLeast32, kMost32)
                       : reset[i];
    int64_t sum = candidates[entry * p.strideCandidates + cell] + more;
    int64_t c =
        of.at(functions, scaled(sum, p.candidates, -of.kMost - 1, of.kMost));
    int64_t u = gate(1);
    int64_t replaced =
        scaled((u - of.kMost) * c, p.replaced, kLeast32, kMost32);
    ASSERT_EQ(next[i],
              scaled(u * state[i] - replaced, p.next, -of.kMost, of.kMost))
        << "cell " << i << " of " << p.cells;
  }
}

TEST(RecurrentCells, LstmIsTheFormula) {
  Random random(11);
  for (int round = 0; round < 40; ++round) {
    checkLstm<int8_t>(random);
    checkLstm<int16_t>(random);
  }
}

TEST(RecurrentCells, GruIsTheFormula) {
  Random random(12);
  for (int round = 0; round < 40; ++round)
    for (bool resetsAfter : {false, true}) {
      checkGru<int8_t>(random, resetsAfter);
      checkGru<int16_t>(random, resetsAfter);
    }
}

} // namespace
