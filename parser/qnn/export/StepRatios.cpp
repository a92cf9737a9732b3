//===- StepRatios.cpp - What layers say of the steps of tensors -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/export/StepRatios.h"
#include "dialects/compass/IntegerForms.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/WindowShape.h"
#include "dialects/compass/eltwise/BinaryFunction.h"
#include "dialects/compass/graph/GraphOps.h"
#include "parser/export/LayerNumbers.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::qnn;
using namespace mlir;
using compass::TensorInfo;
using exports::describe;

double qnn::nominalStep(Value value) {
  return 1 / double(describe(value).scale);
}

static StringRef layerTypeOf(Operation *op) {
  const compass::OperatorRecord *record = compass::recordOf(op);
  return record ? StringRef(record->layerType) : StringRef();
}

static std::string methodOf(Operation *op) {
  StringRef type = layerTypeOf(op);
  return type == "Eltwise" ? compass::wordKey(op, compass::keys::method, "ADD")
                           : type.upper();
}

bool qnn::isWholeMean(Operation *op) {
  if (layerTypeOf(op) != "Pooling" ||
      compass::wordKey(op, compass::keys::method, "MAX") != "AVG" ||
      !exports::isInteger(op) ||
      compass::wordKey(op, compass::keys::average_rounding, "HALF_EVEN") !=
          "HALF_EVEN")
    return false;
  TensorInfo in = describe(op->getOperand(0)), out = describe(op->getResult(0));
  return llvm::all_of(compass::windowAxes(op, 2), [&](const auto &axis) {
    return axis.dilation == 1 && axis.before == 0 && axis.after == 0 &&
           axis.kernel == in.shape[axis.dataAxis] &&
           out.shape[axis.dataAxis] == 1;
  });
}

/// Factors of both operands of a sum.
static std::pair<double, double> sumFactors(Operation *op) {
  std::vector<double> m = exports::multipliersOf(op);
  auto values = compass::intsKey(op, compass::keys::scale_value);
  if (compass::hasApartOperands(op)) {
    double left = std::ldexp(
        m[0], int(compass::intKey(op, compass::keys::operand_left_shift)));
    return {m[1] * left, m[2] * left};
  }
  if (values.size() != 3)
    return {m[0], m[0]};
  return {double(values[1]) * m[0], double(values[2]) * m[0]};
}

/// Whether a sum of 8-bit tensors gives the same integers with the factors
/// \p a and \p b and with \p c and \p d.
static bool haveSameSums(Operation *op, std::pair<double, double> x,
                         std::pair<double, double> y, int sign) {
  TensorInfo a = describe(op->getOperand(0)), b = describe(op->getOperand(1));
  if (a.bits() > 8 || b.bits() > 8)
    return false;
  for (int64_t p = a.lo + a.zp; p <= a.hi + a.zp; ++p)
    for (int64_t q = b.lo + b.zp; q <= b.hi + b.zp; ++q) {
      auto sum = [&](std::pair<double, double> f) {
        return std::nearbyint(double(p) * f.first +
                              double(sign * q) * f.second);
      };
      if (sum(x) != sum(y))
        return false;
    }
  return true;
}

static void addSum(Operation *op, std::vector<StepRatio> &ratios, bool isAdded,
                   int sign) {
  Value a = op->getOperand(0), b = op->getOperand(1), y = op->getResult(0);
  std::pair<double, double> factors = sumFactors(op),
                            nominal = {nominalStep(a) / nominalStep(y),
                                       nominalStep(b) / nominalStep(y)};
  if (isAdded && haveSameSums(op, factors, nominal, sign))
    factors = nominal;
  ratios.push_back({a, y, factors.first});
  ratios.push_back({b, y, factors.second});
}

/// Operands from \p first on with a factor each, or with none.
static void addEach(Operation *op, std::vector<StepRatio> &ratios,
                    unsigned first) {
  std::vector<double> m = exports::multipliersOf(op);
  for (unsigned i = first; i < op->getNumOperands(); ++i)
    ratios.push_back({op->getOperand(i), op->getResult(0),
                      m[std::min<size_t>(i - first, m.size() - 1)]});
}

/// Operand 0 with the layer's multiplier, times \p count.
static void addFirst(Operation *op, std::vector<StepRatio> &ratios,
                     double count = 1) {
  ratios.push_back({op->getOperand(0), op->getResult(0),
                    exports::multipliersOf(op)[0] * count});
}

