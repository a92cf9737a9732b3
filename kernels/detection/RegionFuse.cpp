//===- RegionFuse.cpp - Two regions' boxes in one list --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/OrderKeys.h"
#include "kernels/detection/MinMax.h"
#include "kernels/detection/Region.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// The classes of a region in one image.
struct Region {
  const void *perClass, *labels;
  DType perClassType, labelType;
  int64_t first;  // class of the image
  uint32_t count; // classes in use
  uint32_t boxes;

  int64_t label(uint32_t k) const {
    return loadIndex(labelType, labels, first + k);
  }
  uint32_t boxesOf(uint32_t k, uint32_t most) const {
    return countAt(perClassType, perClass, first + k, most);
  }
};

/// The least label of both above \p label; false if there is none.
bool nextLabel(const Region *regions, bool isFirst, int64_t &label) {
  bool found = false;
  int64_t next = 0;
  for (uint32_t r = 0; r < 2; ++r)
    for (uint32_t k = 0; k < regions[r].count; ++k) {
      int64_t other = regions[r].label(k);
      if ((isFirst || other > label) && (!found || other < next))
        next = other, found = true;
    }
  label = next;
  return found;
}

} // namespace

YARROW_KERNEL(yk_region_fuse, RegionFuse) {
  Share share = shareOf(p.batch, task, taskCount);
  for (uint32_t image = share.begin; image < share.end; ++image) {
    int64_t first = int64_t(image) * p.classes;
    auto countOf = [&](uint32_t r, const void *counts) {
      return countAt(p.classCountTypes[r], counts, image, p.classes);
    };
    Region regions[2] = {{buffers.perClass1(), buffers.labels1(),
                          p.perClassTypes[0], p.labelTypes[0], first,
                          countOf(0, buffers.classCount1()), p.boxes[0]},
                         {buffers.perClass2(), buffers.labels2(),
                          p.perClassTypes[1], p.labelTypes[1], first,
                          countOf(1, buffers.classCount2()), p.boxes[1]}};
    auto *places =
        static_cast<int32_t *>(buffers.places()) + int64_t(image) * p.capacity;
    uint32_t next = 0, present = 0;
    int64_t label = 0;
    for (; present < p.classes && nextLabel(regions, present == 0, label);
         ++present) {
      uint32_t begin = next;
      for (uint32_t r = 0; r < 2; ++r) {
        const Region &region = regions[r];
        uint32_t from = 0;
        for (uint32_t k = 0; k < region.count; ++k) {
          uint32_t boxes = region.boxesOf(k, region.boxes - from);
          if (region.label(k) != label) {
            from += boxes;
            continue;
          }
          for (uint32_t i = 0; i < boxes && next < p.capacity; ++i)
            places[next++] = int32_t(from + i + (r ? p.boxes[0] : 0));
          break;
        }
      }
      storeCount(p.outPerClassType, buffers.perClass(), first + present,
                 int32_t(next - begin));
      storeCount(p.outLabelType, buffers.labels(), first + present,
                 saturateToI32(label));
    }
    storeCount(p.outClassCountType, buffers.classCount(), image,
               int32_t(present));
    for (; present < p.classes; ++present) {
      storeCount(p.outPerClassType, buffers.perClass(), first + present, 0);
      storeCount(p.outLabelType, buffers.labels(), first + present, 0);
    }
    for (; next < p.capacity; ++next)
      places[next] = -1;
  }
}

YARROW_KERNEL(yk_fuse_rows, FuseRows) {
  auto *places = static_cast<const int32_t *>(buffers.places());
  const void *inputs[] = {buffers.input1(), buffers.input2()};
  Share share = shareOf(p.batch * p.capacity, task, taskCount);
  for (uint32_t row = share.begin; row < share.end; ++row) {
    uint32_t image = row / p.capacity, place = uint32_t(places[row]);
    uint32_t r = place >= p.boxes[0];
    uint32_t box = r ? place - p.boxes[0] : place;
    bool isUsed = box < p.boxes[r];
    int64_t from = isUsed ? (int64_t(image) * p.boxes[r] + box) * p.width : 0;
    int64_t to = int64_t(row) * p.width;
    forEachChunk(0, p.width, [&](uint32_t k, uint32_t n) {
      if (isFloatType(p.outType)) {
        float x[kChunk];
        loadF32(p.types[r], inputs[r], from + k, n, x);
        for (uint32_t i = 0; i < n; ++i)
          x[i] = isUsed ? x[i] : 0.0f;
        return storeF32(p.outType, buffers.output(), to + k, n, x);
      }
      int32_t q[kChunk], shift = p.shifts[r];
      loadI32(p.types[r], inputs[r], from + k, n, q);
      for (uint32_t i = 0; i < n; ++i) {
        int64_t y = int64_t(q[i]) * p.scales[r];
        y = shift >= 0 ? y >> lesser(shift, 62)
                       : wrapMul(y, int64_t(1) << lesser(-shift, 62));
        q[i] = isUsed ? int32_t(clamp<int64_t>(y, p.lo[r], p.hi[r])) : 0;
      }
      storeI32(p.outType, buffers.output(), to + k, n, q);
    });
  }
}
