//===- BuildAccuracy.cpp - What a build measures at its end ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/BuildAccuracy.h"
#include "compiler/quantize/Metrics.h"
#include "compiler/report/ReportJson.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Settings.h"

#include <fstream>

using namespace yarrow;

bool BuildAccuracy::readMetrics(const std::string &folder) {
  std::vector<ScoreProblem> problems;
  addMetrics(config.metrics, folder, task, problems);
  for (const ScoreProblem &p : problems)
    driver.diags
        .report(p.isUnknown ? diag::ConfigNotApplied : diag::ConfigBadValue,
                config.place("Optimizer.metric"), p.message)
        .found(p.found)
        .expected(p.expected)
        .hint(p.hint);
  return llvm::all_of(problems, [](const auto &p) { return p.isUnknown; });
}

/// Leaves out the metrics that need labels, and warns that it does.
void BuildAccuracy::dropUnlabelled() {
  auto needsLabels = [](const ScoreRequest &s) { return s.needsLabels(); };
  if (!task.topK.empty() || llvm::any_of(task.scores, needsLabels))
    driver.diags
        .report(diag::ConfigNotApplied, {config.fileName},
                "metric is not applied: there are no labels")
        .hint("label in [Optimizer] names the expected classes");
  task.topK.clear();
  llvm::erase_if(task.scores, needsLabels);
}

bool BuildAccuracy::measure(const session::Quantized &made,
                            session::Runner *npu, std::size_t maxSamples,
                            const DataSetTask &files) {
  const QuantizedModel &model = made.model;
  std::optional<DataSet> set = readDataSet(files, driver.diags);
  if (!set)
    return false;
  if (!config.label.empty() && config.metrics.empty())
    task.topK = {1, 5};
  if (config.label.empty())
    dropUnlabelled();
  if (config.evalOriginalModel)
    task.floating = model.original.get();
  if (config.evalOptimizedModel)
    // The NPU computes the network itself, which has to be compared then.
    task.integer =
        model.debugged && !npu ? model.debugged.get() : made.network->module();
  task.data = std::move(set->data);
  task.labels = std::move(set->labels);
  task.thresholds = config.thresholds;
  task.maxSamples = maxSamples;
  // Data for a network that came in floats are what that one takes.
  task.integersAreReal = bool(model.original);
  if (!task.floating && !task.integer && !npu)
    return true;
  accuracy = session::evaluate(task, npu, driver.call());
  if (!accuracy)
    return false;
  driver.printNewDiagnostics();
  driver.printLine(accuracy->table(driver.tableWidth()));
  return true;
}

nlohmann::ordered_json BuildAccuracy::json() const {
  return accuracy ? accuracyJson(*accuracy) : nlohmann::ordered_json();
}

std::vector<OutputFigures> BuildAccuracy::outputFigures() const {
  std::vector<OutputFigures> figures;
  if (!accuracy || accuracy->rows.empty())
    return figures;
  for (const OutputDistance &of : accuracy->rows.back().outputs)
    figures.push_back({of.tensor, of.meanCosine, of.similarity.sqnrDb()});
  return figures;
}

bool BuildAccuracy::record(const std::string &path) const {
  std::string text = "[" + config.modelName + "]\n";
  for (const auto &[key, place] : config.places)
    if (key.starts_with("Optimizer."))
      text += key.substr(key.find('.') + 1) + " = " +
              config.texts.find(key)->second + "\n";
  text += accuracy->table(std::size_t(-1)) + "\n";
  std::ofstream file(path, std::ios::app);
  if (file << text << std::flush)
    return true;
  driver.diags.report(diag::FileUnwritable, {path},
                      "cannot write the record of accuracies");
  return false;
}
