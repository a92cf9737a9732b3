//===- Eval.cpp - yarrow eval ---------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/driver/Accuracy.h"
#include "compiler/driver/Models.h"
#include "compiler/driver/Preflight.h"
#include "compiler/driver/ReportJson.h"

#include <CLI/CLI.hpp>

using namespace yarrow;
using namespace mlir;

namespace {
struct EvalFlags {
  std::string floating, integer, executable, data, label, json;
  std::string metrics = "top1,top5";
  std::size_t samples = 0;
  double minTop1 = 0;
};
} // namespace

static bool readMetrics(const EvalFlags &flags, AccuracyTask &task,
                        Driver &driver) {
  for (const std::string &name : splitList(flags.metrics)) {
    std::optional<unsigned> k = topKOf(name, {});
    if (!k) {
      driver.usageError("'" + name + "' is not a metric",
                        "top1, top5 and so on are");
      return false;
    }
    task.topK.push_back(*k);
  }
  return true;
}

static bool readNetwork(MLIRContext &context, const std::string &paths,
                        OwningOpRef<ModuleOp> &module, Driver &driver) {
  if (paths.empty())
    return true;
  auto [txt, bin] = splitModelPaths(paths);
  module = readModel(context, txt, bin, driver.diags);
  return bool(module);
}

/// What was compared. \p network may be null.
static void describe(const EvalFlags &flags, ModuleOp network,
                     const NpuRunner *npu, ReportDocument &report) {
  if (npu)
    report.target = npu->executable().provenance().target;
  report.model =
      network ? modelNameOf(network) : npu->executable().provenance().model;
  auto note = [&](const char *use, const std::string &paths) {
    if (!paths.empty())
      report.read[use] = splitList(paths);
  };
  note("float", flags.floating);
  note("int", flags.integer);
  if (npu)
    report.read["executable"] = flags.executable;
  report.read["data"] = splitList(flags.data);
  if (!flags.label.empty())
    report.read["labels"] = flags.label;
}

static std::optional<AccuracyResult>
evaluate(const EvalFlags &flags, ReportDocument &report, Driver &driver) {
  AccuracyTask task;
  if (!readMetrics(flags, task, driver))
    return std::nullopt;
  if (flags.floating.empty() && flags.integer.empty() &&
      flags.executable.empty()) {
    driver.usageError("nothing to evaluate",
                      "give at least one of --float, --int and --exe");
    return std::nullopt;
  }
  std::unique_ptr<MLIRContext> context = makeContext();
  OwningOpRef<ModuleOp> floating, integer;
  std::unique_ptr<NpuRunner> npu;
  bool ok = readNetwork(*context, flags.floating, floating, driver);
  ok &= readNetwork(*context, flags.integer, integer, driver);
  if (!flags.executable.empty())
    ok &= bool(npu = NpuRunner::open(flags.executable, {}, driver.diags));
  task.dataNames = splitList(flags.data);
  std::optional<std::vector<NpyView>> data =
      readArrays(task.dataNames, driver.diags);
  if (!flags.label.empty())
    ok &= bool(task.labels = readNpy(flags.label, driver.diags));
  if (!ok || !data)
    return std::nullopt;
  describe(flags, integer ? integer.get() : floating.get(), npu.get(), report);
  task.floating = floating.get();
  task.integer = integer.get();
  task.npu = npu.get();
  task.data = std::move(*data);
  task.maxSamples = flags.samples;
  return measureAccuracy(task, driver);
}

/// Whether the figures are what was asked for.
static bool isGoodEnough(const EvalFlags &flags, const AccuracyResult &result) {
  if (result.differingBytes)
    return false;
  if (flags.minTop1 <= 0)
    return true;
  for (std::size_t k = 0; k < result.topK.size(); ++k)
    for (const AccuracyRow &row : result.rows)
      if (result.topK[k] == 1 && !row.topPercent.empty() &&
          row.topPercent[k] < flags.minTop1)
        return false;
  return true;
}

static bool eval(const EvalFlags &flags, Driver &driver) {
  if (!canWrite({flags.json}, driver.diags))
    return false;
  ReportDocument report("eval");
  std::optional<AccuracyResult> result = evaluate(flags, report, driver);
  if (!result)
    return false;
  driver.printNewDiagnostics();
  driver.say(result->table(driver.tableWidth()));
  report.accuracy = accuracyJson(*result);
  if (!writeReport(flags.json, report, driver.diags))
    return false;
  return isGoodEnough(flags, *result);
}

void yarrow::addEvalCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<EvalFlags>();
  CLI::App *command = app.add_subcommand(
      "eval", "Compare float, integer and NPU results on labelled samples");
  command->add_option("--float", flags->floating, "Float IR: net.txt,net.bin");
  command->add_option("--int", flags->integer,
                      "Integer IR: net_o.txt,net_o.bin");
  command->add_option("--exe", flags->executable, "Executable: aipu.bin");
  command
      ->add_option("-d,--data", flags->data,
                   ".npy with samples along the first axis; a,b for several "
                   "inputs")
      ->required();
  command->add_option("-l,--label", flags->label,
                      ".npy with the class number of each sample");
  command->add_option("--metric", flags->metrics, "top1, top5, ...")
      ->capture_default_str();
  command->add_option("--samples", flags->samples,
                      "Only so many samples, from the first on");
  command->add_option("--min-top1", flags->minTop1,
                      "Exit with 3 if any top1 is below this percentage");
  command->add_option("--report,--json", flags->json,
                      "Write the figures as JSON (docs/report.md)");
  command->footer(
      std::string(
          "Example:\n"
          "  yarrow eval --float net.txt,net.bin --int net_o.txt,net_o.bin \\\n"
          "    --exe aipu.bin --data images.npy --label labels.npy --json "
          "r.json\n"
          "Integer results are compared with float ones as real numbers. The "
          "NPU\n"
          "must give the integer network's bytes; if not, the exit code is "
          "3.\n\n") +
      kExitCodeHelp);
  command->callback([flags, &driver] { driver.finish(eval(*flags, driver)); });
}
