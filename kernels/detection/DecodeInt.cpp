//===- DecodeInt.cpp - Boxes from deltas in integers ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/activation/Lookup.h"
#include "kernels/detection/DecodeLoop.h"
#include "kernels/detection/MinMax.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// x >> shift with the floor; a negative shift multiplies, and wraps.
int64_t shifted(int64_t x, int32_t shift) {
  return shift >= 0 ? x >> lesser(shift, 62)
                    : wrapMul(x, int64_t(1) << lesser(-shift, 62));
}
/// Half of the unit that a shift leaves; 0 if it leaves none.
int64_t halfUnit(int32_t shift) {
  return shift > 0 ? int64_t(1) << (lesser(shift, 62) - 1) : 0;
}
int32_t clip16(int64_t x) { return int32_t(clamp<int64_t>(x, -32768, 32767)); }

int32_t leastOf(DType type) {
  return type == DType::I8 ? -128 : type == DType::I16 ? -32768 : 0;
}

/// values[i] = table[values[i]], numbers of type \p type.
void lookUp(DType type, DType tableType, const void *table, uint32_t log2Size,
            uint32_t n, int32_t *values) {
  int32_t index[kBoxChunk], least = leastOf(type);
  for (uint32_t i = 0; i < n; ++i)
    index[i] = values[i] - least;
  lookup(index, n, tableType, table, 8 * dtypeBytes(type), log2Size, values);
}

/// Centres (lo + hi) >> 1 and sizes of corners.
void toCentres(uint32_t n, int32_t zp, BoxNumbers<int32_t> &a) {
  for (uint32_t axis = 0; axis < 2; ++axis)
    for (uint32_t i = 0; i < n; ++i) {
      int32_t low = a.at[axis][i] + zp, high = a.at[axis + 2][i] + zp;
      a.at[axis][i] = (low + high) >> 1;
      a.at[axis + 2][i] = high - low;
    }
}

void decodeCorners(const DecodeCornersParams &p, uint32_t n,
                   BoxNumbers<int32_t> &d, const BoxNumbers<int32_t> &a) {
  uint32_t anchorBits = 8 * dtypeBytes(p.shape.anchorType);
  uint32_t deltaBits = 8 * dtypeBytes(p.shape.deltaType);
  int64_t mostCentre = (int64_t(1) << (anchorBits + deltaBits - 1)) - 1;
  int64_t mostHalf = (int64_t(1) << anchorBits) - 1;
  for (uint32_t axis = 0; axis < 2; ++axis) {
    int32_t scale = p.scales[axis], shift = p.shifts[axis] - p.deltaShift;
    int32_t sizeScale = p.scales[axis + 2], sizeShift = p.shifts[axis + 2] - 16;
    int64_t rounding = halfUnit(shift);
    int64_t lastRounding = p.shifts[4] > 1 ? halfUnit(p.shifts[4]) : 0;
    for (uint32_t i = 0; i < n; ++i) {
      int64_t size = a.at[axis + 2][i];
      int64_t step = shifted(size * scale, p.deltaShift);
      int64_t moved =
          shifted((d.at[axis][i] + p.deltaZp) * step + rounding, shift) +
          a.at[axis][i];
      int64_t centre = clamp(moved, -mostCentre - 1, mostCentre);
      int64_t factor = int64_t(d.at[axis + 2][i]) * sizeScale >> 16;
      int64_t half =
          clamp<int64_t>(shifted(size * factor, sizeShift), 0, mostHalf);
      auto corner = [&](int64_t x) {
        return int32_t(clamp<int64_t>(
            shifted(x * p.scales[4] + lastRounding, p.shifts[4]), 0, 32767));
      };
      d.at[axis][i] = corner(centre - half);
      d.at[axis + 2][i] = corner(centre + half);
    }
  }
}

int64_t cornerOf(CornerForm form, int64_t centre, int64_t size) {
  switch (form) {
  case CornerForm::FloorHalf:
    return centre + (size >> 1);
  case CornerForm::EvenHalf:
    return roundShiftHalfEven(2 * centre + size, 1);
  case CornerForm::TruncHalf:
    return centre + size / 2;
  }
}

/// The lower corner is centre - (h >> 1), not centre + (-h >> 1).
int64_t lowCornerOf(CornerForm form, int64_t centre, int64_t size) {
  return form == CornerForm::FloorHalf ? centre - (size >> 1)
                                       : cornerOf(form, centre, -size);
}

void decodeAnchors(const DecodeAnchorsParams &p, uint32_t n,
                   BoxNumbers<int32_t> &t, const BoxNumbers<int32_t> &a) {
  for (uint32_t axis = 0; axis < 2; ++axis)
    for (uint32_t i = 0; i < n; ++i) {
      int64_t anchor = a.at[axis + 2][i];
      int64_t size = shifted(t.at[axis + 2][i] * anchor, p.shift);
      size = clamp<int64_t>(size, p.leastSize, p.mostSize[axis]);
      int64_t centre = shifted(t.at[axis][i] * anchor, p.shift) + a.at[axis][i];
      int64_t most = p.most[axis];
      t.at[axis][i] = int32_t(
          clamp<int64_t>(lowCornerOf(p.corners, centre, size), 0, most));
      t.at[axis + 2][i] =
          int32_t(clamp<int64_t>(cornerOf(p.corners, centre, size), 0, most));
    }
}

