//===- ReportJson.cpp - What commands found, as parts of a report ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/report/ReportJson.h"
#include "compiler/driver/DiagnosticPrinter.h"
#include "compiler/model/Models.h"
#include "compiler/report/PictureReport.h"
#include "support/AtomicFile.h"

#include <cmath>

using namespace yarrow;
using Json = nlohmann::ordered_json;

/// JSON has no infinity: the SQNR of what is exact is null.
static Json decibels(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

/// cosine, sqnr_db and max_error; null if nothing was compared.
static Json similarityJson(const Similarity &similarity) {
  if (!similarity.count)
    return {};
  return {{"cosine", similarity.cosine()},
          {"sqnr_db", decibels(similarity.sqnrDb())},
          {"max_error", similarity.maxError}};
}

/// Null where no threshold decides.
static Json sidesJson(const DecisionSides &sides) {
  if (!sides.isKnown())
    return {};
  return {{"threshold", sides.threshold},
          {"same_share", sides.sameShare()},
          {"above", sides.above},
          {"found", sides.found}};
}

static Json metricsJson(const std::vector<TensorMetric> &metrics) {
  Json layers = Json::array();
  for (const TensorMetric &m : metrics)
    layers.push_back({{"name", m.layer},
                      {"type", m.layerType},
                      {"tensor", m.tensor},
                      {"is_output", m.isOutput},
                      {"output", m.isOutput ? Json(m.output) : Json()},
                      {"element_type", m.dtype},
                      {"scale", m.scale},
                      {"zero_point", m.zp},
                      {"to_float", similarityJson(m.similarity)},
                      {"own", similarityJson(m.own)},
                      {"clipped_share", m.clippedShare()},
                      {"decisions", sidesJson(m.sides)}});
  return layers;
}

Json yarrow::quantizationJson(const config::BuildConfig &config,
                              const QuantizedModel &model) {
  if (!model.original)
    return {};
  Json rules = Json::array();
  for (const RuleUse &use : model.rules)
    rules.push_back({{"key", use.key},
                     {"rule", use.rule},
                     {"layers", use.matched},
                     {"decides", use.decides}});
  Json methods = Json::array();
  for (const AppliedMethod &m : model.methods)
    methods.push_back({{"method", m.name},
                       {"before_db", decibels(m.beforeDb)},
                       {"after_db", decibels(m.afterDb)},
                       {"is_kept", m.isKept}});
  return {{"recipe", config.recipe},
          {"calibration_samples", model.calibrationSamples},
          {"rules", std::move(rules)},
          {"methods", std::move(methods)},
          {"layers", metricsJson(model.layers)}};
}

static Json partsJson(const ErrorParts &parts) {
  if (!parts.isKnown())
    return {};
  Json json = Json::object();
  for (std::size_t p = 0; p < kErrorParts; ++p)
    json[errorPartName(ErrorPart(p))] = parts.share(ErrorPart(p));
  json["interaction"] = parts.interaction() / parts.signal;
  json["total"] = parts.total / parts.signal;
  json["multiplier_error"] = parts.multiplierError;
  return json;
}

static Json histogramJson(const ValueHistogram &histogram) {
  if (histogram.isEmpty())
    return {};
  return {{"bound", histogram.bound()},
          {"min", histogram.min()},
          {"max", histogram.max()},
          {"counts", histogram.counts()}};
}

/// Those of a network that was quantized, and why each loses what it does.
static Json diagnosedJson(const std::vector<TensorMetric> &metrics) {
  Json layers = metricsJson(metrics);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const TensorMetric &m = metrics[i];
    bool hasRange = m.rangeMax > m.rangeMin;
    layers[i]["range"] = hasRange ? Json{m.rangeMin, m.rangeMax} : Json();
    layers[i]["parts"] = partsJson(m.parts);
    layers[i]["sensitivity"] =
        m.alone ? Json{{"loss", m.alone->value()},
                       {"loss_unit", m.alone->unit()},
                       {"sqnr_db", decibels(m.alone->sqnrDb())}}
                : Json();
    layers[i]["histogram"] = histogramJson(m.histogram);
  }
  return layers;
}

Json yarrow::diagnosisJson(const Diagnosis &diagnosis) {
  Json remedies = Json::array();
  for (const TriedRemedy &tried : diagnosis.remedies)
    remedies.push_back(
        {{"remedy", tried.remedy.what},
         {"why", tried.remedy.why},
         {"settings", tried.remedy.settings},
         {"sqnr_db", tried.sqnrDb ? decibels(*tried.sqnrDb) : Json()},
         {"gain_db", tried.sqnrDb ? decibels(tried.gainDb) : Json()},
         {"cycles", tried.cycles ? Json(*tried.cycles) : Json()},
         {"is_taken", tried.isTaken}});
  auto network = [](const Diagnosis::Figures &figures) {
    return Json{{"sqnr_db", decibels(figures.sqnrDb)},
                {"cycles", figures.cycles}};
  };
  return {{"before", network(diagnosis.before)},
          {"after", network(diagnosis.after)},
          {"settings", diagnosis.settings},
          {"trials", diagnosis.numTrials},
          {"is_out_of_time", diagnosis.isOutOfTime},
          {"layers", diagnosedJson(diagnosis.layers)},
          {"remedies", std::move(remedies)}};
}

