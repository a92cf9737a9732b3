//===- QuantizeChoices.cpp - What is chosen while a network is quantized ===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/QuantizeChoices.h"
#include "compiler/forms/ChooseForms.h"
#include "compiler/forms/CycleCount.h"
#include "compiler/precision/AutoBits.h"
#include "compiler/quantize/FormOptions.h"
#include "compiler/quantize/PrecisionStep.h"
#include "compiler/quantize/Settings.h"
#include "compiler/quantize/WinogradKeys.h"
#include "compiler/work/Preflight.h"
#include "quantizer/Quantizer.h"
#include "support/diagnostics/Settings.h"

#include <map>

using namespace yarrow;
using namespace mlir;
using config::BuildConfig;

std::optional<isa::Machine>
yarrow::winogradTarget(const BuildConfig &config,
                       yarrow::DiagnosticEngine &diags) {
  if (winogradSettings(config).use == FormUse::Off)
    return std::nullopt;
  if (!config.target.empty())
    return targetAt(config.target, config.place("GBuilder.target"), diags);
  diags
      .report(diag::ConfigNotApplied, config.place("Optimizer.with_winograd"),
              "with_winograd is not applied: there is no target")
      .hint("give target in [GBuilder] or --target: cycles depend on the "
            "machine");
  return std::nullopt;
}

void yarrow::chooseFormsFor(const isa::Machine &machine,
                            const BuildConfig &config,
                            const CompileOptions &compile, const Work &work,
                            QuantizedModel &result, QuantizeTask &task) {
  task.quantize = [&](ModuleOp cleaned, const Calibration &calibration,
                      QuantizerOptions &options) {
    auto isWanted = [&](const LayerForm &, Operation *op) {
      return config.withWinograd.get(layerKeyOf(op));
    };
    return quantizeInForms(
        {cleaned, calibration, options, *task.samples}, isWanted,
        formSearch(winogradSettings(config), machine, compile, work),
        work.diags, result.winograd.emplace());
  };
}

std::function<void(const GlobalMethod &, std::size_t, std::size_t)>
yarrow::methodProgress(const Work &work) {
  return [work, lines = std::map<std::string, CalibrationProgress>()](
             const GlobalMethod &method, std::size_t done,
             std::size_t total) mutable {
    std::string name(method.record->name);
    CalibrationProgress &line = lines[name];
    if (done == 1)
      line = work.progressOf(name);
    line(done, total);
  };
}

void yarrow::choosePrecision(const BuildConfig &config,
                             const std::vector<NpyView> &samples,
                             const CompileOptions &compile, const Work &work,
                             QuantizedModel &result, QuantizeTask &task) {
  task.quantize = [&, quantize = std::move(task.quantize)](
                      ModuleOp cleaned, const Calibration &calibration,
                      QuantizerOptions &options) {
    std::size_t errorsBefore = work.diags.numErrors();
    result.precision = searchAsConfigured(
        config, {cleaned, calibration, options, samples}, compile, work);
    if (work.diags.numErrors() != errorsBefore)
      return OwningOpRef<ModuleOp>();
    if (result.precision)
      options = result.precision->quantizerOptions(options);
    return quantize ? quantize(cleaned, calibration, options)
                    : quantizedCopy(cleaned, calibration, options, work.diags);
  };
}

void yarrow::improveFor(const BuildConfig &config, const isa::Machine &machine,
                        const CompileOptions &compile, const Work &work,
                        QuantizeTask &task) {
  AutoBitsTask bits;
  bits.goal = {config.goalDb, config.goalAgreement / 100};
  bits.price = config.price;
  bits.rescuePrice = config.rescuePrice;
  bits.cost = [&machine, &compile](ModuleOp network,
                                   yarrow::DiagnosticEngine &problems) {
    return simulatedCost(machine, compile, problems)(network);
  };
  bits.progress = work.progressOfSteps();
  task.improve = [work, bits](const FinishedTask &finished) {
    return chooseBits(finished, bits, work.diags);
  };
}

std::optional<isa::Machine>
yarrow::pricedTarget(const BuildConfig &config,
                     yarrow::DiagnosticEngine &diags) {
  if (config.goalDb <= 0 || config.target.empty())
    return std::nullopt;
  return targetAt(config.target, config.place("GBuilder.target"), diags);
}
