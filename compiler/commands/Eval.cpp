//===- Eval.cpp - yarrow eval ---------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/commands/EvalModel.h"
#include "compiler/commands/Numbers.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/model/Models.h"
#include "compiler/quantize/Metrics.h"
#include "compiler/report/PictureReport.h"
#include "compiler/report/ReportJson.h"
#include "compiler/session/Compile.h"
#include "compiler/session/Runner.h"
#include "support/FileKind.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Settings.h"
#include "llvm/ADT/STLExtras.h"

#include <CLI/CLI.hpp>

#include <cmath>

using namespace yarrow;

namespace {
struct EvalFlags {
  std::string floating, integer, other, executable, data, label, tokens, json;
  std::string metrics = "top1,top5", dataset, threshold;
  ReadingFlags reading;
  std::size_t dataBatchDim = 0, labelBatchDim = 0;
  std::size_t samples = 0;
  std::size_t resetEvery = 0; ///< Of a network with state; 0: never.
  std::optional<double> minTop1;
  bool namesMetrics = false; ///< They are asked for, not the default.
  uint64_t budget = sim::kDefaultBudget;
  PictureFlags pictures;
  EvalModelFlags one; ///< The form of the command for one network.

  /// Whether anything of the form that compares networks was given.
  bool compares() const {
    return !floating.empty() || !integer.empty() || !other.empty() ||
           !executable.empty() || !data.empty() || !label.empty() ||
           !tokens.empty() || !dataset.empty() || minTop1 || samples ||
           namesMetrics || !threshold.empty();
  }
};
} // namespace

/// Here, other than in a configuration, names of ranks have their k: top5.
static bool takeMetrics(const EvalFlags &flags, AccuracyTask &task,
                        Driver &driver) {
  std::string problem;
  auto metrics = readMetrics(flags.metrics, problem);
  if (!metrics || metrics->empty()) {
    driver.usageError(metrics ? "--metric does not name a metric"
                              : "--metric " + flags.metrics + ": expected " +
                                    problem,
                      "--metric top1,top5, for example");
    return false;
  }
  std::vector<ScoreProblem> problems;
  addMetrics(*metrics, "", task, problems);
  for (const ScoreProblem &p : problems)
    if (p.isUnknown)
      driver.usageError("--metric " + p.found + " is not a metric", p.hint);
    else
      driver.usageError(
          "--metric: " + p.message + (p.found.empty() ? "" : ": " + p.found) +
              (p.expected.empty() ? "" : "; expected: " + p.expected),
          p.hint);
  return problems.empty();
}

static bool takeThreshold(const EvalFlags &flags, AccuracyTask &task,
                          Driver &driver) {
  if (flags.threshold.empty())
    return true;
  auto thresholds = DecisionThresholds::parse(flags.threshold);
  if (thresholds)
    task.thresholds = std::move(*thresholds);
  else
    driver.usageError("--threshold " + flags.threshold + " is not " +
                          DecisionThresholds::forms(),
                      "--threshold 0.3 or --threshold cls_8=0.6");
  return thresholds.has_value();
}

static bool needsLabels(const AccuracyTask &task) {
  return !task.topK.empty() ||
         llvm::any_of(task.scores, [](const ScoreRequest &score) {
           return score.needsLabels();
         });
}

/// What cannot be measured must not seem to be good enough.
static bool checkFlags(const EvalFlags &flags, const AccuracyTask &task,
                       Driver &driver) {
  if (flags.floating.empty() && flags.integer.empty() &&
      flags.executable.empty()) {
    driver.usageError("nothing to evaluate",
                      "give a network and -i, or at least one of --float, "
                      "--int and --exe");
    return false;
  }
  if (!flags.other.empty() && flags.floating.empty() && flags.integer.empty()) {
    driver.usageError("--other needs a network to compare with",
                      "give --float or --int");
    return false;
  }
  bool isCompared = !flags.other.empty() ||
                    (!flags.floating.empty() &&
                     !(flags.integer.empty() && flags.executable.empty()));
  if (!flags.threshold.empty() && !isCompared) {
    driver.usageError("--threshold needs networks to compare",
                      "give --float, and --int or --exe");
    return false;
  }
  if (!flags.dataset.empty() &&
      !checkDataSet(flags.dataset, {"--dataset"}, diag::ConfigBadValue,
                    driver.diags))
    return false;
  const DataSetRecord *set = findDataSet(flags.dataset);
  if (flags.data.empty() && !(set && set->form == DataForm::Random)) {
    driver.usageError(
        "--data is required",
        "give samples, or --dataset RandomDataset for random ones");
    return false;
  }
  bool needsClasses = flags.namesMetrics && needsLabels(task);
  const char *needy = flags.minTop1  ? "--min-top1"
                      : needsClasses ? "--metric"
                                     : nullptr;
  bool hasLabels =
      !flags.label.empty() || (set && set->form == DataForm::Tokens);
  if (needy && !hasLabels) {
    driver.usageError(std::string(needy) + " needs the expected classes",
                      "--label labels.npy gives the class of each sample");
    return false;
  }
  if (!flags.minTop1)
    return true;
  if (std::isnan(*flags.minTop1)) { // no figure would be below it
    driver.usageError("--min-top1 is not a number",
                      "--min-top1 97.5, for example");
    return false;
  }
  bool hasTop1 = llvm::is_contained(task.topK, 1u);
  if (!hasTop1)
    driver.usageError("--min-top1 needs the metric top1",
                      "--metric " + flags.metrics + ",top1 has it");
  return hasTop1;
}

