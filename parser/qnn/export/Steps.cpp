//===- Steps.cpp - The scales that the integers of a network have ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/export/Steps.h"
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

static double nominalStep(Value value) {
  return 1 / double(describe(value).scale);
}

static bool isQuantized(Value value) { return describe(value).quantized; }

static StringRef layerTypeOf(Operation *op) {
  const compass::OperatorRecord *record = compass::recordOf(op);
  return record ? StringRef(record->layerType) : StringRef();
}

static std::string methodOf(Operation *op) {
  StringRef type = layerTypeOf(op);
  return type == "Eltwise" ? compass::wordKey(op, "method", "ADD")
                           : type.upper();
}

/// What is farther from the scales of the IR means something else. Quantizers
/// let Concat copy integers whose scales differ by 3 %.
constexpr double kMostOff = 0.1;

/// Whether two ratios are one but for the rounding of float32.
static bool agree(double a, double b) { return std::abs(a / b - 1) < 0x1p-20; }

//===----------------------------------------------------------------------===//
// What the layers say
//===----------------------------------------------------------------------===//

namespace {
/// step of `value` = factor * step of `result`.
struct Ratio {
  Value value, result;
  double factor;
};

/// How the keys of a layer speak of the steps of its tensors.
enum class Says {
  Ratios,   ///< Of operands to results.
  Products, ///< Of two operands to the result.
  Nothing,  ///< The weights have what is left.
  Function, ///< The layer computes with the IR's own scales.
};
} // namespace

