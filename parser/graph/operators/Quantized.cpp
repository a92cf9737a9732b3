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

/// Scale or zero point \p i as floats that broadcast to the input: one number,
/// or one for each place of `axis`.
static Value spread(NodeEmitter &n, size_t i) {
  if (n.node.integer("block_size", 0) != 0) {
    (void)n.refuse("by blocks is not imported",
                   std::to_string(n.node.integer("block_size", 0)),
                   "a scale for the tensor or for each channel");
    return {};
  }
  Value value = n.build.cast(n.plain(i), DType::F32);
  if (!value)
    return value;
  Shape shape(n.shape(0).size(), 1);
  if (numElements(n.shape(i)) != 1) {
    auto axis = n.axis("axis", 1);
    if (failed(axis))
      return {};
    shape[size_t(*axis)] = numElements(n.shape(i));
  }
  return n.build.reshape(value, shape);
}

LogicalResult graph::emitQuantizeLinear(NodeEmitter &n) {
  ElementType to = ElementType::U8;
  if (n.has(2))
    to = n.type(2);
  else if (int64_t said = n.node.integer("output_dtype", 0))
    to = onnxType(said).value_or(ElementType::F32);
  if (elementBytes(to) > 2 || compass::dtypeIsFloat(to))
    return n.refuse("to this type is not imported",
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

LogicalResult graph::emitDequantizeLinear(NodeEmitter &n) {
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