namespace {
/// What is compared; null of what is not.
struct Compared {
  std::shared_ptr<const session::Network> floating, integer, other;
  std::unique_ptr<session::Runner> npu;

  /// By whose names and shapes data are read.
  const session::Network *first() const {
    return integer ? integer.get() : floating.get();
  }
};
} // namespace

static mlir::ModuleOp
moduleOf(const std::shared_ptr<const session::Network> &network) {
  return network ? network->module() : mlir::ModuleOp();
}

/// The other network may be of either kind.
static bool readOther(const std::string &paths,
                      std::shared_ptr<const session::Network> &network,
                      Driver &driver) {
  if (paths.empty())
    return true;
  auto [txt, bin] = splitModelPaths(paths);
  session::ModelSource source{txt, bin};
  source.use = session::LoadFor::Execution;
  network = session::load(source, driver.call());
  return network != nullptr;
}

/// What is compiled lies beside what it was compiled from.
static bool isExecutable(const std::string &path) {
  yarrow::DiagnosticEngine ignored;
  auto file = MappedFile::open(path, ignored);
  return file && fileKindOf(file->bytes()) == FileKind::Elf;
}

/// \p isInteger: what the option \p flag is for. An integer IR that was named
/// as a float one would be reported under the wrong name.
static bool readNetwork(const char *flag, const std::string &paths,
                        bool isInteger, const ReadingFlags &reading,
                        std::shared_ptr<const session::Network> &network,
                        Driver &driver) {
  if (paths.empty())
    return true;
  auto [txt, bin] = splitModelPaths(paths);
  if (isExecutable(txt)) {
    driver.usageError(std::string(flag) + " " + txt + " is an executable",
                      "give it as --exe " + txt);
    return false;
  }
  session::ModelSource source{txt, bin};
  source.shapes = reading.shapes;
  source.states = reading.states;
  source.use = session::LoadFor::Execution;
  network = session::load(source, driver.call());
  if (!network)
    return false;
  if (network->isQuantized() == isInteger)
    return true;
  driver.usageError(std::string(flag) + " " + txt + " is " +
                        (isInteger ? "a float IR" : "an integer IR"),
                    isInteger ? "give it as --float" : "give it as --int");
  return false;
}

static bool openExecutable(const EvalFlags &flags,
                           std::unique_ptr<session::Runner> &npu,
                           Driver &driver) {
  if (flags.executable.empty())
    return true;
  auto executable = session::Executable::open(flags.executable, driver.diags);
  npu = executable
            ? session::Runner::make(executable->program(),
                                    {.budget = flags.budget}, driver.diags)
            : nullptr;
  return npu != nullptr;
}

static bool planFiles(const EvalFlags &flags, Driver &driver) {
  for (const std::string &paths :
       {flags.floating, flags.integer, flags.other, flags.data, flags.label})
    driver.files.reads(splitPaths(paths));
  driver.files.reads(flags.executable);
  driver.files.writes(flags.json);
  return driver.files.check(driver.diags);
}

/// What was compared.
static void describe(const EvalFlags &flags, const Compared &of,
                     ReportDocument &report) {
  if (of.npu)
    report.target = of.npu->executable().provenance().target;
  report.model =
      of.first() ? of.first()->name() : of.npu->executable().provenance().model;
  auto note = [&](const char *use, const std::string &paths) {
    if (!paths.empty())
      report.read[use] = splitPaths(paths);
  };
  note("float", flags.floating);
  note("int", flags.integer);
  note("other", flags.other);
  if (of.npu)
    report.read["executable"] = flags.executable;
  note("data", flags.data);
  if (!flags.label.empty())
    report.read["labels"] = flags.label;
}

