//===- LstmCell.cpp - A step of an LSTM behind its products ---------------===//
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
template <typename T, typename Size> struct LstmStep {
  using Vector = Cells<Size>;
  using Wide = WideCells<Size>;
  static constexpr int32_t kMost = (1 << (8 * sizeof(T) - 1)) - 1;
  /// The greatest product of two values of T: of the least ones.
  static constexpr int64_t kMostProduct = int64_t(kMost + 1) * (kMost + 1);

  static void run(const LstmCellParams &p, LstmCellBuffers buffers,
                  uint32_t entry, uint32_t cell, Size size) {
    int64_t at = int64_t(entry) * p.cells + cell;
    Vector i, f, o, g, x, sum;
    gate(p, buffers, 0, buffers.input_table(), entry, cell, size, i);
    sums(p, buffers, 3, entry, cell, size, p.candidates, x);
    lookUpCells<T>(buffers.candidate_table(), p.log2Candidates, x, g);
    i *= g;
    roundShift(i, p.addedShift < 31 ? p.addedShift : 31);
    gate(p, buffers, 1, buffers.forget_table(), entry, cell, size, f);
    loadStrip<T>(buffers.cell(), at, size, sum);
    sum *= f;
    requantizeSmall(sum, kMostProduct, p.kept, INT32_MIN, INT32_MAX);
    sum = __builtin_elementwise_add_sat(sum, i);
    // Of the two summands, each rounded up.
    int64_t most = kMostProduct +
                   ((kMostProduct * p.kept.scale) >>
                    (p.kept.shift < 62 ? p.kept.shift : 62)) +
                   1;
    x = sum;
    requantizeSmall(x, most, p.nextCell, -kMost, kMost);
    storeStrip<T>(x, size, buffers.next_cell(), at);
    requantizeSmall(sum, most, p.argument, -kMost, kMost);
    lookUpCells<T>(buffers.cell_table(), p.log2Cell, sum, g);
    gate(p, buffers, 2, buffers.output_table(), entry, cell, size, o);
    o *= g;
    requantizeSmall(o, kMostProduct, p.state, -kMost, kMost);
    storeStrip<T>(o, size, buffers.state(), at);
  }

private:
  static void gate(const LstmCellParams &p, LstmCellBuffers buffers,
                   uint32_t which, const void *table, uint32_t entry,
                   uint32_t cell, Size size, Vector &y) {
    Vector x;
    sums(p, buffers, which, entry, cell, size, p.gates, x);
    lookUpCells<T>(table, p.log2Gates, x, y);
  }

  /// y = RQ(x + h) of cells of i, f, o or g: what a table is asked for.
  static void sums(const LstmCellParams &p, LstmCellBuffers buffers,
                   uint32_t which, uint32_t entry, uint32_t cell, Size size,
                   CellScale by, Vector &y) {
    uint32_t column = which * p.cells + cell;
    int64_t ofX = int64_t(entry) * p.strideX + column,
            ofH = int64_t(entry) * 4 * p.cells + column;
    if (p.areHigh) {
      Vector h, multipliers;
      loadStrip<int32_t>(buffers.x(), ofX, size, y);
      loadStrip<int32_t>(buffers.h(), ofH, size, h);
      y = __builtin_elementwise_add_sat(y, h);
      loadStrip<int32_t>(buffers.multiplier(), column, size, multipliers);
      return requantizeHigh(y, multipliers, -kMost - 1, kMost);
    }
    Wide x, h, scales, shifts;
    loadStrip<int32_t>(buffers.x(), ofX, size, x);
    loadStrip<int32_t>(buffers.h(), ofH, size, h);
    if (p.scalesH) {
      h *= p.products.scale;
      if (p.perChannel) {
        loadStrip<int8_t>(buffers.shift_h(), column, size, shifts);
        roundShiftEach(h, shifts);
      } else {
        roundShift(h, p.products.shift);
      }
      limitLanes(h, INT32_MIN, INT32_MAX);
    }
    x += h;
    if (p.perChannel) {
      loadMultipliers(p.scaleType, buffers.scale(), buffers.shift(), column,
                      /*step=*/1, size, /*mostShift=*/62, scales, shifts);
      x *= scales;
      roundShiftEach(x, shifts);
      limitLanes(x, -kMost - 1, kMost);
    } else {
      requantizeWide(x, by, -kMost - 1, kMost);
    }
    y = __builtin_convertvector(x, Vector);
  }
};

} // namespace

YARROW_KERNEL(yk_lstm_cell, LstmCell) {
  forEachCell(p.batch, p.cells, task, taskCount,
              [&](uint32_t entry, uint32_t cell, auto size) {
                using Size = decltype(size);
                if (p.type == DType::I8)
                  LstmStep<int8_t, Size>::run(p, buffers, entry, cell, size);
                else
                  LstmStep<int16_t, Size>::run(p, buffers, entry, cell, size);
              });
}