bool qnn::isWholeMean(Operation *op) {
  if (layerTypeOf(op) != "Pooling" ||
      compass::wordKey(op, "method", "MAX") != "AVG" ||
      !exports::isInteger(op) ||
      compass::wordKey(op, "average_rounding", "HALF_EVEN") != "HALF_EVEN")
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
  auto values = compass::intsKey(op, "scale_value");
  if (compass::hasApartOperands(op)) {
    double left =
        std::ldexp(m[0], int(compass::intKey(op, "operand_left_shift")));
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

static void addSum(Operation *op, std::vector<Ratio> &ratios, bool isAdded,
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
static void addEach(Operation *op, std::vector<Ratio> &ratios, unsigned first) {
  std::vector<double> m = exports::multipliersOf(op);
  for (unsigned i = first; i < op->getNumOperands(); ++i)
    ratios.push_back({op->getOperand(i), op->getResult(0),
                      m[std::min<size_t>(i - first, m.size() - 1)]});
}

/// Operand 0 with the layer's multiplier, times \p count.
static void addFirst(Operation *op, std::vector<Ratio> &ratios,
                     double count = 1) {
  ratios.push_back({op->getOperand(0), op->getResult(0),
                    exports::multipliersOf(op)[0] * count});
}

/// What moves values: operand and results are stored alike.
static void addMoved(Operation *op, std::vector<Ratio> &ratios) {
  for (Value result : op->getResults())
    for (Value operand : op->getOperands())
      if (exports::haveOneType(operand, result))
        ratios.push_back({operand, result, 1});
}

static Says reductionRatios(Operation *op, std::vector<Ratio> &ratios) {
  std::string method = compass::wordKey(op, "method", "MEAN");
  double count = double(describe(op->getOperand(0)).numElements()) /
                 double(describe(op->getResult(0)).numElements());
  if (method == "SUM" || method == "MEAN")
    addFirst(op, ratios, method == "MEAN" ? count : 1);
  else if (method == "MIN" || method == "MAX")
    addMoved(op, ratios);
  else
    return Says::Function;
  return Says::Ratios;
}

static Says poolRatios(Operation *op, std::vector<Ratio> &ratios) {
  std::string method = compass::wordKey(op, "method", "MAX");
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
    return Says::Function;
  }
  return Says::Ratios;
}

static Says whatIsSaid(Operation *op, std::vector<Ratio> &ratios) {
  StringRef type = layerTypeOf(op);
  if (isa<compass::ConstantOp>(op) || isa<compass::InputOp>(op))
    return Says::Nothing;
  constexpr StringRef kWeighted[] = {
      "Convolution",     "DepthwiseConv",  "ConvTranspose", "Convolution3D",
      "ConvTranspose3D", "FullyConnected", "BatchNorm"};
  if (llvm::is_contained(kWeighted, type))
    return Says::Nothing;
  constexpr StringRef kMoves[] = {
      "Reshape",      "Transpose",      "Slice",        "Crop",
      "Split",        "Tile",           "Pad",          "Gather",
      "GatherND",     "GatherElements", "DepthToSpace", "SpaceToDepth",
      "BatchToSpace", "SpaceToBatch",   "TopK",         "ReverseSequence",
      "Resize",       "ChannelShuffle", "Negative"};
  if (llvm::is_contained(kMoves, type)) {
    addMoved(op, ratios);
    return Says::Ratios;
  }
  if (!exports::isInteger(op))
    return Says::Function;
  std::string method = methodOf(op);
  if (method == "MUL" || type == "MatMul")
    return Says::Products;
  if (method == "ADD" || method == "SUB") {
    addSum(op, ratios, true, method == "ADD" ? 1 : -1);
    return Says::Ratios;
  }
  if (method == "MAX" || method == "MIN") {
    addSum(op, ratios, false, 1);
    return Says::Ratios;
  }
  if (type == "Concat") {
    addEach(op, ratios, 0);
    return Says::Ratios;
  }
  if (type == "Where" && exports::multipliersOf(op).size() == 2) {
    addEach(op, ratios, 1);
    return Says::Ratios;
  }
  if (type == "Activation") {
    bool isClamp =
        llvm::StringSwitch<bool>(compass::wordKey(op, "method", "RELU"))
            .Cases({"RELU", "RELU6", "CLIP", "LEAKYRELU", "PRELU"}, true)
            .Default(false);
    if (!isClamp)
      return Says::Function;
    addFirst(op, ratios);
    return Says::Ratios;
  }
  if (type == "Abs" || (type == "Cast" && op->hasAttr("scale_value")) ||
      (type == "Cumulate" && compass::wordKey(op, "method", "SUM") == "SUM")) {
    addFirst(op, ratios);
    return Says::Ratios;
  }
  if (type == "Reduce")
    return reductionRatios(op, ratios);
  if (type == "Pooling")
    return poolRatios(op, ratios);
  return Says::Function;
}

//===----------------------------------------------------------------------===//
// Steps that agree with all of it
//===----------------------------------------------------------------------===//

Steps::Place Steps::placeOf(Value value) const {
  Place place{value, 1};
  for (auto it = parents.find(place.root); it != parents.end();
       it = parents.find(place.root)) {
    place.factor *= it->second.factor;
    place.root = it->second.root;
  }
  return place;
}

bool Steps::join(Value value, Value result, double factor) {
  if (!isQuantized(value) || !isQuantized(result))
    return true;
  double nominal = nominalStep(value) / nominalStep(result);
  if (!(std::abs(factor / nominal - 1) < kMostOff))
    return false;
  if (agree(factor, nominal))
    factor = nominal;
  Place a = placeOf(value), b = placeOf(result);
  double between = factor * b.factor / a.factor; // a's root in b's root
  if (a.root == b.root)
    return agree(between, 1);
  // Downwards, factors are products of multipliers, which have few bits.
  parents[a.root] = {b.root, between};
  return true;
}

/// \p step in \p bits bits.
static double roundedTo(double step, int bits) {
  int exponent = 0;
  double mantissa = std::frexp(step, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, bits)),
                    exponent - bits);
}