/// All that is compared; false after errors, all of which are told.
static bool readCompared(const EvalFlags &flags, const AccuracyTask &task,
                         Compared &to, Driver &driver) {
  bool ok = readNetwork("--float", flags.floating, /*isInteger=*/false,
                        flags.reading, to.floating, driver);
  ok &= readNetwork("--int", flags.integer, /*isInteger=*/true, flags.reading,
                    to.integer, driver);
  ok &= openExecutable(flags, to.npu, driver);
  ok &= readOther(flags.other, to.other, driver);
  // By the names of what the others are compared with.
  for (const auto &network : {to.floating, to.integer, to.other})
    if (network) {
      ok &= checkThresholds(task.thresholds, network->module(), {"--threshold"},
                            driver.diags);
      break;
    }
  return ok;
}

/// The data and labels for what is compared, if that is \p known. Nullopt after
/// errors.
static std::optional<DataSet> readData(const EvalFlags &flags, bool isKnown,
                                       const Compared &of,
                                       const PictureOptions &pictures,
                                       Driver &driver) {
  DataSetTask files{flags.dataset, splitPaths(flags.data),
                    splitPaths(flags.label), flags.dataBatchDim,
                    flags.labelBatchDim};
  files.pictures = pictures;
  files.sequenceRuns = flags.resetEvery;
  warnOfPictureFlags(flags.pictures, files.data, driver.diags);
  if (isKnown && of.first()) {
    files.inputShapes = of.first()->inputShapes();
    files.inputNames = of.first()->inputNames();
  } else if (isKnown) {
    for (const runtime::IoDescription &input : of.npu->executable().inputs()) {
      files.inputShapes.push_back(input.shape);
      files.inputNames.push_back({input.name, input.tensor});
    }
  }
  return readDataSet(files, driver.diags);
}

static std::optional<AccuracyResult>
evaluate(const EvalFlags &flags, ReportDocument &report, Driver &driver) {
  AccuracyTask task;
  bool isRead = takeMetrics(flags, task, driver);
  isRead &= takeThreshold(flags, task, driver);
  if (!isRead || !checkFlags(flags, task, driver))
    return std::nullopt;
  Compared compared;
  bool ok = readCompared(flags, task, compared, driver);
  auto pictures = pictureOptions(flags.pictures, driver.diags);
  if (!pictures)
    return std::nullopt;
  std::optional<DataSet> set = readData(flags, ok, compared, *pictures, driver);
  // Once more: weights that only the texts name are known by now.
  if (!ok || !set || !driver.files.check(driver.diags))
    return std::nullopt;
  report.pictures = picturesJson(*pictures, splitPaths(flags.data));
  describe(flags, compared, report);
  task.floating = moduleOf(compared.floating);
  task.integer = moduleOf(compared.integer);
  task.other = moduleOf(compared.other);
  task.data = std::move(set->data);
  task.labels = std::move(set->labels);
  task.maxSamples = flags.samples;
  task.integersAreReal = compared.floating != nullptr;
  return session::evaluate(std::move(task), compared.npu.get(), driver.call());
}

/// Whether the figures are what was asked for.
static bool isGoodEnough(const EvalFlags &flags, const AccuracyResult &result) {
  if (result.differingBytes)
    return false;
  if (!flags.minTop1)
    return true;
  for (std::size_t k = 0; k < result.topK.size(); ++k)
    for (const AccuracyRow &row : result.rows)
      if (result.topK[k] == 1 && !row.topPercent.empty() &&
          row.topPercent[k] < *flags.minTop1)
        return false;
  return true;
}

/// One of the two forms of the command.
static bool evalOne(const EvalFlags &flags, Driver &driver) {
  EvalModelFlags one = flags.one;
  one.report = flags.json;
  one.reading = flags.reading;
  one.pictures = flags.pictures;
  one.resetEvery = flags.resetEvery;
  if (!flags.compares())
    return evalModel(one, driver);
  driver.usageError("eval runs one network or compares several, not both",
                    "give MODEL with -i, -o, --layers and --reference; or "
                    "--float, --int and --exe with --data");
  return false;
}

/// Whether there is nothing in the table but names.
static bool hasNoMetrics(const AccuracyResult &result) {
  return result.rows.size() == 1 && result.rows[0].topPercent.empty() &&
         result.rows[0].scores.empty() && result.rows[0].outputs.empty();
}

