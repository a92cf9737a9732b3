//===- GroupGains.cpp - Gains of groups that were added up ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/norm/LayerNormChunks.h"
#include "kernels/norm/RowGains.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// What the tensor engine has found.
class FoundSums {
public:
  FoundSums(const GroupGainsParams &p, GroupGainsBuffers buffers)
      : p(p), sums(static_cast<const int32_t *>(buffers.sums())),
        squares(static_cast<const int32_t *>(buffers.squares())),
        planes(groupPlanes(p.layer.inType)),
        planeSize(int64_t(p.runs) * groupBlocks(p.groups) * kGroupBlock *
                  kGroupBlock) {}

  /// Of the kRowLanes groups from i on, which are of one block.
  void load(uint32_t i, RowLanes<int32_t> &sum,
            RowLanes<uint32_t> &square) const {
    __builtin_memcpy(&sum, sums + i, sizeof(sum));
    const int32_t *from = placeOf(i);
    uint32_t each[kRowLanes];
    for (uint32_t r = 0; r < kRowLanes; ++r)
      each[r] = uint32_t(from[r * (kGroupBlock + 1)]);
    loadLanes(each, square);
  }
  /// Of group i of all.
  int32_t sumOf(uint32_t i) const { return sums[i]; }
  /// Of its bytes, below 2^31; of words that of the high ones.
  uint32_t squareOf(uint32_t i) const { return uint32_t(*placeOf(i)); }
  int64_t squaresOf(uint32_t i) const {
    const int32_t *at = placeOf(i);
    if (planes == 1)
      return *at;
    // (256 h + l)^2
    return int64_t(at[0]) * 65536 + int64_t(at[planeSize]) * 512 +
           at[2 * planeSize];
  }

private:
  const int32_t *placeOf(uint32_t i) const {
    uint32_t run = i / p.groups, group = i % p.groups;
    uint32_t block = run * groupBlocks(p.groups) + group / kGroupBlock;
    uint32_t own = group % kGroupBlock;
    return squares + int64_t(block) * kGroupBlock * kGroupBlock +
           own * (kGroupBlock + 1);
  }

  const GroupGainsParams &p;
  const int32_t *sums, *squares;
  uint32_t planes;
  int64_t planeSize;
};

/// Groups side by side that have one mean; 1 but for GroupNorm.
uint32_t widthOf(const GroupGainsParams &p) {
  uint32_t columns = p.layer.shape.groupColumns;
  return columns > 1 ? columns : 1;
}

/// Groups one by one.
void findEach(const GroupGainsParams &p, const FoundSums &found,
              const int16_t *table, Share share, int32_t *offsets,
              int32_t *gains) {
  const LayerNormIntParams &layer = p.layer;
  uint32_t width = widthOf(p);
  double terms = double(p.terms) * double(width);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    int64_t sum = 0, squares = 0;
    for (uint32_t c = 0; c < width; ++c) {
      sum += found.sumOf(i * width + c);
      squares += found.squaresOf(i * width + c);
    }
    int64_t offset = subtractsMean(layer) ? -meanOf(sum, terms) : layer.inZp;
    squares += 2 * offset * sum + int64_t(p.terms) * width * offset * offset;
    int32_t gain = gainOf(layer, squares, terms, table);
    for (uint32_t c = 0; c < width; ++c) {
      offsets[i * width + c] = int32_t(offset);
      gains[i * width + c] = gain;
    }
  }
}

} // namespace

YARROW_KERNEL(yk_group_gains, GroupGains) {
  FoundSums found(p, buffers);
  auto *table = static_cast<const int16_t *>(buffers.table());
  uint32_t count = p.runs * p.groups;
  auto *offsets = static_cast<int32_t *>(buffers.output());
  int32_t *gains = offsets + count;
  uint32_t width = widthOf(p);
  if (!areLanes(p.layer, p.terms) || width != 1)
    return findEach(p, found, table, shareOf(count / width, task, taskCount),
                    offsets, gains);
  // Lanes of whole blocks are loaded together.
  bool areBlocks = p.groups % kRowLanes == 0;
  uint32_t unit = areBlocks ? kRowLanes : 1;
  Share share = shareOf(count / unit, task, taskCount);
  for (uint32_t i = share.begin * unit; i < share.end * unit; i += kRowLanes) {
    uint32_t n = share.end * unit - i;
    n = n < kRowLanes ? n : kRowLanes;
    RowLanes<int32_t> sum;
    RowLanes<uint32_t> square;
    if (areBlocks) {
      found.load(i, sum, square);
    } else {
      int32_t sums[kRowLanes] = {};
      uint32_t squares[kRowLanes] = {};
      for (uint32_t r = 0; r < n; ++r) {
        sums[r] = found.sumOf(i + r);
        squares[r] = found.squareOf(i + r);
      }
      loadLanes(sums, sum);
      loadLanes(squares, square);
    }
    RowGains rows;
    if (!gainsOfLanes(p.layer, table, p.terms, sum, square, rows)) {
      findEach(p, found, table, {i, i + n}, offsets, gains);
      continue;
    }
    for (uint32_t r = 0; r < n; ++r) {
      offsets[i + r] = -rows.means[r];
      gains[i + r] = int32_t(rows.gains[r]);
    }
  }
}
