//===- Quantize.cpp - yarrow quantize -------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The flags for quantization are the keys of a configuration with dashes for
// underscores, made from the same records, so that both take the same values,
// per-layer rules included.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/config/ConfigKeys.h"
#include "compiler/driver/FormOptions.h"
#include "compiler/driver/Models.h"
#include "compiler/driver/Preflight.h"
#include "compiler/driver/QuantizeStep.h"
#include "compiler/driver/ReportJson.h"
#include "compiler/driver/Settings.h"
#include "support/FileName.h"
#include "support/Format.h"

#include <CLI/CLI.hpp>

#include <filesystem>

using namespace yarrow;

namespace {
struct QuantizeFlags {
  std::string graph, bin, calibrationData, outputDir = ".", modelName;
  std::string target = "X2_1204", winograd;
  std::string report;
  bool isBrief = false;
  std::map<std::string, std::string> keys; ///< By key of the configuration.
};
} // namespace

/// Keys of a configuration that say how to quantize.
static std::vector<const config::ConfigKey *> quantizationKeys() {
  std::vector<const config::ConfigKey *> keys;
  for (const config::ConfigKey &key : config::configKeys()) {
    bool isSetting = key.kind.isPerLayer ||
                     key.name == "calibration_batch_size" ||
                     key.name.starts_with("winograd_max_");
    if (key.section == "Optimizer" && key.hasEffect() && isSetting)
      keys.push_back(&key);
  }
  return keys;
}

static std::string flagName(std::string_view key) {
  std::string flag = "--" + std::string(key);
  std::replace(flag.begin() + 2, flag.end(), '_', '-');
  return flag;
}

/// What a key means, and of a strategy also which there are.
static std::string helpOf(const config::ConfigKey &key) {
  std::string text(key.doc);
  if (key.kind.form != config::ValueKind::Strategy)
    return text;
  text.back() = ':';
  return text + " " + CalibrationStrategy::forms() + ".";
}

static std::optional<config::BuildConfig> configOf(const QuantizeFlags &flags,
                                                   DiagnosticEngine &diags) {
  config::BuildConfig config = config::defaultBuildConfig();
  config.graph = flags.graph;
  config.bin = flags.bin;
  config.calibrationData = flags.calibrationData;
  config.outputDir = flags.outputDir;
  std::size_t before = diags.numErrors();
  if (std::string_view why = whyNoFileName(flags.modelName);
      !flags.modelName.empty() && !why.empty())
    diags
        .report(DiagId::ConfigBadValue, {"--model-name"},
                "the model's name is not a name")
        .found("'" + flags.modelName + "'")
        .expected(std::string(why));
  for (const auto &[key, value] : flags.keys) {
    if (value.empty())
      continue;
    Place place{flagName(key)};
    config::setConfigKey("Optimizer", key, value, "", config, diags, place);
  }
  config.target = flags.target;
  config.places["GBuilder.target"] = {"--target"};
  targetAt(config.target, config.place("GBuilder.target"), diags);
  applyWinogradFlag(flags.winograd, config, diags);
  if (diags.numErrors() != before)
    return std::nullopt;
  return config;
}

static ReportDocument reportOf(const config::BuildConfig &config,
                               const QuantizedModel &model) {
  ReportDocument report("quantize");
  report.model = config.modelName;
  report.quantization = quantizationJson(model);
  if (model.winograd) {
    report.target = model.winograd->target;
    report.winograd = winogradJson(*model.winograd);
  }
  report.read = {{"graph", config.graph},
                 {"calibration_data", splitList(config.calibrationData)}};
  if (!config.bin.empty())
    report.read["weights"] = config.bin;
  report.written = {{"graph", model.txtPath}, {"weights", model.binPath}};
  return report;
}

static bool quantize(const QuantizeFlags &flags, Driver &driver) {
  std::optional<config::BuildConfig> config = configOf(flags, driver.diags);
  if (!config)
    return false;
  driver.files.writes(flags.report);
  if (!makeFolder(config->outputDir, driver.diags) ||
      !driver.files.canBeWritten(driver.diags))
    return false;
  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  auto module = readModel(*context, config->graph, config->bin, driver.diags);
  if (!module)
    return false;
  if (isQuantized(*module)) {
    driver.diags
        .report(DiagId::QuantUnsupported, {config->graph},
                "the network is quantized already")
        .hint("give the float IR, or go on with `yarrow compile`");
    return false;
  }
  config->modelName =
      flags.modelName.empty() ? modelNameOf(*module) : flags.modelName;
  config->outIrName = config->modelName + "_o";
  std::optional<QuantizedModel> model =
      quantizeStep(std::move(module), *config, {}, driver);
  if (!model)
    return false;
  driver.printNewDiagnostics();
  driver.say(ruleTable(model->rules, driver.tableWidth()));
  if (!flags.isBrief)
    driver.say(layerTable(model->layers, driver.tableWidth()) + "\n");
  if (model->winograd)
    driver.say(model->winograd->table(driver.tableWidth()) + "\n");
  driver.say(layerSummary(model->layers));
  driver.say("calibrated with " + formatCount(model->calibrationSamples) +
             " samples, wrote " + model->txtPath + " and " + model->binPath +
             "\n");
  return writeReport(flags.report, reportOf(*config, *model), driver.diags);
}

void yarrow::addQuantizeCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<QuantizeFlags>();
  CLI::App *command = app.add_subcommand(
      "quantize", "Turn float IR into integer IR, with a calibration set");
  command->add_option("graph", flags->graph, "Float IR, text file")->required();
  command->add_option("-w,--weights", flags->bin,
                      "Its weights (default: model_bin of the header)");
  command
      ->add_option("-c,--calibration-data", flags->calibrationData,
                   ".npy with samples along the first axis; a,b for several "
                   "inputs")
      ->required();
  command->add_option("-o,--output-dir", flags->outputDir,
                      "Folder for <model>_o.txt and <model>_o.bin");
  command->add_option("--model-name", flags->modelName,
                      "First part of the written files' names (default: the "
                      "header's model_name)");
  command->add_flag("--brief", flags->isBrief, "No table of layers");
  command->add_option("--report,--json", flags->report,
                      "Write the figures of every layer as JSON "
                      "(docs/report.md)");
  addWinogradOption(*command, flags->winograd);
  command
      ->add_option("-t,--target", flags->target,
                   "The machine that Winograd is decided for")
      ->capture_default_str();
  for (const config::ConfigKey *key : quantizationKeys())
    command
        ->add_option(flagName(key->name), flags->keys[std::string(key->name)],
                     helpOf(*key) +
                         (key->defaultText.empty()
                              ? ""
                              : " Default: " + std::string(key->defaultText)))
        ->type_name("VALUE")
        ->group("How to quantize (keys of a configuration file)");
  command->footer(
      std::string(
          "Example:\n"
          "  yarrow quantize net.txt -w net.bin -c calibration.npy -o out \\\n"
          "    --quantize-method-for-weight "
          "per_channel_symmetric_restricted_range \\\n"
          "    --activation-bits '8 & <[Softmax]:16>'\n"
          "The last line gives Softmax layers 16 bits and all others 8.\n\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(quantize(*flags, driver)); });
}
