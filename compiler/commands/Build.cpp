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
#include "compiler/commands/BuildGate.h"
#include "compiler/commands/BuildSettings.h"
#include "compiler/commands/DisabledPasses.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/driver/FormOptions.h"
#include "compiler/driver/ImportSettings.h"
#include "compiler/driver/IoFiles.h"
#include "compiler/driver/Models.h"
#include "compiler/driver/PartialModels.h"
#include "compiler/driver/PictureReport.h"
#include "compiler/driver/Preflight.h"
#include "compiler/driver/Profile.h"
#include "compiler/driver/QuantizeStep.h"
#include "compiler/driver/RandomInputs.h"
#include "compiler/driver/ReportJson.h"
#include "compiler/driver/Settings.h"
#include "compiler/driver/ShapeRange.h"
#include "compiler/page/Page.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/precision/PrecisionResult.h"
#include "support/AtomicFile.h"
#include "support/Format.h"

#include <filesystem>

using namespace yarrow;
using namespace mlir;
namespace fs = std::filesystem;

namespace {

class Build {
public:
  Build(const BuildFlags &flags, Driver &driver)
      : flags(flags), driver(driver), diags(driver.diags),
        accuracy(config, driver) {}

  bool run() {
    if (!readConfig() || !quantize())
      return false;
    if (machine && !compile())
      return false;
    if (runs() && !simulate())
      return false;
    if (!countForPage() || !measure())
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
    pictures = *options;
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
    return planFiles() && checkFirst();
  }

  /// The quantizer names the files of the integer IR.
  bool planFiles() {
    FilePlan &files = driver.files;
    files.reads({flags.config, config.graph, config.bin});
    for (const std::string &paths :
         {config.calibrationData, config.data, config.label})
      files.reads(splitPaths(paths));
    files.reads(config.inputs);
    files.writes({inOutputDir("report.json"), config.logFile, flags.html});
    if (config.recordDebugAccInfo)
      files.writes(recordPath());
    if (!config.target.empty())
      planExecutable();
    return files.check(diags);
  }

  void planExecutable() {
    FilePlan &files = driver.files;
    bool namesExecutable =
        config.mode == config::BuildMode::Build && !config.outputs.empty();
    executable = namesExecutable ? config.outputs[0] : inOutputDir("aipu.bin");
    files.writes(executable);
    if (config.dump)
      files.writes(inOutputDir(config.modelName + "_npu.mlir"));
    if (config.mode != config::BuildMode::Run)
      return;
    if (config.profile)
      files.writes(inOutputDir("trace.json"));
    if (config.outputs.empty())
      files.writes(inOutputDir("output.bin"));
    else
      files.writes(config.outputs);
  }

  /// What would otherwise be found after minutes of work.
  bool checkFirst() {
    bool ok = true;
    if (!config.target.empty()) {
      machine = targetAt(config.target, config.place("GBuilder.target"), diags);
      ok = machine.has_value();
    }
    if (runs() && config.inputs.empty() && !hasSamples()) {
      ok = false;
      diags
          .report(DiagId::ConfigMissingKey, config.place("Common.mode"),
                  "mode = run needs inputs")
          .hint("give inputs in [GBuilder], or data in [Optimizer]");
    }
    auto passes = disabledPasses(config.disabledPasses,
                                 config.place("GBuilder.disable_pass"), diags);
    ok &= passes.has_value();
    disabled = passes.value_or(disabled);
    ok &= canRead({config.graph}, diags);
    ok &= canReadData(splitPaths(config.data), diags);
    ok &= canRead(splitPaths(config.label), diags);
    ok &= accuracy.readMetrics(fs::path(flags.config).parent_path().string());
    if (runs())
      ok &= canReadData(config.inputs, diags);
    if (!ok || !makeFolder(config.outputDir, diags) ||
        (!flags.cache.empty() && !makeFolder(flags.cache, diags)))
      return false;
    return driver.files.canBeWritten(diags);
  }