/// Texts are a data set, of which a perplexity tells most.
static void takeTokens(EvalFlags &flags) {
  if (flags.tokens.empty())
    return;
  flags.data = flags.tokens;
  flags.dataset = "TokenDataset";
  if (!flags.namesMetrics)
    flags.metrics = "perplexity";
}

static bool eval(EvalFlags flags, Driver &driver) {
  takeTokens(flags);
  if (flags.one.isUsed())
    return evalOne(flags, driver);
  if (!planFiles(flags, driver) || !driver.files.canBeWritten(driver.diags))
    return false;
  ReportDocument report("eval");
  std::optional<AccuracyResult> result = evaluate(flags, report, driver);
  if (!result)
    return false;
  driver.printNewDiagnostics();
  driver.printLine(result->table(driver.tableWidth()));
  if (hasNoMetrics(*result))
    driver.printLine(
        "nothing was compared: give the expected classes with --label, "
        "or a second network with --int or --exe\n");
  report.accuracy = accuracyJson(*result);
  if (!driver.isSilent() && !writeReport(flags.json, report, driver.diags))
    return false;
  return isGoodEnough(flags, *result);
}

void yarrow::addEvalCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<EvalFlags>();
  CLI::App *command = app.add_subcommand(
      "eval", "Compare float, integer and NPU results on labelled samples, or "
              "run one network and write or compare its layers");
  addEvalModelOptions(*command, flags->one);
  command->add_option(
      "--float", flags->floating,
      "Evaluate this float IR (net.txt,net.bin) or ONNX, TFLite or GGUF model");
  addReadingOptions(*command, flags->reading);
  addResetOption(*command, flags->resetEvery);
  command->add_option("--int", flags->integer,
                      "Evaluate this integer IR: net_o.txt,net_o.bin");
  command->add_option(
      "--other", flags->other,
      "Compare another IR, float or integer, with --float or else with --int");
  command->add_option("--exe", flags->executable, "Executable: aipu.bin");
  command->add_option(
      "-d,--data", flags->data,
      "Read samples from a .npy or .npz (along the first axis), a picture or a "
      "folder of pictures; a,b for several inputs");
  addPictureOptions(*command, flags->pictures);
  command->add_option("-l,--label", flags->label,
                      "Read labels from a .npy: the class number of each "
                      "sample, or what the metric needs");
  command
      ->add_option("--tokens", flags->tokens,
                   "Measure a language model on the texts of this .npy, "
                   "[texts,length] tokens: perplexity, and how near the "
                   "networks' next tokens are to the float network's")
      ->excludes("--data")
      ->excludes("--label");
  command->add_option("--dataset", flags->dataset,
                      "Read the files as this data set of docs/metrics.md");
  command->add_option("--data-batch-dim", flags->dataBatchDim,
                      "Take samples along this axis of the data (default: 0)");
  command->add_option(
      "--label-batch-dim", flags->labelBatchDim,
      "Take samples along this axis of the labels (default: 0)");
  command
      ->add_option("--metric", flags->metrics,
                   "Compute these metrics: top1, top5, ..., and those of "
                   "docs/metrics.md: CosDistanceMetric, program(./my.py), ...")
      ->capture_default_str()
      ->each([flags](const std::string &) { flags->namesMetrics = true; });
  addThresholdOption(*command, flags->threshold);
  command
      ->add_option("--samples", flags->samples, "Use only the first N samples")
      ->check(wholeNumber(1));
  command->add_option("--min-top1", flags->minTop1,
                      "Exit with 3 if any top1 is below this percentage");
  addBudgetOption(*command, flags->budget);
  command->add_option("--report,--json", flags->json,
                      "Write the figures as JSON (docs/report.md)");
  command->footer(
      std::string(
          "Example:\n"
          "  yarrow eval net_o.txt -i in.npy -o out.npy --layers tensors\n"
          "  yarrow eval net.onnx -i in.npy --reference recorded.npz\n"
          "  yarrow eval --float net.txt,net.bin --int net_o.txt,net_o.bin \\\n"
          "    --exe aipu.bin --data images.npy --label labels.npy --json "
          "r.json\n"
          "With --float, integers in the data are real numbers; without, they "
          "are the\nvalues that the inputs store.\n"
          "Integer results are compared with float ones as real numbers. The "
          "NPU\nmust compute the integer network's bytes; if not, the exit "
          "code is 3.\n\n") +
      kExitCodeHelp);
  command->callback([flags, &driver] { driver.finish(eval(*flags, driver)); });
}
