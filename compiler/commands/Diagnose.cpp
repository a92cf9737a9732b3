//===- Diagnose.cpp - yarrow diagnose -------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/commands/QuantizeFlags.h"
#include "compiler/diagnose/Remedies.h"
#include "compiler/driver/Models.h"
#include "compiler/driver/Preflight.h"
#include "compiler/driver/ReportJson.h"
#include "compiler/driver/Settings.h"
#include "compiler/forms/CycleCount.h"
#include "compiler/pipeline/Quantize.h"
#include "dialects/compass/Execution.h"

#include <CLI/CLI.hpp>

#include <chrono>

using namespace yarrow;
using mlir::MLIRContext;
using mlir::ModuleOp;
using mlir::OwningOpRef;

namespace {
struct DiagnoseFlags {
  QuantizeFlags quantize;
  std::string data, target = "X2_1204", report;
  bool isWhole = false;
  double seconds = 0, enoughDb = 30;
};
} // namespace

/// Networks are measured on so many samples, spread over the data.
static constexpr std::size_t kMeasuredSamples = 64;

namespace {

/// Quantizes one network in many ways.
class Laboratory {
public:
  Laboratory(const DiagnoseFlags &flags, ModuleOp network,
             const isa::Machine &machine, Driver &driver)
      : flags(flags), network(network), machine(machine), driver(driver),
        line(driver.progress("networks tried", 0)) {}

  bool readSamples() {
    calibration =
        readArrays(splitList(flags.quantize.calibrationData), driver.diags);
    if (!calibration)
      return false;
    if (flags.data.empty())
      return true;
    held = readArrays(splitList(flags.data), driver.diags);
    return held.has_value();
  }

  std::optional<Trial> measure(const Settings &settings, CompareDetail detail,
                               yarrow::DiagnosticEngine &diags) {
    QuantizeFlags changed = flags.quantize;
    for (const auto &[key, value] : settings)
      changed.keys[key] = value;
    std::optional<config::BuildConfig> config = configOf(changed, diags);
    if (!config)
      return std::nullopt;
    QuantizeTask task;
    task.samples = &*calibration;
    task.options = [&](ModuleOp, ModuleOp cleaned) {
      return quantizerOptions(*config, cleaned, diags);
    };
    auto networks = quantizeNetwork(
        OwningOpRef<ModuleOp>(mlir::cast<ModuleOp>(network->clone())), task,
        diags);
    line->advance(1);
    if (!networks)
      return std::nullopt;
    samples = networks->calibrationSamples;
    auto layers = compareNetworks(*networks->cleaned, *networks->quantized,
                                  held ? *held : *calibration, kMeasuredSamples,
                                  diags, detail);
    if (!layers)
      return std::nullopt;
    Trial trial{std::move(*layers)};
    trial.sqnrDb = outputSqnrDb(trial.layers);
    auto quantized =
        std::make_shared<OwningOpRef<ModuleOp>>(std::move(networks->quantized));
    trial.countCycles = [this, quantized, &diags]() -> std::optional<uint64_t> {
      auto report = countCycles(**quantized, machine, {}, diags);
      return report ? std::optional(report->cycles) : std::nullopt;
    };
    return trial;
  }
  std::size_t calibrationSamples() const { return samples; }

private:
  const DiagnoseFlags &flags;
  ModuleOp network;
  const isa::Machine &machine;
  Driver &driver;
  std::unique_ptr<Progress> line;
  std::optional<std::vector<NpyView>> calibration, held;
  std::size_t samples = 0;
};

} // namespace

static bool isFloatNetwork(ModuleOp network, const DiagnoseFlags &flags,
                           Driver &driver) {
  if (!isQuantized(network))
    return compass::checkExecutable(network, driver.diags);
  driver.diags
      .report(DiagId::QuantUnsupported, {flags.quantize.graph},
              "the network is quantized already")
      .hint("give the float IR that it was made of");
  return false;
}

static bool diagnose(const DiagnoseFlags &flags, Driver &driver) {
  driver.files.reads(flags.quantize.graph);
  driver.files.reads(splitList(flags.quantize.calibrationData));
  driver.files.reads(splitList(flags.data));
  driver.files.writes(flags.report);
  if (!driver.files.check(driver.diags) ||
      !driver.files.canBeWritten(driver.diags))
    return false;
  auto machine = targetAt(flags.target, {"--target"}, driver.diags);
  std::unique_ptr<MLIRContext> context = makeContext();
  auto network = readModel(*context, flags.quantize.graph, flags.quantize.bin,
                           driver.diags);
  if (!machine || !network || !isFloatNetwork(*network, flags, driver))
    return false;
  recordLayerIds(*network);
  Laboratory laboratory(flags, *network, *machine, driver);
  if (!laboratory.readSamples())
    return false;
  Settings given;
  for (const auto &[key, value] : flags.quantize.keys)
    if (!value.empty())
      given[key] = value;
  std::optional<Trial> asGiven =
      laboratory.measure(given, CompareDetail::Layers, driver.diags);
  if (!asGiven)
    return false;
  // Why a remedy is not possible is nobody's concern.
  yarrow::DiagnosticEngine unread;
  RemedySearch search(given, laboratory.calibrationSamples(),
                      [&](const Settings &settings, CompareDetail detail) {
                        return laboratory.measure(settings, detail, unread);
                      });
  search.enoughDb = flags.enoughDb;
  auto start = std::chrono::steady_clock::now();
  if (flags.seconds > 0)
    search.isOutOfTime = [&] {
      std::chrono::duration<double> took =
          std::chrono::steady_clock::now() - start;
      return took.count() > flags.seconds;
    };
  std::optional<Diagnosis> diagnosis = search.run(std::move(*asGiven));
  if (!diagnosis)
    return false;
  driver.printNewDiagnostics();
  driver.say(diagnosisText(*diagnosis, flags.isWhole, driver.tableWidth()));
  ReportDocument report("diagnose");
  report.model = modelNameOf(*network);
  report.target = machine->name;
  report.diagnosis = diagnosisJson(*diagnosis);
  report.read = {
      {"graph", flags.quantize.graph},
      {"calibration_data", splitList(flags.quantize.calibrationData)}};
  if (!flags.data.empty())
    report.read["data"] = splitList(flags.data);
  return writeReport(flags.report, report, driver.diags);
}

void yarrow::addDiagnoseCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<DiagnoseFlags>();
  CLI::App *command =
      app.add_subcommand("diagnose", "Tell where quantization loses accuracy, "
                                     "and which settings gain it back");
  addQuantizeFlags(*command, flags->quantize);
  command->add_option("-d,--data", flags->data,
                      "Samples that networks are measured with (default: those "
                      "of the calibration)");
  command
      ->add_option("-t,--target", flags->target,
                   "The machine that cycles are counted for")
      ->capture_default_str();
  command
      ->add_option("--enough", flags->enoughDb,
                   "SQNR in dB from which on no cycles are paid for more")
      ->capture_default_str();
  command->add_option("--time", flags->seconds,
                      "Try no more remedies after so many seconds (default: "
                      "try all)");
  command->add_flag("--all", flags->isWhole,
                    "All layers, not the ten that lose most by themselves");
  command->add_option("--report,--json", flags->report,
                      "Write all figures as JSON (docs/report.md)");
  command->footer(
      std::string(
          "Layers: own SQNR is that of the layer alone, on the float network's "
          "inputs; in network\nis with what the layers before have lost.\n"
          "Example:\n"
          "  yarrow diagnose net.txt -w net.bin -c calibration.npy -t X2_1204\n"
          "\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(diagnose(*flags, driver)); });
}
