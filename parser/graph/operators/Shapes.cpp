//===- Shapes.cpp - Shapes, and tensors that are made of them -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OnnxTypes.h"
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

/// Constants beyond this are no shape computation but an attack.
static constexpr int64_t kMostElements = 1 << 28;

LogicalResult graph::emitReshape(NodeEmitter &n) {
  auto wanted = n.integers(1, "the shape");
  if (failed(wanted))
    return failure();
  bool allowsZero = n.node.integer("allowzero", 0) != 0;
  Shape shape = *wanted;
  std::optional<size_t> open;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && !allowsZero && i < n.shape(0).size())
      shape[i] = n.shape(0)[i];
    if (shape[i] == -1 && !open)
      open = i;
    else if (shape[i] < 0)
      return n.bad("the shape has a negative length", shapeText(*wanted),
                   "lengths of 0 or more, and -1 at most once");
  }
  int64_t total = numElements(n.shape(0));
  if (open) {
    shape[*open] = 1;
    int64_t others = numElements(shape);
    shape[*open] = others > 0 && total % others == 0 ? total / others : 0;
  }
  if (numElements(shape) != total || total == 0)
    return n.bad("the shape does not have the number of elements of the input",
                 shapeText(*wanted),
                 std::to_string(total) + " elements of " +
                     shapeText(n.shape(0)));
  return n.out(0, n.build.reshape(n.plain(0), shape));
}

LogicalResult graph::emitFlatten(NodeEmitter &n) {
  int64_t axis = n.node.integer("axis", 1);
  if (axis < -n.rank(0) || axis > n.rank(0))
    return n.bad("an axis is out of range", std::to_string(axis),
                 "up to " + std::to_string(n.rank(0)));
  if (axis < 0)
    axis += n.rank(0);
  Shape front(n.shape(0).begin(), n.shape(0).begin() + axis);
  Shape back(n.shape(0).begin() + axis, n.shape(0).end());
  return n.out(
      0, n.build.reshape(n.plain(0), {numElements(front), numElements(back)}));
}

LogicalResult graph::emitSqueeze(NodeEmitter &n) {
  std::vector<int64_t> axes;
  if (n.has(1)) {
    auto given = n.integers(1, "the list of axes");
    if (failed(given))
      return failure();
    axes = *given;
  }
  std::vector<bool> isGone(n.shape(0).size());
  for (int64_t given : axes) {
    auto axis = n.wrapped(given, n.rank(0));
    if (failed(axis))
      return failure();
    if (n.shape(0)[size_t(*axis)] != 1)
      return n.bad("an axis to be removed is longer than 1",
                   shapeText(n.shape(0)),
                   "length 1 at axis " + std::to_string(*axis));
    isGone[size_t(*axis)] = true;
  }
  Shape shape;
  for (size_t i = 0; i < isGone.size(); ++i)
    if (axes.empty() ? n.shape(0)[i] != 1 : !isGone[i])
      shape.push_back(n.shape(0)[i]);
  return n.out(0, n.build.reshape(n.plain(0), shape));
}

LogicalResult graph::emitUnsqueeze(NodeEmitter &n) {
  auto axes = n.integers(1, "the list of axes");
  if (failed(axes))
    return failure();
  int64_t rank = n.rank(0) + int64_t(axes->size());
  std::vector<bool> isNew(size_t(rank), false);
  for (int64_t given : *axes) {
    auto axis = n.wrapped(given, rank);
    if (failed(axis))
      return failure();
    if (isNew[size_t(*axis)])
      return n.bad("an axis is given twice", shapeText(*axes),
                   "different axes");
    isNew[size_t(*axis)] = true;
  }
  Shape shape;
  auto from = n.shape(0).begin();
  for (bool one : isNew)
    shape.push_back(one ? 1 : *from++);
  return n.out(0, n.build.reshape(n.plain(0), shape));
}

LogicalResult graph::emitShape(NodeEmitter &n) {
  int64_t rank = n.rank(0);
  auto placed = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank);
  };
  int64_t start = placed(n.node.integer("start", 0)),
          end = placed(n.node.integer("end", rank));
  Shape lengths;
  for (int64_t i = start; i < end; ++i)
    lengths.push_back(n.shape(0)[size_t(i)]);
  return n.outConstant(
      0, Constant::ofIntegers({int64_t(lengths.size())}, lengths));
}

