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
#include "compiler/commands/BuildData.h"
#include "compiler/commands/BuildFiles.h"
#include "compiler/commands/BuildGate.h"
#include "compiler/commands/BuildRun.h"
#include "compiler/commands/BuildSettings.h"
#include "compiler/commands/DisabledPasses.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/driver/FormOptions.h"
#include "compiler/driver/ImportSettings.h"
#include "compiler/driver/Models.h"
#include "compiler/driver/NewFolders.h"
#include "compiler/driver/PartialModels.h"
#include "compiler/driver/PictureReport.h"
#include "compiler/driver/Preflight.h"
#include "compiler/driver/QuantizeStep.h"
#include "compiler/driver/ReportJson.h"
#include "compiler/driver/Settings.h"
#include "compiler/driver/ShapeRange.h"
#include "compiler/page/Page.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/precision/PrecisionResult.h"
#include "support/AtomicFile.h"
#include "support/Format.h"
#include "support/diagnostics/Settings.h"

#include <filesystem>

using namespace yarrow;
using namespace mlir;
namespace fs = std::filesystem;

namespace {

class Build {
public:
  Build(const BuildFlags &flags, Driver &driver)
      : flags(flags), driver(driver), diags(driver.diags), files(flags, config),
        data(config), execution(flags, config, data, files, driver),
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
    return checkGates() && sayReport() && passes && accuracy.agrees();
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
        importOptions(config, flags.inputShapes, diags);
    auto variants = imported
                        ? shapeVariants(*imported, flags.shapeRanges, diags)
                        : std::nullopt;
    if (!variants)
      return false;
    imports = std::move(*variants);
    // A recipe's methods are for one shape; what is asked for is refused.
    leavesMethodsOut =
        imports.size() > 1 && config.recipeKeys.contains("global_calibration");
    if (leavesMethodsOut)
      config.globalCalibration.clear();
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
    auto passes = disabledPasses(config.disabledPasses,
                                 config.place("GBuilder.disable_pass"), diags);
    ok &= passes.has_value();
    disabled = passes.value_or(disabled);
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
    driver.say("[" + text + "]\n");
  }

  bool quantize() {
    heading("quantize " + config.modelName);
    context = makeContext();
    std::optional<ModelToQuantize> read =
        readToQuantize(*context, config.graph, config.bin, imports, flags.given,
                       !config.calibrationData.empty(), diags);
    // The text's own weights are known by now.
    if (!read || !driver.files.check(diags))
      return false;
    // Samples are of the largest shapes.
    OwningOpRef<ModuleOp> module = std::move(read->networks.back());
    read->networks.pop_back();
    std::optional<QuantizedModel> result = quantizeStep(
        std::move(module), config, compileOptions(), driver, read->names,
        std::move(read->networks), /*samples=*/nullptr, read->scales(),
        flags.html.empty() ? CompareDetail::Layers : CompareDetail::Causes);
    if (!result)
      return false;
    model = std::move(*result);
    report.read["graph"] = config.graph;
    if (!config.bin.empty())
      report.read["weights"] = config.bin;
    if (!model.original) {
      driver.say("the IR is taken as it is: " + config.graph + "\n");
      return true;
    }
    driver.printNewDiagnostics();
    driver.say(ruleTable(model.rules, driver.tableWidth()));
    if (!flags.isBrief && !model.layers.empty())
      driver.say(layerTable(model.layers, driver.tableWidth()));
    if (model.precision) {
      driver.say(precisionText(*model.precision, false, driver.tableWidth()));
      report.search = precisionJson(*model.precision,
                                    plannedSettings(*model.precision, {}));
    }
    sayWinograd(model.winograd);
    driver.say(methodSummary(model.methods));
    if (leavesMethodsOut)
      driver.say("the recipe's methods are left out: inputs have several "
                 "shapes\n");
    if (!model.layers.empty())
      driver.say(layerSummary(model.layers));
    driver.say(calibratedWith(config, model) + "\n");
    report.quantization = quantizationJson(config, model);
    report.read["calibration_data"] = splitPaths(config.calibrationData);
    report.pictures =
        picturesJson(data.pictures, splitPaths(config.calibrationData));
    if (!config.encodings.empty())
      report.read["encodings"] = config.encodings;
    report.written["graph"] = model.txtPath;
    report.written["weights"] = model.binPath;
    report.written["opt_template"] = model.templatePath;
    return true;
  }

  CompileOptions compileOptions() const {
    CompileOptions options;
    options.optimize = !flags.dontOptimize;
    options.disabled = disabled;
    options.isFootprintWanted = config.tiling == config::Tiling::Footprint;
    options.cache = flags.cache;
    return options;
  }

  void sayWinograd(const std::optional<FormDecision> &decision) {
    if (!decision)
      return;
    driver.say("\n" + decision->table(driver.tableWidth()) + "\n");
    report.winograd = winogradJson(*decision);
  }

