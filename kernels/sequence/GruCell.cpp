//===- GruCell.cpp - A step of a GRU behind its products ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/sequence/CellLanes.h"
#include "kernels/sequence/RecurrentCells.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// T: the type of states and tables.
template <typename T, typename Size> struct GruStep {
  using Vector = Cells<Size>;
  using Wide = WideCells<Size>;
  static constexpr int32_t kMost = (1 << (8 * sizeof(T) - 1)) - 1;
  /// The greatest product of a value of T, and of it less kMost.
  static constexpr int64_t kMostProduct = int64_t(kMost + 1) * (kMost + 1),
                           kMostReplaced = 2 * kMostProduct;

  static void reset(const GruCellParams &p, GruResetBuffers buffers,
                    uint32_t entry, uint32_t cell, Size size) {
    int64_t at = int64_t(entry) * p.cells + cell;
    Vector r, state;
    gate(p, buffers, 0, entry, cell, size, r);
    loadStrip<T>(buffers.state(), at, size, state);
    state *= r;
    requantizeSmall(state, kMostProduct, p.hidden, -kMost - 1, kMost);
    storeStrip<T>(state, size, buffers.hidden(), at);
  }

  static void next(const GruCellParams &p, GruCellBuffers buffers,
                   uint32_t entry, uint32_t cell, Size size) {
    int64_t at = int64_t(entry) * p.cells + cell;
    Vector u, c, state, x, candidate;
    if (buffers.reset()) {
      loadStrip<int32_t>(buffers.reset(), at, size, x);
    } else {
      gate(p, buffers, 0, entry, cell, size, u);
      loadStrip<T>(buffers.hidden(), at, size, x);
      x *= u;
      requantizeSmall(x, kMostProduct, p.reset, INT32_MIN, INT32_MAX);
    }
    loadStrip<int32_t>(buffers.x_candidates(),
                       int64_t(entry) * p.strideCandidates + cell, size,
                       candidate);
    function(buffers.candidate_table(), p.log2Candidates, candidate, x,
             p.areHigh, p.candidates, c);
    gate(p, buffers, 1, entry, cell, size, u);
    loadStrip<T>(buffers.state(), at, size, state);
    int64_t mostReplaced = ((kMostReplaced * p.replaced.scale) >>
                            (p.replaced.shift < 62 ? p.replaced.shift : 62)) +
                           1;
    if (mostReplaced <= INT32_MAX - kMostProduct) {
      state *= u;
      u -= kMost;
      u *= c;
      requantizeSmall(u, kMostReplaced, p.replaced, INT32_MIN, INT32_MAX);
      state -= u;
      requantizeSmall(state, kMostProduct + mostReplaced, p.next, -kMost,
                      kMost);
      return storeStrip<T>(state, size, buffers.next(), at);
    }
    Wide kept, more;
    multiplyLanes(u, state, kept);
    u -= kMost;
    multiplyLanes(u, c, more);
    requantizeWide(more, p.replaced, INT32_MIN, INT32_MAX);
    kept -= more;
    requantizeWide(kept, p.next, -kMost, kMost);
    storeStrip<T>(kept, size, buffers.next(), at);
  }

private:
  /// Gate 0, reset, or 1, update: table(RQ(x + h)).
  template <typename Buffers>
  static void gate(const GruCellParams &p, Buffers buffers, uint32_t which,
                   uint32_t entry, uint32_t cell, Size size, Vector &y) {
    uint32_t column = which * p.cells + cell;
    Vector x, h;
    loadStrip<int32_t>(buffers.x(), int64_t(entry) * p.strideX + column, size,
                       x);
    loadStrip<int32_t>(buffers.h(), int64_t(entry) * 2 * p.cells + column, size,
                       h);
    function(buffers.gate_table(), p.log2Gates, x, h, p.areHigh, p.gates, y);
  }

  /// y = table(RQ(a + b)). Changes a.
  static void function(const void *table, uint32_t log2Size, Vector &a,
                       const Vector &b, uint32_t isHigh, CellScale by,
                       Vector &y) {
    if (isHigh) {
      a = __builtin_elementwise_add_sat(a, b);
      requantizeHigh(a, by.scale, -kMost - 1, kMost);
    } else {
      Wide sums = __builtin_convertvector(a, Wide);
      sums += __builtin_convertvector(b, Wide);
      requantizeWide(sums, by, -kMost - 1, kMost);
      a = __builtin_convertvector(sums, Vector);
    }
    lookUpCells<T>(table, log2Size, a, y);
  }
};

} // namespace

YARROW_KERNEL(yk_gru_reset, GruReset) {
  forEachCell(p.batch, p.cells, task, taskCount,
              [&](uint32_t entry, uint32_t cell, auto size) {
                using Size = decltype(size);
                if (p.type == DType::I8)
                  GruStep<int8_t, Size>::reset(p, buffers, entry, cell, size);
                else
                  GruStep<int16_t, Size>::reset(p, buffers, entry, cell, size);
              });
}

YARROW_KERNEL(yk_gru_cell, GruCell) {
  forEachCell(p.batch, p.cells, task, taskCount,
              [&](uint32_t entry, uint32_t cell, auto size) {
                using Size = decltype(size);
                if (p.type == DType::I8)
                  GruStep<int8_t, Size>::next(p, buffers, entry, cell, size);
                else
                  GruStep<int16_t, Size>::next(p, buffers, entry, cell, size);
              });
}
