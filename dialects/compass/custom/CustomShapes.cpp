//===- CustomShapes.cpp - Shapes and keys of a plugin's layer -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/custom/CustomOps.h"
#include "dialects/compass/custom/PluginOperator.h"
#include "kernels/Params.h"
#include "support/diagnostics/Ir.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {
/// The lengths that the inputs give to the names of axes.
using AxisNames = llvm::StringMap<int64_t>;
} // namespace

/// What the record's verifier has matched (Verify.h) by name.
static AxisNames namedAxes(Operation *op, const PluginOperator &plugin) {
  AxisNames names;
  for (auto [shape, operand] : llvm::zip(plugin.inputShapes, op->getOperands()))
    if (shape.axes)
      for (auto [name, length] : llvm::zip(*shape.axes, shapeOf(operand)))
        names.try_emplace(name, length);
  return names;
}

static SmallVector<int64_t> resultShape(Operation *op, const PluginShape &shape,
                                        const AxisNames &names) {
  if (shape.like)
    return SmallVector<int64_t>(shapeOf(op->getOperand(*shape.like)));
  SmallVector<int64_t> lengths;
  for (StringRef axis : *shape.axes) {
    int64_t length = 0;
    if (axis.getAsInteger(10, length))
      length = names.lookup(axis); // the record was checked
    lengths.push_back(length);
  }
  return lengths;
}

/// Inputs that have the shape of another one.
static LogicalResult checkLikeShapes(Operation *op,
                                     const PluginOperator &plugin) {
  for (auto [i, shape] : llvm::enumerate(plugin.inputShapes)) {
    if (!shape.like)
      continue;
    ArrayRef<int64_t> found = shapeOf(op->getOperand(unsigned(i))),
                      like = shapeOf(op->getOperand(*shape.like));
    if (found != like)
      return layerError(op, diag::OpShape, "layer_bottom_shape",
                        "tensors " + plugin.inputs[*shape.like].name + " and " +
                            plugin.inputs[i].name + " of " +
                            plugin.record.layerType + " have different shapes")
          .found(shapeText(found))
          .expected(shapeText(like));
  }
  return success();
}

static std::string decimalText(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", value);
  return text;
}

static LogicalResult checkDecimals(Operation *op,
                                   const PluginOperator &plugin) {
  for (unsigned i = 0; i < plugin.numKeys; ++i) {
    const KeyRecord &key = plugin.keys[i];
    if (!plugin.keyBounds[i])
      continue;
    auto [least, most] = *plugin.keyBounds[i];
    double value = floatKey(op, FloatKey(key));
    if (!(value >= least && value <= most))
      return layerError(op, diag::OpBadAttribute, key.name,
                        "the key " + key.name + " is out of range")
          .found(decimalText(value))
          .expected(decimalText(least) + " to " + decimalText(most));
  }
  return success();
}

LogicalResult
CustomOp::inferShapes(SmallVectorImpl<SmallVector<int64_t>> &shapes) {
  Operation *op = getOperation();
  const OperatorRecord *record = recordOf(op);
  if (!record)
    return layerError(op, diag::IrUnknownLayerType, "layer_type",
                      "no plugin has a layer type " + getLayerType())
        .found(getLayerType())
        .hint("load the operator's plugin with --plugin FILE");
  const PluginOperator &plugin = *record->plugin;
  if (failed(checkLikeShapes(op, plugin)) || failed(checkDecimals(op, plugin)))
    return failure();
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    TensorInfo info = describe(type);
    if (info.shape.size() > kernels::kMaxRank || info.numElements() > INT32_MAX)
      return layerError(op, diag::OpUnsupported, "",
                        "a tensor of " + getLayerType() +
                            " is too large for kernels of plugins")
          .found(shapeText(info.shape))
          .expected("up to 8 axes and 2^31 - 1 elements");
  }
  LayerCheck check(op);
  if (plugin.quantization == PluginQuantization::Table)
    check.resultTable(keys::lut);
  else if (plugin.quantization != PluginQuantization::None)
    check.requant({.scales = plugin.numMultipliers(),
                   .shifts = plugin.numMultipliers(),
                   .order = "one for each input"});
  if (!check.ok())
    return failure();
  AxisNames names = namedAxes(op, plugin);
  for (const PluginShape &shape : plugin.outputShapes)
    shapes.push_back(resultShape(op, shape, names));
  return success();
}
