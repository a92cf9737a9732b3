//===- IntegerProducts.cpp - ConvInteger and MatMulInteger ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The layers subtract one constant zero point of each operand. One that is
// computed, as after DynamicQuantizeLinear, or that differs from row to row, is
// subtracted from the products, in 32-bit integers like these:
//
//   (A - za) (B - zb) = A B - za colsum(B) - zb rowsum(A) + K za zb
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"
#include "parser/graph/operators/Windows.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// The zero point if the layer can have it: one constant number, 0 if it is
/// absent.
static std::optional<int64_t> keyedZeroPoint(NodeEmitter &n, size_t i) {
  if (!n.has(i))
    return 0;
  if (!n.constant(i))
    return std::nullopt;
  std::vector<int64_t> values = n.constant(i)->integers();
  if (values.empty() ||
      !llvm::all_of(values, [&](int64_t v) { return v == values.front(); }))
    return std::nullopt;
  return values.front();
}

static Value widened(NodeEmitter &n, Value x) {
  return x ? n.build.cast(x, DType::I32) : x;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// The sum of a filter's weights, less their zero point, over its input
/// channels: [outputs, kernel_y, kernel_x].
static std::vector<int64_t> channelSums(NodeEmitter &n, int64_t zeroPoint) {
  const Constant &w = *n.constant(1);
  int64_t cells = numElements(w.shape) / (w.shape[0] * w.shape[1]);
  std::vector<int64_t> sums(size_t(w.shape[0] * cells));
  for (int64_t i = 0; i < w.numElements(); ++i) {
    int64_t output = i / (w.shape[1] * cells);
    sums[size_t(output * cells + i % cells)] += w.integerAt(i) - zeroPoint;
  }
  return sums;
}

/// What each window multiplies a zero point of the input with: the weights that
/// do not lie on padding, which is at the zero point. [1, h, w, outputs]
static Value weightsWithin(NodeEmitter &n, const Window &w,
                           const std::vector<int64_t> &spatial,
                           int64_t zeroPoint) {
  std::vector<int64_t> counts = windowCounts(spatial, w, false),
                       sums = channelSums(n, zeroPoint);
  bool isSignal = spatial.size() == 1;
  auto of = [&](const std::vector<int64_t> &list, size_t a, int64_t none) {
    return !isSignal ? list[a] : a == 0 ? none : list[0];
  };
  auto isWithin = [&](size_t a, int64_t place, int64_t k) {
    int64_t at = place * of(w.stride, a, 1) + k * of(w.dilation, a, 1) -
                 of(w.begin, a, 0);
    return at >= 0 && at < of(spatial, a, 1);
  };
  int64_t outputs = n.shape(1)[0], rows = of(w.kernel, 0, 1),
          columns = of(w.kernel, 1, 1);
  Shape shape = {1, of(counts, 0, 1), of(counts, 1, 1), outputs};
  std::vector<int32_t> values;
  values.reserve(size_t(numElements(shape)));
  for (int64_t y = 0; y < shape[1]; ++y)
    for (int64_t x = 0; x < shape[2]; ++x)
      for (int64_t o = 0; o < outputs; ++o) {
        int64_t sum = 0;
        for (int64_t k = 0; k < rows * columns; ++k)
          if (isWithin(0, y, k / columns) && isWithin(1, x, k % columns))
            sum += sums[size_t(o * rows * columns + k)];
        values.push_back(int32_t(sum));
      }
  return n.build.constantOf(shape, values);
}

LogicalResult graph::emitConvInteger(NodeEmitter &n) {
  auto spatial = spatialShape(n, 0);
  auto kernel = failed(spatial) ? FailureOr<std::vector<int64_t>>(failure())
                                : kernelOf(n);
  if (failed(kernel))
    return failure();
  auto window = windowOf(n, *spatial, *kernel);
  if (failed(window))
    return failure();
  auto xZero = keyedZeroPoint(n, 2), wZero = keyedZeroPoint(n, 3);
  if (!wZero)
    return n.refuse(
        "weights with per-channel or computed zero points are not supported",
        "tensor " + n.tensor(3).name, "one constant value");
  if (!xZero && numElements(n.shape(2)) != 1)
    return n.bad("the input has several zero points", shapeText(n.shape(2)),
                 "one value");
  if (isVolume(*window))
    return n.refuse("volumes are not supported", shapeText(n.shape(0)),
                    "3 or 4 axes");
  ElementsAttr weights = kernelWeights(n, 0, 1);
  if (!weights)
    return failure();
  Keys keys = windowKeys(*window);
  keys.push_back({"weights", weights});
  keys.push_back({"num_output", n.shape(1)[0]});
  keys.push_back({"group", n.node.integer("group", 1)});
  keys.push_back({"x_zero_point", xZero.value_or(0)});
  keys.push_back({"w_zero_point", *wZero});
  Value y = n.build.layerOf("ConvInteger", {imageOf(n, 0)}, keys, DType::I32);
  if (!xZero && y) {
    Value zero = n.build.reshape(widened(n, n.plain(2)), {1, 1, 1, 1});
    y = eltwise(
        n, "SUB", y,
        eltwise(n, "MUL", weightsWithin(n, *window, *spatial, *wZero), zero));
  }
  return outImage(n, 0, y);
}

//===----------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------===//

/// Sums of factor \p i along axis \p along of its last two, which stays with
/// length 1, less \p zeroPoint each; \p rank axes.
static Value sumsOf(NodeEmitter &n, size_t i, int64_t along, int64_t zeroPoint,
                    size_t rank) {
  int64_t axis = n.rank(i) - 2 + along, length = n.shape(i)[size_t(axis)];
  Shape shape(rank - n.shape(i).size(), 1);
  shape.insert(shape.end(), n.shape(i).begin(), n.shape(i).end());
  shape[rank - 2 + size_t(along)] = 1;
  Value sums =
      n.build.layer("Reduce", {widened(n, n.plain(i))},
                    {{"method", "SUM"}, {"axis", std::vector<int64_t>{axis}}});
  sums = n.build.reshape(sums, shape);
  if (!sums || zeroPoint == 0)
    return sums;
  return eltwise(n, "SUB", sums,
                 scalarLike(n, sums, double(zeroPoint * length)));
}

/// Zero points as [..., rows, 1] or [..., 1, columns], or one, of \p rank axes.
static Value zerosOf(NodeEmitter &n, size_t i, bool areRows, size_t rank) {
  Shape shape = n.shape(i);
  if (shape.size() == 1 && areRows)
    shape.push_back(1);
  if (shape.size() > rank) {
    (void)n.bad("zero points have too many axes", shapeText(shape),
                "at most " + std::to_string(rank));
    return {};
  }
  shape.insert(shape.begin(), rank - shape.size(), 1);
  return n.build.reshape(widened(n, n.plain(i)), shape);
}

LogicalResult graph::emitMatMulInteger(NodeEmitter &n) {
  auto aZero = keyedZeroPoint(n, 2), bZero = keyedZeroPoint(n, 3);
  Value y = n.build.layerOf("MatMulInteger", {n.plain(0), n.plain(1)},
                            {{"a_zero_point", aZero.value_or(0)},
                             {"b_zero_point", bZero.value_or(0)}},
                            DType::I32);
  if ((aZero && bZero) || !y)
    return n.out(0, y);
  if (n.rank(0) < 2 || n.rank(1) < 2)
    return n.refuse("vectors with computed zero points are not supported",
                    shapeText(n.shape(0)) + " and " + shapeText(n.shape(1)),
                    "two axes or more");
  size_t rank = shapeOf(y).size();
  Value a = aZero ? Value() : zerosOf(n, 2, true, rank),
        b = bZero ? Value() : zerosOf(n, 3, false, rank);
  if ((!aZero && !a) || (!bZero && !b))
    return failure();
  if (a)
    y = eltwise(n, "SUB", y,
                eltwise(n, "MUL", a, sumsOf(n, 1, 0, bZero.value_or(0), rank)));
  if (b)
    y = eltwise(n, "SUB", y,
                eltwise(n, "MUL", b, sumsOf(n, 0, 1, aZero.value_or(0), rank)));
  if (a && b) {
    Value both = eltwise(n, "MUL", a, b);
    y = eltwise(n, "ADD", y,
                eltwise(n, "MUL", both,
                        scalarLike(n, both, double(n.shape(0).back()))));
  }
  return n.out(0, y);
}