/// What moves values: operand and results are stored alike.
static void addMoved(Operation *op, std::vector<StepRatio> &ratios) {
  for (Value result : op->getResults())
    for (Value operand : op->getOperands())
      if (exports::haveOneType(operand, result))
        ratios.push_back({operand, result, 1});
}

static Statement reductionRatios(Operation *op,
                                 std::vector<StepRatio> &ratios) {
  std::string method = compass::wordKey(op, compass::keys::method, "MEAN");
  double count = double(describe(op->getOperand(0)).numElements()) /
                 double(describe(op->getResult(0)).numElements());
  if (method == "SUM" || method == "MEAN")
    addFirst(op, ratios, method == "MEAN" ? count : 1);
  else if (method == "MIN" || method == "MAX")
    addMoved(op, ratios);
  else
    return Statement::Function;
  return Statement::Ratios;
}

static Statement poolRatios(Operation *op, std::vector<StepRatio> &ratios) {
  std::string method = compass::wordKey(op, compass::keys::method, "MAX");
  if (isWholeMean(op)) {
    TensorInfo in = describe(op->getOperand(0)),
               out = describe(op->getResult(0));
    auto cells = uint32_t(in.shape[1] * in.shape[2]);
    ratios.push_back(
        {op->getOperand(0), op->getResult(0),
         compass::averageMultiplier(in, out, cells) * double(cells)});
  } else if (method == "MAX" || method == "AVG") {
    addMoved(op, ratios);
  } else {
    return Statement::Function;
  }
  return Statement::Ratios;
}

Statement qnn::statementOf(Operation *op, std::vector<StepRatio> &ratios) {
  StringRef type = layerTypeOf(op);
  if (isa<compass::ConstantOp>(op) || isa<compass::InputOp>(op))
    return Statement::Nothing;
  constexpr StringRef kWeighted[] = {
      "Convolution",     "DepthwiseConv",  "ConvTranspose", "Convolution3D",
      "ConvTranspose3D", "FullyConnected", "BatchNorm"};
  if (llvm::is_contained(kWeighted, type))
    return exports::isInteger(op) ? Statement::Weights : Statement::Nothing;
  constexpr StringRef kMoves[] = {
      "Reshape",      "Transpose",      "Slice",        "Crop",
      "Split",        "Tile",           "Pad",          "Gather",
      "GatherND",     "GatherElements", "DepthToSpace", "SpaceToDepth",
      "BatchToSpace", "SpaceToBatch",   "TopK",         "ReverseSequence",
      "Resize",       "ChannelShuffle", "Negative"};
  if (llvm::is_contained(kMoves, type)) {
    addMoved(op, ratios);
    return Statement::Ratios;
  }
  if (!exports::isInteger(op))
    return Statement::Function;
  std::string method = methodOf(op);
  if (method == "MUL" || type == "MatMul")
    return Statement::Products;
  if (method == "ADD" || method == "SUB") {
    addSum(op, ratios, true, method == "ADD" ? 1 : -1);
    return Statement::Ratios;
  }
  if (method == "MAX" || method == "MIN") {
    addSum(op, ratios, false, 1);
    return Statement::Ratios;
  }
  if (type == "Concat") {
    addEach(op, ratios, 0);
    return Statement::Ratios;
  }
  if (type == "Where" && exports::multipliersOf(op).size() == 2) {
    addEach(op, ratios, 1);
    return Statement::Ratios;
  }
  if (type == "Activation") {
    bool isClamp =
        llvm::StringSwitch<bool>(
            compass::wordKey(op, compass::keys::method, "RELU"))
            .Cases({"RELU", "RELU6", "CLIP", "LEAKYRELU", "PRELU"}, true)
            .Default(false);
    if (!isClamp)
      return Statement::Function;
    addFirst(op, ratios);
    return Statement::Ratios;
  }
  if (type == "Abs" ||
      (type == "Cast" && op->hasAttr(compass::keys::scale_value)) ||
      (type == "Cumulate" &&
       compass::wordKey(op, compass::keys::method, "SUM") == "SUM")) {
    addFirst(op, ratios);
    return Statement::Ratios;
  }
  if (type == "Reduce")
    return reductionRatios(op, ratios);
  if (type == "Pooling")
    return poolRatios(op, ratios);
  return Statement::Function;
}
