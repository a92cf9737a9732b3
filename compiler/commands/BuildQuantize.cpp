//===- BuildQuantize.cpp - The integer network of a build -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/BuildQuantize.h"
#include "compiler/model/Models.h"
#include "compiler/model/PartialModels.h"
#include "compiler/precision/PrecisionResult.h"
#include "compiler/quantize/QuantizeNotes.h"
#include "compiler/quantize/QuantizeStep.h"
#include "compiler/report/PictureReport.h"
#include "compiler/report/ReportJson.h"

using namespace yarrow;
using namespace mlir;

bool BuildQuantize::run(MLIRContext &context,
                        const std::vector<graph::ImportOptions> &imports,
                        const CompileOptions &compile, QuantizedModel &model,
                        ReportDocument &report) {
  std::optional<ModelToQuantize> read =
      readToQuantize(context, config.graph, config.bin, imports, flags.given,
                     !config.calibrationData.empty(), driver.diags);
  // The text's own weights are known by now.
  if (!read || !driver.files.check(driver.diags))
    return false;
  // Samples are of the largest shapes.
  OwningOpRef<ModuleOp> module = std::move(read->networks.back());
  read->networks.pop_back();
  std::optional<QuantizedModel> result = quantizeStep(
      std::move(module), config, compile, driver.work(), read->names,
      std::move(read->networks), /*samples=*/nullptr, read->scales(),
      flags.html.empty() ? CompareDetail::Layers : CompareDetail::Causes);
  if (!result)
    return false;
  model = std::move(*result);
  report.read["graph"] = config.graph;
  if (!config.bin.empty())
    report.read["weights"] = config.bin;
  if (model.original) {
    add(model, report);
    printLine(model);
  } else {
    driver.printLine("the IR is used as it is: " + config.graph + "\n");
  }
  return true;
}

void BuildQuantize::printLine(const QuantizedModel &model) {
  driver.printNewDiagnostics();
  driver.printLine(ruleTable(model.rules, driver.tableWidth()));
  if (!flags.isBrief && !model.layers.empty())
    driver.printLine(layerTable(model.layers, driver.tableWidth()));
  if (model.precision)
    driver.printLine(
        precisionText(*model.precision, false, driver.tableWidth()));
}

void BuildQuantize::printRest(const QuantizedModel &model,
                              bool leavesMethodsOut) {
  driver.printLine(methodSummary(model.methods));
  if (leavesMethodsOut)
    driver.printLine(
        "inputs have several shapes: the recipe's methods are left out\n");
  if (!model.layers.empty())
    driver.printLine(layerSummary(model.layers));
  driver.printLine(calibratedWith(config, model) + "\n");
}

void BuildQuantize::add(const QuantizedModel &model,
                        ReportDocument &report) const {
  if (model.precision)
    report.search =
        precisionJson(*model.precision, plannedSettings(*model.precision, {}));
  report.quantization = quantizationJson(config, model);
  report.read["calibration_data"] = splitPaths(config.calibrationData);
  report.pictures =
      picturesJson(data.pictures, splitPaths(config.calibrationData));
  if (!config.encodings.empty())
    report.read["encodings"] = config.encodings;
  report.written["graph"] = model.txtPath;
  report.written["weights"] = model.binPath;
  report.written["opt_template"] = model.templatePath;
}
