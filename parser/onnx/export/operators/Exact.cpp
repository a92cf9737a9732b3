//===- Exact.cpp - Layers that give the integers of the IR ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The forms of --exact: tensors are whole steps, which float32 holds, and
// multipliers are factors in double, so that nothing is rounded but where the
// IR rounds, half to even as Round does. A convolution adds in float32, whose
// sums are exact below 2^24: a layer whose weights allow more is split into the
// upper and the lower four bits of its weights.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/IntegerForms.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/WeightsOnly.h"
#include "dialects/compass/network/Extensions.h"
#include "parser/onnx/export/Exports.h"
#include "parser/onnx/export/operators/Weighted.h"
#include "parser/onnx/export/operators/Windows.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::onnx;
using namespace mlir;
using compass::DType;

namespace {

/// Sums of so much are exact in float32.
constexpr int64_t kMostExact = int64_t(1) << 24;

class ExactExport {
public:
  ExactExport(LayerExport &n) : n(n), order(plainOrder(n.rank())) {}

  /// Null if the layer has no such form.
  std::optional<LogicalResult> run();

private:
  std::optional<LogicalResult> convolution();
  std::optional<LogicalResult> fullyConnected();
  std::optional<LogicalResult> binary();
  std::optional<LogicalResult> average();
  std::optional<LogicalResult> concat();
  std::optional<LogicalResult> lookup();
  std::optional<LogicalResult> softmax();

  /// Operand \p i in steps, zero point included.
  std::string steps(unsigned i) { return n.real(i, order, 1); }
  std::string cast(std::string x, DType type) {
    return n.node("Cast", {std::move(x)}, {{"to", elementNumber(type)}});
  }
  /// Factors or summands in double, one or one for each channel.
  std::string doubles(StringRef suffix, const std::vector<double> &values);
  std::string times(std::string x, StringRef suffix,
                    const std::vector<double> &values) {
    if (llvm::all_of(values, [](double v) { return v == 1; }))
      return x;
    return n.node("Mul", {std::move(x), doubles(suffix, values)});
  }
  /// Weights in steps; \p part 0: all bits, 1: the lower four, 2: the others.
  std::string weights(const compass::ConstantView &view, ArrayRef<int64_t> turn,
                      int part);
  int64_t mostSum(const compass::ConstantView &view, int part) const;
  /// Whether the layer's activation has a form in doubles.
  bool hasActivation() const;
  /// The sums \p x of doubles behind activation, multiplier and rounding.
  LogicalResult finish(std::string x, const std::vector<double> &multipliers);

  LayerExport &n;
  Order order;
};

/// The part of a weight: w = low + 16 * high, low from -8 to 7.
int64_t partOf(int64_t weight, int part) {
  int64_t low = ((weight + 8) & 15) - 8;
  return part == 0 ? weight : part == 1 ? low : (weight - low) / 16;
}

} // namespace

std::string ExactExport::doubles(StringRef suffix,
                                 const std::vector<double> &values) {
  Lengths lengths;
  if (values.size() > 1) {
    // As long as the axes from the channels' on.
    lengths.assign(order.size() - size_t(placeOf(order, int64_t(n.rank()) - 1)),
                   1);
    lengths[0] = int64_t(values.size());
  }
  return n.forms.constantOf(n.suffixed(suffix), DType::F64, lengths, values);
}

int64_t ExactExport::mostSum(const compass::ConstantView &view,
                             int part) const {
  compass::TensorInfo in = n.in(0);
  int64_t most = std::max(std::abs(in.lo + in.zp), std::abs(in.hi + in.zp)),
          filters = view.shape[0], size = view.numElements() / filters,
          largest = 0;
  for (int64_t f = 0; f < filters; ++f) {
    int64_t sum = 0;
    for (int64_t i = f * size; i < (f + 1) * size; ++i)
      sum += std::abs(partOf(view.intAt(i), part));
    largest = std::max(largest, sum);
  }
  return largest * most;
}

std::string ExactExport::weights(const compass::ConstantView &view,
                                 ArrayRef<int64_t> turn, int part) {
  std::vector<int8_t> values;
  for (int64_t i = 0, e = view.numElements(); i < e; ++i)
    values.push_back(int8_t(partOf(view.intAt(i), part)));
  Lengths lengths(view.shape.begin(), view.shape.end());
  constexpr StringRef kSuffixes[] = {"weights", "weights_low", "weights_high"};
  return cast(n.forms.constantOf(n.suffixed(kSuffixes[part]), DType::I8,
                                 lengths, values, turn),
              DType::F32);
}

bool ExactExport::hasActivation() const {
  std::string word =
      compass::wordKey(n.op, compass::keys::with_activation, "NONE");
  return word == "NONE" || word == "RELU" || word == "RELU6";
}