LogicalResult graph::emitSize(NodeEmitter &n) {
  return n.outConstant(0, Constant::ofIntegers({}, {numElements(n.shape(0))}));
}

/// A constant of \p shape, every element \p value.
static Constant filled(const Shape &shape, const Constant &value) {
  size_t width = elementBytes(value.type);
  std::vector<std::byte> bytes(size_t(numElements(shape)) * width);
  for (size_t i = 0; i < bytes.size(); i += width)
    std::memcpy(&bytes[i], value.bytes.data(), width);
  return Constant::ofBytes(value.type, shape, std::move(bytes));
}

LogicalResult graph::emitConstantOfShape(NodeEmitter &n) {
  auto shape = n.integers(0, "the shape");
  if (failed(shape))
    return failure();
  int64_t count = 1;
  for (int64_t length : *shape)
    if (length < 0 || (length > 0 && count > kMostElements / length))
      return n.bad("the shape is impossible", shapeText(*shape),
                   "lengths of 0 or more, and no more than 2^28 elements");
    else
      count *= length;
  const graph::Attribute *value = n.node.attribute("value");
  if (!value)
    return n.outConstant(0, filled(*shape, Constant::ofFloats({}, {0.0f})));
  if (!value->tensor)
    return n.refuse("elements of this type are not supported",
                    value->text.empty() ? "no tensor" : value->text,
                    "numbers of up to 64 bits");
  if (value->tensor->numElements() != 1)
    return n.bad("the value is not a single number",
                 shapeText(value->tensor->shape), "a tensor of one element");
  return n.outConstant(0, filled(*shape, *value->tensor));
}

LogicalResult graph::emitRange(NodeEmitter &n) {
  auto start = n.numbers(0, "the start"), limit = n.numbers(1, "the limit"),
       delta = n.numbers(2, "the step");
  if (failed(start) || failed(limit) || failed(delta))
    return failure();
  if (start->size() != 1 || limit->size() != 1 || delta->size() != 1 ||
      delta->front() == 0)
    return n.bad("start, limit and step are not single numbers",
                 "lists, or a step of 0", "scalars, and a step that is not 0");
  double steps = std::ceil((limit->front() - start->front()) / delta->front());
  if (!(steps >= 1 && steps <= double(kMostElements)))
    return n.refuse("an empty or huge range is not supported",
                    std::to_string(steps) + " elements", "1 to 2^28 elements");
  auto count = int64_t(steps);
  if (n.isFloat(0)) {
    std::vector<float> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(float(start->front() + double(i) * delta->front()));
    return n.outConstant(0, Constant::ofFloats({count}, values));
  }
  std::vector<int64_t> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(int64_t(start->front()) + i * int64_t(delta->front()));
  return n.outConstant(0, Constant::ofIntegers({count}, values));
}

LogicalResult graph::emitWindowFunction(NodeEmitter &n) {
  auto size = n.integers(0, "the length of the window");
  if (failed(size))
    return failure();
  if (size->size() != 1 || size->front() < 1 || size->front() > kMostElements)
    return n.bad("the length is out of range", shapeText(*size),
                 "one number, 1 to 2^28");
  auto type = onnxType(n.node.integer("output_datatype", 1));
  if (!type || irElement(*type) != DType::F32)
    return n.refuse("integer tensors are not supported", "output_datatype",
                    "a type of floats");
  // a0 - a1 cos(2 pi k / N) + a2 cos(4 pi k / N)
  bool isHann = n.node.op == "HannWindow", isBlack = n.node.op[0] == 'B';
  double a0 = isHann    ? 0.5
              : isBlack ? 0.42
                        : 25.0 / 46,
         a1 = isHann || isBlack ? 0.5 : 1 - 25.0 / 46, a2 = isBlack ? 0.08 : 0;
  int64_t period = size->front() - (n.node.integer("periodic", 1) ? 0 : 1);
  std::vector<float> values;
  for (int64_t k = 0; k < size->front(); ++k) {
    double angle = 2 * M_PI * double(k) / double(std::max<int64_t>(period, 1));
    values.push_back(
        float(a0 - a1 * std::cos(angle) + a2 * std::cos(2 * angle)));
  }
  return n.outConstant(0, Constant::ofFloats({size->front()}, values));
}

