//===- Movement.cpp - Operators that move values --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/OpReader.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Constant;
using graph::Node;
using graph::Tensor;

using Dims = std::vector<std::int64_t>;

bool qnn::readTranspose(OpReader &r) {
  r.movedResult(r.entry.node, {r.input(0)}, r.input(0)).attributes["perm"] =
      Attribute::of(r.integers("perm"));
  return true;
}

/// The result's lengths say it; in[1] counts where they are dynamic alone.
bool qnn::readReshape(OpReader &r) {
  if (r.inputOf(0).numElements() != r.outputOf(0).numElements())
    return r.bad("the result has a wrong number of elements",
                 dimsText(r.outputDims()), dimsText(r.dims(0)));
  r.reshapeTo(r.input(0), 0);
  return true;
}

/// in[0] with the lengths \p dims.
static bool reshape(OpReader &r, const Dims &dims) {
  r.movedResult("Reshape", {r.input(0), r.integers("shape", dims)}, r.input(0));
  return true;
}

bool qnn::readExpandDims(OpReader &r) {
  if (!r.states("axes") && !r.states("axis"))
    return r.bad("neither axis nor axes is given", "nothing", "one of the two");
  Dims axes = r.states("axes") ? r.integers("axes") : Dims{};
  if (axes.empty())
    axes = {r.scalar("axis")};
  std::ranges::sort(axes);
  Dims dims = r.dims(0);
  auto rank = std::int64_t(dims.size() + axes.size());
  for (std::int64_t axis : axes) {
    if (axis < 0 || axis >= rank)
      return r.bad(r.states("axes") ? "axes is out of range"
                                    : "axis is out of range",
                   std::to_string(axis), "0 to " + std::to_string(rank - 1));
    dims.insert(dims.begin() + axis, 1);
  }
  return reshape(r, dims);
}

/// Without a list all axes of length 1 may go; the result says which stay.
bool qnn::readSqueeze(OpReader &r) {
  const Dims &from = r.dims(0);
  if (!r.states("axes")) {
    auto longer = [](const Dims &dims) {
      Dims kept;
      std::ranges::copy_if(dims, std::back_inserter(kept),
                           [](std::int64_t length) { return length != 1; });
      return kept;
    };
    if (longer(from) != longer(r.outputDims()))
      return r.bad("the result is not the input without axes of length 1",
                   dimsText(r.outputDims()), dimsText(from));
    return reshape(r, r.outputDims());
  }
  Dims kept, axes = r.integers("axes");
  for (std::size_t a = 0; a < from.size(); ++a) {
    if (std::ranges::find(axes, std::int64_t(a)) == axes.end())
      kept.push_back(from[a]);
    else if (from[a] != 1)
      return r.bad("axes: only an axis of length 1 can be removed",
                   "axis " + std::to_string(a) + " of length " +
                       std::to_string(from[a]),
                   "length 1");
  }
  return reshape(r, kept);
}

/// Operands of other scales are brought to the result's.
bool qnn::readConcat(OpReader &r) {
  r.result(r.entry.node, r.inputs).attributes["axis"] =
      Attribute::of(r.scalar("axis", r.rank(0) - 1));
  return true;
}

bool qnn::readPack(OpReader &r) {
  for (std::size_t i = 1; i < r.inputs.size(); ++i)
    if (r.dims(i) != r.dims(0))
      return r.bad("in[" + std::to_string(i) + "] has a wrong shape",
                   dimsText(r.dims(i)), dimsText(r.dims(0)));
  r.addPack(r.inputs, r.scalar("axis"), r.output(0));
  return true;
}

/// \p x in parts along \p axis, which get the lengths \p sizes, as \p to.
static Node &addSplit(OpReader &r, std::int64_t axis, const Dims &sizes,
                      const std::vector<Tensor *> &to) {
  Tensor *x = r.input(0);
  Node &node = r.addMoved("Split", {x, r.integers("sizes", sizes)}, *x, to);
  node.attributes["axis"] = Attribute::of(axis);
  return node;
}

bool qnn::readSplit(OpReader &r) {
  std::int64_t axis = r.scalar("axis"), from = 0;
  Dims starts = r.integers("split_index"), sizes;
  starts.push_back(r.dims(0)[std::size_t(axis)]);
  for (std::int64_t start : starts) {
    if (start <= from)
      return r.bad("split_index does not ascend within the axis",
                   std::to_string(start) + " after " + std::to_string(from),
                   "1 to " + std::to_string(starts.back() - 1));
    sizes.push_back(start - from);
    from = start;
  }
  if (sizes.size() != r.outputs.size())
    return r.bad("split_index does not match the outputs",
                 std::to_string(sizes.size()) + " parts for " +
                     std::to_string(r.outputs.size()) + " outputs",
                 "one output for each part");
  addSplit(r, axis, sizes, r.outputs);
  return true;
}

