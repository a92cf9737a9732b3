//===- Replay.cpp - One recorded case, replayed ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/vts/Replay.h"
#include "api/nnapi/run/ModelRunner.h"
#include "parser/nnapi/CheckModel.h"
#include <sstream>

using namespace yarrow;
using namespace yarrow::vts;
using nnapi::ModelRunner;
using nnapi::RunStatus;
using nnapi::Value;

/// The errors, a line each.
static std::string errorsOf(const DiagnosticEngine &diags) {
  std::string text;
  for (const Diagnostic &d : diags.all()) {
    if (!d.isError())
      continue;
    text += text.empty() ? "" : "; ";
    text += "error " + std::string(diagCode(d.id)) + ": " + d.message;
    if (!d.foundText.empty())
      text += " (" + d.foundText + ")";
  }
  return text;
}

static Outcome refused(const Case &recorded, const DiagnosticEngine &diags) {
  if (recorded.expectsFailure)
    return {};
  return {Outcome::Refused, errorsOf(diags)};
}

Outcome vts::judge(const Case &recorded, const std::vector<Value> &outputs) {
  if (recorded.expectsFailure)
    return {Outcome::Failed, "is computed, and must be refused"};
  if (outputs.size() != recorded.outputs.size())
    return {Outcome::Failed, std::to_string(outputs.size()) +
                                 " outputs, recorded " +
                                 std::to_string(recorded.outputs.size())};
  Outcome outcome;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::string why =
        recorded.multinomialTolerance
            ? compareDistribution(recorded, outputs[i])
            : compare(recorded.outputs[i], outputs[i], outcome.difference);
    if (why.empty())
      continue;
    outcome.kind = Outcome::Failed;
    outcome.why += (outcome.why.empty() ? "output " : "; output ") +
                   std::to_string(i) + ": " + why;
  }
  return outcome;
}

Outcome vts::replay(const Case &recorded,
                    std::shared_ptr<nnapi::Backend> backend) {
  DiagnosticEngine diags;
  if (!nnapi::checkModel(*recorded.model, nnapi::kRuntimeFeatureLevel, diags))
    return refused(recorded, diags);
  ModelRunner runner(recorded.model, std::move(backend));
  std::vector<Value> outputs;
  nnapi::RunNumbers numbers;
  RunStatus status = runner.run(recorded.inputs, outputs, {}, numbers, diags);
  return status == RunStatus::Done ? judge(recorded, outputs)
                                   : refused(recorded, diags);
}
