//===- Build.cpp - yarrow build -------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The whole way by one configuration file: quantize, compile, run, measure. The
// steps are those of the other commands; this file says which of them a
// configuration asks for and where their files go.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Build.h"
#include "compiler/commands/BuildAccuracy.h"
#include "compiler/commands/BuildCompile.h"
#include "compiler/commands/BuildData.h"
#include "compiler/commands/BuildFiles.h"
#include "compiler/commands/BuildGate.h"
#include "compiler/commands/BuildQuantize.h"
#include "compiler/commands/BuildReport.h"
#include "compiler/commands/BuildRun.h"
#include "compiler/commands/BuildSettings.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/model/Models.h"
#include "compiler/model/ShapeRange.h"
#include "compiler/report/PictureReport.h"
#include "compiler/report/ReportJson.h"
#include "compiler/work/NewFolders.h"
#include "compiler/work/Preflight.h"
#include "support/Format.h"
#include "support/diagnostics/Settings.h"

#include <filesystem>

using namespace yarrow;
namespace fs = std::filesystem;

namespace {

class Build {
public:
  Build(const BuildFlags &flags, Driver &driver)
      : flags(flags), driver(driver), diags(driver.diags), files(flags, config),
        data(config), quantization(flags, config, data, driver),
        compilation(flags, config, files, driver),
        execution(flags, config, data, files, driver),
        accuracy(config, driver) {}

  bool run() {
    if (!readConfig() || !quantize())
      return false;
    if (machine && !compile())
      return false;
    if (files.runs() && !simulate())
      return false;
    if (!flags.html.empty() && machine && !execution.countForPage(report))
      return false;
    if (!measure())
      return false;
    return checkGates() && printReport() && passes && accuracy.agrees();
  }

private:
  bool readConfig() {
    std::optional<config::BuildConfig> read = readSettings(flags, driver);
    if (!read)
      return false;
    config = std::move(*read);
    auto asked = readGates(flags.gates, driver);
    if (!asked)
      return false;
    gates = std::move(*asked);
    auto options = config::pictureOptions(config, diags);
    if (!options)
      return false;
    data.pictures = *options;
    std::optional<graph::ImportOptions> imported =
        importOptions(config, flags.reading, diags);
    auto variants = imported
                        ? shapeVariants(*imported, flags.shapeRanges, diags)
                        : std::nullopt;
    if (!variants)
      return false;
    imports = std::move(*variants);
    driver.logFile = config.logFile;
    report.model = config.modelName;
    report.read["config"] = flags.config;
    files.plan(driver.files);
    return driver.files.check(diags) && checkFirst();
  }

  /// What would otherwise be found after minutes of work.
  bool checkFirst() {
    bool ok = true;
    if (!config.target.empty()) {
      machine = targetAt(config.target, config.place("GBuilder.target"), diags);
      ok = machine.has_value();
    }
    if (files.runs() && config.inputs.empty() && !data.hasSamples()) {
      ok = false;
      diags
          .report(diag::ConfigMissingKey, config.place("Common.mode"),
                  "mode = run needs inputs")
          .hint("give inputs in [GBuilder], or data in [Optimizer]");
    }
    ok &= compilation.choosePasses();
    ok &= canRead({config.graph}, diags);
    ok &= canReadData(splitPaths(config.calibrationData), diags);
    ok &= canReadData(splitPaths(config.data), diags);
    ok &= canRead(splitPaths(config.label), diags);
    ok &= accuracy.readMetrics(fs::path(flags.config).parent_path().string());
    if (files.runs())
      ok &= canReadData(config.inputs, diags);
    if (!ok || !folders.make(config.outputDir, diags) ||
        (!flags.cache.empty() && !makeFolder(flags.cache, diags)))
      return false;
    return driver.files.canBeWritten(diags);
  }

  void heading(const std::string &text) {
    driver.printNewDiagnostics();
    driver.printLine("[" + text + "]\n");
  }

  bool quantize() {
    heading("quantize " + config.modelName);
    made = quantization.run(imports, compilation.settings(), report);
    if (!made)
      return false;
    if (!made->model.original)
      return true;
    compilation.printForms(made->model.winograd, report);
    quantization.printRest(*made);
    return true;
  }

  bool compile() {
    heading("compile for " + machine->name);
    return compilation.run(*made, *machine, report);
  }

  bool simulate() {
    if (!execution.open() || !execution.readInputs(*made))
      return false;
    heading("run on the simulated " + config.target);
    return execution.run(report);
  }

  bool measure() {
    if (config.data.empty())
      return true;
    heading("evaluate");
    if (!accuracy.measure(*made, execution.runner(), flags.samples,
                          data.set(splitPaths(config.data),
                                   splitPaths(config.label),
                                   made->network->module())))
      return false;
    if (!accuracy.isKnown())
      return true;
    report.accuracy = accuracy.json();
    report.read["data"] = splitPaths(config.data);
    if (report.pictures.is_null())
      report.pictures = picturesJson(data.pictures, splitPaths(config.data));
    if (!config.label.empty())
      report.read["labels"] = config.label;
    return !config.recordDebugAccInfo ||
           accuracy.record(files.accuracyRecord());
  }

  /// How far each output is from the float network's: on the data that were
  /// evaluated, else on the calibration samples.
  std::vector<OutputFigures> outputFigures() const {
    std::vector<OutputFigures> figures = accuracy.outputFigures();
    if (figures.empty())
      for (const TensorMetric &m : made->model.layers)
        if (m.isOutput && m.similarity.count)
          figures.push_back(
              {m.output, m.similarity.cosine(), m.similarity.sqnrDb()});
    return figures;
  }

  /// False if there is nothing that a gate could be asked of.
  bool checkGates() {
    std::vector<OutputFigures> figures = outputFigures();
    if (!gates.empty() && figures.empty()) {
      driver.usageError("--gate needs a float network to compare with",
                        "give a float network, and samples with -c or --data");
      return false;
    }
    std::string samples;
    for (const std::string &option : config.readingOptions)
      samples += " " + option;
    if (data.hasFiles())
      samples += " -c " + shellWord(data.files()) + data.pictureOptionsText();
    report.gates = gatesJson(gates, figures);
    passes = passesGates(gates, figures, {config.graph},
                         "`yarrow diagnose " + shellWord(config.graph) +
                             samples + "` tries other settings",
                         diags);
    return true;
  }

  bool printReport() {
    std::string path = files.report();
    if (!flags.html.empty())
      report.written["page"] = flags.html;
    if (!writeReport(path, report, diags))
      return false;
    driver.printNewDiagnostics();
    driver.printLine(nextSteps(files, data, report));
    if (flags.html.empty())
      return true;
    if (!writeBuildPage(flags.html, config.modelName, *made, report,
                        execution.takePicture(), diags))
      return false;
    driver.printLine("page: " + flags.html + "\n");
    return true;
  }

  const BuildFlags &flags;
  Driver &driver;
  yarrow::DiagnosticEngine &diags;
  config::BuildConfig config;
  std::vector<graph::ImportOptions> imports;   ///< By shapes, ascending.
  std::optional<yarrow::isa::Machine> machine; ///< If it is compiled.
  std::unique_ptr<session::Quantized> made;
  std::vector<Gate> gates;
  bool passes = true; ///< All of these.
  NewFolders folders;
  BuildFiles files;
  BuildData data;
  BuildQuantize quantization;
  BuildCompile compilation;
  BuildRun execution;
  BuildAccuracy accuracy;
  ReportDocument report{"build"};
};

} // namespace

bool yarrow::runBuild(const BuildFlags &flags, Driver &driver) {
  return Build(flags, driver).run();
}
