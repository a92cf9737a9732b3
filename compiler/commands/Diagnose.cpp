//===- Diagnose.cpp - yarrow diagnose -------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/commands/QuantizeFlags.h"
#include "compiler/diagnose/DiagnosisHtml.h"
#include "compiler/diagnose/Remedies.h"
#include "compiler/forms/CycleCount.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/model/Models.h"
#include "compiler/pipeline/Quantize.h"
#include "compiler/quantize/Metrics.h"
#include "compiler/quantize/Settings.h"
#include "compiler/report/ReportJson.h"
#include "compiler/work/Preflight.h"
#include "quantizer/metrics/Sensitivity.h"

#include "support/AtomicFile.h"

#include <CLI/CLI.hpp>

#include <chrono>

using namespace yarrow;
using mlir::MLIRContext;
using mlir::ModuleOp;
using mlir::OwningOpRef;

namespace {
struct DiagnoseFlags {
  QuantizeFlags quantize;
  std::string data, target = "X2_1204", html, report;
  bool isWhole = false;
  double seconds = 0, enoughDb = 30;
};
} // namespace

/// Networks are measured on so many samples, spread over the data; what each
/// layer does to the outputs, which takes longer, on so many.
static constexpr std::size_t kMeasuredSamples = 64, kSensitivitySamples = 16;

namespace {

/// Quantizes one network in many ways.
class Laboratory {
public:
  Laboratory(const DiagnoseFlags &flags, const isa::Machine &machine,
             Driver &driver)
      : flags(flags), machine(machine), driver(driver) {}

  /// \p network has layer ids. False after errors.
  bool create(OwningOpRef<ModuleOp> network) {
    auto pictures = pictureOptions(flags.quantize.pictures, driver.diags);
    auto config = configOf(flags.quantize, driver.diags);
    if (!pictures || !config ||
        !checkThresholds(config->thresholds, *network, {"--threshold"},
                         driver.diags))
      return false;
    thresholds = std::move(config->thresholds);
    calibration =
        readArrays(dataFor(*network, flags.quantize.calibrationData, *pictures),
                   driver.diags);
    held = readArrays(dataFor(*network, flags.data, *pictures), driver.diags);
    if (!calibration || !held)
      return false;
    session =
        QuantizeSession::create(std::move(network), *calibration, driver.diags);
    if (!session)
      return false;
    judge = OutputJudge::create(session->cleaned(), measured(),
                                kMeasuredSamples, driver.diags);
    line = driver.progress("networks tried", 0);
    return judge != nullptr;
  }

  std::optional<Trial> measure(const Settings &settings, CompareDetail detail,
                               yarrow::DiagnosticEngine &diags) {
    QuantizeFlags changed = flags.quantize;
    for (const auto &[key, value] : settings)
      changed.keys[key] = value;
    std::optional<config::BuildConfig> config = configOf(changed, diags);
    auto options = config ? quantizerOptions(*config, session->cleaned(), diags)
                          : std::nullopt;
    if (!options)
      return std::nullopt;
    auto quantized = std::make_shared<OwningOpRef<ModuleOp>>(
        session->quantize(*options, diags));
    line->advance(1);
    Trial trial;
    if (!*quantized || !measure(**quantized, detail, trial, diags))
      return std::nullopt;
    trial.countCycles = [this, quantized, &diags]() -> std::optional<uint64_t> {
      auto report = countCycles(**quantized, machine, {}, diags);
      return report ? std::optional(report->cycles) : std::nullopt;
    };
    return trial;
  }
  /// Of the network as it was given, whose layers are \p layers.
  std::vector<Finding> findCausesOf(const std::vector<TensorMetric> &layers) {
    auto config = configOf(flags.quantize, driver.diags);
    return findCauses({session->cleaned(), layers, *calibration,
                       config->calibrationStrategyForActivation.global,
                       std::size_t(config->calibrationBatchSize)});
  }
  std::size_t calibrationSamples() const { return session->sampleCount(); }

private:
  const std::vector<NpyView> &measured() const {
    return held->empty() ? *calibration : *held;
  }
  bool measure(ModuleOp quantized, CompareDetail detail, Trial &trial,
               yarrow::DiagnosticEngine &diags) {
    if (detail == CompareDetail::Outputs) {
      std::optional<OutputLoss> loss = judge->judge(quantized, diags);
      trial.sqnrDb = loss ? loss->sqnrDb() : 0;
      return loss.has_value();
    }
    auto layers = compareNetworks(session->cleaned(), quantized, measured(),
                                  kMeasuredSamples, diags, detail, thresholds);
    if (!layers)
      return false;
    trial.layers = std::move(*layers);
    trial.sqnrDb = outputSqnrDb(trial.layers);
    if (detail != CompareDetail::Causes)
      return true;
    auto losses = measureSensitivity({session->cleaned(),
                                      {quantized},
                                      *judge,
                                      measured(),
                                      kSensitivitySamples},
                                     diags);
    if (losses)
      addSensitivity(losses->front(), trial.layers);
    return losses.has_value();
  }

