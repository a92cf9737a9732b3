//===- CompatCheck.cpp - Whether stored integers have a meaning -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/CompatCheck.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/Records.h"
#include "support/diagnostics/Ir.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

class CompatVerifier {
public:
  CompatVerifier(Operation *op, const OperatorRecord &record)
      : op(op), record(record) {}

  LogicalResult verify() {
    checkIntegerKeys();
    checkTensors();
    for (const KeyRecord &key : record.keys)
      if (key.kind == KeyKind::Tensor && key.ir != IrKind::Int)
        if (auto constant = op->getAttrOfType<ElementsAttr>(key.name))
          if (auto view = viewConstant(constant))
            checkConstant(key.name, *view);
    if (record.rule == RuleClass::ConversionRule)
      checkConversion();
    return success(ok);
  }

private:
  LayerError problem(StringRef key, const Twine &message) {
    ok = false;
    return LayerError(op, diag::IrCompat, key, message);
  }
  void checkIntegerKeys();
  void checkTensors();
  void checkConstant(StringRef name, const ConstantView &view);
  void checkCount(StringRef name, StringRef key, size_t count,
                  int64_t channels);
  void checkZeroPoints(StringRef name, const ConstantView &view);
  void checkConversion();

  Operation *op;
  const OperatorRecord &record;
  bool ok = true;
};

/// Words of integer IR (rounding) may stand anywhere.
void CompatVerifier::checkIntegerKeys() {
  for (const KeyRecord &key : record.keys)
    if (key.ir == IrKind::Int && key.kind != KeyKind::Word &&
        op->hasAttr(key.name))
      problem(key.kind == KeyKind::Tensor ? (key.name + "_offset").str()
                                          : key.name.str(),
              "the layer has the key " + key.name +
                  " of integer IR, but the model's header has "
                  "compat_quantized_model=true")
          .hint("if the Optimizer wrote this IR, remove compat_quantized_model "
                "from its header");
}

/// Layers that multiply cannot do it with integers of which nobody tells what
/// they mean.
void CompatVerifier::checkTensors() {
  if (!op->hasTrait<trait::Linear>())
    return;
  auto isMeaningless = [](Value value) {
    TensorInfo info = describe(value);
    return info.isInteger() && !info.isQuantized();
  };
  for (Value value : op->getOperands())
    if (isMeaningless(value))
      problem("layer_bottom", "the tensor " + tensorNameOf(value) +
                                  " holds integers, but has no layer_top_scale")
          .token(tensorNameOf(value))
          .expected("layer_top_scale and layer_top_zp of the layer that writes "
                    "it");
  for (Value value : op->getResults())
    if (isMeaningless(value))
      problem("layer_top_type",
              "the tensor " + tensorNameOf(value) +
                  " holds integers, but has no layer_top_scale")
          .expected("layer_top_scale=[...] and layer_top_zp=[...]");
}

void CompatVerifier::checkCount(StringRef name, StringRef key, size_t count,
                                int64_t channels) {
  if (count <= 1 || int64_t(count) == channels ||
      !op->hasTrait<trait::Linear>())
    return;
  problem(key, "the key " + key + " has a wrong number of values")
      .found(Twine(count))
      .expected("1 or " + Twine(channels) + ", one for each " +
                (name == "biases" ? "bias" : "output channel"));
}

void CompatVerifier::checkZeroPoints(StringRef name, const ConstantView &view) {
  std::string key = (name + "_zp").str();
  SmallVector<double> zeroPoints = extraNumbers(op, key);
  checkCount(name, key, zeroPoints.size(),
             view.shape.empty() ? 1 : view.shape.front());
  // Biases are added to sums, in which 0 is 0.
  auto [least, most] = name == "biases" ? std::pair<int64_t, int64_t>(0, 0)
                                        : dtypeRange(view.storedType());
  for (double zeroPoint : zeroPoints) {
    if (zeroPoint >= double(least) && zeroPoint <= double(most) &&
        zeroPoint == std::trunc(zeroPoint))
      continue;
    problem(key, "a zero point of " + name + " is out of range")
        .found(std::to_string(zeroPoint))
        .expected(least == most ? "0"
                                : std::to_string(least) + " to " +
                                      std::to_string(most) + ", a value of " +
                                      dtypeName(view.storedType()).str());
    return;
  }
}

void CompatVerifier::checkConstant(StringRef name, const ConstantView &view) {
  if (dtypeIsFloat(view.dtype) || op->hasTrait<trait::Source>() ||
      !(hasQuantizedTensor(op) || op->hasTrait<trait::Linear>()))
    return;
  std::string key = (name + "_scale").str();
  SmallVector<double> steps = extraNumbers(op, key);
  if (steps.empty() && name == "weights")
    problem("weights_type",
            "the weights are integers, but the layer has no weights_scale")
        .found(dtypeName(view.storedType()))
        .expected("weights_scale and weights_zp: one number each, or constants "
                  "with one value per output channel");
  checkCount(name, key, steps.size(),
             view.shape.empty() ? 1 : view.shape.front());
  for (double step : steps) {
    float nearest = float(step);
    if (nearest > 0 && std::isfinite(nearest))
      continue;
    problem(key, "a scale of " + name + " is not positive")
        .found(std::to_string(step))
        .expected("positive finite numbers");
    break;
  }
  checkZeroPoints(name, view);
}

/// Quantize gives integers a meaning, DeQuantize takes it: by the tensor's
/// scale, or by quantize_scale.
void CompatVerifier::checkConversion() {
  auto quantized = [](ValueRange values) {
    return llvm::any_of(
        values, [](Value value) { return describe(value).isQuantized(); });
  };
  if (quantized(op->getOperands()) || quantized(op->getResults()) ||
      meaningOf(op, "quantize"))
    return;
  problem("", "the integers of the conversion have no scale")
      .expected("layer_top_scale and layer_top_zp of the integer tensor, or "
                "quantize_scale and quantize_zp");
}

} // namespace

LogicalResult compass::verifyCompat(Operation *op) {
  const OperatorRecord *record = recordOf(op);
  if (!record || !isInCompat(op))
    return success();
  return CompatVerifier(op, *record).verify();
}
