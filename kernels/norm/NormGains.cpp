//===- NormGains.cpp - What groups of integers are normalised with --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/norm/LayerNormColumns.h"
#include "kernels/norm/LayerNormRows.h"
#include "kernels/norm/LayerNormSums.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// The buffers of the whole layer, of which there are the input and the table.
class LayerBuffers {
public:
  explicit LayerBuffers(NormGainsBuffers own) {
    all[Places::input] = own.array[NormGainsBuffers::Places::input];
    all[Places::table] = own.array[NormGainsBuffers::Places::table];
  }
  LayerNormIntBuffers buffers() const { return {{all, 0}}; }

private:
  using Places = LayerNormIntBuffers::Places;
  void *all[Places::output + 1] = {};
};

/// The numbers of all groups.
struct Numbers {
  int32_t *offsets, *gains;

  Numbers(void *output, uint32_t count)
      : offsets(static_cast<int32_t *>(output)), gains(offsets + count) {}
};

void findRows(const LayerNormIntParams &p, LayerNormIntBuffers buffers,
              Share share, Numbers numbers) {
  Chunks chunks(p, buffers);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    GroupNumbers found =
        numbersOfRows(chunks, NormBlock(p.shape, placeOf(p.shape.kept, i),
                                        /*columns=*/0, {0, 1}));
    numbers.offsets[i] = found.offset;
    numbers.gains[i] = found.gain;
  }
}

void findShortRows(const LayerNormIntParams &p, LayerNormIntBuffers buffers,
                   Share share, Numbers numbers) {
  LayerNormRows norm(p, buffers);
  for (uint32_t i = share.begin; i < share.end; i += kRowLanes) {
    uint32_t n = share.end - i < kRowLanes ? share.end - i : kRowLanes;
    RowGains rows;
    if (!norm.measure(i, n, rows)) // a table of its own
      return findRows(p, buffers, {i, share.end}, numbers);
    for (uint32_t r = 0; r < n; ++r) {
      numbers.offsets[i + r] = -rows.means[r];
      numbers.gains[i + r] = int32_t(rows.gains[r]);
    }
  }
}

/// Columns side by side, and where they are among all columns of all images.
struct ColumnBlock {
  NormPlace base;
  uint32_t columns, at;

  ColumnBlock(const NormShape &s, uint32_t index) {
    uint32_t perKept = countOf(s), kept = index / perKept;
    uint32_t first = index % perKept * s.blockColumns, left = s.inner - first;
    base = placeOf(s.kept, kept);
    base.element += first;
    at = kept * s.inner + first;
    columns = left < s.blockColumns ? left : s.blockColumns;
  }
  /// Blocks of an image.
  static uint32_t countOf(const NormShape &s) {
    return (s.inner + s.blockColumns - 1) / s.blockColumns;
  }
};

/// The sums of the parts of columns: for each part, of all columns, those of
/// values and those of squares.
struct PartSums {
  int64_t *first;
  uint32_t columns;

  int64_t *values(uint32_t part, uint32_t at) const {
    return first + 2 * part * columns + at;
  }
  int64_t *squares(uint32_t part, uint32_t at) const {
    return values(part, at) + columns;
  }
};

void findColumns(const LayerNormIntParams &p, LayerNormIntBuffers buffers,
                 const void *partSums, uint32_t task, uint32_t taskCount,
                 Numbers numbers) {
  const NormShape &s = p.shape;
  Chunks chunks(p, buffers);
  uint32_t kept = countOf(s.kept);
  PartSums parts{static_cast<int64_t *>(const_cast<void *>(partSums)),
                 kept * s.inner};
  Share share = shareOf(kept * ColumnBlock::countOf(s), task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    ColumnBlock own(s, i);
    uint32_t at = own.at, columns = own.columns;
    NormBlock block(s, own.base, columns, {0, 1});
    int32_t offset[kNormColumns] = {}, gain[kNormColumns];
    int64_t sums[kNormColumns] = {}, squares[kNormColumns] = {};
    if (!partSums) {
      measureColumns(chunks, block, offset, squares);
    } else {
      for (uint32_t part = 0; part < s.parts; ++part)
        for (uint32_t c = 0; c < columns; ++c) {
          sums[c] += parts.values(part, at)[c];
          squares[c] += parts.squares(part, at)[c];
        }
      measureSums(p, block, sums, offset, squares);
    }
    gainsOfColumns(chunks, block, squares, gain);
    for (uint32_t c = 0; c < columns; ++c) {
      numbers.offsets[at + c] = offset[c];
      numbers.gains[at + c] = gain[c];
    }
  }
}

} // namespace

YARROW_KERNEL(yk_norm_gains, NormGains) {
  LayerBuffers layer(buffers);
  uint32_t groups = countOf(p.shape.kept);
  if (p.shape.groupColumns)
    return findColumns(p, layer.buffers(), buffers.sums(), task, taskCount,
                       Numbers(buffers.output(), groups * p.shape.inner));
  Numbers numbers(buffers.output(), groups);
  Share share = shareOf(groups, task, taskCount);
  if (LayerNormRows::areMeasured(p))
    return findShortRows(p, layer.buffers(), share, numbers);
  findRows(p, layer.buffers(), share, numbers);
}

YARROW_KERNEL(yk_norm_sums, NormSums) {
  const NormShape &s = p.shape;
  uint32_t kept = countOf(s.kept), runs = s.reduced.dims[0];
  uint32_t blocks = kept * ColumnBlock::countOf(s);
  PartSums sums{static_cast<int64_t *>(buffers.output()), kept * s.inner};
  Share share = shareOf(blocks * s.parts, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    ColumnBlock own(s, i / s.parts);
    Share part = shareOf(runs, i % s.parts, s.parts);
    NormShape shape = s;
    shape.parts = 1;
    shape.reduced.dims[0] = part.end - part.begin;
    own.base.element += int64_t(part.begin) * s.reduced.strides[0];
    NormBlock block(shape, own.base, own.columns, {0, 1});
    int64_t values[kNormColumns], squares[kNormColumns];
    withByte(p.inType, [&](auto zero) {
      ColumnStrips(block, shape)
          .sum<decltype(zero)>(buffers.input(), values, squares);
    });
    for (uint32_t c = 0; c < own.columns; ++c) {
      sums.values(i % s.parts, own.at)[c] = values[c];
      sums.squares(i % s.parts, own.at)[c] = squares[c];
    }
  }
}