LogicalResult ExactExport::finish(std::string x,
                                  const std::vector<double> &multipliers) {
  x = times(n.activated(std::move(x), order), "multiplier", multipliers);
  return n.resultSteps(0, cast(n.node("Round", {std::move(x)}), DType::F32),
                       order);
}

std::optional<LogicalResult> ExactExport::convolution() {
  if (!hasActivation() || compass::boolKey(n.op, compass::keys::with_winograd))
    return std::nullopt;
  auto integers = exports::integerWeights(n.op);
  if (failed(integers))
    return failure();
  const compass::ConstantView &view = integers->weights.view;
  if (view.dtype != DType::I8)
    return std::nullopt;
  bool isSplit = mostSum(view, 0) >= kMostExact;
  if (isSplit && std::max(mostSum(view, 1), mostSum(view, 2)) >= kMostExact)
    return std::nullopt;
  order = channelsSecond(n.rank());
  ConvolutionForm form = convolutionForm(n);
  std::string x = steps(0);
  auto sums = [&](int part) {
    std::string w = weights(view, form.weights.order, part);
    return cast(n.node("Conv", {x, w}, form.attributes), DType::F64);
  };
  std::string y = sums(isSplit ? 1 : 0);
  if (isSplit)
    y = n.node("Add", {times(sums(2), "sixteen", {16}), y});
  std::vector<double> biases(integers->biases.begin(), integers->biases.end());
  y = n.node("Add", {y, doubles("biases", biases)});
  return finish(y, n.multipliers());
}

/// Products of doubles.
std::optional<LogicalResult> ExactExport::fullyConnected() {
  if (!hasActivation())
    return std::nullopt;
  auto integers = exports::integerWeights(n.op);
  if (failed(integers))
    return failure();
  const compass::ConstantView &view = integers->weights.view;
  if (view.dtype != DType::I8 || n.rank() != 2)
    return std::nullopt;
  std::string x = n.real(0, plainOrder(n.in(0).shape.size()), 1);
  if (n.in(0).shape.size() != 2)
    x = n.node("Reshape", {x, n.integers("rows", {-1, view.shape[1]})});
  std::string w = cast(weights(view, {1, 0}, 0), DType::F64),
              y = n.node("MatMul", {cast(x, DType::F64), w});
  std::vector<double> biases(integers->biases.begin(), integers->biases.end());
  y = n.node("Add", {y, doubles("biases", biases)});
  return finish(y, n.multipliers());
}

std::optional<LogicalResult> ExactExport::binary() {
  StringRef type = compass::recordOf(n.op)->layerType;
  std::string method =
      type == "Eltwise" ? compass::wordKey(n.op, compass::keys::method, "ADD")
                        : type.upper();
  StringRef op = llvm::StringSwitch<StringRef>(method)
                     .Case("ADD", "Add")
                     .Case("SUB", "Sub")
                     .Case("MUL", "Mul")
                     .Case("MAX", "Max")
                     .Case("MIN", "Min")
                     .Default("");
  bool isOfOneShape = n.op->getNumOperands() == 2 && n.in(1).isInteger() &&
                      n.in(0).shape == n.in(1).shape;
  if (op.empty() || !isOfOneShape || !hasActivation())
    return std::nullopt;
  order = n.readyOrder();
  auto values = compass::intsKey(n.op, compass::keys::scale_value);
  bool isAligned = values.size() == 3 && method != "MUL";
  std::string operands[2];
  for (unsigned i : {0u, 1u})
    operands[i] = times(cast(steps(i), DType::F64), i ? "second" : "first",
                        {isAligned ? double(values[i + 1]) : 1});
  return finish(n.node(op, {operands[0], operands[1]}), {n.multipliers()[0]});
}

/// Of whole windows.
std::optional<LogicalResult> ExactExport::average() {
  if (compass::wordKey(n.op, compass::keys::method, "MAX") != "AVG" ||
      n.rank() != 4)
    return std::nullopt;
  auto axes = compass::windowAxes(n.op, 2);
  int64_t cells = 1;
  for (const compass::WindowAxis &axis : axes) {
    int64_t rest = n.in(0).shape[axis.dataAxis] - axis.span();
    if (axis.before || axis.after ||
        n.out().shape[axis.dataAxis] != rest / axis.stride + 1)
      return std::nullopt;
    cells *= axis.kernel;
  }
  // What the mean lacks of the sum is below a half.
  if (cells > 1 << 14 || kernels::dtypeBytes(n.in(0).dtype) > 1)
    return std::nullopt;
  order = channelsSecond(4);
  std::string mean = n.node("AveragePool", {steps(0)}, windowAttributes(axes));
  std::string sum = n.node(
      "Round", {times(cast(mean, DType::F64), "cells", {double(cells)})});
  return finish(
      sum, {compass::averageMultiplier(n.in(0), n.out(), uint32_t(cells))});
}

