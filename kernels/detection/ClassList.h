//===- ClassList.h - Boxes that are ordered by class ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The number of boxes of each class of an image is data, and can be wrong:
// entries beyond the boxes of the image are left out, negative numbers count as
// 0.
//
//   forEachClass(list, perClass, classCount, image,
//                [&](uint32_t c, uint32_t begin, uint32_t end) { ... });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DETECTION_CLASSLIST_H
#define YARROW_KERNELS_DETECTION_CLASSLIST_H

#include "kernels/indexing/Indices.h"

namespace yarrow::kernels {

struct ClassList {
  uint32_t boxes = 1, classes = 1;   // of an image
  DType perClassType = DType::I32;   // boxes of each class; any
  DType classCountType = DType::I32; // classes that count; any
};
static_assert(sizeof(ClassList) == 16);

/// A number from data, 0 to \p most.
inline uint32_t countAt(DType type, const void *src, int64_t at,
                        uint32_t most) {
  return uint32_t(clamp<int64_t>(loadIndex(type, src, at), 0, most));
}

/// Calls fn(c, begin, end) for the classes of an image in their order: its
/// boxes [begin, end) are of class c.
template <typename Fn>
inline void forEachClass(const ClassList &list, const void *perClass,
                         const void *classCount, uint32_t image, Fn fn) {
  uint32_t classes =
      countAt(list.classCountType, classCount, image, list.classes);
  uint32_t begin = 0;
  for (uint32_t c = 0; c < classes; ++c) {
    uint32_t end =
        begin + countAt(list.perClassType, perClass,
                        int64_t(image) * list.classes + c, list.boxes - begin);
    fn(c, begin, end);
    begin = end;
  }
}

/// Stores a number into an integer or float tensor, limited to its type.
inline void storeCount(DType type, void *to, int64_t at, int32_t value) {
  if (type == DType::F32 || type == DType::F16 || type == DType::BF16) {
    float number = float(value);
    return storeF32(type, to, at, 1, &number);
  }
  int32_t most = type == DType::I8    ? 127
                 : type == DType::U8  ? 255
                 : type == DType::I16 ? 32767
                 : type == DType::U16 ? 65535
                                      : INT32_MAX;
  value = value < most ? value : most;
  storeI32(type, to, at, 1, &value);
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DETECTION_CLASSLIST_H
