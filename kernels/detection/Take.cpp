//===- Take.cpp - Moving what was chosen ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/detection/Take.h"
#include "kernels/detection/MinMax.h"
#include "support/Numeric.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// ((q + zp) * scale) >> shift; at most 33 + 16 bits.
int32_t rescaled(int32_t q, int32_t zp, int32_t scale, int32_t shift,
                 int32_t lo, int32_t hi) {
  int64_t value = (int64_t(q) + zp) * scale;
  value = shift >= 0 ? value >> lesser(shift, 62)
                     : wrapMul(value, int64_t(1) << lesser(-shift, 62));
  return int32_t(clamp<int64_t>(value, lo, hi));
}

} // namespace

YARROW_KERNEL(yk_take, Take) {
  bool isFloat = isFloatType(p.type);
  forEachBoxChunk(
      p.rows, buffers.places(), task, taskCount, [&](const BoxChunk &chunk) {
        for (uint32_t i = 0; i < chunk.n; ++i) {
          int64_t from = int64_t(chunk.box[i]) * p.boxStride + p.first +
                         chunk.classOf[i] * p.classStride;
          int64_t to = (int64_t(chunk.first) + i) * p.width;
          forEachChunk(0, p.width, [&](uint32_t k, uint32_t n) {
            if (isFloat) {
              float x[kChunk];
              loadF32(p.type, buffers.input(), from + k, n, x);
              for (uint32_t lane = 0; lane < n; ++lane)
                x[lane] = chunk.isUsed[i] ? x[lane] : float(p.fill);
              return storeF32(p.outType, buffers.output(), to + k, n, x);
            }
            int32_t q[kChunk];
            loadI32(p.type, buffers.input(), from + k, n, q);
            for (uint32_t lane = 0; lane < n; ++lane)
              q[lane] = chunk.isUsed[i] ? rescaled(q[lane], p.zp, p.scale,
                                                   p.shift, p.lo, p.hi)
                                        : p.fill;
            storeI32(p.outType, buffers.output(), to + k, n, q);
          });
        }
      });
}

YARROW_KERNEL(yk_place_numbers, PlaceNumbers) {
  Share share = shareOf(p.count, task, taskCount);
  auto *places = static_cast<const int32_t *>(buffers.places());
  for (uint32_t i = share.begin; i < share.end; ++i)
    storeCount(p.outType, buffers.output(), i, places[i] < 0 ? -1 : places[i]);
}

YARROW_KERNEL(yk_best_class, BestClass) {
  uint32_t chunks = (p.boxes + kChunk - 1) / kChunk;
  auto *classes = static_cast<int32_t *>(buffers.classes());
  Share share = shareOf(p.batch * chunks, task, taskCount);
  for (uint32_t item = share.begin; item < share.end; ++item) {
    uint32_t image = item / chunks, box = item % chunks * kChunk;
    uint32_t n = lesser(kChunk, p.boxes - box);
    int32_t best[kChunk], which[kChunk], keys[kChunk];
    for (uint32_t i = 0; i < n; ++i)
      which[i] = 1;
    for (uint32_t c = 1; c < p.classes; ++c) {
      loadKeys(p.type, buffers.scores(),
               (int64_t(image) * p.classes + c) * p.boxes + box, n, false,
               c == 1 ? best : keys);
      for (uint32_t i = 0; c > 1 && i < n; ++i) {
        bool isBetter = keys[i] > best[i];
        best[i] = isBetter ? keys[i] : best[i];
        which[i] = isBetter ? int32_t(c) : which[i];
      }
    }
    uint32_t bytes = dtypeBytes(p.type);
    int64_t to = int64_t(image) * p.boxes + box;
    for (uint32_t i = 0; i < n; ++i) {
      int64_t from =
          (int64_t(image) * p.classes + which[i]) * p.boxes + box + i;
      __builtin_memcpy(bytesAt(buffers.best(), p.type, to + i),
                       bytesAt(buffers.scores(), p.type, from), bytes);
      classes[to + i] = which[i] - 1;
    }
  }
}

YARROW_KERNEL(yk_class_rows, ClassRows) {
  constexpr uint32_t kNumbers = 6;
  auto *classes = static_cast<const int32_t *>(buffers.classes());
  forEachBoxChunk(
      p.rows, buffers.places(), task, taskCount, [&](const BoxChunk &chunk) {
        for (uint32_t i = 0; i < chunk.n; ++i) {
          int64_t row = int64_t(chunk.first) + i, box = chunk.box[i];
          if (isFloatType(p.outType)) {
            float y[kNumbers] = {float(classes[box])};
            loadF32(p.scoreType, buffers.scores(), box, 1, y + 1);
            loadF32(p.boxType, buffers.boxes(), 4 * row, 4, y + 2);
            for (float &number : y)
              number = chunk.isUsed[i] ? number : -1.0f;
            storeF32(p.outType, buffers.output(), kNumbers * row, kNumbers, y);
            continue;
          }
          int32_t y[kNumbers] = {
              classes[box], loadOneI32(p.scoreType, buffers.scores(), box)};
          y[1] = rescaled(y[1], p.zp, p.scale, p.shift, p.lo, p.hi);
          loadI32(p.boxType, buffers.boxes(), 4 * row, 4, y + 2);
          for (int32_t &number : y)
            number = chunk.isUsed[i] ? number : -1;
          storeI32(p.outType, buffers.output(), kNumbers * row, kNumbers, y);
        }
      });
}

