//===- PartialScales.cpp - Models that are quantized in part --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/prequantized/PartialScales.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Traits.h"
#include "dialects/compass/convert/ConvertOps.h"
#include "quantizer/prequantized/StoredTensor.h"
#include "llvm/ADT/StringSet.h"

using namespace yarrow;
using namespace yarrow::compass;

/// More bits have neither weights nor activations.
static constexpr unsigned kMostStoredBits = 16;

/// Convolutions and matrix products, which an NPU is for.
static bool isProduct(mlir::Operation *op) {
  const OperatorRecord *record = recordOf(op);
  return record && op->getNumOperands() != 0 &&
         (op->hasTrait<trait::Linear>() || record->layerType == "MatMul");
}

std::size_t yarrow::layersWithoutScales(mlir::ModuleOp compat) {
  std::size_t count = 0;
  compat.walk([&](mlir::Operation *op) {
    count += isProduct(op) &&
             llvm::all_of(op->getOperands(), [](mlir::Value operand) {
               return describe(operand).isFloat() && !isStored(operand);
             });
  });
  return count;
}

static TensorEncoding encodingOf(const StoredTensor &stored) {
  TensorEncoding encoding;
  auto [lo, hi] = dtypeRange(stored.type);
  encoding.step = float(stored.step);
  encoding.lowest = lo - stored.zero;
  encoding.highest = hi - stored.zero;
  encoding.bits = stored.type.bits();
  return encoding;
}

/// The tensor whose numbers \p value has, all of them: where none are stored a
/// Quantize gives what it reads, and layers that order axes give every number.
static mlir::Value sourceOf(mlir::Value value) {
  mlir::Operation *maker = value.getDefiningOp();
  if (!maker || maker->getNumOperands() != 1)
    return {};
  mlir::Value operand = maker->getOperand(0);
  bool ordersAxes =
      maker->hasTrait<trait::MovesOnly>() && !mlir::isa<CastOp>(maker) &&
      describe(operand).numElements() == describe(value).numElements();
  return mlir::isa<QuantizeOp>(maker) || ordersAxes ? operand : mlir::Value();
}

namespace {

class Collector {
public:
  Collector(const EncodingNames &names, Encodings &encodings)
      : names(names), encodings(encodings) {}

  /// A tensor by its own name, or by that of one with the same numbers: layers
  /// that order axes have other names in a network without stored tensors.
  void addTensor(mlir::Value value) {
    auto stored = storedTensorOf(value);
    if (!stored || stored->type.bits() > kMostStoredBits)
      return;
    for (mlir::Value of = value; of; of = sourceOf(of)) {
      std::string name = names.nameOf(tensorNameOf(of));
      if (!names.tensor(name))
        continue;
      if (seen.insert(name).second)
        encodings.activations.push_back({name, {encodingOf(*stored)}});
      return;
    }
  }

  /// Those without zero points, as the tensor engine has them.
  void addWeights(mlir::Operation *op) {
    mlir::ElementsAttr weights = tensorKey(op, keys::weights);
    auto meaning = weights ? meaningOf(op, "weights") : std::nullopt;
    auto view = meaning ? viewConstant(weights) : std::nullopt;
    std::string name = layerNameOf(op).str() + ".weights";
    if (!view || dtypeIsFloat(view->dtype) || names.constantsOf(name).empty() ||
        llvm::any_of(meaning->zeroPoints, [](int64_t z) { return z != 0; }))
      return;
    unsigned bits = view->storedType().bits();
    bool isForChannels = meaning->steps.size() == 1 ||
                         (!view->shape.empty() &&
                          int64_t(meaning->steps.size()) == view->shape[0]);
    if (bits > kMostStoredBits || !dtypeIsSigned(view->dtype) ||
        !isForChannels || !seen.insert(name).second)
      return;
    int64_t highest = dtypeRange(view->storedType()).second;
    Encoding encoding{name};
    for (double step : meaning->steps)
      encoding.channels.push_back({float(step), -highest - 1, highest, bits});
    encodings.parameters.push_back(std::move(encoding));
  }

private:
  const EncodingNames &names;
  Encodings &encodings;
  llvm::StringSet<> seen;
};

} // namespace

Encodings yarrow::scalesOf(mlir::ModuleOp compat, const EncodingNames &names,
                           const std::string &path) {
  Encodings encodings;
  encodings.path = path;
  encodings.isModels = true;
  Collector collector(names, encodings);
  compat.walk([&](mlir::Operation *op) {
    if (!recordOf(op))
      return;
    for (mlir::Value value : op->getResults())
      collector.addTensor(value);
    if (op->hasTrait<trait::Linear>())
      collector.addWeights(op);
  });
  return encodings;
}
