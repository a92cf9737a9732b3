//===- LutRules.cpp - Functions of one value ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Tables are filled with the function that the layer's float kernel computes:
// its program says it, with parameters.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/LayerKeys.h"
#include "kernels/activation/Activation.h"
#include "kernels/activation/UnaryFn.h"
#include "quantizer/math/Lut.h"
#include "quantizer/rules/FusedActivation.h"
#include "quantizer/rules/Rules.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>
#include <numbers>

using namespace yarrow::compass;

namespace yarrow {

/// Of a table with an entry for every 16-bit input.
constexpr unsigned kMostItemsInBits = 16;

static std::optional<kernels::UnaryFloatParams>
functionOf(LayerContext &layer) {
  // The kernel is asked for as if the operand were still float.
  mlir::Value operand = layer.op->getOperand(0);
  mlir::Type quantized = operand.getType();
  operand.setType(
      plainType(layer.op->getContext(), describe(operand).shape, DType::F32));
  auto program = programOf(layer.op);
  operand.setType(quantized);
  const KernelCall *call = succeeded(program) ? program->single() : nullptr;
  if (!call || !call->is<kernels::UnaryFloat>()) {
    layer.unsupported("the layer is not a function of one value");
    return std::nullopt;
  }
  return call->paramsOf<kernels::UnaryFloat>();
}

/// Whether f's values may be negative, by the kind of function; some follow
/// their input.
static bool resultIsSigned(const LayerContext &layer,
                           const kernels::UnaryFloatParams &f) {
  using kernels::UnaryFn;
  switch (f.fn) {
  case UnaryFn::Sigmoid:
  case UnaryFn::Softplus:
  case UnaryFn::Bnll:
  case UnaryFn::Exp:
  case UnaryFn::Sqrt:
  case UnaryFn::Rsqrt:
  case UnaryFn::Square:
  case UnaryFn::Cosh:
  case UnaryFn::Acosh:
    return false;
  case UnaryFn::HardSigmoid:
    return f.args.clipMin < 0;
  case UnaryFn::ThresholdedRelu:
    return f.args.alpha < 0;
  case UnaryFn::Reciprocal:
  case UnaryFn::Round:
    return layer.input(0).isSigned;
  case UnaryFn::Pow: // even powers are positive
    return layer.input(0).isSigned && std::fmod(f.args.alpha, 2.0f) != 0;
  default:
    return true;
  }
}

static bool hasWholeResults(const kernels::UnaryFloatParams &f) {
  using kernels::UnaryFn;
  return f.fn == UnaryFn::Round || f.fn == UnaryFn::Floor ||
         f.fn == UnaryFn::Ceil || f.fn == UnaryFn::Trunc;
}

/// Whether f jumps: between two entries of a table there is nothing to
/// interpolate.
static bool hasJumps(const kernels::UnaryFloatParams &f) {
  using kernels::UnaryFn;
  return hasWholeResults(f) || f.fn == UnaryFn::Sign ||
         (f.fn == UnaryFn::ThresholdedRelu && f.args.alpha != 0) ||
         (f.fn == UnaryFn::Shrink && f.args.alpha != f.args.beta);
}

/// \p values as a table is looked up by them: in as many bits as their type
/// has, of which 5 or 10 bits, say, are a part.
static LinearParams inBitsOfType(LinearParams values) {
  values.bits = integerType(values.bits, values.isSigned).bits();
  return values;
}

/// The same of a table whose first entry is that of \p origin (LutOrigin in
/// UnaryKernels.h).
static LinearParams indexFrom(int64_t origin, LinearParams values) {
  values = inBitsOfType(values);
  int64_t moved = origin - integerMin(values.bits, values.isSigned);
  values.zp += int32_t(moved);
  values.qmin -= moved, values.qmax -= moved;
  return values;
}

/// From the least value of its range on; [-127, 127] counts as [-128, 127], but
/// for roots.
static LinearParams indexOf(const LayerContext &layer,
                            const kernels::UnaryFloatParams &f) {
  using kernels::UnaryFn;
  LinearParams values = layer.input(0);
  bool isRoot = f.fn == UnaryFn::Sqrt || f.fn == UnaryFn::Rsqrt ||
                f.fn == UnaryFn::Reciprocal;
  bool isWidened = !isRoot && values.isSigned && values.qmin == -values.qmax;
  return indexFrom(values.qmin - isWidened, values);
}

static std::vector<int64_t> tableOf(LayerContext &layer,
                                    const kernels::UnaryFloatParams &f,
                                    const LinearParams &out) {
  auto value = [&](double x) { return kernels::unaryValue(f.fn, x, f.args); };
  if (hasJumps(f))
    return buildLut(value, indexOf(layer, f), out, kMostItemsInBits);
  return layer.tableOf(value, indexOf(layer, f), out);
}

static void setTable(LayerContext &layer, TensorKey name,
                     const LinearParams &out,
                     const std::vector<int64_t> &table) {
  layer.setTensor(name, {int64_t(table.size())},
                  integerType(out.bits, out.isSigned), table);
}

/// 16-bit sine and cosine: a table over one period, indexed by the input in
/// units of period / 2^items (docs/operators/activation.md, Sine).
static void setPeriodicTable(LayerContext &layer,
                             const kernels::UnaryFloatParams &f) {
  unsigned bits = layer.options.activationBits;
  // The angle has the bits of the input, whatever the result has.
  unsigned angleBits = std::max(bits, layer.input(0).bits);
  unsigned items = std::min(layer.options.lutItemsInBits, angleBits);
  LinearParams out;
  out.bits = bits;
  out.qmax = integerMax(bits, true);
  out.qmin = -out.qmax;
  out.scale = float(out.qmax);
  std::vector<int64_t> table;
  table.reserve(1u << items);
  double count = double(1u << items);
  // The index wraps, so entry N would be entry 0 again: N steps, not N - 1.
  for (unsigned i = 0; i < 1u << items; ++i)
    table.push_back(quantizeValue(
        float(kernels::unaryValue(f.fn, 2 * std::numbers::pi * i / count)),
        out));
  setTable(layer, keys::lut, out, table);
  float ratio = float(count / 2 / std::numbers::pi) / layer.input(0).scale;
  layer.setRequant(layer.approximate(ratio, angleBits), angleBits);
  layer.setOutput(0, out);
}

/// x^p as 2 tables with a product between them: p * ln(x) in units in which 16
/// bits hold the logarithms of all results except those that round to 0
/// (docs/operators/activation.md, Pow). The reference takes the largest
/// logarithm for the largest magnitude there is, which cuts those of small
/// bases off.
static bool quantizePowOfTensors(LayerContext &layer) {
  LinearParams base = layer.input(0), exponent = layer.input(1);
  if (base.qmin + base.zp < 0)
    return layer.unsupported("a base that can be negative has no logarithm",
                             "give the layer a constant exponent");
  LinearParams out = layer.outputParams(/*isSigned=*/false);
  auto symmetric = [](double most) {
    return linearParams(float(-most), float(most),
                        RangeMode::SymmetricRestricted, 16, true);
  };
  // Between 0 and the least other value.
  double least = 0.25 / base.scale,
         greatest = (base.qmax + base.zp) / base.scale;
  LinearParams logarithm = symmetric(
      std::max(std::fabs(std::log(least)), std::fabs(std::log(greatest))));
  double most = double(out.qmax + out.zp) / out.scale, none = 0.25 / out.scale;
  LinearParams product =
      symmetric(std::max(std::fabs(std::log(most)), std::fabs(std::log(none))));
  setTable(layer, keys::lut_log, logarithm,
           layer.tableOf([=](double x) { return std::log(std::max(x, least)); },
                         inBitsOfType(base), logarithm));
  setTable(layer, keys::lut_exp, out,
           layer.tableOf([](double x) { return std::exp(x); }, product, out));
  unsigned bits = layer.options.multiplierWidth();
  layer.setRequant(
      layer.approximate(product.scale / (logarithm.scale * exponent.scale),
                        bits),
      bits);
  layer.setOutput(0, out);
  return true;
}

/// A Pow of two inputs as a function of the first, if the other is one number
/// for all elements. It is kept: the reference writes it, too.
static std::optional<kernels::UnaryFloatParams>
powerOfConstant(const LayerContext &layer) {
  auto values = constantInput(layer.op, 1);
  if (!values || layer.shapeOf(layer.op->getOperand(0)) !=
                     layer.shapeOf(layer.op->getResult(0)))
    return std::nullopt;
  for (int64_t i = 1; i < values->numElements(); ++i)
    if (values->intAt(i) != values->intAt(0))
      return std::nullopt;
  LinearParams exponent = layer.input(1);
  kernels::UnaryFloatParams f;
  f.fn = kernels::UnaryFn::Pow;
  f.args.alpha =
      (float(values->intAt(0)) + float(exponent.zp)) / exponent.scale;
  return f;
}

/// A table over the input's range as key \p name.
static void setFunction(LayerContext &layer, const kernels::UnaryFloatParams &f,
                        TensorKey name) {
  LinearParams out = layer.outputParams(resultIsSigned(layer, f));
  // A whole number of steps is 1: results lie on steps, exactly. The range only
  // grows.
  if (hasWholeResults(f) && out.scale > 1)
    out.scale = std::floor(out.scale);
  setTable(layer, name, out, tableOf(layer, f, out));
  layer.setOutput(0, out);
}

bool quantizePow(LayerContext &layer) {
  std::optional<kernels::UnaryFloatParams> f;
  if (layer.numInputs() == 2 && !layer.number(keys::exponent)) {
    f = powerOfConstant(layer);
    if (!f)
      return quantizePowOfTensors(layer);
    layer.op->setAttr(
        keys::exponent,
        mlir::Builder(layer.op->getContext()).getF64FloatAttr(f->args.alpha));
  } else {
    f = functionOf(layer);
  }
  if (!f)
    return false;
  setFunction(layer, *f, keys::lut_log);
  layer.setRequant({1, 0}, 8);
  return true;
}

bool quantizeLut(LayerContext &layer) {
  auto f = functionOf(layer);
  if (f)
    setFunction(layer, *f, keys::lut);
  return f.has_value();
}

/// The operator's own kernel asks how many bits the input has, too.
bool quantizePeriodic(LayerContext &layer) {
  if (layer.input(0).bits <= 8)
    return quantizeLut(layer);
  auto f = functionOf(layer);
  if (f)
    setPeriodicTable(layer, *f);
  return f.has_value();
}

bool quantizeActivation(LayerContext &layer) {
  std::string method = layer.word(keys::method, "RELU");
  bool isLinear =
      llvm::StringSwitch<bool>(method)
          .Cases({"RELU", "RELU6", "CLIP", "LEAKYRELU", "PRELU", "CRELU"}, true)
          .Default(false);
  if (!isLinear)
    return quantizeLut(layer);
  LinearParams in = layer.input(0);
  // Integers that count stay what they are.
  bool isWhole = layer.isInvariant(0) &&
                 describe(layer.op->getResult(0)).isInteger() &&
                 (method == "RELU" || method == "CLIP");
  LinearParams out =
      isWhole ? in : layer.outputParams(activationIsSigned(layer, method));
  unsigned bits = layer.options.multiplierWidth();
  layer.setRequant(layer.approximate(out.scale / in.scale, bits), bits);
  if (!quantizeActivationKeys(layer, method, out))
    return false;
  layer.setOutput(0, out, layer.isInvariant(0));
  return true;
}

} // namespace yarrow
