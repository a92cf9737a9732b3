//===- Replay.cpp - One recorded case, replayed ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/vts/Replay.h"
#include "api/nnapi/run/ModelRunner.h"
#include "parser/nnapi/CheckModel.h"

using namespace yarrow;
using namespace yarrow::vts;
using nnapi::ModelRunner;
using nnapi::RunStatus;
using nnapi::Value;

/// A recorded failure passes if it is refused.
static Outcome judgeRefused(const Case &recorded,
                            const DiagnosticEngine &diags) {
  return recorded.expectsFailure ? Outcome() : refused(diags);
}

Outcome vts::judge(const Case &recorded, const std::vector<Value> &outputs) {
  if (recorded.expectsFailure)
    return {Outcome::Failed, "is computed, and must be refused"};
  if (!recorded.multinomialTolerance)
    return compareOutputs(recorded.outputs, outputs);
  // One list of samples.
  std::string why = outputs.size() == 1
                        ? compareDistribution(recorded, outputs[0])
                        : std::to_string(outputs.size()) + " outputs";
  return {why.empty() ? Outcome::Passed : Outcome::Failed, why};
}

Outcome vts::replay(const Case &recorded,
                    std::shared_ptr<nnapi::Backend> backend) {
  DiagnosticEngine diags;
  if (!nnapi::checkModel(*recorded.model, nnapi::kRuntimeFeatureLevel, diags))
    return judgeRefused(recorded, diags);
  ModelRunner runner(recorded.model, std::move(backend));
  std::vector<Value> outputs;
  nnapi::RunNumbers numbers;
  RunStatus status = runner.run(recorded.inputs, outputs, {}, numbers, diags);
  return status == RunStatus::Done ? judge(recorded, outputs)
                                   : judgeRefused(recorded, diags);
}