YARROW_KERNEL(yk_valid_keys, ValidKeys) {
  auto *to = static_cast<int32_t *>(buffers.keys());
  bool isFloat = isFloatType(p.type);
  Share share = shareOf(p.rows, task, taskCount);
  forEachChunk(share.begin, share.end, [&](uint32_t row, uint32_t n) {
    int32_t keys[kChunk], ids[kChunk];
    auto load = [&](int32_t column, int32_t *dst) {
      loadKeys(p.type, buffers.input(), int64_t(row) * p.width + column, n,
               false, dst, p.width);
    };
    load(p.scoreIndex, keys);
    if (p.idIndex >= 0)
      load(p.idIndex, ids);
    for (uint32_t i = 0; i < n; ++i) {
      // The key of 0 is 0, that of a NaN the greatest.
      bool isNaN = isFloat && (keys[i] == INT32_MAX ||
                               (p.idIndex >= 0 && ids[i] == INT32_MAX));
      bool isValid = !isNaN && (p.idIndex < 0 || ids[i] >= 0);
      to[row + i] = isValid ? keys[i] : INT32_MIN;
    }
  });
}

YARROW_KERNEL(yk_large_keys, LargeKeys) {
  const ClassList &list = p.list;
  auto *to = static_cast<int32_t *>(buffers.keys());
  Share share = shareOf(p.batch * list.boxes, task, taskCount);
  for (uint32_t image = share.begin / list.boxes;
       image * list.boxes < share.end; ++image) {
    uint32_t used = 0;
    forEachClass(list, buffers.perClass(), buffers.classCount(), image,
                 [&](uint32_t, uint32_t, uint32_t end) { used = end; });
    uint32_t first = image * list.boxes;
    uint32_t begin = greater(share.begin, first),
             end = lesser(share.end, first + list.boxes);
    for (uint32_t box = begin; box < end; ++box) {
      float b[4]; // exact for integers of 16 bits
      loadF32(p.boxType, buffers.boxes(), 4 * int64_t(box), 4, b);
      int32_t key = keyAt(p.scoreType, buffers.scores(), box, false);
      bool isNaN = isFloatType(p.scoreType) && key == INT32_MAX;
      bool isLarge = b[2] - b[0] >= p.minSize[0] && b[3] - b[1] >= p.minSize[1];
      to[box] = isLarge && !isNaN && box - first < used ? key : INT32_MIN;
    }
  }
}

YARROW_KERNEL(yk_place_classes, PlaceClasses) {
  const ClassList &list = p.list;
  Share share = shareOf(p.batch, task, taskCount);
  for (uint32_t image = share.begin; image < share.end; ++image) {
    auto *places = static_cast<const int32_t *>(buffers.places()) +
                   int64_t(image) * p.capacity;
    uint32_t next = 0, present = 0;
    int64_t to = int64_t(image) * p.slots;
    forEachClass(list, buffers.perClass(), buffers.classCount(), image,
                 [&](uint32_t c, uint32_t, uint32_t end) {
                   uint32_t begin = next;
                   while (next < p.capacity && places[next] >= 0 &&
                          uint32_t(places[next]) < end)
                     ++next;
                   if (next == begin || present == p.slots)
                     return;
                   storeCount(p.outPerClassType, buffers.outPerClass(),
                              to + present, int32_t(next - begin));
                   int64_t label = loadIndex(p.labelType, buffers.labels(),
                                             int64_t(image) * list.classes + c);
                   storeCount(p.outLabelType, buffers.outLabels(), to + present,
                              saturateToI32(label));
                   ++present;
                 });
    storeCount(p.outClassCountType, buffers.outClassCount(), image,
               int32_t(present));
    for (; present < p.slots; ++present) {
      storeCount(p.outPerClassType, buffers.outPerClass(), to + present, 0);
      storeCount(p.outLabelType, buffers.outLabels(), to + present, 0);
    }
  }
}

YARROW_KERNEL(yk_kept_places, KeptPlaces) {
  Share share = shareOf(p.batch, task, taskCount);
  for (uint32_t image = share.begin; image < share.end; ++image) {
    auto *places =
        static_cast<int32_t *>(buffers.places()) + int64_t(image) * p.capacity;
    uint32_t next = 0;
    int64_t base = 0;
    for (uint32_t c = 0; c < p.classes; ++c) {
      uint32_t count = countAt(p.perClassType, buffers.perClass(),
                               int64_t(image) * p.classes + c, p.boxes);
      for (uint32_t k = 0; k < count; ++k) {
        if (next == p.capacity || next == p.kept)
          break;
        int64_t box = base + loadIndex(p.keepType, buffers.keep(),
                                       int64_t(image) * p.kept + next);
        if (box < 0 || box >= p.boxes)
          break;
        places[next++] = int32_t(box);
      }
      base += count;
    }
    for (; next < p.capacity; ++next)
      places[next] = -1;
  }
}

YARROW_KERNEL(yk_normalised_boxes, Normalised) {
  Share share = shareOf(p.count, task, taskCount);
  forEachChunk(share.begin, share.end, [&](uint32_t i, uint32_t n) {
    if (isFloatType(p.type)) {
      float x[kChunk];
      loadF32(p.type, buffers.input(), i, n, x);
      for (uint32_t lane = 0; lane < n; ++lane)
        x[lane] /= p.divisor;
      return storeF32(p.outType, buffers.output(), i, n, x);
    }
    int32_t q[kChunk];
    loadI32(p.type, buffers.input(), i, n, q);
    for (uint32_t lane = 0; lane < n; ++lane) {
      uint32_t isX = (i + lane) & 1;
      q[lane] = requantize(int64_t(q[lane]) + p.zp, p.scales[isX],
                           p.shifts[isX], p.outZp, p.lo, p.hi);
    }
    storeI32(p.outType, buffers.output(), i, n, q);
  });
}
