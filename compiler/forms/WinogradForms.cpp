//===- WinogradForms.cpp - Convolutions by Winograd's algorithm -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/forms/WinogradForms.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/conv/Winograd.h"
#include "mlir/IR/IRMapping.h"
#include "passes/winograd/ExactForm.h"
#include "quantizer/rules/Winograd.h"
#include "llvm/ADT/DenseSet.h"

using namespace yarrow;
using namespace mlir;

using isa::WinogradMode;

namespace {

constexpr FormFamily kWinograd = {
    .name = "Winograd",
    .layers = "convolutions",
    .unsuitable = "not a 3x3 window with stride, dilation and group 1",
    .unwanted = "with_winograd is false",
    .given = "already in Winograd's form in the IR",
    .direct = "not 8 bits, or sums of more than 32 bits",
    .others =
        "have a window other than 3x3, or a stride, dilation or group above 1"};

class WinogradForm : public LayerForm {
public:
  const FormFamily &family() const override { return kWinograd; }
  bool concerns(Operation *layer) const override {
    return llvm::isa<compass::ConvolutionOp>(layer);
  }
  bool isIn(Operation *layer) const override {
    return concerns(layer) && compass::isWinogradLayer(layer);
  }
  std::string whyNotOn(const yarrow::isa::Machine &machine,
                       bool) const override {
    return machine.name + " has no Winograd mode";
  }
};

/// Weights are transformed in float and quantized then.
class RequantizedForm : public WinogradForm {
public:
  RequantizedForm(WinogradTransform transform, WinogradMode mode,
                  const char *name)
      : transform(transform), mode(mode), text(name) {}

  std::string name() const override { return text; }
  bool isOn(const yarrow::isa::Machine &machine) const override {
    return machine.hasWinograd(mode);
  }
  bool isCandidate(Operation *layer) const override {
    return isWinogradCandidate(layer);
  }

  OwningOpRef<ModuleOp> apply(const FormInput &input,
                              const std::vector<FormLayer> &layers,
                              yarrow::DiagnosticEngine &diags) const override {
    const FloatOrigin &origin = *input.origin;
    QuantizerOptions options = origin.options;
    for (const FormLayer &layer : layers) {
      auto id = unsigned(
          layer.floating->getAttrOfType<IntegerAttr>(kLayerIdAttr).getInt());
      LayerOverride over;
      over.layerIds = {{id, id}};
      over.apply = [this](LayerOptions &o) { o.winograd = transform; };
      options.overrides.push_back(std::move(over));
    }
    return quantizedCopy(origin.network, origin.calibration, options, diags);
  }

private:
  WinogradTransform transform;
  WinogradMode mode;
  const char *text;
};

class ExactForm : public WinogradForm {
public:
  std::string name() const override { return "exact F(2x2,3x3)"; }
  bool isExact() const override { return true; }
  bool isOn(const yarrow::isa::Machine &machine) const override {
    return machine.hasWinograd(WinogradMode::F2x2_3x3, kExactWeightBits);
  }
  std::string whyNotOn(const yarrow::isa::Machine &machine,
                       bool isInteger) const override {
    if (!isInteger)
      return WinogradForm::whyNotOn(machine, isInteger);
    return "the weights are already integers, and " + machine.name +
           " cannot multiply the exact form's " +
           std::to_string(kExactWeightBits) + " bits";
  }
  bool isCandidate(Operation *layer) const override {
    return isWinogradCandidate(layer) || isExactWinogradCandidate(layer);
  }

  OwningOpRef<ModuleOp> apply(const FormInput &input,
                              const std::vector<FormLayer> &layers,
                              yarrow::DiagnosticEngine &) const override {
    IRMapping copies;
    ModuleOp direct = input.direct;
    OwningOpRef<ModuleOp> copy = cast<ModuleOp>(direct->clone(copies));
    llvm::DenseSet<Operation *> wanted;
    for (const FormLayer &layer : layers)
      wanted.insert(copies.lookup(layer.direct));
    rewriteExactWinograd(*copy,
                         [&](Operation *op) { return wanted.contains(op); });
    return copy;
  }
};

} // namespace

const LayerForm &yarrow::winogradRows() {
  static const RequantizedForm form(WinogradTransform::F2_3, WinogradMode::F2_3,
                                    "F(2,3)");
  return form;
}

const LayerForm &yarrow::winogradSquare() {
  static const RequantizedForm form(WinogradTransform::F2x2_3x3,
                                    WinogradMode::F2x2_3x3, "F(2x2,3x3)");
  return form;
}

const LayerForm &yarrow::winogradExact() {
  static const ExactForm form;
  return form;
}
