//===- Quantized.cpp - Scales and zero points as arithmetic ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What AbsorbQuantization.h leaves: integers of which no type of a tensor says
// what they mean. Rounding and limits are layers of floats then.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Tensors.h"
#include "parser/graph/OnnxTypes.h"
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// Block \p size of the node's axis; 0 if there are none. Reports scales that
/// do not fit.
static FailureOr<int64_t> blockSize(NodeEmitter &n) {
  int64_t size = n.node.integer("block_size", 0);
  if (size == 0)
    return 0;
  auto axis = n.wrapped(n.node.integer("axis", 1), n.rank(0));
  if (failed(axis))
    return failure();
  Shape blocks = n.shape(0);
  int64_t &length = blocks[size_t(*axis)];
  length = size > 0 ? (length + size - 1) / size : 0;
  for (size_t i : {1, 2})
    if (size < 0 || (n.has(i) && n.shape(i) != blocks))
      return n.bad("scales and zero points do not match the blocks",
                   shapeText(n.shape(size < 0 ? 1 : i)) + " for blocks of " +
                       std::to_string(size),
                   shapeText(blocks));
  return size;
}

/// Scale or zero point \p i as floats that broadcast to the input: one number,
/// one for each place of `axis`, or one for each block along it.
static Value spread(NodeEmitter &n, size_t i) {
  auto size = blockSize(n);
  if (failed(size))
    return {};
  Value value = n.build.cast(*size ? n.in(i) : n.plain(i), DType::F32);
  if (!value || (*size == 0 && numElements(n.shape(i)) == 1))
    return value ? n.build.reshape(value, Shape(n.shape(0).size(), 1)) : value;
  auto axis = n.axis("axis", 1);
  if (failed(axis))
    return {};
  if (*size == 0) {
    Shape shape(n.shape(0).size(), 1);
    shape[size_t(*axis)] = numElements(n.shape(i));
    return n.build.reshape(value, shape);
  }
  int64_t length = n.placedList(n.shape(0))[size_t(*axis)];
  std::vector<int32_t> blocks;
  for (int64_t at = 0; at < length; ++at)
    blocks.push_back(int32_t(at / *size));
  return n.layer("Gather",
                 {value, n.build.constantOf({length}, ArrayRef(blocks))},
                 {{"axis", *axis}, {"batch_dims", 0}});
}

LogicalResult graph::emitQuantizeLinear(NodeEmitter &n) {
  ElementType to = ElementType::U8;
  if (n.has(2))
    to = n.type(2);
  else if (int64_t stated = n.node.integer("output_dtype", 0))
    to = onnxType(stated).value_or(ElementType::F32);
  if (elementBytes(to) > 2 || compass::dtypeIsFloat(to))
    return n.refuse("this result type is not supported",
                    compass::dtypeName(irElement(to)).str(),
                    "integers of 8 or 16 bits");
  Value scale = spread(n, 1);
  if (!scale || !n.in(0))
    return failure();
  Value x = n.build.cast(n.in(0), DType::F32);
  Value y = n.layer("Round", {n.layer("Div", {x, scale})});
  if (n.has(2)) {
    Value zero = spread(n, 2);
    if (!zero)
      return failure();
    y = eltwise(n, "ADD", y, zero);
  }
  auto [least, most] = compass::dtypeRange(irElement(to));
  if (n.constant(2) && n.constant(2)->narrowBits) {
    least = compass::dtypeIsSigned(to) ? -8 : 0;
    most = compass::dtypeIsSigned(to) ? 7 : 15;
  }
  y = n.layer("Activation", {y},
              {{"method", "CLIP"},
               {"clip_min", double(least)},
               {"clip_max", double(most)}});
  return n.out(0, n.build.cast(y, irElement(to)));
}

/// The numbers of constants in blocks, which a layer multiplies with: weights.
static LogicalResult realBlocks(NodeEmitter &n, int64_t size) {
  const Constant &q = *n.constant(0), &scales = *n.constant(1),
                 *zeros = n.constant(2);
  auto axis = n.wrapped(n.node.integer("axis", 1), n.rank(0));
  if (failed(axis))
    return failure();
  int64_t inner = 1, length = q.shape[size_t(*axis)];
  for (size_t a = size_t(*axis) + 1; a < q.shape.size(); ++a)
    inner *= q.shape[a];
  int64_t blocks = (length + size - 1) / size;
  std::vector<float> values;
  values.reserve(size_t(q.numElements()));
  for (int64_t i = 0; i < q.numElements(); ++i) {
    int64_t place = i / inner % length, outer = i / inner / length;
    int64_t at = (outer * blocks + place / size) * inner + i % inner;
    int64_t zero = zeros ? zeros->integerAt(at) : 0;
    values.push_back(float(q.integerAt(i) - zero) * float(scales.numberAt(at)));
  }
  return n.outConstant(0, Constant::ofFloats(q.shape, values));
}

LogicalResult graph::emitDequantizeLinear(NodeEmitter &n) {
  auto size = blockSize(n);
  if (failed(size))
    return failure();
  if (*size > 0 && n.constant(0) && n.constant(1) &&
      (!n.has(2) || n.constant(2)))
    return realBlocks(n, *size);
  Value scale = spread(n, 1);
  if (!scale || !n.in(0))
    return failure();
  Value x = n.build.cast(n.in(0), DType::F32);
  if (n.has(2)) {
    Value zero = spread(n, 2);
    if (!zero)
      return failure();
    x = eltwise(n, "SUB", x, zero);
  }
  return n.out(0, eltwise(n, "MUL", x, scale));
}

LogicalResult graph::emitDynamicQuantize(NodeEmitter &n) {
  // scale = (max(x, 0) - min(x, 0)) / 255, zero = clip(round(-min / scale))
  Value x = n.plain(0);
  if (!x)
    return failure();
  SmallVector<int64_t> flat = {numElements(n.shape(0))};
  Value list = n.build.reshape(x, flat);
  auto extreme = [&](const char *method) {
    Value value =
        n.layer("Reduce", {list},
                {{"method", method}, {"axis", std::vector<int64_t>{0}}});
    return value ? eltwise(n, method, value, scalarLike(n, value, 0)) : value;
  };
  Value most = extreme("MAX"), least = extreme("MIN");
  if (!most || !least)
    return failure();
  Value scale = n.layer(
      "Div", {eltwise(n, "SUB", most, least), scalarLike(n, most, 255)});
  auto limited = [&](Value value) {
    return n.layer(
        "Activation", {n.layer("Round", {value})},
        {{"method", "CLIP"}, {"clip_min", 0.0}, {"clip_max", 255.0}});
  };
  Value zero = limited(n.layer("Div", {n.layer("Negative", {least}), scale}));
  Shape ones(n.shape(0).size(), 1);
  Value y =
      n.layer("Round", {n.layer("Div", {x, n.build.reshape(scale, ones)})});
  y = limited(eltwise(n, "ADD", y, n.build.reshape(zero, ones)));
  if (failed(n.out(0, n.build.cast(y, DType::U8))) ||
      failed(n.out(1, n.build.reshape(scale, {}))))
    return failure();
  return n.out(2, n.build.reshape(n.build.cast(zero, DType::U8), {}));
}
