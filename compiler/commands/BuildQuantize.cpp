//===- BuildQuantize.cpp - The integer network of a build -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/BuildQuantize.h"
#include "compiler/model/Models.h"
#include "compiler/precision/PrecisionResult.h"
#include "compiler/quantize/QuantizeNotes.h"
#include "compiler/report/PictureReport.h"
#include "compiler/report/ReportJson.h"

using namespace yarrow;

std::unique_ptr<session::Quantized>
BuildQuantize::run(const std::vector<graph::ImportOptions> &imports,
                   const session::CompileSettings &trial,
                   ReportDocument &report) {
  session::ModelSource source{config.graph, config.bin};
  source.imports = imports;
  source.given = flags.given;
  source.use = config.calibrationData.empty() ? session::LoadFor::Execution
                                              : session::LoadFor::Quantization;
  auto network = session::load(source, driver.call());
  // The text's own weights are known by now.
  if (!network || !driver.files.check(driver.diags))
    return nullptr;
  session::ConfiguredQuantization how{config, trial};
  if (!flags.html.empty())
    how.detail = CompareDetail::Causes;
  how.takesIntegers = true;
  auto made = session::quantize(std::move(network), how, driver.call());
  if (!made)
    return nullptr;
  report.read["graph"] = config.graph;
  if (!config.bin.empty())
    report.read["weights"] = config.bin;
  if (made->model.original) {
    add(*made, report);
    printLine(made->model);
  } else {
    driver.printLine("the IR is used as it is: " + config.graph + "\n");
  }
  return made;
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

void BuildQuantize::printRest(const session::Quantized &made) {
  const QuantizedModel &model = made.model;
  driver.printLine(methodSummary(model.methods));
  if (made.leavesMethodsOut)
    driver.printLine(
        "inputs have several shapes: the recipe's methods are left out\n");
  if (!model.layers.empty())
    driver.printLine(layerSummary(model.layers));
  driver.printLine(calibratedWith(made.config, model) + "\n");
}

void BuildQuantize::add(const session::Quantized &made,
                        ReportDocument &report) const {
  const QuantizedModel &model = made.model;
  if (model.precision)
    report.search =
        precisionJson(*model.precision, plannedSettings(*model.precision, {}));
  report.quantization = quantizationJson(made.config, model);
  report.read["calibration_data"] = splitPaths(config.calibrationData);
  report.pictures =
      picturesJson(data.pictures, splitPaths(config.calibrationData));
  if (!config.encodings.empty())
    report.read["encodings"] = config.encodings;
  report.written["graph"] = model.txtPath;
  report.written["weights"] = model.binPath;
  report.written["opt_template"] = model.templatePath;
}
