//===- EncodingCheck.cpp - What a network has of an encodings file --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The integer network is asked, and not the rules that made it: whatever keeps
// a tensor from the scale of the file is told.
//
//===----------------------------------------------------------------------===//

#include "quantizer/encodings/EncodingPlan.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "quantizer/rules/LayerContext.h"
#include "support/NameList.h"
#include "support/diagnostics/Quantizer.h"
#include "llvm/ADT/StringMap.h"

using namespace yarrow::compass;

namespace yarrow {

namespace {

class Checker {
public:
  Checker(const EncodingPlan &plan, mlir::ModuleOp quantized,
          DiagnosticEngine &diags);

  void check();

private:
  /// Why a tensor or weights are not as the file says; "" if they are.
  std::string problemOf(const PlannedTensor &tensor) const;
  std::string problemOf(const PlannedWeights &weights) const;

  void reportUnknown();
  void reportMissing();
  void reportChanged();
  void reportApplied();

  const EncodingPlan &plan;
  DiagnosticEngine &diags;
  llvm::StringMap<mlir::Value> values;
  llvm::StringMap<mlir::Operation *> layers;
  std::size_t tensors = 0, weights = 0, floats = 0; ///< As the file says.
  std::vector<std::string> changed;
};

} // namespace

/// "scale 0.02 of -28..227", in the terms of a file but for the offset, which
/// is the lowest.
static std::string textOf(float step, int64_t lowest, int64_t highest) {
  return "scale " + floatText(step) + " of " + std::to_string(lowest) + ".." +
         std::to_string(highest);
}

static std::string textOf(const TensorEncoding &encoding) {
  return textOf(encoding.step, encoding.lowest, encoding.highest);
}

Checker::Checker(const EncodingPlan &plan, mlir::ModuleOp quantized,
                 DiagnosticEngine &diags)
    : plan(plan), diags(diags) {
  quantized.walk([&](mlir::Operation *op) {
    if (!recordOf(op))
      return;
    layers.try_emplace(layerNameOf(op), op);
    for (mlir::Value value : op->getResults())
      values.try_emplace(tensorNameOf(value), value);
  });
}

std::string Checker::problemOf(const PlannedTensor &tensor) const {
  mlir::Value value = values.lookup(tensor.tensor);
  if (!value)
    return "the integer network does not have it";
  TensorInfo info = describe(value);
  if (!tensor.encoding)
    return info.isFloat() ? "" : "it is quantized, but in floats in the file";
  if (info.isFloat())
    return "its layer is computed in floats";
  // Whole numbers are stored as they are, which is exact.
  bool isPlain = info.scale == 1 && info.zp == 0;
  if (isPlain && tensorKey(value.getDefiningOp(), keys::weights) &&
      value.getDefiningOp()->getNumOperands() == 0)
    return "";
  LinearParams params = paramsOf(value);
  if (isSame(*tensor.encoding, params))
    return "";
  return textOf(1 / params.scale, params.qmin + params.zp,
                params.qmax + params.zp) +
         ", not " + textOf(*tensor.encoding);
}

std::string Checker::problemOf(const PlannedWeights &planned) const {
  mlir::Operation *layer = layers.lookup(planned.layer);
  mlir::ElementsAttr constant =
      layer ? tensorKey(layer, keys::weights) : nullptr;
  auto view = constant ? viewConstant(constant) : std::nullopt;
  if (!view)
    return "the integer network does not have them";
  if (dtypeIsFloat(view->dtype))
    return "the layer is computed in floats";
  std::vector<double> scales = numbersOfExtraKey(layer, "weights_scale");
  if (scales.empty() || view->shape.empty())
    return "the weights have another form";
  std::size_t channels = std::max(scales.size(), planned.channels.size()),
              differing = 0;
  std::string first;
  for (std::size_t c = 0; c < channels; ++c) {
    float scale = float(scales[scales.size() == 1 ? 0 : c]);
    const TensorEncoding &wanted =
        planned.channels[planned.channels.size() == 1 ? 0 : c];
    if (scale == 1 / wanted.step)
      continue;
    if (differing++ == 0)
      first =
          "scale " + floatText(1 / scale) + ", not " + floatText(wanted.step);
  }
  if (differing == 0)
    return "";
  return channels == 1
             ? first
             : formatCount(differing) + " of " + formatCount(channels) +
                   " channels, the first has " + first;
}

static std::string counted(std::size_t count, const char *one,
                           const std::string &many = "") {
  std::string word = count == 1     ? one
                     : many.empty() ? one + std::string("s")
                                    : many;
  return formatCount(count) + " " + word;
}

void Checker::reportUnknown() {
  std::size_t count = plan.unknown.size() + plan.inner.size();
  if (count == 0)
    return;
  std::string found;
  if (!plan.unknown.empty())
    found = "not in the network: " + nameList(plan.unknown);
  if (!plan.inner.empty())
    found += (found.empty() ? "" : "; ") + std::string("inside of a layer: ") +
             nameList(plan.inner);
  diags
      .report(diag::EncodingsUnknown, {plan.path},
              formatCount(count) + " of " + formatCount(plan.inFile) +
                  " encodings name tensors that the network does not have")
      .found(found)
      .hint(didYouMean(plan.nearest));
}

void Checker::reportMissing() {
  std::size_t count = plan.missingTensors.size() + plan.missingWeights.size();
  if (count == 0)
    return;
  std::string found;
  if (!plan.missingTensors.empty())
    found = "tensors: " + nameList(plan.missingTensors);
  if (!plan.missingWeights.empty())
    found += (found.empty() ? "" : "; ") + std::string("weights of: ") +
             nameList(plan.missingWeights);
  diags
      .report(diag::EncodingsMissing, {plan.path},
              "the encodings lack " +
                  counted(plan.missingTensors.size(), "tensor") +
                  " and the weights of " +
                  counted(plan.missingWeights.size(), "layer"))
      .found(found)
      .hint("their ranges come from their values");
}

void Checker::reportChanged() {
  if (!changed.empty())
    diags
        .report(diag::EncodingsChanged, {plan.path},
                formatCount(changed.size()) +
                    (changed.size() == 1
                         ? " encoding does not match the integer network"
                         : " encodings do not match the integer network"))
        .found(nameList(changed, "; "));
}

void Checker::reportApplied() {
  Diagnostic &d =
      diags.report(diag::EncodingsApplied, {plan.path},
                   "the scales of " + counted(tensors, "tensor") +
                       " and of the weights of " + counted(weights, "layer") +
                       " come from the " + (plan.isModels ? "model" : "file"));
  std::string found;
  if (floats)
    found = "in floats: " + counted(floats, "tensor");
  if (plan.biases)
    found += (found.empty() ? "" : ", ") + std::string("not used: those of ") +
             counted(plan.biases, "bias", "biases");
  if (!found.empty())
    d.found(found);
}

void Checker::check() {
  changed = plan.changed;
  auto count = [&](const auto &planned, std::size_t &good) {
    std::string problem = problemOf(planned);
    if (problem.empty())
      ++good;
    else
      changed.push_back(planned.name + ": " + problem);
  };
  for (const PlannedTensor &tensor : plan.tensors)
    count(tensor, tensor.encoding ? tensors : floats);
  for (const PlannedWeights &one : plan.weights)
    count(one, weights);
  if (!plan.isModels) {
    reportUnknown();
    reportMissing();
  }
  reportChanged();
  reportApplied();
}

void checkEncodings(const EncodingPlan &plan, mlir::ModuleOp quantized,
                    DiagnosticEngine &diags) {
  Checker(plan, quantized, diags).check();
}

} // namespace yarrow
