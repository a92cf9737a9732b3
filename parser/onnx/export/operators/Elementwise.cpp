//===- Elementwise.cpp - Functions of one and two values ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/eltwise/BinaryFunction.h"
#include "parser/onnx/export/Exports.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::onnx;
using namespace mlir;

static StringRef layerTypeOf(LayerExport &n) {
  return compass::recordOf(n.op)->layerType;
}

//===----------------------------------------------------------------------===//
// One value
//===----------------------------------------------------------------------===//

LogicalResult onnx::exportUnary(LayerExport &n) {
  Order order = n.readyOrder();
  std::string x = n.real(0, order);
  StringRef type = layerTypeOf(n);
  if (type == "Square")
    return n.result(0, n.node("Mul", {x, x}), order);
  if (type == "Rsqrt")
    return n.result(0, n.node("Reciprocal", {n.node("Sqrt", {x})}), order);
  StringRef op = llvm::StringSwitch<StringRef>(type)
                     .Case("Cosine", "Cos")
                     .Case("Sine", "Sin")
                     .Case("Negative", "Neg")
                     .Default(type);
  return n.result(0, n.node(op, {x}), order);
}

/// A number of the layer, or what the method takes without it.
static float numberKey(LayerExport &n, compass::NumericKey key,
                       double standard) {
  auto number = compass::numberOf(n.op->getAttr(key));
  return float(number ? *number : standard);
}

/// The methods that are one operator.
static std::optional<std::string> simpleMethod(LayerExport &n, StringRef method,
                                               const std::string &x) {
  StringRef op = llvm::StringSwitch<StringRef>(method)
                     .Case("SIGMOID", "Sigmoid")
                     .Case("TANH", "Tanh")
                     .Case("HARDSWISH", "HardSwish")
                     .Case("SOFTPLUS", "Softplus")
                     .Case("SOFTSIGN", "Softsign")
                     .Case("MISH", "Mish")
                     .Default("");
  if (!op.empty())
    return n.node(op, {x});
  if (method == "ELU")
    return n.node("Elu", {x},
                  {{"alpha", numberKey(n, compass::keys::alpha, 1)}});
  if (method == "CELU")
    return n.node("Celu", {x},
                  {{"alpha", numberKey(n, compass::keys::alpha, 1)}});
  if (method == "SELU")
    return n.node("Selu", {x},
                  {{"alpha", numberKey(n, compass::keys::alpha, 1.67326324)},
                   {"gamma", numberKey(n, compass::keys::gamma, 1.05070098)}});
  if (method == "SHRINK")
    return n.node("Shrink", {x},
                  {{"bias", numberKey(n, compass::keys::bias, 0)},
                   {"lambd", numberKey(n, compass::keys::lambd, 0.5)}});
  if (method == "THRESHOLDEDRELU")
    return n.node("ThresholdedRelu", {x},
                  {{"alpha", numberKey(n, compass::keys::alpha, 1)}});
  if (method == "GELU") {
    bool isTanh =
        compass::wordKey(n.op, compass::keys::approximate, "NONE") == "TANH";
    return n.node("Gelu", {x},
                  {{"approximate", std::string(isTanh ? "tanh" : "none")}});
  }
  if (method == "SILU")
    return n.node("Mul", {x, n.node("Sigmoid", {x})});
  return std::nullopt;
}

/// Integer IR may lack the parameters of its tables.
static bool lacksParameters(LayerExport &n, StringRef method) {
  return n.isInteger() && method == "HARDSIGMOID" &&
         (!n.op->hasAttr(compass::keys::alpha) ||
          !n.op->hasAttr(compass::keys::beta));
}

