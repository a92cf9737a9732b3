//===- Elementwise.cpp - Functions of one value or several ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "parser/export/LayerNumbers.h"
#include "parser/qnn/export/Exports.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::qnn;
using namespace mlir;

//===----------------------------------------------------------------------===//
// One value
//===----------------------------------------------------------------------===//

LogicalResult qnn::exportUnary(LayerExport &n) {
  StringRef type = n.layerType();
  if (type == "Square")
    return n.result("ElementWiseMultiply", {n.in(0), n.in(0)});
  constexpr int kReciprocal = 10;
  if (type == "Reciprocal")
    return n.result("ElementWiseUnary", {n.in(0)},
                    {uint32Param("operation", kReciprocal)});
  StringRef name = llvm::StringSwitch<StringRef>(type)
                       .Case("Cosine", "Cos")
                       .Case("Negative", "Neg")
                       .Case("Sine", "Sin")
                       .Case("Sqrt", "SquareRoot")
                       .Default(type);
  return n.result("ElementWise" + name.str(), {n.in(0)});
}

/// A number of the layer, or what the method takes without it.
static double numberKey(LayerExport &n, compass::NumericKey key,
                        double standard) {
  return compass::numberOf(n.op->getAttr(key)).value_or(standard);
}

static LogicalResult exportHardSigmoid(LayerExport &n) {
  // Integer IR may lack the parameters of its tables.
  if (n.isInteger() && (!n.op->hasAttr(compass::keys::alpha) ||
                        !n.op->hasAttr(compass::keys::beta)))
    return n.refuse(compass::keys::method,
                    "has a table, but no alpha and beta");
  if (numberKey(n, compass::keys::clip_min, 0) != 0 ||
      numberKey(n, compass::keys::clip_max, 1) != 1)
    return n.refuse(compass::keys::clip_min, "has bounds other than 0 and 1");
  constexpr int kOperation = 2;
  return n.result("ElementWiseNeuron", {n.in(0)},
                  {uint32Param("operation", kOperation),
                   floatParam("alpha", numberKey(n, compass::keys::alpha, 0.2)),
                   floatParam("beta", numberKey(n, compass::keys::beta, 0.5))});
}

/// x * sigmoid(alpha * x); integers would need a scale for what is between.
static LogicalResult exportSwish(LayerExport &n, double alpha) {
  if (n.isInteger())
    return n.refuse(compass::keys::method,
                    "for integers needs a scale of the sigmoid, which the "
                    "layer does not have");
  std::string x = n.in(0), scaled = x;
  if (alpha != 1) {
    std::string factor =
        n.graph.addStatic(n.suffixed("alpha"), DataType::FLOAT_32, {1},
                          std::vector{float(alpha)});
    scaled = n.between("scaled");
    n.node("ElementWiseMultiply", {x, factor}, {scaled});
  }
  std::string sigmoid = n.between("sigmoid");
  n.node("Sigmoid", {scaled}, {sigmoid});
  return n.result("ElementWiseMultiply", {x, sigmoid});
}

LogicalResult qnn::exportActivation(LayerExport &n) {
  std::string method = compass::wordKey(n.op, compass::keys::method, "RELU");
  constexpr StringRef kWithoutTable[] = {"RELU", "RELU6", "CLIP", "LEAKYRELU",
                                         "PRELU"};
  if (llvm::is_contained(kWithoutTable, method))
    return n.activate(n.in(0), compass::keys::method);
  StringRef simple = llvm::StringSwitch<StringRef>(method)
                         .Case("SIGMOID", "Sigmoid")
                         .Case("TANH", "Tanh")
                         .Case("HARDSWISH", "HardSwish")
                         .Case("SOFTPLUS", "ElementWiseSoftplus")
                         .Default("");
  if (!simple.empty())
    return n.result(simple, {n.in(0)});
  if (method == "ELU")
    return n.result(
        "Elu", {n.in(0)},
        {floatParam("alpha", numberKey(n, compass::keys::alpha, 1))});
  if (method == "GELU") {
    if (compass::wordKey(n.op, compass::keys::approximate, "NONE") == "TANH")
      return n.refuse(compass::keys::approximate, "with tanh is not exported");
    return n.result("Gelu", {n.in(0)});
  }
  if (method == "HARDSIGMOID")
    return exportHardSigmoid(n);
  if (method == "SILU")
    return exportSwish(n, 1);
  if (method == "SWISH")
    return exportSwish(n, numberKey(n, compass::keys::alpha, 1));
  return n.refuse(compass::keys::method,
                  Twine("with method ") + method + " is not exported");
}

