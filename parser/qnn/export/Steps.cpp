//===- Steps.cpp - The scales that the integers of a network have ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/export/Steps.h"
#include "dialects/compass/graph/GraphOps.h"
#include "parser/export/LayerNumbers.h"
#include "parser/qnn/export/StepRatios.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::qnn;
using namespace mlir;
using exports::describe;

static bool isQuantized(Value value) { return describe(value).quantized; }

/// What is farther from the scales of the IR means something else. Quantizers
/// let Concat copy integers whose scales differ by 3 %.
constexpr double kMostOff = 0.1;

/// Whether two ratios are one but for the rounding of float32.
static bool agree(double a, double b) { return std::abs(a / b - 1) < 0x1p-20; }

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

static bool areExact(double step, ArrayRef<double> factors) {
  return llvm::all_of(factors, [&](double factor) {
    return double(float(step * factor)) == step * factor;
  });
}

namespace {
/// A step, and how far it is to those that are as good.
struct Grid {
  double step, spacing;
  bool isExact;
};
} // namespace

/// \p step or one near it whose products with the factors are float32, so that
/// ratios are exact and ties are ties. Not if it would be farther than rounding
/// a multiplier to 8 bits is.
static Grid gridOf(double step, ArrayRef<double> factors) {
  constexpr int kMostBits = 20, kLeastBits = 8;
  auto nearest = float(step);
  Grid ofFloats{
      step, double(std::nextafter(nearest, INFINITY)) - double(nearest), false};
  if (llvm::all_of(factors, [](double factor) { return factor == 1; }))
    return ofFloats;
  for (int bits = kMostBits; bits >= kLeastBits; --bits)
    if (double rounded = roundedTo(step, bits); areExact(rounded, factors))
      return {rounded, std::ldexp(1, std::ilogb(rounded) + 1 - bits), true};
  return ofFloats;
}

void Steps::connect(Operation *op) {
  std::vector<StepRatio> ratios;
  (void)statementOf(op, ratios);
  for (const StepRatio &ratio : ratios)
    if (!join(ratio.value, ratio.result, ratio.factor))
      inconsistent.insert(op);
}

void Steps::anchor(Value value) {
  if (!isQuantized(value))
    return;
  Place place = placeOf(value);
  settle(place.root, nominalStep(value) / place.factor);
}

float Steps::settled(Value value) const {
  Place place = placeOf(value);
  auto it = classes.find(place.root);
  if (it == classes.end())
    return 0;
  double step = it->second * place.factor, nominal = nominalStep(value);
  // What nothing moved keeps its scale to the last bit, whatever doubles lost.
  bool isMoved = std::abs(step / nominal - 1) > 0x1p-40;
  return float(isMoved ? step : nominal);
}

/// Of the layers with weights at \p root's tensors, whose other steps are
/// settled: multipliers that no step of weights gives.
size_t Steps::numMissed(Value root) const {
  size_t missed = 0;
  auto it = weighted.find(root);
  for (Operation *op :
       it == weighted.end() ? ArrayRef<Operation *>() : ArrayRef(it->second)) {
    float in = settled(op->getOperand(0)), out = settled(op->getResult(0));
    if (in == 0 || out == 0)
      continue;
    for (double multiplier : exports::multipliersOf(op))
      // Those of more bits have no ties.
      missed +=
          double(float(multiplier)) == multiplier &&
          double(in * weightStep(multiplier, in, out) / out) != multiplier;
  }
  return missed;
}

void Steps::settle(Value root, double step) {
  if (classes.contains(root))
    return;
  // No range of values is known to so many bits.
  constexpr int kMostMoves = 128;
  constexpr double kFarthest = 0x1p-13;
  Grid grid = gridOf(step, factors[root]);
  classes[root] = grid.step;
  double best = grid.step;
  size_t least = numMissed(root);
  for (int i = 2; i <= 2 * kMostMoves && least != 0; ++i) {
    double move = (i % 2 ? -1 : 1) * (i / 2) * grid.spacing;
    double moved = grid.step + move;
    if (std::abs(move) > kFarthest * grid.step ||
        (grid.isExact && !areExact(moved, factors[root])))
      continue;
    classes[root] = moved;
    if (size_t missed = numMissed(root); missed < least) {
      least = missed;
      best = moved;
    }
  }
  classes[root] = best;
}

void Steps::assign(Operation *op) {
  std::vector<StepRatio> ratios;
  bool isProduct = statementOf(op, ratios) == Statement::Products;
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
    steps[result] = settled(result);
  }
}

/// Whether the steps of a product are what its multiplier says.
void Steps::check(Operation *op) {
  std::vector<StepRatio> ratios;
  if (statementOf(op, ratios) != Statement::Products)
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
  for (Operation *op : layers) {
    std::vector<StepRatio> ratios;
    if (statementOf(op, ratios) != Statement::Weights)
      continue;
    Value in = placeOf(op->getOperand(0)).root,
          out = placeOf(op->getResult(0)).root;
    weighted[out].push_back(op);
    if (in != out)
      weighted[in].push_back(op);
  }
  // A product has the scale that its multiplier says, whoever reads it.
  auto isProduct = [](Value value) {
    std::vector<StepRatio> ratios;
    return statementOf(value.getDefiningOp(), ratios) == Statement::Products;
  };
  for (Operation *op : layers) {
    std::vector<StepRatio> ratios;
    if (!isa<compass::InputOp>(op) &&
        statementOf(op, ratios) != Statement::Function)
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