LogicalResult graph::emitEyeLike(NodeEmitter &n) {
  if (n.rank(0) != 2)
    return n.bad("the input is not a matrix", shapeText(n.shape(0)),
                 "two axes");
  int64_t k = n.node.integer("k", 0);
  std::vector<float> values;
  for (int64_t i = 0; i < n.shape(0)[0]; ++i)
    for (int64_t j = 0; j < n.shape(0)[1]; ++j)
      values.push_back(j == i + k ? 1.0f : 0.0f);
  bool isFloats =
      n.node.attribute("dtype")
          ? onnxType(n.node.integer("dtype", 1)) &&
                irElement(*onnxType(n.node.integer("dtype", 1))) == DType::F32
          : n.isFloat(0);
  if (isFloats)
    return n.outConstant(0, Constant::ofFloats(n.shape(0), values));
  return n.outConstant(
      0, Constant::ofIntegers(n.shape(0), {values.begin(), values.end()}));
}

LogicalResult graph::emitTrilu(NodeEmitter &n) {
  int64_t k = 0;
  if (n.has(1)) {
    auto given = n.integers(1, "the diagonal");
    if (failed(given))
      return failure();
    k = given->empty() ? 0 : given->front();
  }
  if (n.rank(0) < 2)
    return n.bad("the input has too few axes", shapeText(n.shape(0)),
                 "two or more");
  Value x = n.plain(0);
  if (!x)
    return failure();
  bool isUpper = n.node.integer("upper", 1) != 0;
  int64_t rows = n.shape(0)[size_t(n.rank(0) - 2)], columns = n.shape(0).back();
  std::vector<uint8_t> mask;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      mask.push_back(isUpper ? j >= i + k : j <= i + k);
  Shape shape(n.shape(0).size(), 1);
  shape[shape.size() - 2] = rows;
  shape.back() = columns;
  Value condition = n.build.constant(compass::makeConstantOf<uint8_t>(
      n.build.builder.getContext(), "mask", shape, DType::U8, mask));
  return n.out(0, n.build.layerOf("Where", {condition, x, scalarLike(n, x, 0)},
                                  {}, elementOf(x)));
}

LogicalResult graph::emitCenterCropPad(NodeEmitter &n) {
  auto lengths = n.integers(1, "the shape");
  if (failed(lengths))
    return failure();
  std::vector<int64_t> axes = n.node.integers("axes");
  if (axes.empty())
    for (int64_t i = 0; i < n.rank(0); ++i)
      axes.push_back(i);
  if (axes.size() != lengths->size())
    return n.bad("shape and axes differ in length", shapeText(*lengths),
                 std::to_string(axes.size()) + " lengths");
  Shape begin(n.shape(0).size(), 0), end = n.shape(0);
  Key::Rows pads(begin.size(), {0, 0});
  bool crops = false, grows = false;
  for (size_t i = 0; i < axes.size(); ++i) {
    auto axis = n.wrapped(axes[i], n.rank(0));
    if (failed(axis))
      return failure();
    auto a = size_t(*axis);
    int64_t more = (*lengths)[i] - n.shape(0)[a];
    if (more > 0) {
      pads[a] = {more / 2, more - more / 2};
      grows = true;
    } else if (more < 0) {
      begin[a] = -more / 2;
      end[a] = begin[a] + (*lengths)[i];
      crops = true;
    }
  }
  Value x = n.plain(0);
  if (crops)
    x = n.layer(
        "Slice", {x},
        {{"begin", begin}, {"end", end}, {"strides", Shape(begin.size(), 1)}});
  if (grows)
    x = n.layer(
        "Pad", {x},
        {{"mode", "CONSTANT"}, {"constant_value", 0.0}, {"pads", pads}});
  return n.out(0, x);
}