/// Each operand is requantized by itself.
std::optional<LogicalResult> ExactExport::concat() {
  for (unsigned i = 0; i < n.op->getNumOperands(); ++i)
    if (!n.in(i).isInteger() || n.forms.isConstant(n.op->getOperand(i)))
      return std::nullopt;
  order = n.readyOrder();
  std::vector<double> m = n.multipliers();
  std::vector<std::string> parts;
  for (unsigned i = 0; i < n.op->getNumOperands(); ++i) {
    double factor = m[std::min<size_t>(i, m.size() - 1)];
    std::string part = steps(i);
    if (factor != 1)
      part =
          cast(n.node("Round",
                      {times(cast(part, DType::F64), "multiplier", {factor})}),
               DType::F32);
    parts.push_back(part);
  }
  int64_t axis = placeOf(order, axisOf(n, compass::keys::axis, n.rank()));
  return n.resultSteps(0, n.node("Concat", parts, {{"axis", axis}}), order);
}

/// Stored integers choose stored integers.
std::optional<LogicalResult> ExactExport::lookup() {
  if (n.op->getNumOperands() != 1)
    return std::nullopt;
  auto table = compass::lookupOf(n.op);
  auto carrier = carrierOf(n.out());
  if (!table || !carrier || table->first > n.in(0).lo)
    return std::nullopt;
  order = n.readyOrder();
  std::string index = cast(n.stored(0, order), DType::I32);
  if (table->first)
    index = n.node("Sub",
                   {index, n.forms.constantOf(
                               n.suffixed("first"), DType::I32, {},
                               std::vector<int32_t>{int32_t(table->first)})});
  std::string y =
      n.node("Gather",
             {n.forms.constant(n.suffixed("lut"), table->entries, {}), index});
  if (table->entries.dtype != carrier->type)
    y = cast(y, carrier->type);
  return n.resultStored(0, y, order);
}

/// See compass::SoftmaxByTable.
std::optional<LogicalResult> ExactExport::softmax() {
  auto table = compass::softmaxByTableOf(n.op);
  if (!table || table->entries.numElements() != 256)
    return std::nullopt;
  std::vector<double> entries;
  for (int64_t i = 0; i < 256; ++i)
    entries.push_back(double(uint32_t(table->entries.intAt(i))));
  if (entries.back() < 1)
    return std::nullopt;
  order = n.readyOrder();
  int64_t axis = placeOf(order, axisOf(n, compass::keys::axis, n.rank()));
  std::string x = steps(0), axes = n.integers("axes", {axis});
  std::string fromTop = n.node("Sub", {x, n.node("ReduceMax", {x, axes})});
  std::string index =
      cast(n.node("Add", {fromTop, n.forms.scalar(255)}), DType::I32);
  std::string all =
      n.forms.constantOf(n.suffixed("lut"), DType::F64, {256}, entries);
  std::string e = n.node("Gather", {all, index}),
              sum = n.node("ReduceSum", {e, axes});
  double unit = std::ldexp(1.0, table->extraBits),
         step = std::ldexp(1.0, -(table->shift + table->extraBits));
  if (table->numeratorFirst) {
    std::string half = n.node("Floor", {times(sum, "half", {0.5})});
    std::string quotient =
        n.node("Floor",
               {n.node("Div", {n.node("Add", {times(e, "unit", {unit}), half}),
                               sum})});
    return finish(quotient, {table->scale * step});
  }
  std::string reverse = n.node(
      "Floor",
      {n.node("Div", {doubles("numerator", {table->scale * unit}), sum})});
  return finish(n.node("Mul", {e, reverse}), {step});
}

std::optional<LogicalResult> ExactExport::run() {
  // Neither do doubles hold products of 31 bits, nor do ties go elsewhere than
  // to even.
  if (!n.isInteger() || n.op->getNumResults() != 1 ||
      compass::usesExtension(n.op))
    return std::nullopt;
  StringRef type = compass::recordOf(n.op)->layerType;
  if (type == "Convolution" || type == "DepthwiseConv")
    return convolution();
  if (type == "FullyConnected")
    return fullyConnected();
  if (type == "Pooling")
    return average();
  if (type == "Concat")
    return concat();
  if (type == "Eltwise" || type == "Add" || type == "Sub" || type == "Mul")
    return binary();
  if (type == "Softmax")
    return softmax();
  return lookup();
}

std::optional<LogicalResult> onnx::exportExactly(LayerExport &n) {
  return ExactExport(n).run();
}
