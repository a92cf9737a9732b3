//===- Tables.cpp - Functions of one stored value -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A table of all 8-bit inputs, of the real function in double precision, each
// entry rounded once: TFLite's tables, but for ties.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/LayerProgram.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/convert/ConvertOps.h"
#include "kernels/activation/Activation.h"
#include "kernels/activation/UnaryFn.h"
#include "quantizer/prequantized/Forms.h"
#include "quantizer/prequantized/RealNumbers.h"

#include <cmath>
#include <functional>

using namespace yarrow;
using namespace yarrow::compass;

using RealFunction = std::function<double(double)>;

static std::optional<RealFunction> functionOf(mlir::Operation *op) {
  return inRealNumbers(op, [&]() -> std::optional<RealFunction> {
    auto program = programOf(op);
    const KernelCall *call = succeeded(program) ? program->single() : nullptr;
    if (!call || !call->is<kernels::UnaryFloat>())
      return std::nullopt;
    auto f = call->paramsOf<kernels::UnaryFloat>();
    return [f](double x) { return kernels::unaryValue(f.fn, x, f.args); };
  });
}

/// Which input entry 0 of the table \p key is of: the layer's program says it.
static std::optional<int64_t> firstInput(mlir::Operation *op) {
  mlir::ScopedDiagnosticHandler ignore(
      op->getContext(), [](mlir::Diagnostic &) { return mlir::success(); });
  auto program = programOf(op);
  const KernelCall *call = succeeded(program) ? program->single() : nullptr;
  if (!call || !call->is<kernels::Lut>())
    return std::nullopt;
  return call->paramsOf<kernels::Lut>().indexMin;
}

static void fillTable(PrequantizedLayer &layer, const StoredTensor &in,
                      const RealFunction &f, int64_t first) {
  auto [least, most] = dtypeRange(in.type);
  int64_t entries = int64_t(1) << in.type.bits();
  std::vector<int64_t> table;
  for (int64_t i = 0; i < entries; ++i) {
    // Inputs beyond the type's range do not occur.
    int64_t q = std::clamp(first + i, least, most);
    table.push_back(layer.output.nearest(f(in.realOf(q))));
  }
  layer.setTensor(keys::lut, {entries}, layer.output.type, table);
}

/// LeakyReLU by a multiplier for each side of 0. TFLite, which takes no table,
/// computes the ratios in single precision and rounds twice.
static bool giveLeakyRelu(PrequantizedLayer &layer, const StoredTensor &in) {
  bool isExact = layer.options.rounding == PrequantizedRounding::Exact;
  auto alpha = numberOf(layer.op->getAttr(keys::negative_slope_value));
  if (!alpha || !(*alpha > 0))
    return layer.hasNoForm("its slope is not positive");
  float step = float(in.step), toStep = float(layer.output.step);
  double ratio = isExact ? in.step / layer.output.step : double(step / toStep);
  auto identity = multiplierOf(ratio),
       slope = multiplierOf(isExact ? ratio * double(float(*alpha))
                                    : double(step * float(*alpha) / toStep));
  if (!identity || !slope)
    return layer.hasNoForm("its scales are too far apart");
  layer.setRequant(*identity);
  mlir::Builder b(layer.op->getContext());
  layer.op->setAttr(keys::negative_slope_value,
                    b.getI64IntegerAttr(slope->scale));
  layer.setInt(keys::negative_slope_shift, slope->shift);
  layer.setWord(keys::requant_rounding, isExact ? "HALF_UP" : "DOUBLE");
  return true;
}

bool yarrow::giveTable(PrequantizedLayer &layer) {
  auto in = layer.input(0);
  if (!in || layer.op->getNumOperands() != 1)
    return layer.hasNoForm("its input is not stored");
  // An exact one of 8 bits is a table, as other functions are.
  bool isTable = layer.options.rounding == PrequantizedRounding::Exact &&
                 in->type.bits() <= 8;
  bool isLeakyRelu = wordKey(layer.op, keys::method, "") == "LEAKYRELU";
  if (isLeakyRelu && !isTable)
    return giveLeakyRelu(layer, *in);
  if (in->type.bits() > 8)
    return layer.hasNoForm("a table of 16-bit inputs would be interpolated");
  auto f = functionOf(layer.op);
  if (!f)
    return layer.hasNoForm("it is not a function of one value");
  // A first table, for the layer to be one whose program is asked.
  mlir::Value result = layer.op->getResult(0);
  mlir::Type given = result.getType();
  result.setType(
      storedTensorType(layer.op->getContext(), shapeOf(result), layer.output));
  fillTable(layer, *in, *f, in->lo);
  auto first = firstInput(layer.op);
  if (!first) {
    layer.op->removeAttr(keys::lut);
    result.setType(given);
    return layer.hasNoForm("the layer takes no table");
  }
  fillTable(layer, *in, *f, *first);
  if (isLeakyRelu) // whose record has a multiplier; the table decides
    layer.setRequant(
        multiplierOf(in->step / layer.output.step, 15).value_or(Multiplier()));
  return true;
}