  /// An IR that came in integers can still get the form that keeps its bytes.
  void addWinograd(CompileOptions &options) {
    FormSettings settings = winogradSettings(config);
    if (model.original || settings.use == FormUse::Off)
      return;
    options.chooseForms = [this, settings, trial = options](auto &network) {
      FormSearchTask search = formSearch(settings, *machine, trial, driver);
      if (!chooseExactForms(network, search, diags, model.winograd.emplace()))
        return false;
      sayWinograd(model.winograd);
      return true;
    };
  }

  bool compile() {
    heading("compile for " + machine->name);
    CompileOptions options = compileOptions();
    addWinograd(options);
    if (config.dump)
      options.dumpNpuPath = files.npuDump();
    CompileResult result;
    if (!compileNetworks(options, result))
      return false;
    driver.say(formatCount(result.count.commands) + " engine commands, " +
               formatCount(result.count.kernels) + " TEC kernels, weights " +
               formatBytes(result.memory.weightBytes) + ", SRAM " +
               formatBytes(result.memory.sramBytes) + " of " +
               formatBytes(machine->sramBytes) + "\n");
    report.target = machine->name;
    report.written["executable"] = files.executable();
    return true;
  }

  bool compileNetworks(const CompileOptions &options, CompileResult &result) {
    if (model.smaller.empty())
      return compileNetwork(*model.quantized, *machine, options,
                            files.executable(), diags, &result);
    std::vector<ModuleOp> networks;
    networks.reserve(model.smaller.size() + 1);
    for (OwningOpRef<ModuleOp> &network : model.smaller)
      networks.push_back(*network);
    networks.push_back(*model.quantized);
    driver.say("programs for inputs of " + std::to_string(networks.size()) +
               " shapes; these are of the largest\n");
    return compileVariants(networks, *machine, options, files.executable(),
                           diags, &result);
  }

  bool simulate() {
    if (!execution.open() || !execution.readInputs(model))
      return false;
    heading("run on the simulated " + config.target);
    return execution.run(report);
  }

  bool measure() {
    if (config.data.empty())
      return true;
    heading("evaluate");
    if (!accuracy.measure(model, execution.runner(), flags.samples,
                          data.set(splitPaths(config.data),
                                   splitPaths(config.label), *model.quantized)))
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
      for (const TensorMetric &m : model.layers)
        if (m.isOutput && m.similarity.count)
          figures.push_back(
              {m.output, m.similarity.cosine(), m.similarity.sqnrDb()});
    return figures;
  }

  /// False if there is nothing that a gate could be asked of.
  bool checkGates() {
    std::vector<OutputFigures> figures = outputFigures();
    if (!gates.empty() && figures.empty()) {
      driver.usageError("--gate has nothing to be compared with",
                        "a network that comes in floats is, with -c or --data");
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

  /// What there is now, and what to do with it.
  void sayNext(const std::string &reportPath) {
    if (!report.written.contains("executable"))
      return driver.say("report: " + reportPath + "\n");
    std::string run =
        "yarrow run " + shellWord(files.executable()) +
        (data.hasFiles() ? " -i " + shellWord(data.files()) +
                               data.pictureOptionsText(/*isOfRun=*/true)
                         : "") +
        " -o " + shellWord(files.inFolder("outputs.npz"));
    driver.say("executable: " + files.executable() + "\nnext: " + run +
               "\nreport: " + reportPath + "\n");
  }

  bool sayReport() {
    std::string path = files.report();
    if (!flags.html.empty())
      report.written["page"] = flags.html;
    if (!writeReport(path, report, diags))
      return false;
    driver.printNewDiagnostics();
    sayNext(path);
    if (flags.html.empty())
      return true;
    std::vector<LayerFacts> facts = factsOf(*model.quantized);
    addMetrics(model.layers, facts);
    PageBuild build[] = {pageBuildOf(config.modelName, report,
                                     execution.takePicture(), diags,
                                     std::move(facts))};
    if (!writeFile(flags.html, pageHtml(build), diags))
      return false;
    driver.say("page: " + flags.html + "\n");
    return true;
  }

  const BuildFlags &flags;
  Driver &driver;
  yarrow::DiagnosticEngine &diags;
  config::BuildConfig config;
  std::vector<graph::ImportOptions> imports;   ///< By shapes, ascending.
  bool leavesMethodsOut = false;               ///< Those of the recipe.
  std::optional<yarrow::isa::Machine> machine; ///< If it is compiled.
  std::vector<npu::Optimization> disabled;
  std::unique_ptr<MLIRContext> context;
  QuantizedModel model;
  std::vector<Gate> gates;
  bool passes = true; ///< All of these.
  NewFolders folders;
  BuildFiles files;
  BuildData data;
  BuildRun execution;
  BuildAccuracy accuracy;
  ReportDocument report{"build"};
};

} // namespace

bool yarrow::runBuild(const BuildFlags &flags, Driver &driver) {
  return Build(flags, driver).run();
}
