//===- Quantize.cpp - Integer networks from float ones ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Quantize.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/pipeline/Context.h"
#include "compiler/quantize/QuantizeStep.h"
#include "compiler/session/Settings.h"
#include "support/diagnostics/Quantizer.h"

using namespace yarrow;
using session::Call;
using session::Data;
using session::Network;
using session::Quantized;
using session::QuantizeSettings;

/// The files of \p data, which quantization reads by itself; "" of arrays.
static std::string filesOf(const Data &data) {
  bool isFiles = data.parts.size() == 1 && !data.parts.front().array &&
                 data.parts.front().input.empty();
  return isFiles ? data.parts.front().files : "";
}

static bool canBeQuantized(const Network &network, DiagnosticEngine &diags) {
  if (!network.isQuantized())
    return true;
  diags
      .report(diag::QuantUnsupported, {network.path()},
              "the network is already quantized")
      .hint("give the float network, or compile this one");
  return false;
}

static std::unique_ptr<Quantized>
quantizeNow(const std::shared_ptr<const Network> &network, const Data &data,
            const QuantizeSettings &settings, const Call &call) {
  DiagnosticEngine &diags = call.diags;
  const std::shared_ptr<const Network> &from =
      network->toComplete() ? network->toComplete() : network;
  auto config = session::configOf(settings, diags);
  if (!config || !canBeQuantized(*from, diags))
    return nullptr;
  config->graph = from->path();
  config->modelName = from->name();
  config->calibrationData = filesOf(data);
  std::optional<std::vector<NpyView>> arrays;
  if (config->calibrationData.empty() && !data.parts.empty()) {
    auto pictures = config::pictureOptions(*config, diags);
    if (!pictures)
      return nullptr;
    arrays =
        session::bindArrays({data.parts, *pictures},
                            {from->inputNames(), from->inputShapes()}, diags);
    if (!arrays)
      return nullptr;
  }
  if (from->noteOfScales())
    diags.add(*from->noteOfScales());
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  session::Variants smaller = from->copyInto(*context);
  mlir::OwningOpRef<mlir::ModuleOp> largest = std::move(smaller.back());
  smaller.pop_back();
  // A recipe's methods are for one shape; what is asked for is refused.
  if (!smaller.empty() && config->recipeKeys.contains("global_calibration"))
    config->globalCalibration.clear();
  std::optional<QuantizedModel> model = quantizeStep(
      std::move(largest), *config, {}, call.work(), from->imported(),
      std::move(smaller), arrays ? &*arrays : nullptr, from->scales());
  if (!model)
    return nullptr;
  session::Variants variants = std::move(model->smaller);
  variants.push_back(std::move(model->quantized));
  auto integers = Network::make(std::move(context), std::move(variants), from);
  return std::make_unique<Quantized>(
      Quantized{std::move(integers), std::move(*config), std::move(*model)});
}

std::unique_ptr<Quantized>
session::quantize(const std::shared_ptr<const Network> &from, const Data &data,
                  const QuantizeSettings &settings, const Call &call) {
  std::unique_ptr<Quantized> result;
  bool isDone =
      call.run([&] { result = quantizeNow(from, data, settings, call); });
  return isDone ? std::move(result) : nullptr;
}