  const DiagnoseFlags &flags;
  const isa::Machine &machine;
  Driver &driver;
  std::unique_ptr<Progress> line;
  DecisionThresholds thresholds;
  std::optional<std::vector<NpyView>> calibration, held;
  std::unique_ptr<QuantizeSession> session;
  std::unique_ptr<OutputJudge> judge;
};

} // namespace

static bool diagnose(const DiagnoseFlags &flags, Driver &driver) {
  driver.files.reads(flags.quantize.graph);
  driver.files.reads(splitPaths(flags.quantize.calibrationData));
  driver.files.reads(splitPaths(flags.data));
  driver.files.writes({flags.html, flags.report});
  if (!driver.files.check(driver.diags) ||
      !driver.files.canBeWritten(driver.diags))
    return false;
  auto machine = targetAt(flags.target, {"--target"}, driver.diags);
  std::unique_ptr<MLIRContext> context = makeContext();
  auto import = importOptions(flags.quantize.reading, driver.diags,
                              flags.quantize.calibrationData);
  auto network =
      import ? readModel(*context, flags.quantize.graph, flags.quantize.bin,
                         driver.diags, compass::ReadFor::Execution, *import)
             : nullptr;
  if (!machine || !network ||
      !canBeQuantized(*network, flags.quantize.graph, driver.diags))
    return false;
  recordLayerIds(*network);
  std::string model = modelNameOf(*network);
  Laboratory laboratory(flags, *machine, driver);
  if (!laboratory.create(std::move(network)))
    return false;
  Settings given = flags.quantize.settings();
  std::optional<Trial> baseline =
      laboratory.measure(given, CompareDetail::Causes, driver.diags);
  if (!baseline)
    return false;
  std::vector<Finding> findings = laboratory.findCausesOf(baseline->layers);
  reportFindings(findings, SettingStyle::Option, driver.diags);
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
  std::optional<Diagnosis> diagnosis = search.run(std::move(*baseline));
  if (!diagnosis)
    return false;
  diagnosis->findings = std::move(findings);
  driver.printNewDiagnostics();
  driver.printLine(
      diagnosisText(*diagnosis, flags.isWhole, driver.tableWidth()));
  if (!flags.html.empty() &&
      !writeFile(flags.html, diagnosisHtml(*diagnosis, model, machine->name),
                 driver.diags))
    return false;
  ReportDocument report("diagnose");
  report.model = model;
  report.target = machine->name;
  report.diagnosis = diagnosisJson(*diagnosis);
  report.read = {
      {"graph", flags.quantize.graph},
      {"calibration_data", splitPaths(flags.quantize.calibrationData)}};
  if (!flags.data.empty())
    report.read["data"] = splitPaths(flags.data);
  if (!flags.html.empty())
    report.written["page"] = flags.html;
  return writeReport(flags.report, report, driver.diags);
}

void yarrow::addDiagnoseCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<DiagnoseFlags>();
  CLI::App *command =
      app.add_subcommand("diagnose", "Find where quantization loses accuracy, "
                                     "and which settings gain it back");
  addQuantizeFlags(*command, flags->quantize, /*needsSamples=*/true);
  command->add_option(
      "-d,--data", flags->data,
      "Measure networks with these samples (default: the calibration samples)");
  command
      ->add_option("-t,--target", flags->target,
                   "Count cycles for this machine")
      ->capture_default_str();
  command
      ->add_option("--enough", flags->enoughDb,
                   "Spend no cycles to raise the SQNR above this many dB")
      ->capture_default_str();
  command->add_option(
      "--time", flags->seconds,
      "Start no more remedies after this many seconds (default: try all)");
  command->add_flag("--all", flags->isWhole,
                    "Show all layers, not only the ten that lose most alone");
  command->add_option("--html", flags->html, "Write an HTML page with plots");
  command->add_option("--report,--json", flags->report,
                      "Write all figures as JSON (docs/report.md)");
  command->footer(
      std::string(
          "Own SQNR is for the layer alone, with the float network's inputs. "
          "SQNR in\nnetwork includes what earlier layers have lost.\n"
          "Example:\n"
          "  yarrow diagnose net.txt -w net.bin -c calibration.npy -t X2_1204\n"
          "\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(diagnose(*flags, driver)); });
}