LogicalResult onnx::exportActivation(LayerExport &n) {
  Order order = n.readyOrder();
  std::string method = compass::wordKey(n.op, compass::keys::method, "RELU");
  constexpr StringRef kWithoutTable[] = {"RELU", "RELU6", "CLIP", "LEAKYRELU",
                                         "PRELU"};
  if (llvm::is_contained(kWithoutTable, method)) {
    // A table is of real inputs; a multiplier only stands beside it.
    std::string x = exports::isTable(n.op)
                        ? n.real(0, order)
                        : n.real(0, order, n.operandScale(n.multipliers()[0]));
    return n.result(0, n.activated(x, order, compass::keys::method), order);
  }
  if (method == "CRELU" || lacksParameters(n, method))
    return n.refuse(compass::keys::method,
                    method == "CRELU" ? "with method CRELU is not exported"
                                      : "has a table, but no alpha and beta");
  std::string x = n.real(0, order);
  if (auto y = simpleMethod(n, method, x))
    return n.result(0, *y, order);
  if (method == "SWISH") {
    std::string scaled = n.node(
        "Mul", {x, n.forms.scalar(numberKey(n, compass::keys::alpha, 1))});
    return n.result(0, n.node("Mul", {x, n.node("Sigmoid", {scaled})}), order);
  }
  if (method != "HARDSIGMOID")
    return n.refuse(compass::keys::method,
                    Twine("with method ") + method + " is not exported");
  // The bounds need not be ONNX's.
  std::string sum =
      n.node("Add", {n.node("Mul", {x, n.forms.scalar(numberKey(
                                           n, compass::keys::alpha, 0.2))}),
                     n.forms.scalar(numberKey(n, compass::keys::beta, 0.5))});
  return n.result(
      0,
      n.node("Clip",
             {sum, n.forms.scalar(numberKey(n, compass::keys::clip_min, 0)),
              n.forms.scalar(numberKey(n, compass::keys::clip_max, 1))}),
      order);
}

/// What goes through QuantizeLinear and DequantizeLinear alone.
LogicalResult onnx::exportCopy(LayerExport &n) {
  Order order = n.readyOrder();
  return n.result(0, n.real(0, order), order);
}

/// Floats lose what is behind the point, in ONNX's Cast too; what lies beyond
/// the type becomes its nearest value first.
static LogicalResult exportCastToInteger(LayerExport &n, const Order &order) {
  compass::DType type = n.out().dtype;
  std::string x = n.real(0, order);
  if (kernels::dtypeBytes(type) < 4) {
    if (compass::wordKey(n.op, compass::keys::clip_mode, "SATURATION") ==
        "TRUNCATION")
      return n.refuse(compass::keys::clip_mode,
                      "with truncation is not exported");
    auto [lo, hi] = compass::dtypeRange(n.out().storedType());
    x = n.node("Clip",
               {x, n.forms.scalar(float(lo)), n.forms.scalar(float(hi))});
  }
  x = n.node("Cast", {x}, {{"to", elementNumber(type)}});
  return n.resultStored(0, x, order);
}

LogicalResult onnx::exportCast(LayerExport &n) {
  Order order = n.readyOrder();
  compass::TensorInfo in = n.in(0), out = n.out();
  if (in.dtype == compass::DType::F32 && out.isInteger() && !out.quantized &&
      out.dtype != compass::DType::Bool)
    return exportCastToInteger(n, order);
  if (in.isFloat() || out.isFloat() ||
      n.op->hasAttr(compass::keys::scale_value))
    return n.result(0, n.real(0, order, n.operandScale(n.multipliers()[0])),
                    order);
  auto carrier = carrierOf(out);
  if ((out.quantized && (!carrier || carrier->type != out.dtype)) ||
      kernels::dtypeBytes(in.dtype) > 2)
    return n.refuse(compass::keys::to_dtype,
                    "between these integers is not exported");
  // The stored integers, but for the zero points.
  bool ignoresZeroPoints =
      compass::boolKey(n.op, compass::keys::ignore_scale_zp);
  if (compass::wordKey(n.op, compass::keys::clip_mode, "SATURATION") ==
      "TRUNCATION")
    return n.refuse(compass::keys::clip_mode,
                    "with truncation is not exported");
  std::string x = n.node("Cast", {n.stored(0, order)},
                         {{"to", elementNumber(compass::DType::F32)}});
  if (!ignoresZeroPoints && in.zp != out.zp)
    x = n.node("Add", {x, n.forms.scalar(float(in.zp - out.zp))});
  std::pair<int64_t, int64_t> range = compass::dtypeRange(out.storedType());
  if (out.quantized)
    range = {out.lo, out.hi};
  x = n.node("Clip", {x, n.forms.scalar(float(range.first)),
                      n.forms.scalar(float(range.second))});
  x = n.node("Cast", {x}, {{"to", elementNumber(out.dtype)}});
  return n.resultStored(0, x, order);
}

//===----------------------------------------------------------------------===//
// Two values
//===----------------------------------------------------------------------===//