/// \p step or one near it whose products with the factors are float32, so that
/// ratios are exact and ties are ties. Not if it would be farther than rounding
/// a multiplier to 8 bits is.
static double exactStep(double step, ArrayRef<double> factors) {
  constexpr int kMostBits = 20, kLeastBits = 8;
  if (llvm::all_of(factors, [](double factor) { return factor == 1; }))
    return step;
  for (int bits = kMostBits; bits >= kLeastBits; --bits) {
    double rounded = roundedTo(step, bits);
    if (llvm::all_of(factors, [&](double factor) {
          return double(float(rounded * factor)) == rounded * factor;
        }))
      return rounded;
  }
  return step;
}

void Steps::connect(Operation *op) {
  std::vector<Ratio> ratios;
  (void)whatIsSaid(op, ratios);
  for (const Ratio &ratio : ratios)
    if (!join(ratio.value, ratio.result, ratio.factor))
      inconsistent.insert(op);
}

void Steps::anchor(Value value) {
  if (!isQuantized(value))
    return;
  Place place = placeOf(value);
  settle(place.root, nominalStep(value) / place.factor);
}

void Steps::settle(Value root, double step) {
  if (!classes.contains(root))
    classes[root] = exactStep(step, factors[root]);
}

void Steps::assign(Operation *op) {
  std::vector<Ratio> ratios;
  bool isProduct = whatIsSaid(op, ratios) == Says::Products;
  for (Value result : op->getResults()) {
    if (!isQuantized(result))
      continue;
    Place place = placeOf(result);
    double step = nominalStep(result);
    if (isProduct) {
      double fromProduct = double(of(op->getOperand(0))) *
                           double(of(op->getOperand(1))) /
                           exports::multipliersOf(op)[0];
      if (std::abs(fromProduct / step - 1) < kMostOff &&
          !agree(fromProduct, step))
        step = fromProduct;
    }
    settle(place.root, step / place.factor);
    double own = classes[place.root] * place.factor;
    // What nothing moved keeps its scale to the last bit, whatever doubles
    // lost.
    bool isMoved = std::abs(own / nominalStep(result) - 1) > 0x1p-40;
    steps[result] = float(isMoved ? own : nominalStep(result));
  }
}

/// Whether the steps of a product are what its multiplier says.
void Steps::check(Operation *op) {
  std::vector<Ratio> ratios;
  if (whatIsSaid(op, ratios) != Says::Products)
    return;
  double product =
      double(of(op->getOperand(0))) * double(of(op->getOperand(1)));
  if (!agree(product / double(of(op->getResult(0))),
             exports::multipliersOf(op)[0]))
    inconsistent.insert(op);
}

Steps::Steps(func::FuncOp graph) {
  SmallVector<Operation *> layers;
  for (Operation &op : graph.getBody().front().without_terminator())
    layers.push_back(&op);
  for (Operation *op : layers)
    connect(op);
  for (Operation *op : layers)
    for (Value result : op->getResults())
      if (isQuantized(result)) {
        Place place = placeOf(result);
        factors[place.root].push_back(place.factor);
      }
  // A product has the scale that its multiplier says, whoever reads it.
  auto isProduct = [](Value value) {
    std::vector<Ratio> ratios;
    return whatIsSaid(value.getDefiningOp(), ratios) == Says::Products;
  };
  for (Operation *op : layers) {
    std::vector<Ratio> ratios;
    if (!isa<compass::InputOp>(op) && whatIsSaid(op, ratios) != Says::Function)
      continue;
    for (Value result : op->getResults())
      anchor(result);
    for (Value operand : op->getOperands())
      if (!isProduct(operand))
        anchor(operand);
  }
  for (Operation *op : layers) {
    assign(op);
    check(op);
  }
}

float qnn::weightStep(double multiplier, float in, float out, float stated) {
  auto error = [&](float step) {
    return std::abs(double(in * step / out) - multiplier);
  };
  float best = float(multiplier * double(out) / double(in));
  float step = best;
  for (int i = 0; i < 4; ++i)
    step = std::nextafter(step, 0.0f);
  for (int i = 0; i < 9; ++i, step = std::nextafter(step, INFINITY))
    if (error(step) < error(best))
      best = step;
  return stated > 0 && error(stated) <= error(best) ? stated : best;
}