static Json layerJson(const FormDecision &decision, const FormRow &row) {
  Json forms = Json::object();
  for (std::size_t form = 0; form < row.forms.size(); ++form) {
    const FormFigures &figures = row.forms[form];
    if (figures.cycles)
      forms[decision.forms[form]] = {
          {"cycles", *figures.cycles},
          {"weight_bytes", figures.weightBytes},
          {"sqnr_db", figures.sqnrDb ? decibels(*figures.sqnrDb) : Json()}};
  }
  return {{"name", row.layer},
          {"form", row.isFixed ? "given" : decision.forms[row.chosen]},
          {"reason", row.reason},
          {"forms", std::move(forms)}};
}

Json yarrow::winogradJson(const FormDecision &decision) {
  Json layers = Json::array(), outputs = Json::array();
  for (const FormRow &row : decision.rows)
    layers.push_back(layerJson(decision, row));
  for (const FormOutput &output : decision.outputs)
    outputs.push_back({{"tensor", output.tensor},
                       {"direct", similarityJson(output.direct)},
                       {"chosen", similarityJson(output.chosen)}});
  return {{"target", decision.target},
          {"decision", kFormUses[std::size_t(decision.settings.use)]},
          {"max_loss_db", decision.settings.maxLossDb},
          {"max_output_loss_db", decision.settings.maxOutputLossDb},
          {"direct_cycles", decision.directCycles},
          {"cycles", decision.cycles},
          {"outputs", std::move(outputs)},
          {"layers", std::move(layers)}};
}

static Json agreementJson(const Agreement &agreement, bool hasClasses) {
  Json json = {{"agreed_percent", agreement.agreedPercent()},
               {"mean_kl_divergence", agreement.meanDivergence()},
               {"lost", nullptr},
               {"won", nullptr},
               {"top1_deviation_points", nullptr}};
  if (hasClasses) {
    json["lost"] = agreement.lost;
    json["won"] = agreement.won;
    json["top1_deviation_points"] = agreement.deviationPoints();
  }
  return json;
}

static Json metricsJson(const AccuracyResult &result, const AccuracyRow &row) {
  Json metrics = Json::object();
  for (std::size_t s = 0; s < row.scores.size(); ++s) {
    Json &metric = metrics[result.scoreNames[s]] = {{"value", row.scores[s]}};
    if (row.scoresByOutput[s].size() > 1)
      metric["by_output"] = row.scoresByOutput[s];
  }
  return metrics;
}

Json yarrow::accuracyJson(const AccuracyResult &result) {
  Json networks = Json::object();
  for (const AccuracyRow &row : result.rows) {
    Json &entry = networks[row.name] = Json::object();
    for (std::size_t k = 0; k < row.topPercent.size(); ++k)
      entry["top" + std::to_string(result.topK[k])] = row.topPercent[k];
    if (!row.scores.empty())
      entry["metrics"] = metricsJson(result, row);
    std::string distance = "to_" + result.reference;
    // What the table shows: the mean over samples.
    auto distanceJson = [](const OutputDistance &of) {
      Json json = similarityJson(of.similarity);
      json["cosine"] = of.meanCosine;
      json["decisions"] = sidesJson(of.sides);
      return json;
    };
    if (const OutputDistance *worst = row.worst())
      entry[distance] = distanceJson(*worst);
    if (row.outputs.size() > 1) {
      Json &outputs = entry["outputs_" + distance] = Json::object();
      for (const OutputDistance &of : row.outputs)
        outputs[of.tensor] = distanceJson(of);
    }
    if (row.agreement)
      entry["answers_as_" + result.reference] =
          agreementJson(*row.agreement, result.hasClasses);
  }
  return {{"samples", result.samples},
          {"networks", std::move(networks)},
          {"compared_bytes", result.comparedBytes},
          {"differing_bytes", result.differingBytes}};
}

ReportDocument yarrow::quantizeReport(const config::BuildConfig &config,
                                      const QuantizedModel &model) {
  ReportDocument report("quantize");
  report.model = config.modelName;
  report.quantization = quantizationJson(config, model);
  report.pictures = picturesJson(config, splitPaths(config.calibrationData));
  if (model.winograd) {
    report.target = model.winograd->target;
    report.winograd = winogradJson(*model.winograd);
  }
  report.read["graph"] = config.graph;
  if (!config.calibrationData.empty())
    report.read["calibration_data"] = splitPaths(config.calibrationData);
  if (!config.bin.empty())
    report.read["weights"] = config.bin;
  if (!config.encodings.empty())
    report.read["encodings"] = config.encodings;
  return report;
}

void yarrow::addPerformance(ReportDocument &report,
                            const runtime::Report &measured) {
  report.target = measured.target;
  report.performance = measured.json();
}

bool yarrow::writeReport(const std::string &path, ReportDocument report,
                         DiagnosticEngine &diags) {
  if (path.empty())
    return true;
  report.diagnostics = diagnosticsJson(diags);
  return writeFile(path, report.text(), diags);
}