/// scale_value is [result, x1, x2], or one value of a product.
static std::pair<double, double> operandScales(LayerExport &n, bool isProduct) {
  if (!n.isInteger())
    return {0, 0};
  std::vector<double> m = n.multipliers();
  double one = 1 / double(n.out().scale);
  if (isProduct)
    return {m[0] * double(n.in(1).scale) * one, 0};
  auto values = compass::intsKey(n.op, compass::keys::scale_value);
  if (compass::hasApartOperands(n.op)) {
    double left = std::ldexp(
        m[0] * one,
        int(compass::intKey(n.op, compass::keys::operand_left_shift)));
    return {m[1] * left, m[2] * left};
  }
  double first = values.size() == 3 ? double(values[1]) : 1,
         second = values.size() == 3 ? double(values[2]) : 1;
  return {first * m[0] * one, second * m[0] * one};
}

LogicalResult onnx::exportBinary(LayerExport &n) {
  if (exports::repeatsParts(n.op))
    return n.refuse("", "repeats an operand in parts");
  StringRef type = layerTypeOf(n);
  std::string method =
      type == "Eltwise" ? compass::wordKey(n.op, compass::keys::method, "ADD")
                        : type.upper();
  Order order = n.readyOrder();
  std::pair<double, double> scales = {0, 0};
  if (method != "DIV" && method != "SQUAREDDIFFERENCE")
    scales = operandScales(n, method == "MUL");
  // A lower rank is aligned at the last axis.
  std::string a = n.real(0, order, scales.first),
              b = n.real(1, order, scales.second);
  StringRef op = llvm::StringSwitch<StringRef>(method)
                     .Case("ADD", "Add")
                     .Case("SUB", "Sub")
                     .Case("MUL", "Mul")
                     .Case("DIV", "Div")
                     .Case("MAX", "Max")
                     .Case("MIN", "Min")
                     .Default("Sub");
  std::string y = n.node(op, {a, b});
  if (method == "SQUAREDDIFFERENCE")
    y = n.node("Mul", {y, y});
  return n.result(0, n.activated(y, order), order);
}

LogicalResult onnx::exportPow(LayerExport &n) {
  if (exports::repeatsParts(n.op))
    return n.refuse("", "repeats an operand in parts");
  Order order = n.readyOrder();
  auto exponent = compass::numberOf(n.op->getAttr(compass::keys::exponent));
  std::string power;
  if (n.op->getNumOperands() > 1)
    power = n.real(1, order);
  else if (exponent)
    power = n.forms.scalar(float(*exponent));
  else
    return n.refuse(compass::keys::exponent, "has no exponent");
  return n.result(0, n.node("Pow", {n.real(0, order), power}), order);
}

/// Values of the axis of channels, to be broadcast in \p order.
static std::string perChannel(LayerExport &n, StringRef key, int64_t axis,
                              ArrayRef<int64_t> order,
                              const std::vector<float> &values) {
  Lengths lengths(order.size(), 1);
  lengths[size_t(placeOf(order, axis))] = int64_t(values.size());
  return n.floats(key, lengths, values);
}

LogicalResult onnx::exportBatchNorm(LayerExport &n) {
  Order order = n.readyOrder();
  int64_t axis = axisOf(n, compass::keys::axis, n.rank());
  auto weights = compass::viewConstant(
           compass::tensorKey(n.op, compass::keys::weights)),
       biases = compass::viewConstant(
           compass::tensorKey(n.op, compass::keys::biases));
  std::vector<float> w = compass::floatsOf(*weights), b;
  compass::TensorInfo in = n.in(0), out = n.out();
  if (int64_t channels = n.out().shape[size_t(axis)];
      weights->numElements() != channels || biases->numElements() != channels)
    return n.refuse(compass::keys::weights,
                    "does not have one weight for each channel");
  std::vector<double> m = n.multipliers();
  for (size_t i = 0; i < w.size(); ++i) {
    if (!n.isInteger()) {
      b = compass::floatsOf(*biases);
      break;
    }
    // The zero point of x is in the biases.
    double step = m[m.size() == 1 ? 0 : i] / double(out.scale);
    double weight = weights->intAt(int64_t(i));
    b.push_back(float(
        (double(biases->intAt(int64_t(i))) - double(in.zp) * weight) * step));
    w[i] = float(weight * step * double(in.scale));
  }
  std::string y =
      n.node("Mul", {n.real(0, order),
                     perChannel(n, compass::keys::weights, axis, order, w)});
  y = n.node("Add", {y, perChannel(n, compass::keys::biases, axis, order, b)});
  return n.result(0, n.activated(y, order), order);
}
