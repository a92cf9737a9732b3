//===- ReportJson.h - What commands found, as parts of a report -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The results of the steps as the objects that docs/report.md describes, and
// the one way in which a command writes its report.
//
//   ReportDocument report("eval");
//   report.accuracy = accuracyJson(*result);
//   if (!writeReport("report.json", report, driver.diags)) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_REPORT_REPORTJSON_H
#define YARROW_COMPILER_REPORT_REPORTJSON_H

#include "compiler/config/BuildConfig.h"
#include "compiler/diagnose/Remedies.h"
#include "compiler/forms/FormDecision.h"
#include "compiler/quantize/QuantizedModel.h"
#include "quantizer/metrics/Accuracy.h"
#include "runtime/Report.h"
#include "support/ReportDocument.h"

namespace yarrow {

/// Of a network that was quantized; null of one that came in integers.
nlohmann::ordered_json quantizationJson(const config::BuildConfig &config,
                                        const QuantizedModel &model);
nlohmann::ordered_json diagnosisJson(const Diagnosis &diagnosis);
nlohmann::ordered_json winogradJson(const FormDecision &decision);
nlohmann::ordered_json accuracyJson(const AccuracyResult &result);

/// The document of `quantize`, but for what was written and the diagnostics.
ReportDocument quantizeReport(const config::BuildConfig &config,
                              const QuantizedModel &model);

/// "performance", with the target that was simulated.
void addPerformance(ReportDocument &report, const runtime::Report &measured);

/// Adds the diagnostics so far and writes; nothing for an empty \p path. False
/// after errors.
bool writeReport(const std::string &path, ReportDocument report,
                 DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_REPORT_REPORTJSON_H
