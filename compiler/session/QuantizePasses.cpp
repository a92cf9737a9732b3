//===- QuantizePasses.cpp - Quantization within a pipeline of passes ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/QuantizeStep.h"
#include "compiler/session/Passes.h"
#include "compiler/session/Settings.h"
#include "dialects/npu/Npu.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "passes/PassDiagnostics.h"
#include "support/Cancellation.h"
#include "support/diagnostics/Settings.h"

using namespace yarrow;

namespace yarrow::session {
#define GEN_PASS_DEF_CALIBRATENETWORK
#define GEN_PASS_DEF_QUANTIZENETWORK
#include "compiler/session/Passes.h.inc"
} // namespace yarrow::session

/// The settings of a pass; nullopt after errors.
static std::optional<session::QuantizeSettings>
settingsOf(llvm::StringRef recipe, llvm::StringRef target,
           llvm::ArrayRef<std::string> keys, DiagnosticEngine &diags) {
  session::QuantizeSettings settings;
  settings.recipe = recipe.str();
  settings.target = target.str();
  bool ok = true;
  for (llvm::StringRef text : keys) {
    auto [key, value] = text.split('=');
    if (text.contains('=')) {
      ok &= session::setQuantize(key.str(), value.str(), settings, diags);
      continue;
    }
    ok = false;
    diags.report(diag::ConfigBadValue, {"set"}, "a setting has no value")
        .found(text.str())
        .expected("KEY=VALUE");
  }
  return ok ? std::optional(settings) : std::nullopt;
}

/// Takes \p module to the end of the phase \p last.
static void quantize(mlir::ModuleOp module,
                     const session::QuantizeSettings &settings,
                     const std::string &samples, const std::string &last,
                     DiagnosticEngine &diags) {
  auto config = session::configOf(settings, diags);
  if (!config)
    return;
  config->calibrationData = samples;
  mlir::OwningOpRef<mlir::ModuleOp> network = quantizeUntil(
      mlir::cast<mlir::ModuleOp>(module->clone()), *config, last, Work{diags});
  if (!network)
    return;
  module.getBodyRegion().takeBody(network->getBodyRegion());
  module->setAttrs((*network)->getAttrDictionary());
}

namespace {

/// \p Base is what Passes.td generates: both passes have the same options.
template <typename Base> struct QuantizationPass : Base {
  using Base::Base;

  /// Runs the phases up to \p last.
  void runUntil(const std::string &last) {
    mlir::ModuleOp module = this->getOperation();
    DiagnosticEngine diags;
    auto settings =
        settingsOf(llvm::StringRef(this->recipe), llvm::StringRef(this->target),
                   llvm::to_vector(this->keys), diags);
    bool isRun = !settings || runWithinPause([&] {
      quantize(module, *settings, this->samples, last, diags);
    });
    // Whoever cancelled it knows.
    if (!isRun || mlir::failed(emitAll(diags, module)))
      this->signalPassFailure();
  }
};

struct CalibrateNetwork
    : QuantizationPass<session::impl::CalibrateNetworkBase<CalibrateNetwork>> {
  using QuantizationPass::QuantizationPass;
  void runOnOperation() override { runUntil("calibrate"); }
};

struct QuantizeNetwork
    : QuantizationPass<session::impl::QuantizeNetworkBase<QuantizeNetwork>> {
  using QuantizationPass::QuantizationPass;
  void runOnOperation() override { runUntil("quantize"); }
};

} // namespace