  bool runs() const {
    return !config.target.empty() && config.mode == config::BuildMode::Run;
  }
  const std::string &sampleFiles() const {
    return config.data.empty() ? config.calibrationData : config.data;
  }
  bool hasSampleFiles() const { return !sampleFiles().empty(); }
  /// Files, or a data set that makes its own.
  bool hasSamples() const {
    const DataSetRecord *record = findDataSet(config.dataset);
    return !sampleFiles().empty() || config.drawsSamples ||
           (record && record->form == DataForm::Random);
  }

  std::string inOutputDir(const std::string &name) const {
    return (fs::path(config.outputDir) / name).string();
  }
  /// Of record_debug_acc_info.
  std::string recordPath() const {
    return inOutputDir(config.modelName + "_record_model_acc.txt");
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
        picturesJson(pictures, splitPaths(config.calibrationData));
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

  runtime::SimulationOptions sessionOptions() const {
    runtime::SimulationOptions options;
    options.budget = flags.budget;
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
      options.dumpNpuPath = inOutputDir(config.modelName + "_npu.mlir");
    CompileResult result;
    if (!compileNetworks(options, result))
      return false;
    driver.say(formatCount(result.count.commands) + " engine commands, " +
               formatCount(result.count.kernels) + " TEC kernels, weights " +
               formatBytes(result.memory.weightBytes) + ", SRAM " +
               formatBytes(result.memory.sramBytes) + " of " +
               formatBytes(machine->sramBytes) + "\n");
    report.target = machine->name;
    report.written["executable"] = executable;
    return true;
  }

  bool compileNetworks(const CompileOptions &options, CompileResult &result) {
    if (model.smaller.empty())
      return compileNetwork(*model.quantized, *machine, options, executable,
                            diags, &result);
    std::vector<ModuleOp> networks;
    networks.reserve(model.smaller.size() + 1);
    for (OwningOpRef<ModuleOp> &network : model.smaller)
      networks.push_back(*network);
    networks.push_back(*model.quantized);
    driver.say("programs for inputs of " + std::to_string(networks.size()) +
               " shapes; these are of the largest\n");
    return compileVariants(networks, *machine, options, executable, diags,
                           &result);
  }

  /// Data for a network that came in floats are what that one takes.
  bool dataAreReal() const { return bool(model.original); }

  /// The inputs of [GBuilder], or the first samples there are.
  std::optional<SampleArrays> runInputs() {
    const auto &inputs = npu->executable().inputs();
    if (!config.inputs.empty())
      return readRunInputs(config.inputs, inputs, diags, false, pictures);
    std::vector<std::string> files = splitPaths(sampleFiles());
    if (files.empty() && config.drawsSamples)
      return makeRunInputs(randomInputs(inputs, /*seed=*/0), inputs, diags);
    // Raw tensors are what the executable stores.
    if (!llvm::all_of(files, isSampleFile))
      return readRunInputs(files, inputs, diags, dataAreReal());
    std::optional<DataSet> set = readDataSet(dataSet(files, {}), diags);
    return set ? makeRunInputs(set->data, inputs, diags, dataAreReal())
               : std::nullopt;
  }

  /// As the quantizer reads its samples.
  DataSetTask dataSet(std::vector<std::string> data,
                      std::vector<std::string> labels) {
    DataSetTask task{config.dataset, std::move(data), std::move(labels),
                     std::size_t(config.dataBatchDim),
                     std::size_t(config.labelBatchDim)};
    task.inputShapes = inputShapesOf(*model.quantized);
    task.inputNames = inputNamesOf(*model.quantized);
    task.pictures = pictures;
    return task;
  }

  bool simulate() {
    npu = NpuRunner::open(executable, sessionOptions(), diags);
    if (!npu)
      return false;
    std::optional<SampleArrays> inputs = runInputs();
    if (!inputs)
      return false;
    heading("run on the simulated " + config.target);
    ProfileFiles files{config.profile ? inOutputDir("trace.json") : ""};
    const IoBytes sample[] = {inputs->inputsOf(0)};
    IoBytes outputs[1];
    auto profile = profileSamples(npu->share(), sessionOptions(), sample, files,
                                  {}, outputs, diags);
    if (!profile)
      return false;
    std::string performance = profile->report.summary();
    driver.say(config.profile && !flags.isBrief
                   ? profile->report.text(driver.tableWidth())
                   : performance);
    if (config.inputs.empty() && !hasSampleFiles())
      driver.say("of inputs that were drawn at random\n");
    takeProfile(npu->executable(), *profile);
    if (!files.trace.empty())
      report.written["trace"] = files.trace;
    return writeOutputs(outputs[0]);
  }

  void takeProfile(const runtime::Executable &model, const Profile &profile) {
    addPerformance(report, profile.report);
    if (!flags.html.empty())
      picture = makePicture(model, model.machine(), profile);
  }

  /// A page shows cycles also of what is only built: those of zeros.
  bool countForPage() {
    if (flags.html.empty() || !machine || picture)
      return true;
    auto compiled = runtime::Executable::open(executable, diags);
    auto profile = compiled ? profileZeros(compiled, diags) : std::nullopt;
    if (!profile)
      return false;
    takeProfile(*compiled, *profile);
    return true;
  }

  bool writeOutputs(const IoBytes &outputs) {
    const auto &tensors = npu->executable().outputs();
    std::vector<std::string> given = config.outputs;
    if (given.empty())
      given = {inOutputDir("output.bin")};
    std::optional<std::vector<std::string>> paths =
        outputPaths(given, describeAll(tensors), diags);
    if (!paths)
      return false;
    report.written["outputs"] = *paths;
    // As `yarrow run` writes them.
    OutputNumbers numbers = npu->executable().provenance().cameInFloats()
                                ? OutputNumbers::Real
                                : OutputNumbers::Stored;
    OutputFiles files(*paths, outputArrays(tensors, numbers, *paths),
                      /*runs=*/1, diags);
    return files.append(outputBytes(outputs, tensors, numbers, *paths)) &&
           files.commit();
  }

  bool measure() {
    if (config.data.empty())
      return true;
    heading("evaluate");
    if (!accuracy.measure(
            model, npu.get(), flags.samples,
            dataSet(splitPaths(config.data), splitPaths(config.label))))
      return false;
    if (!accuracy.isKnown())
      return true;
    report.accuracy = accuracy.json();
    report.read["data"] = splitPaths(config.data);
    if (report.pictures.is_null())
      report.pictures = picturesJson(pictures, splitPaths(config.data));
    if (!config.label.empty())
      report.read["labels"] = config.label;
    return !config.recordDebugAccInfo || accuracy.record(recordPath());
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
    std::string data =
        hasSampleFiles() ? " -c " + shellWord(sampleFiles()) : "";
    report.gates = gatesJson(gates, figures);
    passes = passesGates(gates, figures, {config.graph},
                         "`yarrow diagnose " + shellWord(config.graph) + data +
                             "` tries other settings",
                         diags);
    return true;
  }

  /// What there is now, and what to do with it.
  void sayNext(const std::string &reportPath) {
    if (!report.written.contains("executable"))
      return driver.say("report: " + reportPath + "\n");
    std::string run =
        "yarrow run " + shellWord(executable) +
        (hasSampleFiles() ? " -i " + shellWord(sampleFiles()) : "") + " -o " +
        shellWord(inOutputDir("outputs.npz"));
    driver.say("executable: " + executable + "\nnext: " + run +
               "\nreport: " + reportPath + "\n");
  }

  bool sayReport() {
    std::string path = inOutputDir("report.json");
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
    PageBuild build[] = {pageBuildOf(
        config.modelName, report, std::move(picture), diags, std::move(facts))};
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
  PictureOptions pictures;
  std::vector<npu::Optimization> disabled;
  std::unique_ptr<MLIRContext> context;
  QuantizedModel model;
  std::vector<Gate> gates;
  bool passes = true; ///< All of these.
  std::string executable;
  std::unique_ptr<NpuRunner> npu;
  BuildAccuracy accuracy;
  std::optional<PagePicture> picture; ///< If there is to be a page.
  ReportDocument report{"build"};
};

} // namespace

bool yarrow::runBuild(const BuildFlags &flags, Driver &driver) {
  return Build(flags, driver).run();
}
