//===- Layouts.cpp - The axes of samples in another order -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/Layouts.h"

#include "support/ThreadPool.h"

#include <cstring>

using namespace yarrow;

namespace {

/// An array of its own with the type and name of \p like.
struct Copy {
  NpyView view;
  std::byte *to;

  Copy(const NpyView &like, std::vector<int64_t> shape, std::size_t elements) {
    view.type = like.type;
    view.name = like.name;
    view.shape = std::move(shape);
    view.numElements = elements;
    // Of 64-bit words, so that it is aligned for every type.
    std::shared_ptr<uint64_t[]> words(
        new uint64_t[(view.sizeBytes() + 7) / 8 + 1]);
    to = reinterpret_cast<std::byte *>(words.get());
    view.data = words.get();
    view.owner = std::move(words);
  }
};

std::vector<std::size_t> stridesOf(const std::vector<int64_t> &shape) {
  std::vector<std::size_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::size_t(shape[i]);
  return strides;
}

} // namespace

NpyView yarrow::permuted(const NpyView &array,
                         const std::vector<std::size_t> &axes) {
  std::vector<std::size_t> strides = stridesOf(array.shape), steps;
  std::vector<int64_t> shape;
  for (std::size_t axis : axes) {
    shape.push_back(array.shape[axis]);
    steps.push_back(strides[axis]);
  }
  Copy copy(array, shape, array.numElements);
  const auto *from = array.bytes().data();
  std::size_t size = npyTypeBytes(array.type);
  if (array.numElements == 0)
    return copy.view;
  std::size_t rows = std::size_t(shape[0]), rowSize = array.numElements / rows;
  parallelFor(rows, [&](std::size_t row) {
    std::vector<int64_t> at(shape.size(), 0);
    std::size_t source = row * steps[0];
    for (std::size_t i = 0; i < rowSize; ++i) {
      std::memcpy(copy.to + (row * rowSize + i) * size, from + source * size,
                  size);
      // Count up from the last axis, which moves the source along.
      for (std::size_t k = shape.size(); k-- > 1;) {
        source += steps[k];
        if (++at[k] < shape[k])
          break;
        source -= steps[k] * std::size_t(shape[k]);
        at[k] = 0;
      }
    }
  });
  return copy.view;
}

NpyView yarrow::reversedLast(const NpyView &array) {
  Copy copy(array, array.shape, array.numElements);
  std::size_t size = npyTypeBytes(array.type),
              length = std::size_t(array.shape.back());
  for (std::size_t i = 0; i < array.numElements; ++i) {
    std::size_t at = i % length, source = i - at + (length - 1 - at);
    std::memcpy(copy.to + i * size, array.bytes().data() + source * size, size);
  }
  return copy.view;
}

NpyView yarrow::joined(const std::vector<NpyView> &arrays) {
  std::vector<int64_t> shape = arrays[0].shape;
  std::size_t elements = 0;
  shape[0] = 0;
  for (const NpyView &array : arrays) {
    shape[0] += array.shape[0];
    elements += array.numElements;
  }
  Copy copy(arrays[0], shape, elements);
  std::byte *to = copy.to;
  for (const NpyView &array : arrays) {
    std::memcpy(to, array.data, array.sizeBytes());
    to += array.sizeBytes();
  }
  return copy.view;
}