bool qnn::readUnPack(OpReader &r) {
  std::int64_t axis = r.scalar("axis");
  std::int64_t length = r.dims(0)[std::size_t(axis)];
  if (length != std::int64_t(r.outputs.size()))
    return r.bad("the axis does not match the outputs",
                 std::to_string(r.outputs.size()) + " outputs",
                 std::to_string(length));
  std::vector<Tensor *> parts;
  for (std::int64_t i = 0; i < length; ++i)
    parts.push_back(r.storedLike(*r.input(0), "part_" + std::to_string(i)));
  addSplit(r, axis, Dims(std::size_t(length), 1), parts);
  Dims dims = r.dims(0);
  dims.erase(dims.begin() + axis);
  Tensor *shape = r.integers("shape", dims);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (r.output(i))
      r.addMoved("Reshape", {parts[i], shape}, *parts[i], {r.output(i)});
  return true;
}

bool qnn::readTile(OpReader &r) {
  r.movedResult(r.entry.node,
                {r.input(0), r.integers("multiples", r.integers("multiples"))},
                r.input(0));
  return true;
}

/// The real number that a parameter is which has the type of \p tensor: of
/// fixed point as it is stored, where the parameter is an integer.
static double realValue(const OpReader &r, const char *param,
                        const Tensor &tensor) {
  double value = r.real(param);
  const QnnParam *stated = r.node.param(param);
  bool isStored =
      tensor.quantization && stated && !stated->tensor.entry().isFloat();
  if (!isStored)
    return value;
  return double(tensor.quantization->scales[0]) *
         (value - double(tensor.quantization->zeroPoints[0]));
}

bool qnn::readPad(OpReader &r) {
  enum Scheme : std::int64_t { kConstant, kSymmetric, kReflect, kEdge };
  Tensor *x = r.input(0);
  Dims rows = r.integers("pad_amount"), dims = r.dims(0);
  std::int64_t scheme = r.scalar("scheme");
  for (std::size_t a = 0; a < dims.size(); ++a) {
    std::int64_t most = dims[a] - (scheme == kReflect ? 1 : 0);
    if ((scheme == kSymmetric || scheme == kReflect) &&
        std::max(rows[2 * a], rows[2 * a + 1]) > most)
      return r.bad("pad_amount is too large for the scheme",
                   std::to_string(rows[2 * a]) + " and " +
                       std::to_string(rows[2 * a + 1]) + " of axis " +
                       std::to_string(a),
                   "0 to " + std::to_string(most));
  }
  if (scheme == kSymmetric || scheme == kReflect) {
    // TFLite numbers the two modes the other way round.
    Node &node = r.movedResult("MirrorPad", {x, r.integers("rows", rows)}, x);
    node.domain = kTfliteDomain;
    node.attributes["mode"] = Attribute::of(std::int64_t(scheme == kSymmetric));
    return true;
  }
  std::vector<Tensor *> from = {x, r.padsOf(rows)};
  if (scheme == kConstant)
    from.push_back(
        r.number("value", float(realValue(r, "pad_constant_value", *x))));
  r.movedResult("Pad", from, x).attributes["mode"] =
      Attribute::of(std::string(scheme == kEdge ? "edge" : "constant"));
  return true;
}

/// A number that the graph states already.
bool qnn::readShape(OpReader &r) {
  std::int64_t start = r.scalar("start"), end = r.scalar("end", r.rank(0));
  if (end <= start)
    return r.bad("end is not after start", std::to_string(end),
                 std::to_string(start + 1) + " to " +
                     std::to_string(r.rank(0)));
  Dims part(r.dims(0).begin() + start, r.dims(0).begin() + end);
  r.result("Identity",
           {r.constant("shape", Constant::ofIntegers(
                                    {std::int64_t(part.size())}, part))});
  return true;
}

static Tensor *addTruth(OpReader &r, Tensor *value) {
  Tensor *truth = r.between("truth");
  r.addCast(value, ElementType::Bool, truth);
  return truth;
}

/// The lengths are those of the result where in[0] is computed.
bool qnn::readConstantOfShape(OpReader &r) {
  Dims dims =
      r.input(0)->constant ? r.input(0)->constant->integers() : r.outputDims();
  Tensor *y = r.output(0);
  const DataTypeEntry &type = r.outputOf(0).entry();
  Tensor *value =
      type.isFixed() || type.isFloat()
          ? r.number("value", float(realValue(r, "value", *y)))
          : r.constant("value", Constant::ofIntegers({}, {r.scalar("value")}));
  if (type.type == DataType::BOOL_8)
    value = addTruth(r, value);
  r.result("Expand", {value, r.integers("shape", dims)});
  return true;
}

/// ONNX's value by the type of its tensor.
bool qnn::readOneHot(OpReader &r) {
  Tensor *y = r.output(0);
  const DataTypeEntry &type = r.outputOf(0).entry();
  Tensor *values;
  if (type.isFixed() || type.isFloat())
    values = r.constant(
        "values",
        Constant::ofFloats({2}, {float(realValue(r, "off_value", *y)),
                                 float(realValue(r, "on_value", *y))}));
  else
    values =
        r.integers("values", {r.scalar("off_value"), r.scalar("on_value")});
  bool isTruth = type.type == DataType::BOOL_8;
  Tensor *hot = isTruth ? r.between("hot") : y;
  Node &node =
      r.add(r.entry.node,
            {r.input(0), r.integer("depth", r.scalar("depth")), values}, {hot});
  node.attributes["axis"] = Attribute::of(r.scalar("axis", r.rank(0)));
  node.attributes["from_end"] = Attribute::of(std::int64_t(0));
  if (isTruth)
    r.addCast(hot, ElementType::Bool, y);
  return true;
}