void decodeProposals(const DecodeProposalsParams &p, uint32_t n,
                     BoxNumbers<int32_t> &t, const BoxNumbers<int32_t> &a) {
  auto scaled = [&](int64_t entry, uint32_t k, int64_t size) {
    int32_t shift = p.shifts[k] - p.deltaShifts[k];
    int64_t factor = clip16(shifted(entry * p.scales[k], p.deltaShifts[k]));
    return shifted(factor * size + halfUnit(shift), shift);
  };
  for (uint32_t axis = 0; axis < 2; ++axis)
    for (uint32_t i = 0; i < n; ++i) {
      int64_t anchor = a.at[axis + 2][i];
      int64_t half = scaled(t.at[axis + 2][i], 0, anchor) >> 1;
      int64_t centre =
          scaled(t.at[axis][i], 1, anchor) +
          requantize(a.at[axis][i], p.scales[2], p.shifts[2], 0, -32768, 32767);
      int64_t most = p.most[axis];
      t.at[axis][i] = int32_t(clamp<int64_t>(centre - half, 0, most));
      t.at[axis + 2][i] = int32_t(clamp<int64_t>(centre + half, 0, most));
    }
}

} // namespace

YARROW_KERNEL(yk_decode_corners, DecodeCorners) {
  const DecodeShape &shape = p.shape;
  forEachBoxChunk(
      shape.rows, buffers.places(), task, taskCount,
      [&](const BoxChunk &chunk) {
        DecodeIndices index(shape, chunk);
        BoxNumbers<int32_t> deltas, anchors;
        gatherNumbers(shape.deltaType, buffers.deltas(), index.deltas, chunk.n,
                      shape.deltasXFirst, deltas);
        gatherNumbers(shape.anchorType, buffers.anchors(), index.anchors,
                      chunk.n, shape.anchorsXFirst, anchors);
        toCentres(chunk.n, p.anchorZp, anchors);
        lookUp(shape.deltaType, DType::I16, buffers.heightTable(),
               p.log2Sizes[0], chunk.n, deltas.at[2]);
        lookUp(shape.deltaType, DType::I16, buffers.widthTable(),
               p.log2Sizes[1], chunk.n, deltas.at[3]);
        decodeCorners(p, chunk.n, deltas, anchors);
        storeNumbers(shape, chunk, deltas, buffers.output());
      });
}

YARROW_KERNEL(yk_decode_anchors, DecodeAnchors) {
  const DecodeShape &shape = p.shape;
  forEachBoxChunk(
      shape.rows, buffers.places(), task, taskCount,
      [&](const BoxChunk &chunk) {
        DecodeIndices index(shape, chunk);
        BoxNumbers<int32_t> deltas, anchors;
        gatherNumbers(shape.deltaType, buffers.deltas(), index.deltas, chunk.n,
                      shape.deltasXFirst, deltas);
        const void *of[] = {buffers.yCentres(), buffers.xCentres(),
                            buffers.heights(), buffers.widths()};
        const void *tables[] = {buffers.yTable(), buffers.xTable(),
                                buffers.heightTable(), buffers.widthTable()};
        for (uint32_t k = 0; k < 4; ++k) {
          gatherI32(shape.anchorType, of[k], index.anchors, chunk.n, 1, 0,
                    anchors.at[k]);
          lookUp(shape.deltaType, p.tableType, tables[k], p.log2Sizes[k],
                 chunk.n, deltas.at[k]);
        }
        decodeAnchors(p, chunk.n, deltas, anchors);
        storeNumbers(shape, chunk, deltas, buffers.output());
      });
}

YARROW_KERNEL(yk_decode_proposals, DecodeProposals) {
  const DecodeShape &shape = p.shape;
  forEachBoxChunk(
      shape.rows, buffers.places(), task, taskCount,
      [&](const BoxChunk &chunk) {
        DecodeIndices index(shape, chunk);
        BoxNumbers<int32_t> deltas, anchors;
        gatherNumbers(shape.deltaType, buffers.deltas(), index.deltas, chunk.n,
                      shape.deltasXFirst, deltas);
        gatherNumbers(shape.anchorType, buffers.anchors(), index.anchors,
                      chunk.n, shape.anchorsXFirst, anchors);
        toCentres(chunk.n, /*zp=*/0, anchors);
        const void *tables[] = {buffers.yTable(), buffers.xTable(),
                                buffers.heightTable(), buffers.widthTable()};
        for (uint32_t k = 0; k < 4; ++k)
          lookUp(shape.deltaType, p.tableType, tables[k], p.log2Sizes[k],
                 chunk.n, deltas.at[k]);
        decodeProposals(p, chunk.n, deltas, anchors);
        storeNumbers(shape, chunk, deltas, buffers.output());
      });
}