LogicalResult qnn::exportCast(LayerExport &n) {
  bool isFromPlain = isPlain(n.op->getOperand(0)),
       isToPlain = isPlain(n.op->getResult(0));
  bool isFromFloat = n.input(0).isFloat(), isToFloat = n.output().isFloat();
  if (compass::wordKey(n.op, compass::keys::clip_mode, "SATURATION") ==
      "TRUNCATION")
    return n.refuse(compass::keys::clip_mode,
                    "with truncation is not exported");
  if (compass::boolKey(n.op, compass::keys::ignore_scale_zp) && !isFromPlain &&
      !isToPlain)
    return n.refuse(compass::keys::ignore_scale_zp,
                    "of integers is not exported");
  if (isFromPlain && isToPlain)
    return n.result("Cast", {n.in(0)});
  if (isFromFloat)
    return n.result("Quantize", {n.in(0)});
  if (isToFloat)
    return n.result("Dequantize", {n.in(0)});
  if (isFromPlain || isToPlain)
    return n.refuse(compass::keys::to_dtype,
                    "between plain integers and ones with a scale "
                    "is not exported");
  // Without multipliers the stored integers are kept, whatever they mean.
  if (!n.op->hasAttr(compass::keys::scale_value) &&
      n.input(0).scale != n.output().scale)
    return n.refuse("", "changes what the integers mean");
  return n.result("Convert", {n.in(0)});
}

//===----------------------------------------------------------------------===//
// Several values
//===----------------------------------------------------------------------===//

LogicalResult qnn::exportBinary(LayerExport &n) {
  if (exports::repeatsParts(n.op))
    return n.refuse("", "repeats an operand in parts");
  StringRef type = n.layerType();
  std::string method =
      type == "Eltwise" ? compass::wordKey(n.op, compass::keys::method, "ADD")
                        : type.upper();
  if (method == "MOD") {
    bool isFmod = compass::boolKey(n.op, compass::keys::fmod);
    if (!isFmod && n.input(0).isFloat())
      return n.refuse(compass::keys::fmod,
                      "of floats with the sign of the divisor is not exported");
    return n.result(isFmod ? "ElementWiseFmod" : "ElementWiseMod", n.ins());
  }
  StringRef name =
      llvm::StringSwitch<StringRef>(method)
          .Case("ADD", "ElementWiseAdd")
          .Case("SUB", "ElementWiseSubtract")
          .Case("MUL", "ElementWiseMultiply")
          .Case("DIV", "ElementWiseDivide")
          .Case("MAX", "ElementWiseMaximum")
          .Case("MIN", "ElementWiseMinimum")
          .Case("SQUAREDDIFFERENCE", "ElementWiseSquaredDifference")
          .Default("");
  if (name.empty())
    return n.refuse(compass::keys::method,
                    Twine("with method ") + method + " is not exported");
  return n.result(name, n.ins());
}

LogicalResult qnn::exportPow(LayerExport &n) {
  if (exports::repeatsParts(n.op))
    return n.refuse("", "repeats an operand in parts");
  std::string power;
  if (n.op->getNumOperands() > 1)
    power = n.in(1);
  else if (auto exponent =
               compass::numberOf(n.op->getAttr(compass::keys::exponent)))
    power = n.graph.addStatic(n.suffixed("exponent"), DataType::FLOAT_32, {1},
                              std::vector{float(*exponent)});
  else
    return n.refuse(compass::keys::exponent, "has no exponent");
  return n.result("ElementWisePower", {n.in(0), power});
}

LogicalResult qnn::exportLogical(LayerExport &n) {
  std::string method = compass::wordKey(n.op, compass::keys::method, "EQUAL");
  if (!isPlain(n.op->getResult(0)))
    return n.refuse("layer_top_zp", "stores truth values with a zero point or "
                                    "a scale");
  StringRef ofTruth = llvm::StringSwitch<StringRef>(method)
                          .Case("AND", "And")
                          .Case("OR", "Or")
                          .Case("XOR", "Xor")
                          .Case("NOT", "Not")
                          .Default("");
  StringRef compared = llvm::StringSwitch<StringRef>(method)
                           .Case("EQUAL", "Equal")
                           .Case("NOT_EQUAL", "NotEqual")
                           .Case("GREATER", "Greater")
                           .Case("GREATER_EQUAL", "GreaterEqual")
                           .Case("LESS", "Less")
                           .Case("LESS_EQUAL", "LessEqual")
                           .Default("");
  std::vector<std::string> operands;
  for (unsigned i = 0; i < n.op->getNumOperands(); ++i)
    operands.push_back(ofTruth.empty() ? n.in(i) : n.truth(i));
  return n.resultAs(
      DataType::BOOL_8,
      ("ElementWise" + (ofTruth.empty() ? compared : ofTruth)).str(),
      std::move(operands));
}

LogicalResult qnn::exportWhere(LayerExport &n) {
  return n.result("ElementWiseSelect", {n.truth(0), n.in(1), n.in(2)});
}
