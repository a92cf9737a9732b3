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

void findColumns(const LayerNormIntParams &p, LayerNormIntBuffers buffers,
                 uint32_t task, uint32_t taskCount, Numbers numbers) {
  const NormShape &s = p.shape;
  Chunks chunks(p, buffers);
  uint32_t perKept = (s.inner + s.blockColumns - 1) / s.blockColumns;
  Share share = shareOf(countOf(s.kept) * perKept, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    uint32_t first = i % perKept * s.blockColumns, left = s.inner - first;
    NormPlace base = placeOf(s.kept, i / perKept);
    base.element += first;
    uint32_t at = i / perKept * s.inner + first;
    uint32_t columns = left < s.blockColumns ? left : s.blockColumns;
    int32_t offset[kNormColumns] = {}, gain[kNormColumns];
    numbersOfColumns(chunks, NormBlock(s, base, columns, {0, 1}), offset, gain);
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
    return findColumns(p, layer.buffers(), task, taskCount,
                       Numbers(buffers.output(), groups * p.shape.inner));
  Numbers numbers(buffers.output(), groups);
  Share share = shareOf(groups, task, taskCount);
  if (LayerNormRows::areMeasured(p))
    return findShortRows(p, layer.buffers(), share, numbers);
  findRows(p, layer.buffers(), share, numbers);
}
