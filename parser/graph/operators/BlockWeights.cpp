//===- BlockWeights.cpp - Matrix products of weights in blocks ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

namespace {
/// Weights of N rows of K values; a row is in blocks of a scale each.
struct Blocks {
  int64_t rows, columns, size, bits;

  int64_t perRow() const { return (columns + size - 1) / size; }
  int64_t bytesOfBlock() const { return (size * bits + 7) / 8; }
  int64_t bytesOfZeros() const { return (perRow() * bits + 7) / 8; }
};
} // namespace

/// Number \p i of \p bits in \p bytes, the first in the lowest bits.
static int64_t packedAt(const std::byte *bytes, int64_t i, int64_t bits) {
  int64_t bit = i * bits;
  return std::to_integer<int64_t>(bytes[bit / 8]) >> (bit % 8) &
         ((int64_t(1) << bits) - 1);
}

/// (q - zero) * scale, [N, K].
static std::vector<float> realWeights(const Blocks &b, const Constant &q,
                                      const Constant &scales,
                                      const Constant *zeros) {
  std::vector<float> result;
  result.reserve(size_t(b.rows * b.columns));
  bool isPacked = zeros && zeros->type == ElementType::U8;
  for (int64_t row = 0; row < b.rows; ++row)
    for (int64_t column = 0; column < b.columns; ++column) {
      int64_t block = column / b.size, at = row * b.perRow() + block;
      double zero =
          !zeros ? double(int64_t(1) << (b.bits - 1))
          : isPacked
              ? double(packedAt(zeros->bytes.data() + row * b.bytesOfZeros(),
                                block, b.bits))
              : zeros->numberAt(at);
      auto value = double(packedAt(q.bytes.data() + at * b.bytesOfBlock(),
                                   column % b.size, b.bits));
      result.push_back(float((value - zero) * scales.numberAt(at)));
    }
  return result;
}

/// [x, weights, scales, zeros, groups, bias]
LogicalResult graph::emitMatMulNBits(NodeEmitter &n) {
  Blocks b = {n.node.integer("N", 0), n.node.integer("K", 0),
              n.node.integer("block_size", 0), n.node.integer("bits", 4)};
  const Constant *q = n.constant(1), *scales = n.constant(2),
                 *zeros = n.constant(3);
  if (!q || !scales || (n.has(3) && !zeros) || (n.has(5) && !n.constant(5)))
    return n.refuse("weights that are computed are not supported",
                    "tensor " + n.tensor(1).name, "constants");
  if (n.has(4))
    return n.refuse("groups in another order are not supported",
                    "tensor " + n.tensor(4).name, "no input g_idx");
  bool isKnown = (b.bits == 2 || b.bits == 4 || b.bits == 8) && b.rows > 0 &&
                 b.columns > 0 && b.size > 0 && b.size % 4 == 0 &&
                 b.size <= (1 << 20) && isPossible({b.rows, b.columns}) &&
                 n.rank(0) > 0 && n.shape(0).back() == b.columns;
  int64_t all = isKnown ? b.rows * b.perRow() : 0;
  bool isPacked = zeros && zeros->type == ElementType::U8;
  bool fits = isKnown && q->type == ElementType::U8 &&
              int64_t(q->bytes.size()) == all * b.bytesOfBlock() &&
              scales->numElements() == all &&
              (!n.has(5) || n.constant(5)->numElements() == b.rows) &&
              (!zeros || (isPacked ? int64_t(zeros->bytes.size()) ==
                                         b.rows * b.bytesOfZeros()
                                   : zeros->numElements() == all));
  if (!fits)
    return n.bad("weights, scales and zero points do not match",
                 shapeText(n.shape(1)) + " and " + shapeText(n.shape(2)) +
                     " for " + std::to_string(b.rows) + " rows of " +
                     std::to_string(b.columns),
                 "2, 4 or 8 bits in blocks of block_size");
  Value x = n.build.reshape(n.plain(0),
                            {numElements(n.shape(0)) / b.columns, b.columns});
  std::vector<float> bias(size_t(b.rows), 0.0f);
  for (size_t i = 0; n.has(5) && i < bias.size(); ++i)
    bias[i] = float(n.constant(5)->numberAt(int64_t(i)));
  Value y =
      n.layer("FullyConnected", {x},
              {{"weights", n.build.floats({b.rows, b.columns},
                                          realWeights(b, *q, *scales, zeros))},
               {"biases", n.build.floats({b.rows}, bias)},
               {"num_output", b.rows}});
  Shape shape = n.shape(0);
  shape.back() = b.rows;
  return y ? n.out(0, n.build.reshape(y, shape)) : failure();
}
