//===- SparseTensor.cpp - Sparse constants, expanded ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/SparseTensor.h"

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Shape;

namespace {

/// A dimension of the traversal.
struct Level {
  bool isSparse = false;
  std::int64_t length = 0; ///< Positions, stored or not.
  std::vector<std::int64_t> segments = {}, indices = {}; ///< Of a sparse one.
  std::size_t axis = 0;                                  ///< Of the tensor.
  /// What one position is worth along the axis: the block's length, or 1 within
  /// a block.
  std::int64_t step = 1;
};

/// Numbers of 8, 16 or 32 bits, as the union's type says.
std::vector<std::int64_t> indexList(const FlatTable &t, unsigned typeField) {
  FlatTable list = t.table(typeField + 1);
  switch (t.number<std::uint8_t>(typeField, 0)) {
  case 1:
    return list.list<std::int32_t>(0).copy<std::int64_t>();
  case 2:
    return list.list<std::uint16_t>(0).copy<std::int64_t>();
  case 3:
    return list.list<std::uint8_t>(0).copy<std::int64_t>();
  default:
    return {};
  }
}

class Expander {
public:
  Expander(const Shape &shape, Bytes values, std::size_t width,
           std::vector<std::byte> &dense)
      : shape(shape), values(values), width(width), dense(dense) {}

  const char *expand(const FlatTable &sparsity) {
    if (const char *why = readLevels(sparsity))
      return why;
    // A file that asks for more than this is an attack, not a network.
    constexpr std::int64_t kMostGrowth = 256;
    std::int64_t count = graph::numElements(shape);
    if (count > kMostGrowth * std::int64_t(values.size() / width))
      return "a sparse tensor that is far larger than its stored values";
    strides.assign(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;)
      strides[i - 1] = strides[i] * shape[i];
    dense.assign(std::size_t(count) * width, std::byte(0));
    visit(0, 0, 0);
    return problem;
  }

private:
  const char *readLevels(const FlatTable &sparsity) {
    auto order = sparsity.list<std::int32_t>(0).copy<std::int64_t>();
    auto blocks = sparsity.list<std::int32_t>(1).copy<std::int64_t>();
    std::vector<FlatTable> metadata = sparsity.tables(2);
    std::size_t rank = shape.size();
    if (order.size() != rank + blocks.size() || metadata.size() != order.size())
      return "a sparse tensor whose lists differ in length";
    std::vector<bool> isSeen(order.size(), false);
    for (std::int64_t dim : order) {
      if (dim < 0 || dim >= std::int64_t(order.size()) ||
          isSeen[std::size_t(dim)])
        return "a sparse tensor whose dimension order is not a permutation";
      isSeen[std::size_t(dim)] = true;
    }
    // Blocks are dense, at most one along an axis.
    std::vector<std::int64_t> block(rank, 1);
    for (std::size_t k = 0; k < order.size(); ++k) {
      auto dim = std::size_t(order[k]);
      if (dim < rank)
        continue;
      std::int64_t axis = blocks[dim - rank];
      std::int64_t length = metadata[k].number<std::int32_t>(1, 0);
      if (axis < 0 || axis >= std::int64_t(rank) || length < 1 ||
          block[std::size_t(axis)] != 1 ||
          shape[std::size_t(axis)] % length != 0)
        return "a sparse tensor whose blocks do not match its shape";
      block[std::size_t(axis)] = length;
    }
    for (std::size_t k = 0; k < order.size(); ++k) {
      auto dim = std::size_t(order[k]);
      Level level;
      level.axis = dim < rank ? dim : std::size_t(blocks[dim - rank]);
      std::int64_t size = block[level.axis];
      level.length = dim < rank ? shape[level.axis] / size : size;
      level.step = dim < rank ? size : 1;
      level.isSparse = metadata[k].number<std::int8_t>(0, 0) == 1;
      if (level.isSparse) {
        level.segments = indexList(metadata[k], 2);
        level.indices = indexList(metadata[k], 4);
      } else if (metadata[k].number<std::int32_t>(1, 0) != level.length) {
        return "a sparse tensor whose dense dimension does not match its shape";
      }
      levels.push_back(std::move(level));
    }
    return nullptr;
  }

  /// All positions of level \p depth below position \p position of the one
  /// before; \p element counts in the whole tensor.
  void visit(std::size_t depth, std::int64_t position, std::int64_t element) {
    if (problem)
      return;
    if (depth == levels.size())
      return store(position, element);
    const Level &level = levels[depth];
    std::int64_t stride = level.step * strides[level.axis];
    if (!level.isSparse) {
      for (std::int64_t i = 0; i < level.length; ++i)
        visit(depth + 1, position * level.length + i, element + i * stride);
      return;
    }
    if (position + 1 >= std::int64_t(level.segments.size())) {
      problem = "a sparse tensor with too few segments";
      return;
    }
    std::int64_t begin = level.segments[std::size_t(position)],
                 end = level.segments[std::size_t(position) + 1];
    if (begin < 0 || end < begin || end > std::int64_t(level.indices.size()) ||
        end - begin > level.length) {
      problem = "a sparse tensor whose segments do not match its indices";
      return;
    }
    for (std::int64_t j = begin; j < end; ++j) {
      std::int64_t i = level.indices[std::size_t(j)];
      if (i < 0 || i >= level.length) {
        problem = "a sparse tensor with an index beyond its shape";
        return;
      }
      visit(depth + 1, j, element + i * stride);
    }
  }

  void store(std::int64_t position, std::int64_t element) {
    if (position >= std::int64_t(values.size() / width)) {
      problem = "a sparse tensor with fewer values than its lists refer to";
      return;
    }
    std::memcpy(dense.data() + std::size_t(element) * width,
                values.data() + std::size_t(position) * width, width);
  }

  const Shape &shape;
  Bytes values;
  std::size_t width;
  std::vector<std::byte> &dense;
  std::vector<Level> levels;
  std::vector<std::int64_t> strides; ///< Of the tensor, in elements.
  const char *problem = nullptr;
};

} // namespace

const char *tflite::expandSparse(const FlatTable &sparsity, const Shape &shape,
                                 Bytes values, std::size_t widthBytes,
                                 std::vector<std::byte> &dense) {
  return Expander(shape, values, widthBytes, dense).expand(sparsity);
}
