//===- RegionBoxes.cpp - Boxes of YOLO's predictions ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Math.h"
#include "kernels/activation/Lookup.h"
#include "kernels/detection/MinMax.h"
#include "kernels/detection/Region.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Of each box of a chunk which cell along an axis it is in, and which anchor.
struct Cells {
  int32_t at[2][kBoxChunk]; // row, column
  int32_t anchor[kBoxChunk];

  Cells(const RegionShape &shape, const BoxChunk &chunk) {
    uint32_t columns = shape.gridWidth, rows = shape.gridHeight;
    for (uint32_t i = 0; i < chunk.n; ++i) {
      auto box = uint32_t(chunk.box[i]);
      uint32_t cell = box / shape.anchors;
      anchor[i] = int32_t(box % shape.anchors);
      at[0][i] = int32_t(cell / columns % rows);
      at[1][i] = int32_t(cell % columns);
    }
  }
};

/// 32 bits of a product, as the reference has them.
int32_t wrapped(int64_t a, int64_t b) { return int32_t(wrapMul(a, b)); }
int32_t shiftedRight(int32_t x, int32_t shift) {
  return x >> clamp(shift, 0, 31);
}

} // namespace

YARROW_KERNEL(yk_region_boxes_float, RegionBoxesFloat) {
  const RegionShape &shape = p.shape;
  const float grid[] = {float(shape.gridHeight), float(shape.gridWidth)};
  forEachBoxChunk(
      p.rows, buffers.places(), task, taskCount, [&](const BoxChunk &chunk) {
        Cells cells(shape, chunk);
        float low[2][kBoxChunk], high[2][kBoxChunk];
        for (uint32_t axis = 0; axis < 2; ++axis) {
          // Predictions and anchors are x before y.
          uint32_t column = 1 - axis;
          float offset[kBoxChunk], log[kBoxChunk], anchor[kBoxChunk];
          gatherF32(shape.type, buffers.input(), chunk.box, chunk.n,
                    shape.width(), column, offset);
          gatherF32(shape.type, buffers.input(), chunk.box, chunk.n,
                    shape.width(), column + 2, log);
          gatherF32(DType::F32, buffers.anchors(), cells.anchor, chunk.n, 2,
                    column, anchor);
          for (uint32_t i = 0; i < chunk.n; ++i) {
            float centre = (float(math::sigmoid(double(offset[i]))) +
                            float(cells.at[axis][i]) - p.offset) /
                           grid[axis];
            float size =
                float(math::exp(double(log[i]))) * anchor[i] / grid[axis];
            float a = centre - 0.5f * size, b = centre + 0.5f * size;
            // A NaN stays one.
            a = a < 0.0f ? 0.0f : a, b = b < 0.0f ? 0.0f : b;
            low[axis][i] = a > 1.0f ? 1.0f : a;
            high[axis][i] = b > 1.0f ? 1.0f : b;
          }
        }
        for (uint32_t i = 0; i < chunk.n; ++i) {
          float y[4] = {low[0][i], low[1][i], high[0][i], high[1][i]};
          for (float &corner : y)
            corner = chunk.isUsed[i] ? corner : 0.0f;
          storeF32(p.outType, buffers.output(), 4 * (int64_t(chunk.first) + i),
                   4, y);
        }
      });
}

YARROW_KERNEL(yk_region_boxes_int, RegionBoxesInt) {
  const RegionShape &shape = p.shape;
  uint32_t bits = 8 * dtypeBytes(shape.type);
  bool isSigned = shape.type == DType::I8 || shape.type == DType::I16;
  int32_t least = isSigned ? -(1 << (bits - 1)) : 0;
  forEachBoxChunk(
      p.rows, buffers.places(), task, taskCount, [&](const BoxChunk &chunk) {
        Cells cells(shape, chunk);
        int32_t low[2][kBoxChunk], high[2][kBoxChunk];
        auto look = [&](uint32_t column, DType type, const void *table,
                        uint32_t log2Size, int32_t *entries) {
          int32_t index[kBoxChunk];
          gatherI32(shape.type, buffers.input(), chunk.box, chunk.n,
                    shape.width(), column, index);
          for (uint32_t i = 0; i < chunk.n; ++i)
            index[i] -= least;
          lookup(index, chunk.n, type, table, bits, log2Size, entries);
        };
        for (uint32_t axis = 0; axis < 2; ++axis) {
          uint32_t column = 1 - axis;
          int32_t offset[kBoxChunk], factor[kBoxChunk], anchor[kBoxChunk];
          look(column, DType::I16, buffers.sigmoidTable(), p.log2Sigmoid,
               offset);
          look(column + 2, DType::U16, buffers.expTable(), p.log2Exp, factor);
          gatherI32(DType::U16, buffers.anchors(), cells.anchor, chunk.n, 2,
                    column, anchor);
          int32_t gridScale = p.gridScales[axis];
          int32_t gridShift = p.gridShifts[axis];
          int32_t unit = 1 << p.cellShifts[axis];
          for (uint32_t i = 0; i < chunk.n; ++i) {
            int64_t place =
                int64_t(cells.at[axis][i]) * unit + int64_t(offset[i]);
            int64_t centre = shiftedRight(wrapped(place, gridScale), gridShift);
            int32_t share =
                shiftedRight(wrapped(anchor[i], gridScale), gridShift);
            int32_t scale =
                shiftedRight(wrapped(factor[i], p.expScale), p.expShift);
            int64_t half =
                shiftedRight(wrapped(share, scale), p.anchorShifts[axis]) >> 1;
            low[axis][i] = int32_t(clamp<int64_t>(centre - half, 0, unit));
            high[axis][i] = int32_t(clamp<int64_t>(centre + half, 0, unit));
          }
        }
        for (uint32_t i = 0; i < chunk.n; ++i) {
          int32_t y[4] = {low[0][i], low[1][i], high[0][i], high[1][i]};
          for (int32_t &corner : y)
            corner = chunk.isUsed[i] ? corner : 0;
          storeI32(p.outType, buffers.output(), 4 * (int64_t(chunk.first) + i),
                   4, y);
        }
      });
}
