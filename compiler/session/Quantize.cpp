//===- Quantize.cpp - Integer networks from float ones ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Quantize.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/quantize/QuantizeStep.h"
#include "compiler/session/Settings.h"
#include "support/diagnostics/Quantizer.h"

using namespace yarrow;
using session::Call;
using session::ConfiguredQuantization;
using session::Data;
using session::Network;
using session::OwnNetwork;
using session::Quantized;
using session::QuantizeSettings;

/// The files of \p data, which quantization reads by itself; "" of arrays.
static std::string filesOf(const Data &data) {
  bool isFiles = data.parts.size() == 1 && !data.parts.front().array &&
                 data.parts.front().input.empty();
  return isFiles ? data.parts.front().files : "";
}

static bool isInFloats(const Network &network, DiagnosticEngine &diags) {
  if (!network.isQuantized())
    return true;
  diags
      .report(diag::QuantUnsupported, {network.path()},
              "the network is already quantized")
      .hint("give the float network, or compile this one");
  return false;
}

/// What \p data has in the place of files. False after errors.
static bool bindSamples(const Network &from, const Data &data,
                        const config::BuildConfig &config,
                        std::optional<std::vector<NpyView>> &arrays,
                        DiagnosticEngine &diags) {
  if (!config.calibrationData.empty() || data.parts.empty())
    return true;
  auto pictures = config::pictureOptions(config, diags);
  if (pictures)
    arrays =
        session::bindArrays({data.parts, *pictures},
                            {from.inputNames(), from.inputShapes()}, diags);
  return arrays.has_value();
}

/// Takes the largest network out of \p own.
static mlir::OwningOpRef<mlir::ModuleOp> takeLargest(OwnNetwork &own) {
  mlir::OwningOpRef<mlir::ModuleOp> largest = std::move(own.variants.back());
  own.variants.pop_back();
  return largest;
}

/// A recipe's methods are for one shape; what is asked for is refused. Whether
/// they were left out.
static bool leaveMethodsOut(const Network &from, config::BuildConfig &config) {
  if (from.numVariants() < 2 ||
      !config.recipeKeys.contains("global_calibration"))
    return false;
  config.globalCalibration.clear();
  return true;
}

static std::unique_ptr<Quantized>
quantizeNow(std::shared_ptr<const Network> from,
            const ConfiguredQuantization &how,
            const std::vector<NpyView> *samples, const Call &call) {
  auto result = std::make_unique<Quantized>();
  result->config = how.config;
  result->leavesMethodsOut = leaveMethodsOut(*from, result->config);
  auto trial = session::optionsOf(how.trial, call.diags);
  if (!trial)
    return nullptr;
  if (from->noteOfScales())
    call.diags.add(*from->noteOfScales());
  OwnNetwork own(std::move(from));
  mlir::OwningOpRef<mlir::ModuleOp> largest = takeLargest(own);
  std::optional<QuantizedModel> model =
      quantizeStep(std::move(largest), result->config, *trial, call.work(),
                   own.origin()->imported(), std::move(own.variants), samples,
                   own.origin()->scales(), how.detail);
  if (!model)
    return nullptr;
  session::Variants variants = std::move(model->smaller);
  variants.push_back(std::move(model->quantized));
  result->network = std::move(own).become(std::move(variants));
  result->model = std::move(*model);
  return result;
}

/// By settings and \p data.
static std::unique_ptr<Quantized>
quantizeNow(std::shared_ptr<const Network> from, const Data &data,
            const QuantizeSettings &settings, const Call &call) {
  DiagnosticEngine &diags = call.diags;
  if (from->toComplete()) {
    std::shared_ptr<const Network> floating = from->toComplete();
    from = std::move(floating);
  }
  auto config = session::configOf(settings, diags);
  if (!config || !isInFloats(*from, diags))
    return nullptr;
  config->graph = from->path();
  config->modelName = from->name();
  config->calibrationData = filesOf(data);
  std::optional<std::vector<NpyView>> arrays;
  if (!bindSamples(*from, data, *config, arrays, diags))
    return nullptr;
  return quantizeNow(std::move(from), {std::move(*config)},
                     arrays ? &*arrays : nullptr, call);
}

std::unique_ptr<Quantized>
session::quantize(std::shared_ptr<const Network> from, const Data &data,
                  const QuantizeSettings &settings, const Call &call) {
  std::unique_ptr<Quantized> result;
  bool isDone = call.run(
      [&] { result = quantizeNow(std::move(from), data, settings, call); });
  return isDone ? std::move(result) : nullptr;
}

std::unique_ptr<Quantized>
session::quantize(std::shared_ptr<const Network> from,
                  const ConfiguredQuantization &how, const Call &call) {
  std::unique_ptr<Quantized> result;
  bool isDone = call.run([&] {
    if (how.takesIntegers || isInFloats(*from, call.diags))
      result = quantizeNow(std::move(from), how, /*samples=*/nullptr, call);
  });
  return isDone ? std::move(result) : nullptr;
}

session::PhaseModule session::quantizeUntil(std::shared_ptr<const Network> from,
                                            const config::BuildConfig &config,
                                            const std::string &last,
                                            const Call &call) {
  PhaseModule stopped;
  call.run([&] {
    OwnNetwork own(std::move(from));
    auto module =
        yarrow::quantizeUntil(takeLargest(own), config, last, call.work(),
                              own.origin()->imported(), own.origin()->scales());
    stopped.constants = own.origin();
    stopped.context = std::move(own.context);
    stopped.module = std::move(module);
  });
  return stopped;
}
